"""What the sensors of position and motion tell: the exact motion of their places with the errors of the sample.

The INS solves for its antenna. To `base_link` it is carried by its own estimate of the attitude and the lever arm that
was entered, which is wrong by a little: p = p_a - R (d + e), v = R^T v_a - w x (d + e). Heading errors turn about the
vertical, those of roll and pitch about the axes of the body. Variances say what these laws give, to first order in the
errors, and never 0. What has no errors tells the truth, with the variance `TRUTH_VARIANCE`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros._compiled import resolved
from acres_ros.core.kinematics import MOTION, MOUNTING, cross
from acres_ros.core.sample import SAMPLE_RECORD
from acres_ros.models.body import rotation_matrix, to_body, to_world
from acres_ros.models.navigation_parameters import NAVIGATION_PARAMETERS
from acres_ros.models.rotation import multiply, normalized

TRUTH_VARIANCE = 1.0e-12
"""Variance of what is exact; not zero, because consumers take zero as unknown or as a fault."""


class _Arm(NamedTuple):
    """From base_link to the antenna: as it is, and as the INS was told, m, body."""

    x: float
    y: float
    z: float


@kernel
def _estimate_attitude(body, attitude, out):
    """Write the estimated attitude: heading about the vertical, the body's, then roll and pitch about its axes."""
    turned = multiply(0.0, 0.0, 0.5 * attitude[2], 1.0, body.qx, body.qy, body.qz, body.qw)
    tilted = multiply(turned[0], turned[1], turned[2], turned[3], 0.5 * attitude[0], 0.5 * attitude[1], 0.0, 1.0)
    out.qx, out.qy, out.qz, out.qw = normalized(tilted[0], tilted[1], tilted[2], tilted[3])


@kernel
def _limited(value, triad):
    """Return what a raw axis shows of a value: within its range, in its steps."""
    if triad.range > 0.0:
        value = min(max(value, -triad.range), triad.range)
    if triad.step > 0.0:
        value = floor(value / triad.step + 0.5) * triad.step
    return value


@kernel
def _raw(unit, exact, errors, out):
    """Write what a raw unit shows."""
    rate, force = errors.rate, errors.force
    rate_scale, force_scale = errors.rate_scale, errors.force_scale
    gyro, accelerometer = unit.gyro, unit.accelerometer
    out.wx = _limited(exact.wx + rate_scale[0] * exact.wx + rate[0], gyro)
    out.wy = _limited(exact.wy + rate_scale[1] * exact.wy + rate[1], gyro)
    out.wz = _limited(exact.wz + rate_scale[2] * exact.wz + rate[2], gyro)
    out.fx = _limited(exact.fx + force_scale[0] * exact.fx + force[0], accelerometer)
    out.fy = _limited(exact.fy + force_scale[1] * exact.fy + force[1], accelerometer)
    out.fz = _limited(exact.fz + force_scale[2] * exact.fz + force[2], accelerometer)


@kernel
def _white_and_bias(triad, left):
    """Return the variance of an axis: the white part, and a share of the bias that is left."""
    bias = triad.bias * triad.bias + triad.instability * triad.instability
    return max(TRUTH_VARIANCE, triad.white * triad.white + left * left * bias)


@kernel
def _attitude_variances(p):
    """Return the variances of roll or pitch, and of the heading."""
    tilt = p.tilt * p.tilt + p.tilt_white * p.tilt_white
    heading = p.heading * p.heading + p.heading_white * p.heading_white + p.mounting * p.mounting
    return max(TRUTH_VARIANCE, tilt), max(TRUTH_VARIANCE, heading)


@kernel
def _raw_variance(triad, exact, shaking):
    """Return the variance of a raw axis: white part, bias, scale factor, steps, and what shakes it (rms)."""
    scale = triad.scale * exact
    return _white_and_bias(triad, 1.0) + scale * scale + triad.step * triad.step / 12.0 + shaking * shaking


