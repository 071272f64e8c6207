"""Collision outlines of a world, and the arrays that the kernels read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acres_ros.models.obstacles import OBSTACLE_GRID, OUTLINE, Obstacles, no_obstacles
from acres_ros.world.errors import WorldError
from acres_ros.world.json_file import FARTHEST_M, SAME_PLACE_M, Entry, polygon_area

CELL_M = 8.0
MOST_CELLS = 1024
MOST_ITEMS = 1 << 22
"""Entries of all cells together; outlines across the whole map get a coarser grid, which shows in no answer."""
"""Cells along one side of the grid; a world that is larger gets larger cells."""


@dataclass(frozen=True)
class Outline:
    """The outline of one obstacle on the ground.

    Attributes:
        name: what the obstacle is called.
        z_min: height of its bottom, m.
        z_max: height of its top, m.
        polygon: corners (n, 2), m, in either direction; None for a circle.
        circle: x, y and radius, m; None for a polygon.
    """

    name: str
    z_min: float
    z_max: float
    polygon: np.ndarray | None = None
    circle: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if (self.polygon is None) == (self.circle is None):
            raise WorldError(f"the shape of obstacle {self.name}", "a polygon and a circle, or none", "one of the two")
        if not self.z_min <= self.z_max:
            raise WorldError(f"z_min, z_max of obstacle {self.name}", (self.z_min, self.z_max), "the lower one first")
        extent = self.extent()
        finite = all(map(math.isfinite, (*extent, self.z_min, self.z_max)))
        if not (finite and extent[0] < extent[2] and extent[1] < extent[3]):
            raise WorldError(f"the extent of obstacle {self.name}", extent, "finite numbers that enclose an area")

    def extent(self) -> tuple[float, float, float, float]:
        """Return west, south, east and north end, m."""
        if self.circle is not None:
            x, y, radius = self.circle
            return x - radius, y - radius, x + radius, y + radius
        assert self.polygon is not None
        west, south = self.polygon.min(axis=0)
        east, north = self.polygon.max(axis=0)
        return float(west), float(south), float(east), float(north)


def read_shape(entry: Entry) -> tuple[np.ndarray | None, tuple[float, float, float] | None]:
    """Return the polygon or the circle of an obstacle in a file; the other is None."""
    if entry.has("polygon") == entry.has("circle"):
        raise entry.refuse("a `polygon` or a `circle`, one of the two")
    if entry.has("polygon"):
        return entry.member("polygon").polygon(), None
    circle = entry.member("circle")
    x, y, radius = circle.numbers(("x", "y", "radius"))
    if not (max(abs(x), abs(y)) <= FARTHEST_M and SAME_PLACE_M < radius <= FARTHEST_M):
        # There are thousands: one by one only to say which is wrong.
        elements = circle.elements()
        for centre in elements[:2]:
            centre.number(-FARTHEST_M, FARTHEST_M)
        elements[2].number(above=SAME_PLACE_M, high=FARTHEST_M)
    return None, (x, y, radius)


def obstacle_arrays(outlines: Sequence[Outline]) -> Obstacles:
    """Return the arrays of some outlines, numbered in their order."""
    return with_outlines(no_obstacles(), outlines)


def with_outlines(base: Obstacles, outlines: Sequence[Outline]) -> Obstacles:
    """Return the arrays of some obstacles with more outlines, which are numbered on from them."""
    if not outlines:
        return base
    table = OUTLINE.new(len(outlines)).view(np.ndarray)
    corners: list[np.ndarray] = [base.vertices]
    count = len(base.vertices)
    for row, outline in zip(table, outlines, strict=True):
        row["west"], row["south"], row["east"], row["north"] = outline.extent()
        row["z_min"], row["z_max"] = outline.z_min, outline.z_max
        if outline.circle is not None:
            row["x"], row["y"], row["radius"] = outline.circle
        else:
            polygon = _counter_clockwise(np.asarray(outline.polygon, np.float64))
            row["first"], row["count"] = count, len(polygon)
            corners.append(polygon)
            count += len(polygon)
    table = np.concatenate([base.outlines, table])
    grid, starts, items = _grid(table)
    return Obstacles(grid, starts, items, table, np.ascontiguousarray(np.concatenate(corners)))


def _counter_clockwise(polygon: np.ndarray) -> np.ndarray:
    """Return the corners counter-clockwise, without one that stands where the one before it does."""
    different = np.any(polygon != np.roll(polygon, 1, axis=0), axis=1)
    polygon = polygon[different]
    return polygon if polygon_area(polygon) > 0.0 else polygon[::-1]


def _grid(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grid, starts and items: each outline in each cell that its extent touches, ascending in each cell."""
    x0, y0 = float(table["west"].min()), float(table["south"].min())
    span = max(float(table["east"].max()) - x0, float(table["north"].max()) - y0)
    cell = max(CELL_M, span / MOST_CELLS)
    while True:
        west = np.floor((table["west"] - x0) / cell).astype(np.int64)
        east = np.floor((table["east"] - x0) / cell).astype(np.int64)
        south = np.floor((table["south"] - y0) / cell).astype(np.int64)
        north = np.floor((table["north"] - y0) / cell).astype(np.int64)
        if int(((east - west + 1) * (north - south + 1)).sum()) <= max(MOST_ITEMS, 4 * len(table)):
            break
        cell *= 2.0
    columns, rows = int(east.max()) + 1, int(north.max()) + 1
    grid = OBSTACLE_GRID.new(1).view(np.ndarray)
    grid["x0"], grid["y0"], grid["cell"], grid["columns"], grid["rows"] = x0, y0, cell, columns, rows
    width = east - west + 1
    covered = width * (north - south + 1)
    number = np.repeat(np.arange(len(table), dtype=np.int32), covered)
    cell_of_own = np.arange(len(number)) - np.repeat(np.cumsum(covered) - covered, covered)
    row, column = np.divmod(cell_of_own, width[number])
    place = (south[number] + row) * columns + west[number] + column
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(rows * columns + 1)).astype(np.int32)
    return grid, starts, np.ascontiguousarray(number[order])
