"""Row G1: steps of the vehicle in a second of one thread, driving on the yard."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters
from acres_ros.models import polaris
from acres_ros.models.dbw.codes import GEAR_LOW, STEERING_ANGLE, ULC_VELOCITY
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.state import VEHICLE
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.world import World

STEPS_PER_SECOND_BAR = 200_000.0
PERIOD_STEPS = 12


class Drive:
    """A vehicle that drives slow bends with the ULC, command by command.

    Args:
        world: where it drives.
    """

    def __init__(self, world: World) -> None:
        self._ground = world.ground
        self._farm = FarmState(world.ground)
        self._parameters = polaris.plain(load_parameters())
        self._center = float(self._parameters["steering"]["center_deg"][0])
        self._vehicles = VEHICLE.new(1).view(np.ndarray)
        self._commands = COMMAND.new(1).view(np.ndarray)
        place = world.places[0]
        polaris.reset(
            self._vehicles, self._parameters, self._ground, 0, place.x, place.y, place.yaw, 0.0, True, GEAR_LOW
        )
        command = self._commands[0]
        command.system_enable, command.gear, command.driver.gear = 1, GEAR_LOW, GEAR_LOW
        command.steering.enable, command.steering.type = 1, STEERING_ANGLE
        command.ulc.enable, command.ulc.type, command.ulc.value = 1, ULC_VELOCITY, 2.0
        self._fresh = (self._commands["steering"]["fresh"], self._commands["ulc"]["fresh"])
        self._angle = self._commands["steering"]["value"]
        self._step = 0

    @property
    def speed(self) -> float:
        """Return the speed over the ground, m/s."""
        body = self._vehicles["body"]
        return math.hypot(float(body["vx"][0]), float(body["vy"][0]))

    def run(self, commands: int) -> int:
        """Drive for some commands and return the number of steps."""
        for _ in range(commands):
            self._angle[0] = self._center + 150.0 * math.sin(self._step / 400.0)
            for fresh in self._fresh:
                fresh[0] = 1
            farm = self._farm.ensure_room(PERIOD_STEPS)
            polaris.run_entry(self._vehicles, self._commands, self._parameters, self._ground, farm, 0, PERIOD_STEPS)
            self._step += PERIOD_STEPS
        return commands * PERIOD_STEPS


def physics_figures(*, repeats: int = 20, commands: int = 500) -> Iterator[Figure]:
    """Yield the figure of row G1.

    Args:
        repeats: measurements; the best counts.
        commands: commands of 12 steps in each.
    """
    drive = Drive(World.yard())
    drive.run(100)  # compiles, or loads what is compiled, and gets the vehicle under way
    best = 0.0
    for _ in range(repeats):
        begin = time.thread_time()
        steps = drive.run(commands)
        best = max(best, steps / (time.thread_time() - begin))
    yield Figure(
        "G1",
        "physics steps of one thread in a second of CPU time",
        best,
        "steps/s",
        Bar(STEPS_PER_SECOND_BAR, least=True),
        f"ULC and bends on the yard at {drive.speed:.1f} m/s, a command each 12 steps",
    )
