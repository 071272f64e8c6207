"""Energy that a vehicle holds: motion, height, springs.

Height is read half a step back. Semi-implicit Euler moves the body with the speed at the end of the step, while gravity
works along the speed at its middle; on the height z - h v_z / 2 the two agree to the last bit, and the sum over a drive
is the same.
"""

from acres_ros._compile import kernel
from acres_ros.models.body import rotation_matrix, to_body, vehicle_mass
from acres_ros.models.suspension import axle_suspension


@kernel
def spin_energy(r, p, wx, wy, wz):
    """Return the kinetic energy (J) of the chassis turning at a world rate (rad/s) in an orientation."""
    x, y, z = to_body(r, wx, wy, wz)
    return 0.5 * (p.mass.roll_inertia * x * x + p.mass.pitch_inertia * y * y + p.mass.yaw_inertia * z * z)


@kernel
def kinetic_energy(p, vehicle):
    """Return the kinetic energy of chassis, wheel spin and engine, J."""
    body = vehicle.body
    energy = 0.5 * vehicle_mass(p) * (body.vx * body.vx + body.vy * body.vy + body.vz * body.vz)
    energy += spin_energy(rotation_matrix(body), p, body.wx, body.wy, body.wz)
    for index in range(4):
        spin = vehicle.wheel[index].spin
        energy += 0.5 * p.tyre.spin_inertia * spin * spin
    speed = vehicle.powertrain.engine_speed
    return energy + 0.5 * p.engine.inertia * speed * speed


@kernel
def stop_stretch(travel, jounce, droop):
    """Return how far a suspension is into its upper stop, negative into its lower one, m."""
    return max(0.0, travel - jounce) + min(0.0, travel + droop)


@kernel
def potential_energy(h, p, vehicle):
    """Return the energy of height, of suspension, stop and tyre springs, and of the body's corners, J."""
    body = vehicle.body
    energy = vehicle_mass(p) * p.mass.gravity * (body.z - 0.5 * h * body.vz) + vehicle.energy.corners
    for index in range(4):
        wheel = vehicle.wheel[index]
        rate, _, static_load, jounce, droop = axle_suspension(p, index)
        stretch = stop_stretch(wheel.travel, jounce, droop)
        energy += static_load * wheel.travel + 0.5 * rate * wheel.travel * wheel.travel
        energy += 0.5 * p.suspension.stop_rate * stretch * stretch
        energy += 0.5 * p.tyre.rate * wheel.deflection * wheel.deflection
    return energy
