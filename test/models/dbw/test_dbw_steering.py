"""Targets of the command types, the reference in use, servo, driver."""

from __future__ import annotations

import math

import pytest

H = 1.0 / 120.0
INF = math.inf
ANGLE, CURVATURE, YAW_RATE, PERCENT = 2, 3, 4, 14


def target(rig, code: int, value: float) -> float:
    """Return the target: the reference after one step without limits."""
    rig.send("steering", type=code, value=value, rate_deg=INF, acceleration_deg=INF)
    rig.step()
    return float(rig.dbw.steering.reference_deg)


def curvature_angle(curvature: float, ratio: float = 11.76, wheelbase: float = 2.87) -> float:
    return math.degrees(ratio * math.atan(curvature * wheelbase))


@pytest.mark.parametrize(
    ("code", "value", "wanted"),
    [
        (ANGLE, 100.0, 100.0),
        (ANGLE, 281.0, 280.0),
        (ANGLE, -1000.0, -280.0),
        (PERCENT, 50.0, 140.0),
        (PERCENT, -130.0, -280.0),
        (CURVATURE, 0.0, 0.0),
        (CURVATURE, 0.1, curvature_angle(0.1)),
        (CURVATURE, -0.3, curvature_angle(-0.2)),
        (YAW_RATE, 0.0, 0.0),
    ],
)
def test_the_target_of_each_type(rig, code: int, value: float, wanted: float) -> None:
    assert target(rig, code, value) == pytest.approx(wanted, rel=1e-14)


def test_the_curvature_map_against_a_value_worked_out_by_hand(rig) -> None:
    # atan(0.1 * 2.87) = 0.279507 rad; times 11.76 = 3.287 rad
    assert target(rig, CURVATURE, 0.1) == pytest.approx(188.33, abs=0.05)


@pytest.mark.parametrize(
    ("gear", "speed", "yaw_rate", "curvature"),
    [
        (5, 2.0, 0.2, 0.1),
        (5, 0.1, 0.02, 0.04),
        (5, 0.0, 0.02, 0.04),
        (2, 2.0, 0.2, -0.1),
        (2, 0.1, 0.02, -0.04),
        (2, 0.0, 0.02, -0.04),
        (5, 1.0, 0.25, 0.25),
    ],
)
def test_the_yaw_rate_map(make_rig, gear: int, speed: float, yaw_rate: float, curvature: float) -> None:
    rig = make_rig(gear, speed)
    assert target(rig, YAW_RATE, yaw_rate) == pytest.approx(curvature_angle(curvature), rel=1e-12)


def test_the_yaw_rate_has_its_range(make_rig) -> None:
    rig = make_rig(5, 45.0)
    assert target(rig, YAW_RATE, 50.0) == pytest.approx(curvature_angle(8.5 / 45.0), rel=1e-12)


def test_the_target_stays_within_the_lock(rig) -> None:
    assert target(rig, YAW_RATE, 8.5) == 487.0


def test_the_curvature_map_can_have_its_own_ratio_and_wheelbase(rig) -> None:
    rig.p.dbw.steering.kinematic_ratio = 10.0
    rig.p.dbw.steering.kinematic_wheelbase_m = 2.0
    assert target(rig, CURVATURE, 0.1) == pytest.approx(curvature_angle(0.1, 10.0, 2.0), rel=1e-14)


def test_the_limits_of_a_command_that_leaves_them_at_0(rig) -> None:
    rig.send("steering", type=ANGLE, value=280.0)
    rig.step()
    assert rig.dbw.steering.reference_rate_deg == pytest.approx(500 / 120)
    rig.drive(60, "steering")
    assert rig.dbw.steering.reference_rate_deg == 100.0


def test_the_limits_of_a_command(rig) -> None:
    rig.send("steering", type=ANGLE, value=280.0, rate_deg=171.9, acceleration_deg=1000.0)
    rig.step()
    assert rig.dbw.steering.reference_rate_deg == pytest.approx(1000 / 120)
    rig.drive(60, "steering")
    assert rig.dbw.steering.reference_rate_deg == 171.9


