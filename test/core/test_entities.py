"""The vehicle and the obstacles as entities: what they are, what they overlap, and the vehicle put at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from acres_ros.core import messages as m
from acres_ros.core.bounds import Box, Sphere, overlaps
from acres_ros.core.entities import Category, Entities, Filters, Info, Motion, UnknownEntityError, vehicle_motion
from acres_ros.core.entity_state import PoseError, TwistError, put_vehicle
from acres_ros.core.environment import Environment
from acres_ros.core.kinematics import BEFORE, MOTION, MOUNTING, derive
from acres_ros.core.named_poses import free_sphere, named_poses
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.world import UnknownNameError, World

STEP_S = 1 / 120
LEVEL = (0.0, 0.0, 0.0, 1.0)
AHEAD, HEIGHT = 1.243, 0.66


def parked(world: World, gear: str = "P") -> Environment:
    place = world.places[0]
    return Environment(world, load_parameters(), Start(x=place.x, y=place.y, yaw=place.yaw, gear=gear))


def drive(environment: Environment, seconds: float) -> np.ndarray:
    """Enable, engage L and turn left at 3 m/s."""
    environment.post(m.Enable())
    environment.post(m.GearCmd(cmd=5))
    samples = []
    for _ in range(round(seconds * 10)):
        environment.post(m.UlcCmd(cmd=3.0, cmd_type=1, enable=True))
        environment.post(m.SteeringCmd(cmd=150.0, cmd_type=2, enable=True))
        samples.append(environment.step(12))
    return np.concatenate(samples)


def matrix(q: Sequence[float]) -> np.ndarray:
    """Return the rotation matrix of a quaternion x, y, z, w."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# -- what there is ----------------------------------------------------------------------------------------------------


def test_the_vehicle_and_every_obstacle_have_a_name_of_their_own(farm: World) -> None:
    names = Entities(parked(farm)).chosen(Filters())
    assert farm.scene is not None
    assert names == ["polaris", *(outline.name for outline in farm.scene.outlines)]
    assert len(set(names)) == len(names) > 7000
    assert Entities(parked(farm), "second").chosen(Filters())[0] == "second"


def test_infos_tell_the_kind_and_choose_by_it(farm: World) -> None:
    entities = Entities(parked(farm))
    assert entities.info("polaris").category is Category.ROBOT
    assert entities.info("tree-0007") == Info(
        Category.STATIC_OBJECT, "an obstacle of the world: tree", ("obstacle", "tree")
    )
    assert entities.chosen(Filters(categories=frozenset({Category.ROBOT}))) == ["polaris"]
    assert len(entities.chosen(Filters(tags=frozenset({"bin"})))) == 26
    assert len(entities.chosen(Filters(tags=frozenset({"bin", "building"})))) == 26 + 63
    assert entities.chosen(Filters(tags=frozenset({"bin", "building"}), every=True)) == []
    assert len(entities.chosen(Filters(tags=frozenset({"bin", "obstacle"}), every=True))) == 26
    assert entities.chosen(Filters("^b[[:alpha:]]+-0*1$", tags=frozenset({"bin"}))) == ["bin-01"]
    with pytest.raises(UnknownEntityError, match="7066 more"):
        entities.info("unicorn")


def test_what_is_told_of_an_entity_lasts_until_a_restart_or_another_world(farm: World, yard: World) -> None:
    environment = parked(farm)
    entities = Entities(environment)
    told = Info(Category.HUMAN, "a scarecrow", ("straw",))
    entities.set_info("tree-0007", told)
    environment.reset()
    assert entities.chosen(Filters(tags=frozenset({"straw"}))) == ["tree-0007"]
    assert entities.is_static("tree-0007")
    environment.restart()
    assert entities.info("tree-0007").tags == ("obstacle", "tree")
    entities.set_info("polaris", told)
    environment.load_world(yard, Start())
    assert entities.chosen(Filters()) == ["polaris"]
    assert entities.info("polaris").category is Category.ROBOT


def test_an_obstacle_stands_in_the_middle_of_its_outline_and_its_box_holds_it(farm: World) -> None:
    entities = Entities(parked(farm))
    assert farm.scene is not None
    for outline in farm.scene.outlines[:90]:
        x, y, z = entities.motion(outline.name).position
        box = entities.bounds(outline.name)
        west, south, east, north = outline.extent()
        low, high = np.add((x, y, z), box.low), np.add((x, y, z), box.high)
        assert low == pytest.approx((west, south, outline.z_min))
        assert high == pytest.approx((east, north, outline.z_max))


