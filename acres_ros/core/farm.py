"""The farm of one environment: its soil water and the marks of its vehicle, as arrays that the kernels write into."""

from __future__ import annotations

import numpy as np

from acres_ros.models.farm import ACCOUNT, CONDITIONS, PAGE, Farm
from acres_ros.models.ground import Ground

FIRST_PAGES = 32


class FarmState:
    """Conditions and marks of one environment.

    Args:
        ground: the world's ground, whose crop the marks belong to.
        marks: whether the vehicle leaves marks.
    """

    def __init__(self, ground: Ground, *, marks: bool = True) -> None:
        account = ACCOUNT.new(1).view(np.ndarray)
        account["marks"] = int(marks)
        patches = len(ground.patches) if marks else 0
        self.farm = Farm(
            CONDITIONS.new(1).view(np.ndarray),
            account,
            np.zeros(2 * FIRST_PAGES, np.int32),
            np.zeros(FIRST_PAGES, PAGE),
            np.zeros(patches, np.uint16),
            np.zeros(patches, np.int32),
        )
