"""A drive on the farm by ROS: soil water, crop and obstacles are felt, told, and repeat to the bit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from acres_interfaces.msg import FarmReport
from acres_interfaces.srv import GetFarm, ResetVehicle, SetConditions, SetParameters
from ds_dbw_msgs.msg import Gear
from rclpy.node import Node
from ros_domain import reserve
from system_rig import OK, OWN_DOMAIN, START_S, User, joined, wait_for

from acres_ros.cli.up import StandIn, started
from acres_ros.nodes.lockstep_program import LockstepProgram, Run, first_difference
from acres_ros.world import World, load_world

pytestmark = pytest.mark.system

FARM_DOMAIN = reserve()
REPORT = "/acres/farm_report"
ODOMETRY = "/ground_truth/odometry"
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


@pytest.fixture(scope="module")
def farm() -> World:
    return load_world("farm")


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with started({"paused": True, "world": "farm"}, domain=FARM_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        yield stand_in


@pytest.fixture(scope="module")
def joined_user(stand_in: StandIn) -> Iterator[User]:
    with joined(FARM_DOMAIN) as ros:
        user = User(ros)
        user.settle()
        yield user


@pytest.fixture
def user(joined_user: User) -> User:
    """Give the user of the farm: paused, everything as at the start."""
    assert joined_user.reset().result == OK
    joined_user.forget()
    return joined_user


def put(user: User, **fields: object) -> None:
    answer = user.call(ResetVehicle, "/acres/reset_vehicle", **{"gear": Gear.LOW} | fields)
    assert answer.success, answer.message
    user.forget()


def set_water(user: User, **fields: object) -> None:
    answer = user.call(SetConditions, "/acres/set_conditions", **fields)
    assert answer.success, answer.message


def reports(user: User) -> list[FarmReport]:
    return user.messages(REPORT)


def mean(messages: list[FarmReport], name: str) -> float:
    return float(np.mean([getattr(getattr(message, corner), name) for message in messages for corner in CORNERS]))


# -- soil water -------------------------------------------------------------------------------------------------------


def test_in_wet_soil_the_wheels_sink_deeper(user: User) -> None:
    drives = []
    for fraction in (0.1, 0.9):
        put(user, place="field-24")
        set_water(user, global_fraction=fraction)
        user.start_driving(2.0, 6.0)
        drives.append(reports(user)[20:])
    dry, wet = drives
    assert mean(wet, "sinkage_m") > 1.2 * mean(dry, "sinkage_m") > 0.0
    assert mean(wet, "moisture") > mean(dry, "moisture") > 0.0
    assert 0.0 < mean(wet, "cone_index_kpa") < mean(dry, "cone_index_kpa")


def test_a_field_has_its_own_water(user: User, farm: World) -> None:
    place = farm.place("field-24")
    number = farm.field_at(place.x, place.y)
    assert number == 24
    set_water(user, global_fraction=0.9, fields=[number], fractions=[0.1])
    put(user, place="field-24")
    user.step(24)
    dry = mean(reports(user), "moisture")
    set_water(user, fields=[number], fractions=[-1.0])
    user.forget()
    user.step(24)
    assert mean(reports(user), "moisture") > dry


def test_water_on_the_surface_holds_the_wheels_back(user: User) -> None:
    put(user, place="county-road", speed=8.0, gear=Gear.DRIVE)
    user.step(12)
    assert mean(reports(user), "water_drag_n") == 0.0
    set_water(user, surface_film=1.0)
    put(user, place="county-road", speed=8.0, gear=Gear.DRIVE)
    user.step(12)
    assert mean(reports(user), "water_drag_n") > 5.0


# -- crop -------------------------------------------------------------------------------------------------------------


def test_crop_is_crushed_counted_by_field_and_grown_again_after_a_reset(user: User) -> None:
    put(user, place="field-24")
    user.start_driving(2.0, 6.0)
    total = reports(user)[-1].crushed_m2
    answer = user.call(GetFarm, "/acres/get_farm")
    assert answer.world == "farm"
    # 1.6 m of body and more, over the way that was driven.
    way = user.messages(ODOMETRY)
    metres = math.hypot(
        way[-1].pose.pose.position.x - way[0].pose.pose.position.x,
        way[-1].pose.pose.position.y - way[0].pose.pose.position.y,
    )
    assert metres > 2.0
    assert answer.crushed_m2 == pytest.approx(total, abs=0.5), "the report is of a step up to 0.1 s before"
    assert 1.4 * metres < answer.crushed_m2 < 1.8 * metres + 3.0 * 8.0
    assert answer.crushed_by_field[24] == answer.crushed_m2 == pytest.approx(sum(answer.crushed_by_field))
    assert sum(answer.crushed_by_zone) == pytest.approx(answer.crushed_m2)
    assert max(message.crop_force_n for message in reports(user)) > 100.0
    put(user, place="spawn-icsc-garage")
    assert user.call(GetFarm, "/acres/get_farm").crushed_m2 == 0.0


# -- obstacles --------------------------------------------------------------------------------------------------------


def before_a_wall(farm: World) -> tuple[dict[str, float], str]:
    """Return a pose on rigid ground 8 m before an obstacle that lies ahead, and the name of the obstacle."""
    scene = farm.scene
    assert scene is not None
    for number in range(scene.obstacle_count):
        outline = scene.obstacles.outlines[number]
        x, y = 0.5 * (outline["west"] + outline["east"]), outline["south"]
        if outline["count"] < 4 or outline["east"] - outline["west"] < 6.0:
            continue
        start = (x, y - 12.0)
        if all(farm.surface_class_at(x, y - d) in (1, 2, 3, 7) for d in (1.0, 4.0, 8.0, 12.0)) and all(
            scene.nearest_obstacle(x, y - d, 3.0) >= min(3.0, d - 0.5) for d in (4.0, 8.0, 12.0, 14.0)
        ):
            return {"x": float(start[0]), "y": float(start[1]), "yaw": math.pi / 2}, scene.obstacle_name(number)
    raise AssertionError("no wall of the farm can be driven at from the south")


def test_an_obstacle_is_flagged_named_and_logged_and_does_not_stop_the_vehicle(
    user: User, farm: World, stand_in: StandIn
) -> None:
    pose, name = before_a_wall(farm)
    put(user, **pose)
    lines = len(stand_in.output)
    user.start_driving(3.0, 8.0)
    touched = [message for message in reports(user) if message.collision]
    assert touched and {message.obstacle_name for message in touched} == {name}
    assert not reports(user)[0].collision
    assert user.last(ODOMETRY).pose.pose.position.y > pose["y"] + 12.0, "it drove on into the obstacle"
    wait_for(lambda: any(f"touches {name} at (" in line for line in stand_in.output[lines:]), "a line in the log")


def test_on_request_an_obstacle_stops_the_vehicle(user: User, farm: World) -> None:
    pose, name = before_a_wall(farm)
    answer = user.call(SetParameters, "/acres/set_parameters", keys=["collision.stop"], values=[1.0])
    assert answer.success, answer.message
    put(user, **pose)
    user.start_driving(3.0, 8.0)
    last = user.last(ODOMETRY)
    # The nose is 3.34 m ahead of base_footprint, and the wall 12 m.
    assert last.pose.pose.position.y == pytest.approx(pose["y"] + 12.0 - 3.34, abs=0.2)
    assert abs(last.twist.twist.linear.x) < 0.2
    assert name in {message.obstacle_name for message in reports(user)}


# -- repeats ----------------------------------------------------------------------------------------------------------


def drive_in_new_processes(*, composed: bool) -> Run:
    with started({"paused": True, "composed": composed, "world": "farm"}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros)
            set_water(user, global_fraction=0.8, surface_film=0.5)
            put(user, place="field-24")
            return LockstepProgram(Node("program", context=ros)).run(seconds=4.0)


def test_the_farm_repeats_to_the_bit_in_one_process_and_in_two() -> None:
    first = drive_in_new_processes(composed=False)
    assert first.hashes[REPORT][0] > 10
    assert first_difference(first, drive_in_new_processes(composed=True)) is None