def test_the_box_of_the_vehicle_is_its_body_from_the_ground_to_the_roof(yard: World) -> None:
    box = Entities(parked(yard)).bounds("polaris")
    assert box.low == pytest.approx((AHEAD - 1.70, -0.80, 0.0))
    assert box.high == pytest.approx((AHEAD + 2.10, 0.80, HEIGHT + 1.29))


# -- what overlaps ----------------------------------------------------------------------------------------------------


def test_a_sphere_finds_what_is_within_its_radius(farm: World) -> None:
    entities = Entities(parked(farm))
    x, y, z = entities.motion("building-001").position
    half = entities.bounds("building-001").high[0]
    for gap, found in ((1.01, True), (0.99, False)):
        sphere = Sphere((x + half + 1.0, y, z + 1.0), gap)
        assert ("building-001" in entities.chosen(Filters("^building-001$", volume=sphere))) == found
    place = farm.places[0]
    assert entities.chosen(Filters(volume=Sphere((place.x, place.y, z), 2.0))) == ["polaris"]


def test_a_box_finds_the_same_trees_as_a_look_at_each(farm: World) -> None:
    assert farm.scene is not None
    low, high = (560.0, -160.0, -5.0), (640.0, -80.0, 3.0)
    found = Entities(parked(farm)).chosen(Filters(volume=Box(low, high)))
    wanted = []
    for outline in farm.scene.outlines:
        west, south, east, north = outline.extent()
        beside = west > high[0] or east < low[0] or south > high[1] or north < low[1]
        if not beside and outline.z_min <= high[2] and outline.z_max >= low[2]:
            wanted.append(outline.name)
    assert found == wanted and len(found) > 50


def test_turned_boxes_overlap_where_points_of_one_lie_in_the_other() -> None:
    """Random boxes, against a fine lattice of points: what it finds overlaps, and deep overlaps are found by it."""
    numbers = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 15)] * 3), axis=-1).reshape(-1, 3)
    seen = {True: 0, False: 0}
    for _ in range(300):
        half, other = numbers.uniform(0.3, 2.0, 3), numbers.uniform(0.3, 2.0, 3)
        q = numbers.normal(size=4)
        q /= np.linalg.norm(q)
        position = numbers.uniform(-2.5, 2.5, 3)
        points = grid * half @ matrix(q).T + position

        def met(size: np.ndarray, points: np.ndarray = points) -> bool:
            return bool((np.abs(points) <= size).all(axis=1).any())

        def told(size: np.ndarray, half: np.ndarray = half, at: np.ndarray = position, q: np.ndarray = q) -> bool:
            return overlaps(Box(tuple(-size), tuple(size)), Box(tuple(-half), tuple(half)), tuple(at), tuple(q))

        if met(other):
            assert told(other)
        if not met(other + 0.4):
            assert not told(other)
        seen[told(other)] += 1
    assert min(seen.values()) > 50


def test_a_sphere_beside_a_turned_vehicle() -> None:
    """Half a turn of 90 deg: the box reaches 3.3 m to the north, 0.8 m to the east."""
    box, q = Box((-0.5, -0.8, 0.0), (3.3, 0.8, 2.0)), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    assert overlaps(Sphere((10.0, 24.2, 1.0), 1.0), box, (10.0, 20.0, 0.0), q)
    assert not overlaps(Sphere((10.0, 24.4, 1.0), 1.0), box, (10.0, 20.0, 0.0), q)
    assert overlaps(Sphere((11.7, 21.0, 1.0), 1.0), box, (10.0, 20.0, 0.0), q)
    assert not overlaps(Sphere((11.9, 21.0, 1.0), 1.0), box, (10.0, 20.0, 0.0), q)


# -- named poses ------------------------------------------------------------------------------------------------------


def test_places_are_named_poses_on_the_ground(farm: World) -> None:
    poses = named_poses(farm)
    assert [pose.name for pose in poses] == [place.id for place in farm.places]
    assert [("default" in pose.tags) for pose in poses] == [True] + [False] * (len(poses) - 1)
    for pose, place in zip(poses, farm.places, strict=True):
        assert pose.position == (place.x, place.y, farm.terrain.height_at(place.x, place.y))
        assert 2.0 * math.atan2(pose.orientation[2], pose.orientation[3]) == pytest.approx(
            math.remainder(place.yaw, 2.0 * math.pi)
        )


