"""Rays and obstacles have the same bits compiled or not, and for any CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import acres_ros

SCENARIO = Path(__file__).with_name("ray_scenario.py")


def answers(**variables: str) -> list[str]:
    """Run the scenario in its own process and return the lines that it prints."""
    environment = {**os.environ, "PYTHONPATH": str(Path(acres_ros.__file__).parent.parent), **variables}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCENARIO)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_neither_compiler_nor_cpu_changes_a_bit():
    compiled = answers()
    assert len(set(compiled)) == 7
    numbers = [int(line.split()[1]) for line in compiled]
    assert min(numbers[:4]) > 200 and numbers[4] == 2 and min(numbers[5:]) > 20  # hits, misses, and all kinds of each
    assert answers(NUMBA_DISABLE_JIT="1") == compiled
    assert answers(NUMBA_CPU_NAME="generic") == compiled
