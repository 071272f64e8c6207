"""Prove the fence: trace every datagram of real programs beside a second network interface.

Two witnesses that know nothing of each other must agree: strace (every destination that a program named) and a packet
socket on the second interface (every frame that went out). A proof that saw nothing proves nothing, so the programs
must have met each other and sent to loopback. Source: spec, Design Choices, section The DDS Loopback Fence.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acres_ros._program import run_by
from acres_ros.fence import settings
from acres_ros.fence.errors import ProofImpossibleError
from acres_ros.fence.trace import Endpoint, Trace

# The first start on a machine compiles the vehicle model.
TIMEOUT_S = 150.0
_PACKAGES = {"strace": "strace", "ip": "iproute2", "unshare": "util-linux", "mount": "mount"}


@dataclass(frozen=True)
class Program:
    """One program of the proof.

    Attributes:
        name: short name; it also names the trace file.
        command: command line.
        client: True for a program whose end, with status 0, ends the run; False for one that runs until then.
        open_arguments: arguments added when the fence is off, for programs that refuse to start without it.
    """

    name: str
    command: tuple[str, ...]
    client: bool = False
    open_arguments: tuple[str, ...] = ()


def probe_programs() -> list[Program]:
    """Return a talker and a listener of the fence's own."""
    probe = (sys.executable, *run_by("acres_ros.fence.probe"))
    return [Program("talker", (*probe, "talk")), Program("listener", (*probe, "listen"), client=True)]


@dataclass
class Proof:
    """What one run showed.

    Attributes:
        fenced: whether the fence was on.
        trace: what strace saw.
        frames: how many frames went out of the second interface.
        frame_kinds: what they were.
        failed: why the programs didn't do their work, or empty.
        outputs: the end of what each program printed.
        accepts_any_address: True under Cyclone DDS, whose receiving UDP sockets are bound to 0.0.0.0.
    """

    fenced: bool
    trace: Trace
    frames: int
    frame_kinds: dict[str, int]
    failed: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    accepts_any_address: bool = False

    @property
    def leaks(self) -> list[str]:
        """Return everything that left, or could leave, this machine."""
        found = [f"{endpoint} ({count} times)" for endpoint, count in self.trace.escapes]
        found += [f"{endpoint}: reachable from other machines" for endpoint, _ in self._reachable()]
        found += self.trace.memberships
        found += [f"a {kind} socket, whose destinations cannot be judged" for kind in self.trace.foreign_sockets]
        if self.frames:
            kinds = ", ".join(f"{kind} ({count})" for kind, count in self.frame_kinds.items())
            found.append(f"{self.frames} frames seen on the second interface: {kinds}")
        return found

    def _reachable(self) -> list[tuple[Endpoint, int]]:
        """Return the bound addresses that count against the fence."""
        if self.accepts_any_address:
            return [(e, n) for e, n in self.trace.open_binds if e.address not in ("0.0.0.0", "::")]
        return self.trace.open_binds

    @property
    def blind(self) -> str:
        """Return why this run proves nothing, or an empty text."""
        if self.failed:
            return f"the programs did not do their work: {self.failed}"
        if self.trace.unreadable:
            return f"{len(self.trace.unreadable)} traced calls could not be read, the first: {self.trace.unreadable[0]}"
        if not self.trace.loopback_sends and not self.trace.escapes:
            return "no network traffic was traced at all"
        return ""

    def text(self) -> str:
        """Return the report for people."""
        lines = [f"Fence {'on' if self.fenced else 'off'}: destinations of sendto, sendmsg, sendmmsg and connect"]
        table: Counter[str] = Counter()
        for endpoint, count in self.trace.destinations.items():
            table[_destination(endpoint)] += count
        ordered = sorted(table.items(), key=lambda item: (-item[1], item[0]))
        lines += [f"  {count:7d}  {name}" for name, count in ordered]
        lines.append(f"  {self.frames:7d}  frames out of the second interface (packet socket)")
        lines += [f"  leak: {leak}" for leak in self.leaks]
        if self.blind and not self.leaks:
            lines.append(f"  no proof: {self.blind}")
            lines += [f"  {name} printed: {output.strip()[-600:]}" for name, output in self.outputs.items()]
        return "\n".join(lines)


