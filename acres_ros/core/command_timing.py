"""The physics step at which a command applies.

The loop reads its commands once in each pass, and a pass can run many steps. Each command is given the step that agrees
with its arrival, so that the steps of a slow pass see the commands one after the other (spec, Time Stepping and
Determinism, section Command Timing; Drive-by-Wire and ULC, section Timestamped Command Queue).
"""

from __future__ import annotations

import math
from collections import deque
from typing import Generic, TypeVar

from acres_ros.errors import AcresError

DUE_TOLERANCE_S = 0.002
"""How much after the start of a step a command may lie and still apply at it, s (spec, Command Timing)."""

NEXT_STEP = None
"""The apply time of a command that has no place in an interval: it applies at the next step."""

_Item = TypeVar("_Item")


class TimeRefusedError(AcresError):
    """Report a time that a command cannot have."""

    def __init__(self, name: str, given: float, wanted: str) -> None:
        super().__init__(f"{name} is {given!r} s; it has to be {wanted}. Check the clock that it was read from.")
        self.name = name
        self.given = given


class CommandClock:
    """Map the arrival time of a command into the solver time of the pass that reads it.

    After a reset, or when lockstep ends, a new one is needed: its first read has no interval before it.
    """

    def __init__(self) -> None:
        self._previous_read: float | None = None
        self._last_read: float | None = None
        self._solver_time = 0.0
        self._added = 0.0

    def begin_read(self, wall: float, solver_time: float, added: float) -> None:
        """Start one read of the commands.

        Args:
            wall: wall time of this read, s, on the clock of the arrival times.
            solver_time: time that the physics has before this pass, s.
            added: solver time that this pass adds, s; 0 while the world is paused.

        Raises:
            TimeRefusedError: a time is not finite, or `added` is negative.
        """
        _require_finite("the wall time of the read", wall)
        _require_finite("the solver time", solver_time)
        if not 0.0 <= added < math.inf:
            raise TimeRefusedError("the solver time that the pass adds", added, "finite and 0 or more")
        self._previous_read, self._last_read = self._last_read, wall
        self._solver_time = solver_time
        self._added = added

    def apply_at(self, arrival: float) -> float | None:
        """Return the solver time at which a command applies, or `NEXT_STEP` where there is no interval to place it in.

        Args:
            arrival: wall time at which the command arrived, s.

        Raises:
            TimeRefusedError: the arrival time is not finite.
        """
        _require_finite("the arrival time", arrival)
        if self._previous_read is None or self._last_read is None or self._last_read <= self._previous_read:
            return NEXT_STEP
        share = (arrival - self._previous_read) / (self._last_read - self._previous_read)
        return self._solver_time + min(max(share, 0.0), 1.0) * self._added


class TimedQueue(Generic[_Item]):
    """Hold snapshots of the command state until their steps come, in the order of their arrival."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, _Item]] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, time: float | None, item: _Item) -> None:
        """Add a snapshot; where its time is not later than that of the snapshot ahead, it takes that one's place.

        Args:
            time: solver time at which the snapshot applies, s, or `NEXT_STEP`.
            item: snapshot of the full command state.

        Raises:
            TimeRefusedError: the time is not finite.
        """
        if time is NEXT_STEP:
            due = -math.inf
        else:
            _require_finite("the apply time", time)
            due = time
        if self._entries and due <= self._entries[-1][0]:
            due = self._entries.pop()[0]
        self._entries.append((due, item))

    def entries(self) -> list[tuple[float | None, _Item]]:
        """Return the snapshots that wait and their times, in the order in which `push` would take them."""
        return [(NEXT_STEP if due == -math.inf else due, item) for due, item in self._entries]

    def take(self, solver_time: float) -> _Item | None:
        """Remove the snapshots that are due and return the last of them, or None.

        Args:
            solver_time: time at the start of the step that is about to run, s.
        """
        taken: _Item | None = None
        limit = solver_time + DUE_TOLERANCE_S
        while self._entries and self._entries[0][0] <= limit:
            taken = self._entries.popleft()[1]
        return taken


def _require_finite(name: str, time: float) -> None:
    if not math.isfinite(time):
        raise TimeRefusedError(name, time, "a finite number of seconds")
