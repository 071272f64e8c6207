"""Names, types, QoS and rates against a table written from the interface of the real node and from the spec."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, HistoryPolicy, ReliabilityPolicy
from vehicle_rig import exact, published, samples

from acres_ros.nodes.topics import BY_KEY, TOPICS, full_name

# Real node: topic below /vehicle, type, depth, CAN rate (Hz).
REAL = {
    "steering/report": ("SteeringReport", 2, 100),
    "brake/report": ("BrakeReport", 2, 50),
    "throttle/report": ("ThrottleReport", 2, 50),
    "gear/report": ("GearReport", 2, 10),
    "system/report": ("SystemReport", 2, 10),
    "vehicle_velocity": ("VehicleVelocity", 2, 50),
    "ulc/report": ("UlcReport", 2, 50),
    "wheel_speeds": ("WheelSpeeds", 2, 100),
    "wheel_positions": ("WheelPositions", 2, 50),
    "turn_signal/report": ("TurnSignalReport", 2, 10),
    "drive_mode/report": ("DriveModeReport", 2, 10),
    "misc/report": ("MiscReport", 2, 20),
    "steering/info": ("SteeringInfo", 2, 2),
    "brake/info": ("BrakeInfo", 2, 100),
    "throttle/info": ("ThrottleInfo", 2, 100),
    "propulsion/info": ("PropulsionInfo", 2, 50),
    "tire_pressures": ("TirePressures", 2, 2),
    "fuel_level": ("FuelLevel", 2, 2),
    "imu/data_raw": ("Imu", 10, 100),
    "gps/fix": ("NavSatFix", 10, 1),
    "dbw_enabled": ("Bool", 2, 20),
}
REPORT_GRID = {
    *("steering/report", "throttle/report", "brake/report", "gear/report", "ulc/report", "vehicle_velocity"),
    "system/report",
}
CAN_SIGNALS = {
    *("wheel_speeds", "wheel_positions", "turn_signal/report", "drive_mode/report", "misc/report", "steering/info"),
    *("brake/info", "throttle/info", "propulsion/info", "dbw_enabled"),
}
SECONDS = 10
STEPS = 120 * SECONDS


@pytest.mark.parametrize("key", REAL)
def test_drive_by_wire_topics_are_those_of_the_real_node(key: str) -> None:
    topic = BY_KEY[key]
    kind, depth, rate = REAL[key]
    assert (topic.type.__name__, topic.depth, topic.vehicle_hz) == (kind, depth, rate)
    assert full_name(topic, "") == f"/vehicle/{key}"
    assert topic.qos.durability is DurabilityPolicy.VOLATILE


def test_every_publisher_is_keep_last_and_reliable_and_only_constants_are_latched() -> None:
    for topic in TOPICS:
        assert topic.qos.history is HistoryPolicy.KEEP_LAST
        assert topic.qos.reliability is ReliabilityPolicy.RELIABLE
        assert topic.qos.depth == topic.depth
        latched = topic.qos.durability is DurabilityPolicy.TRANSIENT_LOCAL
        assert latched is (topic.key in {"tf_static", "robot_description"})


def test_table_holds_nothing_else() -> None:
    others = {
        *("clock", "tf", "tf_static", "robot_description", "diagnostics", "ground_truth/odometry"),
        *("ins/odometry", "ins/imu", "ins/imu_raw", "ins/fix", "farm_report", "joint_states", "lidar/points"),
    }
    assert set(BY_KEY) == set(REAL) | others
    assert len(BY_KEY) == len(TOPICS)


def test_another_agent_lives_below_its_name_and_shares_time_and_frames() -> None:
    assert full_name(BY_KEY["steering/report"], "polaris2") == "/polaris2/vehicle/steering/report"
    assert full_name(BY_KEY["ins/odometry"], "polaris2", "/novatel/oem7/odom") == "/polaris2/novatel/oem7/odom"
    assert full_name(BY_KEY["farm_report"], "") == "/acres/farm_report"
    assert full_name(BY_KEY["farm_report"], "polaris2") == "/polaris2/acres/farm_report"
    assert full_name(BY_KEY["joint_states"], "polaris2") == "/polaris2/joint_states"
    assert [full_name(BY_KEY[key], "polaris2") for key in ("clock", "tf", "tf_static")] == [
        "/clock",
        "/tf",
        "/tf_static",
    ]


@pytest.mark.parametrize("profile", ["acres", "vehicle"])
def test_counts_of_ten_seconds(profile: str) -> None:
    counts = Counter(published(samples(STEPS), profile=profile, sensors=exact()).keys())
    for key, (_, _, rate) in REAL.items():
        wanted = rate
        if profile == "acres":
            wanted = 50 if key in REPORT_GRID else 20 if key in CAN_SIGNALS else rate
        assert counts.pop(key) == wanted * SECONDS, key
    assert counts.pop("ins/fix") == counts.pop("farm_report") == 10 * SECONDS
    assert counts.pop("joint_states") == 50 * SECONDS
    for key in ("ins/odometry", "ins/imu", "ins/imu_raw"):
        assert counts.pop(key) == 100 * SECONDS
    assert counts.pop("clock") == counts.pop("tf") == counts.pop("ground_truth/odometry") == STEPS
    assert counts == {"tf_static": 1, "robot_description": 1}


def _steps(key: str, rows: np.recarray, **changes: object) -> list[int]:
    stamps = [message.header.stamp for message in published(rows, **changes).messages(key)]
    nanoseconds = [stamp.sec * 1_000_000_000 + stamp.nanosec for stamp in stamps]
    return [round(value * 120 / 1e9) for value in nanoseconds]


def test_report_grid_is_two_or_three_steps() -> None:
    # due at 0.02 n s; first step at or after: 2.4 -> 3, 4.8 -> 5, 7.2 -> 8, 9.6 -> 10, 12
    assert _steps("steering/report", samples(12)) == [3, 5, 8, 10, 12]


def test_ins_is_five_samples_in_six_steps() -> None:
    # due at 1.2 n steps: 2, 3, 4, 5 (4.8), 6
    assert _steps("ins/odometry", samples(6), sensors=exact()) == [2, 3, 4, 5, 6]


def test_profile_vehicle_sends_a_gear_change_at_once_but_not_within_20_ms_of_the_last() -> None:
    rows = samples(24)
    rows.vehicle.dbw.gear.engaged[13:] = 3  # from step 14 on, 2 steps after the message of step 12
    assert _steps("gear/report", rows, profile="vehicle") == [12, 15, 24]
    assert _steps("gear/report", samples(24), profile="vehicle") == [12, 24]


def test_profile_vehicle_sends_a_change_of_the_system_within_two_steps() -> None:
    rows = samples(24)
    rows.gateway.system.state[16:] = 2
    assert _steps("system/report", rows, profile="vehicle") == [12, 17, 24]
