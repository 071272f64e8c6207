"""Try what a simulator answers by the standard `simulation_interfaces` 1.5.1, row by row: ours, or any other.

It starts a stand-in of its own inside the fence, or takes the simulator that is there. A row passes, fails, or is not
offered by the simulator; where the standard leaves something open, the row says what was found.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator

from acres_ros import fence
from acres_ros.cli._usage import seconds
from acres_ros.cli.check import FAILED, NOT_CHECKED, PASSED
from acres_ros.cli.up import StandIn, started
from acres_ros.errors import AcresError

HELP = "the simulator answers as the standard simulation_interfaces says, ours or any other"
START_S = 240.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the check."""
    parser.add_argument(
        "--attach", action="store_true", help="try the simulator that is up in this domain; it is paused and reset"
    )
    parser.add_argument(
        "--namespace",
        default="",
        metavar="NAME",
        help="what stands before the names of its services, such as /gzserver (default: the root)",
    )
    parser.add_argument(
        "--odometry",
        default="/ground_truth/odometry",
        metavar="TOPIC",
        help="odometry of the vehicle to compare its state with",
    )
    parser.add_argument("--timeout", type=seconds, default=20.0, metavar="SECONDS", help="how long one answer may take")
    parser.add_argument("--quit", action="store_true", help="tell the attached simulator to end itself as the last row")


def run(arguments: argparse.Namespace) -> int:
    """Run the suite, print its table and return the exit status."""
    begun = time.monotonic()
    fence.apply()
    with contextlib.ExitStack() as stack:
        try:
            stand_in = None if arguments.attach else stack.enter_context(_own())
            import rclpy
            from rclpy.node import Node

            from acres_ros.nodes.conformance import ConformanceClient, Verdict
            from acres_ros.nodes.conformance_suite import run_suite, summary

            rclpy.init()
            stack.callback(rclpy.try_shutdown)
            node = Node("acres_conformance", start_parameter_services=False)
            client = ConformanceClient(node, arguments.namespace, arguments.odometry, arguments.timeout)
        except AcresError as error:
            print(error, file=sys.stderr)
            return NOT_CHECKED
        end = arguments.quit or not arguments.attach
        outcomes = run_suite(client, lambda text: print(text, flush=True), end=end)
        failed = any(outcome.verdict is Verdict.FAILED for outcome in outcomes)
        if stand_in is not None and not failed:
            stand_in.wait()
    print(f"{'FAILED' if failed else 'PASSED'}: {summary(outcomes)} ({time.monotonic() - begun:.0f} s).")
    return FAILED if failed else PASSED


@contextlib.contextmanager
def _own() -> Iterator[StandIn]:
    """Give a stand-in that is paused, without the time that the farm takes to load."""
    with started({"paused": True, "world": "yard"}) as stand_in:
        stand_in.wait_ready(START_S)
        yield stand_in
