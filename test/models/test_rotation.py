"""Rotations: closed forms, the rotations of scipy, round trips, and the nose straight up."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from acres_ros.core.kinematics import quaternion
from acres_ros.models import rotation
from acres_ros.models.maths import HALF_PI, PI

ANGLES = st.floats(-PI, PI)
NUMBERS = st.floats(-10.0, 10.0)
QUATERNIONS = st.builds(lambda *angles: rotation.from_yaw_pitch_roll(*angles), ANGLES, ANGLES, ANGLES)
TURNS = ((0.3, 0.2, -0.4), (-2.9, -1.2, 3.0), (3.1, 1.5, -1.6), (0.0, 0.0, 0.0), (PI, 0.0, 0.0), (0.0, 0.0, PI))
NEAR = {"rel": 0.0, "abs": 1.0e-14}


def of_scipy(yaw: float, pitch: float, roll: float) -> Rotation:
    return Rotation.from_euler("xyz", (roll, pitch, yaw))


def same(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Return whether two quaternions are one rotation."""
    return abs(np.dot(one, other)) == pytest.approx(1.0, abs=1.0e-14)


def test_the_sample_of_the_specification():
    turned = rotation.from_yaw_pitch_roll(PI / 2.0, 0.0, 0.0)
    assert rotation.forward(*turned) == pytest.approx((0.0, 1.0, 0.0), **NEAR)
    assert rotation.to_yaw_pitch_roll(*turned) == pytest.approx((PI / 2.0, 0.0, 0.0), **NEAR)
    assert rotation.wrap_pi(4.0) == pytest.approx(-2.2832, abs=5.0e-5)


@pytest.mark.parametrize("angles", TURNS)
def test_all_agree_with_scipy(angles):
    turn, wanted = rotation.from_yaw_pitch_roll(*angles), of_scipy(*angles)
    vector = (0.3, -1.7, 2.2)
    assert same(turn, wanted.as_quat())
    assert rotation.matrix(*turn) == pytest.approx(wanted.as_matrix().ravel(), **NEAR)
    assert rotation.rotate(*turn, *vector) == pytest.approx(wanted.apply(vector), **NEAR)
    assert rotation.unrotate(*turn, *vector) == pytest.approx(wanted.inv().apply(vector), **NEAR)
    axes = wanted.as_matrix().T
    for axis, name in zip(axes, ("forward", "left", "up"), strict=True):
        assert getattr(rotation, name)(*turn) == pytest.approx(axis, **NEAR)
    assert same(rotation.from_axes(*axes.ravel()), turn)
    other = of_scipy(1.1, -0.4, 2.0)
    assert same(rotation.multiply(*turn, *other.as_quat()), (wanted * other).as_quat())
    assert same(rotation.conjugate(*turn), wanted.inv().as_quat())
    degrees = tuple(math.degrees(angle) for angle in reversed(angles))
    assert same(quaternion(degrees), turn)


@pytest.mark.parametrize("length", [1.0e-6, 1.0, 50.0])
@pytest.mark.parametrize("angle", [0.0, 1.0e-9, 1.3, -3.0, PI])
def test_an_axis_of_any_length(length, angle):
    axis = np.array((2.0, -1.0, 0.5)) / math.sqrt(5.25)
    turn = rotation.from_axis_angle(*(length * axis), angle)
    assert turn == pytest.approx(Rotation.from_rotvec(angle * axis).as_quat(), **NEAR)
    assert rotation.from_axis_angle(0.0, 0.0, 0.0, angle) == (0.0, 0.0, 0.0, 1.0)


@given(QUATERNIONS)
def test_angles_and_axes_come_back(turn):
    yaw, pitch, roll = rotation.to_yaw_pitch_roll(*turn)
    assert abs(yaw) <= PI and abs(pitch) <= HALF_PI and abs(roll) <= PI
    # Next to the pole yaw and roll share what the rounding of the matrix leaves of the level part.
    assert abs(np.dot(rotation.from_yaw_pitch_roll(yaw, pitch, roll), turn)) == pytest.approx(1.0, abs=1.0e-14)
    axes = (*rotation.forward(*turn), *rotation.left(*turn), *rotation.up(*turn))
    assert same(rotation.from_axes(*axes), turn)


@given(QUATERNIONS, NUMBERS, NUMBERS, NUMBERS)
def test_there_and_back(turn, x, y, z):
    there = rotation.rotate(*turn, x, y, z)
    assert math.hypot(*there) == pytest.approx(math.hypot(x, y, z), rel=1.0e-13, abs=1.0e-300)
    assert rotation.unrotate(*turn, *there) == pytest.approx((x, y, z), rel=0.0, abs=1.0e-13)
    assert rotation.rotate(*rotation.conjugate(*turn), *there) == rotation.unrotate(*turn, *there)
    r = np.reshape(rotation.matrix(*turn), (3, 3))
    assert r @ (x, y, z) == pytest.approx(there, rel=0.0, abs=1.0e-13)


@pytest.mark.parametrize("nose", [1.0, -1.0])
@pytest.mark.parametrize(("yaw", "roll"), [(0.7, 0.0), (0.7, 0.4), (-2.5, 1.0)])
def test_with_the_nose_straight_up_or_down_the_roll_is_0(nose, yaw, roll):
    turn = rotation.from_yaw_pitch_roll(yaw, nose * HALF_PI, roll)
    angles = rotation.to_yaw_pitch_roll(*turn)
    assert angles == pytest.approx((rotation.wrap_pi(yaw - nose * roll), nose * HALF_PI, 0.0), abs=1.0e-7)
    assert angles[2] == 0.0
    assert same(rotation.from_yaw_pitch_roll(*angles), turn)


@settings(max_examples=30)
@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).filter(lambda q: np.linalg.norm(q) > 1.0e-3))
def test_any_length_becomes_1(turn):
    unit = rotation.normalized(*turn)
    assert np.linalg.norm(unit) == pytest.approx(1.0, abs=1.0e-15)
    assert unit == pytest.approx(np.array(turn) / np.linalg.norm(turn), **NEAR)


def test_an_angle_of_pi_wraps_to_minus_pi_and_those_beside_it_stay():
    below, above = math.nextafter(PI, 0.0), math.nextafter(PI, 4.0)
    assert rotation.wrap_pi(-PI) == -PI and rotation.wrap_pi(PI) == -PI
    assert rotation.wrap_pi(below) == below and rotation.wrap_pi(-below) == -below
    assert rotation.wrap_pi(above) == pytest.approx(-PI, abs=1.0e-15)
    assert rotation.wrap_pi(7.5 * PI) == pytest.approx(-0.5 * PI, abs=1.0e-14)


def test_compiled_code_calls_them_too():
    @numba.njit
    def heading(yaw):
        return rotation.forward(*rotation.from_yaw_pitch_roll(yaw, 0.0, 0.0))

    assert heading(0.3) == rotation.forward(*rotation.from_yaw_pitch_roll(0.3, 0.0, 0.0))
