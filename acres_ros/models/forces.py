"""Sum of the forces and moments on the chassis at the start of a step."""

from acres_ros._compile import kernel
from acres_ros.models.bumper import body_contact, upright
from acres_ros.models.crop import crop_reaction
from acres_ros.models.maths import sqrt


@kernel
def wheel_force(wheel):
    """Return the force of one contact on the vehicle in world axes, N."""
    side_x = wheel.normal_y * wheel.heading_z - wheel.normal_z * wheel.heading_y
    side_y = wheel.normal_z * wheel.heading_x - wheel.normal_x * wheel.heading_z
    side_z = wheel.normal_x * wheel.heading_y - wheel.normal_y * wheel.heading_x
    along, across = wheel.force_x, wheel.force_y
    if wheel.water_drag > 0.0:
        drag = wheel.water_drag / sqrt(wheel.speed_x * wheel.speed_x + wheel.speed_y * wheel.speed_y)
        along -= drag * wheel.speed_x
        across -= drag * wheel.speed_y
    return (
        wheel.load * wheel.normal_x + along * wheel.heading_x + across * side_x,
        wheel.load * wheel.normal_y + along * wheel.heading_y + across * side_y,
        wheel.load * wheel.normal_z + along * wheel.heading_z + across * side_z,
    )


@kernel
def air_drag(p, vx, vy, vz):
    """Return the force of the air (N) at a velocity (m/s), both in world axes."""
    factor = -0.5 * p.aero.air_density * p.aero.drag_area * sqrt(vx * vx + vy * vy + vz * vz)
    return factor * vx, factor * vy, factor * vz


@kernel
def sum_forces(r, ground, p, vehicle):
    """Return force (N) and moment about the centre of mass (N m) without the weight, both as world triples."""
    body = vehicle.body
    fx, fy, fz = air_drag(p, body.vx, body.vy, body.vz)
    mx, my, mz = 0.0, 0.0, 0.0
    for index in range(4):
        wheel = vehicle.wheel[index]
        px, py, pz = wheel_force(wheel)
        ax = wheel.contact_x - body.x
        ay = wheel.contact_y - body.y
        az = wheel.contact_z - body.z
        fx += px
        fy += py
        fz += pz
        mx += ay * pz - az * py
        my += az * px - ax * pz
        mz += ax * py - ay * px
    if vehicle.crop_force > 0.0:
        px, py, arm = crop_reaction(r, p, vehicle)
        fx += px
        fy += py
        mx -= arm[2] * py
        my += arm[2] * px
        mz += arm[0] * py - arm[1] * px
    if not upright(r):
        bx, by, bz, nx, ny, nz = body_contact(r, ground, p, body)
        fx += bx
        fy += by
        fz += bz
        mx += nx
        my += ny
        mz += nz
    return (fx, fy, fz), (mx, my, mz)
