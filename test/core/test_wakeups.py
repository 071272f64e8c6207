"""What a thread asks of the kernel is what the kernel has noted, for this thread alone."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from acres_ros.core.wakeups import LONG_SLICE_S, SHORT_SLICE_S, run_behind, run_soon

ATTRIBUTES = struct.Struct("<IIQiIQQQ")  # struct sched_attr, sched_setattr(2)
SCHED_GETATTR = 315
PR_GET_TIMERSLACK = 30


def in_thread(ask: Callable[[], None], look: Callable[[], int]) -> int:
    """Return what a thread sees of itself after it has asked."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: (ask(), found.append(look())))
    thread.start()
    thread.join()
    return found[0]


def attributes() -> tuple[int, ...]:
    """Return the `struct sched_attr` of this thread."""
    buffer = ctypes.create_string_buffer(ATTRIBUTES.size)
    assert ctypes.CDLL(None).syscall(SCHED_GETATTR, 0, buffer, ATTRIBUTES.size, 0) == 0
    return ATTRIBUTES.unpack(buffer.raw)


def slice_ns() -> int:
    """Return the slice of this thread."""
    return attributes()[5]


def test_a_thread_gets_the_slice_that_it_asks_for() -> None:
    release = Path("/proc/sys/kernel/osrelease").read_text(encoding="ascii").split(".")
    usual = in_thread(lambda: None, slice_ns)
    for ask, slice_s in ((run_soon, SHORT_SLICE_S), (run_behind, LONG_SLICE_S)):
        known = (int(release[0]), int(release[1].split("-")[0])) >= (6, 12)
        assert in_thread(ask, slice_ns) == (round(1e9 * slice_s) if known else usual)
    assert in_thread(lambda: None, slice_ns) == usual


def test_the_timers_of_the_thread_have_no_slack() -> None:
    def slack_ns() -> int:
        return ctypes.CDLL(None).prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)

    usual = in_thread(lambda: None, slack_ns)
    assert in_thread(run_soon, slack_ns) == 1 < usual
    assert in_thread(lambda: None, slack_ns) == usual


@pytest.mark.parametrize("ask", [run_soon, run_behind])
def test_a_thread_keeps_the_policy_and_the_niceness_that_it_was_given(ask: Callable[[], None]) -> None:
    def nice() -> None:
        os.setpriority(os.PRIO_PROCESS, 0, 19)
        ask()

    def batch() -> None:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        ask()

    assert in_thread(nice, lambda: attributes()[3]) == 19
    assert in_thread(nice, slice_ns) == in_thread(ask, slice_ns)
    assert in_thread(batch, lambda: attributes()[1]) == os.SCHED_BATCH
