"""What the gateway has to say: an ordered list of events, for a log or for a comparison of two runs."""

from __future__ import annotations

from typing import NamedTuple

from acres_ros.core.clock import STEPS_PER_SECOND


class Event(NamedTuple):
    """One line for a log.

    Attributes:
        severity: `info` or `warning`.
        code: fixed name that a program can look for.
        text: sentence for a person.
    """

    severity: str
    code: str
    text: str


class LogState(NamedTuple):
    """What an `EventLog` remembers: what nobody has taken yet, what is said once, and when a code may be said again."""

    events: tuple[Event, ...]
    said: tuple[str, ...]
    quiet_until: dict[str, int]


class EventLog:
    """Collect events; some are said once, some at most once a second of simulation time.

    Attributes:
        events: what was said since the last `take`, in order.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._said: set[str] = set()
        self._quiet_until: dict[str, int] = {}

    def info(self, code: str, text: str) -> None:
        """Add an event of severity info."""
        self.events.append(Event("info", code, text))

    def warning(self, code: str, text: str) -> None:
        """Add an event of severity warning."""
        self.events.append(Event("warning", code, text))

    def warning_once(self, code: str, text: str) -> None:
        """Add a warning unless the same text was said before."""
        if text not in self._said:
            self._said.add(text)
            self.warning(code, text)

    def warning_throttled(self, step: int, code: str, text: str) -> None:
        """Add a warning unless the same code was said in the second before.

        Args:
            step: count of physics steps now.
            code: fixed name; it is what is throttled.
            text: sentence for a person.
        """
        if step >= self._quiet_until.get(code, 0):
            self._quiet_until[code] = step + STEPS_PER_SECOND
            self.warning(code, text)

    def restart(self) -> None:
        """Let everything be said again, as after a start; what was said stays to be taken."""
        self._said.clear()
        self._quiet_until.clear()

    def take(self) -> list[Event]:
        """Return the events and forget them."""
        events, self.events = self.events, []
        return events

    def snapshot(self) -> LogState:
        """Return the state."""
        return LogState(tuple(self.events), tuple(sorted(self._said)), dict(self._quiet_until))

    def restore(self, state: LogState) -> None:
        """Take up a state."""
        self.events = list(state.events)
        self._said = set(state.said)
        self._quiet_until = dict(state.quiet_until)
