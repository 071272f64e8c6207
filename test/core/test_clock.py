"""The count of steps, its seconds and its nanoseconds (acceptance A1, A2, A9)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core import clock
from acres_ros.core.clock import STEP_S, NotAStepCountError, stamp, stamp_ns, time_s

COUNTS = st.integers(0, 10**15)


def test_the_step_is_the_double_nearest_to_one_120th():
    assert float(Fraction(1, 120)) == STEP_S


@pytest.mark.parametrize(
    ("step", "total"),
    [(STEP_S, "0.09999999999999999"), (float(np.float32(STEP_S)), "0.1000000052")],
    ids=["double", "single, the step of the game"],
)
def test_twelve_steps_sum_to_the_numbers_of_the_spec(step: float, total: str):
    age = 0.0
    for _ in range(12):
        age += step
    assert f"{age:.{len(total) - 2}f}" == total
    assert (age <= 0.1) == (step == STEP_S), "12 steps of age keep control in the core and lose it in the game"


@pytest.mark.parametrize(
    ("k", "ns"),
    [
        (0, 0),
        (1, 8_333_333),
        (2, 16_666_667),
        (3, 25_000_000),
        (12, 100_000_000),
        (120, 1_000_000_000),
        (7320, 61_000_000_000),
        (10**8, 833_333_333_333_333),
        (10**8 + 1, 833_333_341_666_667),
        (10**15, 8_333_333_333_333_333_333_333),
    ],
)
def test_stamps_computed_by_hand(k: int, ns: int):
    assert stamp_ns(k) == ns


def test_all_stamps_up_to_1e8_are_the_nearest_nanosecond_and_grow():
    block = 10**6
    last = -1
    for first in range(0, 10**8, block):
        k = np.arange(first, first + block, dtype=np.int64)
        # the rule itself, on exact 64-bit integers: the largest product is 2.5e15
        ns = clock._nearest_ns(k)  # type: ignore[arg-type]
        # independent: |ns - k * 25e6 / 3| < 1/2, in sixths of a nanosecond
        error = 6 * ns - 50_000_000 * k
        assert (int(error.min()), int(error.max())) == (-2, 2)
        assert int(ns[0]) > last
        gaps = np.diff(ns)
        assert (int(gaps.min()), int(gaps.max())) == (8_333_333, 8_333_334)
        last = int(ns[-1])
    assert last == stamp_ns(10**8 - 1)


@settings(deadline=None)
@given(COUNTS)
def test_a_stamp_is_the_nearest_nanosecond_of_the_exact_time(k: int):
    assert abs(stamp_ns(k) - Fraction(k, 120) * 10**9) < Fraction(1, 2)
    sec, nanosec = stamp(k)
    assert 0 <= nanosec < 10**9
    assert sec * 10**9 + nanosec == stamp_ns(k)


@settings(deadline=None)
@given(COUNTS)
def test_three_steps_are_25_ms_without_drift(k: int):
    assert stamp_ns(k + 3) - stamp_ns(k) == 25_000_000
    assert stamp_ns(k) < stamp_ns(k + 1)


def test_numpy_counts_do_not_overflow():
    assert stamp_ns(np.int64(10**15)) == stamp_ns(10**15)
    assert stamp_ns(np.int32(2**31 - 1)) == stamp_ns(2**31 - 1)
    assert stamp(np.uint32(360)) == (3, 0)


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_seconds_are_the_count_times_the_step(k: int):
    assert time_s(k) == k * (1 / 120)


@pytest.mark.parametrize("function", [stamp_ns, stamp, time_s])
@pytest.mark.parametrize("given_count", [-1, np.int64(-5), 1.0, float("nan"), "3", None])
def test_what_is_not_a_step_count_is_refused_in_words(function, given_count):
    with pytest.raises(NotAStepCountError, match="whole physics steps") as caught:
        function(given_count)
    assert repr(given_count) in str(caught.value)
