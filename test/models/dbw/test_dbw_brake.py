"""Brake pressure: command, delay, apply, release, bias."""

from __future__ import annotations

import math

import pytest

H = 1.0 / 120.0
PRESSURE, PERCENT = 1, 14


def settle(rig, bar: float) -> None:
    """Bring command, delay line and line pressure to a pressure."""
    rig.send("brake", type=PRESSURE, value=bar, rate_increase=0.0, rate_decrease=0.0)
    rig.drive(200, "brake")
    assert rig.dbw.brake.line_bar == bar


@pytest.mark.parametrize(
    ("code", "value", "driver", "wanted"),
    [
        (PRESSURE, 12.0, 0.0, 12.0),
        (PRESSURE, 95.0, 0.0, 80.0),
        (PRESSURE, -4.0, 0.0, 0.0),
        (PERCENT, 20.0, 0.0, 16.0),
        (PERCENT, 120.0, 0.0, 80.0),
        (PRESSURE, 12.0, 30.0, 30.0),
        (PRESSURE, 30.0, 12.0, 30.0),
        (PERCENT, 0.0, 99.0, 80.0),
    ],
)
def test_the_largest_of_driver_and_command(rig, code: int, value: float, driver: float, wanted: float) -> None:
    rig.command.driver.brake_bar = driver
    rig.send("brake", type=code, value=value)
    rig.step()
    assert rig.dbw.brake.command_bar == pytest.approx(wanted, rel=1e-15)
    assert rig.dbw.brake.input_bar == min(80.0, driver)


def test_without_control_the_driver_brakes(rig) -> None:
    rig.command.driver.brake_bar = 7.0
    rig.step(120)
    assert rig.dbw.brake.command_bar == 7.0
    assert rig.dbw.brake.output_bar == 7.0
    assert rig.dbw.brake.type == 0


def test_the_rates_of_a_pressure_command(rig) -> None:
    rig.send("brake", type=PRESSURE, value=2.0, rate_increase=60.0, rate_decrease=120.0)
    seen = []
    for value in [2.0] * 5 + [0.0] * 3:
        rig.command.brake.value = value
        rig.drive(1, "brake")
        seen.append(float(rig.dbw.brake.command_bar))
    assert seen == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.0, 1.0, 0.0, 0.0], abs=1e-12)


def test_the_rates_of_a_percent_command_are_percent_of_80_bar(rig) -> None:
    rig.send("brake", type=PERCENT, value=50.0, rate_increase=75.0, rate_decrease=30.0)
    rig.step()
    assert rig.dbw.brake.command_bar == pytest.approx(75.0 * 0.8 / 120)
    rig.send("brake", value=0.0)
    rig.step()
    assert rig.dbw.brake.command_bar == pytest.approx((75.0 - 30.0) * 0.8 / 120)


@pytest.mark.parametrize("rate", [0.0, math.inf, -2.0])
def test_no_rate_limit(rig, rate: float) -> None:
    rig.send("brake", type=PRESSURE, value=40.0, rate_increase=rate)
    rig.step()
    assert rig.dbw.brake.command_bar == 40.0


def test_the_actuator_waits_for_its_delay(rig) -> None:
    rig.send("brake", type=PRESSURE, value=40.0)
    seen = []
    for _ in range(5):
        rig.drive(1, "brake")
        seen.append(float(rig.dbw.brake.line_bar))
    # 0.0333 s are 3.996 steps: 0.4 % of the jump arrives in the fourth step after three, the rest one step later
    assert seen[:3] == [0.0, 0.0, 0.0]
    first = math.sqrt(2 * 690.2405 * 0.004 * 40.0)
    rate = min(690.2405 * H, first)
    assert seen[3] == pytest.approx(rate * H, rel=1e-12)
    assert seen[4] == pytest.approx((2 * rate) * H + rate * H, rel=1e-12)


def test_the_pressure_rises_in_minimum_time_and_lands(rig) -> None:
    rig.p.dbw.brake.delay_s = 0.0
    rig.send("brake", type=PRESSURE, value=16.0)
    seen = [0.0]
    while seen[-1] < 16.0 and len(seen) < 200:
        rig.drive(1, "brake")
        seen.append(float(rig.dbw.brake.line_bar))
    assert seen[-1] == 16.0
    assert rig.dbw.brake.line_rate_bar == 0.0
    assert (len(seen) - 1) * H == pytest.approx(2 * math.sqrt(16.0 / 690.2405), abs=0.04)
    assert seen[1] == pytest.approx(690.2405 * H * H, rel=1e-12)


def test_the_pressure_rises_no_faster_than_the_slew_limit(rig) -> None:
    rig.send("brake", type=PRESSURE, value=80.0)
    last, fastest = 0.0, 0.0
    for _ in range(120):
        rig.drive(1, "brake")
        fastest = max(fastest, float(rig.dbw.brake.line_bar) - last)
        last = float(rig.dbw.brake.line_bar)
    assert fastest == pytest.approx(200.0 * H, rel=1e-9)
    assert last == 80.0


@pytest.mark.parametrize(
    ("bar", "tau"),
    [
        (10.0, 0.0415),
        (40.0, 0.0415 * 0.25**0.695),
        (1.0, 0.0415 * 10**0.695),
        (0.05, 0.0415 * 100**0.695),
    ],
)
def test_the_release_is_a_lag_that_slows_down(rig, bar: float, tau: float) -> None:
    settle(rig, bar)
    rig.p.dbw.brake.delay_s = 0.0
    rig.send("brake", type=PRESSURE, value=0.0)
    rig.step()
    assert rig.dbw.brake.line_bar == pytest.approx(bar * math.exp(-H / tau), rel=1e-13)


def test_a_partial_release_goes_towards_the_command(rig) -> None:
    settle(rig, 10.0)
    rig.p.dbw.brake.delay_s = 0.0
    rig.send("brake", type=PRESSURE, value=4.0)
    rig.step()
    assert rig.dbw.brake.line_bar == pytest.approx(4.0 + 6.0 * math.exp(-H / 0.0415), rel=1e-13)


def test_the_next_rise_starts_with_rate_0(rig) -> None:
    settle(rig, 10.0)
    rig.p.dbw.brake.delay_s = 0.0
    rig.send("brake", type=PRESSURE, value=40.0)
    rig.drive(10, "brake")
    rig.send("brake", value=5.0)
    rig.step()
    bar = float(rig.dbw.brake.line_bar)
    rig.send("brake", value=40.0)
    rig.step()
    assert rig.dbw.brake.line_bar == pytest.approx(bar + 690.2405 * H * H, rel=1e-12)


@pytest.mark.parametrize(("bias", "bar", "wanted"), [(3.0, 10.0, 13.0), (3.0, 79.0, 80.0), (-3.0, 1.0, 0.0)])
def test_the_bias_shifts_the_output(rig, bias: float, bar: float, wanted: float) -> None:
    rig.command.shift.brake_bias_bar = bias
    settle(rig, bar)
    assert rig.dbw.brake.output_bar == wanted
    assert rig.dbw.brake.command_bar == bar
