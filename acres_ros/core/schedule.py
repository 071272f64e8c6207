"""The steps at which a stream takes a sample.

The rule is the one of the spec (Time Stepping and Determinism, section Sensor Sample Times): a stream is due at step k
when `t_k + 1e-8 s >= t_due`, and then `t_due` grows by one period. `t_due` is kept as an exact fraction. As a sum of
floating-point periods it leaves the rule's own tolerance after half an hour: a 120 Hz stream then misses a step.
"""

from __future__ import annotations

import math
from fractions import Fraction

from acres_ros.core.clock import STEPS_PER_SECOND, step_count
from acres_ros.errors import AcresError

LOWEST_RATE_HZ = 1
HIGHEST_RATE_HZ = STEPS_PER_SECOND

TOLERANCE_S = Fraction(1, 10**8)
"""How much before its due time a sample may be taken, s (spec, Sensor Sample Times)."""


class RateRefusedError(AcresError):
    """Report a stream rate that the physics step cannot serve."""

    def __init__(self, given: object) -> None:
        super().__init__(
            f"the stream rate is {given!r} Hz; a stream samples the physics steps, so its rate is a number from "
            f"{LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ} Hz. Choose a rate in this range."
        )
        self.given = given


def steps_until_over(time_s: float) -> int:
    """Return the steps after which a time (s, 0 or more) is over; the tolerance is that of the due rule."""
    return max(0, math.ceil(STEPS_PER_SECOND * (Fraction(time_s) - TOLERANCE_S)))


class Schedule:
    """Say for each step whether one stream is due.

    Args:
        rate_hz: samples in one second of simulation time, 1 to 120 Hz.

    Raises:
        RateRefusedError: the rate is outside 1 to 120 Hz or not a number.
    """

    def __init__(self, rate_hz: float) -> None:
        try:
            # nan fails both comparisons, text fails the first with a TypeError
            refused = not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ
        except TypeError:
            refused = True
        if refused:
            raise RateRefusedError(rate_hz)
        self.rate_hz = rate_hz
        period = STEPS_PER_SECOND / Fraction(rate_hz)
        tolerance = STEPS_PER_SECOND * TOLERANCE_S
        # Whole ticks, so fine that a step, the period and the tolerance are each a whole number of them.
        self._step = math.lcm(period.denominator, tolerance.denominator)
        self._period = int(period * self._step)
        self._tolerance = int(tolerance * self._step)
        self._start(0)

    @property
    def ticks(self) -> tuple[int, int, int]:
        """Return a step, the period and the tolerance in whole numbers of one tick, for a rule that is compiled."""
        return self._step, self._period, self._tolerance

    @property
    def next_due(self) -> int:
        """Return the first step count at which the stream is due."""
        return self._next_due

    def due(self, k: int) -> bool:
        """Say whether the stream takes a sample at step `k`, and count the sample.

        Args:
            k: step count; call once for each step, in order, from 0 on.
        """
        if k < self._next_due:
            return False
        self._count(1)
        return True

    def restart(self, k: int) -> None:
        """Bring the schedule to the state that it has after the samples 0 to `k`, for a late joiner or a reset.

        Args:
            k: count of the last step that was sampled.

        Raises:
            NotAStepCountError: `k` is negative or not an integer.
        """
        ticks = step_count(k) * self._step
        self._start(0)
        self._count((ticks + self._tolerance) // self._period + 1)

    def _start(self, k: int) -> None:
        """Begin the grid at step `k`, which is then due."""
        self._due_tick = k * self._step
        self._next_due = k

    def _count(self, samples: int) -> None:
        """Move the due time on by some samples and find the first step that reaches it."""
        self._due_tick += samples * self._period
        self._next_due = -((self._tolerance - self._due_tick) // self._step)
