"""Simulation time as a count of physics steps, and its stamps in whole nanoseconds.

The step of 1/120 s is not a whole number of nanoseconds. A stamp is therefore made from the count with integers alone;
a sum or a product of floating-point seconds would drift and would print stamps such as ...619999999.
"""

from __future__ import annotations

import operator

from acres_ros.errors import AcresError
from acres_ros.models.timestep import STEP_S, STEPS_PER_SECOND

__all__ = [
    "LAST_STAMPED_STEP",
    "NANOSECONDS_PER_SECOND",
    "STEPS_PER_SECOND",
    "STEP_S",
    "NotAStepCountError",
    "stamp",
    "stamp_ns",
    "step_count",
    "time_s",
]

NANOSECONDS_PER_SECOND = 1_000_000_000

LAST_STAMPED_STEP = (1 << 31) * STEPS_PER_SECOND - 1
"""The last step whose time fits into a ROS stamp, whose seconds have 32 bits with sign."""

_NANOSECONDS_IN_THREE_STEPS = 25_000_000


class NotAStepCountError(AcresError):
    """Report a step count that is not a whole number of steps from the start on."""

    def __init__(self, given: object) -> None:
        super().__init__(
            f"the step count is {given!r}; time is counted in whole physics steps of 1/120 s from 0 on. "
            "Give an integer of 0 or more."
        )
        self.given = given


def step_count(k: object) -> int:
    """Return `k` as a Python integer of any size.

    Args:
        k: count of physics steps; any integer type.

    Raises:
        NotAStepCountError: `k` is negative or not an integer.
    """
    try:
        count = operator.index(k)  # type: ignore[arg-type]  # the failure is the check
    except TypeError:
        raise NotAStepCountError(k) from None
    if count < 0:
        raise NotAStepCountError(k)
    return count


def stamp_ns(k: int) -> int:
    """Return the time of step `k` to the nearest nanosecond.

    Args:
        k: count of physics steps since the start of the world.

    Raises:
        NotAStepCountError: `k` is negative or not an integer.
    """
    return _nearest_ns(step_count(k))


def stamp(k: int) -> tuple[int, int]:
    """Return the time of step `k` as the seconds and nanoseconds of a ROS stamp.

    Args:
        k: count of physics steps since the start of the world.

    Raises:
        NotAStepCountError: `k` is negative or not an integer.
    """
    return divmod(_nearest_ns(step_count(k)), NANOSECONDS_PER_SECOND)


def time_s(k: int) -> float:
    """Return the time of step `k` in seconds, as the count times the step.

    Args:
        k: count of physics steps.

    Raises:
        NotAStepCountError: `k` is negative or not an integer.
    """
    return step_count(k) * STEP_S


def _nearest_ns(k: int) -> int:
    """Return the nearest nanosecond of a checked count; k * 25e6 / 3 leaves 0, 1 or 2 thirds, so there is no tie."""
    return (k * _NANOSECONDS_IN_THREE_STEPS + 1) // 3
