"""The steps at which a stream samples (acceptance A5, field trial C38)."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core.clock import NotAStepCountError
from acres_ros.core.schedule import RateRefusedError, Schedule

HOUR = 3600 * 120
RATES = st.one_of(st.integers(1, 120), st.floats(1.0, 120.0))


def steps_of(schedule: Schedule, last: int, first: int = 0) -> list[int]:
    return [k for k in range(first, last + 1) if schedule.due(k)]


def rule_in_floating_point(rate: float, last: int) -> list[int]:
    """Follow the rule of the spec to the letter; good for minutes, not for hours."""
    due = 0.0
    taken = []
    for k in range(last + 1):
        if k * (1 / 120) + 1e-8 >= due:
            taken.append(k)
            due += 1 / rate
    return taken


def test_ins_takes_five_samples_in_six_steps():
    taken = steps_of(Schedule(100), 29)
    assert taken == [0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 26, 27, 28, 29]


def test_reports_come_every_two_or_three_steps():
    taken = steps_of(Schedule(50), 1200)
    gaps = [b - a for a, b in zip(taken, taken[1:], strict=False)]
    assert taken[:6] == [0, 3, 5, 8, 10, 12]
    assert set(gaps) == {2, 3}
    assert len(taken) == 501


@pytest.mark.parametrize(("rate", "gap"), [(120, 1), (60, 2), (40, 3), (20, 6), (10, 12), (5, 24), (2, 60), (1, 120)])
def test_a_rate_that_divides_120_has_equal_gaps_for_an_hour(rate: int, gap: int):
    assert steps_of(Schedule(rate), HOUR) == list(range(0, HOUR + 1, gap))


@pytest.mark.parametrize("rate", [100, 50, 30, 7, 33.3, 119.99])
def test_an_hour_has_its_number_of_samples_and_no_gap_but_two(rate: float):
    taken = steps_of(Schedule(rate), HOUR)
    # sample n comes at the first step that is not more than 1e-8 s before n / rate
    last = Fraction(HOUR, 120) + Fraction(1, 10**8)
    assert len(taken) == math.floor(last * Fraction(rate)) + 1
    gaps = {b - a for a, b in zip(taken, taken[1:], strict=False)}
    assert gaps <= {math.floor(120 / rate), math.floor(120 / rate) + 1}


@pytest.mark.parametrize("rate", [120, 100, 60, 50, 20, 10, 5, 2, 1, 7, 33.3])
def test_ten_seconds_agree_with_the_rule_in_floating_point(rate: float):
    assert steps_of(Schedule(rate), 1200) == rule_in_floating_point(rate, 1200)


@settings(max_examples=60, deadline=None)
@given(RATES, st.integers(0, 3000))
def test_a_sample_is_at_the_first_step_that_reaches_its_due_time(rate: float, last: int):
    for n, k in enumerate(steps_of(Schedule(rate), last)):
        due = n / Fraction(rate)
        assert Fraction(k, 120) + Fraction(1, 10**8) >= due
        assert k == 0 or Fraction(k - 1, 120) + Fraction(1, 10**8) < due


@settings(max_examples=60, deadline=None)
@given(RATES, st.integers(0, 2000))
def test_restart_gives_the_state_after_the_samples_up_to_the_step(rate: float, k: int):
    joined = Schedule(rate)
    joined.restart(k)
    followed = Schedule(rate)
    steps_of(followed, k)
    assert joined.next_due == followed.next_due
    assert steps_of(joined, k + 300, k + 1) == steps_of(followed, k + 300, k + 1)


def test_restart_after_use_forgets_what_was_taken():
    schedule = Schedule(10)
    steps_of(schedule, 1000)
    schedule.restart(0)
    assert steps_of(schedule, 40, 1) == [12, 24, 36]


def test_restart_is_exact_far_out():
    schedule = Schedule(100)
    schedule.restart(6 * 10**14 - 1)
    assert steps_of(schedule, 6 * 10**14 + 6, 6 * 10**14) == [6 * 10**14 + i for i in (0, 2, 3, 4, 5, 6)]


def test_a_sensor_still_owes_what_a_jump_skipped():
    schedule = Schedule(60)
    steps_of(schedule, 4)
    # due at 6, 8, 10, 12, 14, 16 and taken one step after the other until the grid is reached
    assert steps_of(schedule, 22, 12) == [12, 13, 14, 15, 16, 17, 18, 20, 22]


@pytest.mark.parametrize("rate", [0, 0.999, 120.001, 121, -10, math.nan, math.inf, "fast", None])
def test_a_rate_outside_1_to_120_hz_is_refused(rate):
    with pytest.raises(RateRefusedError, match="from 1 to 120 Hz"):
        Schedule(rate)


def test_restart_refuses_what_is_not_a_step_count():
    with pytest.raises(NotAStepCountError):
        Schedule(10).restart(-1)
