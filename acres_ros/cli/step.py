"""`acres step`: advance a paused stand-in by some steps."""

from __future__ import annotations

import argparse
import sys
import time

from acres_ros import fence
from acres_ros.core.clock import STEP_S

HELP = "advance a paused stand-in by some physics steps of 1/120 s"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("steps", type=_count, nargs="?", default=1, help="number of steps")
    parser.add_argument("--pause", action="store_true", help="pause the stand-in first")


def _count(text: str) -> int:
    """Return a number of steps that a request can carry."""
    if text.isdecimal() and int(text) < 1 << 64:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of steps: wanted a whole number of 0 or more")


def run(arguments: argparse.Namespace) -> int:
    """Request the steps and say how long they took."""
    fence.apply()
    import rclpy
    from rclpy.node import Node

    from acres_ros.nodes.lockstep_client import StepClient

    rclpy.init()
    try:
        client = StepClient(Node("acres_step"))
        if arguments.pause:
            client.pause()
        begin = time.perf_counter()
        client.step(arguments.steps)
        wall = time.perf_counter() - begin
    finally:
        rclpy.try_shutdown()
    seconds = arguments.steps * STEP_S
    print(f"{arguments.steps} steps, {seconds:.3f} s of simulation, in {wall:.3f} s ({seconds / wall:.1f} x real time)")
    sys.stdout.flush()
    return 0
