"""What the precompiler compiles is all that a start needs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORT = """
import gc
import acres_ros.nodes.physics
from numba.core.registry import CPUDispatcher
functions = [item for item in gc.get_objects() if isinstance(item, CPUDispatcher)]
assert len(functions) > 100
print("compiled:", sorted(function.__name__ for function in functions if function.overloads))
"""
AGAIN = """
import gc
from acres_ros.tools import precompile
precompile.main()
from numba.core.registry import CPUDispatcher
used = [item for item in gc.get_objects() if isinstance(item, CPUDispatcher) and item.overloads]
assert len(used) > 20
print("compiled:", sorted(function.__name__ for function in used if not function.stats.cache_hits))
"""
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
    assert "[1/8]" in result.stdout and "[8/8]" in result.stdout
    assert result.stdout.splitlines()[-1] == "new: 0"
    assert Path(importlib.util.cache_from_source(str(ROOT / "acres_ros/nodes/physics.py"))).is_file()


def test_whoever_comes_later_loads_all_and_compiles_nothing() -> None:
    """A `kernel` that Python calls has no cache: it would be compiled again in each process."""
    result = subprocess.run([sys.executable, "-c", AGAIN], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.stdout.splitlines()[-1:] == ["compiled: []"], result.stdout + result.stderr


def test_an_import_compiles_nothing() -> None:
    """What is compiled for an import is compiled again in each process."""
    result = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.stdout == "compiled: []\n", result.stderr
