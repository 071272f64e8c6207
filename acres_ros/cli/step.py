"""`acres step`: advance a paused stand-in by some steps."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from acres_ros import fence
from acres_ros.core.clock import STEP_S

HELP = "advance a paused stand-in by some physics steps of 1/120 s"
MOST_BY_SERVICE = 120
"""Steps of one request; more take long enough to be shown and interrupted, and are a goal of the action."""
FIRST_SHOWN_S, SHOWN_S, LINE_S = 1.0, 0.25, 10.0
"""When progress is first shown, and how often then: on one line of a terminal, or else on a line each time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.description = f"{HELP}; Ctrl-C ends more than {MOST_BY_SERVICE} of them and tells how many were run"
    parser.add_argument("steps", type=_count, nargs="?", default=1, help="number of steps")
    parser.add_argument("--pause", action="store_true", help="pause the stand-in first")


def _count(text: str) -> int:
    """Return a number of steps that a request can carry."""
    if text.isdecimal() and int(text) < 1 << 64:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of steps: wanted a whole number of 0 or more")


def run(arguments: argparse.Namespace) -> int:
    """Request the steps, show how far they are, and say how long they took."""
    fence.apply()
    import rclpy
    from rclpy.node import Node
    from rclpy.signals import SignalHandlerOptions

    from acres_ros.nodes.lockstep_client import StepClient
    from acres_ros.nodes.step_goal import StepGoal

    steps = arguments.steps
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # its own handler would end what cancels the steps
    try:
        client = StepClient(Node("acres_step"), lambda line: print(f"[acres] {line}", file=sys.stderr, flush=True))
        if arguments.pause:
            client.pause()
        goal = StepGoal(client) if steps > MOST_BY_SERVICE else None
        begin = time.perf_counter()
        if goal is None:
            client.step(steps)
        else:
            with _signals_noted() as stop, _progress(steps, begin) as show:
                cancelled = goal.run(steps, tell=show, stop=stop)
            if cancelled:
                print(f"acres: interrupted: {cancelled}", file=sys.stderr)
                raise KeyboardInterrupt
        wall = time.perf_counter() - begin
    finally:
        rclpy.try_shutdown()
    print(f"{steps} steps, {_speed(steps, wall)}")
    sys.stdout.flush()
    return 0


def _speed(steps: int, wall: float) -> str:
    seconds = steps * STEP_S
    return f"{seconds:.3f} s of simulation, in {wall:.3f} s ({seconds / wall:.1f} x real time)"


@contextlib.contextmanager
def _signals_noted() -> Iterator[Callable[[], bool]]:
    """Give what tells whether a signal to end has come; a second one acts as ever."""
    came = threading.Event()

    def note(number: int, _: object) -> None:
        came.set()
        signal.signal(number, before[signal.Signals(number)])

    # One that whoever started this program lets it ignore, as nohup does, stays ignored.
    numbers = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _progress(total: int, begin: float) -> Iterator[Callable[[int], None]]:
    """Give what shows how many steps are done, now and then.

    Args:
        total: steps that are asked for.
        begin: when they were, on the clock of `time.perf_counter`.
    """
    terminal = sys.stderr.isatty()
    due = begin + (FIRST_SHOWN_S if terminal else LINE_S)

    def show(done: int) -> None:
        nonlocal due
        now = time.perf_counter()
        if now >= due:
            due = now + (SHOWN_S if terminal else LINE_S)
            text = f"[acres] {done} of {total} steps, {_speed(done, now - begin)}"
            print(f"\r\033[K{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
