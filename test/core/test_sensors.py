"""The sensor file is checked whole, and what one node has checked the other reads with the same checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acres_ros.core.lidar_pattern import default_path
from acres_ros.core.sensors import Sensors
from acres_ros.world.errors import WorldFileError


@pytest.fixture
def tree() -> Any:
    return json.loads(default_path().read_text())


def test_no_file_is_that_of_the_package(tree: Any) -> None:
    assert Sensors.from_file().tree == Sensors.from_file("").tree == tree
    assert Sensors.from_file().lidar.mount.xyz_m == (1.6, 0.0, 2.3)


def test_a_file_of_the_user_is_read(tmp_path: Path, tree: Any) -> None:
    tree["lidar"]["mount"]["z_m"] = 2.5
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(tree))
    assert Sensors.from_file(path).lidar.mount.xyz_m[2] == 2.5


def test_a_block_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path, tree: Any) -> None:
    tree["lidr"] = tree["lidar"]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(tree))
    with pytest.raises(WorldFileError, match=r"mine\.json: lidr .*nearest is lidar"):
        Sensors.from_file(path)


def test_a_tree_that_is_not_right_is_refused_as_the_file_is(tree: Any) -> None:
    tree["lidar"]["columns"] = 0
    with pytest.raises(WorldFileError, match=r"acres_physics sent: lidar\.columns = 0"):
        Sensors.from_tree(tree)


@pytest.mark.parametrize(
    ("block", "unit", "key"), [("ins", "gyro", "step_deg_s"), ("vehicle_imu", "accelerometer", "step_mg")]
)
def test_steps_of_a_raw_unit_that_are_too_small_to_count_are_refused(
    tree: Any, block: str, unit: str, key: str
) -> None:
    for step in (0.0, 1.0e-9):
        tree[block][unit][key] = step
        Sensors.from_tree(tree)
    for step in (5.0e-324, 9.9e-10):
        tree[block][unit][key] = step
        with pytest.raises(WorldFileError, match=rf"{block}\.{unit}\.{key} = .*wanted 0, or a number from 1e-09"):
            Sensors.from_tree(tree)
