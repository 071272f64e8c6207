"""A drive-by-wire whose wheels turn as the test says."""

from __future__ import annotations

import numpy as np
import pytest

from acres_ros._compile import entry
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.dbw.reset import reset_dbw
from acres_ros.models.dbw.step import step_dbw
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE

H = 1.0 / 120.0
SUBSYSTEMS = ("steering", "throttle", "brake", "ulc")


@entry
def step(h, commands, parameters, vehicles):
    """Advance the first vehicle by one step."""
    step_dbw(h, commands[0], parameters[0], vehicles[0])


@entry
def reset(parameters, gear, vehicles):
    """Reset the first vehicle."""
    reset_dbw(parameters[0], gear, vehicles[0])


class Rig:
    """One drive-by-wire with its command; a message is fresh in the step after `send`."""

    def __init__(self, gear: int = 5, speed: float = 0.0) -> None:
        self.parameters = PARAMETERS.new(1)
        self.vehicles = VEHICLE.new(1)
        self.commands = COMMAND.new(1)
        self.command = self.commands[0]
        self.p = self.parameters[0]
        self.dbw = self.vehicles[0].dbw
        self.command.system_enable = 1
        self.command.driver.gear = gear
        self.roll(speed)
        reset(self.parameters, gear, self.vehicles)

    def roll(self, speed: float) -> None:
        """Turn all wheels so that the wheel speed has a magnitude, by the numbers of the spec: 0.9304 and 0.343 m."""
        self.vehicles[0].wheel["spin"] = speed / (0.9304 * 0.343)

    def send(self, subsystem: str, **fields: float) -> None:
        """Send a message: the given fields, enabled, the others as they were."""
        message = self.command[subsystem]
        message.fresh = 1
        message.enable = 1
        for name, value in fields.items():
            message[name] = value

    def step(self, count: int = 1) -> None:
        """Run steps; what was sent is fresh in the first one."""
        for _ in range(count):
            step(H, self.commands, self.parameters, self.vehicles)
            for name in SUBSYSTEMS:
                self.command[name].fresh = 0

    def drive(self, count: int, *subsystems: str) -> None:
        """Run steps with a fresh message of some subsystems in each."""
        for _ in range(count):
            for name in subsystems:
                self.command[name].fresh = 1
            self.step()

    def reset(self, gear: int = 5) -> None:
        """Reset the drive-by-wire."""
        reset(self.parameters, gear, self.vehicles)

    def snapshot(self) -> np.recarray:
        """Return a copy of the state."""
        return self.vehicles.copy()[0].dbw


@pytest.fixture
def make_rig() -> type[Rig]:
    """Give the class of the rig."""
    return Rig


@pytest.fixture
def rig() -> Rig:
    """Give a vehicle at rest in L with the system enabled."""
    return Rig()
