"""Sensors of position and motion with other numbers, and long runs of their errors."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros._record import column
from acres_ros.core.lidar_pattern import default_path
from acres_ros.core.navigation import Navigation
from acres_ros.core.navigation_settings import NavigationSettings
from acres_ros.models.navigation import run_navigation
from acres_ros.models.navigation_state import NAVIGATION
from acres_ros.models.state import VEHICLE
from acres_ros.world.json_file import Entry

CHUNK = 12000


@cache
def file_tree() -> dict[str, Any]:
    """Return the sensor file of the package."""
    return json.loads(default_path().read_text())


def settings(**changes: Any) -> NavigationSettings:
    """Return the settings of the package with other values; `ins__gyro__scale` is the key `ins.gyro.scale`."""
    tree = deepcopy(file_tree())
    for key, value in changes.items():
        *groups, name = key.split("__")
        branch = tree
        for group in groups:
            branch = branch[group]
        branch[name] = value
    return NavigationSettings.read(Entry(Path("test.json"), "", tree))


def standing() -> np.ndarray:
    """Return a vehicle at rest."""
    return VEHICLE.new(1).view(np.ndarray)


def run(navigation: Navigation, steps: int, *keys: str, every: int = 1, vehicle: np.ndarray | None = None) -> Any:
    """Run the errors and return the rows of some of them, each array (steps / every, ...), one after the other."""
    vehicles = standing() if vehicle is None else vehicle
    parts: list[list[np.ndarray]] = [[] for _ in keys]
    for first in range(0, steps, CHUNK):
        rows = np.zeros(min(CHUNK, steps - first), NAVIGATION.dtype)
        run_navigation(vehicles, *navigation.arguments, rows)
        for part, key in zip(parts, keys, strict=True):
            part.append(column(rows, key)[every - 1 :: every].copy())
    return [np.concatenate(part) for part in parts]
