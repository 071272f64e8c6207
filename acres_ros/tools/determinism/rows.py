"""The rows of acceptance group B that need no ROS: threads, step sizes, snapshots, long runs in two processes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from acres_ros._program import run_by
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.snapshot import Snapshot
from acres_ros.errors import AcresError
from acres_ros.tools.determinism.drive import HASH_STEPS, PERIOD_STEPS, Drive
from acres_ros.world import World, load_world

WORLD = "farm"
SEED = 20_261
VEHICLES = 6
DRIVE_STEPS = 100 * STEPS_PER_SECOND
SCAN_PLACES = 4

Progress = Callable[[int, int], None]
"""Gets the steps that are done in both processes of a long run, and the steps in all."""


class DriveFailedError(AcresError):
    """A drive in a process of its own ended with an error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"a drive ended with exit code {code}: {text[-400:]}")


class Outcome(NamedTuple):
    """What a row found.

    Attributes:
        row: of the acceptance table, B1 to B8.
        what: what was compared.
        amount: how much of it.
        difference: the first difference in words; None where all is equal.
    """

    row: str
    what: str
    amount: str
    difference: str | None


class _LongRun(NamedTuple):
    process: subprocess.Popen[str]
    said: IO[str]


def first_difference(one: Sequence[str], other: Sequence[str]) -> str | None:
    """Return where two lists of hashes first differ, in words, or None."""
    for number, (a, b) in enumerate(zip_longest(one, other)):
        if a != b:
            first, last = number * HASH_STEPS + 1, (number + 1) * HASH_STEPS
            return f"steps {first} to {last}: {a or 'nothing'} and {b or 'nothing'}"
    return None


def threads() -> Iterator[Outcome]:
    """Yield row B2: vehicles one after the other and side by side; scans by one thread and by all."""
    world, count = load_world(WORLD), max(2, len(os.sched_getaffinity(0)))
    alone = [list(Drive(world, SEED + number).run(DRIVE_STEPS)) for number in range(VEHICLES)]
    drives = [Drive(world, SEED + number) for number in range(VEHICLES)]
    with ThreadPoolExecutor(count) as pool:
        together = list(pool.map(lambda drive: list(drive.run(DRIVE_STEPS)), drives))
    difference = next(
        (
            f"vehicle {number}, {text}"
            for number, pair in enumerate(zip(alone, together, strict=True))
            if (text := first_difference(*pair))
        ),
        None,
    )
    amount = f"{VEHICLES} vehicles, {VEHICLES * DRIVE_STEPS:,} steps"
    yield Outcome("B2", f"vehicles in one thread, and in {count}", amount, difference)
    yield _scans(world, count)


def _scans(world: World, count: int) -> Outcome:
    lidar, pattern = Lidar.of(world), LidarPattern.helios()
    difference = None
    for place in world.places[:SCAN_PLACES]:
        pose = np.array((place.x, place.y, world.terrain.height_at(place.x, place.y) + 2.0, 0.0, 0.0, 0.0, 1.0))
        job = lidar.prepare(pattern, pose, noise=True, seed=SEED, step=PERIOD_STEPS)
        one, all_threads = job.run(1), job.run(count)
        unequal = np.flatnonzero(one.ranges.view(np.uint32) != all_threads.ranges.view(np.uint32))
        if one.points.tobytes() != all_threads.points.tobytes():
            difference = difference or f"{place.name}: {len(unequal)} ranges, cell {unequal[:1]} first"
    return Outcome("B2", f"scans by one thread, and by {count}", f"{SCAN_PLACES} sweeps of the Helios", difference)


def step_sizes() -> Iterator[Outcome]:
    """Yield row B4: a control step of twelve physics steps, and twelve times one physics step."""
    world = load_world(WORLD)
    whole = list(Drive(world, SEED).run(DRIVE_STEPS))
    difference = next(
        (
            f"by {chunk}: {text}"
            for chunk in (1, 4)
            if (text := first_difference(whole, list(Drive(world, SEED).run(DRIVE_STEPS, chunk=chunk))))
        ),
        None,
    )
    yield Outcome("B4", "control steps of 12, and the same by 4 and by 1", f"3 x {DRIVE_STEPS:,} steps", difference)


def snapshots() -> Iterator[Outcome]:
    """Yield row B7: a run goes on from a snapshot, in memory and from its file, as the run of which it was taken."""
    world = load_world(WORLD)
    drive = Drive(world, SEED)
    for _ in drive.run(DRIVE_STEPS // 2):
        pass
    drive.command()  # and commands are on their way
    kept = drive.environment.snapshot()
    with tempfile.TemporaryDirectory() as folder:
        kept.save(Path(folder) / "state")
        loaded = Snapshot.load(Path(folder) / "state")
    further = [_go_on(drive.environment)]
    for snapshot in (kept, loaded):
        drive.environment.restore(snapshot)
        further.append(_go_on(drive.environment))
    other = Drive(world, SEED).environment
    other.restore(loaded)
    further.append(_go_on(other))
    names = ("in memory", "from its file", "in another environment")
    difference = next(
        (
            f"{name}: {text}"
            for name, hashes in zip(names, further[1:], strict=True)
            if (text := first_difference(further[0], hashes))
        ),
        None,
    )
    amount = f"{', '.join(names)}: {DRIVE_STEPS:,} steps each"
    yield Outcome("B7", "a run on, and the same from a snapshot", amount, difference)


def _go_on(environment: Environment) -> list[str]:
    """Run on without new commands and return the hashes: the queue runs dry and the watchdog lets go."""
    return [
        hashlib.sha256(environment.step(HASH_STEPS).tobytes()).hexdigest()[:16]
        for _ in range(0, DRIVE_STEPS, HASH_STEPS)
    ]


@contextlib.contextmanager
def long_runs(minutes: float) -> Iterator[Callable[[Progress], Iterator[Outcome]]]:
    """Begin row B8, the same long drive in two processes, and give the function that waits for them and yields the row.

    The processes go on while other rows are run, and end with the context.

    Args:
        minutes: simulated time of each.
    """
    steps = round(minutes * 60 * STEPS_PER_SECOND) // PERIOD_STEPS * PERIOD_STEPS
    command = [sys.executable, *run_by("acres_ros.tools.determinism", WORLD, str(SEED), str(steps))]
    with contextlib.ExitStack() as stack:
        runs = []
        for _ in range(2):
            # Files, because a pipe that nobody reads meanwhile would fill up.
            said = stack.enter_context(tempfile.TemporaryFile("w+"))
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)
            runs.append(_LongRun(process, said))
        yield lambda progress: _compared(runs, minutes, steps, progress)


def _compared(runs: Sequence[_LongRun], minutes: float, steps: int, progress: Progress) -> Iterator[Outcome]:
    """Yield row B8 when both have ended.

    Raises:
        DriveFailedError: a process ended with an error.
    """
    difference, count = None, 0
    streams = [run.process.stdout for run in runs if run.process.stdout is not None]
    for pair in zip_longest(*streams):
        one, other = (text.strip() if text else "" for text in pair)
        count += 1
        if one != other:
            difference = difference or first_difference([*[""] * (count - 1), one], [*[""] * (count - 1), other])
        progress(min(steps, count * HASH_STEPS), steps)
    for process, said in runs:
        if process.wait():
            said.seek(0)
            raise DriveFailedError(process.returncode, said.read())
    amount = f"{minutes:g} minutes twice, {count} hashes of {HASH_STEPS} steps"
    yield Outcome("B8", "a long drive in two processes", amount, difference)
