"""Wheel spins, clutch and engine speed by backward Euler.

The torque that the wheels need rises with the speed of the axle, the torque that the clutch delivers falls; the step is
the crossing. Spec: Time Stepping and Determinism, section Wheels and Driveline. The rear axle is a spool in 2wd and awd
and an open differential in turf; the front axle joins on demand in awd (`awd.py`) and else rolls free.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.awd import TURF, step_front_axle
from acres_ros.models.cvt import clutch_capacity
from acres_ros.models.dbw.codes import GEAR_HIGH, GEAR_LOW, GEAR_PARK, GEAR_REVERSE
from acres_ros.models.engine import RPM, engine_torque
from acres_ros.models.maths import PI, wrap_pi
from acres_ros.models.root import rising_root
from acres_ros.models.tyre import shaft_torque, side_force, torque_against, tyre_shear


@kernel
def gear_ratio(p, gear):
    """Return axle torque over belt torque of a gear: negative in reverse, 0 in park and neutral."""
    if gear == GEAR_LOW:
        return p.gearbox.low_ratio
    if gear == GEAR_HIGH:
        return p.gearbox.high_ratio
    if gear == GEAR_REVERSE:
        return -p.gearbox.reverse_ratio
    return 0.0


@kernel
def clutch_step(h, p, engine_speed, torque, capacity, input_speed):
    """Return clutch torque and engine speed at the end of a step for a speed of the clutch output.

    The clutch carries its capacity at `clutch.slip_speed` and less in proportion. Backward Euler in closed form.
    """
    inertia = p.engine.inertia / h
    impulse = inertia * engine_speed + torque
    slip_speed = p.clutch.slip_speed
    pulling = (impulse - capacity) / inertia
    if pulling - input_speed >= slip_speed:
        return capacity, pulling
    overrun = (impulse + capacity) / inertia
    if overrun - input_speed <= -slip_speed:
        return -capacity, overrun
    stiffness = capacity / slip_speed
    speed = (impulse + stiffness * input_speed) / (inertia + stiffness)
    return stiffness * (speed - input_speed), speed


@kernel
def axle_gain(p, ratio, power):
    """Return torque on the axle over clutch torque; belt and gearbox lose in both directions of the power.

    Power comes from the wheels, and is negative, in overrun and where the vehicle rolls against its gear.
    """
    efficiency = p.cvt.efficiency * p.gearbox.efficiency
    return ratio / efficiency if power < 0.0 else ratio * efficiency


@kernel
def _supply(spin, context):
    """Return the torque of the gearbox on the axles for an axle speed at the end of the step, and its derivative."""
    h, p, powertrain, _, _, ratio, capacity = context
    if ratio == 0.0:
        return 0.0, 0.0
    speed = ratio * spin
    torque, _ = clutch_step(h, p, powertrain.engine_speed, powertrain.engine_torque, capacity, speed)
    gain = axle_gain(p, ratio, torque * speed)
    if abs(torque) >= capacity:
        return gain * torque, 0.0
    inertia, stiffness = p.engine.inertia / h, capacity / p.clutch.slip_speed
    return gain * torque, -gain * ratio * stiffness * inertia / (inertia + stiffness)


@kernel
def spool_excess(spin, context):
    """Return the torque that locked axles need beyond what they get at one spin rate, and its derivative."""
    h, p, _, wheels, first, _, _ = context
    supply, supply_slope = _supply(spin, context)
    need, slope = -supply, -supply_slope
    for index in range(first, 4):
        torque, torque_slope = shaft_torque(h, p, wheels[index], spin)
        need += torque
        slope += torque_slope
    return need, slope


@kernel
def wheel_excess(spin, context):
    """Return the torque that a free wheel needs at a spin rate, and its derivative."""
    h, p, wheel = context
    return shaft_torque(h, p, wheel, spin)


@kernel
def split_excess(difference, context):
    """Return the torque of the left rear wheel beyond the right one when each is off the mean by `difference`."""
    h, p, wheels, mean = context
    left, left_slope = shaft_torque(h, p, wheels[2], mean + difference)
    right, right_slope = shaft_torque(h, p, wheels[3], mean - difference)
    return left - right, left_slope + right_slope


spool_root = rising_root(spool_excess)
wheel_root = rising_root(wheel_excess)
split_root = rising_root(split_excess)


@kernel
def open_split(h, p, wheels, mean):
    """Return by how much the left rear wheel is off the mean so that both wheels of an open differential pull alike."""
    difference, _ = split_root((h, p, wheels, mean), 0.5 * (wheels[2].spin - wheels[3].spin))
    return difference


@kernel
def open_excess(mean, context):
    """Return the torque that an open rear axle needs beyond what it gets at a mean spin rate, and its derivative."""
    h, p, _, wheels, _, _, _ = context
    difference = open_split(h, p, wheels, mean)
    left, left_slope = shaft_torque(h, p, wheels[2], mean + difference)
    right, right_slope = shaft_torque(h, p, wheels[3], mean - difference)
    supply, supply_slope = _supply(mean, context)
    # With the mean the difference moves too, so that both torques stay alike.
    slope = 4.0 * left_slope * right_slope / (left_slope + right_slope)
    return left + right - supply, slope - supply_slope


open_root = rising_root(open_excess)


@outlined
def _turn(h, p, wheel, spin):
    """Give a wheel its spin rate at the end of the step, and what follows from it."""
    force_x, force_y, shear_x, shear_y, slope = tyre_shear(h, p, wheel, spin)
    wheel.shaft_torque, _ = torque_against(h, p, wheel, spin, force_x, slope)
    wheel.force_x = force_x
    wheel.force_y = force_y + side_force(h, p, wheel)
    wheel.shear_x = shear_x
    wheel.shear_y = shear_y
    wheel.spin_before = wheel.spin
    wheel.spin = spin
    rotation = wheel.rotation + h * spin
    wheel.rotation = wrap_pi(rotation)
    if rotation - wheel.rotation > PI:
        wheel.turns += 1
    elif wheel.rotation - rotation > PI:
        wheel.turns -= 1
    rim_speed = spin * p.tyre.radius_m * p.tyre.rolling_factor
    slip_speed = rim_speed - wheel.speed_x
    wheel.slip = slip_speed / max(abs(rim_speed), abs(wheel.speed_x), p.tyre.minimum_speed)


@outlined
def solve_driveline(h, p, vehicle):
    """Advance wheel spins, clutch and engine by one step and set the tyre forces.

    Args:
        h: step, s.
        p: PARAMETERS record.
        vehicle: VEHICLE record with the contacts of this step, changed in place.
    """
    powertrain = vehicle.powertrain
    wheels = vehicle.wheel
    gear = vehicle.dbw.gear.engaged
    powertrain.gear_ratio = gear_ratio(p, gear)
    ratio = powertrain.gear_ratio * powertrain.cvt_ratio
    capacity = clutch_capacity(p, powertrain.engine_speed)
    powertrain.engine_torque, powertrain.indicated_torque = engine_torque(p, powertrain.air, powertrain.engine_speed)

    step_front_axle(h, p, vehicle)
    first = 0 if powertrain.front_engaged == 1 else 2
    context = (h, p, powertrain, wheels, first, ratio, capacity)
    guess = wheels[2].spin + wheels[3].spin - 0.5 * (wheels[2].spin_before + wheels[3].spin_before)
    difference = 0.0
    if gear == GEAR_PARK:
        axle_spin = 0.0
    elif vehicle.drive_mode == TURF:
        axle_spin, _ = open_root(context, guess)
        difference = open_split(h, p, wheels, axle_spin)
    else:
        axle_spin, _ = spool_root(context, guess)

    powertrain.engine_speed_before = powertrain.engine_speed
    if ratio == 0.0:
        capacity = 0.0
    clutch_torque, engine_speed = clutch_step(
        h,
        p,
        powertrain.engine_speed,
        powertrain.engine_torque,
        capacity,
        ratio * axle_spin,
    )
    powertrain.clutch_torque = clutch_torque
    powertrain.clutch_locked = 1 if abs(clutch_torque) < capacity else 0
    powertrain.axle_torque = axle_gain(p, ratio, clutch_torque * ratio * axle_spin) * clutch_torque
    powertrain.engine_speed = max(engine_speed, p.engine.floor_rpm / RPM)
    engine_mean = 0.5 * (powertrain.engine_speed + powertrain.engine_speed_before)
    powertrain.fuel_power = powertrain.indicated_torque * engine_mean / p.engine.indicated_efficiency

    for index in range(first):
        wheel = wheels[index]
        spin, _ = wheel_root((h, p, wheel), 2.0 * wheel.spin - wheel.spin_before)
        _turn(h, p, wheel, spin)
    for index in range(first, 2):
        _turn(h, p, wheels[index], axle_spin)
    _turn(h, p, wheels[2], axle_spin + difference)
    _turn(h, p, wheels[3], axle_spin - difference)
