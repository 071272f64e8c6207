"""`acres drive`: drive the stand-in from a program of its own, and show what came of it."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from acres_ros import fence
from acres_ros.cli._usage import check_picture, drawing, seconds
from acres_ros.cli.up import started, tied
from acres_ros.locations import shared_folder

HELP = "drive the stand-in: a closed kilometre as a client, or the lockstep program twice"
READY_TIMEOUT_S = 120.0
SHORTEST_LAP_M = 400.0
"""As in the example, whose arcs need it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the two programs."""
    programs = parser.add_subparsers(dest="program", required=True, metavar="PROGRAM")
    kilometre = programs.add_parser("kilometre", help="a path follower drives a closed path of 1 km by the real topics")
    kilometre.add_argument("--lockstep", action="store_true", help="request the steps instead of following the clock")
    kilometre.add_argument("--lap", type=_lap, default=1000.0, help="length of the lap, m, 400 or more")
    kilometre.add_argument("--attach", action="store_true", help="drive a stand-in that is already up")
    kilometre.add_argument(
        "--picture", type=Path, default=Path("output/kilometre.png"), metavar="FILE", help="picture of path and speeds"
    )
    lockstep = programs.add_parser("lockstep", help="the lockstep program of the spec, twice, compared to the bit")
    lockstep.add_argument("--seconds", type=seconds, default=60.0, help="simulated time of each run, s")
    lockstep.add_argument("--composed", action="store_true", help="the second run with both nodes in one process")


def _lap(text: str) -> float:
    try:
        if SHORTEST_LAP_M <= (length := float(text)) < math.inf:
            return length
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no length of a lap: wanted {SHORTEST_LAP_M:g} m or more")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen program."""
    return _kilometre(arguments) if arguments.program == "kilometre" else _lockstep(arguments)


def _kilometre(arguments: argparse.Namespace) -> int:
    check_picture(arguments.picture)
    fence.apply()
    from acres_ros.nodes.touch_watch import touches_watched

    environment = fence.environment(os.environ)
    with contextlib.ExitStack() as stack:
        if not arguments.attach:
            print("[acres] bringing the stand-in up", flush=True)
            stand_in = stack.enter_context(started({"paused": arguments.lockstep, "world": "yard"}))
            print(f"[acres] ready after {stand_in.wait_ready(READY_TIMEOUT_S):.1f} s; driving", flush=True)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        track = folder / "track.json"
        command = [sys.executable, "-u", str(shared_folder("examples") / "kilometre.py")]
        command += ["--lap", str(arguments.lap), "--track", str(track)]
        command += ["--lockstep"] if arguments.lockstep else []
        touches = stack.enter_context(touches_watched())
        code = subprocess.run(tied(command), env=environment, check=False).returncode
        if touches:
            print(f"[acres] TOUCHED on the way, {len(touches)} times: {', '.join(sorted(set(touches)))}", flush=True)
        if code != 0:
            print(f"acres: the client ended with exit code {code}", file=sys.stderr)
            return 1
        from acres_ros.tools.pictures import draw_lap

        rows = json.loads(track.read_text())["rows"]
        with drawing(arguments.picture):
            draw_lap(rows, arguments.picture)
    print(f"[acres] picture: {arguments.picture}")
    return 0


def _lockstep(arguments: argparse.Namespace) -> int:
    fence.apply()
    import rclpy
    from rclpy.node import Node

    from acres_ros.nodes.lockstep_program import LockstepProgram, first_difference

    runs = []
    for number in (1, 2):
        values = {"paused": True, "world": "yard", "composed": arguments.composed and number == 2}
        with started(values) as stand_in:
            stand_in.wait_ready(READY_TIMEOUT_S)
            rclpy.init()
            try:
                program = LockstepProgram(Node("lockstep_program"))
                result = program.run(seconds=arguments.seconds, progress=_show(number))
            finally:
                rclpy.try_shutdown()
        runs.append(result)
        simulated = len(result.positions) / 120.0
        messages = sum(count for count, _ in result.hashes.values())
        print(
            f"\r[acres] run {number}: {len(result.positions)} steps, {result.distance:.2f} m, {messages} messages on "
            f"{len(result.hashes)} topics, {simulated / result.wall_s:.1f} x real time"
        )
    difference = first_difference(*runs)
    print(
        f"[acres] every published byte equal: {'yes' if difference is None else f'NO, first difference: {difference}'}"
    )
    return 0 if difference is None else 1


def _show(number: int):
    def show(done: int, total: int) -> None:
        if sys.stdout.isatty():
            print(f"\r[acres] run {number}: step {done} of {total}", end="", flush=True)

    return show