def test_the_sphere_about_a_place_holds_no_obstacle_and_stays_on_the_map(farm: World) -> None:
    assert farm.scene is not None
    place = farm.places[0]
    radius = free_sphere(farm, place.id).radius
    assert radius == farm.scene.nearest_obstacle(place.x, place.y, 100.0) > 0.0
    assert free_sphere(World.flat(), "origin").radius == 50.0
    edge = replace(farm.places[0], x=761.0, y=0.0)
    assert free_sphere(replace(farm, places=(edge,), scene=None), edge.id).radius == pytest.approx(1.0)
    with pytest.raises(UnknownNameError):
        free_sphere(farm, "nowhere")


# -- the vehicle's motion ---------------------------------------------------------------------------------------------


def test_velocity_and_acceleration_of_the_link_are_the_changes_of_its_pose(yard: World) -> None:
    environment = parked(yard)
    drive(environment, 4.0)
    motions = []
    for _ in range(3):
        environment.step(1)
        motions.append(vehicle_motion(environment))
    positions = np.array([motion.position for motion in motions])
    velocities = np.array([motion.velocity for motion in motions])
    assert (positions[2] - positions[1]) / STEP_S == pytest.approx(0.5 * (velocities[1] + velocities[2]), abs=0.02)
    assert (velocities[2] - velocities[1]) / STEP_S == pytest.approx(motions[2].acceleration, abs=0.02)
    turns = np.subtract(motions[2].angular_velocity, motions[1].angular_velocity) / STEP_S
    assert turns == pytest.approx(motions[2].angular_acceleration, abs=1e-9)
    assert np.hypot(*velocities[2][:2]) > 1.0 and abs(motions[2].angular_velocity[2]) > 0.05


def test_before_a_step_there_is_no_acceleration(yard: World) -> None:
    environment = parked(yard)
    assert vehicle_motion(environment).acceleration == (0.0, 0.0, 0.0)
    environment.step(3)
    put_vehicle(environment, vehicle_motion(environment))
    assert vehicle_motion(environment).angular_acceleration == (0.0, 0.0, 0.0)


# -- put ---------------------------------------------------------------------------------------------------------------


def test_what_is_put_is_what_is_read(yard: World) -> None:
    environment = parked(yard)
    drive(environment, 1.0)
    turn = np.array([0.1, -0.2, 0.5, 0.8])
    q = tuple(turn / np.linalg.norm(turn))
    wanted = Motion((20.0, -100.0, 1.5), q, (1.0, -2.0, 0.5), (0.1, 0.2, -0.3))
    put_vehicle(environment, wanted)
    motion = vehicle_motion(environment)
    for given, found in zip(wanted[:4], motion[:4], strict=True):
        assert found == pytest.approx(given, abs=1e-12)


def test_to_write_back_what_was_read_changes_no_more_than_rounding(yard: World) -> None:
    one, other = parked(yard), parked(yard)
    for environment in (one, other):
        drive(environment, 4.0)
    put_vehicle(other, vehicle_motion(other))
    first, second = drive(one, 3.0), drive(other, 3.0)
    for key in ("x", "y", "z", "vx", "vy", "wz"):
        a, b = first["vehicle"]["body"][key], second["vehicle"]["body"][key]
        assert np.abs(a - b).max() < 1e-9, key


def test_a_vehicle_at_rest_that_is_moved_stays_there_on_its_springs(yard: World) -> None:
    environment = parked(yard)
    environment.step(240)
    here = vehicle_motion(environment)
    x, y, z = here.position
    put_vehicle(environment, here._replace(position=(x + 30.0, y + 5.0, z)))
    body = environment.step(240)["vehicle"]["body"]
    assert abs(body["vz"]).max() < 0.1
    assert vehicle_motion(environment).position == pytest.approx((x + 30.0, y + 5.0, z), abs=0.02)


