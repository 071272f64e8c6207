"""Rigid body of the chassis: semi-implicit Euler. Spec: Time Stepping and Determinism, Chassis of ACRES Core."""

from acres_ros._compile import kernel
from acres_ros.models.rotation import matrix, normalized


@kernel
def vehicle_mass(p):
    """Return the mass in kg with the persons on board."""
    return p.mass.kerb_kg + p.mass.occupants * p.mass.occupant_kg


@kernel
def rotation_matrix(body):
    """Return the nine elements, row by row, of the matrix that turns body vectors to world vectors."""
    return matrix(body.qx, body.qy, body.qz, body.qw)


@kernel
def to_world(r, x, y, z):
    """Return a body vector in world axes."""
    return (
        r[0] * x + r[1] * y + r[2] * z,
        r[3] * x + r[4] * y + r[5] * z,
        r[6] * x + r[7] * y + r[8] * z,
    )


@kernel
def to_body(r, x, y, z):
    """Return a world vector in body axes."""
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )


@kernel
def point_velocity(body, x, y, z):
    """Return the world velocity of a body point given by its offset from the centre of mass in world axes."""
    return (
        body.vx + body.wy * z - body.wz * y,
        body.vy + body.wz * x - body.wx * z,
        body.vz + body.wx * y - body.wy * x,
    )


@kernel
def accelerations(r, force, moment, p):
    """Return the acceleration (m/s^2, with gravity) and the angular acceleration (rad/s^2), both as world triples.

    The angular momentum of the turning body is left out, as the spec does.
    """
    mass = vehicle_mass(p)
    roll, pitch, yaw = to_body(r, moment[0], moment[1], moment[2])
    turn = to_world(
        r,
        roll / p.mass.roll_inertia,
        pitch / p.mass.pitch_inertia,
        yaw / p.mass.yaw_inertia,
    )
    return (force[0] / mass, force[1] / mass, force[2] / mass - p.mass.gravity), turn


@kernel
def step_body(h, force, moment, p, body):
    """Advance the chassis by one step.

    Args:
        h: step, s.
        force: sum of the forces without the weight, N, world.
        moment: sum of the moments about the centre of mass, N m, world.
        p: PARAMETERS record.
        body: BODY record, changed in place.
    """
    push, turn = accelerations(rotation_matrix(body), force, moment, p)
    dvx = push[0] * h
    dvy = push[1] * h
    dvz = push[2] * h
    body.vx += dvx
    body.vy += dvy
    body.vz += dvz

    damping = max(0.0, 1.0 - p.mass.angular_damping_per_s * h)
    wx = (body.wx + turn[0] * h) * damping
    wy = (body.wy + turn[1] * h) * damping
    wz = (body.wz + turn[2] * h) * damping
    body.wx, body.wy, body.wz = wx, wy, wz

    body.x += body.vx * h
    body.y += body.vy * h
    body.z += body.vz * h

    half = 0.5 * h
    qw = body.qw - half * (wx * body.qx + wy * body.qy + wz * body.qz)
    qx = body.qx + half * (wx * body.qw + wy * body.qz - wz * body.qy)
    qy = body.qy + half * (wy * body.qw + wz * body.qx - wx * body.qz)
    qz = body.qz + half * (wz * body.qw + wx * body.qy - wy * body.qx)
    body.qx, body.qy, body.qz, body.qw = normalized(qx, qy, qz, qw)
    body.ax, body.ay, body.az = to_body(rotation_matrix(body), dvx / h, dvy / h, dvz / h)
