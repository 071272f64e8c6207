"""What all threads of the machine do at once, beside one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from acres_ros.core.lidar_job import MOST_THREADS
from acres_ros.tools.bench.figures import Bar, Figure


def thread_count() -> int:
    """Return the number of threads that a row calls all: one for each CPU that this process may use."""
    return min(len(os.sched_getaffinity(0)), MOST_THREADS)


def all_thread_figures(
    row: str, what: str, unit: str, *, one: float, together: float, threads: int, beside: str, bar: Bar | None = None
) -> Iterator[Figure]:
    """Yield what all threads do in a second, and what share that is of as many times what one does alone.

    Args:
        row: id of the row.
        what: is done.
        unit: of the rates.
        one: what one thread does in a second of wall time.
        together: what all do in one.
        threads: how many all are.
        beside: what was run.
        bar: of the share.
    """
    yield Figure(
        row, f"{what} of all threads in a second of wall time", together, unit, None, f"{threads} threads; {beside}"
    )
    text = f"one thread in turns {one:,.0f} {unit} of wall time, {threads} threads {together / one:.2f} times that"
    yield Figure(row, f"{what} of all threads, over threads times one", together / (threads * one), "x", bar, text)