@kernel
def _pose(p, r, arm, errors, antenna, out, covariance):
    """Write position and covariance of base_link; its attitude is there already. `r`: its matrix."""
    lever = errors.lever_arm
    dx, dy, dz = to_world(r, arm.x + lever[0], arm.y + lever[1], arm.z + lever[2])
    out.x = antenna.x + errors.position[0] - dx
    out.y = antenna.y + errors.position[1] - dy
    out.z = antenna.z + errors.position[2] - dz
    tilt, heading = _attitude_variances(p)
    told = p.lever_arm * p.lever_arm
    variance = errors.position_variance
    covariance[0] = max(TRUTH_VARIANCE, variance[0] + told + heading * dy * dy + tilt * dz * dz)
    covariance[7] = max(TRUTH_VARIANCE, variance[1] + told + heading * dx * dx + tilt * dz * dz)
    covariance[14] = max(TRUTH_VARIANCE, variance[2] + told + tilt * (dx * dx + dy * dy))
    covariance[21] = covariance[28] = tilt
    covariance[35] = heading


@kernel
def _twist(p, r, arm, errors, mount, exact, vx, vy, vz, out, covariance):
    """Write velocity and angular velocity of base_link in its estimated frame.

    Args:
        p: INS parameters.
        r: matrix of the estimated attitude.
        arm: to the antenna.
        errors: INS_ERRORS record.
        mount: place of the unit.
        exact: base_link, exact; its angular velocity is read.
        vx, vy, vz: velocity of the antenna, world, exact.
        out: the twist.
        covariance: its covariance.
    """
    turn = rotation_matrix(mount)
    ex, ey, ez = to_world(turn, errors.rate[0], errors.rate[1], errors.rate[2])
    wx, wy, wz = exact.wx + ex, exact.wy + ey, exact.wz + ez
    lever, velocity = errors.lever_arm, errors.velocity
    ax, ay, az = to_body(r, vx + velocity[0], vy + velocity[1], vz + velocity[2])
    sx, sy, sz = cross(wx, wy, wz, arm.x + lever[0], arm.y + lever[1], arm.z + lever[2])
    out.vx, out.vy, out.vz = ax - sx, ay - sy, az - sz
    out.wx, out.wy, out.wz = wx, wy, wz
    tilt, heading = _attitude_variances(p)
    told, rate = p.lever_arm * p.lever_arm, _white_and_bias(p.unit.gyro, p.bias_left)
    v = errors.velocity_variance
    bx = r[0] * r[0] * v[0] + r[3] * r[3] * v[1] + r[6] * r[6] * v[2]
    by = r[1] * r[1] * v[0] + r[4] * r[4] * v[1] + r[7] * r[7] * v[2]
    bz = r[2] * r[2] * v[0] + r[5] * r[5] * v[1] + r[8] * r[8] * v[2]
    bx += heading * ay * ay + tilt * az * az + told * (wy * wy + wz * wz) + rate * (arm.y * arm.y + arm.z * arm.z)
    by += heading * ax * ax + tilt * az * az + told * (wx * wx + wz * wz) + rate * (arm.x * arm.x + arm.z * arm.z)
    bz += tilt * (ax * ax + ay * ay) + told * (wx * wx + wy * wy) + rate * (arm.x * arm.x + arm.y * arm.y)
    covariance[0], covariance[7] = max(TRUTH_VARIANCE, bx), max(TRUTH_VARIANCE, by)
    covariance[14] = max(TRUTH_VARIANCE, bz)
    covariance[21] = covariance[28] = covariance[35] = rate


