"""Rays on a height field: the first point where a ray meets the surface, exactly on its triangles.

The ray walks the cells of the grid from one to the next. In each it is tested against the planes of the cell's two
triangles; across the whole walk it keeps to one side of the surface, so it cannot slip through a seam. A pyramid of
the highest and of the lowest corner of 2 x 2, 4 x 4, ... cells lets it pass over many cells at once: Tevs, Ihrke and
Seidel, Maximum mipmaps for fast, accurate, and scalable dynamic height field rendering, I3D 2008.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.ground import height_plane
from acres_ros.models.maths import INFINITY, clamp, sqrt

TINY = 1e-200
"""A component of a direction that is smaller is 0: nothing of its size is ever met."""

START_LEVEL = 7
"""Level of the first block of a walk; a sensor sees free air first."""


class HeightField(NamedTuple):
    """A height field as the kernels take it. Row 0 is south and column 0 is west.

    Attributes:
        heights: corner heights (rows, columns), m; two rows and two columns at least.
        x0: east of the south-west corner, m.
        y0: north of the south-west corner, m.
        cell: spacing of the corners, m.
        tops: f4 (2, n): of each block of cells the highest corner, and the lowest one with its sign turned, m.
        levels: i8 (levels, 2): of the blocks of 2^level x 2^level cells the first in `tops`, and how many lie in a row.
    """

    heights: np.ndarray
    x0: float
    y0: float
    cell: float
    tops: np.ndarray
    levels: np.ndarray


def height_field(heights, x0, y0, cell):
    """Return the height field of some corner heights (rows, columns), with its pyramid."""
    highest, lowest, levels, first = [], [], [], 0
    high, low = _of_four(heights, np.maximum, 1), _of_four(-heights, np.maximum, 1)
    while True:
        levels.append((first, high.shape[1]))
        highest.append(high.ravel())
        lowest.append(low.ravel())
        first += high.size
        if high.size == 1:
            break
        high, low = _of_four(_even(high), np.maximum, 2), _of_four(_even(low), np.maximum, 2)
    exact = np.stack([np.concatenate(highest), np.concatenate(lowest)])
    tops = np.nextafter(exact.astype(np.float32), np.float32(np.inf))  # never below what it bounds
    return HeightField(heights, float(x0), float(y0), float(cell), tops, np.array(levels, np.int64))


def _of_four(values, reduce, step):
    """Return for each square of four neighbours one value; the squares lie `step` apart."""
    rows, columns = values.shape
    south, north = values[: rows - 1 : step], values[1:rows:step]
    return reduce(
        reduce(south[:, : columns - 1 : step], south[:, 1:columns:step]),
        reduce(north[:, : columns - 1 : step], north[:, 1:columns:step]),
    )


def _even(values):
    """Return the values with the last row and column said twice where their number is odd."""
    rows, columns = values.shape
    return np.pad(values, ((0, rows % 2), (0, columns % 2)), mode="edge")


@kernel
def _cell_of(coordinate, cells):
    """Return the cell of a finite grid coordinate, the border cell beyond the edge."""
    return int(clamp(coordinate, 0.0, cells - 1.0))


@kernel
def part_in(low, high, start, change, size):
    """Return the part low..high of a ray start + t change that lies within 0..size of one axis; low > high is none."""
    if change == 0.0:
        return (low, high) if 0.0 <= start <= size else (1.0, 0.0)
    first = -start / change
    last = (size - start) / change
    return max(low, min(first, last)), min(high, max(first, last))


@kernel
def _reach_plane(side, start, change, low, high):
    """Return where the clearance start + t change leaves its side within low..high; infinity if it does not."""
    if side * (start + change * high) > 0.0:
        return INFINITY
    if side * change < 0.0:
        return clamp(-start / change, low, high)
    return low


@kernel
def cross_cell(heights, column, row, u, v, z, du, dv, dz, side, low, high):
    """Return where a ray meets the triangles of a cell within low..high, and the rise of that triangle east and north.

    Coordinates are in cells, heights in m; `side` is 1 for a ray above the surface and -1 for one below.
    """
    south_west, south_east = heights[row, column], heights[row, column + 1]
    north_west, north_east = heights[row + 1, column], heights[row + 1, column + 1]
    u -= column
    v -= row
    z -= south_west
    ahead, turn = u - v, du - dv  # u - v: the south-eastern triangle is where it is not negative
    lower_first = ahead + turn * low >= 0.0
    lower_last = ahead + turn * high >= 0.0
    middle = high if lower_first == lower_last else clamp(-ahead / turn, low, high)
    lower = lower_first
    for _ in range(2):
        if lower:
            east, north = south_east - south_west, north_east - south_east
        else:
            east, north = north_east - north_west, north_west - south_west
        t = _reach_plane(side, z - east * u - north * v, dz - east * du - north * dv, low, middle)
        if t < INFINITY:
            return t, east, north
        if lower == lower_last:
            break
        lower, low, middle = lower_last, middle, high
    return INFINITY, 0.0, 0.0


@outlined
def terrain_ray(field, x, y, z, dx, dy, dz, most):
    """Return the first hit of a ray on the surface of a height field, from above or from below.

    The surface ends at the edge of the grid. A ray that starts on it hits it at 0. A ray that is not one (a number
    that is not finite, a direction of 0) hits nothing.

    Args:
        field: HeightField.
        x, y, z: origin, m.
        dx, dy, dz: direction; it may have any length.
        most: farthest hit, in units of the direction.

    Returns t, the hit being origin + t direction (a distance in m if the direction has the length 1; infinity for no
    hit), and the rises dz/dx, dz/dy of the triangle that is hit.
    """
    rows, columns = field.heights.shape
    u, v = (x - field.x0) / field.cell, (y - field.y0) / field.cell
    du, dv = dx / field.cell, dy / field.cell
    du = du if abs(du) >= TINY else 0.0 * du
    dv = dv if abs(dv) >= TINY else 0.0 * dv
    sound = abs(u) + abs(v) + abs(z) + abs(du) + abs(dv) + abs(dz) < INFINITY and most >= 0.0
    low, high = part_in(0.0, most, u, du, columns - 1.0)
    low, high = part_in(low, high, v, dv, rows - 1.0)
    if not (sound and low <= high and low < INFINITY):
        return INFINITY, 0.0, 0.0
    here, east, north = height_plane(field.heights, field.x0, field.y0, field.cell, x + dx * low, y + dy * low)
    if du == 0.0 and dv == 0.0:
        t = (here - z) / dz if abs(dz) >= TINY else INFINITY
        return (t, east, north) if 0.0 <= t <= high and t < INFINITY else (INFINITY, 0.0, 0.0)
    clearance = z + dz * low - here
    if clearance == 0.0:
        return low, east, north
    side = 1.0 if clearance > 0.0 else -1.0
    return walk_terrain(field, u, v, z, du, dv, dz, side, low, high, START_LEVEL)


@kernel
def walk_terrain(field, u, v, z, du, dv, dz, side, low, high, level):
    """Return the first hit of a ray that keeps to one side of the surface, within low..high; as `terrain_ray`.

    Args:
        field: HeightField.
        u, v, z: origin, in cells from the south-west corner, and m.
        du, dv, dz: direction in the same units; du or dv is not 0.
        side: 1 for a ray above the surface, -1 for one below.
        low, high: part of the ray to look at; the surface is there at its start.
        level: level of the first block.
    """
    rows, columns = field.heights.shape
    column, row = _cell_of(u + du * low, columns - 1), _cell_of(v + dv * low, rows - 1)
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    per_u, per_v = (1.0 / du if du != 0.0 else INFINITY), (1.0 / dv if dv != 0.0 else INFINITY)
    which = 0 if side > 0.0 else 1
    top_level = field.levels.shape[0] - 1
    level = min(level, top_level)
    while True:
        block_u, block_v = column >> level, row >> level
        edge_u, edge_v = (block_u + ahead_u) << level, (block_v + ahead_v) << level
        end_u = (edge_u - u) * per_u if du != 0.0 else INFINITY
        end_v = (edge_v - v) * per_v if dv != 0.0 else INFINITY
        end = max(min(min(end_u, end_v), high), low)
        lowest = min(side * (z + dz * low), side * (z + dz * end))
        block = field.levels[level, 0] + block_v * field.levels[level, 1] + block_u
        if lowest <= float(field.tops[which, block]):
            if level > 0:
                level -= 1
                continue
            t, east, north = cross_cell(field.heights, column, row, u, v, z, du, dv, dz, side, low, end)
            if t < INFINITY:
                return t, east / field.cell, north / field.cell
        if end >= high:
            return INFINITY, 0.0, 0.0
        low = end
        # Into the next block; along the other axis forward only, whatever the rounding says.
        if end_u < end_v:
            column = edge_u - 1 + ahead_u
            if column < 0 or column > columns - 2:
                return INFINITY, 0.0, 0.0
            place = _cell_of(v + dv * low, rows - 1)
            last = ((block_v + 1) << level) - 1
            row = min(max(place, row), last) if ahead_v else max(min(place, row), block_v << level)
        else:
            row = edge_v - 1 + ahead_v
            if row < 0 or row > rows - 2:
                return INFINITY, 0.0, 0.0
            place = _cell_of(u + du * low, columns - 1)
            last = ((block_u + 1) << level) - 1
            column = min(max(place, column), last) if ahead_u else max(min(place, column), block_u << level)
        level = min(level + 1, top_level)


@kernel
def surface_normal(east, north):
    """Return the unit normal, up, of a surface that rises by dz/dx and dz/dy."""
    up = 1.0 / sqrt(1.0 + east * east + north * north)
    return -east * up, -north * up, up


@entry
def cast_terrain_ray(field, x, y, z, dx, dy, dz, most):
    """Return t of the first hit of a ray, infinity for none, and the normal there; as `terrain_ray`."""
    t, east, north = terrain_ray(field, x, y, z, dx, dy, dz, most)
    nx, ny, nz = surface_normal(east, north)
    return t, nx, ny, nz


@entry
def cast_terrain_rays(field, origins, directions, most, distances, normals):
    """Cast rays; fill the distances (n,), infinity for no hit, and the normals (n, 3)."""
    for index in range(len(distances)):
        t, east, north = terrain_ray(
            field,
            origins[index, 0], origins[index, 1], origins[index, 2],
            directions[index, 0], directions[index, 1], directions[index, 2],
            most[index],
        )  # fmt: skip
        distances[index] = t
        normals[index, 0], normals[index, 1], normals[index, 2] = surface_normal(east, north)


@entry
def look_up_height(field, x, y):
    """Return the height and the unit normal of the surface at a point; beyond the edge it is level."""
    z, east, north = height_plane(field.heights, field.x0, field.y0, field.cell, x, y)
    nx, ny, nz = surface_normal(east, north)
    return z, nx, ny, nz


@entry
def look_up_heights(field, x, y, heights, normals):
    """Fill the heights (n,) and the unit normals (n, 3) of the surface at some points; beyond the edge it is level."""
    for index in range(len(heights)):
        z, east, north = height_plane(field.heights, field.x0, field.y0, field.cell, x[index], y[index])
        heights[index] = z
        normals[index, 0], normals[index, 1], normals[index, 2] = surface_normal(east, north)
