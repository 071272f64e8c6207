"""Poses, velocities and accelerations of the places that messages speak of, from the state of the centre of mass.

Everything is exact rigid-body kinematics, so that all topics tell of one body: for a place r from the centre of mass,
v_p = v + w x r and a_p = a + dw/dt x r + w x (w x r). Frames: world east, north, up; body forward, left, up (REP-103).
A twist is given in the frame of its place. Accelerometers show specific force: +9.80665 m/s^2 upward at rest (REP-145).
"""

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros._record import Field, Record, part, place_of
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.measured import MEASURED
from acres_ros.core.sample import SAMPLE_RECORD
from acres_ros.models.maths import DEGREE, cos, sin
from acres_ros.models.rotation import from_yaw_pitch_roll, multiply, rotate, unrotate

_PLACE = (
    Field("x", "m", 0.0, "position"),
    Field("y", "m", 0.0, "position"),
    Field("z", "m", 0.0, "position"),
)
_ATTITUDE = (
    Field("qx", "-", 0.0, "orientation quaternion"),
    Field("qy", "-", 0.0, "orientation quaternion"),
    Field("qz", "-", 0.0, "orientation quaternion"),
    Field("qw", "-", 1.0, "orientation quaternion"),
)
_RATE = (
    Field("wx", "rad/s", 0.0, "angular velocity in the frame of the place"),
    Field("wy", "rad/s", 0.0, "angular velocity in the frame of the place"),
    Field("wz", "rad/s", 0.0, "angular velocity in the frame of the place"),
)
_VELOCITY = (
    Field("vx", "m/s", 0.0, "velocity in the frame of the place"),
    Field("vy", "m/s", 0.0, "velocity in the frame of the place"),
    Field("vz", "m/s", 0.0, "velocity in the frame of the place"),
)
_FORCE = (
    Field("fx", "m/s^2", 0.0, "specific force in the frame of the place"),
    Field("fy", "m/s^2", 0.0, "specific force in the frame of the place"),
    Field("fz", "m/s^2", 0.0, "specific force in the frame of the place"),
)
POSE = Record("POSE", _PLACE + _ATTITUDE)
MOVING = Record("MOVING", _PLACE + _ATTITUDE + _VELOCITY + _RATE)
INERTIAL = Record("INERTIAL", _ATTITUDE + _RATE + _FORCE)

MOTION = Record(
    "MOTION",
    (
        Field("stamp", "-", 0, "stamp of the step as on the wire: seconds, and nanoseconds in the upper 32 bits", int),
        part("footprint", MOVING, "base_footprint in the world"),
        part("link", MOVING, "base_link in the world"),
        part("imu", INERTIAL, "unit of the INS"),
        part("vehicle_imu", INERTIAL, "unit of the vehicle"),
        part("gnss", Record("POINT", _PLACE), "antenna of the INS in the world"),
        part("vehicle_gnss", Record("POINT", _PLACE), "antenna of the vehicle in the world"),
        part("hub", POSE, "hubs in base_link: the travel of the suspension", 4),
        part("knuckle", POSE, "front knuckles in their hubs: the steering", 2),
        part("spun", POSE, "wheels in their knuckles, at the rear in their hubs: the spin", 4),
        Field("steering_rate_deg", "deg/s", 0.0, "rate of the steering wheel over the last step"),
        Field("steer_rate_left", "rad/s", 0.0, "rate of the left road wheel angle over the last step"),
        Field("steer_rate_right", "rad/s", 0.0, "rate of the right road wheel angle over the last step"),
        Field("rates_known", "-", 0, "1 when the step before was seen, so that rates over the last step exist", int),
        part("measured", MEASURED, "what the sensors tell, with their errors: `acres_ros.core.measurement`"),
    ),
)

MOUNTING = Record(
    "MOUNTING",
    (
        part("footprint", POSE, "base_footprint from the centre of mass, body frame"),
        part("link", POSE, "base_link from the centre of mass, body frame"),
        part("imu", POSE, "unit of the INS from the centre of mass, body frame"),
        part("vehicle_imu", POSE, "unit of the vehicle from the centre of mass, body frame"),
        part("gnss", POSE, "antenna of the INS from the centre of mass, body frame"),
        part("vehicle_gnss", POSE, "antenna of the vehicle from the centre of mass, body frame"),
        part("wheel", POSE, "wheel centres at static ride height from the centre of mass, body frame", 4),
        Field("gravity", "m/s^2", 9.80665, "g"),
    ),
)

