"""Rays and obstacles have the same bits compiled or not, and for any CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_compiler import lines_of

SCENARIO = Path(__file__).with_name("ray_scenario.py")


@pytest.mark.slow
def test_neither_compiler_nor_cpu_changes_a_bit():
    compiled = lines_of(SCENARIO)
    assert len(set(compiled)) == 7
    numbers = [int(line.split()[1]) for line in compiled]
    assert min(numbers[:4]) > 200 and numbers[4] == 2 and min(numbers[5:]) > 20  # hits, misses, and all kinds of each
    assert lines_of(SCENARIO, NUMBA_DISABLE_JIT="1") == compiled
    assert lines_of(SCENARIO, NUMBA_CPU_NAME="generic") == compiled
