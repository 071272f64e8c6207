"""How soon a thread runs when it wakes: what a program may ask of Linux for itself, without rights.

A thread that paces the simulation needs little and needs it at once; a scan needs much and may wait. Linux from 6.12 on
serves who asks for a short slice before who asks for a long one, at equal shares of the processor (sched_setattr(2),
`sched_runtime`). A kernel that does not know a request ignores it. The niceness stays as it is, and so does the
scheduling of a thread that was given another policy than the usual one. No result depends on any of this.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

SWITCH_S = 1.0e-4
"""After which a thread that runs Python gives way to one that waits for it; by default it is 5 ms, half a step."""
SHORT_SLICE_S = 1.0e-4
LONG_SLICE_S = 0.1
"""The shortest and the longest slice that Linux gives."""

_PR_SET_TIMERSLACK = 29
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
_ATTRIBUTES = struct.Struct("<IIQiIQQQ")
"""`struct sched_attr`: size, policy, flags, nice, priority, runtime, deadline, period; times in ns."""


def run_soon() -> None:
    """Let the calling thread wake without slack of its timers, run before others, and get the interpreter soon."""
    sys.setswitchinterval(SWITCH_S)
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)
    _ask_for(SHORT_SLICE_S)


def run_behind() -> None:
    """Let the calling thread, and those that it starts, run behind others."""
    _ask_for(LONG_SLICE_S)


def _ask_for(slice_s: float) -> None:
    """Ask for slices of a length, s, for the calling thread."""
    number = _SCHED_SETATTR.get(platform.machine())
    if number is not None and os.sched_getscheduler(0) == os.SCHED_OTHER:
        # The call sets all that it is given, and the niceness is that of this thread: Linux has no other.
        nice = os.getpriority(os.PRIO_PROCESS, 0)
        attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_OTHER, 0, nice, 0, round(slice_s * 1e9), 0, 0)
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)
