"""Rotations: quaternions, matrices and the angles yaw, pitch, roll, as functions of numbers.

Spec: C++ API, Math. A quaternion is x, y, z, w and has the length 1, unless a function says otherwise; it turns body
vectors (forward, left, up) to the frame of the world (east, north, up), and q and -q are one rotation. A matrix is its
nine elements, row by row. Angles are in rad: roll about x, then pitch about y, then yaw about z, all fixed axes, as tf2
has them.

Every function takes numbers and returns a number or a tuple, from Python as well as from compiled code. The first call
of one from Python compiles it, in each process: 0.2 s, and 3 s for those with angles.
"""

from acres_ros._compile import kernel
from acres_ros.models.maths import atan2, cos, sin, sqrt, wrap_pi

__all__ = [
    "conjugate", "forward", "from_axes", "from_axis_angle", "from_yaw_pitch_roll", "left", "matrix", "multiply",
    "normalized", "rotate", "to_yaw_pitch_roll", "unrotate", "up", "wrap_pi",
]  # fmt: skip

POLE = 1.0e-8
"""Cosine of the pitch below which yaw and roll turn about one axis."""


@kernel
def from_axis_angle(x, y, z, angle):
    """Return the quaternion of a turn by an angle (rad) about an axis of any length above 0.

    Counter-clockwise, seen against the axis. An axis of length 0 gives no turn.
    """
    length = sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 0.0, 0.0, 0.0, 1.0
    share = sin(0.5 * angle) / length
    return share * x, share * y, share * z, cos(0.5 * angle)


@kernel
def from_yaw_pitch_roll(yaw, pitch, roll):
    """Return the quaternion of yaw, pitch, roll (rad): a positive yaw turns left, a positive pitch lowers the nose."""
    cr, sr = cos(0.5 * roll), sin(0.5 * roll)
    cp, sp = cos(0.5 * pitch), sin(0.5 * pitch)
    cy, sy = cos(0.5 * yaw), sin(0.5 * yaw)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


@kernel
def to_yaw_pitch_roll(qx, qy, qz, qw):
    """Return yaw, pitch, roll (rad) of a quaternion: yaw and roll from -pi to pi, pitch from -pi/2 to pi/2.

    With the nose straight up or down only the sum of yaw and roll, or their difference, is known: the roll is then 0.
    """
    r = matrix(qx, qy, qz, qw)
    level = sqrt(r[0] * r[0] + r[3] * r[3])
    pitch = atan2(2.0 * (qw * qy - qx * qz), level)
    if level < POLE:
        return atan2(-r[1], r[4]), pitch, 0.0
    return atan2(r[3], r[0]), pitch, atan2(r[7], r[8])


@kernel
def from_axes(fx, fy, fz, lx, ly, lz, ux, uy, uz):
    """Return the quaternion of a body whose axes forward, left, up have these world components.

    Args:
        fx, fy, fz: forward; the three have the length 1 and stand upright on each other, right-handed.
        lx, ly, lz: left.
        ux, uy, uz: up.
    """
    # Of the four numbers the largest is divided by, so that nothing is lost: S. W. Shepperd (1978), Quaternion from
    # rotation matrix, J. Guidance and Control 1, 223-224.
    trace = fx + ly + uz
    if trace >= fx and trace >= ly and trace >= uz:
        x, y, z, w = lz - uy, ux - fz, fy - lx, 1.0 + trace
    elif fx >= ly and fx >= uz:
        x, y, z, w = 1.0 + fx - ly - uz, fy + lx, ux + fz, lz - uy
    elif ly >= uz:
        x, y, z, w = fy + lx, 1.0 - fx + ly - uz, lz + uy, ux - fz
    else:
        x, y, z, w = ux + fz, lz + uy, 1.0 - fx - ly + uz, fy - lx
    return normalized(x, y, z, w)


@kernel
def normalized(qx, qy, qz, qw):
    """Return a quaternion of any length above 0 as one of length 1."""
    norm = sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    return qx / norm, qy / norm, qz / norm, qw / norm


@kernel
def conjugate(qx, qy, qz, qw):
    """Return the quaternion of the inverse rotation."""
    return -qx, -qy, -qz, qw


@kernel
def multiply(ax, ay, az, aw, bx, by, bz, bw):
    """Return the product a b of two quaternions of any length: the rotation b, and then a in the frame of the world."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@kernel
def rotate(qx, qy, qz, qw, x, y, z):
    """Return a body vector in world axes."""
    tx = 2.0 * (qy * z - qz * y)
    ty = 2.0 * (qz * x - qx * z)
    tz = 2.0 * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


@kernel
def unrotate(qx, qy, qz, qw, x, y, z):
    """Return a world vector in body axes."""
    return rotate(-qx, -qy, -qz, qw, x, y, z)


@kernel
def matrix(qx, qy, qz, qw):
    """Return the nine elements, row by row, of the matrix that turns body vectors to world vectors."""
    return (
        1.0 - 2.0 * (qy * qy + qz * qz), 2.0 * (qx * qy - qw * qz), 2.0 * (qx * qz + qw * qy),
        2.0 * (qx * qy + qw * qz), 1.0 - 2.0 * (qx * qx + qz * qz), 2.0 * (qy * qz - qw * qx),
        2.0 * (qx * qz - qw * qy), 2.0 * (qy * qz + qw * qx), 1.0 - 2.0 * (qx * qx + qy * qy),
    )  # fmt: skip


@kernel
def forward(qx, qy, qz, qw):
    """Return the world components of the axis that points ahead."""
    r = matrix(qx, qy, qz, qw)
    return r[0], r[3], r[6]


@kernel
def left(qx, qy, qz, qw):
    """Return the world components of the axis that points left."""
    r = matrix(qx, qy, qz, qw)
    return r[1], r[4], r[7]


@kernel
def up(qx, qy, qz, qw):
    """Return the world components of the axis that points up."""
    r = matrix(qx, qy, qz, qw)
    return r[2], r[5], r[8]
