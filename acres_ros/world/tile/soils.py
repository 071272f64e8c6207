"""Soil units of the tile: by height over the surroundings, in patches of some hectares."""

from __future__ import annotations

from typing import Any

import numpy as np

from acres_ros.world.tile.frame import corner_axis, generator, land_axis
from acres_ros.world.tile.noise import lattice_surface, smoothed

_SURVEY = "SSURGO and the series' KSSL pedons (ACRE, Tippecanoe County, Indiana)"
_WATER = "water contents: Saxton and Rawls (2006) for the texture, +-0.03"
_COLUMNS = (
    "symbol",
    "name",
    "texture",
    "sand_pct",
    "silt_pct",
    "clay_pct",
    "organic_pct",
    "bulk_density",
    "theta_s",
    "theta_fc",
    "theta_wp",
    "drainage",
)
_ROWS = (
    ("Cm", "Chalmers silty clay loam, 0 to 2 percent slopes", "silty clay loam")
    + (9, 60, 31, 4.5, 1.30, 0.50, 0.37, 0.19, "poor"),
    ("Du", "Drummer silty clay loam, 0 to 2 percent slopes", "silty clay loam")
    + (7, 63, 30, 5.0, 1.28, 0.50, 0.37, 0.19, "poor"),
    ("TmA", "Toronto-Millbrook complex, 0 to 2 percent slopes", "silt loam")
    + (12, 66, 22, 3.0, 1.38, 0.47, 0.32, 0.14, "somewhat poor"),
    ("RbA", "Raub-Brenton complex, 0 to 1 percent slopes", "silt loam")
    + (11, 65, 24, 3.5, 1.37, 0.47, 0.33, 0.15, "somewhat poor"),
    ("RtB", "Rockfield and Throckmorton silt loams, 1 to 3 percent slopes", "silt loam")
    + (14, 64, 22, 2.5, 1.40, 0.46, 0.31, 0.13, "moderately well"),
)
LOW_SHARE = 0.30
HIGH_SHARE = 0.25


def soil_units() -> list[dict[str, Any]]:
    """Return the soil units, in the order of their numbers."""
    return [{**dict(zip(_COLUMNS, row, strict=True)), "source": f"{_SURVEY}; {_WATER}"} for row in _ROWS]


def soil_raster(seed: int, ground: np.ndarray) -> np.ndarray:
    """Return the number of the soil unit of each land cell.

    Args:
        seed: seed of the tile.
        ground: corner heights of the plain with its swales, m.
    """
    axis, cells = corner_axis(), land_axis()
    nearest = np.floor((cells - axis[0]) / (axis[1] - axis[0]) + 0.5).astype(int)
    local = smoothed(ground, 7) - 0.85 * smoothed(ground, 90)
    height = local[nearest][:, nearest]
    ordered = np.sort(height, axis=None)
    low, high = ordered[int(LOW_SHARE * height.size)], ordered[int((1.0 - HIGH_SHARE) * height.size)]
    random = generator(seed, "soils")
    kind = lattice_surface(random, cells, 140.0)
    lower = np.where(kind > 0.35, 1, 0)
    middle = np.where(kind > 0.0, 2, 3)
    return np.where(height < low, lower, np.where(height < high, middle, 4)).astype(np.uint8)
