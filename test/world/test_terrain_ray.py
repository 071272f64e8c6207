"""Rays on a height field against every triangle of it, against closed forms, and at the edges of what is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.models.terrain_ray import HeightField, cast_terrain_ray, cast_terrain_rays, height_field


def rough(rows: int = 23, columns: int = 34, cell: float = 1.524, seed: int = 3, relief: float = 2.0) -> HeightField:
    heights = np.random.default_rng(seed).uniform(-relief, relief, (rows, columns))
    return height_field(heights, -13.0, 7.0, cell)


def triangles(field: HeightField) -> np.ndarray:
    """Return the corners (n, 3, 3) of all triangles: each cell cut from south-west to north-east."""
    rows, columns = field.heights.shape
    east, north = np.meshgrid(field.x0 + field.cell * np.arange(columns), field.y0 + field.cell * np.arange(rows))
    corners = np.dstack([east, north, field.heights])
    south_west, south_east = corners[:-1, :-1].reshape(-1, 3), corners[:-1, 1:].reshape(-1, 3)
    north_west, north_east = corners[1:, :-1].reshape(-1, 3), corners[1:, 1:].reshape(-1, 3)
    return np.concatenate(
        [np.stack([south_west, south_east, north_east], 1), np.stack([south_west, north_east, north_west], 1)]
    )


def meet_all(shapes: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the first hit of a ray on any of the triangles, and its normal up, by solving for each a 3 x 3 system."""
    first, second = shapes[:, 1] - shapes[:, 0], shapes[:, 2] - shapes[:, 0]
    system = np.stack([first, second, np.broadcast_to(-direction, first.shape)], axis=2)
    flat = np.abs(np.linalg.det(system)) < 1e-14
    system[flat] = np.eye(3)
    share = np.linalg.solve(system, (origin - shapes[:, 0])[:, :, None])[:, :, 0]
    inside = (share[:, 0] >= -1e-12) & (share[:, 1] >= -1e-12) & (share[:, 0] + share[:, 1] <= 1.0 + 1e-12)
    t = np.where(inside & ~flat & (share[:, 2] >= 0.0), share[:, 2], np.inf)
    best = int(np.argmin(t))
    normal = np.cross(first[best], second[best])
    return float(t[best]), normal / np.linalg.norm(normal) * np.sign(normal[2])


def cast(field: HeightField, origins, directions, most=math.inf) -> tuple[np.ndarray, np.ndarray]:
    origins, directions = (np.ascontiguousarray(np.atleast_2d(rows), np.float64) for rows in (origins, directions))
    distances, normals = np.empty(len(origins)), np.empty((len(origins), 3))
    cast_terrain_rays(field, origins, directions, np.full(len(origins), float(most)), distances, normals)
    return distances, normals


@pytest.mark.parametrize(("rows", "columns", "relief"), [(23, 34, 2.0), (2, 2, 1.0), (2, 40, 0.3), (17, 16, 0.02)])
def test_rays_are_those_of_every_triangle(rows: int, columns: int, relief: float):
    field = rough(rows, columns, relief=relief)
    shapes = triangles(field)
    random = np.random.default_rng(11)
    low, high = shapes.min(axis=(0, 1)), shapes.max(axis=(0, 1))
    origins = random.uniform(low - (5, 5, 3), high + (5, 5, 3), (400, 3))  # above, below and beside the tile
    aims = random.uniform(low, high, (400, 3))
    directions = (aims - origins) * random.uniform(0.01, 3.0, (400, 1))
    distances, normals = cast(field, origins, directions)
    hits = 0
    for t, normal, origin, direction in zip(distances, normals, origins, directions, strict=True):
        wanted, up = meet_all(shapes, origin, direction)
        if wanted == np.inf:
            assert t == np.inf
            continue
        steep = abs(up @ direction) / np.linalg.norm(direction)
        assert t == pytest.approx(wanted, rel=1e-9, abs=1e-9 / max(steep, 1e-3))
        assert normal == pytest.approx(up, abs=1e-12)
        hits += 1
    assert hits > 150


