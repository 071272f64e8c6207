"""Actuators with faults: they stand still, move slowly or give less, exactly by the numbers of the command."""

from __future__ import annotations

import pytest

H = 1.0 / 120.0
L, R, N = 5, 2, 3


def drive(rig, steps: int, **commands: float) -> None:
    """Send commands of the angle, bar and percent types in each step."""
    types = {"steering": 2, "brake": 1, "throttle": 14}
    for _ in range(steps):
        for name, value in commands.items():
            rig.send(name, type=types[name], value=value)
        rig.step()


def test_a_stuck_steering_keeps_its_angle_while_the_reference_goes_on(rig) -> None:
    drive(rig, 30, steering=40.0)
    before = float(rig.dbw.steering.angle_deg)
    rig.command.fault.steering_rate_deg = 0.0
    drive(rig, 120, steering=-40.0)
    assert (rig.dbw.steering.angle_deg, rig.dbw.steering.in_control) == (before, 1)
    assert rig.dbw.steering.reference_deg < 0.0
    rig.command.system_enable = 0
    rig.command.driver.steering_active, rig.command.driver.steering_wheel_angle_deg = 1, 7.0
    rig.step()
    assert rig.dbw.steering.angle_deg == 7.0, "hands turn it"


def test_a_slow_steering_turns_at_its_rate(rig) -> None:
    rig.command.fault.steering_rate_deg = 6.0
    angles = []
    for _ in range(120):
        drive(rig, 1, steering=200.0)
        angles.append(float(rig.dbw.steering.angle_deg))
    assert angles[-1] - angles[-2] == pytest.approx(6.0 * H, rel=1e-9)
    assert max(b - a for a, b in zip(angles, angles[1:], strict=False)) == pytest.approx(6.0 * H, rel=1e-9)


def test_a_stuck_brake_keeps_its_pressure_both_ways_and_the_foot_adds(rig) -> None:
    drive(rig, 120, brake=20.0)
    before = float(rig.dbw.brake.line_bar)
    assert before == pytest.approx(20.0, abs=0.1)
    rig.command.fault.brake_rate_bar = 0.0
    drive(rig, 120, brake=60.0)
    assert rig.dbw.brake.output_bar == before
    drive(rig, 120, brake=0.0)
    assert rig.dbw.brake.output_bar == before
    rig.command.driver.brake_bar = 35.0
    drive(rig, 120, brake=0.0)
    assert rig.dbw.brake.output_bar == pytest.approx(35.0, abs=0.1)


def test_a_slow_brake_changes_at_its_rate(rig) -> None:
    rig.command.fault.brake_rate_bar = 12.0
    drive(rig, 60, brake=40.0)
    first = float(rig.dbw.brake.line_bar)
    drive(rig, 60, brake=40.0)
    assert rig.dbw.brake.line_bar - first == pytest.approx(6.0, rel=1e-9)
    drive(rig, 60, brake=0.0)
    assert rig.dbw.brake.line_bar > first - 1.0, "it falls no faster"


def test_a_weak_brake_gives_its_share_and_the_foot_all_of_its_own(rig) -> None:
    rig.command.fault.brake_share = 0.25
    drive(rig, 240, brake=40.0)
    assert rig.dbw.brake.output_bar == pytest.approx(10.0, abs=0.01)
    assert rig.dbw.brake.command_bar == 40.0
    rig.command.driver.brake_bar = 30.0
    drive(rig, 240, brake=40.0)
    assert rig.dbw.brake.output_bar == pytest.approx(30.0, abs=0.01)


def test_a_stuck_pedal_stays_until_the_drive_by_wire_lets_go(rig) -> None:
    drive(rig, 10, throttle=30.0)
    rig.command.fault.throttle_rate_pct = 0.0
    drive(rig, 60, throttle=0.0)
    assert (rig.dbw.throttle.output_pct, rig.dbw.throttle.command_pct) == (30.0, 0.0)
    rig.command.system_enable = 0
    rig.step()
    assert rig.dbw.throttle.output_pct == 0.0


def test_a_slow_and_a_weak_pedal(rig) -> None:
    rig.command.fault.throttle_rate_pct = 24.0
    drive(rig, 60, throttle=100.0)
    assert rig.dbw.throttle.output_pct == pytest.approx(12.0, rel=1e-9)
    rig.command.fault.throttle_rate_pct = 1e9
    rig.command.fault.throttle_share = 0.5
    drive(rig, 2, throttle=100.0)
    assert (rig.dbw.throttle.output_pct, rig.dbw.throttle.command_pct) == (50.0, 100.0)


def test_a_stuck_gear_stays_where_it_is_also_in_the_middle_of_a_change(rig) -> None:
    rig.command.fault.gear_stuck = 1
    rig.command.gear = R
    rig.step(200)
    assert (rig.dbw.gear.engaged, rig.dbw.gear.refused) == (L, 1)
    rig.command.fault.gear_stuck = 0
    rig.step(60)
    rig.command.fault.gear_stuck = 1
    rig.step(200)
    assert rig.dbw.gear.engaged == N
    rig.command.fault.gear_stuck = 0
    rig.step(61)
    assert rig.dbw.gear.engaged == R


def test_a_slow_gear_takes_longer_by_its_time(rig) -> None:
    rig.command.fault.gear_delay = 0.5
    rig.command.gear = R
    rig.step(180)
    assert rig.dbw.gear.engaged == N
    rig.step()
    assert rig.dbw.gear.engaged == R
