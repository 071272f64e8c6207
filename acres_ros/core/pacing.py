"""Pace the physics steps against the wall clock.

The functions read no clock. The wall time comes in by argument, from any monotonic clock, so a test can invent it.
"""

from __future__ import annotations

import math

from acres_ros.core.clock import STEP_S
from acres_ros.errors import AcresError

MOST_STEPS_IN_A_PASS = 12
"""The largest number of steps in one pass (spec, Time Stepping and Determinism, section Parameters, core_sim)."""

SLOWEST_RATE = 0.001
FASTEST_RATE = 1000.0


class PaceRefusedError(AcresError):
    """Report a rate factor or a step limit that cannot pace a run."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        super().__init__(f"{name} is {given!r}; it has to be {wanted}.")
        self.name = name
        self.given = given


class FreeRun:
    """Say how many steps are due at a wall time.

    With the anchor (w0, k0) the number of due steps is `k0 + floor((w - w0) R / h) - k`. A pass runs 12 at most. When
    more are due, the anchor moves to the present: the simulation becomes slower and does not get the time back (spec,
    Time Stepping and Determinism, section Free Run of core_sim).

    Args:
        rate: seconds of simulation time in one second of wall time; 0 runs without waiting.
        max_steps: largest number of steps in one pass.

    Raises:
        PaceRefusedError: the rate or the limit is out of range.
    """

    def __init__(self, rate: float = 1.0, max_steps: int = MOST_STEPS_IN_A_PASS) -> None:
        if not max_steps >= 1:
            raise PaceRefusedError("the largest number of steps in a pass", max_steps, "1 or more")
        self.rate = checked_rate(rate)
        self.max_steps = max_steps
        self._wall: float | None = None
        self._first = 0
        self._halt_s = 0.0

    def anchor(self, wall: float, k: int) -> None:
        """Make the present the reference: no step is due. Use it at the start and after a pause or a reset.

        Args:
            wall: present wall time, s.
            k: present step count.
        """
        self._wall = wall
        self._first = k
        self._halt_s = 0.0

    def halt(self, seconds: float) -> None:
        """Let no step be due for a time from the next pass on; then the pace goes on from there.

        Args:
            seconds: wall time, s, 0 or more; 0 ends a halt.
        """
        self._wall = None
        self._halt_s = seconds

    def halt_left(self, wall: float) -> float:
        """Return how long no step is due because of `halt`, s; 0 without one.

        Args:
            wall: present wall time, s.
        """
        return self._halt_s if self._wall is None else max(0.0, self._wall - wall)

    def steps_due(self, wall: float, k: int) -> int:
        """Return the number of steps that this pass runs; the caller runs them all.

        Args:
            wall: present wall time, s.
            k: present step count.
        """
        if self._wall is None:
            self.anchor(wall + self._halt_s, k)
        if self.rate == 0.0:
            return self.max_steps if wall >= self._anchor_wall else 0
        due = self._steps_at(wall) - k
        if due > self.max_steps:
            self.anchor(wall, k + self.max_steps)
            return self.max_steps
        return max(due, 0)

    def seconds_until_next(self, wall: float, k: int) -> float:
        """Return the wall time until step `k + 1` is due, s; after exactly this time `steps_due` is not 0.

        Args:
            wall: present wall time, s.
            k: present step count.
        """
        if self._wall is None:
            self.anchor(wall + self._halt_s, k)
        if self.rate == 0.0:
            return max(self._anchor_wall - wall, 0.0)
        wait = max(self._anchor_wall + (k + 1 - self._first) * STEP_S / self.rate - wall, 0.0)
        # Rounding may leave the sum a few units before the step; a loop that woke there would wake twice.
        while self._steps_at(wall + wait) <= k:
            wait += math.ulp(wall + wait)
        return wait

    @property
    def _anchor_wall(self) -> float:
        assert self._wall is not None, "an anchor is set before it is used"
        return self._wall

    def _steps_at(self, wall: float) -> int:
        """Return the step count that the wall time asks for."""
        return self._first + math.floor((wall - self._anchor_wall) * self.rate / STEP_S)


def checked_rate(rate: float) -> float:
    """Return a rate factor that can pace a run: 0, or 0.001 to 1000.

    Args:
        rate: seconds of simulation time in one second of wall time.

    Raises:
        PaceRefusedError: the rate is negative, not finite, or too near 0 or too large to be meant.
    """
    if rate == 0.0 or SLOWEST_RATE <= rate <= FASTEST_RATE:
        return float(rate)
    raise PaceRefusedError(
        "the rate factor", rate, f"0 (no waiting) or a number from {SLOWEST_RATE} to {FASTEST_RATE:g}"
    )
