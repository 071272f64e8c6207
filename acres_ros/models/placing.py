"""One Polaris at a pose and with a twist that somebody asks for, in the middle of a drive.

The body goes there at once. What the vehicle remembers stays: gear, belt, engine, pedals and their delays, the
steering. A wheel turns faster or slower by what the body does at it, so its slip stays, and a state that was
read and is written back changes nothing. A wheel that is put elsewhere meets that ground anew.
"""

from acres_ros._compile import entry, kernel
from acres_ros.models.body import point_velocity, rotation_matrix, to_world
from acres_ros.models.contact import DEEPEST_COMPRESSION, wheel_position
from acres_ros.models.energy.stored import kinetic_energy, potential_energy
from acres_ros.models.ground import ground_contact
from acres_ros.models.maths import sqrt
from acres_ros.models.suspension import step_suspension
from acres_ros.models.timestep import STEP_S

SAME_GROUND_M = 0.02
"""A wheel that is moved less than this stands in the hole that it stood in."""
FOREVER_S = 1.0e12
"""A step in which every damper has come to rest."""


@kernel
def _wheel_motion(p, index, body):
    """Return where the centre of a wheel at travel 0 is, and how fast it moves along the body, world, m and m/s."""
    r = rotation_matrix(body)
    x, y, z = wheel_position(p, index)
    arm_x, arm_y, arm_z = to_world(r, x, y, z)
    vx, vy, vz = point_velocity(body, arm_x, arm_y, arm_z)
    along = vx * r[0] + vy * r[3] + vz * r[6]
    return body.x + arm_x, body.y + arm_y, body.z + arm_z, along


@kernel
def _meet_ground(p, index, ground, body, wheel):
    """Let a wheel meet the ground below it as one that has never been anywhere: at rest on its springs, unsheared."""
    r = rotation_matrix(body)
    x, y, z, _ = _wheel_motion(p, index, body)
    height, normal_x, normal_y, normal_z = ground_contact(ground, x, y)
    upright = r[2] * normal_x + r[5] * normal_y + r[8] * normal_z
    compression = p.tyre.radius_m - (z - height) * normal_z / max(upright, 0.3)
    step_suspension(FOREVER_S, p, index, wheel, min(compression, DEEPEST_COMPRESSION))
    wheel.shear_x = 0.0
    wheel.shear_y = 0.0
    wheel.sinkage = 0.0
    wheel.sinkage_rate = 0.0
    wheel.rut = 0.0


@entry
def put_entry(vehicles, parameters, ground, index, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz):
    """Put one vehicle at a pose, with a twist.

    Args:
        vehicles: VEHICLE records, changed in place.
        parameters: one PARAMETERS record.
        ground: Ground.
        index: which vehicle.
        x: east of base_footprint, m.
        y: north of base_footprint, m.
        z: height of base_footprint, m.
        qw: orientation, body to world, of any length above 0.
        qx: orientation.
        qy: orientation.
        qz: orientation.
        vx: velocity of base_footprint, world, m/s.
        vy: velocity of base_footprint, world, m/s.
        vz: velocity of base_footprint, world, m/s.
        wx: angular velocity, world, rad/s.
        wy: angular velocity, world, rad/s.
        wz: angular velocity, world, rad/s.
    """
    vehicle = vehicles[index]
    p = parameters[0]
    body = vehicle.body
    before = (
        _wheel_motion(p, 0, body),
        _wheel_motion(p, 1, body),
        _wheel_motion(p, 2, body),
        _wheel_motion(p, 3, body),
    )
    norm = sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    body.qw, body.qx, body.qy, body.qz = qw / norm, qx / norm, qy / norm, qz / norm
    up_x, up_y, up_z = to_world(rotation_matrix(body), p.geometry.mass_ahead_m, 0.0, p.geometry.mass_height_m)
    body.x, body.y, body.z = x + up_x, y + up_y, z + up_z
    body.vx, body.vy, body.vz = vx, vy, vz
    body.wx, body.wy, body.wz = wx, wy, wz
    body.vx, body.vy, body.vz = point_velocity(body, up_x, up_y, up_z)
    for number in range(4):
        wheel = vehicle.wheel[number]
        old_x, old_y, old_z, old_along = before[number]
        new_x, new_y, new_z, along = _wheel_motion(p, number, body)
        wheel.spin += (along - old_along) / (p.tyre.radius_m * p.tyre.rolling_factor)
        dx, dy, dz = new_x - old_x, new_y - old_y, new_z - old_z
        if dx * dx + dy * dy + dz * dz > SAME_GROUND_M * SAME_GROUND_M:
            _meet_ground(p, number, ground, body, wheel)
    # Work from outside: the ledger goes on from here, as if the vehicle had begun with it.
    energy = vehicle.energy
    kinetic, potential = kinetic_energy(p, vehicle), potential_energy(STEP_S, p, vehicle)
    energy.initial += kinetic + potential - energy.kinetic - energy.potential
    energy.kinetic = kinetic
    energy.potential = potential
