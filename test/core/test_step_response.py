"""Dead time and lag of the actuators, found from a logged step response as on the real vehicle (trial E66)."""

from __future__ import annotations

import numpy as np
import pytest

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.world import World

STEP_S = 1.0 / 120.0
STRAIGHT_DEG = 12.5
ANGLE, PRESSURE, LOW = 2, 1, 5
NO_LIMIT = -1.0


def crossing(log: np.ndarray, share: float, first: float, last: float) -> float:
    """Return the time at which a log of samples passes a share of its way, between two samples, s from the first."""
    way = (log - first) / (last - first)
    after = int(np.argmax(way >= share))
    return (after - 1 + (share - way[after - 1]) / (way[after] - way[after - 1])) * STEP_S


def dead_time_and_lag(log: np.ndarray, first: float, last: float) -> tuple[float, float]:
    """Return both by the two points of C. L. Smith (1972), Digital Computer Process Control: 28.3 % and 63.2 %."""
    early, late = crossing(log, 0.283, first, last), crossing(log, 0.632, first, last)
    lag = 1.5 * (late - early)
    return late - lag, lag


def logged(command, of, steps: int, *, before: int = 60) -> np.ndarray:
    """Return what a report shows at the moment of a command and in each step after it."""
    environment = Environment(World.flat(surface="asphalt"), load_parameters())
    environment.post(m.Enable())
    environment.post(m.GearCmd(cmd=LOW))
    samples = []
    for step in range(before + steps):
        environment.post(command(step >= before))
        samples.append(environment.step()[0])
    return np.array([of(sample["vehicle"]["dbw"]) for sample in samples[before - 1 :]])


def test_the_steering_wheel_is_a_dead_time_and_a_lag() -> None:
    """Spec, Drive-by-Wire and ULC: delay 0.0205 s, lag 0.1323 s, slew 500 deg/s, which 50 deg do not reach."""

    def command(after: bool) -> m.SteeringCmd:
        angle = STRAIGHT_DEG + (50.0 if after else 0.0)
        return m.SteeringCmd(cmd=angle, cmd_type=ANGLE, cmd_rate=NO_LIMIT, cmd_accel=NO_LIMIT, enable=True)

    log = logged(command, lambda dbw: float(dbw["steering"]["angle_deg"]), 240)
    assert log[0] == pytest.approx(STRAIGHT_DEG, abs=0.01)
    assert log[-1] == pytest.approx(STRAIGHT_DEG + 50.0, abs=0.01)
    dead_time, lag = dead_time_and_lag(log, log[0], log[-1])
    assert lag == pytest.approx(0.1323, abs=0.001)
    assert dead_time == pytest.approx(0.0205, abs=0.001)


def test_the_brake_releases_by_its_lag() -> None:
    """Spec, Drive-by-Wire and ULC: the release at 10 bar begins with a time constant of 0.0415 s."""

    def command(after: bool) -> m.BrakeCmd:
        rates = {"rate_inc": NO_LIMIT, "rate_dec": NO_LIMIT}
        return m.BrakeCmd(cmd=0.0 if after else 10.0, cmd_type=PRESSURE, enable=True, **rates)

    log = logged(command, lambda dbw: float(dbw["brake"]["output_bar"]), 240)
    assert log[0] == pytest.approx(10.0, abs=0.01)
    fall = -np.diff(np.log(log[log > 8.0]))
    steps = fall[fall > 0.01]
    assert STEP_S / steps[0] == pytest.approx(0.0415, rel=0.02)
