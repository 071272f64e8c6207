"""A vehicle on a ground, driven by its driver: pedals, wheel and lever."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acres_ros._record import column
from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters
from acres_ros.models import polaris
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.farm import Farm
from acres_ros.models.state import VEHICLE
from acres_ros.world import World

CENTER_DEG = 12.5
PARK, REVERSE, NEUTRAL, HIGH, LOW = 1, 2, 3, 4, 5


class Vehicle:
    """One vehicle, its command and its ground."""

    def __init__(self, world: World | None = None, **overrides: float) -> None:
        self.world = world or World.flat(surface="asphalt")
        self.parameters = load_parameters(overrides={k.replace("__", "."): v for k, v in overrides.items()})
        self.farm_state = FarmState(self.world.ground)
        self.vehicles = VEHICLE.new(1)
        self.commands = COMMAND.new(1)
        self.state = self.vehicles[0]
        self.command = self.commands[0]
        self.p = self.parameters[0]
        self.command.driver.steering_active = 1
        self.command.driver.steering_wheel_angle_deg = CENTER_DEG
        self.reset()

    def reset(
        self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, *, speed=0.0, settled=True, gear=LOW, drive_mode=2
    ) -> None:
        self.command.driver.gear = gear
        self.command.drive_mode = drive_mode
        self.farm_state.reset()
        polaris.reset(self.vehicles, self.parameters, self.world.ground, 0, x, y, yaw, speed, settled, gear, drive_mode)

    def driver(self, *, throttle_pct=0.0, brake_bar=0.0, steering_deg=CENTER_DEG, gear: int | None = None) -> None:
        self.command.driver.throttle_pct = throttle_pct
        self.command.driver.brake_bar = brake_bar
        self.command.driver.steering_wheel_angle_deg = steering_deg
        if gear is not None:
            self.command.driver.gear = gear

    def run(self, seconds: float) -> None:
        steps = round(seconds * 120.0)
        farm = self.farm_state.ensure_room(steps)
        polaris.run(self.vehicles, self.commands, self.parameters, self.world.ground, farm, 0, steps)

    @property
    def farm(self) -> Farm:
        """Return the arrays of the farm, with room for another step."""
        return self.farm_state.ensure_room()

    @property
    def body(self) -> np.record:
        return self.state.body

    @property
    def wheels(self) -> np.ndarray:
        return self.state.wheel

    @property
    def forward_speed(self) -> float:
        body = self.body
        x = 1.0 - 2.0 * (body.qy**2 + body.qz**2)
        y = 2.0 * (body.qx * body.qy + body.qw * body.qz)
        z = 2.0 * (body.qx * body.qz - body.qw * body.qy)
        return float(body.vx * x + body.vy * y + body.vz * z)

    @property
    def yaw(self) -> float:
        body = self.body
        return math.atan2(2.0 * (body.qw * body.qz + body.qx * body.qy), 1.0 - 2.0 * (body.qy**2 + body.qz**2))

    @property
    def up(self) -> float:
        """Return the cosine of the tilt."""
        return float(1.0 - 2.0 * (self.body.qx**2 + self.body.qy**2))

    def assert_finite(self) -> None:
        broken = [key for key, _ in VEHICLE.leaves() if not np.isfinite(column(self.vehicles, key)).all()]
        assert not broken, f"not finite: {broken}"


@pytest.fixture(scope="session")
def make_vehicle():
    """Return the class, so that a test chooses ground and parameters."""
    return Vehicle
