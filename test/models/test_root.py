"""The root finder against the spec's fixed bisection, and its count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros._compile import outlined
from acres_ros.models import driveline, root
from acres_ros.models.root import MAXIMUM_COUNT, MAXIMUM_EXPANSIONS, rising_root

SPEC_HALVINGS = 48


def bisect(function, low: float, high: float, count: int = SPEC_HALVINGS) -> float:
    """Return the root of a rising function as the spec finds it: a bracket and a fixed number of halvings."""
    assert function(low) <= 0.0 <= function(high)
    for _ in range(count):
        middle = 0.5 * (low + high)
        if function(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@outlined
def cubic(x, context):
    offset, slope = context
    return slope * (x - offset) + (x - offset) * (x - offset) * (x - offset)


cubic_root = rising_root(cubic)


@given(st.floats(-50.0, 50.0), st.floats(1e-3, 1e4), st.floats(-60.0, 60.0), st.floats(1.0, 1e4))
@settings(max_examples=300, deadline=None)
def test_it_finds_the_root_of_a_rising_function(offset, slope, start, guess):
    found, count = cubic_root((offset, slope), start, guess)
    assert found == pytest.approx(offset, abs=1e-12)
    assert count <= 2 + MAXIMUM_EXPANSIONS + MAXIMUM_COUNT


@outlined
def step_function(x, context):
    return -1.0 if x < context[0] else 1.0


step_root = rising_root(step_function)


@given(st.floats(-40.0, 40.0), st.floats(-40.0, 40.0))
@settings(max_examples=200, deadline=None)
def test_the_count_stays_bounded_on_a_jump(edge, start):
    found, count = step_root((edge, 0.0), start, 1.0)
    assert count <= 2 + MAXIMUM_EXPANSIONS + MAXIMUM_COUNT
    assert found == pytest.approx(edge, abs=1e-9)


def test_the_same_data_take_the_same_count():
    assert cubic_root((3.0, 7.0), 0.0, 5.0) == cubic_root((3.0, 7.0), 0.0, 5.0)
    assert root.TOLERANCE < 0.5e-12


def driven_states(make_vehicle):
    """Yield vehicles in the middle of a launch, a turn, a braking, reverse and a slide."""
    for gear, pedal, brake, steering, speed in (
        (5, 45.0, 0.0, 12.5, 0.0),
        (5, 25.0, 0.0, 200.0, 3.0),
        (5, 0.0, 30.0, 12.5, 6.0),
        (2, 40.0, 0.0, -100.0, -1.0),
        (4, 90.0, 0.0, 12.5, 8.0),
        (3, 0.0, 5.0, 12.5, 2.0),
    ):
        for surface in ("asphalt", "grass"):
            vehicle = make_vehicle(make_vehicle.world_of(surface))
            vehicle.reset(speed=speed, gear=gear)
            vehicle.driver(throttle_pct=pedal, brake_bar=brake, steering_deg=steering)
            vehicle.run(0.7)
            yield vehicle


@pytest.fixture
def states(make_vehicle):
    from acres_ros.world import World

    make_vehicle.world_of = staticmethod(lambda surface: World.flat(surface=surface))
    return list(driven_states(make_vehicle))


def test_the_driveline_agrees_with_the_bisection_of_the_spec(states):
    h = 1.0 / 120.0
    for vehicle in states:
        state, p = vehicle.state, vehicle.p
        powertrain, wheels = state.powertrain, state.wheel
        ratio = driveline.gear_ratio(p, int(state.dbw.gear.engaged)) * powertrain.cvt_ratio
        capacity = driveline.clutch_capacity(p, powertrain.engine_speed)
        for first in (0, 2):
            context = (h, p, powertrain, wheels, first, ratio, capacity)
            mean = 0.5 * (wheels[2].spin + wheels[3].spin)
            found, count = driveline.spool_root(context, mean, 1000.0)
            reference = bisect(lambda spin, c=context: driveline.spool_excess(spin, c), mean - 40.0, mean + 40.0, 56)
            assert found == pytest.approx(reference, abs=1e-12)
            assert count < 40
        for wheel in wheels:
            found, _ = driveline.wheel_root((h, p, wheel), wheel.spin, 300.0)
            reference = bisect(
                lambda spin, c=(h, p, wheel): driveline.wheel_excess(spin, c), wheel.spin - 30.0, wheel.spin + 30.0, 56
            )
            assert found == pytest.approx(reference, abs=1e-12)


def test_the_torque_that_a_wheel_needs_rises_with_its_spin(states):
    for vehicle in states:
        for wheel in vehicle.state.wheel:
            spins = np.linspace(-60.0, 60.0, 241)
            torque = [driveline.wheel_excess(spin, (1.0 / 120.0, vehicle.p, wheel)) for spin in spins]
            assert np.all(np.diff(torque) > 0.0)
            assert math.isfinite(torque[0])
