"""The frame of the tile and its three rasters: corners and cells of the survey grid, and the land raster."""

from __future__ import annotations

import numpy as np

STEP_M = 1.524
CELLS = 1000
HALF_M = 762.0
LAND_CELL_M = 4.0
LAND_CELLS = 381


def corner_axis() -> np.ndarray:
    """Return the coordinates of the corners along one side, west or south first, m."""
    return STEP_M * np.arange(CELLS + 1) - HALF_M


def cell_axis() -> np.ndarray:
    """Return the coordinates of the middles of the surface cells along one side, m."""
    return STEP_M * (np.arange(CELLS) + 0.5) - HALF_M


def land_axis() -> np.ndarray:
    """Return the coordinates of the middles of the land cells along one side, m."""
    return LAND_CELL_M * (np.arange(LAND_CELLS) + 0.5) - HALF_M


def generator(seed: int, part: str) -> np.random.Generator:
    """Return the random numbers of one part of the tile; parts do not disturb one another.

    Args:
        seed: seed of the tile.
        part: name of the part.
    """
    return np.random.Generator(np.random.PCG64([seed, *part.encode()]))


def spread(random: np.random.Generator, low: float, high: float, size: int | None = None):
    """Return uniform random numbers between two bounds, made of exact steps only."""
    return low + (high - low) * random.random(size)


def height_at(heights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return heights on the two triangles of a cell, m; the diagonal runs from south-west to north-east.

    Args:
        heights: corner heights (rows, columns), m.
        x: east, m, inside the tile.
        y: north, m, inside the tile.
    """
    u, v = (np.asarray(x) + HALF_M) / STEP_M, (np.asarray(y) + HALF_M) / STEP_M
    i, j = np.clip(np.floor(u), 0, CELLS - 1).astype(int), np.clip(np.floor(v), 0, CELLS - 1).astype(int)
    u, v = u - i, v - j
    h00, h10, h01, h11 = heights[j, i], heights[j, i + 1], heights[j + 1, i], heights[j + 1, i + 1]
    lower = h00 + u * (h10 - h00) + v * (h11 - h10)
    upper = h00 + v * (h01 - h00) + u * (h11 - h01)
    return np.where(u >= v, lower, upper)
