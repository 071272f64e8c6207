"""What rounding does to the sums and rules of time, checked for every number that can come (spec, Watchdog)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from acres_ros.core.clock import STEP_S
from acres_ros.core.schedule import Schedule


def test_the_two_sums_of_the_watchdog() -> None:
    double = single = 0.0
    for silent in range(1, 14):
        double, single = double + STEP_S, single + float(np.float32(STEP_S))
        assert (double > 0.1) == (silent >= 13), silent
        assert (single > 0.1) == (silent >= 12), silent
        if silent == 12:
            assert double == 0.09999999999999999
            assert f"{single:.10f}" == "0.1000000052"


def test_the_hold_of_the_pedals_lasts_10_steps() -> None:
    left, steps = 0.087, 0
    while (left := left - STEP_S) >= 0.0:
        steps += 1
    assert steps == 10


def test_the_time_of_a_step_is_well_within_the_tolerances_for_100_million_steps() -> None:
    """The command queue compares k h as a double: its error stays far below the 2 ms that it allows."""
    k = np.concatenate([np.arange(10**6), np.arange(0, 10**8 + 1, 997)])
    exact = k.astype(np.longdouble) / 120
    assert float(np.abs(k * STEP_S - exact).max()) < 1e-9


@pytest.mark.parametrize("rate_hz", range(1, 121))
def test_every_whole_rate_has_its_samples(rate_hz: int) -> None:
    schedule, period, due = Schedule(rate_hz), Fraction(1, rate_hz), Fraction(0)
    found = []
    for k in range(2_400):
        if schedule.due(k):
            found.append(k)
        if Fraction(k, 120) + Fraction(1, 10**8) >= due:
            assert found[-1] == k
            due += period
    assert len(found) == -(-2_400 * rate_hz // 120)
