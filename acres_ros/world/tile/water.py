"""Grass waterways: the lines along which a till plain drains, from the relief."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acres_ros.world.tile.frame import HALF_M, corner_axis, generator, height_at
from acres_ros.world.tile.noise import lattice_surface
from acres_ros.world.tile.shapes import Point

HALF_WIDTH_M = 6.5
"""Half of the mown width of a grass waterway."""

BANK_M = HALF_WIDTH_M + 4.0
"""Distance of a field from the middle of a waterway; grass up to there."""

STRIDE_M = 12.0
"""Spacing of the points of a waterway."""

FALL = 0.0006
"""Least fall of a waterway along its length, where the rise in its way is not too high to cut."""

DEEPEST_CUT_M = 0.9


class Waterway(NamedTuple):
    """A grass waterway that falls to the west.

    Attributes:
        points: middle line from the east to the west, m.
        bottom: height of the bottom at each point, m.
    """

    points: tuple[Point, ...]
    bottom: np.ndarray

    def north_at(self, x: float) -> float:
        """Return the north coordinate of the middle line, m."""
        east = [p[0] for p in self.points[::-1]]
        return float(np.interp(x, east, [p[1] for p in self.points[::-1]]))


def find_waterway(heights: np.ndarray, seed: int, east: float, south: float, north: float) -> Waterway:
    """Return the waterway that follows the lowest ground from an eastern edge to the western edge of the tile.

    The line is the cheapest path over a grid: it costs the height of the ground, a step aside, and nearness to a bound.

    Args:
        heights: corner heights, m.
        seed: seed of the tile; it lets the line meander.
        east: where it begins, m.
        south: southern bound of the line, m.
        north: northern bound of the line, m.
    """
    axis = corner_axis()
    meander = 0.35 * lattice_surface(generator(seed, f"waterway {south}"), axis, 85.0)
    x = np.arange(east, -HALF_M - STRIDE_M, -STRIDE_M)
    x[-1] = -HALF_M
    y = np.arange(south, north + 1.0, STRIDE_M / 3.0)
    ground = height_at(heights + meander, *np.meshgrid(x, y, indexing="ij"))
    off = (2.0 * y - south - north) / (north - south)
    ground = ground - ground.mean(axis=1, keepdims=True) + 1.5 * off * off * off * off
    moves = np.arange(-2, 3)
    cost, came = ground[0], []
    for column in ground[1:]:
        padded = np.pad(cost, 2, constant_values=np.inf)
        options = np.stack([padded[2 + m : 2 + m + len(y)] + 0.06 * abs(m) for m in moves])
        best = np.argmin(options, axis=0)
        came.append(moves[best])
        cost = options[best, np.arange(len(y))] + column
    row = int(np.argmin(cost))
    line = [row]
    for back in came[::-1]:
        row = row + int(back[row])
        line.append(row)
    path = y[line[::-1]]
    for _ in range(6):  # round the corners of the grid
        path[1:-1] = 0.25 * path[:-2] + 0.5 * path[1:-1] + 0.25 * path[2:]
    ground = height_at(heights, x, path)
    bottom = ground.copy()
    for k in range(1, len(bottom)):
        bottom[k] = max(min(bottom[k], bottom[k - 1] - FALL * STRIDE_M), ground[k] - DEEPEST_CUT_M)
    points = tuple((float(e), float(n)) for e, n in zip(x, path, strict=True))
    return Waterway(points, bottom)


def distance_from(waterway: Waterway, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the distance (rows, columns) from a waterway along the shorter of its normals, m; far east of it: large.

    Args:
        waterway: the waterway.
        x: rising axis of the columns, m.
        y: rising axis of the rows, m.
    """
    middle, slope, _ = _along(waterway, x)
    across = np.abs(y[:, None] - middle[None, :]) / np.sqrt(1.0 + slope * slope)[None, :]
    beyond = np.maximum(x - waterway.points[0][0], 0.0)[None, :]
    return np.sqrt(across * across + beyond * beyond)


def bottom_along(waterway: Waterway, x: np.ndarray) -> np.ndarray:
    """Return the height of the bottom at each east coordinate, m."""
    return _along(waterway, x)[2]


def _along(waterway: Waterway, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    east = np.array([p[0] for p in waterway.points])[::-1]
    north = np.array([p[1] for p in waterway.points])[::-1]
    slope = np.gradient(north, east)
    return (
        np.interp(x, east, north),
        np.interp(x, east, slope),
        np.interp(x, east, waterway.bottom[::-1]),
    )
