"""Drive the stand-in by the topics of the car, as a user does (rows C6 to C9; trials E59 to E66, I96)."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import pytest
from acres_interfaces.msg import DriverInput
from ds_dbw_msgs.msg import BrakeCmd, Gear, GearCmd, SteeringCmd, ThrottleCmd, UlcCmd
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Empty
from system_rig import COMMANDS, OK, PAUSED, PLAYING, STRAIGHT_DEG, TYPES, Shared, User, wait_for

pytestmark = pytest.mark.system

UNITS = ("pressure", "torque", "accel", "percent")
LATCHED = {"/tf_static", "/robot_description"}
# What has no value on this vehicle, or none for the type of command at the moment (Dataspeed ds_dbw_can 2.3.11).
MAY_BE_NAN = {
    "SteeringReport": {"cmd", "steering_column_torque", "actuator_temp", "limit_rate", "limit_value"},
    "ThrottleReport": {"percent_input", "percent_cmd", "percent_output", "limit_value"},
    "BrakeReport": {
        f"{quantity}_{part}"
        for quantity in ("pressure", "torque", "accel", "percent")
        for part in ("input", "cmd", "output")
    }
    | {"limit_value", "brake_available_duration"},
}
FINITE = (
    "/clock",
    "/tf",
    "/ground_truth/odometry",
    "/novatel/oem7/odom",
    "/novatel/oem7/imu/data",
    "/novatel/oem7/fix",
)
FINITE += ("/vehicle/vehicle_velocity", "/vehicle/wheel_speeds", "/vehicle/ulc/report", "/vehicle/imu/data_raw")


# -- the topics -------------------------------------------------------------------------------------------------------


def test_every_topic_has_the_type_and_qos_of_the_car(shared: Shared) -> None:
    node = shared.user.node
    for topic, kind in TYPES.items():
        own = [
            info
            for info in node.get_publishers_info_by_topic(topic)
            if info.node_name in ("acres_vehicle", "acres_physics")
        ]
        assert [info.node_name for info in own] == ["acres_vehicle"], topic
        (info,) = own
        assert info.topic_type == f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
        assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE, topic
        durable = DurabilityPolicy.TRANSIENT_LOCAL if topic in LATCHED else DurabilityPolicy.VOLATILE
        assert info.qos_profile.durability == durable, topic


def test_every_command_is_heard_by_one_reliable_volatile_subscription(shared: Shared) -> None:
    for topic, kind in COMMANDS.items():
        (info,) = shared.user.node.get_subscriptions_info_by_topic(topic)
        assert info.node_name == "acres_physics"
        assert info.topic_type.endswith(f"/{kind.__name__}")
        assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
        assert info.qos_profile.durability == DurabilityPolicy.VOLATILE


def test_frame_ids_are_empty_but_for_the_imu(user: User) -> None:
    user.step(120)
    frames = {
        topic: {message.header.frame_id for message in user.messages(topic)}
        for topic in TYPES
        if topic.startswith("/vehicle/") and topic != "/vehicle/dbw_enabled"
    }
    assert frames.pop("/vehicle/imu/data_raw") == {"base_footprint"}
    assert len(frames) == 19
    assert set(map(frozenset, frames.values())) == {frozenset({""})}


def test_dbw_enabled_comes_at_20_hz_and_is_not_latched(user: User) -> None:
    user.step(60)
    assert [message.data for message in user.messages("/vehicle/dbw_enabled")] == [False] * 10
    late = user.node.create_subscription(
        Bool,
        "/vehicle/dbw_enabled",
        lambda _: None,
        QoSProfile(depth=2, durability=DurabilityPolicy.TRANSIENT_LOCAL),
    )
    volatile = user.node.create_subscription(Bool, "/vehicle/dbw_enabled", lambda _: None, QoSProfile(depth=2))
    wait_for(volatile.get_publisher_count, "a match")
    assert late.get_publisher_count() == 0
    user.node.destroy_subscription(late)
    user.node.destroy_subscription(volatile)


# -- driving ----------------------------------------------------------------------------------------------------------


def test_enable_gear_and_a_speed_move_the_car(user: User) -> None:
    user.step(12)
    assert user.last("/vehicle/gear/report").gear.value == Gear.PARK
    user.enable()
    user.step(6)
    assert user.last("/vehicle/dbw_enabled").data
    user.select(Gear.LOW)
    user.step(150)
    assert user.last("/vehicle/gear/report").gear.value == Gear.LOW
    user.start_driving(2.0, 5.0)
    assert 1.2 < user.last("/ground_truth/odometry").twist.twist.linear.x < 2.8
    assert user.last("/vehicle/vehicle_velocity").vehicle_velocity_brake == pytest.approx(2.0, abs=0.8)
    report = user.last("/vehicle/ulc/report")
    assert report.enabled and not report.timeout


def test_nothing_moves_that_was_not_enabled(user: User) -> None:
    user.select(Gear.LOW)
    for _ in range(20):
        user.steer(200.0)
        user.drive(3.0)
        user.step_result(6)
    user.settle()
    assert not user.last("/vehicle/dbw_enabled").data
    assert user.last("/vehicle/steering/report").steering_wheel_angle == pytest.approx(STRAIGHT_DEG, abs=13.0)
    assert abs(user.last("/ground_truth/odometry").twist.twist.linear.x) < 0.01


@pytest.mark.parametrize(("applied", "controlled"), [(12, True), (11, False)])
def test_control_lasts_12_steps_after_the_last_message_and_ends_in_the_13th(
    user: User, applied: int, controlled: bool
) -> None:
    """Row A3: steps 24 of both runs have a report; the message applied in step 12 is 12 steps old, the other 13."""
    user.enable()
    user.step(applied - 1)
    user.steer(100.0)
    user.step(24 - applied + 1)
    report = user.last("/vehicle/steering/report")
    assert (report.header.stamp.sec, report.header.stamp.nanosec) == (0, 200_000_000)
    assert report.enabled == controlled
    assert report.timeout != controlled


def test_the_driver_overrides_and_the_next_enable_ends_it(user: User) -> None:
    user.start_driving(3.0, 4.0)
    fast = user.last("/ground_truth/odometry").twist.twist.linear.x
    user.send("/acres/driver_input", DriverInput(brake_bar=20.0))
    for _ in range(10):
        user.steer()
        user.drive(3.0)
        user.step_result(6)
    user.settle()
    assert not user.last("/vehicle/dbw_enabled").data
    assert user.last("/vehicle/brake/report").override_active
    assert user.last("/ground_truth/odometry").twist.twist.linear.x < fast - 0.2
    user.send("/acres/driver_input", DriverInput())
    user.step(60)
    assert user.last("/vehicle/brake/report").override_active, "it stays in the reports until the next enable"
    assert not user.last("/vehicle/dbw_enabled").data
    user.start_driving(3.0, 4.0)
    assert user.last("/vehicle/dbw_enabled").data
    assert not user.last("/vehicle/brake/report").override_active
    assert user.last("/ground_truth/odometry").twist.twist.linear.x > 2.0


def test_a_disable_ends_control(user: User) -> None:
    user.start_driving(3.0, 3.0)
    user.send("/vehicle/disable", Empty())
    user.step(6)
    assert not user.last("/vehicle/dbw_enabled").data
    assert not user.last("/vehicle/steering/report").enabled


def test_a_rejected_type_is_said_once(shared: Shared, user: User) -> None:
    user.enable()
    begin = len(shared.stand_in.output)
    for _ in range(5):
        user.send("/vehicle/steering/cmd", SteeringCmd(cmd_type=SteeringCmd.CMD_TORQUE, cmd=3.0, enable=True))
        user.send("/vehicle/brake/cmd", BrakeCmd(cmd_type=BrakeCmd.CMD_TORQUE, cmd=3.0, enable=True))
        user.step(6)

    def said() -> list[str]:
        return [line for line in shared.stand_in.output[begin:] if "TORQUE" in line and "WARN" in line]

    wait_for(lambda: len(said()) >= 2, "a warning of each")
    user.settle()
    assert len(said()) == 2, "\n".join(said())
    report = user.last("/vehicle/steering/report")
    assert report.degraded and not report.enabled


def test_a_best_effort_command_is_not_heard(user: User) -> None:
    publisher = user.node.create_publisher(
        SteeringCmd, "/vehicle/steering/cmd", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    )
    user.enable()
    command = SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=100.0, enable=True)
    publisher.publish(command)
    user.step(6)
    assert publisher.get_subscription_count() == 0
    assert not user.last("/vehicle/steering/report").enabled
    user.node.destroy_publisher(publisher)
    user.send("/vehicle/steering/cmd", command)
    user.step(6)
    assert user.last("/vehicle/steering/report").enabled


# -- garbage ----------------------------------------------------------------------------------------------------------

NASTY = (math.nan, math.inf, -math.inf, 3.4e38, -3.4e38, 1e-45, -0.0, 0.0)


def numbers(message: Any, path: str = "") -> dict[str, float]:
    """Return every floating-point number of a message by its path."""
    found: dict[str, float] = {}
    if isinstance(message, float):
        return {path: message}
    if hasattr(message, "get_fields_and_field_types"):
        for name in message.get_fields_and_field_types():
            found |= numbers(getattr(message, name), f"{path}.{name}".strip("."))
    elif not isinstance(message, str | bytes | bool | int):
        for index, item in enumerate(message):
            found |= numbers(item, f"{path}[{index}]")
    return found


def garbage(kind: type, source: random.Random) -> Any:
    """Return a message whose every field is drawn from all that its type can hold."""
    message = kind()
    for name, form in message.get_fields_and_field_types().items():
        value = getattr(message, name)
        if form == "boolean":
            setattr(message, name, source.random() < 0.7)
        elif form == "uint8":
            setattr(message, name, source.choice((0, 1, 2, 3, 4, 14, source.randrange(256))))
        elif form == "float":
            bits = struct.unpack("<f", source.randbytes(4))[0]
            setattr(message, name, source.choice((*NASTY, bits, source.uniform(-500.0, 500.0))))
        elif hasattr(value, "value"):
            value.value = source.choice((0, 1, 4, 5, source.randrange(256)))
    return message


def assert_finite(user: User) -> None:
    for topic in FINITE:
        for message in user.messages(topic):
            bad = {path: number for path, number in numbers(message).items() if not math.isfinite(number)}
            assert not bad, f"{topic}: {bad}"
    for topic, kind in TYPES.items():
        allowed = MAY_BE_NAN.get(kind.__name__)
        if allowed is not None:
            for message in user.messages(topic):
                bad = {p: n for p, n in numbers(message).items() if not math.isfinite(n) and p not in allowed}
                assert not bad, f"{topic}: {bad}"


def test_numbers_that_are_none_are_refused_and_shown(shared: Shared, user: User) -> None:
    user.start_driving(2.0, 3.0)
    user.forget()
    for _ in range(25):
        user.send("/vehicle/steering/cmd", SteeringCmd(cmd_type=2, cmd=math.nan, cmd_rate=math.nan, enable=True))
        user.send("/vehicle/ulc/cmd", UlcCmd(cmd_type=1, cmd=math.nan, limit_accel=math.inf, enable=True))
        user.send("/vehicle/throttle/cmd", ThrottleCmd(cmd_type=14, cmd=math.inf, enable=True))
        user.send("/vehicle/brake/cmd", BrakeCmd(cmd_type=1, cmd=-math.inf, enable=True))
        user.send("/acres/driver_input", DriverInput(throttle_pct=math.nan))
        user.step_result(6)
    user.settle()
    assert_finite(user)
    report = user.last("/vehicle/steering/report")
    assert report.degraded and not report.enabled and not report.fault
    user.start_driving(2.0, 1.0)
    assert user.last("/vehicle/steering/report").enabled, "good commands act again"


@pytest.mark.parametrize("seed", [1, 2])
def test_garbage_in_every_field_leaves_every_number_finite(shared: Shared, user: User, seed: int) -> None:
    source = random.Random(seed)
    user.start_driving(2.0, 2.0)
    user.forget()
    topics = sorted(COMMANDS)
    for _ in range(100):
        for _ in range(5):
            topic = source.choice(topics)
            user.send(topic, garbage(COMMANDS[topic], source))
        user.step_result(6)
        user.recorder.take()
    user.settle()
    assert len(user.ticks()) == 600
    assert_finite(user)
    pose = user.last("/ground_truth/odometry").pose.pose.position
    assert math.hypot(pose.x + 38.71, pose.y + 140.513) < 60.0
    assert shared.stand_in.processes["acres_physics"].poll() is None


def test_garbage_in_a_free_run_leaves_the_clock_going(shared: Shared, user: User) -> None:
    source = random.Random(3)
    assert user.set_state(PLAYING).result == OK
    topics = sorted(COMMANDS)
    for _ in range(300):
        topic = source.choice(topics)
        user.send(topic, garbage(COMMANDS[topic], source))
        user.recorder.take()
    count = len(user.recorder.rows["/clock"])
    wait_for(lambda: user.recorder.take() or len(user.recorder.rows["/clock"]) > count + 24, "time going on")
    assert user.set_state(PAUSED).result == OK
    user.settle()
    assert_finite(user)


def test_an_unused_gear_and_reverse_by_topic(user: User) -> None:
    user.enable()
    user.send("/vehicle/gear/cmd", GearCmd(cmd=Gear(value=Gear.SPORT)))
    user.step(150)
    assert user.last("/vehicle/gear/report").gear.value == Gear.PARK
    user.select(Gear.REVERSE)
    for _ in range(80):
        user.steer()
        user.drive(-1.5)
        user.step_result(6)
    user.settle()
    assert user.last("/vehicle/gear/report").gear.value == Gear.REVERSE
    assert user.last("/ground_truth/odometry").twist.twist.linear.x < -0.3
    assert user.last("/vehicle/vehicle_velocity").vehicle_velocity_brake < -0.3
