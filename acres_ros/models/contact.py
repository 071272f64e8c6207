"""Contact of one wheel: a vertical ray from the wheel to the ground, load, directions and speeds.

The wheel stands on the plane of the ground that the ray meets, at the foot of its centre on that plane. The ground
below a wheel lies lower by the wheel's sinkage, that of the step before.
"""

from acres_ros._compile import kernel
from acres_ros.models.body import point_velocity, to_world
from acres_ros.models.brakes import brake_torque
from acres_ros.models.footing import step_footing
from acres_ros.models.ground import ground_contact
from acres_ros.models.maths import clamp, cos, sin, sqrt
from acres_ros.models.suspension import axle_suspension, step_suspension

DEEPEST_COMPRESSION = 0.6  # m; a wheel that starts below the ground is pushed out, not shot out


@kernel
def wheel_position(p, index):
    """Return the wheel centre at travel 0 in body axes, from the centre of mass, m."""
    _, _, static_load, _, _ = axle_suspension(p, index)
    x = p.geometry.wheelbase_m - p.geometry.mass_ahead_m if index < 2 else -p.geometry.mass_ahead_m
    y = p.geometry.half_track_m if index % 2 == 0 else -p.geometry.half_track_m
    z = p.tyre.radius_m - static_load / p.tyre.rate - p.geometry.mass_height_m
    return x, y, z


@kernel
def step_contact(h, index, r, line_pressure_bar, ground, farm, p, vehicle):
    """Set load, grip, resistance, directions and speeds of one wheel's contact.

    Args:
        h: step, s.
        index: wheel 0 to 3.
        r: rotation matrix, body to world.
        line_pressure_bar: brake pressure at the wheels.
        ground: Ground.
        farm: Farm.
        p: PARAMETERS record.
        vehicle: VEHICLE record, its wheel changed in place.
    """
    wheel = vehicle.wheel[index]
    body = vehicle.body
    x, y, z = wheel_position(p, index)
    arm_x, arm_y, arm_z = to_world(r, x, y, z)
    height, normal_x, normal_y, normal_z = ground_contact(ground, body.x + arm_x, body.y + arm_y)
    distance = (body.z + arm_z - height + wheel.sinkage) * normal_z
    arm_x -= distance * normal_x
    arm_y -= distance * normal_y
    arm_z -= distance * normal_z
    wheel.contact_x = body.x + arm_x
    wheel.contact_y = body.y + arm_y
    wheel.contact_z = body.z + arm_z
    wheel.normal_x, wheel.normal_y, wheel.normal_z = normal_x, normal_y, normal_z

    upright = r[2] * normal_x + r[5] * normal_y + r[8] * normal_z
    compression = p.tyre.radius_m - distance / max(upright, 0.3)
    step_suspension(h, p, index, wheel, min(compression, DEEPEST_COMPRESSION))
    wheel.load *= clamp(5.0 * upright - 1.0, 0.0, 1.0)

    steer_cos = cos(wheel.steer) if index < 2 else 1.0
    steer_sin = sin(wheel.steer) if index < 2 else 0.0
    axle_x, axle_y, axle_z = to_world(r, -steer_sin, steer_cos, 0.0)
    heading_x = axle_y * normal_z - axle_z * normal_y
    heading_y = axle_z * normal_x - axle_x * normal_z
    heading_z = axle_x * normal_y - axle_y * normal_x
    length = sqrt(heading_x * heading_x + heading_y * heading_y + heading_z * heading_z)
    inverse = 1.0 / max(length, 1.0e-3)
    heading_x *= inverse
    heading_y *= inverse
    heading_z *= inverse
    wheel.heading_x, wheel.heading_y, wheel.heading_z = heading_x, heading_y, heading_z

    vx, vy, vz = point_velocity(body, arm_x, arm_y, arm_z)
    wheel.speed_x = vx * heading_x + vy * heading_y + vz * heading_z
    side_x = normal_y * heading_z - normal_z * heading_y
    side_y = normal_z * heading_x - normal_x * heading_z
    side_z = normal_x * heading_y - normal_y * heading_x
    wheel.speed_y = vx * side_x + vy * side_y + vz * side_z

    step_footing(h, index, ground, farm, p, wheel)
    wheel.resistance = wheel.rolling + brake_torque(p, index, line_pressure_bar)
