"""Times of an act that is repeated in turns with others at some places: the shortest at each counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Times:
    """Shortest times of an act by the place where it is done, s.

    Attributes:
        cpu: of the thread that asks for it.
        wall: of the clock.
    """

    cpu: dict[str, float] = field(default_factory=dict)
    wall: dict[str, float] = field(default_factory=dict)

    def take(self, place: str, act: Callable[[], object], repeat: int) -> None:
        """Do an act and keep its times if they are shorter; those of run 0, which compiles or loads, do not count."""
        wall, cpu = time.perf_counter(), time.thread_time()
        act()
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        if repeat > 0:
            self.cpu[place] = min(self.cpu.get(place, float("inf")), cpu)
            self.wall[place] = min(self.wall.get(place, float("inf")), wall)

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of all places together, s."""
        return sum(self.cpu.values())

    @property
    def wall_s(self) -> float:
        """Return the wall time of all places together, s."""
        return sum(self.wall.values())