@kernel
def _state_unit(p, exact, shaking, out):
    """Write the covariances of attitude, rate and force; `shaking` is the rms of the vibration."""
    tilt, heading = _attitude_variances(p)
    gyro, accelerometer = p.unit.gyro, p.unit.accelerometer
    attitude, rate, force = out.attitude_covariance, out.rate_covariance, out.force_covariance
    attitude[0], attitude[4], attitude[8] = tilt, tilt, heading
    rate[0] = rate[4] = rate[8] = _white_and_bias(gyro, p.bias_left)
    force[0] = force[4] = force[8] = _white_and_bias(accelerometer, p.bias_left)
    raw_rate, raw_force = out.raw_rate_covariance, out.raw_force_covariance
    raw_rate[0] = _raw_variance(gyro, exact.wx, 0.0)
    raw_rate[4] = _raw_variance(gyro, exact.wy, 0.0)
    raw_rate[8] = _raw_variance(gyro, exact.wz, 0.0)
    raw_force[0] = _raw_variance(accelerometer, exact.fx, shaking)
    raw_force[4] = _raw_variance(accelerometer, exact.fy, shaking)
    raw_force[8] = _raw_variance(accelerometer, exact.fz, shaking)


@entry
def measure(samples, mountings, parameters, motions):
    """Fill `motions[0].measured` from the exact motion beside it and the errors of `samples[0]`.

    Args:
        samples: `SAMPLE` records.
        mountings: `MOUNTING` records.
        parameters: `NAVIGATION_PARAMETERS` records.
        motions: `MOTION` records, exact, as `acres_ros.core.kinematics.derive` leaves them.
    """
    body, errors = samples[0].vehicle.body, samples[0].navigation.ins
    mounts, motion = mountings[0], motions[0]
    p, out = parameters[0].ins, motion.measured
    arm = _Arm(mounts.gnss.x - mounts.link.x, mounts.gnss.y - mounts.link.y, mounts.gnss.z - mounts.link.z)
    _estimate_attitude(body, errors.attitude, out.pose)
    r = rotation_matrix(out.pose)
    _pose(p, r, arm, errors, motion.gnss, out.pose, out.pose_covariance)
    px, py, pz = motion.gnss.x - body.x, motion.gnss.y - body.y, motion.gnss.z - body.z
    sx, sy, sz = cross(body.wx, body.wy, body.wz, px, py, pz)
    vx, vy, vz = body.vx + sx, body.vy + sy, body.vz + sz
    _twist(p, r, arm, errors, mounts.imu, motion.link, vx, vy, vz, out.twist, out.twist_covariance)

    pose, imu = out.pose, mounts.imu
    qx, qy, qz, qw = multiply(pose.qx, pose.qy, pose.qz, pose.qw, imu.qx, imu.qy, imu.qz, imu.qw)
    out.imu.qx, out.imu.qy, out.imu.qz, out.imu.qw = normalized(qx, qy, qz, qw)
    exact, rate, force = motion.imu, errors.rate, errors.force
    out.imu.wx, out.imu.wy, out.imu.wz = exact.wx + rate[0], exact.wy + rate[1], exact.wz + rate[2]
    out.imu.fx, out.imu.fy, out.imu.fz = exact.fx + force[0], exact.fy + force[1], exact.fz + force[2]
    _raw(p.unit, exact, errors.raw, out.raw)
    _state_unit(p, exact, errors.raw.shaking, out)
    _raw(parameters[0].vehicle_imu.unit, motion.vehicle_imu, samples[0].navigation.vehicle_imu, out.vehicle_imu)

    position, variance = errors.position, errors.position_variance
    out.fix.x, out.fix.y = motion.gnss.x + position[0], motion.gnss.y + position[1]
    out.fix.z = motion.gnss.z + position[2]
    for axis in range(3):
        out.fix_covariance[4 * axis] = max(TRUTH_VARIANCE, variance[axis])
    own = samples[0].navigation.vehicle_gnss.position
    out.vehicle_fix.x, out.vehicle_fix.y = motion.vehicle_gnss.x + own[0], motion.vehicle_gnss.y + own[1]
    out.vehicle_fix.z = motion.vehicle_gnss.z + own[2]


def compiled(*arrays: np.ndarray) -> Callable[..., object]:
    """Return `measure`, compiled or loaded now for arrays of these types."""
    return resolved(measure, *arrays)


def warm() -> None:
    """Compile what is compiled here, or load it."""
    compiled(*(record.new(1).view(np.ndarray) for record in (SAMPLE_RECORD, MOUNTING, NAVIGATION_PARAMETERS, MOTION)))
