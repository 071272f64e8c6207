"""Spawned obstacles: entities with names, put and deleted, and what cannot be spawned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from snapshot_rig import whole
from spawned_rig import SENSOR_X, WALL, at, level_range, rolling, spawn

from acres_ros.core.bounds import Box, Sphere
from acres_ros.core.entities import Category, Entities, Filters, Info, UnknownEntityError
from acres_ros.core.entity_state import PoseError, TwistError
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.core.spawnables import (
    SPAWNABLES,
    FormatError,
    NoResourceError,
    ResourceTextError,
    UnknownSpawnableError,
)
from acres_ros.core.spawned import VEHICLE_NUMBERS
from acres_ros.core.spawning import (
    EntityNameError,
    NamespaceError,
    NameTakenError,
    NotSpawnedError,
    delete,
    put_spawned,
)
from acres_ros.core.start import Start
from acres_ros.errors import AcresError
from acres_ros.world import World

# -- entities ---------------------------------------------------------------------------------------------------------


def test_it_is_an_entity_until_it_is_deleted(flat: World) -> None:
    vehicle = rolling(flat)
    entities = Entities(vehicle)
    spawn(vehicle, "walker", "acres://person", at(10.0, 2.0, 0.5, 1.0))
    assert entities.chosen(Filters()) == ["polaris", "walker"]
    assert entities.chosen(Filters(categories=frozenset({Category.HUMAN}))) == ["walker"]
    assert entities.chosen(Filters("^w", tags=frozenset({"spawned"}))) == ["walker"]
    assert entities.is_static("walker")
    assert entities.bounds("walker") == Box((-0.25, -0.25, 0.0), (0.25, 0.25, 1.75))
    motion = entities.motion("walker")
    assert motion.position == (10.0, 2.0, 0.5)
    assert motion.orientation == pytest.approx((0.0, 0.0, math.sin(0.5), math.cos(0.5)))
    assert entities.chosen(Filters(volume=Sphere((10.0, 2.0, 3.0), 0.74))) == []
    assert entities.chosen(Filters(volume=Sphere((10.0, 2.0, 3.0), 0.76))) == ["walker"]
    entities.set_info("walker", Info(Category.OBJECT, "told", ("t",)))
    assert entities.chosen(Filters(tags=frozenset({"t"}))) == ["walker"]
    assert [told.name for told in entities.snapshot()] == ["walker"]
    delete(vehicle, entities, "walker")
    with pytest.raises(UnknownEntityError):
        entities.info("walker")
    assert entities.snapshot() == ()
    spawn(vehicle, "walker", "acres://person", at(10.0))
    assert entities.info("walker").category is Category.HUMAN, "nothing is told of the new one"


def test_it_is_put_elsewhere_at_rest(flat: World) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "it", "acres://box", at(10.0), WALL)
    before = vehicle.revision
    put_spawned(vehicle, Entities(vehicle), "it", at(12.0))
    assert level_range(vehicle) == pytest.approx(11.5 - SENSOR_X, abs=2e-3)
    assert vehicle.revision == before, "no name has changed"
    with pytest.raises(TwistError, match="stands where it is put"):
        put_spawned(vehicle, Entities(vehicle), "it", at(12.0)._replace(velocity=(1.0, 0.0, 0.0)))
    with pytest.raises(PoseError):
        put_spawned(vehicle, Entities(vehicle), "it", at(math.nan))
    assert Entities(vehicle).motion("it").position == (12.0, 0.0, 0.0)
    put_spawned(vehicle, Entities(vehicle), "it", at(0.0))
    assert vehicle.step(1)["vehicle"]["collision"][0] == VEHICLE_NUMBERS, "where a vehicle is, it is touched"


def test_only_what_was_spawned_is_deleted(farm: World) -> None:
    vehicle = Environment(farm, load_parameters(), Start(x=farm.places[0].x, y=farm.places[0].y))
    entities = Entities(vehicle)
    for name in ("polaris", "tree-0001"):
        with pytest.raises(NotSpawnedError, match="was not spawned"):
            delete(vehicle, entities, name)
    with pytest.raises(UnknownEntityError):
        delete(vehicle, entities, "nobody")


# -- refusals ---------------------------------------------------------------------------------------------------------

GOOD = {"name": "it", "uri": "acres://box", "motion": at(10.0), "text": ""}


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"name": ""}, EntityNameError, "allow_renaming"),
        ({"name": "a b"}, EntityNameError, "letter"),
        ({"name": "x" * 101}, EntityNameError, "100"),
        ({"name": "polaris"}, NameTakenError, "taken"),
        ({"name": "first"}, NameTakenError, "taken"),
        ({"space": "/a//b"}, NamespaceError, "namespace"),
        ({"uri": ""}, NoResourceError, "get_spawnables"),
        ({"uri": "file:///box.sdf"}, FormatError, "acres://"),
        ({"uri": "acres://tank"}, UnknownSpawnableError, "acres://cone"),
        ({"text": "{"}, ResourceTextError, "JSON object"),
        ({"text": "[" * 5000}, ResourceTextError, "JSON object"),
        ({"text": "[1]"}, ResourceTextError, "JSON object"),
        ({"text": '{"colour": 1}'}, ResourceTextError, "kind, size, material"),
        ({"text": " " * 10_001}, ResourceTextError, "characters"),
        ({"text": '{"kind": "cone"}'}, ResourceTextError, "'box'"),
        ({"uri": "", "text": "{}"}, ResourceTextError, "one of box"),
        ({"text": '{"size": [1, 2]}'}, ResourceTextError, "three lengths"),
        ({"text": '{"size": [1, true, 2]}'}, ResourceTextError, "three lengths"),
        ({"text": '{"size": [1, NaN, 2]}'}, ResourceTextError, "three lengths"),
        ({"text": '{"size": [1, 0.0, 2]}'}, ResourceTextError, "0.05"),
        ({"text": '{"size": [1, 1e400, 2]}'}, ResourceTextError, "50"),
        ({"text": '{"size": [1, 1' + "0" * 400 + ", 2]}"}, ResourceTextError, "50"),
        ({"uri": "acres://cone", "text": '{"size": [1, 2, 2]}'}, ResourceTextError, "circle"),
        ({"uri": "acres://round_bale", "text": '{"size": [1, 2, 2]}'}, ResourceTextError, "round"),
        ({"text": '{"material": "air"}'}, ResourceTextError, "one of building"),
        ({"text": '{"material": 3}'}, ResourceTextError, "name of a material"),
        ({"motion": at(math.inf)}, PoseError, "finite"),
        ({"motion": at(1e6)}, PoseError, "on the map"),
        ({"motion": at(10.0, 0.0, 101.0)}, PoseError, "of the ground"),
        ({"motion": at(10.0)._replace(orientation=(0.0, 0.0, 0.0, 0.0))}, PoseError, "length 1"),
        ({"motion": at(10.0)._replace(orientation=(0.1, 0.0, 0.0, math.sqrt(0.99)))}, PoseError, "upright"),
        ({"motion": at(1.0)}, PoseError, "no vehicle"),
    ],
)
def test_what_cannot_be_spawned_is_refused_and_changes_nothing(
    flat: World, changes: dict, error: type[AcresError], words: str
) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "first", "acres://box", at(20.0))
    state, world = whole(vehicle), vehicle.whole_world
    with pytest.raises(error, match=words):
        spawn(vehicle, **{**GOOD, **changes})
    assert whole(vehicle) == state and vehicle.whole_world is world


def test_taken_and_empty_names_are_replaced_where_they_may_be(flat: World) -> None:
    vehicle = rolling(flat)
    given = [spawn(vehicle, name, "acres://cone", at(20.0), renaming=True) for name in ("it", "it", "", "", "polaris")]
    assert given == ["it", "it-1", "cone-1", "cone-2", "polaris-1"]


def test_it_may_stand_above_or_beside_the_vehicle(flat: World) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "above", "acres://box", at(1.0, 0.0, 2.0))
    spawn(vehicle, "beside", "acres://box", at(1.0, 1.31))
    assert vehicle.step(1)["vehicle"]["collision"][0] == -1
    with pytest.raises(PoseError, match="no vehicle"):
        spawn(vehicle, "in", "acres://box", at(1.0, 1.29))


def test_every_spawnable_stands_within_its_box(flat: World) -> None:
    for kind, spawnable in SPAWNABLES.items():
        solids = spawnable.solids(spawnable.size)
        points = [solids.triangles.reshape(-1, 3)]
        points += [np.array([(-r, -r, z), (r, r, z + h)]) for _, _, z, r, h in solids.cylinders]
        points += [np.array([(-a, -b, z - c), (a, b, z + c)]) for _, _, z, a, b, c in solids.ellipsoids]
        every = np.concatenate(points)
        half = 0.5 * np.array(spawnable.size)
        assert np.allclose(every.min(axis=0), [-half[0], -half[1], 0.0], atol=1e-12), kind
        assert np.allclose(every.max(axis=0), [half[0], half[1], 2.0 * half[2]], atol=1e-12), kind