def test_the_reference_lands_on_the_target_and_the_wheel_follows(rig) -> None:
    rig.send("steering", type=ANGLE, value=150.0)
    highest = 0.0
    for _ in range(600):
        rig.drive(1, "steering")
        highest = max(highest, float(rig.dbw.steering.reference_deg))
    assert highest == 150.0
    assert rig.dbw.steering.reference_deg == 150.0
    assert rig.dbw.steering.reference_rate_deg == 0.0
    assert rig.dbw.steering.angle_deg == pytest.approx(150.0, abs=1e-6)


def test_the_servo_is_a_delay_and_a_lag(rig) -> None:
    start, goal = 12.5, 13.5
    rig.send("steering", type=ANGLE, value=goal, rate_deg=INF, acceleration_deg=INF)
    angle = start
    share = 0.0205 * 120 - 2  # the delay is 2.46 steps
    keep = math.exp(-(1 / 120) / 0.1323)
    for step in range(40):
        rig.drive(1, "steering")
        if step < 2:
            delayed = start
        elif step == 2:
            delayed = goal + (start - goal) * share
        else:
            delayed = goal
        angle = delayed + (angle - delayed) * keep
        assert rig.dbw.steering.angle_deg == pytest.approx(angle, abs=1e-12)


def test_the_servo_is_no_faster_than_its_slew_limit(rig) -> None:
    rig.send("steering", type=ANGLE, value=280.0, rate_deg=INF, acceleration_deg=INF)
    last, fastest = 12.5, 0.0
    for _ in range(60):
        rig.drive(1, "steering")
        fastest = max(fastest, float(rig.dbw.steering.angle_deg) - last)
        last = float(rig.dbw.steering.angle_deg)
    assert fastest == pytest.approx(500 / 120, rel=1e-9)


def test_control_starts_at_the_wheel_with_rate_0(rig) -> None:
    rig.command.driver.steering_active = 1
    rig.command.driver.steering_wheel_angle_deg = -90.0
    rig.step(5)
    rig.send("steering", type=ANGLE, value=280.0)
    rig.step()
    assert rig.dbw.steering.reference_deg == pytest.approx(-90.0 + 500 / 120 / 120)
    assert rig.dbw.steering.angle_deg == -90.0


def test_the_reference_of_the_time_before_a_release_is_forgotten(rig) -> None:
    rig.send("steering", type=ANGLE, value=200.0)
    rig.drive(60, "steering")
    rig.step(13)
    angle = float(rig.dbw.steering.angle_deg)
    rig.send("steering", type=ANGLE, value=-200.0)
    rig.step()
    assert rig.dbw.steering.reference_deg == pytest.approx(angle - 500 / 120 / 120)


def test_without_control_the_wheel_follows_the_driver_within_the_lock(rig) -> None:
    rig.command.driver.steering_active = 1
    rig.command.driver.steering_wheel_angle_deg = 33.0
    rig.step()
    assert rig.dbw.steering.angle_deg == 33.0
    assert rig.dbw.steering.reference_deg == 33.0
    rig.command.driver.steering_wheel_angle_deg = 1000.0
    rig.step()
    assert rig.dbw.steering.angle_deg == 487.0


def test_without_control_and_driver_the_wheel_keeps_its_angle(rig) -> None:
    rig.send("steering", type=ANGLE, value=100.0)
    rig.drive(40, "steering")
    rig.step(13)
    angle = float(rig.dbw.steering.angle_deg)
    assert angle > 20.0
    rig.step(50)
    assert rig.dbw.steering.angle_deg == angle
    assert rig.dbw.steering.reference_deg == angle
    assert rig.dbw.steering.reference_rate_deg == 0.0


def test_the_driver_does_not_turn_a_wheel_under_control(rig) -> None:
    rig.command.driver.steering_active = 1
    rig.command.driver.steering_wheel_angle_deg = -200.0
    rig.send("steering", type=ANGLE, value=12.5)
    rig.step(3)
    assert rig.dbw.steering.angle_deg == 12.5
