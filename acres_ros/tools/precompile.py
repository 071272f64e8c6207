"""Compile, once, everything that is compiled: the first start then loads it from the cache.

Run as `python -m acres_ros.tools.precompile [MARK]`. What is compiled already is loaded, which takes about two seconds.
The byte code of the package is among it: a process that may not write it would compile all sources at each start, in
0.7 s.
"""

from __future__ import annotations

import compileall
import sys
import time
from collections.abc import Callable

import numpy as np

from acres_ros import _compile
from acres_ros._cache import UNUSED_DAYS
from acres_ros.core import kinematics, measurement
from acres_ros.core.entities import vehicle_motion
from acres_ros.core.entity_state import put_vehicle
from acres_ros.core.environment import Environment
from acres_ros.core.farm import FarmState
from acres_ros.core.lidar import Box, Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.streams import Pcg32, SplitMix64
from acres_ros.core.weather import Weather
from acres_ros.locations import PACKAGE
from acres_ros.models import polaris
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.ground import PATCH
from acres_ros.models.state import VEHICLE
from acres_ros.tools.validate.trace import COLUMNS, write_row
from acres_ros.world import Terrain, World, load_world
from acres_ros.world.tile.build import remove_unused_tiles


def main(mark: str = "") -> int:
    """Compile everything, with a line for each part; return 0, or 1 where nothing can be kept.

    Compiled code and farms that nobody uses any more are removed.

    Args:
        mark: name of an empty file to leave beside the compiled code when all of it is there; empty: none.
    """
    if _compile.NOT_KEPT:
        print(f"compiled code cannot be kept: {_compile.not_kept_text()}")
        return 1
    for number, (name, act) in enumerate(PARTS, start=1):
        print(f"[{number}/{len(PARTS)}] {name}", end="", flush=True)
        begin = time.monotonic()
        act()
        print(f": {time.monotonic() - begin:.1f} s", flush=True)
    if mark:
        (_compile.cache_folder() / mark).touch()
    for folder in (*_compile.remove_unused_code(), *remove_unused_tiles()):
        print(f"removed {folder}, which nothing has used for {UNUSED_DAYS} days")
    return 0


def _byte_code() -> None:
    compileall.compile_dir(PACKAGE, quiet=2)  # where the folder cannot be written to, there is none


def _step_and_reset() -> None:
    environment = Environment(World.flat(), load_parameters())
    put_vehicle(environment, vehicle_motion(environment))


def _run() -> None:
    vehicles, commands = VEHICLE.new(1).view(np.ndarray), COMMAND.new(1).view(np.ndarray)
    world, parameters = World.flat(), load_parameters()
    polaris.reset(vehicles, parameters, world.ground, 0, 0.0, 0.0, 0.0)
    polaris.run(vehicles, commands, parameters, world.ground, FarmState(world.ground).farm, 0, 1)


def _farm() -> None:
    scene = load_world("farm").scene
    assert scene is not None, "the farm has obstacles"
    scene.overlaps((0.0, 0.0), 0.0, 1.0, 1.0, 0.0, 1.0)  # asked when something is spawned
    scene.nearest_obstacle(0.0, 0.0, 1.0)


def _streams() -> None:
    for stream in (Pcg32(1, 1), SplitMix64(1)):
        stream.uniform()
        stream.normal()
    Pcg32(1, 1).normals(1)


def _lidar() -> None:
    crop = np.zeros(1, PATCH)
    crop["height"] = 1.0
    lidar = Lidar(Terrain.flat(), None, World.flat().ground._replace(patches=crop))
    for pattern in (LidarPattern.helios(), LidarPattern.planar()):
        lidar.scan(pattern, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), boxes=[Box((9.0, 0.0, 1.0), (4.0, 2.0, 2.0))],
                   weather=Weather(1.0, 0.01))  # fmt: skip


def _rows() -> None:
    write_row(VEHICLE.new(1).view(np.ndarray), np.empty((1, len(COLUMNS))), 0)


PARTS: tuple[tuple[str, Callable[[], None]], ...] = (
    ("byte code", _byte_code),
    ("step and reset of the vehicle", _step_and_reset),
    ("runs of many steps", _run),
    ("the built-in farm, and what loads it", _farm),
    ("random streams", _streams),
    ("the LiDAR", _lidar),
    ("kinematics of the outputs", kinematics.warm),
    ("what INS, IMU and GNSS tell", measurement.warm),
    ("records of drives", _rows),
)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
