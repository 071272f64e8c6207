"""Speed control: references, demand, pedals, stop hold, reverse, shifts."""

from __future__ import annotations

import math

import pytest

H = 1.0 / 120.0
INF = math.inf
VELOCITY, ACCELERATION = 1, 2
NONE, THROTTLE, BRAKE = 0, 1, 2
REVERSE, LOW = 2, 5


def demand(rig, value: float, **fields: float) -> None:
    """Ask for an acceleration demand: the acceleration type has no speed error, and no jerk limit here."""
    jerk = {"limit_jerk_throttle": INF, "limit_jerk_brake": INF}
    rig.send("ulc", type=ACCELERATION, value=value, **jerk, **fields)
    rig.step()
    assert rig.dbw.ulc.demand == pytest.approx(value, abs=1e-15)


# -- C1: the sample report of the spec ---------------------------------------------------------------------------------


def test_the_sample_report_of_the_spec(make_rig) -> None:
    rig = make_rig(gear=LOW, speed=0.0005)
    rig.command.gear = LOW
    rig.send("steering", type=2, value=12.5)
    rig.send("ulc", type=VELOCITY, value=0.0)
    rig.drive(240, "steering", "ulc")
    dbw = rig.dbw
    assert (dbw.steering.angle_deg, dbw.steering.reference_deg) == (12.5, 12.5)
    assert (dbw.steering.type, dbw.steering.in_control, dbw.steering.timeout) == (2, 1, 0)
    assert (dbw.throttle.input_pct, dbw.throttle.command_pct, dbw.throttle.output_pct) == (0.0, 0.0, 0.0)
    assert (dbw.throttle.type, dbw.throttle.in_control, dbw.throttle.timeout) == (14, 1, 0)
    assert (dbw.brake.input_bar, dbw.brake.command_bar, dbw.brake.output_bar) == (0.0, 16.0, 16.0)
    assert (dbw.brake.type, dbw.brake.in_control, dbw.brake.timeout) == (1, 1, 0)
    assert (dbw.gear.engaged, dbw.gear.command, dbw.gear.driver) == (5, 5, 5)
    assert (dbw.ulc.type, dbw.ulc.in_control, dbw.ulc.timeout, dbw.ulc.stop_hold) == (1, 1, 0, 1)
    assert dbw.ulc.speed_reference == 0.0
    assert dbw.wheel_speed == pytest.approx(0.0005)
    assert dbw.wheel_speed_rear == pytest.approx(0.0005)
    assert dbw.system_enable == 1


# -- references --------------------------------------------------------------------------------------------------------


