"""Heights, normals and classes of the ground, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models.ground import ground_contact, ground_height, surface_class
from acres_ros.world import SurfaceClass, World

HEIGHTS = np.array([[0.0, 1.0, 3.0], [2.0, 0.5, 1.0]])


@entry
def contact(ground, x, y):
    return ground_contact(ground, x, y)


@entry
def height(ground, x, y):
    return ground_height(ground, x, y)


@entry
def class_at(ground, x, y):
    return surface_class(ground, x, y)


@pytest.fixture(scope="module")
def ground():
    return World.height_field(HEIGHTS, x0=-2.0, y0=10.0, cell=2.0).ground


def test_corners_have_their_heights(ground):
    for row in range(2):
        for column in range(3):
            assert height(ground, -2.0 + 2.0 * column, 10.0 + 2.0 * row) == HEIGHTS[row, column]


def test_the_diagonal_runs_from_south_west_to_north_east(ground):
    # The middle of the first cell lies on the diagonal 0.0 -> 0.5, not on 2.0 -> 1.0.
    assert height(ground, -1.0, 11.0) == pytest.approx(0.25)
    # South-east triangle: 0 + 0.75 * (1 - 0) + 0.25 * (0.5 - 1); north-west: 0 + 0.75 * (2 - 0) + 0.25 * (0.5 - 2).
    assert height(ground, -0.5, 10.5) == pytest.approx(0.625)
    assert height(ground, -1.5, 11.5) == pytest.approx(1.125)


def test_the_normal_stands_on_the_triangle(ground):
    for x, y in ((-0.5, 10.5), (-1.5, 11.5), (1.0, 10.2)):
        z, *normal = contact(ground, x, y)
        normal = np.array(normal)
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-15)
        for dx, dy in ((1e-3, 0.0), (0.0, 1e-3)):
            along = np.array([dx, dy, height(ground, x + dx, y + dy) - z])
            assert abs(normal @ along) < 1e-12


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_beyond_the_edge_the_border_goes_on(ground, x, y):
    clamped = np.clip(x, -2.0, 2.0), np.clip(y, 10.0, 12.0)
    z, nx, ny, nz = contact(ground, x, y)
    assert z == pytest.approx(height(ground, *clamped), abs=1e-9)
    assert nz > 0.0
    if not -2.0 <= x <= 2.0:
        assert nx == 0.0
    if not 10.0 <= y <= 12.0:
        assert ny == 0.0


def test_the_raster_gives_the_class_of_its_cell():
    classes = np.array([[1, 2], [3, 5]])
    world = World.height_field(
        np.zeros((2, 2)), x0=0.0, y0=0.0, cell=100.0, classes=classes, class_x0=10.0, class_y0=20.0, class_cell=4.0
    )
    assert class_at(world.ground, 10.1, 20.1) == SurfaceClass.ASPHALT
    assert class_at(world.ground, 17.9, 20.1) == SurfaceClass.GRAVEL
    assert class_at(world.ground, 10.1, 27.9) == SurfaceClass.GRASS
    assert class_at(world.ground, 1e9, 1e9) == SurfaceClass.FIELD
    assert class_at(world.ground, -1e9, -1e9) == SurfaceClass.ASPHALT


@pytest.mark.parametrize("point", [(np.nan, 0.0), (0.0, np.nan), (np.inf, -np.inf), (1e300, 1e300)])
def test_a_point_that_is_nowhere_reads_nothing_outside_the_grid(ground, point):
    assert 0 <= class_at(ground, *point) < len(ground.surfaces)
    z = height(ground, *point)
    assert np.isnan(z) or HEIGHTS.min() <= z <= HEIGHTS.max()
