"""The sensors of a vehicle, as `config/sensors_polaris.json` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acres_ros.core.lidar_pattern import LidarPattern, default_path
from acres_ros.core.navigation_settings import BLOCKS, NavigationSettings
from acres_ros.world.json_file import Entry, read_json

SENT = "the sensors that acres_physics sent"


@dataclass(frozen=True, eq=False)
class Sensors:
    """A sensor file that was checked.

    Attributes:
        tree: the file as JSON values, for whoever builds the same sensors elsewhere with `from_tree`.
        lidar: the block `lidar`.
        navigation: the blocks `ins`, `vehicle_imu` and `vehicle_gnss`.
    """

    tree: Mapping[str, Any]
    lidar: LidarPattern
    navigation: NavigationSettings

    @classmethod
    def from_file(cls, path: str | Path | None = None) -> Sensors:
        """Return the sensors of a file.

        Args:
            path: the file; None or empty is that of the package.

        Raises:
            WorldFileError: a file that is missing or not right; it names the key, the value and what is wanted.
        """
        return _read(read_json(path or default_path()))

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Sensors:
        """Return the sensors of a tree that `from_file` has checked; errors as there."""
        return _read(Entry(Path(SENT), "", tree))


def _read(entry: Entry) -> Sensors:
    entry.only("lidar", *BLOCKS)
    return Sensors(entry.members(), LidarPattern.read(entry.member("lidar")), NavigationSettings.read(entry))
