"""What one environment has of the farm for itself: soil water and weather, and the marks of its vehicle.

The ground is shared and read only. Ruts are sparse pages of 8 m by 8 m over it; crushed crop is a mask for each patch
of the ground and a list of those that are not 0. A reset so costs what was driven over and no more.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._record import Field, Record, part

FIELDS = 60
ZONES = 8
PAGE_M = 8.0
RUT_CELLS = 32
RUT_CELL_M = 0.25
SAMPLE_M = 1.0 / 3.0
SAMPLE_M2 = 1.0 / 9.0
ALL_SAMPLES = 0x1FF

CONDITIONS = Record(
    "CONDITIONS",
    (
        Field("global_fraction", "-", 0.55, "soil water of fields without a number of their own: 0 dry, 1 saturated"),
        Field("field_fraction", "-", -1.0, "soil water by field; below 0: the global one", float, FIELDS),
        Field("surface_film", "-", 0.0, "water on the surface: 0 none, 1 a film of 5 mm"),
        Field("rain_mm_per_h", "mm/h", 0.0, "rain in the air, which wets nothing"),
        Field("dust_per_m", "1/m", 0.0, "extinction of dust in the air"),
    ),
)

STAMPS = 5
NEAR_PATCHES = 128

SEARCH = Record(
    "SEARCH",
    (
        Field("x", "m", 0.0, "middle of the circle that the list covers for each stamp, world", float, STAMPS),
        Field("y", "m", 0.0, "middle of the circle that the list covers for each stamp, world", float, STAMPS),
        Field("radius", "m", 0.0, "its radius", float, STAMPS),
        Field("count", "-", 0, "length of the list", int),
        Field("patches", "-", 0, "patches of the circles that are not wholly crushed", int, NEAR_PATCHES),
    ),
)
"""Where the vehicle looks for crop, four wheels and the body. It saves time and changes no result."""

ACCOUNT = Record(
    "ACCOUNT",
    (
        Field("marks", "-", 1, "1: the vehicle leaves marks", int),
        Field("pages", "-", 0, "pages in use", int),
        Field("touched", "-", 0, "crop patches with crushed samples", int),
        Field("lost", "-", 0, "ruts that found no free page", int),
        Field("crushed", "1/9 m^2", 0, "crop samples crushed since the last reset", int),
        Field("crushed_by_field", "1/9 m^2", 0, "the same by field", int, FIELDS),
        Field("crushed_by_zone", "1/9 m^2", 0, "the same by zone", int, ZONES),
        part("search", SEARCH, "crop near the vehicle"),
    ),
)

PAGE = np.dtype((np.record, [("key_x", "i8"), ("key_y", "i8"), ("ruts", "f4", (RUT_CELLS * RUT_CELLS,))]))
"""One page: its number east and north, floor(x / 8 m) and floor(y / 8 m), and its rut depths (m), row 0 south."""


class Farm(NamedTuple):
    """Arrays of one environment's farm, as the kernels take them.

    Attributes:
        conditions: one CONDITIONS record.
        account: one ACCOUNT record.
        slots: hash table of the pages, a power of two long: 0 free, else the page plus 1.
        pages: PAGE records.
        masks: crushed samples of each patch of the ground; bit 3 row + column of 3 x 3 samples, row 0 south.
        touched: the patches that have crushed samples, in the order of the first; as long as `masks`.
    """

    conditions: np.ndarray
    account: np.ndarray
    slots: np.ndarray
    pages: np.ndarray
    masks: np.ndarray
    touched: np.ndarray
