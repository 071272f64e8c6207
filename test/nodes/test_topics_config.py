"""The configuration file is checked at the door: unknown, missing and wrong keys are errors that name the key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from acres_ros.core.schedule import RateRefusedError
from acres_ros.nodes.topics_config import TopicsFileError, default_path, load_topics_config


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
        ("ins.odometry.utm", 1, "wanted true or false"),
        ("ins.imu.rate_hz", True, "wanted a finite number"),
        ("ins.fix.topic", "novatel/fix", "wanted a full name with a leading slash"),
        ("ins", [], "ins = .*wanted keys odometry, imu, fix, variance"),
        ("ins.variance.velocity_m2_s2", [0.0, 1.0, 1.0], "ins.variance.velocity_m2_s2 .*positive"),
        ("origin.utm_zone", 61, "origin.utm_zone = 61; wanted 1 to 60"),
        ("origin.utm_zone", 16.0, "wanted a whole number"),
        ("origin.latitude_deg", -35.0, "wanted 0 to 84"),
        ("constant.fuel_start_pct", 101, "wanted 0 to 100"),
        ("constant.wheel_counts_per_turn", 0, "wanted 1 to 32767"),
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
    ("content", "words"), [("a: [", "is not YAML"), ("", "= None; wanted keys"), (None, "cannot be read")]
)
def test_a_file_that_is_none_is_said_so(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "topics.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(TopicsFileError, match=words):
        load_topics_config(path)


def test_frames_of_another_agent_share_the_map() -> None:
    frames = load_topics_config().frames.with_prefix("polaris2")
    assert (frames.map, frames.odom, frames.wheels[3]) == ("map", "polaris2/odom", "polaris2/wheel_rear_right")
