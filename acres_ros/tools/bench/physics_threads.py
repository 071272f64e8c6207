"""Row G2: steps of vehicles on farms of their own, a thread for each, beside one vehicle in one thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from acres_ros.tools.bench.all_threads import all_thread_figures, thread_count
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.tools.bench.physics import CORN, PERIOD_STEPS, UNDER_WAY, Drive
from acres_ros.world import load_world

SHARE_BAR = 0.9
GATHER_S = 60.0
"""The longest that a thread waits for the others to be under way; one that has failed is not waited for."""


def drive_at_once(drives: Sequence[Drive], commands: int) -> float:
    """Drive each vehicle in a thread of its own, all from where the last is under way too.

    Args:
        drives: the vehicles, which share nothing that changes.
        commands: of 12 steps, that each gets.

    Returns:
        wall time from the first that begins to the last that ends, s.
    """
    gate = threading.Barrier(len(drives), timeout=GATHER_S)

    def act(drive: Drive) -> tuple[float, float]:
        drive.reset()
        drive.run(UNDER_WAY)
        gate.wait()
        begin = time.perf_counter()
        drive.run(commands)
        return begin, time.perf_counter()

    with ThreadPoolExecutor(len(drives)) as pool:
        begins, ends = zip(*pool.map(act, drives), strict=True)
    return max(ends) - min(begins)


def physics_thread_figures(*, repeats: int = 20, commands: int = 400) -> Iterator[Figure]:
    """Yield the figures of row G2: all threads in standing corn with marks, and over as many times one.

    Args:
        repeats: measurements, one thread and all in turns; the best counts.
        commands: commands of 12 steps in each.
    """
    farm, threads = load_world("farm"), thread_count()
    drives = [Drive(farm, CORN) for _ in range(threads)]
    one = together = float("inf")
    for _ in range(repeats):
        one = min(one, drive_at_once(drives[:1], commands))
        together = min(together, drive_at_once(drives, commands))
    steps = commands * PERIOD_STEPS
    yield from all_thread_figures(
        "G2",
        "steps",
        "steps/s",
        one=steps / one,
        together=threads * steps / together,
        threads=threads,
        beside=f"each a vehicle on a farm of its own, marks on, a command each 12 steps; best of {repeats}",
        bar=Bar(SHARE_BAR, least=True),
    )
