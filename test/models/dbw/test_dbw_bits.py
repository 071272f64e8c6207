"""The same commands give the same bits, compiled or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_compiler import lines_of

SCENARIO = Path(__file__).with_name("dbw_scenario.py")


@pytest.mark.slow
def test_the_compiler_does_not_change_a_bit() -> None:
    compiled = lines_of(SCENARIO)
    assert [len(line) for line in compiled] == [64]
    assert lines_of(SCENARIO, NUMBA_DISABLE_JIT="1") == compiled
