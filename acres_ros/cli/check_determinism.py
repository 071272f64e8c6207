"""Prove that the same commands give the same bits: what is published, byte by byte, and what is computed.

It runs the rows of acceptance group B inside the fence and prints the first difference of each, if there is one. Short
by default, in about two minutes; `--long` is the length that the acceptance table asks for.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from acres_ros import fence
from acres_ros.cli._usage import as_usage
from acres_ros.cli.check import FAILED, NOT_CHECKED, PASSED
from acres_ros.cli.up import started
from acres_ros.errors import AcresError

if TYPE_CHECKING:
    from acres_ros.nodes.lockstep_program import LockstepProgram

HELP = "the same commands give the same bits, over DDS and in process"
START_S = 240.0
CLEAR_LINE = "\r\033[K"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the check."""
    parser.add_argument(
        "--long", action="store_true", help="60 s of the lockstep program, 100 short runs, 30 simulated minutes"
    )
    parser.add_argument("--world", default="farm", help="world of the runs over DDS")


def run(arguments: argparse.Namespace) -> int:
    """Run every row, print what it found and return the exit status."""
    begun = time.monotonic()
    from acres_ros.cli.preflight import check_start

    with as_usage():
        check_start({"world": arguments.world})
    fence.apply()
    seconds, resets, minutes = (60.0, 100, 30.0) if arguments.long else (10.0, 5, 3.0)
    from acres_ros.nodes.determinism import published
    from acres_ros.tools.determinism import rows

    differences = count = 0
    try:
        # The long run fills the processors that the other rows leave free.
        with rows.long_runs(minutes) as long_run:
            for outcome in chain(
                rows.step_sizes(),
                rows.threads(),
                rows.snapshots(),
                published(lambda composed: _program(arguments.world, composed), seconds, resets, _show),
                long_run(lambda done, total: _show(f"B8: step {done:,} of {total:,}")),
            ):
                count += 1
                differences += outcome.difference is not None
                verdict = "equal" if outcome.difference is None else f"DIFFERENT: {outcome.difference}"
                _clear()
                print(f"{outcome.row}  {outcome.what}: {verdict} ({outcome.amount})", flush=True)
    except AcresError as error:
        _clear()
        print(error, file=sys.stderr)
        return NOT_CHECKED
    verdict = f"FAILED: {differences} of {count} comparisons differ" if differences else f"PASSED: {count} comparisons"
    print(f"{verdict} ({time.monotonic() - begun:.0f} s).")
    return FAILED if differences else PASSED


def _show(text: str) -> None:
    if sys.stdout.isatty():
        print(f"{CLEAR_LINE}{text}", end="", flush=True)


def _clear() -> None:
    if sys.stdout.isatty():
        print(CLEAR_LINE, end="")


@contextlib.contextmanager
def _program(world: str, composed: bool) -> Iterator[LockstepProgram]:
    """Give the lockstep program at a stand-in of its own."""
    import rclpy
    from rclpy.node import Node

    from acres_ros.nodes.lockstep_program import LockstepProgram

    with started({"paused": True, "world": world, "composed": composed}) as stand_in:
        stand_in.wait_ready(START_S)
        rclpy.init()
        try:
            yield LockstepProgram(Node("acres_determinism"))
        finally:
            rclpy.try_shutdown()
