"""The farm of one environment: its soil water and the marks of its vehicle, as arrays that the kernels write into."""

from __future__ import annotations

import numpy as np

from acres_ros.models.farm import ACCOUNT, CONDITIONS, PAGE, Farm

FIRST_SLOTS = 64
FIRST_PAGES = 16
FIRST_MASKS = 256


class FarmState:
    """Conditions and marks of one environment.

    Args:
        marks: whether the vehicle leaves marks.
    """

    def __init__(self, *, marks: bool = True) -> None:
        account = ACCOUNT.new(1).view(np.ndarray)
        account["marks"] = int(marks)
        self.farm = Farm(
            CONDITIONS.new(1).view(np.ndarray),
            account,
            np.zeros(FIRST_SLOTS, np.int32),
            np.zeros(FIRST_PAGES, PAGE),
            np.zeros(FIRST_MASKS, np.uint16),
        )
