"""The built-in farm as the world reads it, against the examples of the spec, and the kernels against the functions."""

from __future__ import annotations

import time

import numpy as np
import pytest

from acres_ros._compile import entry
from acres_ros.models.ground import land_at, land_cell, surface_class, zone_at
from acres_ros.world import SurfaceClass, World, load_world


@entry
def look_up(ground, x, y):
    field, soil = land_at(ground, x, y)
    row, column = land_cell(ground, x, y)
    return surface_class(ground, x, y), field, soil, row * ground.land.shape[1] + column, zone_at(ground, x, y)


@pytest.fixture(scope="module")
def farm() -> World:
    return load_world("farm")


def test_the_examples_of_the_spec(farm: World):
    """Spec, C++ API, FAcresWorld: 706104 crop patches, 7 places, field 24, class 2."""
    home = farm.place("spawn-icsc-garage")
    assert (home.x, home.y) == (-38.71, -140.513)
    assert abs(len(farm.ground.patches) / 706104 - 1.0) < 0.02
    assert len(farm.places) == 7
    assert farm.field_at(195.0, 190.0) == 24
    assert farm.field_polygon_at(195.0, 190.0) == 24
    assert farm.surface_class_at(home.x, home.y) == SurfaceClass.GRAVEL == 2
    assert farm.bounds == pytest.approx((-762.0, -762.0, 762.0, 762.0))
    assert farm.ground.heights.shape == (1001, 1001)
    assert farm.ground.land.shape == (381, 381)
    assert farm.name == "farm"


def test_the_ground_at_the_garage(farm: World):
    """Spec, C++ API, FAcresTerrain: height 0.639 m, hit 1 at z 0.639 m, normal z 0.99976, inside 1."""
    home = farm.place("spawn-icsc-garage")
    hit = farm.terrain.ray_cast((home.x, home.y, 50.0), (0.0, 0.0, -1.0), 100.0)
    assert f"{farm.terrain.height_at(home.x, home.y):.3f}" == "0.639"
    assert hit is not None and f"{hit.point[2]:.3f}" == "0.639"
    assert f"{farm.terrain.normal_at(home.x, home.y)[2]:.5f}" == "0.99976"
    assert farm.inside(home.x, home.y, 10.0)


def test_the_obstacles_at_the_garage(farm: World):
    """Spec, C++ API, FAcresScene: 2182 triangles, 7100 obstacles, wall at 9.44 m, nearest 3.20 m, overlap 1."""
    scene, home = farm.scene, farm.place("spawn-icsc-garage")
    assert scene is not None
    assert abs(scene.triangle_count / 2182 - 1.0) < 0.05
    assert abs(scene.obstacle_count / 7100 - 1.0) < 0.02
    hit = scene.ray_cast((home.x, home.y, 2.0), (0.82, -0.57, 0.0), 100.0)
    assert hit is not None and f"{hit.t:.2f}" == "9.44"
    assert scene.material(hit.material).name == "building"
    assert f"{scene.nearest_obstacle(home.x, home.y, 30.0):.2f}" == "3.20"
    assert scene.overlaps((-7.3, -162.0, 0.0), 0.0, 1.9, 0.8, 0.3, 2.0) >= 0


def test_patches_stand_in_their_fields(farm: World):
    patches, bins = farm.ground.patches, farm.ground.bins
    cells = np.repeat(np.arange(farm.ground.land.size), np.diff(bins))
    assert np.array_equal(cells % 381, np.floor((patches["x"] + 762.0) / 4.0))
    assert np.array_equal(cells // 381, np.floor((patches["y"] + 762.0) / 4.0))
    assert np.unique(np.stack((patches["x"], patches["y"])), axis=1).shape[1] == len(patches)
    for patch in patches[:: len(patches) // 200]:
        number = int(patch["field"])
        assert farm.field_polygon_at(float(patch["x"]), float(patch["y"])) == number
        assert patch["growth"] == farm.field_growth(number) > 0.0
    assert set(np.unique(patches["crop"])) == {1, 2, 3}
    # the raster says the same, but for cells that an edge cuts
    assert np.mean(farm.ground.land["field"].ravel()[cells] == patches["field"]) > 0.95


def test_functions_of_a_point_are_those_of_the_kernels(farm: World):
    random = np.random.default_rng(3)
    points = [*random.uniform(-800.0, 800.0, (500, 2)).tolist(), [np.nan, 5.0], [-762.0, 762.0], [1e300, -np.inf]]
    for x, y in points:
        number, field, soil, cell, zone = look_up(farm.ground, x, y)
        assert farm.surface_class_at(x, y) == number
        assert farm.field_at(x, y) == field
        assert farm.soil_at(x, y) is farm.soils[soil]
        assert farm.land_cell_at(x, y) == cell
        assert farm.zone_at(x, y) == zone


def test_the_farm_loads_in_a_moment(farm: World):
    start = time.process_time()
    load_world("farm")
    assert time.process_time() - start < 2.0
