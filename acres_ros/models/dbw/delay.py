"""Transport delay: a ring of the values of past steps, read between two of them."""

import numpy as np

from acres_ros._compile import kernel
from acres_ros.errors import AcresError
from acres_ros.models.dbw.state import DELAY_LENGTH
from acres_ros.models.maths import clamp

LONGEST_STEPS = DELAY_LENGTH - 2.0
DELAY_KEYS = (("steering", "delay_s"), ("throttle", "delay_s"), ("brake", "delay_s"), ("ulc", "delay_s"))

_INDEX_MASK = DELAY_LENGTH - 1


class DelayRangeError(AcresError):
    """A delay that the delay lines cannot hold."""

    def __init__(self, key: str, seconds: float, longest: float) -> None:
        super().__init__(f"{key} is {seconds:g} s: wanted 0 to {longest:g} s, the length of a delay line")


def check_delays(p: np.recarray, h: float) -> None:
    """Raise `DelayRangeError` when a delay of a parameter record does not fit its delay line.

    Args:
        p: record of the parameters (`PARAMETERS`).
        h: step, s.
    """
    longest = LONGEST_STEPS * h
    for block, name in DELAY_KEYS:
        seconds = float(p.dbw[block][name])
        if not 0.0 <= seconds <= longest:
            raise DelayRangeError(f"dbw.{block}.{name}", seconds, longest)


@kernel
def delayed(h, delay, value, line):
    """Store the value of this step and return the value of `delay` seconds ago, linear between steps.

    A delay of 0 returns the value itself; a delay beyond the length of the line, the oldest value.
    """
    head = (line.head + 1) & _INDEX_MASK
    line.head = head
    ring = line.value
    ring[head] = value
    steps = clamp(delay / h, 0.0, LONGEST_STEPS)
    whole = int(steps)
    newer = ring[(head - whole) & _INDEX_MASK]
    older = ring[(head - whole - 1) & _INDEX_MASK]
    return newer + (older - newer) * (steps - whole)


@kernel
def fill(line, value):
    """Make a delay line as if the value had been there forever."""
    ring = line.value
    for i in range(DELAY_LENGTH):
        ring[i] = value
    line.head = 0