def test_long_flat_rays_are_those_of_every_triangle():
    field = rough(70, 90, relief=0.5)
    shapes = triangles(field)
    random = np.random.default_rng(2)
    origins = np.c_[random.uniform(-12, 120, 200), random.uniform(8, 110, 200), random.uniform(0.4, 0.7, 200)]
    angle = random.uniform(0, 2 * math.pi, 200)
    directions = np.c_[np.cos(angle), np.sin(angle), random.uniform(-0.01, 0.002, 200)]
    distances, _ = cast(field, origins, directions)
    for t, origin, direction in zip(distances, origins, directions, strict=True):
        wanted, up = meet_all(shapes, origin, direction)
        assert t == pytest.approx(wanted, abs=1e-11 / max(abs(up @ direction), 1e-6) + 1e-9)
    assert 50 < np.isfinite(distances).sum() < 200


def test_rays_through_corners_and_along_the_lines_of_the_grid():
    field = height_field(np.zeros((9, 9)), -4.0, -4.0, 1.0)
    for x in range(-3, 4):
        for y in range(-3, 4):
            for direction in ((0, 0, -1), (1, 0, -1), (0, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, -1)):
                start = np.array([x, y, 0.0]) - np.array(direction, float)
                assert cast(field, start, direction)[0][0] == 1.0
    # Along the diagonal, the edge and an inner line of a field with one raised row of corners.
    heights = np.zeros((9, 9))
    heights[:, 6] = 1.0
    wall = height_field(heights, -4.0, -4.0, 1.0)
    assert cast(wall, (-4, -4, 0.5), (1, 1, 0))[0][0] == 5.5
    for y in (-4, -1, 4):
        assert cast(wall, (-4, y, 0.5), (1, 0, 0))[0][0] == 5.5
        assert cast(wall, (4, y, 0.5), (-1, 0, 0))[0][0] == 1.5
    assert cast(wall, (2, -9, 0.5), (0, 1, 0))[0][0] == np.inf  # enters below the ridge, and stays below
    assert cast(wall, (1.75, -9, 0.5), (0, 1, 0))[0][0] == np.inf
    assert cast(wall, (1.25, -4, 0.5), (0, 1, 0))[0][0] == np.inf


def test_a_slope_is_met_where_the_algebra_says():
    columns, rows = np.meshgrid(np.arange(30), np.arange(20))
    field = height_field(0.1 * columns * 2.0 - 0.05 * rows * 2.0, 0.0, 0.0, 2.0)  # z = 0.1 x - 0.05 y
    random = np.random.default_rng(8)
    origins = random.uniform((5, 5, 6), (50, 30, 9), (100, 3))
    directions = random.uniform((-0.3, -0.3, -1), (0.3, 0.3, -0.5), (100, 3))
    gap = origins @ (-0.1, 0.05, 1.0)
    closing = -directions @ (-0.1, 0.05, 1.0)
    distances, normals = cast(field, origins, directions)
    assert distances == pytest.approx(gap / closing, rel=1e-12)
    up = np.array((-0.1, 0.05, 1.0)) / math.sqrt(1.0125)
    assert normals == pytest.approx(np.tile(up, (100, 1)), abs=1e-12)


def test_a_ray_from_below_meets_the_underside():
    field = height_field(np.full((5, 5), 2.0), 0.0, 0.0, 1.0)
    distances, normals = cast(field, [(2, 2, 0), (2.3, 1.7, 0)], [(0, 0, 1), (0.3, 0.1, 0.5)])
    assert distances.tolist() == [2.0, 4.0]
    assert normals.tolist() == [[0, 0, 1]] * 2
    assert cast(field, (2, 2, 0), (0, 0, -1))[0][0] == np.inf


def test_the_surface_ends_at_the_edge_of_the_grid():
    field = height_field(np.zeros((5, 5)), 0.0, 0.0, 1.0)
    assert cast(field, (4, 4, 3), (0, 0, -1))[0][0] == 3.0  # its corner belongs to it
    assert cast(field, (0, 2, 3), (0, 0, -1))[0][0] == 3.0
    assert cast(field, (4.001, 2, 3), (0, 0, -1))[0][0] == np.inf
    assert cast(field, (-5, 2, 1), (6, 0, -1))[0][0] == 1.0  # enters from outside
    assert cast(field, (-5, 2, 1), (4, 0, -1))[0][0] == np.inf  # comes down before the edge
    assert cast(field, (9, 9, 10), (-7, -7, -10))[0][0] == 1.0
    assert cast(field, (2, 2, 1), (9, 0, -1))[0][0] == np.inf  # beyond the edge at z = 0
    assert cast(field, (-5, 2, 1), (-6, 0, -1))[0][0] == np.inf  # goes away


