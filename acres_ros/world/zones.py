"""Zones: a raster of numbers 0 to 7 by which crushed crop is counted, such as the ground classes of a scouting map."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from acres_ros.models.farm import ZONES
from acres_ros.world.array_file import read_array
from acres_ros.world.errors import WorldError, WorldFileError


def load_zones(path: str | Path, rows: int, columns: int) -> np.ndarray:
    """Return the zone of each land cell (rows, columns).

    Args:
        path: `ground_classes.u8`.
        rows: land cells from south to north.
        columns: land cells from west to east.

    Raises:
        WorldFileError: not a file of this size, or a number above 7.
    """
    raster = read_array(Path(path), "u1", rows, columns)
    if raster.max() >= ZONES:
        row, column = np.argwhere(raster >= ZONES)[0]
        wanted = f"a zone, 0 to {ZONES - 1}"
        raise WorldFileError(Path(path), f"[{row}, {column}]", int(raster[row, column]), wanted)
    return raster


def zone_raster(zones: np.ndarray) -> np.ndarray:
    """Return zones (rows, columns) as the kernels take them; raise `WorldError` for a number that is none."""
    given = np.asarray(zones)
    if given.ndim != 2 or given.size == 0 or given.dtype.kind not in "iub":
        raise WorldError(
            "the zones' shape and type", (given.shape, given.dtype.name), "rows and columns of whole numbers"
        )
    if given.min() < 0 or given.max() >= ZONES:
        wrong = given.min() if given.min() < 0 else given.max()
        raise WorldError("a zone", int(wrong), f"0 to {ZONES - 1}")
    return np.array(given, np.uint8, order="C")
