"""The configuration file is checked at the door: unknown, missing and wrong keys are errors that name the key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.context import Context as RosContext
from rclpy.node import Node

from acres_ros.core.schedule import RateRefusedError
from acres_ros.nodes.parameter_table import VEHICLE_PARAMETERS
from acres_ros.nodes.topics_config import TopicsFileError, default_path, load_topics_config
from acres_ros.nodes.vehicle import PublisherError, Vehicle


@pytest.fixture
def tree() -> Any:
    return yaml.safe_load(default_path().read_text())


def write(tmp_path: Path, tree: Any) -> Path:
    path = tmp_path / "topics.yaml"
    path.write_text(yaml.safe_dump(tree))
    return path


def test_defaults_are_those_of_the_field_trials() -> None:
    config = load_topics_config()
    assert config.ins.odometry.topic == "/novatel/oem7/odom"
    assert (config.ins.imu.topic, config.ins.fix.topic) == ("/novatel/oem7/imu/data", "/novatel/oem7/fix")
    assert (config.ins.odometry.rate_hz, config.ins.imu.rate_hz, config.ins.fix.rate_hz) == (100.0, 100.0, 10.0)
    assert (config.frames.base_footprint, config.frames.imu, config.frames.lidar) == (
        "base_footprint",
        "imu_link",
        "rslidar",
    )
    assert config.ground_truth.topic == "/ground_truth/odometry"


def test_a_file_of_the_user_is_read(tmp_path: Path, tree: Any) -> None:
    tree["ins"]["odometry"].update(topic="/ins/odom", rate_hz=50, utm=True)
    odometry = load_topics_config(write(tmp_path, tree)).ins.odometry
    assert (odometry.topic, odometry.rate_hz, odometry.utm) == ("/ins/odom", 50.0, True)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("ins.odometry.frequency", 100, "ins.odometry.frequency is not known"),
        ("gnss", {}, "gnss is not known; wanted one of frames, mounts"),
        ("frames.imu", None, "frames.imu = None; wanted a text"),
        ("frames.imu", "/imu", "without a leading slash"),
        ("frames.imu", "odom", "has 'odom' twice"),
        ("frames.wheels", ["a", "b", "c"], "wanted a list of 4"),
        ("mounts.imu.xyz_m", [0.0, 0.0, float("nan")], r"mounts.imu.xyz_m\[2\] = nan; wanted a finite number"),
        ("mounts.imu.xyz_m", [0.0, 0.0, "1e-3"], "wanted a finite number"),
        ("mounts.imu.rpy_deg", 3.0, "wanted a list of 3"),
        ("mounts.base_link.xyz_m", [0.0, 0.0, 1e308], r"base_link.xyz_m = \[.*; wanted numbers from -10 to 10"),
        ("mounts.gnss.xyz_m", [-10.5, 0.0, 0.0], r"gnss.xyz_m = \[-10.5, 0.0, 0.0\]; wanted numbers from -10 to 10"),
        ("mounts.imu.rpy_deg", [0.0, 180.5, 0.0], "imu.rpy_deg = .*; wanted numbers from -180 to 180"),
        ("ins.odometry.utm", 1, "wanted true or false"),
        ("ins.imu.rate_hz", True, "wanted a finite number"),
        ("ins.fix.topic", "novatel/fix", "wanted a full name with a leading slash"),
        ("lidar.point_type", "XYZ", "lidar.point_type = 'XYZ'; wanted XYZI or XYZIRT"),
        ("lidar.dense_points", 0, "lidar.dense_points = 0; wanted true or false"),
        ("lidar.topic", "/clock", "lidar.topic = '/clock', which is a topic of the vehicle"),
        ("mounts.lidar", {}, "mounts.lidar is not known"),
        ("ins", [], "ins = .*wanted keys odometry, imu, imu_raw, fix"),
        ("ins.variance", {}, "ins.variance is not known"),
        ("ins.imu_raw.publish", 1, "ins.imu_raw.publish = 1; wanted true or false"),
        ("origin.utm_zone", 61, "origin.utm_zone = 61; wanted 1 to 60"),
        ("origin.utm_zone", 16.0, "wanted a whole number"),
        ("origin.latitude_deg", -35.0, "wanted 0 to 84"),
        ("constant.fuel_start_pct", 101, "wanted 0 to 100"),
        ("constant.wheel_counts_per_turn", 0, "wanted 1 to 32767"),
        ("constant.wheel_counts_per_turn", 10**400, r"= \(a number of 1329 bits\); wanted 1 to 32767"),
        ("constant.fuel_tank_litre", 10**400, r"= \(a number of 1329 bits\); wanted a finite number"),
        ("constant.tire_pressure_kpa", [83.0, 10**400, 97.0, 97.0], r"kpa\[1\] = .*wanted a finite number"),
        ("constant.tire_pressure_kpa", [83.0, 83.0, -1.0, 97.0], "constant.tire_pressure_kpa = .*wanted 0 to 1000"),
        ("constant.tire_pressure_kpa", [83.0, 83.0, 97.0, 1e39], "constant.tire_pressure_kpa = .*wanted 0 to 1000"),
        ("frames.imu", "imu link", "has 'imu link'; wanted .*spaces"),
        ("frames.imu", "a<b", "has 'a<b'; wanted .*any of < > &"),
        ("frames.odom", "a&b", "has 'a&b'; wanted"),
        ("frames.odom", 'a"b', "has 'a\"b'; wanted .*quotes"),
        ("frames.wheels", ["a", "b", "c", "d'"], 'has "d\'"; wanted .*quotes'),
        ("ins.fix.topic", "/a/f ix!", r"ins.fix.topic = '/a/f ix!'; wanted .*letters, digits and _"),
        ("ins.imu.topic", "/imu/", "ins.imu.topic = '/imu/'; wanted .*none at the end"),
        ("ins.imu.topic", "/", "ins.imu.topic = '/'; wanted"),
        ("ins.imu.topic", "/ins//imu", "ins.imu.topic = '/ins//imu'; wanted"),
        ("ins.imu.topic", "/ins/2nd", "ins.imu.topic = '/ins/2nd'; wanted .*no digit first"),
        ("ins.imu.topic", "/imu\n", "ins.imu.topic = .*wanted"),
        ("ins.imu.topic", "/\u00efmu", "ins.imu.topic = .*wanted"),
        ("ins.imu.topic", "~/imu", "ins.imu.topic = '~/imu'; wanted"),
        ("ins.imu.topic", "/" + "a" * 180, "ins.imu.topic = '/aaa.*at most 180 characters"),
        (
            "robot_description.topic",
            "/novatel/oem7/fix",
            "robot_description.topic = .* is ins.fix.topic; wanted",
        ),
        (
            "ground_truth.topic",
            "/vehicle/steering/report",
            "ground_truth.topic = .*is a topic of the vehicle; wanted",
        ),
        ("ground_truth.topic", "/vehicle/steering/cmd", "ground_truth.topic = .*is a command of the vehicle"),
        ("ins.odometry.topic", "/acres/driver_input", "is a command of the vehicle"),
        ("ins.odometry.topic", "/tf", "is a topic of the vehicle"),
        ("ins.odometry.topic", "/clock", "is a topic of the vehicle"),
        ("ins.odometry.topic", "/rosout", "is a topic of every node"),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, tree: Any, path: str, value: Any, words: str) -> None:
    *parents, last = path.split(".")
    branch = tree
    for name in parents:
        branch = branch[name]
    branch[last] = value
    file = write(tmp_path, tree)
    with pytest.raises(TopicsFileError, match=words) as error:
        load_topics_config(file)
    assert str(error.value).startswith(str(file))


def test_a_missing_key_is_named(tmp_path: Path, tree: Any) -> None:
    del tree["mounts"]["gnss"]["rpy_deg"]
    with pytest.raises(TopicsFileError, match=re.escape("mounts.gnss.rpy_deg is missing")):
        load_topics_config(write(tmp_path, tree))


@pytest.mark.parametrize("rate", [0.5, 120.5, 0, -1])
def test_a_rate_that_no_step_serves_is_refused(tmp_path: Path, tree: Any, rate: float) -> None:
    tree["ins"]["fix"]["rate_hz"] = rate
    with pytest.raises(RateRefusedError):
        load_topics_config(write(tmp_path, tree))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: [", "is not YAML"),
        (b"", "= None; wanted keys"),
        (b"a: 1\nb: {c: 1, d: 2, c: 3}", "is not YAML .*'c' comes twice.*line 2"),
        (None, "cannot be read"),
        (b"\x00\x01\x02", "is not YAML"),
        (b"\x7fELF\xff\xfe\x80", "is not UTF-8 .*byte 4.*wanted a text file"),
        ("frames: M\u00fcller".encode("latin-1"), "is not UTF-8"),
        (b"[" * 20_000, "is nested too deep; wanted"),
        (b"{a: " * 20_000, "is nested too deep; wanted"),
        (b"frames: " + b"9" * 5000, "has a value that cannot be read"),
        (b"frames: 2024-13-01", "has a value that cannot be read .*month"),
        (b"frames: 0b_", "has a value that cannot be read"),
        (b"frames: !!int ''", "has a value that cannot be read"),
        (b"frames: !!bool x", "has a value that cannot be read"),
        (b"frames: !!timestamp x", "has a value that cannot be read"),
        (b"? 0x" + b"f" * 5000 + b"\n: 1", r"\(a number of 20000 bits\) is not known"),
        (b"- 0x" + b"f" * 5000, r"= \[\(a number of 20000 bits\)\]; wanted keys"),
        (b"? " + b"k" * 5000 + b"\n: 1", r"kkk\.\.\.kkk.* is not known"),
        (b"&a [*a, *a]", "wanted keys"),
    ],
)
def test_a_file_that_is_none_is_said_so(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "topics.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TopicsFileError, match=words) as error:
        load_topics_config(path)
    assert str(error.value).startswith(str(path)) and len(str(error.value)) < len(str(path)) + 1000


def test_a_value_that_repeats_itself_a_billion_times_is_refused_in_few_words(tmp_path: Path) -> None:
    path = tmp_path / "topics.yaml"
    levels = [f"&l{i + 1} [{', '.join([f'*l{i}'] * 10)}]" for i in range(9)]
    path.write_text("- &l0 x\n- " + "\n- ".join(levels))
    with pytest.raises(TopicsFileError, match="wanted keys") as error:
        load_topics_config(path)
    assert len(str(error.value)) < 20_000


def test_names_that_ros_allows_are_taken(tmp_path: Path, tree: Any) -> None:
    tree["ins"]["fix"]["topic"] = "/_a/B2/c_3"
    tree["ins"]["imu"]["topic"] = "/" + "a" * 179
    tree["ground_truth"]["topic"] = "/vehicle/truth"
    tree["frames"]["imu"] = "car-1/imu.link"
    tree["constant"]["tire_pressure_kpa"] = [0, 1000, 97.0, 97.0]
    config = load_topics_config(write(tmp_path, tree))
    assert (config.ins.fix.topic, config.ground_truth.topic) == ("/_a/B2/c_3", "/vehicle/truth")
    assert config.constant.tire_pressure_kpa[:2] == (0.0, 1000.0)


def test_frames_of_another_agent_share_the_map() -> None:
    frames = load_topics_config().frames.with_prefix("polaris2")
    assert (frames.map, frames.odom, frames.wheels[3]) == ("map", "polaris2/odom", "polaris2/wheel_rear_right")


def test_a_remapping_onto_a_topic_of_another_type_is_refused_in_words(ros: RosContext) -> None:
    remapping = ["--ros-args", "-r", "/ground_truth/odometry:=/vehicle/steering/report"]
    node = Node("acres_vehicle", context=ros, cli_args=remapping)
    options = {parameter.name: parameter.default for parameter in VEHICLE_PARAMETERS}
    try:
        with pytest.raises(PublisherError, match="topic /vehicle/steering/report is refused .*wanted a name"):
            Vehicle(node, options, since=None)
    finally:
        node.destroy_node()
