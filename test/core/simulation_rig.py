"""A simulation on stand-ins: an environment that only counts, and an output that keeps what was sent."""

from __future__ import annotations

import numpy as np

from acres_ros.core.inbox import Arrival
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import State
from acres_ros.core.spawned import Spawned
from acres_ros.errors import AcresError
from acres_ros.world import World

STEP = 1 / 120


class CountingEnvironment:
    """Counts steps and keeps what was posted."""

    def __init__(self) -> None:
        self.step_count = 0
        self.revision = 0
        self.worlds: list[tuple[object, object]] = []
        self.posted: list[tuple[object, float | None]] = []
        self.resets: list[tuple[object, bool]] = []
        self.time_restarts = 0
        self.restarts = 0
        self.vehicles: tuple[str, ...] = ()
        self.spawned = Spawned()

    @property
    def time_s(self) -> float:
        return self.step_count * STEP

    def post(self, message: object, apply_at: float | None = None) -> None:
        self.posted.append((message, apply_at))

    def step(self, count: int) -> np.ndarray:
        self.step_count += count
        return np.arange(self.step_count - count + 1, self.step_count + 1)

    def set_spawned(self, spawned: Spawned, whole_world: World | None = None) -> None:
        self.spawned = spawned

    def load_world(self, world: object, start: object) -> None:
        self.worlds.append((world, start))
        self.revision += 1
        self.step_count = 0

    def reset(self, *, restart_time: bool, start: object = None, occupants: int | None = None) -> None:
        self.revision += occupants is not None
        self.resets.append((start, restart_time))
        if restart_time:
            self.step_count = 0

    def restart(self) -> None:
        self.restarts += 1
        self.step_count = 0

    def restart_time(self) -> None:
        self.time_restarts += 1
        self.step_count = 0


class RecordingOutput:
    """Keeps what was sent and when a barrier came."""

    def __init__(self) -> None:
        self.connected = True
        self.log: list[object] = []
        self.failure: AcresError | None = None

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        if self.failure:
            raise self.failure
        self.log.extend(int(k) for k in samples)

    def ask(self) -> None:
        self.log.append("asked")

    def barrier(self, timeout_s: float) -> None:
        self.log.append("barrier")

    def greet(self, *, goes_on: bool = False) -> None:
        self.log.append("greeting")


class Arrivals(list):
    """Messages that have come and that nobody has read."""

    def take(self) -> list[Arrival]:
        taken = list(self)
        self.clear()
        return taken


def simulation(state: State) -> Simulation:
    arrivals = Arrivals()
    made = Simulation(CountingEnvironment(), RecordingOutput(), arrivals.take, state=state)
    made.arrivals = arrivals
    return made


def finish(simulation: Simulation) -> None:
    while simulation.request is not None:
        simulation.advance(0.0)
