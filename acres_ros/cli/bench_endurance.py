"""The rows of `acres bench` that last: many goals, cancels, deaths, floods, and a free run of many minutes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from rclpy.node import Node

from acres_ros import fence
from acres_ros.cli.description import processes
from acres_ros.cli.up import StandIn
from acres_ros.core.clock import STEP_S
from acres_ros.errors import AcresError
from acres_ros.nodes.bench_endurance import CloudCount, GoalClient, flood
from acres_ros.nodes.bench_free_run import drive_and_watch
from acres_ros.nodes.bench_lockstep import CLOUD
from acres_ros.tools.bench import Bar, Figure, ProcessGroup, grid_lateness, percentile

SAYS_S = 30.0
WARM_GOALS = 100
NODES = ("acres_vehicle", "acres_physics")
DEATH_WORDS = {
    "acres_vehicle": ("left: ", "link to acres_vehicle is lost"),
    "acres_physics": ("acres_physics is gone",),
}
"""What the other node says when one has died."""


class NotSaidError(AcresError):
    """A node did not say what it has to."""

    def __init__(self, words: tuple[str, ...], lines: list[str]) -> None:
        super().__init__(f"no node said {' or '.join(words)} within {SAYS_S:g} s; the last lines: {lines[-5:]}")


@dataclass(frozen=True)
class Endurance:
    """The rows.

    Attributes:
        quick: shorter runs.
        stand_in: gives a stand-in that is up and a node of this process.
        show: gives what shows the share that is done, for a label.
    """

    quick: bool
    stand_in: Callable[..., AbstractContextManager[tuple[StandIn, Node]]]
    show: Callable[[str], Callable[[float], None]]

    def goals(self) -> Iterator[Figure]:
        """Yield row S1: one-step goals, each with its result checked."""
        count = 500 if self.quick else 10_000
        with self.stand_in("S1", paused=True) as (stand_in, node):
            client, group = GoalClient(node), _group(stand_in)
            for _ in range(WARM_GOALS):
                client.run(1)
            before = group.usage()
            times = []
            show = self.show("S1")
            for number in range(count):
                times.append(client.run(1))
                show(number / count)
            after = group.usage()
        beside = f"{count} goals, every result a success; p99 {1e3 * percentile(times, 0.99):.2f} ms"
        yield Figure("S1", "one-step goals of the action, p50", 1e3 * percentile(times, 0.5), "ms", None, beside)
        yield from _flat("S1", f"over {count} goals", before, after)

    def cancels(self) -> Iterator[Figure]:
        """Yield row S2: how long a goal goes on after it was cancelled."""
        count = 20 if self.quick else 200
        with self.stand_in("S2", paused=True) as (_, node):
            client = GoalClient(node)
            times = [client.cancel() for _ in range(count)]
        beside = f"{count} goals of a million steps; p50 {1e3 * percentile(times, 0.5):.1f} ms"
        yield Figure("S2", "from a cancel to the result, longest", 1e3 * max(times), "ms", Bar(100.0), beside)

    def deaths(self) -> Iterator[Figure]:
        """Yield row S3: `kill -9` of each node, seen by the other one, and a new one that joins."""
        repeats = 2 if self.quick else 10
        noticed: dict[str, list[float]] = {name: [] for name in NODES}
        joined: dict[str, list[float]] = {name: [] for name in NODES}
        show = self.show("S3")
        for number in range(repeats):
            for name in NODES:
                show(number / repeats)
                with self.stand_in("S3", paused=True) as (stand_in, _):
                    begin = len(stand_in.output)
                    stand_in.processes[name].kill()
                    noticed[name].append(_until_said(stand_in, DEATH_WORDS[name], begin))
                    with _again(name) as other:
                        joined[name].append(_until_said(other, ("joined", "ready"), 0))
        for name in NODES:
            beside = f"{repeats} deaths; a new one has joined {max(joined[name]):.1f} s after its start at most"
            text = f"kill -9 of {name}, until the other says so, longest"
            yield Figure("S3", text, max(noticed[name]), "s", Bar(1.0), beside)

    def floods(self) -> Iterator[Figure]:
        """Yield row S4: a thousand random messages a second in free run."""
        seconds, hz = (8.0 if self.quick else 60.0), 1000.0
        with self.stand_in("S4") as (stand_in, node):
            group = _group(stand_in)
            drive_and_watch(node, 2.0)
            before = group.usage()
            left = flood(node, seconds, hz, self.show("S4"))
            after = group.usage()
        late = [abs(offset) for offset in grid_lateness(left.arrivals, left.steps, STEP_S)]
        missing = left.steps[-1] - left.steps[0] + 1 - len(left.steps)
        beside = (
            f"{left.sent / left.seconds:.0f} messages/s of random commands for {seconds:g} s; {missing} ticks missing; "
        )
        beside += f"all of {left.odometries} odometries finite: {'yes' if left.finite else 'NO'}"
        p99 = 1e3 * percentile(late, 0.99)
        yield Figure("S4", "a flood, /clock against the grid, p99", p99, "ms", Bar(1e3 * STEP_S), beside)
        share = 0.0 if left.finite and not missing else 1.0
        yield Figure("S4", "a flood, states that are not finite and ticks that are missing", share, "", Bar(0.5))
        yield from _flat("S4", "over the flood", before, after)

    def free_run(self) -> Iterator[Figure]:
        """Yield row S5: a long free run, driven, with a reader of the clouds."""
        seconds = 30.0 if self.quick else 600.0
        with self.stand_in("S5") as (stand_in, node):
            group = _group(stand_in)
            drive_and_watch(node, 10.0, (CLOUD,))  # until the LiDAR is made
            before = group.usage()
            clouds = CloudCount(node)
            ticks = drive_and_watch(node, seconds, each=clouds.take)
            after = group.usage()
        missing = ticks.steps[-1] - ticks.steps[0] + 1 - len(ticks.steps)
        simulated = (ticks.steps[-1] - ticks.steps[0]) * STEP_S
        wall = ticks.arrivals[-1] - ticks.arrivals[0]
        beside = f"{simulated:.1f} s simulated in {wall:.1f} s; {missing} ticks missing"
        yield Figure("S5", "free run, simulated time behind wall time", abs(wall - simulated), "s", Bar(0.1), beside)
        beside = f"{clouds.taken} clouds of 1.5 MB taken"
        yield Figure("S5", "clouds lost by a reader with best effort", float(clouds.lost), "", Bar(0.5), beside)
        yield from _flat("S5", f"over {seconds:g} s of free run", before, after)


def _group(stand_in: StandIn) -> ProcessGroup:
    return ProcessGroup(process.pid for process in stand_in.processes.values())


def _flat(row: str, over: str, before: tuple[float, int, int], after: tuple[float, int, int]) -> Iterator[Figure]:
    """Yield how memory, and open files and threads, of both nodes have grown."""
    beside = f"{before[0]:.1f} MB before, {after[0]:.1f} MB at the end"
    yield Figure(row, f"growth of memory {over}", after[0] - before[0], "MB", Bar(5.0), beside)
    beside = f"{before[1]} files and {before[2]} threads before, {after[1]} and {after[2]} at the end"
    more = max(after[1] - before[1], after[2] - before[2])
    yield Figure(row, f"more open files or threads {over}", float(more), "", Bar(0.5), beside)


def _until_said(stand_in: StandIn, words: tuple[str, ...], begin: int) -> float:
    """Return how long it takes until a node prints a line with one of the words, s."""
    start = time.monotonic()
    while not any(word in line for line in stand_in.output[begin:] for word in words):
        if time.monotonic() - start > SAYS_S:
            raise NotSaidError(words, stand_in.output)
        time.sleep(0.002)
    return time.monotonic() - start


@contextmanager
def _again(name: str) -> Iterator[StandIn]:
    """Start one node again."""
    (description,) = [item for item in processes({"paused": True}) if item.executable == name]
    stand_in = StandIn([description], fence.environment(os.environ), echo=False)
    try:
        yield stand_in
    finally:
        stand_in.end()
