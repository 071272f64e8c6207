"""Energy ledger: what came in as fuel is heat, motion or height, in each step.

Every loss of the chassis and the wheels comes from its own law (torque times speed, damper force times rate) with the
speeds at the middle of the step, at which the work of a constant force is exact; a part of the powertrain loses what
goes into it less what comes out, each from torque times speed. No amount is what the others leave, so the `residual` of
a step shows the error of the ledger.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.body import accelerations
from acres_ros.models.bumper import upright
from acres_ros.models.crop import book_crop
from acres_ros.models.energy.contact_work import book_corners, book_heat, book_wheel, dot
from acres_ros.models.energy.stored import kinetic_energy, potential_energy, spin_energy
from acres_ros.models.engine import RPM
from acres_ros.models.forces import air_drag


@kernel
def start_ledger(h, p, vehicle):
    """Begin the ledger with the energy that the vehicle has now."""
    energy = vehicle.energy
    energy.kinetic = kinetic_energy(p, vehicle)
    energy.potential = potential_energy(h, p, vehicle)
    energy.initial = energy.kinetic + energy.potential


@kernel
def _clear(flow):
    flow.slip_loss = 0.0
    flow.rolling_loss = 0.0
    flow.brake_loss = 0.0
    flow.soil_loss = 0.0
    flow.crop_loss = 0.0
    flow.water_loss = 0.0
    flow.collision_loss = 0.0
    flow.suspension_loss = 0.0
    flow.body_loss = 0.0
    flow.scheme_loss = 0.0


@kernel
def _book_powertrain(h, p, wheels, vehicle):
    """Book fuel, engine, clutch, belt and gears; `wheels` is what the wheels took from their shafts, J."""
    flow = vehicle.flow
    powertrain = vehicle.powertrain
    crank = 0.5 * (powertrain.engine_speed + powertrain.engine_speed_before) * h
    flow.fuel = powertrain.fuel_power * h
    flow.starter = 0.0
    if powertrain.engine_speed <= p.engine.floor_rpm / RPM:
        turned = p.engine.inertia * (powertrain.engine_speed - powertrain.engine_speed_before) / h
        flow.starter = (turned - powertrain.engine_torque + powertrain.clutch_torque) * crank
    flow.engine_loss = book_heat(flow.fuel - powertrain.engine_torque * crank, flow)

    left, right = vehicle.wheel[2], vehicle.wheel[3]
    axle = powertrain.axle_torque * 0.25 * h * (left.spin + right.spin + left.spin_before + right.spin_before)
    belt = axle / p.gearbox.efficiency if axle > 0.0 else axle * p.gearbox.efficiency
    flow.cvt_loss = book_heat(powertrain.clutch_torque * crank - belt, flow)
    flow.driveline_loss = book_heat(belt - wheels, flow)


@outlined
def book_step(h, r, force, moment, ground, p, vehicle):
    """Book the work of the step that is about to move the body.

    Args:
        h: step, s.
        r: rotation matrix at the start of the step.
        force: sum of the forces without the weight, N, world.
        moment: sum of the moments about the centre of mass, N m, world.
        ground: Ground.
        p: PARAMETERS record.
        vehicle: VEHICLE record with solved wheels and the body at the start of the step; its ledger changed in place.
    """
    body = vehicle.body
    flow = vehicle.flow
    _clear(flow)
    push, turn = accelerations(r, force, moment, p)
    half = 0.5 * h
    velocity = (body.vx + half * push[0], body.vy + half * push[1], body.vz + half * push[2])
    spin = (body.wx + half * turn[0], body.wy + half * turn[1], body.wz + half * turn[2])
    motion = (velocity[0], velocity[1], velocity[2], spin[0], spin[1], spin[2])

    wheels = 0.0
    for index in range(4):
        wheels += book_wheel(h, p, index, motion, vehicle)
    _book_powertrain(h, p, wheels, vehicle)
    book_crop(h, r, p, motion, vehicle)
    if not upright(r):
        book_corners(h, r, ground, p, motion, vehicle)
    else:
        flow.scheme_loss += vehicle.energy.corners
        vehicle.energy.corners = 0.0
    flow.aero_loss = book_heat(-h * dot(air_drag(p, body.vx, body.vy, body.vz), velocity), flow)
    damping = max(0.0, 1.0 - p.mass.angular_damping_per_s * h)
    free = spin_energy(r, p, body.wx + turn[0] * h, body.wy + turn[1] * h, body.wz + turn[2] * h)
    flow.suspension_loss += free * (1.0 - damping * damping)


@kernel
def _settle(amount, flow):
    """Take a loss off the residual of the step and return it."""
    flow.residual -= amount
    flow.throughput += abs(amount)
    return amount


@outlined
def close_step(h, p, vehicle):
    """Close the ledger of the step when the body has moved: changes of the stores, residual, sums since the reset.

    Args:
        h: step, s.
        p: PARAMETERS record.
        vehicle: VEHICLE record, its ledger changed in place.
    """
    energy = vehicle.energy
    flow = vehicle.flow
    kinetic = kinetic_energy(p, vehicle)
    potential = potential_energy(h, p, vehicle)
    flow.kinetic = kinetic - energy.kinetic
    flow.potential = potential - energy.potential
    energy.kinetic = kinetic
    energy.potential = potential
    flow.residual = flow.fuel + flow.starter - flow.kinetic - flow.potential
    flow.throughput = abs(flow.fuel) + abs(flow.starter) + abs(flow.kinetic) + abs(flow.potential)
    energy.fuel += flow.fuel
    energy.starter += flow.starter
    energy.engine_loss += _settle(flow.engine_loss, flow)
    energy.cvt_loss += _settle(flow.cvt_loss, flow)
    energy.driveline_loss += _settle(flow.driveline_loss, flow)
    energy.slip_loss += _settle(flow.slip_loss, flow)
    energy.rolling_loss += _settle(flow.rolling_loss, flow)
    energy.brake_loss += _settle(flow.brake_loss, flow)
    energy.soil_loss += _settle(flow.soil_loss, flow)
    energy.crop_loss += _settle(flow.crop_loss, flow)
    energy.water_loss += _settle(flow.water_loss, flow)
    energy.collision_loss += _settle(flow.collision_loss, flow)
    energy.aero_loss += _settle(flow.aero_loss, flow)
    energy.suspension_loss += _settle(flow.suspension_loss, flow)
    energy.body_loss += _settle(flow.body_loss, flow)
    energy.scheme_loss += _settle(flow.scheme_loss, flow)
    energy.residual += flow.residual
