"""A drive with something of everything, whose every command follows from a seed and the step count."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

import numpy as np

from acres_ros.core import messages as m
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.world import World

PERIOD_STEPS = 12
HASH_STEPS = 1000
"""Steps of one hash (acceptance row B8)."""
EPISODE_STEPS = 60 * STEPS_PER_SECOND
"""Steps until the vehicle is put to another place."""


class Drive:
    """An environment and the commands of its seed.

    Args:
        world: where it drives.
        seed: of the commands, and of the sensors.
    """

    def __init__(self, world: World, seed: int) -> None:
        place = world.places[0]
        self.environment = Environment(world, load_parameters(), Start(x=place.x, y=place.y, yaw=place.yaw), seed=seed)
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._speed = 2.0
        self._next_episode = 0

    def command(self) -> None:
        """Give the commands of the next `PERIOD_STEPS` steps."""
        environment, random = self.environment, self._random
        if environment.step_count >= self._next_episode:
            self._next_episode = environment.step_count + EPISODE_STEPS
            self._begin_episode()
        time_s = environment.time_s
        self._speed = min(6.0, max(0.0, self._speed + float(random.normal(0.0, 0.2))))
        angle = 12.5 + 180.0 * math.sin(time_s / 3.0) + float(random.normal(0.0, 10.0))
        # On its way between two steps, as the commands of a free run are.
        environment.post(m.SteeringCmd(cmd_type=m.SteeringType.ANGLE, cmd=angle, enable=True), time_s + 0.012)
        environment.post(m.UlcCmd(cmd_type=m.UlcType.VELOCITY, cmd=self._speed, enable=True), time_s + 0.021)
        self._surprise(int(random.integers(120)))

    def _begin_episode(self) -> None:
        """Put the vehicle to a place of its world, with a gear and persons, and enable the system."""
        environment, random = self.environment, self._random
        places = environment.world.places
        place = places[int(random.integers(len(places)))]
        start = Start(x=place.x, y=place.y, yaw=float(random.uniform(-3.0, 3.0)), gear="L", settled=False)
        environment.reset(start=start, occupants=int(random.integers(4)))
        environment.set_conditions(
            global_fraction=float(random.uniform(0.1, 0.9)), surface_film=float(random.uniform(0.0, 1.0))
        )
        environment.post(m.Enable())
        environment.post(m.GearCmd(cmd=m.Gear.LOW))

    def _surprise(self, number: int) -> None:
        """Do now and then what is not driving: each of these each twelve seconds on average."""
        environment = self.environment
        if number == 0:
            environment.post(m.DriverInput(brake_bar=8.0))
        elif number == 1:
            environment.post(m.DriverInput())
            environment.post(m.Enable())
        elif number == 2:
            environment.post(m.SteeringCmd(cmd_type=m.SteeringType.ANGLE, cmd=math.nan, enable=True))
        elif number == 3:
            environment.set_gnss("none", duration_s=3.0)
        elif number == 4:
            environment.post(m.GearCmd(cmd=m.Gear.REVERSE))
        elif number == 5:
            environment.post(m.GearCmd(cmd=m.Gear.LOW))
        elif number == 6:
            environment.post(m.HardwareShifts(steering_offset_deg=3.0, brake_bias_bar=1.0))
        elif number == 7:
            environment.post(m.TurnSignalCmd(cmd=m.TurnSignal.LEFT))

    def run(self, steps: int, *, chunk: int = PERIOD_STEPS) -> Iterator[str]:
        """Drive and yield the hash of all samples and events of each `HASH_STEPS` steps, and of what is left.

        Args:
            steps: a multiple of `PERIOD_STEPS`.
            chunk: steps of one call of the environment, which divides `PERIOD_STEPS`.
        """
        digest, hashed = hashlib.sha256(), 0
        for _ in range(0, steps, PERIOD_STEPS):
            self.command()
            for _ in range(0, PERIOD_STEPS, chunk):
                for row in self.environment.step(chunk):
                    digest.update(row.tobytes())
                    hashed += 1
                    if hashed == HASH_STEPS:
                        yield digest.hexdigest()[:16]
                        digest, hashed = hashlib.sha256(), 0
            digest.update(repr(self.environment.take_events()).encode())
        if hashed:
            yield digest.hexdigest()[:16]
