"""Truth, INS and frames against rigid-body formulas written out with numpy, and the geodesy of the site."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import vehicle_rig
from vehicle_rig import Recorder, context, exact, samples

from acres_ros.core.kinematics import quaternion
from acres_ros.nodes.topics_config import Mount, Place
from acres_ros.world.georeference import Georeference, Origin


def published(rows: np.recarray, **changes: Any) -> Recorder:
    """Publish samples by sensors that tell the truth at once, and return the recorder."""
    return vehicle_rig.published(rows, sensors=exact(), **changes)


CENTER = np.array([1.243, 0.0, 0.66])  # centre of mass in base_footprint


def turn(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Return the rotation matrix of fixed-axis roll, pitch, yaw in rad."""
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def matrix(q: object) -> np.ndarray:
    """Return the rotation matrix of a message's quaternion."""
    x, y, z, w = q.x, q.y, q.z, q.w  # type: ignore[attr-defined]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def vector(v: object) -> np.ndarray:
    """Return x, y, z of a message."""
    return np.array([v.x, v.y, v.z])  # type: ignore[attr-defined]


def place(rows: np.recarray, roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Give the body an attitude and return its matrix."""
    x, y, z, w = quaternion(tuple(math.degrees(a) for a in (roll, pitch, yaw)))  # type: ignore[arg-type]
    body = rows.vehicle.body
    body.qx, body.qy, body.qz, body.qw = x, y, z, w
    return turn(roll, pitch, yaw)


@pytest.mark.parametrize("yaw_deg", [0, 90, 180, 270])
def test_twist_is_in_the_child_frame_and_yaw_is_absolute(yaw_deg: int) -> None:
    yaw, speed = math.radians(yaw_deg), 2.5
    rows = samples(12)
    place(rows, 0.0, 0.0, yaw)
    rows.vehicle.body.vx, rows.vehicle.body.vy = speed * math.cos(yaw), speed * math.sin(yaw)
    recorder = published(rows)
    for key in ("ins/odometry", "ground_truth/odometry"):
        twist = recorder.last(key).twist.twist
        assert vector(twist.linear) == pytest.approx([speed, 0.0, 0.0], abs=1e-12)
    forward = matrix(recorder.last("ins/imu").orientation) @ [1.0, 0.0, 0.0]
    assert forward == pytest.approx([math.cos(yaw), math.sin(yaw), 0.0], abs=1e-12)


def test_odometry_frames_and_covariances() -> None:
    recorder = published(samples(12))
    truth, ins = recorder.last("ground_truth/odometry"), recorder.last("ins/odometry")
    assert (truth.header.frame_id, truth.child_frame_id) == ("map", "base_footprint")
    assert (ins.header.frame_id, ins.child_frame_id) == ("odom", "base_link")
    for message in (truth, ins):
        for covariance in (message.pose.covariance, message.twist.covariance):
            table = np.array(covariance).reshape(6, 6)
            assert (np.diag(table) > 0.0).all()
            assert (table == np.diag(np.diag(table))).all()
    imu, raw = recorder.last("ins/imu"), recorder.last("imu/data_raw")
    assert imu.header.frame_id == "imu_link"
    for covariance in (imu.orientation_covariance, imu.angular_velocity_covariance, imu.linear_acceleration_covariance):
        assert (np.array(covariance)[::4] > 0.0).all()
    assert raw.orientation_covariance[0] == -1.0
    assert not np.any(raw.angular_velocity_covariance) and not np.any(raw.linear_acceleration_covariance)


def test_at_rest_level_the_imu_shows_gravity_upward() -> None:
    recorder = published(samples(12))
    for key in ("ins/imu", "imu/data_raw"):
        message = recorder.last(key)
        assert vector(message.linear_acceleration) == pytest.approx([0.0, 0.0, 9.80665], abs=1e-12)
        assert vector(message.angular_velocity) == pytest.approx([0.0, 0.0, 0.0])


def test_lever_arms_of_every_place() -> None:
    rows = samples(2)
    roll, pitch, yaw = 0.1, -0.2, 2.0
    rotation = place(rows, roll, pitch, yaw)
    body = rows.vehicle.body
    center, velocity, rate = np.array([10.0, -5.0, 2.0]), np.array([1.0, 2.0, -0.3]), np.array([0.2, -0.4, 0.7])
    before, acceleration = np.array([0.15, -0.38, 0.72]), np.array([0.5, -1.0, 0.25])
    (body.x, body.y, body.z), (body.vx, body.vy, body.vz) = center, velocity
    body.wx[:], body.wy[:], body.wz[:] = rate
    body.wx[0], body.wy[0], body.wz[0] = before
    body.ax, body.ay, body.az = acceleration
    slope = turn(*np.radians([1.0, 2.0, 3.0]))
    config = context().config
    mounts = replace(config.mounts, imu=Mount((0.35, 0.1, 0.80), (1.0, 2.0, 3.0)))
    recorder = published(rows, config=replace(config, mounts=mounts))

    def carried(point: list[float]) -> tuple[np.ndarray, np.ndarray]:
        arm = rotation @ (np.array(point) - CENTER)
        return center + arm, rotation.T @ (velocity + np.cross(rate, arm))

    for key, point in (("ground_truth/odometry", [0.0, 0.0, 0.0]), ("ins/odometry", [0.0, 0.0, 0.312])):
        message = recorder.last(key)
        position, linear = carried(point)
        assert vector(message.pose.pose.position) == pytest.approx(position, abs=1e-12)
        assert matrix(message.pose.pose.orientation) == pytest.approx(rotation, abs=1e-12)
        assert vector(message.twist.twist.linear) == pytest.approx(linear, abs=1e-12)
        assert vector(message.twist.twist.angular) == pytest.approx(rotation.T @ rate, abs=1e-12)

    imu = recorder.last("ins/imu")
    arm, w = np.array([0.35, 0.1, 0.80]) - CENTER, rotation.T @ rate
    spin_up = rotation.T @ ((rate - before) * 120.0)
    force = acceleration + np.cross(spin_up, arm) + np.cross(w, np.cross(w, arm)) + rotation.T @ [0.0, 0.0, 9.80665]
    assert vector(imu.linear_acceleration) == pytest.approx(slope.T @ force, abs=1e-9)
    assert vector(imu.angular_velocity) == pytest.approx(slope.T @ w, abs=1e-12)
    assert matrix(imu.orientation) == pytest.approx(rotation @ slope, abs=1e-12)


def test_angular_acceleration_is_zero_where_there_is_no_step_before() -> None:
    rows = samples(2)
    rows.vehicle.body.wz = 1.0
    messages = list(published(rows, profile="vehicle").messages("ins/imu"))
    # place (-0.893, 0, 0.14) from the centre of mass, turning at 1 rad/s: towards the centre, 0.893 m/s^2
    assert vector(messages[0].linear_acceleration) == pytest.approx([0.893, 0.0, 9.80665], abs=1e-12)


def test_wheels_travel_steer_and_spin() -> None:
    rows = samples(1)
    wheel = rows.vehicle.wheel
    wheel.travel = [[0.02, 0.0, 0.0, -0.01]]
    wheel.steer = [[0.3, 0.25, 0.0, 0.0]]
    wheel.rotation = [[1.0, 0.0, -2.0, 0.0]]
    transforms = {t.child_frame_id: t for t in published(rows).last("tf").transforms}
    assert transforms["base_footprint"].header.frame_id == "odom"

    def in_base_link(frame: str) -> tuple[np.ndarray, np.ndarray]:
        place, attitude = np.zeros(3), np.eye(3)
        while frame != "base_link":
            step = transforms[frame].transform
            turned = matrix(step.rotation)
            place, attitude = vector(step.translation) + turned @ place, turned @ attitude
            frame = transforms[frame].header.frame_id
        return place, attitude

    # static load 2799 N on 120 kN/m: wheel centre 0.343 - 0.023325 above the ground, base_link 0.312 above it
    place, attitude = in_base_link("wheel_front_left")
    assert place == pytest.approx([2.87, 0.655, 0.343 - 0.023325 - 0.312 + 0.02], abs=1e-12)
    assert attitude == pytest.approx(turn(0, 0, 0.3) @ turn(0, 1.0, 0), abs=1e-12)
    assert (attitude @ [0.0, 0.0, 1.0])[0] > 0.0  # forward spin carries the top of the wheel forward
    assert in_base_link("wheel_front_right")[1] == pytest.approx(turn(0, 0, 0.25), abs=1e-12)
    assert in_base_link("wheel_rear_left")[1] == pytest.approx(turn(0, -2.0, 0), abs=1e-12)


def test_static_frames_form_one_tree_from_map() -> None:
    recorder = published(samples(1))
    fixed = recorder.last("tf_static").transforms
    parents = {t.child_frame_id: t.header.frame_id for t in (*fixed, *recorder.last("tf").transforms)}
    assert parents == {
        "odom": "map",
        "base_footprint": "odom",
        "base_link": "base_footprint",
        "imu_link": "base_link",
        "gps": "base_link",
        "rslidar": "base_link",
        **{f"wheel_{end}_{side}_hub": "base_link" for end in ("front", "rear") for side in ("left", "right")},
        **{f"wheel_front_{side}_knuckle": f"wheel_front_{side}_hub" for side in ("left", "right")},
        **{f"wheel_front_{side}": f"wheel_front_{side}_knuckle" for side in ("left", "right")},
        **{f"wheel_rear_{side}": f"wheel_rear_{side}_hub" for side in ("left", "right")},
    }
    places = {t.child_frame_id: vector(t.transform.translation) for t in fixed}
    assert places["odom"] == pytest.approx([0.0, 0.0, 0.0])
    assert places["base_link"] + places["rslidar"] == pytest.approx([1.60, 0.0, 2.30])


def test_fixes_are_those_of_their_antennas() -> None:
    rows = samples(120)
    rows.vehicle.body.x, rows.vehicle.body.y, rows.vehicle.body.z = CENTER  # base_footprint at the origin
    recorder = published(rows)
    grid = Georeference(Origin(40.47, -86.99, 181.0, 16))
    fix = recorder.last("ins/fix")
    assert (fix.latitude, fix.longitude, fix.altitude) == pytest.approx(grid.geodetic(0.35, 0.0, 1.98), abs=1e-9)
    assert (fix.header.frame_id, fix.status.status, fix.position_covariance_type) == ("gps", 2, 2)
    assert list(fix.position_covariance[::4]) == [1.0e-12] * 3
    own = recorder.last("gps/fix")
    assert (own.latitude, own.longitude, own.altitude) == pytest.approx(grid.geodetic(1.243, 0.0, 1.95), abs=1e-9)
    assert (own.header.frame_id, own.status.status, own.position_covariance_type) == ("", 0, 0)


def test_odometry_in_utm_metres() -> None:
    config = context().config
    utm = replace(config, ins=replace(config.ins, odometry=replace(config.ins.odometry, utm=True)))
    rows = samples(2)
    local = vector(published(rows).last("ins/odometry").pose.pose.position)
    position = vector(published(rows, config=utm).last("ins/odometry").pose.pose.position)
    assert position - local == pytest.approx([500847.72, 4479924.79, 181.0], abs=0.01)


def test_place_of_base_link_moves_odometry_and_tree_together() -> None:
    config = context().config
    moved = replace(config, mounts=replace(config.mounts, base_link=Place((1.0, 0.0, 0.5))))
    recorder = published(samples(2), config=moved)
    truth, ins = recorder.last("ground_truth/odometry"), recorder.last("ins/odometry")
    step = vector(ins.pose.pose.position) - vector(truth.pose.pose.position)
    fixed = {t.child_frame_id: vector(t.transform.translation) for t in recorder.last("tf_static").transforms}
    assert step == pytest.approx(fixed["base_link"])
    assert fixed["base_link"] + fixed["imu_link"] == pytest.approx([0.35, 0.0, 0.80])
