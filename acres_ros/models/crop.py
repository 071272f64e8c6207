"""The crop against the body: what it takes to bend and break the crop that the body has newly reached.

Standing mature crop takes work by its area: 400 J/m^2 are 680 N over the 1.7 m of the swath. It waits in `crop_work`
and is spent over the next third of a metre, so that the force does not jump from sample to sample. It acts at the
middle of the leading edge of the body against the motion of that point. Numbers: fitted to row D5 (docs/validation.md).
"""

from acres_ros._compile import kernel
from acres_ros.models.body import point_velocity, to_world
from acres_ros.models.energy.contact_work import book_heat, middle_velocity
from acres_ros.models.farm import SAMPLE_M, SAMPLE_M2
from acres_ros.models.maths import sqrt, tanh

HEIGHT_M = 0.6  # of the force above the ground
SPENT_OVER_M = SAMPLE_M
LEAST_WORK_J = 1.0e-6  # less is dropped: it would only fade into subnormal numbers
LEAST_SPEED = 1.0e-9  # m/s, at which the force is 0
FADE_SPEED = 0.1  # m/s, below which the force fades: crop does not push


@kernel
def leading_edge(r, p, body):
    """Return the middle of the body's leading edge from the centre of mass, m, and its level velocity, m/s, world."""
    forward = body.vx * r[0] + body.vy * r[3] + body.vz * r[6] >= 0.0
    x = p.geometry.body_front_m if forward else -p.geometry.body_rear_m
    arm = to_world(r, x, 0.0, HEIGHT_M - p.geometry.mass_height_m)
    vx, vy, _ = point_velocity(body, arm[0], arm[1], arm[2])
    return arm, vx, vy


@kernel
def step_crop(growth, r, p, vehicle):
    """Deposit the work of newly crushed crop and set the force.

    The first step after a reset deposits nothing: what the vehicle is put down on is flat already.

    Args:
        growth: sum of the growth of the samples that the body has crushed in this step.
        r: rotation matrix, body to world.
        p: PARAMETERS record.
        vehicle: VEHICLE record, its crop work and force changed in place.
    """
    if vehicle.step > 0:
        vehicle.crop_work += p.crop.work_j_per_m2 * SAMPLE_M2 * growth
    vehicle.crop_force = 0.0
    if vehicle.crop_work > 0.0:
        _, vx, vy = leading_edge(r, p, vehicle.body)
        vehicle.crop_force = vehicle.crop_work / SPENT_OVER_M * tanh(sqrt(vx * vx + vy * vy) / FADE_SPEED)


@kernel
def crop_reaction(r, p, vehicle):
    """Return the level force of the crop on the body, N, and its arm from the centre of mass, m, world."""
    arm, vx, vy = leading_edge(r, p, vehicle.body)
    factor = -vehicle.crop_force / max(sqrt(vx * vx + vy * vy), LEAST_SPEED)
    return factor * vx, factor * vy, arm


@kernel
def book_crop(h, r, p, motion, vehicle):
    """Book the work of the crop force and take it from what waits.

    Args:
        h: step, s.
        r: rotation matrix at the start of the step.
        p: PARAMETERS record.
        motion: velocity and angular velocity of the body at the middle of the step, world (6).
        vehicle: VEHICLE record with the body at the start of the step, changed in place.
    """
    if not vehicle.crop_force > 0.0:
        return
    fx, fy, arm = crop_reaction(r, p, vehicle)
    vx, vy, _ = middle_velocity(motion, arm[0], arm[1], arm[2])
    work = book_heat(-h * (fx * vx + fy * vy), vehicle.flow)
    vehicle.flow.crop_loss = work
    vehicle.crop_work = vehicle.crop_work - work if vehicle.crop_work - work > LEAST_WORK_J else 0.0
