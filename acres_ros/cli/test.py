"""`acres test`: run the test suite inside the environment and the fence."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from acres_ros import fence
from acres_ros.cli._tree import source_tree
from acres_ros.cli.main import Exit

HELP = "run the test suite; all arguments go to pytest"
PASS_THROUGH = True
WORKERS = min(4, len(os.sched_getaffinity(0)))
"""As many as there are cores, at most four: with more, tests would wait for processes that have no core."""
SIDE_BY_SIDE = (f"--numprocesses={WORKERS}", "--dist=loadfile", "--no-loadscope-reorder")
"""Files of tests spread over the cores, in the order of `test/conftest.py`.

xdist's own order, most tests first, keeps the long file with a single test for the end, when the other cores are idle.
"""
PYTEST_CODES = {0: Exit.OK, 1: Exit.FAILED, 2: Exit.INTERRUPTED, 4: Exit.USAGE}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments; all words are passed on unread."""
    parser.usage = "./acres test [pytest arguments]"
    parser.add_argument("rest", nargs="*", help="for pytest, such as `test/models -k steering`")


def run(arguments: argparse.Namespace) -> int:
    """Run pytest in the repository's folder and return its verdict."""
    command = [sys.executable, "-m", "pytest", *pytest_arguments(arguments.rest)]
    # Ctrl-C reaches pytest as well, which ends its tests in order; this process waits for that.
    signal.signal(signal.SIGINT, lambda *_: None)
    code = subprocess.run(command, cwd=source_tree(), env=fence.environment(os.environ), check=False).returncode
    return PYTEST_CODES.get(code, Exit.FAILED)


def pytest_arguments(given: Sequence[str]) -> list[str]:
    """Return the arguments for pytest: chosen files run one after the other in one process, the suite side by side.

    A file that is not there is one too: pytest says so at once, and its processes side by side would not.
    """
    paths = [argument.partition("::")[0] for argument in given if argument[:1] != "-"]
    chosen = any(path.endswith(".py") or (source_tree() / path).exists() for path in paths)
    return [*(() if chosen else SIDE_BY_SIDE), *given]
