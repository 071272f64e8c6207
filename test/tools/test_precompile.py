"""What the precompiler leaves in the cache is all that a start needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_STEPS = """
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.core import kinematics
from acres_ros.world import load_world
from acres_ros.models import polaris, terrain_ray
Environment(load_world("farm"), load_parameters()).step(12)
kinematics.warm()
compiled = (polaris.step_entry, polaris._place, kinematics.derive, kinematics._quaternion, terrain_ray.look_up_heights)
print(sum(sum(entry.stats.cache_misses.values()) for entry in compiled))
print(sum(sum(entry.stats.cache_hits.values()) for entry in compiled))
"""


@pytest.mark.slow
def test_nothing_is_compiled_after_it(tmp_path: Path) -> None:
    environment = {**os.environ, "ACRES_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        [sys.executable, "-m", "acres_ros.tools.precompile"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    ).stdout
    assert "[1/6]" in said and "[6/6]" in said
    result = subprocess.run(
        [sys.executable, "-c", FIRST_STEPS], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert result.stdout.split() == ["0", "5"]
