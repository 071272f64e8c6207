"""What the precompiler compiles is all that a start needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
START = """
from acres_ros.core import kinematics
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.models import polaris, terrain_ray
from acres_ros.tools import precompile
from acres_ros.world import load_world

entries = (polaris.step_entry, polaris._place, kinematics.derive, kinematics._quaternion, terrain_ray.look_up_heights)
assert not any(entry.overloads for entry in entries)
precompile.main()
known = [set(entry.overloads) for entry in entries]
assert all(known)
Environment(load_world("farm"), load_parameters()).step(12)
kinematics.warm()
print("new:", sum(len(set(entry.overloads) - types) for entry, types in zip(entries, known, strict=True)))
"""


def test_nothing_is_compiled_after_it() -> None:
    """A compiled function of a process knows the types that it was compiled or loaded for: a start adds none."""
    result = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "[1/7]" in result.stdout and "[7/7]" in result.stdout
    assert result.stdout.splitlines()[-1] == "new: 0"
