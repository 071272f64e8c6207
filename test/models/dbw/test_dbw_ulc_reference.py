"""The speed reference reaches its goal without overshoot, whatever the limits (C5)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros._compile import entry
from acres_ros.models.dbw.ulc import step_speed_reference

H = 1.0 / 120.0


@entry
def path(h, speed, goal, up, down, jerk_up, jerk_down, speeds, accelerations):
    """Fill the speed and acceleration references of a number of steps."""
    acceleration = 0.0
    for k in range(speeds.size):
        speed, acceleration = step_speed_reference(h, speed, acceleration, goal, up, down, jerk_up, jerk_down)
        speeds[k] = speed
        accelerations[k] = acceleration


limits = st.one_of(st.floats(0.3, 6.0), st.just(math.inf))
jerks = st.one_of(st.floats(0.2, 25.0), st.just(math.inf))


@settings(max_examples=200, deadline=None)
@given(start=st.floats(-10, 10), goal=st.floats(-10, 10), up=limits, down=limits, jerk_up=jerks, jerk_down=jerks)
def test_it_reaches_the_goal_without_overshoot(start, goal, up, down, jerk_up, jerk_down) -> None:
    jerk, limit = min(jerk_up, jerk_down, 1e6), min(up, down, 1e6)
    error = abs(goal - start)
    slowest = (
        error / limit + limit / jerk + 2 * math.sqrt(2 * error / jerk) if limit < 1e6 else 4 * math.sqrt(error / jerk)
    )
    steps = min(int(slowest / H) + 400, 120 * 400)
    speeds, accelerations = np.zeros(steps), np.zeros(steps)
    path(H, start, goal, up, down, jerk_up, jerk_down, speeds, accelerations)
    assert speeds.min() >= min(start, goal)
    assert speeds.max() <= max(start, goal)
    assert abs(speeds[-1] - goal) < 1e-9
    assert np.all(np.diff(speeds) * np.sign(goal - start) >= 0.0)
    change = np.diff(np.concatenate([[0.0], accelerations]))
    assert change.max() <= jerk_up * H * (1 + 1e-9)
    assert -change.min() <= jerk_down * H * (1 + 1e-9)
    assert np.all(np.isfinite(accelerations))


@pytest.mark.parametrize("gear", [2, 5])
@pytest.mark.parametrize(("start", "goal"), [(0.5, 3.0), (3.0, 0.5)])
@pytest.mark.parametrize(("jerk_throttle", "jerk_brake"), [(0.5, 4.0), (4.0, 0.5)])
def test_both_directions_of_travel(make_rig, gear, start, goal, jerk_throttle, jerk_brake) -> None:
    sign = -1.0 if gear == 2 else 1.0
    rig = make_rig(gear, start)
    rig.send("ulc", type=1, value=sign * goal, limit_jerk_throttle=jerk_throttle, limit_jerk_brake=jerk_brake)
    low, high = min(start, goal), max(start, goal)
    for _ in range(1200):
        rig.drive(1, "ulc")
        reference = sign * float(rig.dbw.ulc.speed_reference)
        assert low - 1e-12 <= reference <= high + 1e-12
        rig.roll(reference)
    assert rig.dbw.ulc.speed_reference == sign * goal
    assert rig.dbw.ulc.acceleration_reference == 0.0