def test_nothing_that_is_not_the_body_is_reset(yard: World) -> None:
    """The drive-by-wire stays enabled, the gear engaged, the command alive: it drives on from the new place."""
    environment = parked(yard)
    last = drive(environment, 4.0)[-1]
    epoch, step = environment.epoch, environment.step_count
    here = vehicle_motion(environment)
    put_vehicle(environment, here._replace(position=(here.position[0] + 10.0, here.position[1], here.position[2])))
    after = environment.step(1)[0]
    assert (after["epoch"], after["step"]) == (epoch, step + 1)
    assert after["gateway"]["dbw_enabled"] == last["gateway"]["dbw_enabled"] == 1
    assert after["vehicle"]["dbw"]["steering"]["angle_deg"] == pytest.approx(
        last["vehicle"]["dbw"]["steering"]["angle_deg"], abs=5
    )
    assert after["vehicle"]["body"]["vx"] == pytest.approx(last["vehicle"]["body"]["vx"], abs=0.1)
    assert after["vehicle"]["wheel"]["spin"] == pytest.approx(last["vehicle"]["wheel"]["spin"], abs=0.3)


def test_wheels_turn_with_a_speed_that_is_given_and_the_ledger_of_energy_still_closes(yard: World) -> None:
    environment = parked(yard, "N")
    environment.step(120)
    here = vehicle_motion(environment)
    put_vehicle(environment, here._replace(velocity=(0.0, 8.0, 0.0)))
    samples = environment.step(120)
    spin = samples["vehicle"]["wheel"]["spin"]
    assert spin[0] == pytest.approx([8.0 / (0.33 * 0.96)] * 4, rel=0.08)
    assert samples["vehicle"]["body"]["vy"][-1] == pytest.approx(8.0, abs=0.5)
    assert np.abs(samples["vehicle"]["energy"]["residual"]).max() < 1e-6


def test_a_vehicle_that_is_put_into_the_air_falls(yard: World) -> None:
    environment = parked(yard)
    here = vehicle_motion(environment)
    x, y, z = here.position
    put_vehicle(environment, here._replace(position=(x, y, z + 5.0)))
    body = environment.step(60)["vehicle"]["body"]
    assert body["vz"] == pytest.approx(-9.80665 * STEP_S * np.arange(1, 61), abs=0.01)


def test_no_acceleration_is_measured_across_a_put(yard: World) -> None:
    environment = parked(yard)
    place, motions = MOUNTING.new(1), []
    place["imu"]["x"] = -0.9
    state = place.view(np.ndarray), BEFORE.new(1).view(np.ndarray), MOTION.new(1).view(np.ndarray)
    for step in range(4):
        if step == 2:
            put_vehicle(environment, vehicle_motion(environment)._replace(angular_velocity=(0.0, 0.0, 1.0)))
        derive(environment.step(1), *state)
        motions.append(state[2]["imu"].copy())
    # 1 rad/s at 0.9 m from the centre of mass: 0.9 m/s^2 towards it; a change in one step would show 108 m/s^2.
    assert abs(motions[2]["fy"][0] - motions[1]["fy"][0]) < 5.0
    assert motions[2]["fx"][0] - motions[1]["fx"][0] == pytest.approx(0.9, abs=0.5)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"position": (math.nan, 0.0, 1.0)}, PoseError, "finite"),
        ({"position": (0.0, math.inf, 1.0)}, PoseError, "finite"),
        ({"orientation": (0.0, 0.0, 0.0, 0.0)}, PoseError, "length 1"),
        ({"orientation": (0.0, 0.0, 0.0, 1.0011)}, PoseError, "length 1"),
        ({"orientation": (0.0, math.nan, 0.0, 1.0)}, PoseError, "finite"),
        ({"orientation": (1e200, 1e200, 0.0, 1.0)}, PoseError, "length 1"),
        ({"position": (1e6, 0.0, 1.0)}, PoseError, "on the map"),
        ({"position": (0.0, 0.0, -0.5)}, PoseError, "above the ground"),
        ({"position": (0.0, 0.0, 1e308)}, PoseError, "above the ground"),
        ({"velocity": (20.0, 20.0, 0.0)}, TwistError, "25 m/s"),
        ({"velocity": (math.nan, 0.0, 0.0)}, TwistError, "finite"),
        ({"angular_velocity": (0.0, 0.0, -math.inf)}, TwistError, "rad/s"),
    ],
)
def test_what_cannot_be_is_refused_and_not_a_bit_changes(
    change: dict[str, tuple[float, ...]], error: type[Exception], words: str
) -> None:
    world = World.flat()
    one, other = Environment(world, load_parameters()), Environment(world, load_parameters())
    for environment in (one, other):
        environment.step(7)
    with pytest.raises(error, match=words):
        put_vehicle(other, vehicle_motion(other)._replace(**change))
    assert one.step(24).tobytes() == other.step(24).tobytes()
