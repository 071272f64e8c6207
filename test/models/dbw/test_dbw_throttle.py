"""Pedal emulation: maps, rate limits, delay, bias, who drives."""

from __future__ import annotations

import math

import pytest

RAW, PERCENT = 13, 14


@pytest.mark.parametrize(
    ("code", "value", "wanted"),
    [
        (PERCENT, 37.0, 37.0),
        (PERCENT, 130.0, 100.0),
        (PERCENT, -3.0, 0.0),
        (RAW, 15.0, 0.0),
        (RAW, 80.0, 100.0),
        (RAW, 47.5, 50.0),
        (RAW, 5.0, 0.0),
        (RAW, 95.0, 100.0),
    ],
)
def test_a_command_without_rates_acts_at_once(rig, code: int, value: float, wanted: float) -> None:
    rig.send("throttle", type=code, value=value)
    rig.step()
    assert rig.dbw.throttle.command_pct == pytest.approx(wanted, abs=1e-13)
    assert rig.dbw.throttle.output_pct == pytest.approx(wanted, abs=1e-13)


def test_the_rates_of_a_command(rig) -> None:
    rig.send("throttle", type=PERCENT, value=2.0, rate_increase=60.0, rate_decrease=120.0)
    seen = []
    for value in [2.0] * 5 + [0.0] * 3:
        rig.command.throttle.value = value
        rig.drive(1, "throttle")
        seen.append(float(rig.dbw.throttle.command_pct))
    assert seen == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.0, 1.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("rate", [math.inf, -1.0])
def test_no_rate_limit(rig, rate: float) -> None:
    rig.p.dbw.throttle.default_rate_pct_s = 60.0
    rig.send("throttle", type=PERCENT, value=50.0, rate_increase=rate)
    rig.step()
    assert rig.dbw.throttle.command_pct == 50.0


def test_the_default_rate(rig) -> None:
    rig.p.dbw.throttle.default_rate_pct_s = 60.0
    rig.send("throttle", type=PERCENT, value=50.0)
    rig.step()
    assert rig.dbw.throttle.command_pct == pytest.approx(0.5)
    rig.drive(199, "throttle")
    rig.send("throttle", value=0.0)
    rig.step()
    assert rig.dbw.throttle.command_pct == pytest.approx(49.5)


def test_without_control_the_pedal_is_the_drivers(rig) -> None:
    rig.command.driver.throttle_pct = 22.0
    rig.step()
    throttle = rig.dbw.throttle
    assert (throttle.input_pct, throttle.command_pct, throttle.output_pct) == (22.0, 0.0, 22.0)


def test_under_control_the_driver_does_not_add(rig) -> None:
    rig.command.driver.throttle_pct = 22.0
    rig.send("throttle", type=PERCENT, value=10.0)
    rig.step()
    throttle = rig.dbw.throttle
    assert (throttle.input_pct, throttle.command_pct, throttle.output_pct) == (22.0, 10.0, 10.0)


def test_a_released_command_does_not_come_back(rig) -> None:
    rig.send("throttle", type=PERCENT, value=40.0, rate_increase=60.0)
    rig.drive(60, "throttle")
    assert rig.dbw.throttle.command_pct == pytest.approx(30.0)
    rig.step(13)
    assert rig.dbw.throttle.command_pct == 0.0
    rig.send("throttle")
    rig.step()
    assert rig.dbw.throttle.command_pct == pytest.approx(0.5)


def test_the_delay_of_the_emulation(rig) -> None:
    rig.p.dbw.throttle.delay_s = 2.25 / 120
    rig.send("throttle", type=PERCENT, value=40.0)
    seen = []
    for _ in range(5):
        rig.drive(1, "throttle")
        seen.append(float(rig.dbw.throttle.output_pct))
    assert seen == pytest.approx([0.0, 0.0, 30.0, 40.0, 40.0])


@pytest.mark.parametrize(("bias", "value", "wanted"), [(5.0, 40.0, 45.0), (5.0, 98.0, 100.0), (-5.0, 2.0, 0.0)])
def test_the_bias_shifts_the_emulated_pedal(rig, bias: float, value: float, wanted: float) -> None:
    rig.command.shift.throttle_bias_pct = bias
    rig.send("throttle", type=PERCENT, value=value)
    rig.step()
    assert rig.dbw.throttle.output_pct == wanted
    assert rig.dbw.throttle.command_pct == value


def test_the_bias_does_not_shift_the_drivers_pedal(rig) -> None:
    rig.command.shift.throttle_bias_pct = 5.0
    rig.command.driver.throttle_pct = 22.0
    rig.step()
    assert rig.dbw.throttle.output_pct == 22.0
