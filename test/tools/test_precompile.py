"""What the precompiler compiles is all that a start needs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from acres_ros.tools.precompile import PARTS

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


ALL = """
import gc, importlib, pkgutil
import acres_ros
from acres_ros.tools import precompile
precompile.main()
for module in pkgutil.walk_packages(acres_ros.__path__, "acres_ros."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from numba.core.caching import NullCache
from numba.core.registry import CPUDispatcher
functions = [item for item in gc.get_objects() if isinstance(item, CPUDispatcher)]
for entry in functions:
    if not isinstance(entry._cache, NullCache):
        print("entry:", entry.__name__, len(entry.overloads))
"""
LATER = {
    # What no node and no verb calls, but programs that use the package.
    "cast_scene_ray": "Scene.ray_cast",
    "cast_scene_rays": "Scene.ray_casts",
    "cast_shadow_ray": "Scene.occluded",
    "cast_terrain_ray": "Terrain.ray_cast",
    "cast_terrain_rays": "Terrain.ray_casts",
    "footing_entry": "World.surface_at",
    "water_at": "World.cell_theta",
    "stamp_entry": "FarmState.wheel and body",
    "run_navigation": "statistics of the errors",
    # What says beforehand that it compiles.
    "repeat_part": "./acres bench G1",
}
"""Entries that are compiled where they are first called, and who calls them."""


def test_every_entry_is_compiled_for_one_type_but_those_that_no_node_calls() -> None:
    result = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    lines = [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("entry: ")]
    assert len(lines) > 40
    assert {name: int(types) for name, types in lines} == {name: int(name not in LATER) for name, _ in lines}
    assert LATER.keys() <= {name for name, _ in lines}


def test_nothing_is_compiled_after_it() -> None:
    """A compiled function of a process knows the types that it was compiled or loaded for: a start adds none."""
    result = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    count = len(PARTS)
    assert f"[1/{count}]" in result.stdout and f"[{count}/{count}]" in result.stdout
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