def test_the_start_is_the_measured_speed(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.step()
    # first step from v_ref = 1, a_ref = 0: rho = min(1.2, sqrt(2 * 1 * 2)) = 1.2
    assert rig.dbw.ulc.speed_reference == pytest.approx(1.0 + 1.2 / 120, rel=1e-14)
    assert rig.dbw.ulc.acceleration_reference == pytest.approx(1.0 / 120, rel=1e-14)
    assert rig.dbw.ulc.error == pytest.approx(1.2 / 120, rel=1e-12)
    assert rig.dbw.ulc.demand == pytest.approx(2.2 / 120, rel=1e-12)


@pytest.mark.parametrize(
    ("fields", "goal", "rate"),
    [
        ({}, 5.0, 1.2),
        ({}, 0.0, -1.5),
        ({}, 2.32, math.sqrt(2 * 1.0 * 0.32)),
        ({"limit_acceleration": 2.5}, 9.0, 2.5),
        ({"limit_deceleration": 0.4}, 0.0, -0.4),
        ({"limit_acceleration": INF, "limit_jerk_brake": 0.25}, 4.0, math.sqrt(2 * 0.25 * 2.0)),
        ({"limit_acceleration": INF, "limit_jerk_throttle": 0.25}, 4.0, math.sqrt(2 * 1.0 * 2.0)),
        ({"limit_deceleration": INF, "limit_jerk_throttle": 0.25}, 0.0, -math.sqrt(2 * 0.25 * 2.0)),
        ({"limit_deceleration": INF, "limit_jerk_brake": 0.25}, 0.0, -math.sqrt(2 * 1.0 * 2.0)),
        ({"limit_acceleration": -1.0}, 4.0, math.sqrt(2 * 1.0 * 2.0)),
    ],
)
def test_the_rate_of_the_speed_reference(make_rig, fields: dict[str, float], goal: float, rate: float) -> None:
    rig = make_rig(speed=2.0)
    rig.send("ulc", type=VELOCITY, value=goal, **fields)
    rig.step()
    assert rig.dbw.ulc.speed_reference - 2.0 == pytest.approx(rate / 120, rel=1e-10)


@pytest.mark.parametrize(
    ("goal", "fields", "jerk"),
    [
        (9.0, {"limit_jerk_throttle": 3.0, "limit_jerk_brake": 2.0}, 3.0),
        (0.0, {"limit_jerk_throttle": 3.0, "limit_jerk_brake": 2.0}, -2.0),
        (9.0, {}, 1.0),
        (0.0, {}, -1.0),
    ],
)
def test_the_jerk_of_the_acceleration_reference(make_rig, goal: float, fields: dict[str, float], jerk: float) -> None:
    rig = make_rig(speed=2.0)
    rig.send("ulc", type=VELOCITY, value=goal, **fields)
    rig.drive(10, "ulc")
    assert rig.dbw.ulc.acceleration_reference == pytest.approx(10 * jerk / 120, rel=1e-12)


def test_the_velocity_command_has_its_range(make_rig) -> None:
    rig = make_rig(speed=44.0)
    unlimited = {"limit_acceleration": INF, "limit_jerk_throttle": INF, "limit_jerk_brake": INF}
    rig.send("ulc", type=VELOCITY, value=60.0, **unlimited)
    rig.drive(3, "ulc")
    assert rig.dbw.ulc.speed_reference == 45.0


def test_without_any_limit_the_reference_jumps_and_stays_finite(make_rig) -> None:
    rig = make_rig(speed=1.0)
    names = ("limit_acceleration", "limit_deceleration", "limit_jerk_throttle", "limit_jerk_brake")
    rig.send("ulc", type=VELOCITY, value=3.0, **dict.fromkeys(names, INF))
    rig.step()
    assert rig.dbw.ulc.speed_reference == 3.0
    assert rig.dbw.ulc.acceleration_reference == pytest.approx(2.0 * 120, rel=1e-12)
    rig.drive(2, "ulc")
    assert rig.dbw.ulc.speed_reference == 3.0
    assert rig.dbw.ulc.acceleration_reference == 0.0
    rig.send("ulc", value=-3.0)
    rig.drive(2, "ulc")
    assert rig.dbw.ulc.speed_reference == -3.0
    assert math.isfinite(rig.dbw.ulc.demand)


@pytest.mark.parametrize(("value", "wanted"), [(1.5, 1.5), (9.0, 3.0), (-9.0, -6.0)])
def test_the_acceleration_type(make_rig, value: float, wanted: float) -> None:
    rig = make_rig(speed=2.0)
    rig.send("ulc", type=ACCELERATION, value=value, limit_jerk_throttle=2.0, limit_jerk_brake=3.0)
    rig.step()
    assert rig.dbw.ulc.acceleration_reference == pytest.approx(2.0 / 120 if value > 0 else -3.0 / 120)
    assert rig.dbw.ulc.speed_reference == rig.dbw.wheel_speed
    assert rig.dbw.ulc.error == 0.0
    rig.drive(400, "ulc")
    assert rig.dbw.ulc.acceleration_reference == wanted


def test_the_gain_of_the_demand(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.p.dbw.ulc.kp = 3.0
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.step()
    assert rig.dbw.ulc.demand == pytest.approx(1.0 / 120 + 3.0 * 1.2 / 120, rel=1e-12)


# -- pedals ------------------------------------------------------------------------------------------------------------


def test_the_pedals_have_hysteresis(make_rig) -> None:
    rig = make_rig(speed=2.0)
    seen = []
    for value in (0.34, -0.29, 0.36, 0.34, -0.29, -0.31, -0.29, 0.34, 0.36):
        demand(rig, value)
        seen.append(int(rig.dbw.ulc.pedal))
    assert seen == [NONE, NONE, THROTTLE, THROTTLE, THROTTLE, BRAKE, BRAKE, BRAKE, THROTTLE]


def test_coast_selects_no_pedal_instead_of_the_brake(make_rig) -> None:
    rig = make_rig(speed=2.0)
    demand(rig, 1.0)
    demand(rig, -1.0, coast_deceleration=1)
    assert rig.dbw.ulc.pedal == NONE
    assert (rig.dbw.ulc.throttle_pct, rig.dbw.ulc.brake_bar) == (0.0, 0.0)
    assert rig.dbw.ulc.coast_deceleration == 1


def test_the_throttle_law_at_standstill_has_no_speed_term(rig) -> None:
    # v_ref = 0.01 n, a_ref = n/120, e = 0.01 n; the demand of 2.2 n/120 passes 0.35 at n = 20
    rig.send("ulc", type=VELOCITY, value=2.0)
    rig.drive(19, "ulc")
    assert rig.dbw.ulc.pedal == NONE
    rig.drive(1, "ulc")
    assert rig.dbw.ulc.pedal == THROTTLE
    integral = sum(0.01 * n for n in range(1, 20)) / 120
    wanted = 13.2426 + 0.7056 * 20 / 120 + 5.8321 * integral
    assert rig.dbw.ulc.throttle_pct == pytest.approx(wanted, rel=1e-12)
    assert wanted == pytest.approx(13.4525, abs=1e-4)


@pytest.mark.parametrize(("speed", "share"), [(0.25, 0.5), (0.5, 1.0), (1.0, 1.0)])
def test_the_speed_term_grows_up_to_the_launch_speed(make_rig, speed: float, share: float) -> None:
    rig = make_rig(speed=speed)
    rig.send("ulc", type=VELOCITY, value=speed + 2.0)
    rig.drive(20, "ulc")
    integral = sum(0.01 * n for n in range(1, 20)) / 120
    wanted = 13.2426 + 0.7056 * 20 / 120 + 27.2515 * share * 0.2 + 5.8321 * integral
    assert rig.dbw.ulc.throttle_pct == pytest.approx(wanted, rel=1e-10)


def test_the_throttle_request_stays_within_the_pedal(make_rig) -> None:
    rig = make_rig(speed=2.0)
    rig.p.dbw.ulc.throttle_offset_pct = 99.0
    demand(rig, 3.0)
    assert rig.dbw.ulc.throttle_pct == 100.0


@pytest.mark.parametrize(("value", "bar"), [(-1.0, 8.575), (-0.5, 4.2875), (-6.0, 51.45)])
def test_the_brake_law(make_rig, value: float, bar: float) -> None:
    # 1250 kg * 0.343 m / (2 (15 + 10) N m/bar) = 8.575 bar for 1 m/s^2
    rig = make_rig(speed=2.0)
    rig.p.brakes.front_nm_per_bar = 15.0
    rig.p.brakes.rear_nm_per_bar = 10.0
    demand(rig, value)
    assert rig.dbw.ulc.brake_bar == pytest.approx(bar, rel=1e-12)


def test_the_brake_request_ends_at_full_scale_and_divides_by_1_at_least(make_rig) -> None:
    rig = make_rig(speed=2.0)
    rig.p.brakes.front_nm_per_bar = 0.0
    rig.p.brakes.rear_nm_per_bar = 0.0
    rig.p.dbw.ulc.mass_kg = 100.0
    demand(rig, -1.0)
    assert rig.dbw.ulc.brake_bar == pytest.approx(34.3)
    demand(rig, -6.0)
    assert rig.dbw.ulc.brake_bar == 80.0


def test_the_integral_is_bounded(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.drive(120 * 6, "ulc")
    assert rig.dbw.ulc.integral == 5.0
    rig.send("ulc", value=0.5)
    rig.drive(120 * 40, "ulc")
    assert rig.dbw.ulc.integral == -5.0


def test_the_requests_reach_the_pedals_after_the_output_delay(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    requests, pedals = [], []
    for _ in range(60):
        rig.drive(1, "ulc")
        requests.append(float(rig.dbw.ulc.throttle_pct))
        pedals.append(float(rig.dbw.throttle.command_pct))
    # 0.03 s are 3.6 steps
    wanted = [0.4 * requests[n - 3] + 0.6 * requests[n - 4] for n in range(4, 60)]
    assert pedals[4:] == pytest.approx(wanted, rel=1e-12)
    assert max(pedals) > 13.0


# -- stop hold ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("speed", "kind", "value", "held"),
    [
        (0.0, VELOCITY, 0.0, 1),
        (0.099, VELOCITY, 0.0, 1),
        (0.101, VELOCITY, 0.0, 0),
        (0.0, VELOCITY, 0.09, 1),
        (0.0, VELOCITY, 0.11, 0),
        (0.0, ACCELERATION, 0.0, 1),
        (0.0, ACCELERATION, -1.0, 1),
        (0.0, ACCELERATION, 1.0, 0),
        (0.5, ACCELERATION, -1.0, 0),
    ],
)
def test_when_the_stop_hold_is_active(make_rig, speed: float, kind: int, value: float, held: int) -> None:
    rig = make_rig(speed=speed)
    rig.send("ulc", type=kind, value=value, limit_jerk_throttle=INF, limit_jerk_brake=INF)
    rig.step()
    assert rig.dbw.ulc.stop_hold == held


def test_the_stop_hold_brakes_with_20_percent_and_forgets_the_integral(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.drive(60, "ulc")
    assert rig.dbw.ulc.integral > 0.0
    rig.send("ulc", value=0.0)
    rig.roll(0.0)
    rig.drive(300, "ulc")
    ulc = rig.dbw.ulc
    assert (ulc.stop_hold, ulc.integral, ulc.pedal) == (1, 0.0, NONE)
    assert (ulc.throttle_pct, ulc.brake_bar) == (0.0, 16.0)


def test_the_stop_hold_ends_with_a_speed_command(rig) -> None:
    rig.send("ulc", type=VELOCITY, value=0.0)
    rig.drive(60, "ulc")
    rig.send("ulc", value=1.0)
    rig.step()
    assert (rig.dbw.ulc.stop_hold, rig.dbw.ulc.brake_bar) == (0, 0.0)


# -- reverse -----------------------------------------------------------------------------------------------------------


def test_in_reverse_command_reference_and_speed_are_negative(make_rig) -> None:
    rig = make_rig(REVERSE, 1.0)
    rig.send("ulc", type=VELOCITY, value=-3.0)
    rig.drive(20, "ulc")
    assert rig.dbw.wheel_speed == pytest.approx(-1.0)
    assert rig.dbw.ulc.speed_reference == pytest.approx(-1.2, rel=1e-12)
    assert rig.dbw.ulc.acceleration_reference == pytest.approx(20 / 120, rel=1e-12)
    assert rig.dbw.ulc.error == pytest.approx(0.2, rel=1e-10)
    assert rig.dbw.ulc.pedal == THROTTLE


@pytest.mark.parametrize(("gear", "command"), [(REVERSE, 2.0), (LOW, -2.0)])
def test_a_command_against_the_gear_asks_for_a_stop(make_rig, gear: int, command: float) -> None:
    rig = make_rig(gear, 1.0)
    rig.send("ulc", type=VELOCITY, value=command)
    rig.drive(120, "ulc")
    assert rig.dbw.ulc.pedal == BRAKE
    assert rig.dbw.brake.output_bar > 0.0
    rig.roll(0.0)
    lowest = 80.0
    for _ in range(600):
        rig.drive(1, "ulc")
        assert rig.dbw.throttle.command_pct == 0.0
        lowest = min(lowest, float(rig.dbw.ulc.brake_bar))
    assert lowest > 0.0


def test_the_ulc_does_not_change_the_gear(rig) -> None:
    rig.send("ulc", type=VELOCITY, value=-1.0)
    rig.drive(200, "ulc")
    assert rig.dbw.gear.engaged == LOW


# -- without control ---------------------------------------------------------------------------------------------------


def test_without_control_the_reference_follows_the_speed(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.drive(60, "ulc")
    rig.step(13)
    rig.roll(1.7)
    rig.step()
    ulc = rig.dbw.ulc
    assert ulc.speed_reference == rig.dbw.wheel_speed == pytest.approx(1.7)
    assert (ulc.acceleration_reference, ulc.integral, ulc.demand, ulc.stop_hold) == (0.0, 0.0, 0.0, 0)
    assert ulc.type == 0


def test_control_regained_starts_from_the_measured_speed_with_no_pedal(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.send("ulc", type=VELOCITY, value=3.0)
    rig.drive(60, "ulc")
    assert rig.dbw.ulc.pedal == THROTTLE
    rig.step(13)
    rig.send("ulc")
    rig.step()
    assert rig.dbw.ulc.pedal == NONE
    assert rig.dbw.ulc.speed_reference == pytest.approx(1.01, rel=1e-12)
    assert rig.dbw.ulc.integral == pytest.approx(0.01 / 120, rel=1e-10)


# -- C9: shifts --------------------------------------------------------------------------------------------------------


def test_the_speed_bias_is_measured_by_the_ulc_and_not_reported(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.command.shift.ulc_speed_bias = 0.25
    rig.step()
    assert rig.dbw.ulc.speed_reference == pytest.approx(1.25)
    assert rig.dbw.wheel_speed == pytest.approx(1.0)
    rig.send("ulc", type=VELOCITY, value=1.25)
    rig.drive(60, "ulc")
    assert rig.dbw.ulc.error == pytest.approx(0.0, abs=1e-12)


def test_the_stop_hold_looks_at_the_wheel_speed_without_the_bias(rig) -> None:
    rig.command.shift.ulc_speed_bias = 0.05
    rig.roll(0.08)
    rig.send("ulc", type=VELOCITY, value=0.0)
    rig.drive(60, "ulc")
    assert rig.dbw.ulc.stop_hold == 1
