"""Energy ledger: what came in as fuel is heat, motion or height.

Every loss comes from its own law (torque times speed, damper force times rate) with the speeds at the middle of the
step, at which the work of a constant force is exact. Nothing is booked as a difference, so `residual` shows the error.
"""

from acres_ros._compile import kernel
from acres_ros.models.body import point_velocity, rotation_matrix, to_body, vehicle_mass
from acres_ros.models.forces import air_drag
from acres_ros.models.maths import tanh
from acres_ros.models.suspension import axle_suspension


@kernel
def rotation_energy(p, body):
    """Return the kinetic energy of the chassis' rotation, J."""
    wx, wy, wz = to_body(rotation_matrix(body), body.wx, body.wy, body.wz)
    return 0.5 * (p.mass.roll_inertia * wx * wx + p.mass.pitch_inertia * wy * wy + p.mass.yaw_inertia * wz * wz)


@kernel
def kinetic_energy(p, vehicle):
    """Return the kinetic energy of chassis, wheel spin and engine, J."""
    body = vehicle.body
    energy = 0.5 * vehicle_mass(p) * (body.vx * body.vx + body.vy * body.vy + body.vz * body.vz)
    energy += rotation_energy(p, body)
    for index in range(4):
        spin = vehicle.wheel[index].spin
        energy += 0.5 * p.tyre.spin_inertia * spin * spin
    speed = vehicle.powertrain.engine_speed
    return energy + 0.5 * p.engine.inertia * speed * speed


@kernel
def potential_energy(p, vehicle):
    """Return the energy of height and of suspension, stop and tyre springs, J."""
    energy = vehicle_mass(p) * p.mass.gravity * vehicle.body.z
    for index in range(4):
        wheel = vehicle.wheel[index]
        rate, _, static_load, jounce, droop = axle_suspension(p, index)
        beyond = max(0.0, wheel.travel - jounce) + max(0.0, -droop - wheel.travel)
        energy += static_load * wheel.travel + 0.5 * rate * wheel.travel * wheel.travel
        energy += 0.5 * p.suspension.stop_rate * beyond * beyond
        energy += 0.5 * p.tyre.rate * wheel.deflection * wheel.deflection
    return energy


@kernel
def _account_wheel(h, p, index, before, vehicle):
    """Book slip, resistance, brake and damper heat of one wheel; return the energy that it took from its shaft, J."""
    wheel = vehicle.wheel[index]
    energy = vehicle.energy
    spin = 0.5 * (wheel.spin + wheel.spin_before)
    held = tanh(wheel.spin / p.tyre.spin_softness) * spin * h
    rolling = min(wheel.rolling, wheel.resistance)
    energy.rolling_loss += rolling * held
    energy.brake_loss += (wheel.resistance - rolling) * held

    arm_x = wheel.contact_x - before[0]
    arm_y = wheel.contact_y - before[1]
    arm_z = wheel.contact_z - before[2]
    vx, vy, vz = point_velocity(vehicle.body, arm_x, arm_y, arm_z)
    side_x = wheel.normal_y * wheel.heading_z - wheel.normal_z * wheel.heading_y
    side_y = wheel.normal_z * wheel.heading_x - wheel.normal_x * wheel.heading_z
    side_z = wheel.normal_x * wheel.heading_y - wheel.normal_y * wheel.heading_x
    speed_x = 0.5 * (wheel.speed_x + vx * wheel.heading_x + vy * wheel.heading_y + vz * wheel.heading_z)
    speed_y = 0.5 * (wheel.speed_y + vx * side_x + vy * side_y + vz * side_z)
    rim_speed = spin * p.tyre.radius_m * p.tyre.rolling_factor
    energy.slip_loss += (wheel.force_x * (rim_speed - speed_x) - wheel.force_y * speed_y) * h

    _, damping, _, _, _ = axle_suspension(p, index)
    energy.suspension_loss += damping * wheel.travel_rate * wheel.travel_rate * h
    if wheel.load > 0.0:
        energy.suspension_loss += p.tyre.damping * wheel.deflection_rate * wheel.deflection_rate * h
    return wheel.shaft_torque * spin * h


@kernel
def start_ledger(p, vehicle):
    """Begin the ledger with the energy that the vehicle has now."""
    energy = vehicle.energy
    energy.kinetic = kinetic_energy(p, vehicle)
    energy.potential = potential_energy(p, vehicle)
    energy.initial = energy.kinetic + energy.potential


@kernel
def step_energy(h, p, before, vehicle):
    """Book the step that has just been made.

    Args:
        h: step, s.
        p: PARAMETERS record.
        before: position (3) and velocity (3) of the centre of mass at the start of the step, world.
        vehicle: VEHICLE record, its ledger changed in place.
    """
    energy = vehicle.energy
    powertrain = vehicle.powertrain
    body = vehicle.body
    crank = 0.5 * (powertrain.engine_speed + powertrain.engine_speed_before) * h
    energy.fuel = powertrain.fuel_energy
    energy.engine_loss += powertrain.fuel_power * h - powertrain.engine_torque * crank

    wheels = 0.0
    for index in range(4):
        wheels += _account_wheel(h, p, index, before, vehicle)
    axle = (
        powertrain.axle_torque
        * 0.25
        * h
        * (vehicle.wheel[2].spin + vehicle.wheel[3].spin + vehicle.wheel[2].spin_before + vehicle.wheel[3].spin_before)
    )
    belt = axle / p.gearbox.efficiency if powertrain.clutch_torque > 0.0 else axle * p.gearbox.efficiency
    energy.cvt_loss += powertrain.clutch_torque * crank - belt
    energy.driveline_loss += belt - wheels

    fx, fy, fz = air_drag(p, before[3], before[4], before[5])
    drag = fx * (body.vx + before[3]) + fy * (body.vy + before[4]) + fz * (body.vz + before[5])
    energy.aero_loss -= 0.5 * h * drag
    damping = max(0.0, 1.0 - p.mass.angular_damping_per_s * h)
    if damping > 0.0:
        energy.suspension_loss += rotation_energy(p, body) * (1.0 / (damping * damping) - 1.0)
    energy.kinetic = kinetic_energy(p, vehicle)
    energy.potential = potential_energy(p, vehicle)
    losses = energy.engine_loss + energy.cvt_loss + energy.driveline_loss + energy.slip_loss + energy.rolling_loss
    losses += energy.brake_loss + energy.aero_loss + energy.suspension_loss
    energy.residual = energy.initial + energy.fuel - losses - energy.kinetic - energy.potential
