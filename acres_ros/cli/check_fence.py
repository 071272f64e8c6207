"""Prove the loopback fence: trace every datagram of real programs in a network with a second, non-loopback interface.

The same programs are then run with the fence off, where they must be caught: a proof that cannot fail is none.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time

from acres_ros._program import run_by
from acres_ros.cli._usage import seconds
from acres_ros.cli.check import FAILED, NOT_CHECKED, PASSED
from acres_ros.fence import ACCEPTANCE, PARAMETER, ProofImpossibleError, settings
from acres_ros.fence.proof import TIMEOUT_S, Program, probe_programs, prove

# Without the fence a node is seen on the network as soon as it exists, so these runs need not go to their end.
CONTROL_S = 10.0

HELP = "no datagram leaves this machine: every destination traced, with a packet socket as second witness"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the check."""
    parser.add_argument(
        "--no-fence",
        action="store_true",
        help="run with the fence off, to see the check fail (status 1); nothing leaves the private network",
    )
    parser.add_argument(
        "--probe",
        action="store_true",
        help="trace two small programs instead of the stand-in and its client",
    )
    parser.add_argument("--quick", action="store_true", help="leave out the second run with the fence off")
    parser.add_argument(
        "--service",
        action="append",
        default=[],
        metavar="COMMAND",
        help="a program to trace that runs until the clients are done; may be repeated",
    )
    parser.add_argument(
        "--client",
        action="append",
        default=[],
        metavar="COMMAND",
        help="a program to trace whose end with status 0 ends the run; may be repeated",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT_S,
        metavar="SECONDS",
        help="limit for the clients (default: %(default)g)",
    )


def programs(arguments: argparse.Namespace) -> list[Program]:
    """Return the programs to trace: those of the command line, else the stand-in with a client that drives it."""
    given = [(command, False) for command in arguments.service] + [(command, True) for command in arguments.client]
    if not given:
        return probe_programs() if arguments.probe else stand_in_programs()
    return [
        Program(f"program{number}", tuple(shlex.split(command)), client=client)
        for number, (command, client) in enumerate(given, 1)
    ]


def stand_in_programs() -> list[Program]:
    """Return the processes of `acres up` and a client that enables the vehicle and drives it."""
    from acres_ros.cli.description import PARAMETER_FILE, processes
    from acres_ros.locations import shared_folder

    # The nodes refuse to start without the fence; for the run without it they are told the sentence.
    accepted = ("-p", f"{PARAMETER}:={ACCEPTANCE}")
    parameters = shared_folder("config") / PARAMETER_FILE
    nodes = [
        Program(
            process.executable,
            (sys.executable, *run_by(process.module, "--ros-args", *process.ros_arguments(parameters))),
            open_arguments=accepted,
        )
        for process in processes({})
    ]
    return [*nodes, Program("client", (sys.executable, *run_by("acres_ros.cli.check_fence_client")), client=True)]


def run(arguments: argparse.Namespace) -> int:
    """Run the proof, print it and return the exit status."""
    begun = time.monotonic()
    chosen = programs(arguments)
    print(f"Tracing {', '.join(p.name for p in chosen)} in a network of their own ({_middleware()}).", flush=True)
    try:
        proof = prove(chosen, fenced=not arguments.no_fence, timeout_s=arguments.timeout)
        print(proof.text(), flush=True)
        if proof.leaks:
            print("FAILED: the fence is open." if proof.fenced else "FAILED, as it must: the fence is off.")
            return FAILED
        if proof.blind:
            raise ProofImpossibleError(proof.blind, "Correct that and run it again.")
        if arguments.no_fence:
            raise ProofImpossibleError(
                "the fence was off and nothing was caught", "These programs send nothing, so they prove nothing."
            )
        if not arguments.quick:
            control = prove(chosen, fenced=False, timeout_s=min(CONTROL_S, arguments.timeout))
            print(control.text(), flush=True)
            if not (control.trace.escapes and control.frames):
                raise ProofImpossibleError(
                    "the same programs were not caught with the fence off", "The check cannot see their traffic."
                )
            print("With the fence off both witnesses caught the same programs.")
    except ProofImpossibleError as error:
        print(error, file=sys.stderr)
        return NOT_CHECKED
    print(f"PASSED: every destination is on this machine ({time.monotonic() - begun:.0f} s).")
    return PASSED


def _middleware() -> str:
    """Return the middleware in words."""
    return f"{settings.chosen_middleware(os.environ)}, domain {settings.chosen_domain(os.environ)}"
