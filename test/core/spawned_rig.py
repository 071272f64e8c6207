"""Spawned obstacles round one vehicle, and what its level beam measures of them."""

from __future__ import annotations

import math

from acres_ros.core.entities import Entities, Motion
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.spawnables import Resource, read_resource
from acres_ros.core.spawning import SpawnRequest, with_spawned
from acres_ros.core.start import Start
from acres_ros.world import World

AT_REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
LEVEL_RING = 9
SENSOR_X = 1.6 + 0.03498
"""Where the level beam of the first column starts."""
WALL = '{"size": [1.0, 8.0, 4.0]}'


def rolling(world: World) -> Environment:
    return Environment(world, load_parameters(), Start(speed=5.0, gear="N"))


def at(x: float, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Motion:
    return Motion((x, y, z), (0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)))


def spawn(
    vehicle: Environment,
    name: str,
    uri: str,
    motion: Motion,
    text: str = "",
    *,
    renaming: bool = False,
    space: str = "",
) -> str:
    request = SpawnRequest(name, renaming, space, motion)
    resource = read_resource(uri, text)
    assert isinstance(resource, Resource)
    spawned, given = with_spawned(vehicle, Entities(vehicle), vehicle.spawned, request, resource)
    vehicle.set_spawned(spawned)
    return given


def level_range(vehicle: Environment) -> float:
    """Return what the level beam straight ahead of a vehicle at the origin measures, without noise."""
    scan = Lidar.of(vehicle.whole_world).scan(LidarPattern.helios(), AT_REST, self_returns=False)
    return float(scan.ranges[LEVEL_RING])
