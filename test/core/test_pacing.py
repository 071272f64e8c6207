"""The free run against an invented wall clock (acceptance A8)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core.pacing import FreeRun, PaceRefusedError

RATES = st.sampled_from([0.1, 0.5, 1.0, 2.0, 5.0, 7.3])


def test_the_due_steps_follow_the_formula():
    pace = FreeRun(rate=2.0)
    pace.anchor(100.0, 1000)
    # 1000 + floor(0.03 * 2 * 120) - 1003 = 7.2 -> 1007 - 1003
    assert pace.steps_due(100.03, 1003) == 4
    assert pace.steps_due(100.03, 1007) == 0


def test_the_first_pass_is_the_anchor():
    pace = FreeRun()
    assert pace.steps_due(50.0, 7) == 0
    assert pace.steps_due(50.051, 7) == 6


def test_a_pass_runs_twelve_steps_at_most_and_lost_time_stays_lost():
    pace = FreeRun()
    pace.anchor(0.0, 0)
    assert pace.steps_due(5.0, 0) == 12
    assert pace.steps_due(5.0, 12) == 0, "no catching up"
    assert pace.steps_due(5.0501, 12) == 6, "real time goes on from there"


def test_exactly_twelve_due_steps_do_not_move_the_anchor():
    pace = FreeRun()
    pace.anchor(0.0, 0)
    assert pace.steps_due(0.1041, 0) == 12
    assert pace.steps_due(0.1084, 12) == 1, "13 steps are 0.1083 s after the anchor"


def test_a_loop_that_is_always_late_runs_twelve_steps_a_pass():
    pace = FreeRun()
    pace.anchor(0.0, 0)
    k = 0
    for n in range(1, 51):
        due = pace.steps_due(0.2 * n, k)
        assert due == 12
        k += due
    assert k == 600


@pytest.mark.parametrize("wall", [0.0, 1.0, 1.0])
def test_rate_0_runs_twelve_steps_each_pass_without_waiting(wall: float):
    pace = FreeRun(rate=0.0)
    assert pace.steps_due(wall, 5) == 12
    assert pace.seconds_until_next(wall, 5) == 0.0


def test_a_wall_clock_that_goes_back_runs_nothing():
    pace = FreeRun()
    pace.anchor(10.0, 100)
    assert pace.steps_due(9.0, 100) == 0
    assert pace.seconds_until_next(9.0, 100) == pytest.approx(1.0 + 1 / 120)


def test_an_anchor_after_a_pause_leaves_the_pause_out():
    pace = FreeRun()
    pace.anchor(0.0, 0)
    pace.anchor(1000.0, 6)
    assert pace.steps_due(1000.0251, 6) == 3


def test_a_new_rate_holds_from_the_present_on():
    pace = FreeRun(rate=1.0)
    pace.anchor(0.0, 0)
    assert pace.steps_due(0.0501, 0) == 6
    pace = FreeRun(rate=10.0)
    pace.anchor(0.0501, 6)
    assert pace.steps_due(0.0551, 6) == 6, "5 ms at ten times real time"


@settings(deadline=None)
@given(RATES, st.floats(0.0, 1e6), st.floats(0.0, 0.09), st.integers(0, 10**9))
def test_after_the_announced_wait_a_step_is_due(rate: float, start: float, elapsed: float, k: int):
    pace = FreeRun(rate=rate)
    pace.anchor(start, k)
    wall = start + elapsed / rate
    done = k + pace.steps_due(wall, k)
    wait = pace.seconds_until_next(wall, done)
    assert 0.0 <= wait <= 1 / 120 / rate + 1e-9
    assert pace.steps_due(wall + wait, done) == 1


@settings(deadline=None)
@given(RATES, st.lists(st.floats(0.0, 0.3), max_size=60))
def test_a_run_is_never_ahead_of_the_wall_and_never_runs_more_than_twelve(rate: float, waits: list[float]):
    pace = FreeRun(rate=rate)
    wall, k = 1000.0, 0
    pace.anchor(wall, k)
    for wait in waits:
        wall += wait
        due = pace.steps_due(wall, k)
        assert 0 <= due <= 12
        k += due
        assert k / 120 <= (wall - 1000.0) * rate + 1e-9


def test_an_hour_at_real_time_has_no_drift():
    pace = FreeRun()
    pace.anchor(500.0, 0)
    k = 0
    for n in range(1, 90_001):
        k += pace.steps_due(500.0 + n * 0.04 + 0.001, k)
    assert k == 3600 * 120


@pytest.mark.parametrize("rate", [-1.0, 1e-9, 1e9, math.nan, math.inf])
def test_rates_that_cannot_pace_are_refused(rate: float):
    with pytest.raises(PaceRefusedError, match="0 \\(no waiting\\)"):
        FreeRun(rate=rate)


def test_a_pass_needs_a_step():
    with pytest.raises(PaceRefusedError, match="1 or more"):
        FreeRun(max_steps=0)


@pytest.mark.parametrize("rate", [0.0, 0.5, 1.0])
def test_a_halt_begins_with_the_next_pass_and_is_not_caught_up(rate: float):
    pace = FreeRun(rate)
    pace.anchor(10.0, 0)
    pace.halt(3.0)
    assert pace.halt_left(10.5) == 3.0
    assert (pace.steps_due(11.0, 5), pace.halt_left(11.0), pace.halt_left(13.0)) == (0, 3.0, 1.0)
    assert pace.steps_due(13.999, 5) == 0
    wait = pace.seconds_until_next(13.0, 5)
    assert wait == pytest.approx(1.0 + (1.0 / 120.0 / rate if rate else 0.0))
    assert pace.steps_due(13.0 + wait, 5) == (1 if rate else 12)
    assert pace.halt_left(14.0) == 0.0


def test_a_halt_of_no_time_ends_one():
    pace = FreeRun()
    pace.anchor(0.0, 0)
    pace.halt(600.0)
    assert pace.steps_due(1.0, 0) == 0
    pace.halt(0.0)
    assert (pace.steps_due(2.0, 0), pace.steps_due(2.0501, 0)) == (0, 6)
