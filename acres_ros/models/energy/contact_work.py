"""Work of the contacts in one step: wheels on the ground, and the body's corners after a roll-over.

A contact force acts on the body along the body's motion at the middle of the step. The springs behind it moved in the
step before, and by backward Euler; what the two leave between them is the work of the discrete scheme, and stands in a
column of its own. The soil below a wheel yields by the change of its sinkage, which the springs feel one step later.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.bumper import corner_contact
from acres_ros.models.energy.stored import stop_stretch
from acres_ros.models.maths import sqrt, tanh
from acres_ros.models.suspension import axle_suspension


@kernel
def book_heat(amount, flow):
    """Return a heat that cannot be negative; what would be below zero is the scheme's.

    A law is taken at the end of the step and its work along the middle: where a motion turns round within the step, the
    product can have the wrong sign.
    """
    flow.scheme_loss += min(0.0, amount)
    return max(0.0, amount)


@kernel
def dot(a, b):
    """Return the scalar product of two triples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def middle_velocity(motion, x, y, z):
    """Return the velocity of a body point (arm from the centre of mass) at the middle of the step, world triple."""
    vx, vy, vz, wx, wy, wz = motion
    return vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x


@kernel
def euler_excess(p, index, travel_change, deflection_change, wheel):
    """Return what backward Euler takes from the springs of a wheel in one step: 0 or more, as the springs are convex.

    It is force at the end times change, less the change of the energy: for a linear spring half the rate times the
    squared change.

    Args:
        p: PARAMETERS record.
        index: wheel 0 to 3.
        travel_change: of the suspension in the step, m.
        deflection_change: of the tyre in the step, m.
        wheel: WHEEL record at the end of the step.
    """
    rate, _, _, jounce, droop = axle_suspension(p, index)
    stretch = stop_stretch(wheel.travel, jounce, droop)
    stretched = stretch - stop_stretch(wheel.travel - travel_change, jounce, droop)
    excess = 0.5 * rate * travel_change * travel_change
    excess += p.suspension.stop_rate * (stretch * (travel_change - stretched) + 0.5 * stretched * stretched)
    if wheel.deflection > 0.0:
        excess += 0.5 * p.tyre.rate * deflection_change * deflection_change
    return excess


@kernel
def _book_springs(h, p, index, closing, wheel, flow):
    """Book damper heat and scheme of one wheel's vertical work; `closing` is its mount's way towards the ground, m."""
    _, damping, _, _, _ = axle_suspension(p, index)
    travel_change = wheel.travel_rate * h
    deflection_change = wheel.deflection_rate * h
    heat = damping * wheel.travel_rate * travel_change
    scheme = wheel.load * closing + euler_excess(p, index, travel_change, deflection_change, wheel)
    if wheel.deflection > 0.0:
        heat += p.tyre.damping * wheel.deflection_rate * deflection_change
        load = p.tyre.rate * wheel.deflection + p.tyre.damping * wheel.deflection_rate
        scheme -= load * (travel_change + deflection_change)
    else:
        # A tyre that leaves the ground is round at once: what it held is heat.
        heat += 0.5 * p.tyre.rate * deflection_change * deflection_change
    flow.suspension_loss += heat
    flow.scheme_loss += scheme


@outlined
def book_wheel(h, p, index, motion, vehicle):
    """Book slip, resistance, brake, water, soil, damper heat and scheme of one wheel.

    Args:
        h: step, s.
        p: PARAMETERS record.
        index: wheel 0 to 3.
        motion: velocity and angular velocity of the body at the middle of the step, world (6).
        vehicle: VEHICLE record with the body at the start of the step, its flow changed in place.

    Returns:
        energy that the wheel took from its shaft, J.
    """
    wheel = vehicle.wheel[index]
    body = vehicle.body
    flow = vehicle.flow
    spin = 0.5 * (wheel.spin + wheel.spin_before)
    held = tanh(wheel.spin / p.tyre.spin_softness) * spin * h
    rolling = min(wheel.rolling, wheel.resistance)
    flow.rolling_loss += book_heat(rolling * held, flow)
    flow.brake_loss += book_heat((wheel.resistance - rolling) * held, flow)

    velocity = middle_velocity(motion, wheel.contact_x - body.x, wheel.contact_y - body.y, wheel.contact_z - body.z)
    normal = (wheel.normal_x, wheel.normal_y, wheel.normal_z)
    heading = (wheel.heading_x, wheel.heading_y, wheel.heading_z)
    side = (
        normal[1] * heading[2] - normal[2] * heading[1],
        normal[2] * heading[0] - normal[0] * heading[2],
        normal[0] * heading[1] - normal[1] * heading[0],
    )
    slip = spin * p.tyre.radius_m * p.tyre.rolling_factor - dot(velocity, heading)
    flow.slip_loss += (wheel.force_x * slip - wheel.force_y * dot(velocity, side)) * h
    if wheel.water_drag > 0.0:
        along = wheel.speed_x * dot(velocity, heading) + wheel.speed_y * dot(velocity, side)
        speed = sqrt(wheel.speed_x * wheel.speed_x + wheel.speed_y * wheel.speed_y)
        flow.water_loss += book_heat(wheel.water_drag / speed * along * h, flow)
    sunk = wheel.normal_z * wheel.sinkage_rate * h
    flow.soil_loss += wheel.load * sunk
    _book_springs(h, p, index, -dot(velocity, normal) * h - sunk, wheel, flow)
    return wheel.shaft_torque * spin * h


@outlined
def book_corners(h, r, ground, p, motion, vehicle):
    """Book the body's corners on the ground: what they store, the heat of their dampers and of their sliding.

    Args:
        h: step, s.
        r: rotation matrix at the start of the step.
        ground: Ground.
        p: PARAMETERS record.
        motion: velocity and angular velocity of the body at the middle of the step, world (6).
        vehicle: VEHICLE record with the body at the start of the step, its ledger changed in place.
    """
    flow = vehicle.flow
    stored = 0.0
    pressed = 0.0
    for corner in range(8):
        depth, load, arm, normal, _, slide, drag = corner_contact(corner, r, ground, p, vehicle.body)
        velocity = middle_velocity(motion, arm[0], arm[1], arm[2])
        apart = dot(velocity, normal) * h
        spring = p.bumper.rate * depth
        stored += 0.5 * spring * depth
        pressed -= spring * apart
        flow.body_loss += book_heat((spring - load) * apart, flow)
        flow.body_loss += book_heat(drag * dot(slide, velocity) * h, flow)
    flow.scheme_loss += pressed - (stored - vehicle.energy.corners)
    vehicle.energy.corners = stored
