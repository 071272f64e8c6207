"""The rows of the conformance suite in their order, and the table of what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from acres_ros.nodes import conformance_entities, conformance_spawning, conformance_states, conformance_steps
from acres_ros.nodes.conformance import ConformanceClient, NotOfferedError, Outcome, Row, Verdict, WrongError

ROWS = (
    *conformance_states.ROWS,
    *conformance_steps.ROWS,
    *conformance_states.LATER_ROWS,
    *conformance_entities.ROWS,
    *conformance_spawning.ROWS,
    *conformance_states.LAST_ROWS,
)
WIDTH = 62


def run_suite(client: ConformanceClient, say: Callable[[str], None], *, end: bool) -> list[Outcome]:
    """Run every row, tell each when it has ended, and leave the simulation PAUSED.

    Args:
        client: of the simulator.
        say: gets the lines of the table.
        end: tell the simulator to end itself as the last row.
    """
    outcomes = []
    for row in rows(end=end):
        outcome = row.outcome(client)
        say(line(outcome))
        outcomes.append(outcome)
        if outcome.verdict is not Verdict.PASSED and row is not conformance_states.QUIT_ROW:
            _tidy(client)
    return outcomes


def rows(*, end: bool) -> Iterator[Row]:
    """Yield the rows in their order."""
    yield from ROWS
    if end:
        yield conformance_states.QUIT_ROW


def _tidy(client: ConformanceClient) -> None:
    """Leave the simulation paused for the next row, where it can be."""
    try:
        client.pause()
    except (WrongError, NotOfferedError):
        return


def line(outcome: Outcome) -> str:
    """Return a row of the table."""
    return f"{outcome.number:>3}  {outcome.tried:<{WIDTH}}  {outcome.verdict.value:<11}  {outcome.text}".rstrip()


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many rows ended how."""
    counts = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    return ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
