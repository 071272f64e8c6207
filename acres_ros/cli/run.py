"""`acres run`: run any program inside the environment and the fence, such as the user's own stack."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from acres_ros import fence
from acres_ros.cli.main import Exit

HELP = "run any program inside the environment and the fence: ./acres run CMD [arguments]"
PASS_THROUGH = True
WITHOUT_WORDS = "run needs a command, such as ./acres run python3 my_node.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command; all words are passed on unread."""
    parser.usage = "./acres run CMD [arguments]"
    parser.epilog = "exit code: that of the program; 2 when there is no such program"
    parser.add_argument("CMD", help="program and its arguments, such as `python3 my_node.py`")


def run(arguments: argparse.Namespace) -> int:
    """Become the program; return only when there is none."""
    command = arguments.rest[1:] if arguments.rest[:1] == ["--"] else arguments.rest
    environment = fence.environment(os.environ)
    name = command[0]
    if shutil.which(name, path=environment.get("PATH")) is None:
        text = f"{name!r} is no program that can be run" if "/" in name else f"there is no program {name!r} on PATH"
        return _refused(text, name)
    sys.stdout.flush()
    try:
        os.execvpe(name, command, environment)
    except OSError as error:  # a script whose first line does not say what runs it
        return _refused(f"{name!r} cannot be run ({error.strerror})", name)


def _refused(text: str, name: str) -> int:
    hint = f"; a file of Python is run by ./acres run python3 {name}" if name.endswith(".py") else ""
    print(f"acres: {text}{hint}", file=sys.stderr)
    return Exit.USAGE
