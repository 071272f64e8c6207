"""Terrain: files in, heights, normals and rays out, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from acres_ros.world.errors import WorldError, WorldFileError
from acres_ros.world.terrain import Terrain


def tile(folder: Path, heights: np.ndarray, **members: object) -> Path:
    """Write the two files of a terrain."""
    rows, columns = heights.shape
    site = {"grid_step_m": 2.0, "surface_width": columns - 1, "surface_height": rows - 1, **members}
    (folder / "site.json").write_text(json.dumps(site))
    (folder / "heights.f32").write_bytes(heights.astype("<f4").tobytes())
    return folder


HEIGHTS = np.array([[0.0, 1.0, 2.0, 3.0], [0.5, 1.5, 2.5, 3.5], [9.0, 8.0, 7.0, 6.0]])  # row 0 is south


def test_a_tile_is_read_with_its_south_west_corner_first(tmp_path: Path):
    terrain = Terrain.load(tile(tmp_path, HEIGHTS, x0_m=100.0, y0_m=-50.0))
    assert terrain.bounds == (100.0, -50.0, 106.0, -46.0)
    for row in range(3):
        for column in range(4):
            x, y = terrain.from_grid(column, row)
            assert (x, y) == (100.0 + 2.0 * column, -50.0 + 2.0 * row)
            assert terrain.height_at(x, y) == HEIGHTS[row, column]
            assert terrain.to_grid(x, y) == (column, row)
    assert Terrain.load(tmp_path).field.tops.dtype == np.float32


def test_heights_and_normals_are_those_of_the_two_triangles(tmp_path: Path):
    terrain = Terrain.load(tile(tmp_path, HEIGHTS, x0_m=0.0, y0_m=0.0))
    # Cell (0, 1), corners 0.5 1.5 / 9 8: south-eastern triangle u >= v: 0.5 + u (1.5 - 0.5) + v (8 - 1.5).
    assert terrain.height_at(1.5, 2.5) == 0.5 + 0.75 * 1.0 + 0.25 * 6.5
    assert terrain.height_at(0.5, 3.5) == 0.5 + 0.75 * 8.5 + 0.25 * (8.0 - 9.0)
    assert terrain.normal_at(1.5, 2.5) == pytest.approx(np.array((-0.5, -3.25, 1.0)) / math.sqrt(11.8125), abs=1e-15)
    assert terrain.normal_at(0.5, 3.5) == pytest.approx(np.array((0.5, -4.25, 1.0)) / math.sqrt(19.3125), abs=1e-15)
    # Many at once are one by one.
    x, y = np.array([[1.5, 0.5], [5.9, -3.0]]), np.array([[2.5, 3.5], [0.1, 9.0]])
    heights, normals = terrain.height_at(x, y), terrain.normal_at(x, y)
    assert heights.shape == (2, 2) and normals.shape == (2, 2, 3)
    for index in np.ndindex(2, 2):
        assert heights[index] == terrain.height_at(x[index], y[index])
        assert tuple(normals[index]) == terrain.normal_at(x[index], y[index])
    assert terrain.height_at(np.array([1.0, 2.0]), 0.0).tolist() == [0.5, 1.0]


def test_the_border_goes_on_level_and_a_place_that_is_none_has_no_height(tmp_path: Path):
    terrain = Terrain.load(tile(tmp_path, HEIGHTS, x0_m=0.0, y0_m=0.0))
    assert terrain.height_at(-50.0, -50.0) == 0.0
    assert terrain.height_at(99.0, 99.0) == 6.0
    assert terrain.normal_at(99.0, 99.0) == (0.0, 0.0, 1.0)
    assert math.isnan(terrain.height_at(math.nan, 0.0))


def test_a_margin_counts_from_the_edge(tmp_path: Path):
    terrain = Terrain.load(tile(tmp_path, HEIGHTS, x0_m=0.0, y0_m=0.0))
    assert terrain.inside(0.0, 0.0) and terrain.inside(6.0, 4.0) and not terrain.inside(6.001, 2.0)
    assert terrain.inside(1.0, 1.0, 1.0) and not terrain.inside(1.0, 0.999, 1.0)
    assert terrain.inside(-2.0, 2.0, -2.0) and not terrain.inside(math.nan, 2.0)


def test_a_plane_is_level_where_it_should_be():
    terrain = Terrain.flat(3.25, 100.0, 1.524)
    assert terrain.bounds == pytest.approx((-100.0, -100.0, 100.0, 100.0))
    assert terrain.height_at(12.0, -71.0) == 3.25
    assert terrain.cell <= 1.524
    assert Terrain.flat(half_size=762.0, step=1.524).heights.shape == (1001, 1001)
    assert Terrain.flat(0.0, 5.0, 100.0).heights.shape == (2, 2)


def test_a_ray_is_a_hit_with_point_and_normal_or_none():
    terrain = Terrain.flat(0.639, 100.0, 1.524)
    hit = terrain.ray_cast((-38.71, -40.5, 50.0), (0.0, 0.0, -1.0), 100.0)
    assert hit is not None
    assert hit.t == pytest.approx(49.361) and hit.point == pytest.approx((-38.71, -40.5, 0.639))
    assert hit.normal == (0.0, 0.0, 1.0)
    slanted = terrain.ray_cast((0.0, 0.0, 4.639), (6.0, 0.0, -8.0))
    assert slanted is not None and slanted.t == pytest.approx(0.5)  # t is in units of the direction
    assert terrain.ray_cast((0.0, 0.0, 50.0), (0.0, 0.0, -1.0), 49.0) is None
    assert terrain.ray_cast((0.0, 0.0, 50.0), (0.0, 0.0, 1.0)) is None
    distances, normals = terrain.ray_casts((0.0, 0.0, 10.639), [(0, 0, -1), (0, 0, 1), (0, 3, -4)], [20.0, 20.0, 2.4])
    assert distances.tolist() == [pytest.approx(10.0), math.inf, math.inf] and normals.shape == (3, 3)


@pytest.mark.parametrize(
    ("origin", "direction", "most", "word"),
    [
        ((0, 0, math.nan), (0, 0, -1), 1.0, "finite numbers"),
        ((0, 0, 1), (0, 0, -math.inf), 1.0, "finite numbers"),
        ((0, 0, 1), (0, 0, 0), 1.0, "length above 0"),
        ((0, 0), (0, 0, -1), 1.0, "x, y, z of each"),
        ((0, 0, 1), ("down", 0, 0), 1.0, "x, y, z of each"),
        ((0, 0, 1), (0, 0, -1), -1.0, "max_t is -1.0: wanted 0 or more"),
        ((0, 0, 1), (0, 0, -1), math.nan, "max_t is nan"),
    ],
)
def test_what_is_no_ray_is_refused(origin, direction, most, word):
    plane = Terrain.flat(0.0, 10.0, 1.0)
    with pytest.raises(WorldError, match=word):
        plane.ray_cast(origin, direction, most)
    with pytest.raises(WorldError, match=word.replace("x, y, z of each", "x, y, z")):
        plane.ray_casts([origin, origin], direction, [most, 5.0])


def test_one_ray_and_many_rays_say_the_same():
    terrain = Terrain(np.random.default_rng(1).uniform(0.0, 3.0, (12, 9)), -4.0, -5.0, 1.0)
    random = np.random.default_rng(2)
    origins, directions = random.uniform(-6, 6, (50, 3)), random.normal(size=(50, 3))
    distances, normals = terrain.ray_casts(origins, directions, 20.0)
    for t, normal, origin, direction in zip(distances, normals, origins, directions, strict=True):
        hit = terrain.ray_cast(origin, direction, 20.0)
        assert (hit is None) == (t == math.inf)
        if hit is not None:
            assert (hit.t, hit.normal) == (t, tuple(normal))
            assert hit.point == tuple(origin + t * direction)
    assert 5 < np.isfinite(distances).sum() < 45


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2e5])
def test_a_height_that_is_none_is_named_by_its_place(tmp_path: Path, value: float):
    heights = HEIGHTS.copy()
    heights[2, 1] = value
    with pytest.raises(WorldFileError) as caught:
        Terrain.load(tile(tmp_path, heights))
    assert str(caught.value) == (
        f"{tmp_path / 'heights.f32'}: row 2, column 1 = {value}: wanted a number within 100000 m of 0"
    )


def test_a_file_of_another_size_or_that_is_missing_is_refused(tmp_path: Path):
    tile(tmp_path, HEIGHTS, surface_width=5)
    with pytest.raises(WorldFileError, match=r"heights\.f32: has 48 bytes: wanted 3 rows of 6 .*72 bytes"):
        Terrain.load(tmp_path)
    tile(tmp_path, HEIGHTS, surface_width=1)
    with pytest.raises(WorldFileError, match="heights.f32"):
        Terrain.load(tmp_path)
    (tmp_path / "heights.f32").unlink()
    with pytest.raises(WorldFileError, match=r"heights\.f32: no such file"):
        Terrain.load(tmp_path)
    (tmp_path / "site.json").unlink()
    with pytest.raises(WorldFileError, match=r"site\.json: no such file"):
        Terrain.load(tmp_path)


@pytest.mark.parametrize(
    ("heights", "cell", "word"),
    [
        (np.zeros((1, 5)), 1.0, "two rows"),
        (np.full((2, 2), np.nan), 1.0, "a height"),
        (np.zeros((2, 2)), 0.0, "above 0"),
    ],
)
def test_a_terrain_that_cannot_be_is_refused(heights, cell, word):
    with pytest.raises(WorldError, match=word):
        Terrain(heights, 0.0, 0.0, cell)


@pytest.mark.parametrize(("half_size", "step"), [(0.0, 1.0), (10.0, 0.0), (math.nan, 1.0), (1e6, 1.0)])
def test_a_plane_of_no_size_is_refused(half_size: float, step: float):
    with pytest.raises(WorldError, match="half_size, step"):
        Terrain.flat(0.0, half_size, step)