BEFORE = Record(
    "BEFORE",
    (
        Field("known", "-", 0, "1 when the step before was seen", int),
        Field("put_step", "-", 0, "count of the last put then", int),
        Field("wx", "rad/s", 0.0, "angular velocity, world"),
        Field("wy", "rad/s", 0.0, "angular velocity, world"),
        Field("wz", "rad/s", 0.0, "angular velocity, world"),
        Field("steering_deg", "deg", 0.0, "steering wheel angle"),
        Field("steer_left", "rad", 0.0, "left road wheel angle"),
        Field("steer_right", "rad", 0.0, "right road wheel angle"),
    ),
)


def motion_offset(key: str) -> int:
    """Return the first byte of a number of `MOTION`; `hub.2.x` is in the third hub."""
    return place_of(MOTION.dtype, key)[1]


def quaternion(rpy_deg: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Return (x, y, z, w) of roll, pitch, yaw in degrees: about fixed axes x, y, z in this order, as in a URDF."""
    roll, pitch, yaw = rpy_deg
    return _quaternion(float(roll), float(pitch), float(yaw))


@entry
def _quaternion(roll_deg, pitch_deg, yaw_deg):
    return from_yaw_pitch_roll(yaw_deg * DEGREE, pitch_deg * DEGREE, roll_deg * DEGREE)


@kernel
def _turn(q, x, y, z):
    """Return a vector turned by the quaternion in the fields qx, qy, qz, qw of `q`."""
    return rotate(q.qx, q.qy, q.qz, q.qw, x, y, z)


@kernel
def _turn_back(q, x, y, z):
    """Return a vector turned by the inverse of the quaternion."""
    return unrotate(q.qx, q.qy, q.qz, q.qw, x, y, z)


@kernel
def cross(ax, ay, az, bx, by, bz):
    """Return the vector product."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _attitude(body, mount, out):
    """Write the orientation of a mount in the world: body times mount."""
    out.qx, out.qy, out.qz, out.qw = multiply(
        body.qx, body.qy, body.qz, body.qw, mount.qx, mount.qy, mount.qz, mount.qw
    )


@kernel
def _position(body, mount, out):
    """Write the position of a mount in the world."""
    x, y, z = _turn(body, mount.x, mount.y, mount.z)
    out.x = body.x + x
    out.y = body.y + y
    out.z = body.z + z


@kernel
def _moving(body, wx, wy, wz, mount, out):
    """Write pose and twist of a mount; (wx, wy, wz) is the angular velocity in the body frame."""
    _position(body, mount, out)
    _attitude(body, mount, out)
    vx, vy, vz = _turn_back(body, body.vx, body.vy, body.vz)
    sx, sy, sz = cross(wx, wy, wz, mount.x, mount.y, mount.z)
    out.vx, out.vy, out.vz = _turn_back(mount, vx + sx, vy + sy, vz + sz)
    out.wx, out.wy, out.wz = _turn_back(mount, wx, wy, wz)


@kernel
def _inertial(body, wx, wy, wz, dx, dy, dz, gravity, mount, out):
    """Write what a unit on a mount measures; (dx, dy, dz) is the angular acceleration in the body frame."""
    _attitude(body, mount, out)
    sx, sy, sz = cross(wx, wy, wz, mount.x, mount.y, mount.z)
    cx, cy, cz = cross(wx, wy, wz, sx, sy, sz)
    tx, ty, tz = cross(dx, dy, dz, mount.x, mount.y, mount.z)
    gx, gy, gz = _turn_back(body, 0.0, 0.0, gravity)
    fx, fy, fz = body.ax + tx + cx + gx, body.ay + ty + cy + gy, body.az + tz + cz + gz
    out.fx, out.fy, out.fz = _turn_back(mount, fx, fy, fz)
    out.wx, out.wy, out.wz = _turn_back(mount, wx, wy, wz)


@kernel
def _wheels(wheels, mounts, out):
    """Write the poses of the joints of the wheels: travel along z, steer about z, then spin about y.

    base_link has the axes of the body.
    """
    link = mounts.link
    for index in range(4):
        wheel, mount, hub, spun = wheels[index], mounts.wheel[index], out.hub[index], out.spun[index]
        hub.x, hub.y, hub.z = mount.x - link.x, mount.y - link.y, mount.z + wheel.travel - link.z
        hub.qw = 1.0
        spun.qy, spun.qw = sin(0.5 * wheel.rotation), cos(0.5 * wheel.rotation)
    for index in range(2):
        knuckle, steer = out.knuckle[index], wheels[index].steer
        knuckle.qz, knuckle.qw = sin(0.5 * steer), cos(0.5 * steer)


@entry
def derive(samples, mountings, befores, motions):
    """Fill `motions[0]` from the vehicle of `samples[0]`, and keep in `befores[0]` what the next step needs.

    The arrays are plain `numpy.ndarray`: a `recarray` costs 5 us a call in numba's dispatch.

    Args:
        samples: `SAMPLE` records.
        mountings: `MOUNTING` records.
        befores: `BEFORE` records; with `known` 0 there is no step before, and rates over the step are 0.
        motions: `MOTION` records.
    """
    vehicle = samples[0].vehicle
    body = vehicle.body
    mounts = mountings[0]
    before = befores[0]
    out = motions[0]
    wx, wy, wz = _turn_back(body, body.wx, body.wy, body.wz)
    dx = dy = dz = 0.0
    out.steering_rate_deg = out.steer_rate_left = out.steer_rate_right = 0.0
    out.rates_known = before.known
    if before.known == 1:
        rate = float(STEPS_PER_SECOND)
        # To the twist with which the vehicle was put somewhere no acceleration led.
        if before.put_step == samples[0].put_step:
            ex, ey, ez = (body.wx - before.wx) * rate, (body.wy - before.wy) * rate, (body.wz - before.wz) * rate
            dx, dy, dz = _turn_back(body, ex, ey, ez)
        out.steering_rate_deg = (vehicle.dbw.steering.angle_deg - before.steering_deg) * rate
        out.steer_rate_left = (vehicle.wheel[0].steer - before.steer_left) * rate
        out.steer_rate_right = (vehicle.wheel[1].steer - before.steer_right) * rate
    _moving(body, wx, wy, wz, mounts.footprint, out.footprint)
    _moving(body, wx, wy, wz, mounts.link, out.link)
    _inertial(body, wx, wy, wz, dx, dy, dz, mounts.gravity, mounts.imu, out.imu)
    _inertial(body, wx, wy, wz, dx, dy, dz, mounts.gravity, mounts.vehicle_imu, out.vehicle_imu)
    _position(body, mounts.gnss, out.gnss)
    _position(body, mounts.vehicle_gnss, out.vehicle_gnss)
    _wheels(vehicle.wheel, mounts, out)
    before.known = 1
    before.put_step = samples[0].put_step
    before.wx = body.wx
    before.wy = body.wy
    before.wz = body.wz
    before.steering_deg = vehicle.dbw.steering.angle_deg
    before.steer_left = vehicle.wheel[0].steer
    before.steer_right = vehicle.wheel[1].steer


@entry
def footprint_track(samples, forward, up, track):
    """Write the pose of base_footprint in each sample, as `derive` does: x, y, z (m), qx, qy, qz, qw in the world.

    Args:
        samples: `SAMPLE` records (n,), writable: what cannot be written is another type, and compiled again.
        forward, up: base_footprint from the centre of mass, body frame, m.
        track: result, (n, 7).
    """
    for index in range(len(samples)):
        body, row = samples[index].vehicle.body, track[index]
        x, y, z = _turn(body, forward, 0.0, up)
        row[0], row[1], row[2] = body.x + x, body.y + y, body.z + z
        row[3], row[4], row[5], row[6] = body.qx, body.qy, body.qz, body.qw


def warm() -> None:
    """Compile what is compiled here, or load it, so that a first use takes no longer than the others."""
    quaternion((0.0, 0.0, 0.0))
    derive(*(record.new(1).view(np.ndarray) for record in (SAMPLE_RECORD, MOUNTING, BEFORE, MOTION)))
    footprint_track(SAMPLE_RECORD.new(1).view(np.ndarray), 0.0, 0.0, np.empty((1, 7)))
