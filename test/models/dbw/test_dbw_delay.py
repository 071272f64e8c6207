"""The delay line reads between the stored steps."""

from __future__ import annotations

import numpy as np
import pytest

from acres_ros._compile import entry
from acres_ros.models.dbw.delay import DelayRangeError, check_delays, delayed, fill
from acres_ros.models.dbw.state import DELAY_LINE
from acres_ros.models.parameters import PARAMETERS

H = 1.0 / 120.0


@entry
def run(h, delay, values, lines, out):
    """Send values through a line and fill what comes out."""
    for k in range(values.size):
        out[k] = delayed(h, delay, values[k], lines[0])


@entry
def fill_line(lines, value):
    """Fill a line."""
    fill(lines[0], value)


def through(delay: float, values: np.ndarray, initial: float = 0.0) -> np.ndarray:
    lines = DELAY_LINE.new(1)
    fill_line(lines, initial)
    out = np.zeros(values.size)
    run(H, delay, values, lines, out)
    return out


@pytest.mark.parametrize("delay", [0.0, 0.001, H, 0.0205, 0.03, 0.0333, 0.1, 62 * H])
def test_it_is_linear_between_the_stored_values(delay: float) -> None:
    values = np.random.default_rng(5).normal(size=300)
    time = np.arange(300) * H
    wanted = np.interp(time - delay, np.concatenate([[-100.0, -H], time]), np.concatenate([[2.0, 2.0], values]))
    assert through(delay, values, 2.0) == pytest.approx(wanted, abs=1e-11)


def test_without_delay_the_value_of_this_step_comes_out() -> None:
    values = np.array([1.5, -2.0, 7.0])
    assert list(through(0.0, values)) == [1.5, -2.0, 7.0]


def test_a_delay_beyond_the_line_gives_the_oldest_value() -> None:
    values = np.arange(200.0)
    assert through(10.0, values)[-1] == 199.0 - 62.0


def test_the_delays_of_the_spec_fit() -> None:
    check_delays(PARAMETERS.new(1)[0], H)


@pytest.mark.parametrize("block", ["steering", "throttle", "brake", "ulc"])
@pytest.mark.parametrize("seconds", [0.6, -0.01, float("nan")])
def test_a_delay_that_does_not_fit_is_named(block: str, seconds: float) -> None:
    parameters = PARAMETERS.new(1)
    parameters.dbw[block].delay_s = seconds
    with pytest.raises(DelayRangeError, match=rf"dbw\.{block}\.delay_s is .* s: wanted 0 to 0\.516667 s"):
        check_delays(parameters[0], H)
