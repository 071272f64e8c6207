"""The same commands give the same bits, compiled or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import acres_ros

SCENARIO = Path(__file__).with_name("dbw_scenario.py")


def state_hash(disable_compiler: bool) -> str:
    """Run the scenario in its own process and return the hash that it prints."""
    environment = dict(os.environ)
    environment["NUMBA_DISABLE_JIT"] = "1" if disable_compiler else "0"
    environment["PYTHONPATH"] = str(Path(acres_ros.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCENARIO)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_compiler_does_not_change_a_bit() -> None:
    compiled = state_hash(disable_compiler=False)
    assert len(compiled) == 64
    assert state_hash(disable_compiler=True) == compiled
