"""Spawned obstacles: seen and touched where they stand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lidar_rig import world_beams
from snapshot_rig import corn_with_a_post, environment, whole
from spawned_rig import AT_REST, LEVEL_RING, SENSOR_X, WALL, at, level_range, rolling, spawn

from acres_ros.core.entities import Entities, Motion
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.spawnables import Resource
from acres_ros.core.spawned import MOST_SPAWNED, VEHICLE_NUMBERS, Spawned
from acres_ros.core.spawning import SpawnRequest, TooManyError, delete, with_spawned
from acres_ros.core.start import Start
from acres_ros.world import World

CONE = Resource("cone", (0.3, 0.3, 0.75), "plastic")

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
    request = SpawnRequest("", True, "", at(20.0))
    for _ in range(MOST_SPAWNED):
        spawned, _ = with_spawned(vehicle, entities, spawned, request, CONE)
    with pytest.raises(TooManyError, match="256"):
        with_spawned(vehicle, entities, spawned, request, CONE)
    spawned = spawned.without("cone-7")
    assert spawned.named("cone-7") is None
    spawned, name = with_spawned(vehicle, entities, spawned, request, CONE)
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
