"""A simulation of some vehicles in one world, in lockstep, whose outputs are kept."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from acres_ros.core import messages as m
from acres_ros.core.agent import Agent
from acres_ros.core.entities import Entities, Motion
from acres_ros.core.environment import Environment
from acres_ros.core.fleet import starts_beside
from acres_ros.core.inbox import Arrival
from acres_ros.core.joining import checked_vehicle
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import OCCUPANTS, load_parameters
from acres_ros.core.sample import Sweep
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import State
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.spawnables import VehicleResource, read_resource
from acres_ros.core.spawning import SpawnRequest
from acres_ros.core.start import Start
from acres_ros.core.sweeps import Sweeps
from acres_ros.errors import AcresError
from acres_ros.world import World

ANGLE, VELOCITY, LOW = 2, 1, 5


class Log:
    """An output that keeps the bytes of samples and scans, in order."""

    def __init__(self) -> None:
        self.connected = True
        self.samples: list[np.ndarray] = []
        self.sweeps: list[Sweep] = []
        self.barriers = 0
        self.greetings: list[bool] = []
        self.failure: AcresError | None = None

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        self.samples.append(samples)

    def send_scan(self, sweep: Sweep) -> None:
        self.sweeps.append(sweep)

    def ask(self) -> None:
        """Nothing waits."""

    def barrier(self, timeout_s: float) -> None:
        self.barriers += 1
        if self.failure is not None:
            raise self.failure

    def greet(self, *, goes_on: bool = False) -> None:
        """Note whether the samples go on."""
        self.greetings.append(goes_on)

    def recall(self, samples: np.ndarray) -> None:
        """Nothing was on its way."""

    @property
    def all(self) -> np.ndarray:
        return np.concatenate(self.samples)

    @property
    def bytes(self) -> bytes:
        return b"".join(samples.tobytes() for samples in self.samples)


class Rig:
    """A simulation of some vehicles, in lockstep."""

    def __init__(
        self,
        world: World,
        *starts: Start,
        scanning: bool = False,
        pattern: LidarPattern | None = None,
        first_name: str = "",
    ) -> None:
        self.logs = [Log() for _ in starts]
        self.come: list[list[Arrival]] = [[] for _ in starts]
        self.environments = [
            Environment(world, load_parameters(), start, agent=index) for index, start in enumerate(starts)
        ]
        self.closed: list[str] = []
        self._pattern = pattern or replace(LidarPattern.helios(), columns=180)
        self.sweeps = [self._sweeps(each) if scanning else None for each in self.environments]
        first, *others = self.environments
        self.entities = Entities(first, first_name, [(f"agent_{index + 1}", each) for index, each in enumerate(others)])
        self.simulation = Simulation(
            first,
            self.logs[0],
            partial(self._take, 0),
            state=State.PAUSED,
            sweeps=self.sweeps[0],
            entities=self.entities,
            others=[
                Agent(
                    each, self.logs[index], partial(self._take, index), sweeps=self.sweeps[index], name=f"agent_{index}"
                )
                for index, each in enumerate(self.environments)
                if index
            ],
            title=first_name,
        )

    def _sweeps(self, environment: Environment, like: Sweeps | None = None) -> Sweeps:
        return Sweeps(environment, self._pattern, lambda: True, like)

    def spawn(self, name: str, motion: Motion, text: str = "", *, namespace: str = "", renaming: bool = False) -> Agent:
        """Spawn a vehicle, as the services do; its log and commands are the last ones of the rig."""
        fleet, resource = self.simulation.fleet, read_resource("acres://polaris", text)
        assert isinstance(resource, VehicleResource)
        request = SpawnRequest(name, renaming, namespace, motion)
        parameters = load_parameters()
        wanted = checked_vehicle(
            fleet, self.entities, request, resource, like=self.environments[0].start, parameters=parameters
        )  # fmt: skip
        own = self.environment(wanted.start, fleet.free_slot, resource.occupants)
        agent = self.agent(wanted.name, own)
        self.simulation.change("to spawn", lambda: fleet.add(agent))
        return agent

    def environment(self, start: Start, number: int, occupants: object = None) -> Environment:
        """Make a vehicle that was spawned, as `Maker` does."""
        parameters = load_parameters(overrides=None if occupants is None else {OCCUPANTS: occupants})
        return Environment(self.environments[0].world, parameters, start, agent=number)

    def agent(self, name: str, environment: Environment) -> Agent:
        """Give it what is around it, as `Maker` does; its log and commands are the last ones of the rig."""
        sweeps = None if self.sweeps[0] is None else self._sweeps(environment, self.sweeps[0])
        log = Log()
        take = partial(self._take, len(self.logs))
        self.logs.append(log)
        self.come.append([])
        self.environments.append(environment)
        self.sweeps.append(sweeps)
        return Agent(environment, log, take, sweeps=sweeps, name=name, close=lambda: self.closed.append(name))

    def remove(self, agent: Agent) -> None:
        """Delete a vehicle that was spawned."""
        self.simulation.change("to delete", lambda: self.simulation.fleet.remove(agent))

    def _take(self, index: int) -> list[Arrival]:
        come, self.come[index] = self.come[index], []
        return come

    @property
    def agents(self) -> tuple[Agent, ...]:
        return self.simulation.fleet.agents

    def step(self, steps: int) -> None:
        request = self.simulation.begin_steps(steps)
        while not request.done:
            self.simulation.advance(0.0)
        assert request.error is None

    def drive(self, steps: int, chunk: int = 12, speeds: tuple[float, ...] = (2.0, 3.0, 1.0)) -> None:
        """Let each drive at a speed of its own; commands come each 12 steps, whatever the chunk."""
        for begin in range(0, steps, chunk):
            if begin % 12 == 0:
                for environment, speed in zip(self.environments, speeds, strict=False):
                    environment.post(m.Enable())
                    environment.post(m.GearCmd(cmd=LOW))
                    environment.post(m.UlcCmd(cmd=speed, cmd_type=VELOCITY, enable=True))
                    environment.post(m.SteeringCmd(cmd=0.0, cmd_type=ANGLE, enable=True))
            self.step(chunk)

    def close(self) -> None:
        for sweeps in self.sweeps:
            if sweeps is not None:
                sweeps.close()


def beside(world: World, count: int = 2, **changes: object) -> list[Start]:
    """Return starts of some vehicles side by side at the first place of a world."""
    place = world.places[0]
    return starts_beside(world, Start(x=place.x, y=place.y, yaw=place.yaw, gear="L", **changes), count)  # type: ignore[arg-type]


def assert_goes_on_alike(rig: Rig, other: Rig, file: Path) -> None:
    """Assert that another rig goes on to the bit from a snapshot of one, through a file, with samples and sweeps."""
    rig.simulation.snapshot().save(file)
    for log in rig.logs:
        log.samples.clear()
        log.sweeps.clear()
    other.simulation.restore(Snapshot.load(file))
    for each in (rig, other):
        each.drive(120)
    for own, same in zip(rig.logs, other.logs, strict=True):
        assert own.bytes == same.bytes
        assert [sweep.points.tobytes() for sweep in own.sweeps] == [sweep.points.tobytes() for sweep in same.sweeps]
        assert len(own.sweeps) >= 9
