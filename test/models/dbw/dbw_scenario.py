"""Drive 200 steps with every subsystem and print a hash of the state; `test_dbw_bits.py` runs it in processes."""

from __future__ import annotations

import hashlib
import math

from acres_ros._compile import entry
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.dbw.reset import reset_dbw
from acres_ros.models.dbw.step import step_dbw
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE

STEPS = 200
STEERING_TYPES = (2, 3, 4, 14)
STEERING_VALUES = (80.0, 0.07, 0.4, -35.0)


@entry
def reset(parameters, vehicles):
    """Reset the vehicle in R."""
    reset_dbw(parameters[0], 2, vehicles[0])


@entry
def step(h, commands, parameters, vehicles):
    """Advance the vehicle by one step."""
    step_dbw(h, commands[0], parameters[0], vehicles[0])


def main() -> None:
    """Print the hash of all states."""
    parameters, vehicles, commands = PARAMETERS.new(1), VEHICLE.new(1), COMMAND.new(1)
    parameters.dbw.gear.shift_s = 0.2
    reset(parameters, vehicles)
    command = commands[0]
    command.system_enable = 1
    command.driver.gear = 5
    command.shift.throttle_bias_pct = 1.25
    command.shift.brake_bias_bar = 0.5
    command.shift.ulc_speed_bias = 0.01
    digest = hashlib.sha256()
    for k in range(STEPS):
        phase = k // 25
        vehicles[0].wheel["spin"] = (k % 60) * 0.11 + 0.013
        for name in ("steering", "throttle", "brake", "ulc"):
            command[name].fresh = 1 if k % 6 == 0 and k % 100 < 70 else 0
            command[name].enable = 1
        command.steering.type = STEERING_TYPES[phase % 4]
        command.steering.value = STEERING_VALUES[phase % 4]
        command.steering.rate_deg = math.inf if phase % 2 else 0.0
        command.ulc.type = 1 + phase % 2
        command.ulc.value = (2.0, -1.0, 0.0, 0.7)[phase % 4]
        command.throttle.type = 13 if phase == 3 else 0
        command.throttle.value = 40.0
        command.brake.type = 14 if phase == 5 else 0
        command.brake.value = 30.0
        command.brake.rate_increase = 90.0
        step(1.0 / 120.0, commands, parameters, vehicles)
        digest.update(vehicles.dbw.tobytes())
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
