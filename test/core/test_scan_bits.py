"""A scan has the same bits compiled or not, and for any CPU, whatever vectors the compiler makes of its loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_compiler import lines_of

SCENARIO = Path(__file__).with_name("scan_scenario.py")


@pytest.mark.slow
def test_neither_compiler_nor_cpu_changes_a_bit():
    compiled = lines_of(SCENARIO)
    assert len(set(compiled)) == 2
    for line in compiled:
        _, returns, *materials = line.split()
        assert int(returns) > 150 and len(materials) >= 6  # terrain, wall, trunk, crown, vehicle or crop, and nothing
    assert lines_of(SCENARIO, NUMBA_DISABLE_JIT="1") == compiled
    assert lines_of(SCENARIO, NUMBA_CPU_NAME="generic") == compiled
