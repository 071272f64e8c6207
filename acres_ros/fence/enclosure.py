"""The inside of the proof: run programs under strace in a network of their own, beside a second interface.

Run as `unshare --net --mount python -m acres_ros.fence.enclosure PLAN.json`. It lays out the network, starts the
programs, waits for the clients, ends the services and writes RESULT.json beside the traces. The network has loopback
and one Ethernet interface with an address, a default route and multicast, so that everything a program sends to
elsewhere really goes out of that interface; nothing is connected to it, so nothing leaves.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from acres_ros.fence.trace import STRACE_OPTIONS
from acres_ros.fence.witness import Witness

INTERFACE = "acres0"
ADDRESS = "10.77.0.1"
ELSEWHERE = "10.77.0.2"
DDS_GROUP = "239.255.0.1"
END_S = 5.0
_PR_SET_PDEATHSIG = 1


class CannotEncloseError(Exception):
    """Something that the proof needs is not there or not permitted; carries what and the remedy."""


def lay_out_network() -> None:
    """Bring up loopback and the second interface, and give shared memory a place of its own.

    Raises:
        CannotEncloseError: the kernel or the permissions don't allow it.
    """
    # Shared memory is not part of a network namespace: without this, programs in here could meet those outside.
    _need(["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], "a private /dev/shm cannot be mounted")
    _need(["ip", "link", "set", "lo", "up"], "loopback cannot be brought up in the new network namespace")
    if _run(["ip", "link", "add", INTERFACE, "type", "dummy"]).returncode != 0:
        _need(
            ["ip", "link", "add", INTERFACE, "type", "veth", "peer", "name", "acres1"],
            "the kernel has neither dummy nor veth interfaces",
        )
        # The other end swallows what it gets: it has no address, and the kernel announces nothing on it by itself.
        _need(["ip", "link", "set", "acres1", "addrgenmode", "none", "up"], "the far end cannot be brought up")
    # No address resolution and no IPv6 announcements of the kernel's: every frame seen is one that a program caused.
    steps = (
        ["ip", "link", "set", INTERFACE, "addrgenmode", "none", "arp", "off", "multicast", "on", "up"],
        ["ip", "address", "add", f"{ADDRESS}/24", "dev", INTERFACE],
        ["ip", "route", "add", "default", "dev", INTERFACE],
        ["ip", "route", "add", "224.0.0.0/4", "dev", INTERFACE],
    )
    for step in steps:
        _need(step, f"the second interface cannot be set up ({' '.join(step)})")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a short command and return what came of it."""
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)


def _need(command: list[str], problem: str) -> None:
    """Run a command that must succeed."""
    done = _run(command)
    if done.returncode != 0:
        raise CannotEncloseError(f"{problem}: {done.stderr.strip()}", "Run it as root, or in a privileged container.")


def check_witness(witness: Witness) -> None:
    """Send one datagram elsewhere and one to the DDS group, and make sure that the witness sees both."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"acres", (ELSEWHERE, 9))
        sender.sendto(b"acres", (DDS_GROUP, 9))
    passed, _ = witness.take()
    if passed != 2:
        raise CannotEncloseError(
            f"the packet socket saw {passed} of 2 test datagrams on {INTERFACE}", "This kernel's network is unusual."
        )


def check_tracer() -> None:
    """Make sure that strace may trace."""
    done = _run(["strace", *STRACE_OPTIONS, "-o", os.devnull, "true"])
    if done.returncode != 0:
        raise CannotEncloseError(
            f"strace may not trace here: {done.stderr.strip()}",
            "In a container, add the capability SYS_PTRACE; strace must be 5.3 or newer.",
        )


def _listen_to_signals() -> None:
    """Undo that a shell starts its background programs deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Running:
    """One program under strace."""

    def __init__(self, entry: dict[str, Any], environment: dict[str, str], directory: Path) -> None:
        """Start it, in a process group of its own."""
        self.name = entry["name"]
        self.trace = directory / f"{self.name}.strace"
        self._output = directory / f"{self.name}.log"
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                ["strace", *STRACE_OPTIONS, "-o", str(self.trace), "--", *entry["command"]],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_listen_to_signals,
            )

    def signal(self, number: int) -> None:
        """Send a signal to the program and everything that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def report(self) -> dict[str, Any]:
        """Return what the outside needs to judge the program."""
        tail = self._output.read_text(errors="replace")[-2000:]
        return {"name": self.name, "status": self.process.poll(), "trace": str(self.trace), "output": tail}


def end_all(programs: list[Running]) -> None:
    """Ask the programs to end, then make them; strace ends with what it traces."""
    for number in (signal.SIGINT, signal.SIGTERM):
        for program in programs:
            if program.process.poll() is None:
                program.signal(number)
        end = time.monotonic() + END_S
        while time.monotonic() < end and any(p.process.poll() is None for p in programs):
            time.sleep(0.02)
    for program in programs:
        program.signal(signal.SIGKILL)  # also for what outlived its parent in the same group
        program.process.wait()


def run_programs(plan: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Start the services, run the clients to their end and end the services.

    Args:
        plan: `services` and `clients` (each a list of {name, command}), `environment`, `timeout_s`, `linger_s`.
        directory: where traces and outputs go.
    """
    started: list[Running] = []
    failed = ""
    try:
        for entry in plan["services"]:
            started.append(Running(entry, plan["environment"], directory))
        clients = [Running(entry, plan["environment"], directory) for entry in plan["clients"]]
        started += clients
        end = time.monotonic() + plan["timeout_s"]
        while any(client.process.poll() is None for client in clients):
            dead = [r.name for r in started if r not in clients and r.process.poll() is not None]
            if dead:
                failed = f"{', '.join(dead)} ended before the clients did"
                break
            if time.monotonic() > end:
                failed = f"the clients were not done after {plan['timeout_s']:g} s"
                break
            time.sleep(0.05)
        if not clients:
            time.sleep(plan["linger_s"])
    finally:
        end_all(started)
    statuses = [f"{c.name} ended with {c.process.poll()}" for c in clients if c.process.poll() != 0]
    return {"programs": [r.report() for r in started], "failed": failed or "; ".join(statuses)}


def enclose(plan: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Carry out one plan and return the result, or what made it impossible."""
    try:
        lay_out_network()
        check_tracer()
        with Witness(INTERFACE) as witness:
            check_witness(witness)
            result = run_programs(plan, directory)
            result["frames"], result["frame_kinds"] = witness.take()
    except CannotEncloseError as error:
        return {"impossible": list(error.args)}
    except OSError as error:
        return {"impossible": [f"{error.filename or 'the kernel'}: {error.strerror}", "Run it as root."]}
    return result


def main() -> int:
    """Read the plan, carry it out, write the result."""
    # The outside may be killed; nothing in here may survive that.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    path = Path(sys.argv[1])
    plan = json.loads(path.read_text())
    result = enclose(plan, path.parent)
    (path.parent / "RESULT.json").write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
