"""Drive one vehicle through a bit of everything and print a hash of its state each 20 steps."""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters
from acres_ros.models import polaris
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.state import VEHICLE
from acres_ros.world import World


def main() -> None:
    rng = np.random.default_rng(3)
    heights = 0.05 * rng.normal(size=(60, 60)).cumsum(axis=0)
    world = World.height_field(
        heights, x0=-45.0, y0=-45.0, cell=1.524, classes=rng.integers(1, 7, (23, 23)), class_cell=4.0
    )
    parameters = load_parameters().view(np.ndarray)
    vehicles, commands = VEHICLE.new(1).view(np.ndarray), COMMAND.new(1).view(np.ndarray)
    command, farm = commands[0], FarmState(world.ground).ensure_room(100)
    for part in range(5):
        gear, mode, speed = ((5, 2, 0.0), (4, 0, 6.0), (2, 1, -1.0), (5, 2, 3.0), (1, 2, 0.0))[part]
        polaris.reset(vehicles, parameters, world.ground, 0, 0.3, -0.7, 0.4 + part, speed, part != 2, gear, mode)
        command.drive_mode, command.driver.gear = mode, gear
        command.system_enable = 1 if part in (0, 3) else 0
        command.steering.enable, command.steering.type, command.steering.value = 1, 3, 0.1
        command.ulc.enable, command.ulc.type, command.ulc.value = 1, 1, 2.5
        command.driver.steering_active, command.driver.steering_wheel_angle_deg = 1, -80.0
        command.driver.throttle_pct, command.driver.brake_bar = (40.0, 3.0) if part == 1 else (30.0, 0.0)
        for step in range(20):
            command.steering.fresh = command.ulc.fresh = 1 if step % 6 == 0 else 0
            polaris.step(vehicles, commands, parameters, world.ground, farm, 0)
        print(hashlib.sha256(vehicles.tobytes()).hexdigest())


if __name__ == "__main__":
    sys.exit(main())
