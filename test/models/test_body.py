"""The rigid body against the equations of motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from acres_ros._compile import entry
from acres_ros.models.body import step_body
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE

H = 1.0 / 120.0
MASS = 1158.0 + 2 * 80.0
GRAVITY = 9.80665


@entry
def move(vehicles, parameters, force, moment, steps):
    for _ in range(steps):
        step_body(H, force, moment, parameters[0], vehicles[0].body)


@pytest.fixture
def vehicles():
    return VEHICLE.new(1).view(np.ndarray)


PARAMETER_RECORD = PARAMETERS.new(1).view(np.ndarray)
ZERO = (0.0, 0.0, 0.0)


def test_free_fall(vehicles):
    move(vehicles, PARAMETER_RECORD, ZERO, ZERO, 120)
    body = vehicles[0].body
    assert body.vz == pytest.approx(-GRAVITY, rel=1e-12)
    # Velocities first: z = -g h^2 n (n + 1) / 2.
    assert body.z == pytest.approx(-GRAVITY * H * H * 120 * 121 / 2, rel=1e-12)
    assert body.az == pytest.approx(-GRAVITY, rel=1e-12)


def test_a_force_accelerates_the_mass_in_the_body_frame(vehicles):
    body = vehicles[0].body
    body.qw, body.qz = math.cos(math.pi / 4), math.sin(math.pi / 4)  # heading north
    move(vehicles, PARAMETER_RECORD, (0.0, MASS, MASS * GRAVITY), ZERO, 120)
    assert (body.vx, body.vy, body.vz) == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)
    assert (body.ax, body.ay, body.az) == pytest.approx((1.0, 0.0, 0.0), abs=1e-12)


def test_a_yaw_moment_turns_against_the_damping(vehicles):
    move(vehicles, PARAMETER_RECORD, ZERO, (0.0, 0.0, 1800.0), 120)
    body = vehicles[0].body
    factor = 1.0 - 0.08 * H
    expected = sum(H * factor**n for n in range(1, 121))
    assert body.wz == pytest.approx(expected, rel=1e-12)
    angle = 2.0 * math.atan2(body.qz, body.qw)
    assert angle == pytest.approx(H * sum(sum(H * factor**n for n in range(1, k + 1)) for k in range(1, 121)), rel=1e-4)


def test_the_moment_meets_the_inertia_of_the_body_axes(vehicles):
    body = vehicles[0].body
    turn = Rotation.from_euler("zyx", [0.9, -0.4, 0.7])
    body.qx, body.qy, body.qz, body.qw = turn.as_quat()
    moment = np.array([100.0, -200.0, 300.0])
    move(vehicles, PARAMETER_RECORD, ZERO, tuple(moment), 1)
    inertia = turn.as_matrix() @ np.diag([450.0, 1450.0, 1800.0]) @ turn.as_matrix().T
    expected = np.linalg.solve(inertia, moment) * H * (1.0 - 0.08 * H)
    assert (body.wx, body.wy, body.wz) == pytest.approx(expected, rel=1e-12)


def test_the_quaternion_stays_a_rotation(vehicles):
    body = vehicles[0].body
    body.wx, body.wy, body.wz = 3.0, -2.0, 5.0
    for _ in range(20):
        move(vehicles, PARAMETER_RECORD, ZERO, ZERO, 600)
        norm = body.qw**2 + body.qx**2 + body.qy**2 + body.qz**2
        assert norm == pytest.approx(1.0, abs=1e-14)


def test_the_quaternion_step_turns_by_the_angular_velocity(vehicles):
    body = vehicles[0].body
    start = Rotation.from_euler("zyx", [0.3, 0.2, -0.1])
    body.qx, body.qy, body.qz, body.qw = start.as_quat()
    body.wx, body.wy, body.wz = 0.5, -0.2, 0.4
    move(vehicles, PARAMETER_RECORD, ZERO, ZERO, 12)
    spin = np.array([0.5, -0.2, 0.4])
    turned = Rotation.from_quat([body.qx, body.qy, body.qz, body.qw])
    expected = Rotation.from_rotvec(0.1 * spin * (1.0 - 0.08 * 0.054)) * start  # mean of the damping over 12 steps
    assert (turned * expected.inv()).magnitude() < 1e-5
