"""`acres shell`: an interactive shell inside the environment and the fence."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping

from acres_ros import fence

HELP = "open a shell inside the environment and the fence"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the shell is that of the user."""
    parser.epilog = "exit code: that of the shell"


def bash_start_file(environment: Mapping[str, str], before: Mapping[str, str]) -> str:
    """Return start-up lines for bash: the user's own, then again what the environment sets.

    Args:
        environment: variables of the shell.
        before: variables as they were outside.
    """
    lines = ['[ -r "$HOME/.bashrc" ] && . "$HOME/.bashrc"']
    kept = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH")
    for name in sorted({*environment, *before}):
        if name in environment and (name in kept or environment[name] != before.get(name)):
            lines.append(f"export {name}={shlex.quote(environment[name])}")
        elif name not in environment:
            lines.append(f"unset {name}")
    lines.append('PS1="(acres) $PS1"')
    return "\n".join(lines) + "\n"


def run(arguments: argparse.Namespace) -> int:
    """Become the shell."""
    environment = fence.environment(os.environ)
    program = os.environ.get("SHELL", "/bin/bash")
    command = [program, "-i"]
    if os.path.basename(program) == "bash":
        start = os.memfd_create("acres-shell", 0)
        os.write(start, bash_start_file(environment, os.environ).encode())
        os.lseek(start, 0, os.SEEK_SET)
        command = [program, "--rcfile", f"/dev/fd/{start}", "-i"]
    print(f"acres: ROS domain {environment['ROS_DOMAIN_ID']}, loopback only; `exit` leaves")
    sys.stdout.flush()
    os.execve(program, command, environment)
