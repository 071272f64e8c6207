"""Worlds: planes, height fields, the yard, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acres_ros.errors import AcresError
from acres_ros.world import SurfaceClass, UnknownNameError, World, WorldError, default_surfaces, load_world


def class_of(world: World, x: float, y: float) -> SurfaceClass:
    """Look a class up by the definition of the raster: row 0 south, column 0 west."""
    grid = world.ground.grid[0]
    column = math.floor((x - grid["class_x0"]) / grid["class_cell"])
    row = math.floor((y - grid["class_y0"]) / grid["class_cell"])
    return SurfaceClass(int(world.ground.classes[row, column]))


def test_a_flat_world_is_level_and_of_one_surface():
    world = World.flat(surface="asphalt", z=3.5)
    assert np.all(world.ground.heights == 3.5)
    assert np.all(world.ground.classes == SurfaceClass.ASPHALT)
    assert world.inside(0.0, 0.0) and not world.inside(1e5, 0.0)


def test_the_yard_is_the_garage_of_the_spec():
    world = World.yard()
    garage = world.place("spawn-icsc-garage")
    assert (garage.x, garage.y, garage.yaw) == (-38.71, -140.513, math.pi / 2.0)
    assert np.all(world.ground.heights == 0.639)
    assert class_of(world, garage.x, garage.y) == 2  # spec, C++ API, FAcresWorld
    assert class_of(world, garage.x, garage.y + 24.0) == SurfaceClass.GRAVEL
    assert class_of(world, garage.x, garage.y + 30.0) == SurfaceClass.FIELD
    assert class_of(world, 203.32, 138.01) == SurfaceClass.GRASS  # start of the grass log
    assert world.bounds == (-762.0, -762.0, 762.0, 762.0)  # 1000 cells of 1.524 m


def test_every_class_has_a_surface():
    table = World.flat().ground.surfaces
    assert set(default_surfaces()) == set(SurfaceClass)
    assert len(table) == len(SurfaceClass)
    assert table["friction"][SurfaceClass.ASPHALT] == 0.85
    assert np.all(table["shear_modulus"] > 0.0) and np.all(table["relaxation"] > 0.0)
    # The softer the ground, the more it resists.
    order = [SurfaceClass.ASPHALT, SurfaceClass.GRAVEL, SurfaceClass.GRASS, SurfaceClass.FIELD, SurfaceClass.MUD]
    assert np.all(np.diff(table["resistance"][order]) > 0.0)


def test_a_height_field_spans_its_corners():
    world = World.height_field(np.zeros((3, 5)), x0=10.0, y0=-4.0, cell=2.0)
    assert world.bounds == (10.0, -4.0, 18.0, 0.0)
    assert (world.places[0].x, world.places[0].y) == (14.0, -2.0)


@pytest.mark.parametrize(
    ("heights", "cell", "word"),
    [
        (np.zeros((1, 5)), 1.0, "two rows"),
        (np.zeros(5), 1.0, "two rows"),
        (np.array([[0.0, np.nan], [0.0, 0.0]]), 1.0, "finite"),
        (np.zeros((2, 2)), 0.0, "above 0"),
        (np.zeros((2, 2)), np.inf, "finite"),
    ],
)
def test_a_height_field_that_cannot_be_is_refused(heights, cell, word):
    with pytest.raises(WorldError, match=word):
        World.height_field(heights, x0=0.0, y0=0.0, cell=cell)


def test_a_class_without_a_surface_is_refused():
    with pytest.raises(WorldError, match="below 8"):
        World.height_field(np.zeros((2, 2)), x0=0.0, y0=0.0, cell=1.0, classes=np.array([[9]]))


def test_names_are_checked_and_the_known_ones_said():
    with pytest.raises(UnknownNameError, match="spawn-icsc-garage"):
        World.yard().place("garage")
    with pytest.raises(UnknownNameError, match="asphalt"):
        World.flat(surface="ice")
    with pytest.raises(AcresError, match="flat, yard"):
        load_world("mars")
    with pytest.raises(UnknownNameError, match="flat, yard"):
        load_world("m" * 300)
    assert load_world("yard").name == "yard"
