"""Spawned obstacles: seen and touched where they stand, in the state, and without a trace where there are none."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from lidar_rig import world_beams
from snapshot_rig import corn_with_a_post, environment, reloaded, start_driving, whole

from acres_ros.core.bounds import Box, Sphere
from acres_ros.core.entities import Category, Entities, Filters, Info, Motion, UnknownEntityError
from acres_ros.core.entity_state import PoseError, TwistError
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.spawnables import (
    SPAWNABLES,
    FormatError,
    NoResourceError,
    ResourceTextError,
    UnknownSpawnableError,
    VehicleResourceError,
)
from acres_ros.core.spawned import MOST_SPAWNED, VEHICLE_NUMBERS, Spawned
from acres_ros.core.spawning import (
    EntityNameError,
    NamespaceError,
    NameTakenError,
    NotSpawnedError,
    SpawnRequest,
    TooManyError,
    delete,
    put_spawned,
    with_spawned,
)
from acres_ros.core.start import Start
from acres_ros.errors import AcresError
from acres_ros.world import World, load_world

AT_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
LEVEL_RING = 9
SENSOR_X = 1.6 + 0.03498
"""Where the level beam of the first column starts."""
WALL = '{"size": [1.0, 8.0, 4.0]}'


@pytest.fixture(scope="module")
def flat() -> World:
    return World.flat()


@pytest.fixture(scope="module")
def farm() -> World:
    return load_world("farm")


def rolling(world: World) -> Environment:
    return Environment(world, load_parameters(), Start(speed=5.0, gear="N"))


def at(x: float, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Motion:
    return Motion((x, y, z), (0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)))


def spawn(
    vehicle: Environment,
    name: str,
    uri: str,
    motion: Motion,
    text: str = "",
    *,
    renaming: bool = False,
    space: str = "",
) -> str:
    request = SpawnRequest(name, renaming, uri, text, space, motion)
    spawned, given = with_spawned(vehicle, Entities(vehicle), vehicle.spawned, request)
    vehicle.set_spawned(spawned)
    return given


def level_range(vehicle: Environment) -> float:
    """Return what the level beam straight ahead of a vehicle at the origin measures, without noise."""
    scan = Lidar.of(vehicle.whole_world).scan(LidarPattern.helios(), AT_REST, self_returns=False)
    return float(scan.ranges[LEVEL_RING])


# -- seen -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "text", "motion", "surface"),
    [
        ("acres://box", WALL, at(10.0), 9.5),
        ("acres://box", '{"size": [1.0, 8.0, 4.0]}', at(10.0, 0.0, 0.0, math.pi / 2.0), 6.0),
        ("acres://cylinder", '{"size": [3.0, 3.0, 4.0]}', at(12.0), 10.5),
        ("", '{"kind": "person", "size": [0.6, 0.6, 4.0]}', at(9.0), 8.7),
        ("acres://car", '{"size": [4.0, 2.0, 5.0]}', at(15.0), 13.0),
    ],
)
def test_the_level_beam_measures_the_surface_and_nothing_after_a_delete(
    flat: World, uri: str, text: str, motion: Motion, surface: float
) -> None:
    vehicle = rolling(flat)
    before = level_range(vehicle)
    assert before == math.inf
    spawn(vehicle, "it", uri, motion, text)
    assert level_range(vehicle) == pytest.approx(surface - SENSOR_X, abs=2e-3)
    delete(vehicle, Entities(vehicle), "it")
    assert level_range(vehicle) == before
    assert vehicle.whole_world is flat


def test_a_turned_box_shows_the_faces_of_its_corner(flat: World) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "it", "acres://box", at(10.0, 0.0, 0.0, math.pi / 4.0), '{"size": [2.0, 2.0, 4.0]}')
    pattern = LidarPattern.helios()
    scan = Lidar.of(vehicle.whole_world).scan(pattern, AT_REST, self_returns=False)
    starts, along = world_beams(pattern, AT_REST)
    # Ahead, each face is a plane x - |y| = 10 - sqrt(2); the level beams of the first columns meet the right one.
    for beam in range(LEVEL_RING, 8 * pattern.rings, pattern.rings):
        (x, y, _), (dx, dy, _) = starts[beam], along[beam]
        assert dy < 0.0
        assert scan.ranges[beam] == pytest.approx((10.0 - math.sqrt(2.0) - x - y) / (dx + dy), abs=1e-4)


def test_a_cone_and_a_bale_have_their_true_shapes(flat: World) -> None:
    """The level beam meets the slope of a cone at its height, and the round of a bale in front of its middle."""
    height = LidarPattern.helios().mount.pose[2]
    vehicle = rolling(flat)
    spawn(vehicle, "cone", "acres://cone", at(10.0), '{"size": [4.0, 4.0, 4.0]}')
    assert level_range(vehicle) == pytest.approx(8.0 + 0.5 * height - SENSOR_X, abs=0.02)
    delete(vehicle, Entities(vehicle), "cone")
    spawn(vehicle, "bale", "acres://round_bale", at(10.0), '{"size": [5.0, 4.0, 5.0]}')
    wanted = 10.0 - math.sqrt(2.5**2 - (height - 2.5) ** 2) - SENSOR_X
    assert level_range(vehicle) == pytest.approx(wanted, abs=0.03)


def test_the_material_is_that_of_the_scene_or_its_own(farm: World, flat: World) -> None:
    place = farm.places[0]
    ground = float(farm.terrain.height_at(place.x, place.y))
    for world, motion, materials in (
        (farm, at(place.x + 10.0, place.y, ground), ("water", "clothing")),
        (flat, at(9.0), ("straw",)),
    ):
        for material in materials:
            vehicle = Environment(world, load_parameters(), Start(x=place.x, y=place.y) if world is farm else Start())
            spawn(vehicle, "it", "acres://box", motion, f'{{"size": [1, 8, 4], "material": "{material}"}}')
            lidar, pattern = Lidar.of(vehicle.whole_world), LidarPattern.helios()
            pose = (motion.position[0] - 9.0, motion.position[1], motion.position[2], 0.0, 0.0, 0.0, 1.0)
            scan = lidar.scan(pattern, pose, self_returns=False)
            assert lidar.materials(pattern)[scan.materials[LEVEL_RING]].name == material


def test_what_is_far_away_changes_no_beam_of_the_farm(farm: World) -> None:
    place = farm.places[0]
    vehicle = Environment(farm, load_parameters(), Start(x=place.x, y=place.y))
    x, y = place.x - 350.0, place.y
    spawn(vehicle, "far", "acres://box", at(x, y, float(farm.terrain.height_at(x, y))))
    lidar, pattern = Lidar.of(farm), LidarPattern.helios()
    assert vehicle.whole_world.scene is not None
    pose = (place.x, place.y, float(farm.terrain.height_at(place.x, place.y)), 0.0, 0.0, 0.0, 1.0)
    first = lidar.scan(pattern, pose, noise=True)
    for other in (lidar.with_scene(vehicle.whole_world.scene), Lidar.of(vehicle.whole_world)):
        second = other.scan(pattern, pose, noise=True)
        assert second.points.tobytes() == first.points.tobytes()
    assert farm.scene is not None
    assert vehicle.whole_world.scene.obstacle_name(farm.scene.obstacle_count + VEHICLE_NUMBERS) == "far"


# -- touched ----------------------------------------------------------------------------------------------------------


def test_it_is_touched_at_the_step_at_which_the_body_reaches_it(flat: World) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "wall", "acres://box", at(8.0), WALL)
    samples = vehicle.step(240)
    touched = samples["vehicle"]["collision"] >= 0
    front = samples["vehicle"]["body"]["x"] + float(vehicle.parameters[0]["geometry"]["body_front_m"])
    behind = samples["vehicle"]["body"]["x"] - float(vehicle.parameters[0]["geometry"]["body_rear_m"])
    assert np.array_equal(touched, (front >= 7.5) & (behind <= 8.5)) and 0 < touched.argmax() < 240
    assert "touches wall" in str(vehicle.take_events())
    assert vehicle.collisions.last == "wall"


def test_a_touch_of_what_is_deleted_ends(flat: World) -> None:
    vehicle = rolling(flat)
    spawn(vehicle, "wall", "acres://box", at(8.0), WALL)
    while vehicle.vehicle["collision"] < 0:
        vehicle.step(1)
    delete(vehicle, Entities(vehicle), "wall")
    snapshot = vehicle.snapshot()
    assert (vehicle.step(120)["vehicle"]["collision"] == -1).all()
    assert "leaves a removed obstacle" in str(vehicle.take_events())
    state = whole(vehicle)
    vehicle.restore(snapshot)
    vehicle.step(120)
    vehicle.take_events()
    assert whole(vehicle) == state


def test_a_slot_is_used_again_only_when_all_have_been(flat: World) -> None:
    vehicle = rolling(flat)
    spawned, entities = Spawned(), Entities(vehicle)
    request = SpawnRequest("", True, "acres://cone", "", "", at(20.0))
    for _ in range(MOST_SPAWNED):
        spawned, _ = with_spawned(vehicle, entities, spawned, request)
    with pytest.raises(TooManyError, match="256"):
        with_spawned(vehicle, entities, spawned, request)
    spawned = spawned.without("cone-7")
    assert spawned.named("cone-7") is None
    spawned, name = with_spawned(vehicle, entities, spawned, request)
    assert name == "cone-7" and [one.slot for one in spawned.obstacles][-1] == 6
    vehicle.set_spawned(spawned)
    assert (
        vehicle.whole_world.scene is not None
        and vehicle.whole_world.scene.obstacle_count == VEHICLE_NUMBERS + MOST_SPAWNED
    )


def test_the_numbers_of_others_stay_when_one_is_deleted() -> None:
    world = corn_with_a_post()
    vehicle = environment(world)
    for name, x in (("a", 20.0), ("b", 30.0), ("c", 40.0)):
        spawn(vehicle, name, "acres://box", at(x))
    delete(vehicle, Entities(vehicle), "b")
    scene = vehicle.whole_world.scene
    assert scene is not None
    first = 2 + VEHICLE_NUMBERS
    names = [scene.obstacle_name(number) for number in (0, 1, *range(first, first + 3))]
    assert names == ["post -14", "post -9", "a", "a removed obstacle", "c"]
    assert scene.overlaps((40.0, 0.0), 0.0, 0.1, 0.1, 0.0, 1.0) == first + 2
    assert scene.overlaps((30.0, 0.0), 0.0, 0.1, 0.1, 0.0, 1.0) == -1


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
        ({"uri": "acres://polaris"}, VehicleResourceError, "not supported as a resource"),
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


# -- the state --------------------------------------------------------------------------------------------------------


def test_resets_put_back_or_remove(flat: World) -> None:
    vehicle = rolling(flat)
    entities = Entities(vehicle)
    spawn(vehicle, "it", "acres://box", at(10.0))
    put_spawned(vehicle, Entities(vehicle), "it", at(20.0))
    vehicle.restart_time()
    assert entities.motion("it").position == (20.0, 0.0, 0.0)
    vehicle.reset()
    assert entities.motion("it").position == (10.0, 0.0, 0.0)
    vehicle.restart()
    assert vehicle.spawned == Spawned() and vehicle.whole_world is flat
    spawn(vehicle, "it", "acres://box", at(10.0))
    vehicle.load_world(flat, Start())
    assert vehicle.spawned == Spawned() and entities.chosen(Filters()) == ["polaris"]


def test_nothing_spawned_is_a_run_without(flat: World) -> None:
    plain, other = rolling(flat), rolling(flat)
    spawn(other, "it", "acres://box", at(50.0))
    delete(other, Entities(other), "it")
    assert plain.step(120).tobytes() == other.step(120).tobytes()


def test_a_snapshot_has_it_and_forks_share_it(tmp_path: Path) -> None:
    world = corn_with_a_post()
    vehicle = environment(world)
    start_driving(vehicle)
    x = float(vehicle.vehicle["body"]["x"])
    spawn(vehicle, "wall", "acres://box", at(x + 4.0), WALL)
    spawn(vehicle, "gone", "acres://cone", at(x + 20.0))
    put_spawned(vehicle, Entities(vehicle), "gone", at(x + 21.0))
    vehicle.take_events()
    snapshot, state = vehicle.snapshot(), whole(vehicle)
    first = vehicle.step(240).tobytes()
    assert "touches wall" in str(vehicle.take_events())
    delete(vehicle, Entities(vehicle), "wall")
    vehicle.restore(snapshot)
    assert whole(vehicle) == state and vehicle.step(240).tobytes() == first
    fresh = environment(world)
    fresh.restore(reloaded(snapshot, tmp_path / "state"))
    (fork,) = fresh.fork(1)
    assert whole(fork) == whole(fresh) == state
    delete(fresh, Entities(fresh), "wall")
    assert fork.step(240).tobytes() == first
    assert fresh.step(240).tobytes() != first


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("used", lambda s: s._replace(used=0)),
        ("used", lambda s: s._replace(used=MOST_SPAWNED + 1)),
        ("slot", lambda s: s._replace(obstacles=(s.obstacles[0], s.obstacles[0]._replace(name="b")))),
        ("name", lambda s: s._replace(obstacles=(s.obstacles[0], s.obstacles[1]._replace(name="a")))),
        ("kind", lambda s: _changed(s, kind="tank")),
        ("size", lambda s: _changed(s, size=(1.0, 1.0, 500.0))),
        ("material", lambda s: _changed(s, material="air")),
        ("position", lambda s: _placed(s, position=(1e6, 0.0, 0.0))),
        ("turn", lambda s: _placed(s, turn=(1.0, 1.0))),
    ],
)
def test_a_snapshot_of_what_cannot_be_is_refused(flat: World, key: str, change) -> None:
    vehicle = rolling(flat)
    for name, x in (("a", 10.0), ("b", 20.0)):
        spawn(vehicle, name, "acres://box", at(x))
    snapshot, state = vehicle.snapshot(), whole(vehicle)
    wrong = snapshot.environment._replace(spawned=change(snapshot.environment.spawned))
    with pytest.raises(SnapshotError, match="spawned") as error:
        vehicle.restore(type(snapshot)(snapshot.origin, wrong))
    assert error.value.key in (f"environment.spawned.{key}", "environment.spawned.slot")
    assert whole(vehicle) == state


def _changed(spawned: Spawned, **changes: object) -> Spawned:
    one = spawned.obstacles[0]
    return spawned._replace(obstacles=(one._replace(resource=one.resource._replace(**changes)), spawned.obstacles[1]))


def _placed(spawned: Spawned, **changes: object) -> Spawned:
    one = spawned.obstacles[0]
    return spawned._replace(obstacles=(one._replace(home=one.home._replace(**changes)), spawned.obstacles[1]))
