"""A vehicle that moves, against hand calculations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acres_ros.models.parameters import PARAMETERS
from acres_ros.world import World

GRAVITY = 9.80665
MASS = 1318.0


def rolling_radius(vehicle) -> float:
    return 0.343 * float(vehicle.p.tyre.rolling_factor)


def test_coasting_in_neutral_loses_what_rolling_and_air_take(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=10.0, gear=3)
    vehicle.run(1.0)  # let the start settle
    speed, travelled = vehicle.forward_speed, vehicle.body.x
    vehicle.run(5.0)
    mass = MASS + 4.0 * 1.35 / rolling_radius(vehicle) ** 2
    lost = 0.5 * mass * (speed**2 - vehicle.forward_speed**2)
    distance = vehicle.body.x - travelled
    mean_square = (speed**2 + speed * vehicle.forward_speed + vehicle.forward_speed**2) / 3.0
    taken = distance * (0.02 * MASS * GRAVITY + 0.5 * 1.2 * 1.6 * mean_square)
    assert lost == pytest.approx(taken, rel=0.01)


def test_the_stopping_distance_follows_the_brake_torque(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=8.0, gear=3)
    vehicle.driver(brake_bar=20.0)
    start = vehicle.body.x
    while vehicle.forward_speed > 0.05:
        vehicle.run(0.05)
    # 20 bar x 2 (15 + 10) N m/bar over the radius, and rolling at 2 %; the pressure needs about 0.2 s.
    force = 20.0 * 50.0 / rolling_radius(vehicle) + 0.02 * MASS * GRAVITY
    mass = MASS + 4.0 * 1.35 / rolling_radius(vehicle) ** 2
    ideal = 0.5 * mass * 64.0 / force
    assert ideal < vehicle.body.x - start < ideal + 8.0 * 0.3


def test_full_brakes_do_not_beat_the_grip(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=15.0, gear=3)
    vehicle.driver(brake_bar=80.0)
    vehicle.run(1.0)
    before = vehicle.forward_speed
    vehicle.run(0.5)
    deceleration = (before - vehicle.forward_speed) / 0.5
    assert 0.6 * 0.85 * GRAVITY < deceleration <= 0.85 * GRAVITY * 1.02 + 0.5 * 1.2 * 1.6 * 225.0 / MASS
    for wheel in vehicle.wheels:
        force = math.hypot(wheel.force_x, wheel.force_y)
        assert force <= 0.85 * wheel.load * (1.0 + 1e-12)


def test_weight_moves_forward_under_braking(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=10.0, gear=3)
    vehicle.driver(brake_bar=30.0)
    vehicle.run(1.5)
    front = vehicle.wheels["load"][:2].sum()
    expected = MASS * GRAVITY * 1.243 / 2.87 - MASS * vehicle.body.ax * 0.66 / 2.87
    assert vehicle.body.ax < -2.0
    assert front == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("steering_deg", [60.0, -90.0])
def test_a_slow_turn_with_an_open_axle_is_the_bicycle_circle(make_vehicle, steering_deg):
    vehicle = make_vehicle()
    vehicle.reset(speed=1.5, drive_mode=0)
    vehicle.driver(throttle_pct=20.0, steering_deg=steering_deg + 12.5)
    vehicle.run(4.0)
    angle = math.radians(steering_deg) / float(vehicle.p.steering.ratio)
    assert vehicle.state.road_wheel == pytest.approx(angle, rel=1e-3)
    curvature = vehicle.body.wz / vehicle.forward_speed
    assert curvature == pytest.approx(math.tan(angle) / 2.87, rel=0.03)


def test_the_locked_rear_axle_pushes_straight_on(make_vehicle):
    gain = {}
    for mode in (0, 1):
        vehicle = make_vehicle()
        vehicle.reset(speed=1.5, drive_mode=mode)
        vehicle.driver(throttle_pct=20.0, steering_deg=112.5)
        vehicle.run(4.0)
        gain[mode] = vehicle.body.wz / vehicle.forward_speed
        spins = vehicle.wheels["spin"][2:]
        assert (spins[0] == spins[1]) == (mode == 1)
    # 1 / (1 + k_y (t/L)^2 (1 + rear load / front load)), linear tyres with stiffness by load.
    factor = float(PARAMETERS.new(1).tyre.lateral_factor[0])
    expected = 1.0 / (1.0 + factor * (0.655 / 2.87) ** 2 * (1.0 + 1.627 / 1.243))
    assert gain[1] / gain[0] == pytest.approx(expected, abs=0.03)


def test_the_inner_front_wheel_turns_more_and_both_aim_at_one_centre(make_vehicle):
    vehicle = make_vehicle()
    vehicle.driver(steering_deg=212.5)
    vehicle.run(3.0)
    left, right = vehicle.wheels["steer"][0], vehicle.wheels["steer"][1]
    angle = math.radians(200.0) / float(vehicle.p.steering.ratio)
    centre = 2.87 / math.tan(angle)
    assert left == pytest.approx(math.atan(2.87 / (centre - 0.655)), rel=1e-9)
    assert right == pytest.approx(math.atan(2.87 / (centre + 0.655)), rel=1e-9)


def test_reverse_drives_backwards(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(gear=2)
    vehicle.driver(throttle_pct=25.0)
    vehicle.run(4.0)
    assert vehicle.forward_speed < -0.5
    assert np.all(vehicle.wheels["spin"] < 0.0)
    assert vehicle.state.dbw.wheel_speed < 0.0
    assert vehicle.state.powertrain.clutch_torque > 0.0
    vehicle.driver(brake_bar=30.0)
    vehicle.run(4.0)
    assert abs(vehicle.forward_speed) < 1e-3


def test_neutral_revs_and_does_not_move(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(gear=3)
    idle = vehicle.state.powertrain.engine_speed * 30.0 / math.pi
    assert idle == pytest.approx(1200.0)
    vehicle.driver(throttle_pct=30.0)
    vehicle.run(3.0)
    rpm = vehicle.state.powertrain.engine_speed * 30.0 / math.pi
    assert 3000.0 < rpm < 9000.0
    assert abs(vehicle.body.x - 1.243) < 1e-3
    vehicle.driver()
    vehicle.run(20.0)
    assert vehicle.state.powertrain.engine_speed * 30.0 / math.pi == pytest.approx(1200.0, abs=60.0)


def test_a_gear_change_takes_the_drive_away_for_one_second(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(gear=3)
    vehicle.driver(throttle_pct=25.0, gear=5)
    vehicle.run(0.95)
    assert vehicle.state.powertrain.clutch_torque == 0.0
    assert abs(vehicle.forward_speed) < 1e-3
    vehicle.run(2.0)
    assert vehicle.forward_speed > 0.3


def spells(vehicle, seconds: float) -> list[tuple[int, int]]:
    """Drive on and return whether the front axle was driven, and for how many steps, spell by spell."""
    engaged = []
    for _ in range(round(seconds * 120.0)):
        vehicle.run(1.0 / 120.0)
        engaged.append(int(vehicle.state.powertrain.front_engaged))
    return [(driven, len(list(steps))) for driven, steps in itertools.groupby(engaged)]


def test_the_front_axle_joins_when_the_rear_wheels_spin(make_vehicle):
    vehicle = make_vehicle(World.flat(surface="mud"))
    share, speed = {}, {}
    for mode in (1, 2):
        vehicle.reset(drive_mode=mode)
        vehicle.driver(throttle_pct=60.0)
        share[mode] = sum(steps for driven, steps in spells(vehicle, 4.0) if driven) / 480.0
        speed[mode] = vehicle.forward_speed
    assert share[1] == 0.0
    assert share[2] > 0.5
    assert speed[2] > speed[1]


def test_the_front_axle_does_not_change_again_within_a_tenth_of_a_second(make_vehicle):
    vehicle = make_vehicle(World.flat(surface="gravel"))
    vehicle.driver(throttle_pct=45.0)
    first = spells(vehicle, 2.0)
    vehicle.driver(throttle_pct=15.0)
    second = spells(vehicle, 2.0)
    assert len(first) + len(second) >= 4
    assert all(steps >= 12 for _, steps in first[1:-1] + second[1:-1])


def test_high_speed_stays_finite_and_on_the_ground(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=25.0, gear=4)
    vehicle.driver(throttle_pct=100.0)
    vehicle.run(5.0)
    vehicle.assert_finite()
    assert 20.0 < vehicle.forward_speed < 35.0
    assert vehicle.up > 0.999


def test_the_ledger_closes(make_vehicle):
    vehicle = make_vehicle(World.flat(surface="grass"))
    vehicle.driver(throttle_pct=30.0, steering_deg=60.0)
    vehicle.run(10.0)
    vehicle.driver(brake_bar=20.0)
    vehicle.run(3.0)
    energy = vehicle.state.energy
    assert abs(energy.residual) < 1e-4 * energy.fuel
    for name in ("engine_loss", "cvt_loss", "slip_loss", "rolling_loss", "brake_loss", "aero_loss", "suspension_loss"):
        assert energy[name] > 0.0, name


def test_the_heat_of_the_engine_is_most_of_the_fuel(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(gear=3)
    vehicle.run(60.0)
    # Idle of a 1-litre twin: 0.5 to 1.2 litres an hour at 32.2 MJ/l.
    litres_per_hour = vehicle.state.energy.fuel / 60.0 * 3600.0 / 32.2e6
    assert 0.5 < litres_per_hour < 1.2
    assert vehicle.state.energy.engine_loss == pytest.approx(vehicle.state.energy.fuel, rel=1e-3)


bump = World.height_field(
    np.random.default_rng(7).normal(0.0, 0.25, (40, 40)).cumsum(axis=0) * 0.3, x0=-30.0, y0=-30.0, cell=1.524
)


@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 100.0),
            st.floats(0.0, 80.0),
            st.floats(-487.0, 487.0),
            st.integers(1, 5),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=6,
    ),
    st.floats(-25.0, 25.0),
    st.floats(-3.2, 3.2),
    st.booleans(),
    st.sampled_from([0, 1]),
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_driver_on_any_ground_gives_finite_numbers(make_vehicle, actions, speed, yaw, settled, ground):
    vehicle = make_vehicle(bump if ground else World.flat(surface="mud"))
    vehicle.reset(yaw=yaw, speed=speed, settled=settled)
    for throttle, brake, steering, gear, mode in actions:
        vehicle.driver(throttle_pct=throttle, brake_bar=brake, steering_deg=steering, gear=gear)
        vehicle.command.drive_mode = mode
        vehicle.run(1.0)
        vehicle.assert_finite()
        assert abs(vehicle.body.z) < 100.0
        assert abs(vehicle.forward_speed) < 60.0
