"""Row G1: steps of the vehicle in a second of one thread, crushing crop on the farm, and where their time goes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from acres_ros._compiled import resolved
from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters
from acres_ros.models import polaris
from acres_ros.models.dbw.codes import GEAR_LOW, STEERING_ANGLE, ULC_VELOCITY
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.state import VEHICLE
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.tools.bench.parts import part_times
from acres_ros.world import Place, World, load_world

STEPS_PER_SECOND_BAR = 200_000.0
PERIOD_STEPS = 12
CORN = Place("field 48, to the east", -130.0, -5.0, 0.0)
"""From here 120 m of standing corn lie ahead on the built-in farm."""
UNDER_WAY = 100
"""Commands until the vehicle is under way."""


class Drive:
    """A vehicle that drives slow bends with the ULC, command by command.

    Args:
        world: where it drives.
        start: where it starts.
        marks: whether it leaves ruts and crushed crop.
    """

    def __init__(self, world: World, start: Place, *, marks: bool = True) -> None:
        self.ground = world.ground
        self.farm = FarmState(world.ground, marks=marks)
        self.parameters = polaris.plain(load_parameters())
        self.vehicles = VEHICLE.new(1).view(np.ndarray)
        self.commands = COMMAND.new(1).view(np.ndarray)
        self._place = start
        self._center = float(self.parameters["steering"]["center_deg"][0])
        command = self.commands[0]
        command.system_enable, command.gear, command.driver.gear = 1, GEAR_LOW, GEAR_LOW
        command.steering.enable, command.steering.type = 1, STEERING_ANGLE
        command.ulc.enable, command.ulc.type, command.ulc.value = 1, ULC_VELOCITY, 2.0
        self._fresh = (self.commands["steering"]["fresh"], self.commands["ulc"]["fresh"])
        self._angle = self.commands["steering"]["value"]
        self._run = resolved(
            polaris.run_entry,
            self.vehicles,
            self.commands,
            self.parameters,
            self.ground,
            self.farm.farm,
            0,
            PERIOD_STEPS,
        )
        self.reset()

    def reset(self) -> None:
        """Put the vehicle at its start and make the farm as new."""
        place = self._place
        self.farm.reset()
        polaris.reset(self.vehicles, self.parameters, self.ground, 0, place.x, place.y, place.yaw, 0.0, True, GEAR_LOW)
        self._step = 0

    @property
    def speed(self) -> float:
        """Return the speed over the ground, m/s."""
        body = self.vehicles["body"]
        return math.hypot(float(body["vx"][0]), float(body["vy"][0]))

    def run(self, commands: int) -> int:
        """Drive for some commands and return the number of steps."""
        for _ in range(commands):
            self._angle[0] = self._center + 150.0 * math.sin(self._step / 400.0)
            for fresh in self._fresh:
                fresh[0] = 1
            farm = self.farm.ensure_room(PERIOD_STEPS)
            self._run(self.vehicles, self.commands, self.parameters, self.ground, farm, 0, PERIOD_STEPS)
            self._step += PERIOD_STEPS
        return commands * PERIOD_STEPS


def physics_figures(*, repeats: int = 20, commands: int = 400) -> Iterator[Figure]:
    """Yield the figures of row G1: in crop with and without marks, on a gravel lot, and the parts of a step.

    Args:
        repeats: measurements; the best counts.
        commands: commands of 12 steps in each.
    """
    farm, yard = load_world("farm"), World.yard()
    drives = {
        "farm, marks on": Drive(farm, CORN),
        "farm, marks off": Drive(farm, CORN, marks=False),
        "level yard": Drive(yard, yard.places[0]),
    }
    best = dict.fromkeys(drives, 0.0)
    for _ in range(repeats):
        for name, drive in drives.items():
            drive.reset()
            drive.run(UNDER_WAY)  # compiles, or loads what is compiled, and gets the vehicle under way
            begin = time.thread_time()
            steps = drive.run(commands)
            best[name] = max(best[name], steps / (time.thread_time() - begin))
    for name, drive in drives.items():
        bar = Bar(STEPS_PER_SECOND_BAR, least=True) if drive is drives["farm, marks on"] else None
        crushed = f", {drive.farm.crushed_m2:.0f} m2 crushed" if drive.farm.crushed_m2 else ""
        beside = f"ULC and bends at {drive.speed:.1f} m/s, a command each 12 steps{crushed}"
        yield Figure("G1", f"steps of one thread in a second of CPU time, {name}", best[name], "steps/s", bar, beside)
    drive = drives["farm, marks on"]
    room = drive.farm.ensure_room(PERIOD_STEPS)
    parts = part_times(drive.vehicles, drive.commands, drive.parameters, drive.ground, room, repeats=repeats)
    for name, seconds in parts:
        yield Figure("G1", f"part: {name}", 1.0e6 * seconds, "us")
