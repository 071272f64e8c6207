"""What one environment has of the farm for itself: the soil water, and the marks of its vehicle.

The ground is shared and read only; the marks are sparse pages of 8 m by 8 m over it, so that a reset costs what was
driven over and no more.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._record import Field, Record

FIELDS = 60
ZONES = 8
PAGE_M = 8.0
RUT_CELLS = 32
RUT_CELL_M = 0.25

CONDITIONS = Record(
    "CONDITIONS",
    (
        Field("global_fraction", "-", 0.55, "soil water of fields without a number of their own: 0 dry, 1 saturated"),
        Field("field_fraction", "-", -1.0, "soil water by field; below 0: the global one", float, FIELDS),
        Field("surface_film", "-", 0.0, "water on the surface: 0 none, 1 a film of 5 mm"),
    ),
)

ACCOUNT = Record(
    "ACCOUNT",
    (
        Field("marks", "-", 1, "1: the vehicle leaves marks", int),
        Field("pages", "-", 0, "pages in use", int),
        Field("masks", "-", 0, "crop masks in use", int),
        Field("crushed", "m^2", 0.0, "crop crushed since the last reset"),
        Field("crushed_by_field", "m^2", 0.0, "the same by field", float, FIELDS),
        Field("crushed_by_zone", "m^2", 0.0, "the same by zone", float, ZONES),
    ),
)

PAGE = np.dtype(
    [("key_x", "i8"), ("key_y", "i8"), ("bin", "i4", (4,)), ("ruts", "f4", (RUT_CELLS * RUT_CELLS,))],
)
"""One page: its number east and north, the first mask of each of its four land cells (-1: none), rut depths (m)."""


class Farm(NamedTuple):
    """Arrays of one environment's farm, as the kernels take them.

    Attributes:
        conditions: one CONDITIONS record.
        account: one ACCOUNT record.
        slots: hash table of the pages, a power of two long: 0 free, else the page plus 1.
        pages: PAGE records.
        masks: crushed samples of a crop patch; bit 3 row + column of 3 x 3 samples, row 0 south.
    """

    conditions: np.ndarray
    account: np.ndarray
    slots: np.ndarray
    pages: np.ndarray
    masks: np.ndarray
