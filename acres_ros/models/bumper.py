"""Corners of the body against the ground, for a vehicle that has rolled over."""

from acres_ros._compile import kernel, outlined
from acres_ros.models.body import point_velocity, to_world
from acres_ros.models.ground import ground_contact
from acres_ros.models.maths import clamp, sqrt

UPRIGHT = 0.8  # cosine of the tilt above which the wheels alone carry
DEEPEST = 0.3  # m; a corner that starts below the ground is pushed out, not shot out


@kernel
def corner_contact(corner, r, ground, p, body):
    """Return what one corner of the body does on the ground.

    Returns:
        depth below the ground (m, 0 above it), load (N), arm from the centre of mass (3, m), normal (3), closing rate
        along the normal (m/s, positive apart), sliding velocity (3, m/s), drag (N s/m, friction over sliding velocity).
    """
    x = p.geometry.body_front_m if corner & 1 else -p.geometry.body_rear_m
    y = p.geometry.body_half_width_m if corner & 2 else -p.geometry.body_half_width_m
    z = p.geometry.body_above_m if corner & 4 else -p.geometry.body_below_m
    arm = to_world(r, x, y, z)
    height, nx, ny, nz = ground_contact(ground, body.x + arm[0], body.y + arm[1])
    depth = clamp((height - body.z - arm[2]) * nz, 0.0, DEEPEST)
    vx, vy, vz = point_velocity(body, arm[0], arm[1], arm[2])
    rate = vx * nx + vy * ny + vz * nz
    load = max(0.0, p.bumper.rate * depth - p.bumper.damping * rate) if depth > 0.0 else 0.0
    vx -= rate * nx
    vy -= rate * ny
    vz -= rate * nz
    drag = p.bumper.friction * load / max(sqrt(vx * vx + vy * vy + vz * vz), p.bumper.slide_speed)
    return depth, load, arm, (nx, ny, nz), rate, (vx, vy, vz), drag


@outlined
def body_contact(r, ground, p, body):
    """Return force (N) and moment (N m) of the body's corners on the ground, world; zero while it stands upright."""
    fx, fy, fz = 0.0, 0.0, 0.0
    mx, my, mz = 0.0, 0.0, 0.0
    for corner in range(8):
        _, load, arm, normal, _, slide, drag = corner_contact(corner, r, ground, p, body)
        px = load * normal[0] - drag * slide[0]
        py = load * normal[1] - drag * slide[1]
        pz = load * normal[2] - drag * slide[2]
        fx += px
        fy += py
        fz += pz
        mx += arm[1] * pz - arm[2] * py
        my += arm[2] * px - arm[0] * pz
        mz += arm[0] * py - arm[1] * px
    return fx, fy, fz, mx, my, mz


@kernel
def upright(r):
    """Return whether the wheels alone carry the body."""
    return r[8] > UPRIGHT
