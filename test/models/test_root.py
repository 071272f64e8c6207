"""The root finder against the spec's fixed bisection, and its count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acres_ros._compile import outlined
from acres_ros.models import driveline, root
from acres_ros.models.root import LAST_STEP, MAXIMUM_COUNT, rising_root

SPEC_HALVINGS = 48
H = 1.0 / 120.0


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
    x = x - offset
    return slope * x + x * x * x, slope + 3.0 * x * x


cubic_root = rising_root(cubic)


@given(st.floats(-50.0, 50.0), st.floats(1e-3, 1e4), st.floats(-60.0, 60.0))
@settings(max_examples=300, deadline=None)
def test_it_finds_the_root_of_a_rising_function(offset, slope, start):
    found, count = cubic_root((offset, slope), start)
    assert found == pytest.approx(offset, abs=1e-12)
    assert count <= 40


@outlined
def bend(x, context):
    edge, below, above, height = context
    slope = below if x < edge else above
    return slope * (x - edge) + height, slope


bend_root = rising_root(bend)


@given(st.floats(-40.0, 40.0), st.floats(0.1, 1e4), st.floats(0.1, 1e4), st.floats(-1e3, 1e3), st.floats(-60.0, 60.0))
@settings(max_examples=300, deadline=None)
@example(0.0, 120.0, 1.0, -1.2e-7, 0.0)
def test_a_corner_anywhere_takes_a_few_steps_more(edge, below, above, height, start):
    found, count = bend_root((edge, below, above, height), start)
    expected = edge - height / (below if height > 0.0 else above)
    unseen = LAST_STEP * max(below / above, above / below)
    error = unseen if abs(expected - edge) <= unseen else 1e-12
    assert found == pytest.approx(expected, rel=1e-12, abs=error)
    assert count <= 12


@outlined
def atan_like(x, context):
    x = x - context[0]
    return x / (1.0 + abs(x)), 1.0 / ((1.0 + abs(x)) * (1.0 + abs(x)))


atan_like_root = rising_root(atan_like)


@given(st.floats(-40.0, 40.0), st.floats(-60.0, 60.0))
@settings(max_examples=200, deadline=None)
def test_it_comes_back_where_newton_alone_would_leave_for_good(root_at, start):
    found, count = atan_like_root((root_at, 0.0), start)
    assert found == pytest.approx(root_at, abs=1e-12)
    assert count < MAXIMUM_COUNT


@outlined
def jump(x, context):
    return (-1.0 if x < context[0] else 1.0) + 1e-3 * (x - context[0]), 1e-3


jump_root = rising_root(jump)


@given(st.floats(-40.0, 40.0), st.floats(-40.0, 40.0))
@settings(max_examples=200, deadline=None)
def test_the_count_stays_that_of_a_bisection_on_a_jump(edge, start):
    found, count = jump_root((edge, 0.0), start)
    assert count <= 60
    assert found == pytest.approx(edge, abs=1e-12)


def test_the_same_data_take_the_same_count():
    assert cubic_root((3.0, 7.0), 0.0) == cubic_root((3.0, 7.0), 0.0)
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


def context_of(vehicle, first):
    """Return what the excess of the axles takes, with the front axle joined (0) or free (2)."""
    p, powertrain = vehicle.p, vehicle.state.powertrain
    ratio = driveline.gear_ratio(p, int(vehicle.state.dbw.gear.engaged)) * powertrain.cvt_ratio
    capacity = driveline.clutch_capacity(p, powertrain.engine_speed)
    return (H, p, powertrain, vehicle.state.wheel, first, ratio, capacity)


def roots_of(vehicle):
    """Yield name, root finder, excess, context and first guess of each root of a driveline."""
    wheels = vehicle.state.wheel
    mean = 0.5 * (wheels[2].spin + wheels[3].spin)
    for first in (0, 2):
        yield f"spool, {first}", driveline.spool_root, driveline.spool_excess, context_of(vehicle, first), mean
    yield "open", driveline.open_root, driveline.open_excess, context_of(vehicle, 2), mean
    for wheel in wheels:
        yield "wheel", driveline.wheel_root, driveline.wheel_excess, (H, vehicle.p, wheel), wheel.spin


def test_the_driveline_agrees_with_the_bisection_of_the_spec(states):
    for vehicle in states:
        for name, find, excess, context, guess in roots_of(vehicle):
            reference = bisect(lambda spin, f=excess, c=context: f(spin, c)[0], guess - 40.0, guess + 40.0, 56)
            for start in (guess, guess + 0.01, guess - 1.0, guess + 20.0, 0.0):
                found, count = find(context, start)
                assert found == pytest.approx(reference, abs=1e-12), name
                assert count < 70, name


def test_near_its_root_it_asks_a_few_times(states):
    counts = []
    for vehicle in states:
        for _, find, _, context, guess in roots_of(vehicle):
            found, _ = find(context, guess)
            counts.append(find(context, found + 1.0e-3)[1])
    assert np.median(counts) <= 3.0


def test_torques_rise_with_the_spin_as_their_slopes_say(states):
    step = 1.0e-7
    for vehicle in states:
        for name, find, excess, context, guess in roots_of(vehicle):
            root_at, _ = find(context, guess)
            near = root_at + np.outer((-1.0, 1.0), np.geomspace(1.0e-5, 10.0, 25)).ravel()
            differences = []
            for spin in (*near, *np.linspace(-60.0, 60.0, 61)):
                middle, slope = excess(spin, context)
                difference = (excess(spin + step, context)[0] - excess(spin - step, context)[0]) / (2.0 * step)
                assert math.isfinite(middle)
                assert slope > 0.0
                assert difference > 0.0
                differences.append(abs(slope - difference) / slope)
            assert sorted(differences)[-4] < 1e-5, name  # three may lie on a corner or a jump
