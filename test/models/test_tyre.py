"""The tyre against the equations of the spec and of Janosi and Hanamoto."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE
from acres_ros.models.tyre import shaft_torque, tyre_shear

H = 1.0 / 120.0
P = PARAMETERS.new(1).view(np.ndarray)
RADIUS = float(P["tyre"]["radius_m"][0] * P["tyre"]["rolling_factor"][0])
K_Y = float(P["tyre"]["lateral_factor"][0])
GRIP, MODULUS, LENGTH = 2200.0, 0.015, 0.24


@entry
def shear(parameters, vehicles, spin):
    return tyre_shear(H, parameters[0], vehicles[0].wheel[0], spin)


@entry
def torque(parameters, vehicles, spin):
    return shaft_torque(H, parameters[0], vehicles[0].wheel[0], spin)


@pytest.fixture
def vehicles():
    vehicles = VEHICLE.new(1).view(np.ndarray)
    wheel = vehicles[0].wheel[0]
    wheel.grip, wheel.shear_modulus, wheel.relaxation = GRIP, MODULUS, LENGTH
    return vehicles


def settle(vehicles, spin, steps=2000):
    wheel = vehicles[0].wheel[0]
    for _ in range(steps):
        force_x, force_y, wheel.shear_x, wheel.shear_y, _ = shear(P, vehicles, spin)
    return force_x, force_y, wheel


@pytest.mark.parametrize("slip", [0.01, 0.05, 0.3, -0.02])
def test_a_steady_slip_gives_the_shear_of_the_contact_length(vehicles, slip):
    wheel = vehicles[0].wheel[0]
    wheel.speed_x = 2.0
    spin = 2.0 / RADIUS / (1.0 - slip) if slip > 0.0 else 2.0 * (1.0 + slip) / RADIUS
    force, side, wheel = settle(vehicles, spin)
    assert wheel.shear_x == pytest.approx(slip * LENGTH, rel=1e-6)
    expected = math.copysign(GRIP * (1.0 - math.exp(-abs(slip) * LENGTH / MODULUS)), slip)
    assert force == pytest.approx(expected, rel=1e-6)
    assert side == 0.0


def test_a_slip_angle_pushes_against_the_side_speed(vehicles):
    wheel = vehicles[0].wheel[0]
    wheel.speed_x, wheel.speed_y = 5.0, 0.25
    force, side, wheel = settle(vehicles, 5.0 / RADIUS)
    assert force == pytest.approx(0.0, abs=1e-9)
    shear_y = -0.25 / 5.0 * LENGTH
    assert wheel.shear_y == pytest.approx(shear_y, rel=1e-9)
    assert side == pytest.approx(-GRIP * (1.0 - math.exp(shear_y / K_Y / MODULUS)), rel=1e-9)


def test_one_step_is_the_backward_euler_of_the_spec(vehicles):
    wheel = vehicles[0].wheel[0]
    wheel.shear_x, wheel.speed_x = 0.01, 1.5
    spin = 7.0
    _, _, along, _, _ = shear(P, vehicles, spin)
    rim = spin * RADIUS
    assert along == pytest.approx((0.01 + H * (rim - 1.5)) / (1.0 + H * max(rim, 1.5, 0.2) / LENGTH), rel=1e-14)
    wheel.shear_x, wheel.speed_x = LENGTH, -5.0
    _, _, along, _, _ = shear(P, vehicles, 1e4)
    assert along == LENGTH  # the clamp


@given(
    st.floats(-0.24, 0.24),
    st.floats(-0.24, 0.24),
    st.floats(-30.0, 30.0),
    st.floats(-30.0, 30.0),
    st.floats(-120.0, 120.0),
)
@settings(deadline=None, max_examples=300)
def test_the_force_stays_in_its_circle(shear_x, shear_y, speed_x, speed_y, spin):
    vehicles = VEHICLE.new(1).view(np.ndarray)
    wheel = vehicles[0].wheel[0]
    wheel.grip, wheel.shear_modulus, wheel.relaxation = GRIP, MODULUS, LENGTH
    wheel.shear_x, wheel.shear_y, wheel.speed_x, wheel.speed_y = shear_x, shear_y, speed_x, speed_y
    force_x, force_y, along, across, _ = shear(P, vehicles, spin)
    assert math.hypot(force_x, force_y) <= GRIP * (1.0 + 1e-12)
    assert abs(along) <= LENGTH and abs(across) <= LENGTH


@given(
    st.floats(-0.2, 0.2),
    st.floats(-0.2, 0.2),
    st.floats(-20.0, 20.0),
    st.floats(-20.0, 20.0),
    st.floats(-80.0, 80.0),
    st.floats(0.0, 900.0),
)
@settings(deadline=None, max_examples=300)
def test_the_slope_is_that_of_the_torque(shear_x, shear_y, speed_x, speed_y, spin, resistance):
    vehicles = VEHICLE.new(1).view(np.ndarray)
    wheel = vehicles[0].wheel[0]
    wheel.grip, wheel.shear_modulus, wheel.relaxation, wheel.resistance = GRIP, MODULUS, LENGTH, resistance
    wheel.shear_x, wheel.shear_y, wheel.speed_x, wheel.speed_y = shear_x, shear_y, speed_x, speed_y
    step = 1e-5
    (below, low), (_, slope), (above, high) = (torque(P, vehicles, spin + k * step) for k in (-1.0, 0.0, 1.0))
    assert min(low, slope, high) > 0.0
    # At a corner, a limit of the shear or the faster of two speeds, it lies between the slopes of both sides.
    difference = (above - below) / (2.0 * step)
    assert min(low, slope, high) * (1.0 - 1e-4) - 1e-3 <= difference <= max(low, slope, high) * (1.0 + 1e-4) + 1e-3


def test_the_shaft_torque_is_inertia_force_and_resistance(vehicles):
    wheel = vehicles[0].wheel[0]
    wheel.spin, wheel.speed_x, wheel.resistance = 10.0, 10.0 * RADIUS, 80.0
    force, _, _, _, _ = shear(P, vehicles, 10.2)
    expected = 1.35 * 0.2 / H + force * RADIUS + 80.0 * math.tanh(102.0)
    assert torque(P, vehicles, 10.2)[0] == pytest.approx(expected, rel=1e-12)


def test_on_hard_ground_the_force_is_a_slip_stiffness_with_relaxation(vehicles):
    """Small slips: stiffness grip l / K along and grip l / (K k_y) across, built up over the rolled length l."""
    wheel = vehicles[0].wheel[0]
    slip, angle, speed = 1e-4, 1e-4, 1.0
    wheel.speed_x, wheel.speed_y = speed, speed * angle
    spin = speed * (1.0 + slip) / RADIUS
    force, side, _ = settle(vehicles, spin)
    assert force / slip == pytest.approx(GRIP * LENGTH / MODULUS, rel=2e-3)
    assert -side / angle == pytest.approx(GRIP * LENGTH / (MODULUS * K_Y), rel=2e-3)
    wheel.shear_x = wheel.shear_y = 0.0
    short, short_side, _ = settle(vehicles, spin, steps=round(LENGTH / speed / H))
    assert short / force == pytest.approx(1.0 - math.exp(-1.0), abs=0.01)
    assert short_side / side == pytest.approx(1.0 - math.exp(-1.0), abs=0.01)