def test_the_limit_is_in_units_of_the_direction_and_belongs_to_the_ray():
    field = height_field(np.zeros((5, 5)), 0.0, 0.0, 1.0)
    assert cast(field, (2, 2, 6), (0, 0, -2), 3.0)[0][0] == 3.0
    assert cast(field, (2, 2, 6), (0, 0, -2), 2.999)[0][0] == np.inf
    assert cast(field, (1, 2, 1), (1, 0, -0.5), 2.0)[0][0] == 2.0
    assert cast(field, (1, 2, 1), (1, 0, -0.5), 1.999)[0][0] == np.inf
    assert cast(field, (2, 2, 0), (1, 0, 1), 0.0)[0][0] == 0.0  # starts on the surface


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_ray_meets_nothing(index: int, value: float):
    numbers = [2.0, 2.0, 6.0, 0.1, 0.1, -1.0, 100.0]
    numbers[index] = value
    field = height_field(np.zeros((5, 5)), 0.0, 0.0, 1.0)
    wanted = 6.0 if index == 6 and value == math.inf else math.inf
    assert cast_terrain_ray(field, *numbers)[0] == wanted


def test_a_direction_of_zero_and_one_of_any_size():
    field = height_field(np.zeros((5, 5)), 0.0, 0.0, 1.0)
    assert cast_terrain_ray(field, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, math.inf)[0] == math.inf
    assert cast_terrain_ray(field, 2.0, 2.0, 1.0, 5e-324, 5e-324, -1.0, 9.0)[0] == 1.0
    assert cast_terrain_ray(field, 2.0, 2.0, 1.0, 1e-90, 0.0, -1e-90, 1e300)[0] == 1e90
    assert cast_terrain_ray(field, 1.5, 2.0, 1.0, 1e120, 0.0, -1e120, 1.0)[0] == pytest.approx(1e-120)
    assert cast_terrain_ray(field, -1e300, 2.0, 1.0, 1e-199, 0.0, -1e-199, math.inf)[0] == math.inf


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(st.floats(-20, 45), st.floats(0, 50), st.floats(-3, 3)),
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.floats(-1, 1)),
)
def test_a_hit_lies_on_the_surface_and_nothing_lies_before_it(origin, direction):
    field = rough()
    if not any(direction):
        return
    t, *_ = cast_terrain_ray(field, *origin, *map(float, direction), 50.0)
    rows, columns = field.heights.shape
    steps = np.linspace(0.0, min(t, 50.0), 400)
    points = np.array(origin) + steps[:, None] * np.array(direction)
    u, v = (points[:, 0] - field.x0) / field.cell, (points[:, 1] - field.y0) / field.cell
    on = (u > -1e-9) & (v > -1e-9) & (u < columns - 1 + 1e-9) & (v < rows - 1 + 1e-9)
    i, j = np.clip(u.astype(int), 0, columns - 2), np.clip(v.astype(int), 0, rows - 2)
    a, b = u - i, v - j
    h = field.heights
    surface = np.where(
        a >= b,
        h[j, i] + a * (h[j, i + 1] - h[j, i]) + b * (h[j + 1, i + 1] - h[j, i + 1]),
        h[j, i] + b * (h[j + 1, i] - h[j, i]) + a * (h[j + 1, i + 1] - h[j + 1, i]),
    )
    clearance = (points[:, 2] - surface)[on]
    if t < math.inf:
        assert on[-1] and abs(clearance[-1]) < 1e-8
        clearance = clearance[:-1]
    assert (clearance > -1e-8).all() or (clearance < 1e-8).all()


def test_the_pyramid_bounds_every_block():
    field = rough(19, 38)
    high = np.maximum.reduce([field.heights[a : 18 + a, b : 37 + b] for a in (0, 1) for b in (0, 1)])
    low = np.minimum.reduce([field.heights[a : 18 + a, b : 37 + b] for a in (0, 1) for b in (0, 1)])
    for level, (first, columns) in enumerate(field.levels):
        size = 2**level
        for row in range(-(-18 // size)):
            for column in range(-(-37 // size)):
                block = np.s_[row * size : (row + 1) * size, column * size : (column + 1) * size]
                top, bottom = field.tops[:, first + row * columns + column]
                assert high[block].max() <= top <= high[block].max() + 1e-6
                assert -low[block].min() <= bottom <= -low[block].min() + 1e-6
    assert len(field.levels) == 7 and field.levels[-1][1] == 1  # 37 cells: 1, 2, 4, ... 64
