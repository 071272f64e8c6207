"""A vehicle that stands: loads, ride height, slopes, patience."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from acres_ros.world import World

GRAVITY = 9.80665
WEIGHT = 1318.0 * GRAVITY
REAR_SHARE = (2.87 - 1.243) / 2.87


def test_the_wheels_carry_the_weight_by_the_lever_rule(make_vehicle):
    vehicle = make_vehicle()
    vehicle.driver(brake_bar=20.0)
    vehicle.run(5.0)
    loads = vehicle.wheels["load"]
    assert loads.sum() == pytest.approx(WEIGHT, rel=1e-6)
    assert loads[2] + loads[3] == pytest.approx(WEIGHT * REAR_SHARE, rel=1e-4)
    assert loads[0] == pytest.approx(loads[1], rel=1e-9)


@pytest.mark.parametrize("persons", [0, 1, 2, 4])
def test_the_ride_height_follows_the_spring_rates(make_vehicle, persons):
    vehicle = make_vehicle(mass__occupants=persons)
    vehicle.reset(settled=False)
    vehicle.driver(brake_bar=20.0)
    vehicle.run(8.0)
    change = (persons - 2) * 80.0 * GRAVITY
    # Tyre 120 kN/m in series with the wheel rate 23 (front) and 31 kN/m (rear), two wheels an axle.
    front = change * (1.0 - REAR_SHARE) / 2.0 * (1.0 / 23e3 + 1.0 / 120e3)
    rear = change * REAR_SHARE / 2.0 * (1.0 / 31e3 + 1.0 / 120e3)
    sag = front * 1.243 / 2.87 + rear * (1.0 - 1.243 / 2.87)
    assert vehicle.body.z == pytest.approx(0.66 - sag, abs=2e-4)
    assert vehicle.wheels["travel"][0] == pytest.approx(change * (1.0 - REAR_SHARE) / 2.0 / 23e3, abs=2e-4)


def test_a_settled_start_is_at_rest_at_once(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(3.0, -2.0, 0.7, settled=True)
    start = (vehicle.body.x, vehicle.body.y, vehicle.body.z)
    assert start[0] == pytest.approx(3.0 + 1.243 * math.cos(0.7), abs=1e-9)
    assert start[1] == pytest.approx(-2.0 + 1.243 * math.sin(0.7), abs=1e-9)
    assert start[2] == pytest.approx(0.66, abs=1e-4)
    vehicle.driver(brake_bar=20.0)
    for _ in range(20):
        vehicle.run(0.1)
        assert abs(vehicle.body.vz) < 1e-4
    assert vehicle.body.z == pytest.approx(start[2], abs=1e-4)


def test_a_dropped_start_falls_0_2_m_and_settles(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(settled=False)
    assert vehicle.body.z == pytest.approx(0.86, abs=1e-3)
    assert vehicle.wheels["load"].sum() == 0.0
    vehicle.driver(brake_bar=20.0)
    vehicle.run(0.05)  # the hanging wheels reach 0.12 + 0.023 m down: 0.08 m of free fall take 0.13 s
    assert vehicle.body.vz == pytest.approx(-GRAVITY * 0.05, rel=1e-5)  # air takes a little
    vehicle.run(8.0)
    assert vehicle.body.z == pytest.approx(0.66, abs=1e-4)
    assert abs(vehicle.body.vz) < 1e-4


@pytest.mark.parametrize("gear", [1, 5])
def test_minutes_on_the_brake_without_drift_or_jitter(make_vehicle, gear):
    vehicle = make_vehicle(World.flat(surface="gravel"))
    vehicle.reset(gear=gear)
    vehicle.driver(brake_bar=16.0)
    vehicle.run(10.0)
    place = (vehicle.body.x, vehicle.body.y, vehicle.yaw)
    worst = 0.0
    for _ in range(180):
        vehicle.run(1.0)
        worst = max(worst, abs(vehicle.forward_speed), abs(vehicle.body.wz), abs(vehicle.body.vz))
    assert worst < 1e-6
    assert (vehicle.body.x, vehicle.body.y, vehicle.yaw) == pytest.approx(place, abs=1e-4)


@pytest.fixture
def slope():
    """Return a plane that rises 10 % to the east."""
    return World.height_field(
        np.array([[-50.0, 50.0], [-50.0, 50.0]]), x0=-500.0, y0=-500.0, cell=1000.0, surface="asphalt"
    )


def creep_speed(vehicle, pressure_bar: float, grade: float) -> float:
    """Return the steady creep that the laws of the spec leave on a slope, m/s.

    A standing tyre relaxes with 0.2 m/s over its contact length, and a brake holds with tanh(spin / 0.1).
    """
    angle = math.atan(grade)
    weight = WEIGHT * math.cos(angle)
    radius = 0.343 * float(vehicle.p.tyre.rolling_factor)

    def axle_force(speed: float, load: float, torque: float) -> float:
        def spin_excess(spin: float) -> float:
            shear = 0.24 * (speed - spin * radius) / 0.2
            return 0.85 * load * (1.0 - math.exp(-shear / 0.010)) * radius - torque * math.tanh(spin / 0.1)

        spin = brentq(spin_excess, 0.0, speed / radius)
        return torque * math.tanh(spin / 0.1) / radius

    front = weight * (1.0 - REAR_SHARE) - weight * grade * 0.66 / 2.87
    rear = weight - front

    def excess(speed: float) -> float:
        hold = axle_force(speed, front, 2.0 * 15.0 * pressure_bar + 0.02 * front * radius)
        hold += axle_force(speed, rear, 2.0 * 10.0 * pressure_bar + 0.02 * rear * radius)
        return hold - WEIGHT * math.sin(angle)

    return brentq(excess, 1e-6, 0.1)


def test_the_brake_holds_on_a_slope_of_ten_percent(make_vehicle, slope):
    vehicle = make_vehicle(slope)
    vehicle.reset(yaw=0.0)
    vehicle.driver(brake_bar=40.0)
    vehicle.run(5.0)
    assert vehicle.forward_speed == pytest.approx(-creep_speed(vehicle, 40.0, 0.1), rel=0.05)
    assert vehicle.up == pytest.approx(math.cos(math.atan(0.1)), abs=2e-3)
    normal_load = WEIGHT * math.cos(math.atan(0.1))
    assert vehicle.wheels["load"].sum() == pytest.approx(normal_load, rel=5e-3)


def test_without_brake_in_neutral_it_rolls_down(make_vehicle, slope):
    vehicle = make_vehicle(slope)
    vehicle.reset(yaw=0.0, gear=3)
    vehicle.run(3.0)
    # g (sin - rho cos) on the mass and four wheels' spin: rho = 0.02, J/r^2 = 1.35/0.336^2 each.
    angle = math.atan(0.1)
    radius = 0.343 * float(vehicle.p.tyre.rolling_factor)
    pull = 1318.0 * GRAVITY * (math.sin(angle) - 0.02 * math.cos(angle))
    expected = -3.0 * pull / (1318.0 + 4.0 * 1.35 / radius**2)
    assert vehicle.forward_speed == pytest.approx(expected, rel=0.03)


def test_park_holds_the_rear_axle(make_vehicle, slope):
    vehicle = make_vehicle(slope)
    vehicle.reset(yaw=0.0, gear=1)
    vehicle.run(10.0)
    assert np.all(vehicle.wheels["spin"][2:] == 0.0)
    assert abs(vehicle.forward_speed) < 0.01


def test_on_its_side_and_off_the_map_nothing_breaks(make_vehicle, slope):
    vehicle = make_vehicle(slope)
    for x, roll in ((0.0, 1.4), (0.0, 3.1), (900.0, 0.6), (1e7, 2.0)):
        vehicle.reset(x=x)
        vehicle.body.qx, vehicle.body.qw = math.sin(roll / 2.0), math.cos(roll / 2.0)
        vehicle.body.z += 1.0
        vehicle.driver(throttle_pct=50.0, steering_deg=300.0)
        for _ in range(20):
            vehicle.run(0.5)
            vehicle.assert_finite()
        ground = 0.1 * min(max(vehicle.body.x, -500.0), 500.0)
        assert vehicle.body.z > ground + 0.1
