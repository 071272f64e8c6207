"""The state of the INS's GNSS receiver: what was asked for, and how it comes back after a loss of the satellites.

The state acts on the errors of the position (`acres_ros.models.navigation_errors`); this is what decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acres_ros.core.gateway_events import Event
from acres_ros.core.navigation_settings import FIXES, NavigationSettings
from acres_ros.core.schedule import steps_until_over
from acres_ros.errors import AcresError, shown
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NONE, SINGLE

LONGEST_S = 1.0e6
FARTHEST_M = 1.0e4
NEVER = 1 << 62

NAMES = {code: name for name, code in FIXES.items()}
"""Names of the states of a GNSS position."""


class GnssError(AcresError):
    """A request that the receiver cannot have."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


class _Goal(NamedTuple):
    """What the receiver is to be like: the best state that it may reach, and an offset east, north, up, m."""

    fix: int
    jump: tuple[float, float, float] = (0.0, 0.0, 0.0)


class ReceiverState(NamedTuple):
    """What a receiver remembers beside its NAVIGATION_STATE record: the goals, and steps at which something comes."""

    base: _Goal
    goal: _Goal
    end: int
    back: int
    next_step: int
    events: tuple[Event, ...]


class GnssReceiver:
    """The receiver of one INS.

    Args:
        settings: its start and how fast it comes back.
        state: one NAVIGATION_STATE record as a plain array; its `ins.fix` and `ins.jump` are written.

    Attributes:
        next_step: step count at which `advance` has something to do.
    """

    def __init__(self, settings: NavigationSettings, state: np.ndarray) -> None:
        self._settings = settings
        self._ins = state["ins"]
        self._events: list[Event] = []
        self.reset()

    @property
    def fix(self) -> int:
        """Return the state now."""
        return int(self._ins["fix"][0])

    def reset(self) -> None:
        """End what was asked for; what was said stays to be taken."""
        self._base = self._goal = _Goal(self._settings.start)
        self._end = NEVER
        self._back = -NEVER
        self._ins["fix"] = self._settings.start
        self._ins["jump"] = 0.0
        self.next_step = NEVER

    def request(self, step: int, state: str, duration_s: float | None, jump_m: Sequence[float]) -> None:
        """Take a state and an offset from the next step on; they replace those of an earlier request.

        Args:
            step: steps that are over.
            state: none, single, sbas, float or fixed.
            duration_s: how long, s; then what holds without an end comes back. None or 0 is without an end.
            jump_m: offset of the position, east, north, up, m.

        Raises:
            GnssError: not such a state, time or offset; nothing was changed.
        """
        if state not in FIXES:
            raise GnssError("state", state, f"one of {', '.join(FIXES)}")
        seconds = _number("duration_s", 0.0 if duration_s is None else duration_s, 0.0, LONGEST_S)
        if len(jump_m) != 3:
            raise GnssError("jump_m", list(jump_m), "3 numbers: east, north, up")
        east, north, up = (_number("jump_m", value, -FARTHEST_M, FARTHEST_M) for value in jump_m)
        goal = _Goal(FIXES[state], (east, north, up))
        if seconds == 0.0:
            self._base, self._end = goal, NEVER
        else:
            self._end = step + max(1, steps_until_over(seconds))
        self._pursue(step, goal)

    def advance(self, step: int) -> None:
        """Let what ends at a step end, and the receiver come back; call it from `next_step` on.

        Args:
            step: steps that are over.
        """
        goal = self._goal
        if step >= self._end:
            goal, self._end = self._base, NEVER
        self._pursue(step, goal)

    def take_events(self) -> list[Event]:
        """Return what there is to say, and forget it."""
        events, self._events = self._events, []
        return events

    def snapshot(self) -> ReceiverState:
        """Return the state."""
        return ReceiverState(self._base, self._goal, self._end, self._back, self.next_step, tuple(self._events))

    def restore(self, state: ReceiverState) -> None:
        """Take up a state; the record is taken up by its owner."""
        self._base, self._goal, self._end, self._back, self.next_step = state[:5]
        self._events = list(state.events)

    def _pursue(self, step: int, goal: _Goal) -> None:
        """Go for a goal as far as the receiver has come at a step."""
        before = self.fix
        if before == NONE and goal.fix != NONE:
            self._back = step
        after, next_step = self._reached(step, goal.fix)
        if after != before or goal.jump != self._goal.jump:
            jump = "" if goal.jump == (0.0, 0.0, 0.0) else " with an offset of {:g}, {:g}, {:g} m".format(*goal.jump)
            severity = "warning" if after < before or jump else "info"
            self._events.append(Event(severity, "ACRES_GNSS", f"the INS position is {NAMES[after]}{jump}"))
        self._goal = goal
        self._ins["fix"], self._ins["jump"] = after, goal.jump
        self.next_step = min(self._end, next_step)

    def _reached(self, step: int, best: int) -> tuple[int, int]:
        """Return the state at a step on the way back to the best one, and the step at which that changes."""
        if best <= SINGLE:
            return best, NEVER
        corrected = self._back + self._settings.single_steps
        if step < corrected:
            return SINGLE, corrected
        resolved = corrected + self._settings.float_steps
        if best == FIXED and step < resolved:
            return FLOAT, resolved
        return best, NEVER


def _number(key: str, value: object, low: float, high: float) -> float:
    """Return a finite number in a range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise GnssError(key, value, f"a number from {low:g} to {high:g}")
    return float(value)
