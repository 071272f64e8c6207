"""Run a scenario in a process of its own, compiled or not and for any CPU: its bits are to be the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import acres_ros


def lines_of(scenario: Path, **variables: str) -> list[str]:
    """Return the lines that a scenario prints.

    Args:
        scenario: a program.
        variables: of its environment, such as NUMBA_DISABLE_JIT or NUMBA_CPU_NAME.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(acres_ros.__file__).parent.parent), **variables}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(scenario)], env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
