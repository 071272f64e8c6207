"""The body against the obstacles of the world: found and named, and on request it brings the vehicle to rest.

Spec: Time Stepping and Determinism, Parity of ACRES Core and the Game: a collision is a flag, and the chassis does not
stop. With `collision.stop` the motion into an obstacle ends, without a bounce; away from it the vehicle is free.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.body import rotation_matrix, to_body, vehicle_mass
from acres_ros.models.energy.contact_work import book_heat
from acres_ros.models.energy.stored import spin_energy
from acres_ros.models.maths import sqrt
from acres_ros.models.obstacles import overlap_after
from acres_ros.models.rotation import normalized

NONE = -1


@kernel
def _next_touched(obstacles, after, p, body):
    """Return the next obstacle above a number that the box of the body touches, and the way out of it."""
    r = rotation_matrix(body)
    length = sqrt(r[0] * r[0] + r[3] * r[3])
    # With the nose straight up or down any heading of the box will do.
    cosine, sine = (r[0] / length, r[3] / length) if length > 1.0e-6 else (1.0, 0.0)
    front, rear = p.geometry.body_front_m, p.geometry.body_rear_m
    middle = 0.5 * (front - rear)
    return overlap_after(
        obstacles,
        after,
        body.x + middle * cosine,
        body.y + middle * sine,
        cosine,
        sine,
        0.5 * (front + rear),
        p.geometry.body_half_width_m,
        body.z - p.geometry.body_below_m,
        body.z + p.geometry.body_above_m,
    )


@kernel
def turn_back(h, body):
    """Undo what the yaw rate has turned in this step."""
    half = 0.5 * h * body.wz
    qw = body.qw + half * body.qz
    qx = body.qx + half * body.qy
    qy = body.qy - half * body.qx
    qz = body.qz - half * body.qw
    body.qx, body.qy, body.qz, body.qw = normalized(qx, qy, qz, qw)


@kernel
def _stop(h, p, vehicle):
    """Take the horizontal motion and the turning of the body, and the way that they made in this step."""
    body = vehicle.body
    r = rotation_matrix(body)
    lost = 0.5 * vehicle_mass(p) * (body.vx * body.vx + body.vy * body.vy)
    lost += spin_energy(r, p, body.wx, body.wy, body.wz)
    body.x -= body.vx * h
    body.y -= body.vy * h
    turn_back(h, body)
    r = rotation_matrix(body)
    ax, ay, az = to_body(r, body.vx / h, body.vy / h, 0.0)
    body.ax -= ax
    body.ay -= ay
    body.az -= az
    body.vx, body.vy, body.wz = 0.0, 0.0, 0.0
    lost -= spin_energy(r, p, body.wx, body.wy, body.wz)
    vehicle.flow.collision_loss += book_heat(lost, vehicle.flow)


@outlined
def step_collision(h, obstacles, p, vehicle):
    """Flag what the body touches at the end of the step, the lowest number, and end motion into it where that is asked.

    Args:
        h: step, s.
        obstacles: Obstacles.
        p: PARAMETERS record.
        vehicle: VEHICLE record with the ledger of the step, changed in place.
    """
    body = vehicle.body
    touched, away_x, away_y = _next_touched(obstacles, NONE, p, body)
    vehicle.collision = touched
    if p.collision.stop == 0:
        return
    while touched != NONE:
        if body.vx * away_x + body.vy * away_y < 0.0:
            _stop(h, p, vehicle)
            return
        touched, away_x, away_y = _next_touched(obstacles, touched, p, body)
