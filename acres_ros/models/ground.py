"""The ground below a point: height, normal, surface class, field, soil unit, zone.

A height field of corners on a square grid, each cell cut into two triangles along the diagonal from its south-west to
its north-east corner; a level plane is a field of one cell. Beyond the edge the border height goes on level, and every
raster its border cell.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import kernel, outlined
from acres_ros._record import Field, Record
from acres_ros.models.maths import clamp, sqrt
from acres_ros.models.obstacles import Obstacles

GRID = Record(
    "GRID",
    (
        Field("x0", "m", 0.0, "east of the south-west corner of the heights"),
        Field("y0", "m", 0.0, "north of the south-west corner of the heights"),
        Field("cell", "m", 1.0, "spacing of the heights"),
        Field("margin", "m", 10.0, "how far from the edge of the heights a vehicle counts as off the map"),
        Field("class_x0", "m", 0.0, "east of the south-west edge of the surface raster"),
        Field("class_y0", "m", 0.0, "north of the south-west edge of the surface raster"),
        Field("class_cell", "m", 1.0, "size of a surface cell"),
        Field("land_x0", "m", 0.0, "east of the south-west edge of the raster of fields, soils and crops"),
        Field("land_y0", "m", 0.0, "north of the south-west edge of the raster of fields, soils and crops"),
        Field("land_cell", "m", 4.0, "size of a land cell"),
        Field("zone_x0", "m", 0.0, "east of the south-west edge of the raster of zones"),
        Field("zone_y0", "m", 0.0, "north of the south-west edge of the raster of zones"),
        Field("zone_cell", "m", 4.0, "size of a zone cell"),
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
        Field("film_loss", "-", 0.35, "share of tan(phi) that a water film of 5 mm takes"),
        Field("soil", "-", 0, "1: soil with the numbers below, 0: hard ground", int),
        Field("farm_water", "-", 1, "1: the soil water counts, 0: soil is always at its reference state", int),
        Field("cone_index_kpa", "kPa", 0.0, "cone index of the reference state, at which the numbers above hold"),
        Field("cone_factor", "-", 0.0, "cone index over that of undisturbed soil"),
        Field("least_fraction", "-", 0.0, "soil water below which the surface never dries, 0 to 1"),
        Field("k_c", "kN/m^(n+1)", 0.0, "cohesive modulus of sinkage at the reference state"),
        Field("k_phi", "kN/m^(n+2)", 0.0, "frictional modulus of sinkage at the reference state"),
        Field("exponent", "-", 0.0, "exponent n of sinkage"),
        Field("bulk_weight", "kN/m^3", 0.0, "weight of the soil that is pushed aside"),
        Field("soil_cohesion_kpa", "kPa", 0.0, "cohesion of the soil that is pushed aside"),
        Field("soil_friction_deg", "deg", 0.0, "angle of its internal friction"),
    ),
)

SOIL = Record(
    "SOIL",
    (
        Field("sand_pct", "%", 11.0, "sand of the dry mass"),
        Field("silt_pct", "%", 65.0, "silt of the dry mass"),
        Field("clay_pct", "%", 24.0, "clay of the dry mass"),
        Field("bulk_density", "g/cm^3", 1.37, "dry mass over volume"),
        Field("theta_s", "-", 0.47, "volumetric water content at saturation"),
        Field("theta_fc", "-", 0.33, "volumetric water content at field capacity, 33 kPa"),
        Field("theta_wp", "-", 0.15, "volumetric water content at the wilting point"),
    ),
)

LAND = np.dtype((np.record, [("field", "u1"), ("soil", "u1")]))
"""One land cell: field number, 255 outside every field, and soil unit."""

PATCH = np.dtype(
    (np.record, [("x", "f4"), ("y", "f4"), ("height", "f4"), ("growth", "f4"), ("field", "u1"), ("crop", "u1")])
)
"""One square metre of crop: centre (m), standing height (m), growth 0 to 1, field, crop 1 corn 2 soybean 3 potato."""

NO_FIELD = 255


class Ground(NamedTuple):
    """Arrays that describe the ground, as the kernels take them. Row 0 is south and column 0 is west.

    Attributes:
        grid: one GRID record.
        heights: corner heights (rows, columns), m.
        classes: surface class (rows, columns).
        surfaces: one SURFACE record for each class.
        land: LAND (rows, columns).
        soils: one SOIL record for each soil unit.
        bins: first patch of each land cell, row by row, and the number of patches at the end.
        patches: PATCH records, land cell by land cell.
        zones: zone of the crop accounts, 0 to 7 (rows, columns).
        obstacles: what the body can touch.
    """

    grid: np.ndarray
    heights: np.ndarray
    classes: np.ndarray
    surfaces: np.ndarray
    land: np.ndarray
    soils: np.ndarray
    bins: np.ndarray
    patches: np.ndarray
    zones: np.ndarray
    obstacles: Obstacles


@kernel
def _index(coordinate, last):
    """Return the cell of a grid coordinate; a coordinate that is no number must not become an address."""
    if not coordinate > 0.0:
        return 0
    return int(coordinate) if coordinate < last else last


@kernel
def height_plane(heights, x0, y0, cell, x, y):
    """Return the height (m) and the slopes dz/dx, dz/dy of the triangle of a height field below a point."""
    rows, columns = heights.shape
    u = (x - x0) / cell
    v = (y - y0) / cell
    inside_x = 1.0 if 0.0 <= u <= columns - 1.0 else 0.0
    inside_y = 1.0 if 0.0 <= v <= rows - 1.0 else 0.0
    u = clamp(u, 0.0, columns - 1.0)
    v = clamp(v, 0.0, rows - 1.0)
    column = _index(u, columns - 2)
    row = _index(v, rows - 2)
    u -= column
    v -= row
    south_west = heights[row, column]
    north_east = heights[row + 1, column + 1]
    if u >= v:
        south_east = heights[row, column + 1]
        east = south_east - south_west
        north = north_east - south_east
    else:
        north_west = heights[row + 1, column]
        east = north_east - north_west
        north = north_west - south_west
    z = south_west + u * east + v * north
    return z, inside_x * east / cell, inside_y * north / cell


@kernel
def ground_plane(ground, x, y):
    """Return the height (m) and the slopes dz/dx, dz/dy of the triangle below a point."""
    grid = ground.grid[0]
    return height_plane(ground.heights, grid.x0, grid.y0, grid.cell, x, y)


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
def inside(ground, x, y, margin):
    """Return whether a point lies on the map, and this far (m) from its edge or farther."""
    grid = ground.grid[0]
    rows, columns = ground.heights.shape
    east, north = grid.x0 + (columns - 1) * grid.cell, grid.y0 + (rows - 1) * grid.cell
    return grid.x0 + margin <= x <= east - margin and grid.y0 + margin <= y <= north - margin


@kernel
def _raster_cell(raster, x0, y0, cell, x, y):
    """Return row and column of the cell of a raster at a point; the border cell beyond the edge."""
    rows, columns = raster.shape
    return _index((y - y0) / cell, rows - 1), _index((x - x0) / cell, columns - 1)


@kernel
def surface_class(ground, x, y):
    """Return the surface class at a point; the border cell beyond the edge."""
    grid = ground.grid[0]
    row, column = _raster_cell(ground.classes, grid.class_x0, grid.class_y0, grid.class_cell, x, y)
    return int(ground.classes[row, column])


@kernel
def land_cell(ground, x, y):
    """Return row and column of the land cell at a point; the border cell beyond the edge."""
    grid = ground.grid[0]
    return _raster_cell(ground.land, grid.land_x0, grid.land_y0, grid.land_cell, x, y)


@kernel
def land_at(ground, x, y):
    """Return the field number (255 outside every field) and the soil unit at a point."""
    row, column = land_cell(ground, x, y)
    cell = ground.land[row, column]
    return int(cell.field), int(cell.soil)


@kernel
def zone_at(ground, x, y):
    """Return the zone, 0 to 7, at a point."""
    grid = ground.grid[0]
    row, column = _raster_cell(ground.zones, grid.zone_x0, grid.zone_y0, grid.zone_cell, x, y)
    return int(ground.zones[row, column])
