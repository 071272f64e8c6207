"""The ground below a point: height, normal, surface class.

A height field of corners on a square grid, each cell cut into two triangles along the diagonal from its south-west to
its north-east corner; a level plane is a field of one cell. Beyond the edge the border height goes on level.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import kernel, outlined
from acres_ros._record import Field, Record
from acres_ros.models.maths import clamp, sqrt

GRID = Record(
    "GRID",
    (
        Field("x0", "m", 0.0, "east of the south-west corner of the heights"),
        Field("y0", "m", 0.0, "north of the south-west corner of the heights"),
        Field("cell", "m", 1.0, "spacing of the heights"),
        Field("class_x0", "m", 0.0, "east of the south-west edge of the surface raster"),
        Field("class_y0", "m", 0.0, "north of the south-west edge of the surface raster"),
        Field("class_cell", "m", 1.0, "size of a raster cell"),
    ),
)

SURFACE = Record(
    "SURFACE",
    (
        Field("resistance", "-", 0.02, "motion resistance over load, rho"),
        Field("friction", "-", 0.85, "tan(phi): shear force over load"),
        Field("cohesion", "N", 0.0, "c A: shear force of the contact area at no load"),
        Field("shear_modulus", "m", 0.01, "K of Janosi and Hanamoto"),
        Field("relaxation", "m", 0.24, "contact and relaxation length l"),
    ),
)


class Ground(NamedTuple):
    """Arrays that describe the ground, as the kernels take them.

    Attributes:
        grid: one GRID record.
        heights: corner heights (rows, columns), m; row 0 is south, column 0 is west.
        classes: surface class (rows, columns), row 0 is south.
        surfaces: one SURFACE record for each class.
    """

    grid: np.ndarray
    heights: np.ndarray
    classes: np.ndarray
    surfaces: np.ndarray


@kernel
def _index(coordinate, last):
    """Return the cell of a grid coordinate; a coordinate that is no number must not become an address."""
    if not coordinate > 0.0:
        return 0
    return int(coordinate) if coordinate < last else last


@kernel
def ground_plane(ground, x, y):
    """Return the height (m) and the slopes dz/dx, dz/dy of the triangle below a point."""
    grid = ground.grid[0]
    rows, columns = ground.heights.shape
    u = (x - grid.x0) / grid.cell
    v = (y - grid.y0) / grid.cell
    inside_x = 1.0 if 0.0 <= u <= columns - 1.0 else 0.0
    inside_y = 1.0 if 0.0 <= v <= rows - 1.0 else 0.0
    u = clamp(u, 0.0, columns - 1.0)
    v = clamp(v, 0.0, rows - 1.0)
    column = _index(u, columns - 2)
    row = _index(v, rows - 2)
    u -= column
    v -= row
    south_west = ground.heights[row, column]
    north_east = ground.heights[row + 1, column + 1]
    if u >= v:
        south_east = ground.heights[row, column + 1]
        east = south_east - south_west
        north = north_east - south_east
    else:
        north_west = ground.heights[row + 1, column]
        east = north_east - north_west
        north = north_west - south_west
    z = south_west + u * east + v * north
    return z, inside_x * east / grid.cell, inside_y * north / grid.cell


@outlined
def ground_height(ground, x, y):
    """Return the height (m) of the ground at a point."""
    z, _, _ = ground_plane(ground, x, y)
    return z


@kernel
def ground_contact(ground, x, y):
    """Return the height (m) and the unit normal of the ground at a point."""
    z, slope_x, slope_y = ground_plane(ground, x, y)
    up = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return z, -slope_x * up, -slope_y * up, up


@kernel
def surface_class(ground, x, y):
    """Return the surface class at a point; the border cell beyond the edge."""
    grid = ground.grid[0]
    rows, columns = ground.classes.shape
    column = _index((x - grid.class_x0) / grid.class_cell, columns - 1)
    row = _index((y - grid.class_y0) / grid.class_cell, rows - 1)
    return int(ground.classes[row, column])
