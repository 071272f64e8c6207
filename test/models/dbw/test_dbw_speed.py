"""Wheel speeds and the measured acceleration."""

from __future__ import annotations

import math

import pytest

H = 1.0 / 120.0


@pytest.mark.parametrize(("gear", "sign"), [(1, 1.0), (2, -1.0), (3, 1.0), (4, 1.0), (5, 1.0)])
def test_the_gear_gives_the_sign_of_the_mean_spin(make_rig, gear: int, sign: float) -> None:
    rig = make_rig(gear)
    rig.vehicles[0].wheel["spin"] = [1.0, 2.0, 3.0, 4.0]
    rig.step()
    assert rig.dbw.wheel_speed == pytest.approx(sign * 0.9304 * 0.343 * 2.5, rel=1e-14)
    assert rig.dbw.wheel_speed_rear == pytest.approx(sign * 0.9304 * 0.343 * 3.5, rel=1e-14)


def test_the_magnitude_is_that_of_the_mean(rig) -> None:
    rig.vehicles[0].wheel["spin"] = [-1.0, -2.0, 4.0, -5.0]
    rig.step()
    assert rig.dbw.wheel_speed == pytest.approx(0.9304 * 0.343 * 1.0, rel=1e-14)
    assert rig.dbw.wheel_speed_rear == pytest.approx(0.9304 * 0.343 * 0.5, rel=1e-14)


def test_the_measured_acceleration_is_the_derivative_after_a_lag(rig) -> None:
    speed, wanted = 0.0, 0.0
    for k in range(60):
        change = 0.01 if k < 30 else -0.005
        speed += change
        rig.roll(speed)
        rig.step()
        wanted = 120 * change + (wanted - 120 * change) * math.exp(-H / 0.1)
        assert rig.dbw.wheel_acceleration == pytest.approx(wanted, rel=1e-9)


def test_a_start_at_speed_shows_no_acceleration(make_rig) -> None:
    rig = make_rig(4, 3.0)
    rig.step()
    assert rig.dbw.wheel_speed == pytest.approx(3.0)
    assert rig.dbw.wheel_acceleration == 0.0
