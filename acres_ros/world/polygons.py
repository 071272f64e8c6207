"""Points in polygons by the even-odd rule, one point or a whole grid of them.

An edge counts for the half-open span of y from its lower to its upper end, and for points at or to the right of it.
Polygons that share an edge therefore share no point, and leave none out.
"""

from __future__ import annotations

import math

import numpy as np


def inside_polygon(corners: np.ndarray, x: float, y: float) -> bool:
    """Return whether a point lies in a polygon.

    Args:
        corners: corners (n, 2), m.
        x: east of the point, m.
        y: north of the point, m.
    """
    low, high = _edges(corners)
    met = (low[:, 1] <= y) & (y < high[:, 1])
    return bool(np.count_nonzero(_crossings(low[met], high[met], y) <= x) % 2)


def fill_polygon(corners: np.ndarray, west: int, south: int, columns: int, rows: int) -> np.ndarray:
    """Return which points of a grid of 1 m lie in a polygon, as a mask (rows, columns).

    Args:
        corners: corners (n, 2), m.
        west: east of the first column, a whole number of metres.
        south: north of the first row, a whole number of metres.
        columns: columns of the grid.
        rows: rows of the grid.
    """
    low, high = _edges(corners)
    # Each edge with each row that it meets, then one toggle where the row enters or leaves the polygon.
    first = np.clip(np.ceil(low[:, 1]) - south, 0, rows).astype(np.intp)
    last = np.clip(np.ceil(high[:, 1]) - south, 0, rows).astype(np.intp)
    counts = np.maximum(last - first, 0)
    edge = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + first[edge]
    crossing = _crossings(low[edge], high[edge], row + float(south))
    column = np.clip(np.ceil(crossing) - west, 0, columns).astype(np.intp)
    toggles = np.bincount(row * (columns + 1) + column, minlength=rows * (columns + 1)).reshape(rows, columns + 1)
    return np.logical_xor.accumulate((toggles % 2).astype(bool), axis=1)[:, :columns]


def grid_box(corners: np.ndarray, bounds: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    """Return west, south, columns and rows of the grid of 1 m that covers a polygon within bounds.

    Args:
        corners: corners (n, 2), m.
        bounds: west, south, east and north edge of what the grid may cover, m; the east and north edge are outside.
    """
    west, south = (math.ceil(max(low, edge)) for low, edge in zip(corners.min(axis=0), bounds[:2], strict=True))
    east, north = (math.ceil(min(high, edge)) for high, edge in zip(corners.max(axis=0), bounds[2:], strict=True))
    return west, south, max(east - west, 0), max(north - south, 0)


def _edges(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper end of each edge: the same edge gives the same numbers either way round."""
    ends = np.roll(corners, -1, axis=0)
    up = (corners[:, 1] <= ends[:, 1])[:, None]
    return np.where(up, corners, ends), np.where(up, ends, corners)


def _crossings(low: np.ndarray, high: np.ndarray, y: float | np.ndarray) -> np.ndarray:
    """Return where edges cross a height, m east."""
    return low[:, 0] + (y - low[:, 1]) * (high[:, 0] - low[:, 0]) / (high[:, 1] - low[:, 1])
