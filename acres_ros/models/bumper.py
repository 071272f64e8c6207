"""Corners of the body against the ground, for a vehicle that has rolled over."""

from acres_ros._compile import kernel, outlined
from acres_ros.models.body import point_velocity, to_world
from acres_ros.models.ground import ground_contact
from acres_ros.models.maths import sqrt

UPRIGHT = 0.8  # cosine of the tilt above which the wheels alone carry
DEEPEST = 0.3  # m; a corner that starts below the ground is pushed out, not shot out


@outlined
def body_contact(r, ground, p, body):
    """Return force (N) and moment (N m) of the body's corners on the ground, world; zero while it stands upright."""
    fx, fy, fz = 0.0, 0.0, 0.0
    mx, my, mz = 0.0, 0.0, 0.0
    for corner in range(8):
        x = p.geometry.body_front_m if corner & 1 else -p.geometry.body_rear_m
        y = p.geometry.body_half_width_m if corner & 2 else -p.geometry.body_half_width_m
        z = p.geometry.body_above_m if corner & 4 else -p.geometry.body_below_m
        ax, ay, az = to_world(r, x, y, z)
        height, nx, ny, nz = ground_contact(ground, body.x + ax, body.y + ay)
        depth = min((height - body.z - az) * nz, DEEPEST)
        if depth <= 0.0:
            continue
        vx, vy, vz = point_velocity(body, ax, ay, az)
        rate = vx * nx + vy * ny + vz * nz
        load = max(0.0, p.bumper.rate * depth - p.bumper.damping * rate)
        vx -= rate * nx
        vy -= rate * ny
        vz -= rate * nz
        drag = p.bumper.friction * load / max(sqrt(vx * vx + vy * vy + vz * vz), p.bumper.slide_speed)
        px = load * nx - drag * vx
        py = load * ny - drag * vy
        pz = load * nz - drag * vz
        fx += px
        fy += py
        fz += pz
        mx += ay * pz - az * py
        my += az * px - ax * pz
        mz += ax * py - ay * px
    return fx, fy, fz, mx, my, mz


@kernel
def upright(r):
    """Return whether the wheels alone carry the body."""
    return r[8] > UPRIGHT
