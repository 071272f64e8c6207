"""The rows of acceptance group B that hold for what is published: processes, resets, one process and two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from ds_dbw_msgs.msg import Gear

from acres_ros.nodes.lockstep_program import LockstepProgram, Run, first_difference
from acres_ros.tools.determinism.rows import Outcome

SHORT_S = 3.0
Start = Callable[[bool], AbstractContextManager[LockstepProgram]]


def published(start: Start, seconds: float, resets: int, progress: Callable[[str], None]) -> Iterator[Outcome]:
    """Yield rows B1, B3, B5 and B6 of the lockstep program.

    Args:
        start: gives the program at a stand-in of its own that is paused at step 0; True for one process.
        seconds: simulated time of the program, s.
        resets: short runs after a reset of everything from the middle of a drive.
        progress: gets what is being done.
    """
    progress("the first two server processes")
    with start(False) as program:
        first = program.run(seconds=seconds)
        yield from _short_runs(program, resets, progress)
    progress("two other server processes")
    with start(False) as program:
        second = program.run(seconds=seconds)
    yield Outcome("B1", "two server processes, and two others", _amount(first), first_difference(first, second))
    gap = max(
        abs(a - b)
        for one, other in zip(first.positions, second.positions, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    unequal = sum(a != b for a, b in zip(first.positions, second.positions, strict=True))
    yield Outcome(
        "B6",
        f"the lockstep program of {seconds:g} s",
        f"{len(first.positions)} steps, {first.distance:.2f} m, apart by {gap:.3f} m",
        f"{unequal} positions" if unequal else None,
    )
    progress("one process")
    with start(True) as program:
        composed = program.run(seconds=seconds)
    yield Outcome("B5", "two processes, and both nodes in one", _amount(first), first_difference(first, composed))


def _short_runs(program: LockstepProgram, resets: int, progress: Callable[[str], None]) -> Iterator[Outcome]:
    """Yield row B3: runs after a reset of everything, each from the middle of another drive."""
    client, reference, difference = program.client, None, None
    for number in range(resets + 1):
        progress(f"short run {number} of {resets} after a reset")
        client.reset()
        run = program.run(seconds=SHORT_S)
        reference = reference or run
        if difference is None and (text := first_difference(reference, run)):
            difference = f"run {number}: {text}"
        client.steer(300.0 - number)
        client.drive(-1.0)
        client.select(Gear.REVERSE)
        client.step(5 + number % 40)
        client.steer(float("nan"))  # on its way when the reset comes
    assert reference is not None
    yield Outcome("B3", f"a run, and {resets} after a reset in the middle of a drive", _amount(reference), difference)


def _amount(run: Run) -> str:
    messages = sum(count for count, _ in run.hashes.values())
    return f"{len(run.positions)} steps, {messages:,} messages on {len(run.hashes)} topics each"
