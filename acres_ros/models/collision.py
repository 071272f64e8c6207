"""The body against the obstacles of the world: found and named, and on request it brings the vehicle to rest.

Spec: Time Stepping and Determinism, Parity of ACRES Core and the Game: a collision is a flag, and the chassis does not
stop. With `collision.stop` the motion into an obstacle ends, turning included, without a bounce; away from it the
vehicle is free.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.body import rotation_matrix, to_body, vehicle_mass
from acres_ros.models.energy.contact_work import book_heat
from acres_ros.models.energy.stored import spin_energy
from acres_ros.models.maths import sqrt
from acres_ros.models.obstacles import overlap_after
from acres_ros.models.rotation import normalized

NONE = -1
FACE = 1.0e-3  # share of the way out along an axis of the box, below which it lies across


@kernel
def _heading(body):
    """Return cosine and sine of the heading of the body; with the nose straight up or down any will do."""
    r = rotation_matrix(body)
    length = sqrt(r[0] * r[0] + r[3] * r[3])
    return (r[0] / length, r[3] / length) if length > 1.0e-6 else (1.0, 0.0)


@kernel
def _next_touched(obstacles, after, x, y, cosine, sine, p, body):
    """Return the next obstacle above a number that the box of the body touches, and the way out of it.

    Args:
        obstacles: Obstacles.
        after: the number.
        x, y: where the centre of mass is, m.
        cosine, sine: of the heading.
        p: PARAMETERS record.
        body: BODY record; its height counts.
    """
    front, rear = p.geometry.body_front_m, p.geometry.body_rear_m
    middle = 0.5 * (front - rear)
    return overlap_after(
        obstacles,
        after,
        x + middle * cosine,
        y + middle * sine,
        cosine,
        sine,
        0.5 * (front + rear),
        p.geometry.body_half_width_m,
        body.z - p.geometry.body_below_m,
        body.z + p.geometry.body_above_m,
    )


@kernel
def _deepest(away, front, rear):
    """Return the end of a box that reaches deepest against a way out along its axis; its middle for a way across."""
    if away > FACE:
        return -rear
    return front if away < -FACE else 0.5 * (front - rear)


@kernel
def _moves_in(h, obstacles, number, away_x, away_y, cosine, sine, p, body):
    """Return whether the motion of the step goes into an obstacle: of the middle, of a corner, or of what met it."""
    if body.vx * away_x + body.vy * away_y < 0.0:
        return True
    geometry = p.geometry
    along = _deepest(away_x * cosine + away_y * sine, geometry.body_front_m, geometry.body_rear_m)
    half = geometry.body_half_width_m
    across = _deepest(away_y * cosine - away_x * sine, half, half)
    corner_x, corner_y = along * cosine - across * sine, along * sine + across * cosine
    if (body.vx - body.wz * corner_y) * away_x + (body.vy + body.wz * corner_x) * away_y < 0.0:
        return True
    # A side that turns against a post has no corner at it: it was free before the step.
    turn = h * body.wz
    old_cosine, old_sine = cosine + turn * sine, sine - turn * cosine
    length = sqrt(old_cosine * old_cosine + old_sine * old_sine)
    x, y = body.x - h * body.vx, body.y - h * body.vy
    touched, _, _ = _next_touched(obstacles, number - 1, x, y, old_cosine / length, old_sine / length, p, body)
    return touched != number


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
    cosine, sine = _heading(body)
    touched, away_x, away_y = _next_touched(obstacles, NONE, body.x, body.y, cosine, sine, p, body)
    vehicle.collision = touched
    if p.collision.stop == 0:
        return
    while touched != NONE:
        if _moves_in(h, obstacles, touched, away_x, away_y, cosine, sine, p, body):
            _stop(h, p, vehicle)
            return
        touched, away_x, away_y = _next_touched(obstacles, touched, body.x, body.y, cosine, sine, p, body)
