"""The rows of `acres bench` that need a running stand-in: started here, driven by a client in this process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import rclpy
from rclpy.node import Node

from acres_ros import fence
from acres_ros._compiled import compiling_text
from acres_ros._program import run_by
from acres_ros.cli._tree import NoSourceTreeError, source_tree
from acres_ros.cli.bench_endurance import Endurance
from acres_ros.cli.up import StandIn, started
from acres_ros.core.clock import STEP_S
from acres_ros.errors import AcresError
from acres_ros.nodes.bench_cloud import publications
from acres_ros.nodes.bench_free_run import ClockWatch, drive_and_watch
from acres_ros.nodes.bench_lockstep import CLOUD, LockstepDrive, TriggerClient, round_trips
from acres_ros.tools.bench import (
    Bar,
    Figure,
    ProcessGroup,
    grid_lateness,
    lidar_figures,
    odometry_figures,
    percentile,
    physics_figures,
    physics_thread_figures,
)
from acres_ros.tools.bench.parts import repeat_part
from acres_ros.world import load_world

READY_TIMEOUT_S = 120.0
SET_UP_TIMEOUT_S = 1800.0
GRACE_S = 20.0
ENGAGE_S = 2.0
WARM_S = 10.0
"""Free run before it is measured with the LiDAR, whose first scan takes longer than the others."""

LISTENERS: dict[str, tuple[str, ...] | None] = {
    "nobody listens": (),
    "odometry taken": ("/ground_truth/odometry",),
    "all topics but the cloud taken": None,
}
TOGETHER = {False: "two processes", True: "composed"}


class SetUpError(AcresError):
    """A fresh clone that could not be set up."""

    def __init__(self, command: list[str], code: int, said: str) -> None:
        super().__init__(f"{' '.join(command)} ended with exit code {code}: {said.strip()[-400:]}")


class NotPreparedError(AcresError):
    """The tree is not run by an environment of its own, so its launcher would begin with a set-up."""

    def __init__(self, tree: Path, prefix: str) -> None:
        super().__init__(
            f"{tree} runs in the environment {prefix}, so its ./acres up would begin with a set-up, which is not a "
            f"start: measure with {tree / 'acres'} bench G8"
        )


class Bench:
    """Measure rows.

    Args:
        quick: shorter runs and fewer repeats.
        set_up: also set up a fresh clone in row G8.
        say: shows what is being done.
    """

    def __init__(self, *, quick: bool, set_up: bool, say: Callable[[str], None]) -> None:
        self._quick = quick
        self._set_up = set_up
        self._say = say
        self._rows: dict[str, Callable[[], Iterator[Figure]]] = {
            "G1": self._physics,
            "G2": self._physics_threads,
            "G3": self._lidar,
            "G4": self._lockstep,
            "G5": self._clouds,
            "G6": self._round_trip,
            "G7": self._free_run,
            "G8": self._start,
            "G9": self._memory,
            "L1": self._odometry,
        }
        endurance = Endurance(quick, self._stand_in, self._show)
        self._rows |= {
            "S1": endurance.goals,
            "S2": endurance.cancels,
            "S3": endurance.deaths,
            "S4": endurance.floods,
            "S5": endurance.free_run,
        }

    def measure(self, row: str) -> Iterator[Figure]:
        """Yield the figures of a row, each as soon as it is measured."""
        fence.apply()
        yield from self._rows[row]()

    @contextlib.contextmanager
    def _stand_in(self, label: str, **values: bool) -> Iterator[tuple[StandIn, Node]]:
        """Give a stand-in that is up, and a node of this process."""
        self._say(f"{label}: starting")
        with started(dict(values)) as stand_in:
            stand_in.wait_ready(READY_TIMEOUT_S)
            self._say(f"{label}: running")
            with _client() as node:
                yield stand_in, node

    def _show(self, label: str) -> Callable[[float], None]:
        return lambda share: self._say(f"{label}: {share:.0%}")

    def _physics(self) -> Iterator[Figure]:
        self._say(compiling_text(repeat_part, "the parts of a step", "a minute") or "G1: running")
        yield from physics_figures(repeats=5 if self._quick else 20)

    def _physics_threads(self) -> Iterator[Figure]:
        self._say("G2: running")
        yield from physics_thread_figures(repeats=5 if self._quick else 20)

    def _lidar(self) -> Iterator[Figure]:
        self._say("G3: loading the farm")
        world = load_world("farm")
        self._say("G3: running")
        yield from lidar_figures(world, repeats=5 if self._quick else 20)

    def _odometry(self) -> Iterator[Figure]:
        self._say("L1: driving and scanning the farm")
        yield from odometry_figures(load_world("farm"), self._say)

    def _lockstep(self) -> Iterator[Figure]:
        seconds, repeats = (10.0, 3) if self._quick else (30.0, 5)
        yield from self._lockstep_rows("G4", 52.0, LISTENERS, seconds, repeats)

    def _clouds(self) -> Iterator[Figure]:
        seconds = 5.0 if self._quick else 30.0
        yield from self._lockstep_rows("G5", 10.0, {"the cloud taken": (CLOUD,)}, seconds, 3)
        count = 50 if self._quick else 300
        self._say("G5: publications")
        with _client() as node:
            times = publications(node, count)
        whole = sorted(encode + publish for encode, publish in zip(times.encode, times.publish, strict=True))
        beside = f"p50 of {count}: {1e3 * percentile(times.encode, 0.5):.2f} ms for the bytes, "
        beside += f"{1e3 * percentile(times.publish, 0.5):.2f} ms for DDS; "
        beside += f"p99 of both {1e3 * percentile(whole, 0.99):.2f} ms; "
        beside += f"{times.received} received by a reader in another participant"
        p50 = 1e3 * percentile(whole, 0.5)
        yield Figure("G5", "one cloud of 1.5 MB made and published, p50", p50, "ms", Bar(1.0), beside)

    def _lockstep_rows(
        self, row: str, bar: float, listeners: Mapping[str, tuple[str, ...] | None], seconds: float, repeats: int
    ) -> Iterator[Figure]:
        """Drive in lockstep, with each kind of listener, in two processes and composed."""
        for composed in (False, True):
            for who, topics in listeners.items():
                label = f"{row} {TOGETHER[composed]}, {who}"
                with self._stand_in(label, paused=True, composed=composed) as (stand_in, node):
                    drive = LockstepDrive(node, take=topics)
                    drive.run(ENGAGE_S)
                    nodes = ProcessGroup(process.pid for process in stand_in.processes.values())
                    cpu, walls = nodes.cpu_s(), []
                    for _ in range(repeats):
                        walls.append(drive.run(seconds, self._show(label)))
                    cpu = (nodes.cpu_s() - cpu) / (seconds * repeats) * STEP_S * 1e6
                    beside = f"best of {repeats} x {seconds:g} s, slowest {seconds / max(walls):.1f}; "
                    beside += f"nodes {cpu:.0f} us CPU a step"
                    beside += f", {drive.taken} messages taken by the client" if drive.taken else ""
                    yield Figure(
                        row,
                        f"lockstep by 12 steps, {label[3:]}",
                        seconds / min(walls),
                        "x real time",
                        None if topics is None else Bar(bar, least=True),
                        beside,
                    )

    def _round_trip(self) -> Iterator[Figure]:
        blocks, count = (6, 50) if self._quick else (20, 50)
        for composed in (False, True):
            label = f"G6 {TOGETHER[composed]}"
            with self._stand_in(label, paused=True, composed=composed) as (_, node), _trigger_server():
                drive, bare_node = LockstepDrive(node), Node("acres_bench_bare", context=node.context)
                trigger = TriggerClient(bare_node)
                drive.run(ENGAGE_S)
                round_trips(trigger.call, count)
                steps: list[float] = []
                bare: list[float] = []
                for block in range(blocks):
                    self._show(label)(block / blocks)
                    bare += round_trips(trigger.call, count)
                    steps += round_trips(lambda client=drive.client: client.step(1), count)
            for name, share, bar in (("p50", 0.5, 1.0), ("p99", 0.99, 3.0)):
                ours, theirs = 1e3 * percentile(steps, share), 1e3 * percentile(bare, share)
                yield Figure(
                    "G6",
                    f"one step by service, {name}, {TOGETHER[composed]}",
                    ours,
                    "ms",
                    Bar(bar),
                    f"std_srvs/Trigger in turns: {theirs:.2f} ms (ratio {ours / theirs:.2f}); {len(steps)} calls",
                )

    def _free_run(self) -> Iterator[Figure]:
        for who, take in (("", ()), (", the cloud taken", (CLOUD,))):
            yield from self._free_run_rows(who, take)

    def _free_run_rows(self, who: str, take: tuple[str, ...]) -> Iterator[Figure]:
        seconds = 10.0 if self._quick else 30.0
        with self._stand_in(f"G7{who}") as (stand_in, node):
            nodes = ProcessGroup(process.pid for process in stand_in.processes.values())
            drive_and_watch(node, WARM_S if take else ENGAGE_S, take)
            cpu, begin = nodes.cpu_s(), time.monotonic()
            ticks = drive_and_watch(node, seconds, take)
            share = (nodes.cpu_s() - cpu) / (time.monotonic() - begin)
        late = [abs(offset) for offset in grid_lateness(ticks.arrivals, ticks.steps, STEP_S)]
        missing = ticks.steps[-1] - ticks.steps[0] + 1 - len(ticks.steps)
        yield Figure(
            "G7",
            f"free run{who}, CPU of both nodes",
            share,
            "cores",
            Bar(0.5),
            f"{seconds:g} s at rate 1, a client that drives at 40 Hz and takes /clock; {missing} ticks missing"
            + (f", {ticks.taken} clouds taken" if take else ""),
        )
        yield Figure(
            "G7",
            f"free run{who}, /clock against the grid of 1/120 s, p99",
            1e3 * percentile(late, 0.99),
            "ms",
            Bar(2.0),
            f"p50 {1e3 * percentile(late, 0.5):.2f} ms; the client's own sleeps of 2 ms woke "
            f"{1e3 * percentile(ticks.sleeps, 0.99):.2f} ms late (p99)",
        )

    def _start(self) -> Iterator[Figure]:
        repeats = 2 if self._quick else 4
        times = []
        launcher = _launcher()
        # Whatever has changed since the last start is prepared now, which is not part of the figure.
        _checked([*launcher, "run", "true"], dict(os.environ))
        for number in range(repeats):
            self._say(f"G8: start {number + 1} of {repeats}")
            with _client() as node:
                watch = ClockWatch(node)
                begin = time.monotonic()
                with _running([*launcher, "up"]) as process:
                    watch.first(READY_TIMEOUT_S, process)
                    times.append(time.monotonic() - begin)
        text = f"best of {repeats} starts, slowest {max(times):.1f} s; a client that was there before takes /clock"
        yield Figure("G8", "./acres up on a prepared machine, to the first /clock", min(times), "s", Bar(5.0), text)
        if self._set_up:
            yield self._first_set_up()

    def _first_set_up(self) -> Figure:
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            environment = {**os.environ, "ACRES_CACHE": str(Path(folder) / "cache")}
            self._say("G8: setting up a fresh clone")
            _checked(["git", "clone", "--quiet", str(source_tree()), str(clone)], environment)
            begin = time.monotonic()
            _checked([str(clone / "acres"), "run", "true"], environment)
            seconds = time.monotonic() - begin
        text = "a fresh clone: environment, packages, interfaces; downloads as the package index and its cache give"
        return Figure("G8", "first set-up of a fresh clone", seconds, "s", Bar(240.0), text)

    def _memory(self) -> Iterator[Figure]:
        minutes = 3 if self._quick else 30
        for marks in (True, False):
            label = f"G9 marks {'on' if marks else 'off'}"
            with self._stand_in(label, paused=True, marks=marks) as (stand_in, node):
                nodes = ProcessGroup(process.pid for process in stand_in.processes.values())
                drive = LockstepDrive(node)
                drive.run(60.0)
                warm = nodes.resident_mb()
                wall = drive.run(60.0 * minutes, self._show(label))
                end = nodes.resident_mb()
            if marks:
                beside = f"after {minutes + 1} simulated minutes in lockstep, which took {wall:.0f} s"
                yield Figure("G9", "resident memory of both nodes", end, "MB", Bar(600.0), beside)
            # A growth that is there without marks too is none of the ruts, which the farm has to remember.
            beside = f"{warm:.1f} MB after the first minute, {end:.1f} MB at the end"
            what = f"growth over {minutes} simulated minutes, {label[3:]}"
            yield Figure("G9", what, end - warm, "MB", Bar(5.0), beside)


@contextlib.contextmanager
def _client() -> Iterator[Node]:
    """Give a node of this process."""
    rclpy.init()
    try:
        yield Node("acres_bench")
    finally:
        rclpy.try_shutdown()


def _launcher() -> list[str]:
    """Return the command of the launcher: the script of the source tree, or the module where there is none.

    Raises:
        NotPreparedError: the script would set up the tree first.
    """
    try:
        tree = source_tree()
    except NoSourceTreeError:
        return [sys.executable, *run_by("acres_ros.cli")]
    if Path(sys.prefix).parent != tree:
        raise NotPreparedError(tree, sys.prefix)
    return [str(tree / "acres")]


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command meanwhile, and end it as Ctrl-C does."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _trigger_server() -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    return _running([sys.executable, *run_by("acres_ros.nodes.bench_trigger")])


def _checked(command: list[str], environment: dict[str, str]) -> None:
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SET_UP_TIMEOUT_S, check=False
    )
    if result.returncode != 0:
        raise SetUpError(command, result.returncode, result.stderr or result.stdout)