def _destination(endpoint: Endpoint) -> str:
    """Return a destination without its port, with a word on why it may be there."""
    words = {
        "AF_UNIX": "Unix sockets (a file or a name on this machine)",
        "AF_LOCAL": "Unix sockets (a file or a name on this machine)",
        "AF_NETLINK": "netlink (the kernel of this machine)",
        "AF_UNSPEC": "no address (takes a socket's peer away)",
        "connected": "peers of sockets connected (counted there) or accepted (bound on loopback) before",
    }
    return words.get(endpoint.family, endpoint.address or endpoint.family)


def require_tools() -> None:
    """Refuse where a program that the proof needs is missing.

    Raises:
        ProofImpossibleError: with the packages to install.
    """
    missing = [tool for tool in _PACKAGES if shutil.which(tool) is None]
    if missing:
        packages = " ".join(_PACKAGES[tool] for tool in missing)
        raise ProofImpossibleError(f"{', '.join(missing)} not found", f"Install with: apt-get install {packages}")


def prove(
    programs: Sequence[Program] | None = None,
    *,
    fenced: bool = True,
    base: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Proof:
    """Run programs in a network of their own and return what they did with it.

    Args:
        programs: what to run; the fence's own talker and listener by default.
        fenced: False runs the same programs with the middleware's defaults, to show that they are caught.
        base: environment to start from.
        timeout_s: the longest that the clients may take, in s of wall time.

    Raises:
        ProofImpossibleError: tools or permissions are missing; nothing is known about the fence then.
    """
    require_tools()
    programs = probe_programs() if programs is None else programs
    base = dict(os.environ if base is None else base)
    root = str(Path(__file__).resolve().parents[2])
    base["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [base.get("PYTHONPATH")])])
    environment = settings.environment(base) if fenced else settings.without_fence(base)
    with tempfile.TemporaryDirectory(prefix="acres-fence-") as name:
        directory = Path(name)
        plan = {
            "services": [_entry(p, fenced) for p in programs if not p.client],
            "clients": [_entry(p, fenced) for p in programs if p.client],
            "environment": environment,
            "timeout_s": timeout_s,
            "linger_s": 5.0,
        }
        (directory / "PLAN.json").write_text(json.dumps(plan))
        result = _enclose(directory, base, timeout_s)
        trace = Trace()
        for program in result["programs"]:
            path = Path(program["trace"])
            if path.exists():
                with path.open(errors="replace") as lines:
                    trace.read(lines)
    return Proof(
        fenced=fenced,
        trace=trace,
        frames=result["frames"],
        frame_kinds=result["frame_kinds"],
        failed=result["failed"],
        outputs={program["name"]: program["output"] for program in result["programs"]},
        accepts_any_address=environment["RMW_IMPLEMENTATION"] == settings.CYCLONE_DDS,
    )


def _entry(program: Program, fenced: bool) -> dict[str, object]:
    """Return a program as the enclosure's plan has it."""
    return {"name": program.name, "command": [*program.command, *(() if fenced else program.open_arguments)]}


def isolation() -> list[str]:
    """Return the command that starts a program in network and mount namespaces of its own.

    Raises:
        ProofImpossibleError: neither the permissions of this user nor a user namespace allow it.
    """
    said = ""
    for user in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *user, "--net", "--mount"]
        done = subprocess.run([*command, "true"], capture_output=True, text=True, timeout=10, check=False)
        if done.returncode == 0:
            return command
        said = done.stderr.strip()
    raise ProofImpossibleError(
        f"no network namespace of its own: {said}",
        "Run it as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0); a container needs the capability SYS_ADMIN.",
    )


def _enclose(directory: Path, environment: Mapping[str, str], timeout_s: float) -> dict[str, Any]:
    """Run the enclosure in new namespaces and return its result."""
    command = [*isolation(), sys.executable, *run_by("acres_ros.fence.enclosure", str(directory / "PLAN.json"))]
    limit_s = timeout_s + 60.0
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise ProofImpossibleError(f"the run was not over after {limit_s:g} s", "Try a quieter machine.") from error
    result = directory / "RESULT.json"
    if not result.exists():
        said = done.stderr.strip()[-600:] or f"status {done.returncode}"
        raise ProofImpossibleError(f"the programs could not be run apart: {said}", "This is a fault; please report it.")
    content = json.loads(result.read_text())
    if "impossible" in content:
        raise ProofImpossibleError(*content["impossible"])
    return content
