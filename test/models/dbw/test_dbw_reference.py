"""The minimum-time reference and the rule of the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models.dbw.reference import limit, step_reference

H = 1.0 / 120.0
INF = math.inf


@entry
def path(h, start, rate, target, rate_limit, acceleration_limit, positions, rates):
    """Fill the positions and rates of a number of steps."""
    x = start
    for k in range(positions.size):
        x, rate = step_reference(h, x, rate, target, rate_limit, acceleration_limit)
        positions[k] = x
        rates[k] = rate


@entry
def limit_of(value, default):
    """Apply the rule of the limits."""
    return limit(value, default)


def run(start, target, rate_limit, acceleration_limit, steps, rate=0.0):
    positions, rates = np.zeros(steps), np.zeros(steps)
    path(H, float(start), float(rate), float(target), float(rate_limit), float(acceleration_limit), positions, rates)
    return positions, rates


@pytest.mark.parametrize(
    ("value", "default", "wanted"),
    [
        (0.0, 100.0, 100.0),
        (0.0, 0.0, INF),
        (-0.0, 100.0, 100.0),
        (INF, 100.0, INF),
        (-INF, 100.0, INF),
        (-5.0, 100.0, INF),
        (7.0, 100.0, 7.0),
        (7.0, 0.0, 7.0),
        (1e-3, 100.0, 1e-3),
    ],
)
def test_0_is_the_default_and_inf_or_a_negative_number_is_no_limit(value, default, wanted) -> None:
    assert limit_of(value, default) == wanted


def test_the_first_steps_have_the_values_of_the_equation() -> None:
    positions, rates = run(0.0, 30.0, 100.0, 500.0, 2)
    assert rates[0] == pytest.approx(500 / 120, rel=1e-15)
    assert positions[0] == pytest.approx(500 / 120 / 120, rel=1e-15)
    assert rates[1] == pytest.approx(2 * 500 / 120, rel=1e-15)
    assert positions[1] == pytest.approx(3 * 500 / 120 / 120, rel=1e-15)


def test_it_brakes_along_the_square_root() -> None:
    _, rates = run(10.0, 10.1, 100.0, 500.0, 1, rate=12.0)
    wanted = math.sqrt(2 * 500 * 0.1)
    assert 12.0 - 500 / 120 < wanted < 12.0
    assert rates[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_long_way_takes_the_minimum_time(sign: float) -> None:
    positions, _ = run(0.0, sign * 100.0, 100.0, 500.0, 200)
    arrival = int(np.argmax(positions == sign * 100.0)) + 1
    assert arrival * H == pytest.approx(100 / 100 + 100 / 500, abs=0.04)


def test_a_short_way_takes_the_minimum_time() -> None:
    positions, _ = run(0.0, 5.0, 100.0, 500.0, 100)
    arrival = int(np.argmax(positions == 5.0)) + 1
    assert arrival * H == pytest.approx(2 * math.sqrt(5 / 500), abs=0.04)


def test_without_limits_it_arrives_in_one_step() -> None:
    positions, rates = run(3.0, -77.0, INF, INF, 2)
    assert list(positions) == [-77.0, -77.0]
    assert list(rates) == [0.0, 0.0]


def test_without_an_acceleration_limit_it_runs_at_the_rate_limit() -> None:
    positions, _ = run(0.0, 10.0, 120.0, INF, 11)
    assert positions == pytest.approx([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10], rel=1e-14)
    assert positions[10] == 10.0


def test_without_a_rate_limit_only_the_acceleration_counts() -> None:
    _, rates = run(0.0, 1e6, INF, 600.0, 40)
    assert rates == pytest.approx(5.0 * np.arange(1, 41), rel=1e-12)


def test_a_wrong_way_rate_turns_round_within_the_acceleration_limit() -> None:
    positions, rates = run(0.0, 1.0, 100.0, 600.0, 200, rate=-20.0)
    assert rates[:4] == pytest.approx([-15.0, -10.0, -5.0, 0.0], abs=1e-12)
    assert positions.max() == 1.0
    assert positions[-1] == 1.0


def test_a_target_that_jumps_onto_the_position_is_passed_and_found_again() -> None:
    positions, rates = run(1.0, 1.0, 100.0, 600.0, 200, rate=20.0)
    assert rates[0] == pytest.approx(15.0)
    assert positions[-1] == 1.0
    assert rates[-1] == 0.0


@settings(max_examples=150, deadline=None)
@given(
    start=st.floats(-487, 487),
    target=st.floats(-487, 487),
    rate_limit=st.floats(5, 2000),
    acceleration_limit=st.floats(50, 20000),
)
def test_it_lands_on_the_target_without_overshoot(start, target, rate_limit, acceleration_limit) -> None:
    distance = abs(target - start)
    time = distance / rate_limit + rate_limit / acceleration_limit + 2 * math.sqrt(distance / acceleration_limit)
    positions, rates = run(start, target, rate_limit, acceleration_limit, int(time / H) + 60)
    low, high = min(start, target), max(start, target)
    assert positions.min() >= low
    assert positions.max() <= high
    assert positions[-1] == target
    assert rates[-1] == 0.0
    assert np.abs(rates).max() <= rate_limit
    rise = np.diff(np.abs(np.concatenate([[0.0], rates])))
    assert rise.max() <= acceleration_limit * H * (1 + 1e-9)
