"""Speed control with throttle and brake (ULC). Source: spec, Drive-by-Wire and ULC, section ULC."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import PEDAL_BRAKE, PEDAL_NONE, PEDAL_THROTTLE, ULC_ACCELERATION, ULC_VELOCITY
from acres_ros.models.dbw.reference import limit
from acres_ros.models.maths import INFINITY, clamp, move2, sqrt

SPEED_RANGE = 45.0  # m/s, to both sides
LOWEST_ACCELERATION = -6.0  # m/s^2
HIGHEST_ACCELERATION = 3.0
SPEED_REACHED = 1.0e-9  # m/s


@kernel
def is_ulc_type(code):
    """Return whether the model accepts a command type."""
    return code == ULC_VELOCITY or code == ULC_ACCELERATION


@kernel
def step_speed_reference(h, speed, acceleration, goal, up, down, jerk_up, jerk_down):
    """Return the speed reference and the acceleration reference after a step of the velocity type.

    The jerk that ends a phase bounds its acceleration: a positive acceleration goes back to 0 with the downward jerk, a
    negative one with the upward jerk.

    Args:
        h: step, s.
        speed: speed reference along the gear direction, m/s.
        acceleration: acceleration reference, m/s^2.
        goal: commanded speed along the gear direction, m/s.
        up: acceleration limit, > 0, inf for none.
        down: deceleration limit, > 0, inf for none.
        jerk_up: `limit_jerk_throttle`, > 0, inf for none.
        jerk_down: `limit_jerk_brake`, > 0, inf for none.
    """
    error = goal - speed
    rate = 0.0
    if error >= SPEED_REACHED:
        rate = min(up, sqrt(2.0 * jerk_down * error))
    elif error <= -SPEED_REACHED:
        rate = -min(down, sqrt(-2.0 * jerk_up * error))
    if abs(rate) == INFINITY:
        rate = error / h  # no limit at all: there in one step
    acceleration = move2(acceleration, rate, jerk_up * h, jerk_down * h)
    change = rate * h
    if (error > 0.0 and change >= error) or (error < 0.0 and change <= error):
        return goal, acceleration
    return speed + change, acceleration


@kernel
def select_pedal(demand, coast, pedal, p):
    """Return the pedal that an acceleration demand selects; between the thresholds the last one stays.

    Args:
        demand: acceleration demand a_d, m/s^2.
        coast: 1: no pedal instead of the brake.
        pedal: pedal of the step before.
        p: `dbw.ulc` parameters.
    """
    if demand > p.throttle_on_mps2:
        return PEDAL_THROTTLE
    if demand < p.brake_on_mps2:
        return PEDAL_NONE if coast != 0 else PEDAL_BRAKE
    return pedal


@kernel
def throttle_request(speed, acceleration, error, integral, p):
    """Return the pedal request in %; at standstill the offset and the integral start the vehicle.

    Args:
        speed: measured speed v_u, m/s.
        acceleration: acceleration reference a_ref, m/s^2.
        error: speed error e along the gear direction, m/s.
        integral: integral of the error, m.
        p: `dbw.ulc` parameters.
    """
    launch = clamp(abs(speed) / max(0.01, p.launch_speed_mps), 0.0, 1.0)
    pedal = p.throttle_offset_pct + p.throttle_accel_pct * acceleration
    pedal = pedal + p.throttle_speed_pct * launch * error + p.throttle_integral_pct * integral
    return clamp(pedal, 0.0, 100.0)


@kernel
def brake_request(demand, p):
    """Return the pressure in bar that decelerates the assumed mass at the demand.

    Args:
        demand: acceleration demand a_d, m/s^2, negative to brake.
        p: `PARAMETERS` record.
    """
    torque_per_bar = max(1.0, 2.0 * (p.brakes.front_nm_per_bar + p.brakes.rear_nm_per_bar))
    return clamp(p.dbw.ulc.mass_kg * -demand * p.tyre.radius_m / torque_per_bar, 0.0, p.dbw.brake.max_bar)


@kernel
def control_speed(h, command, p, direction, wheel_speed, speed, state):
    """Run one step of the speed control: references, demand, stop hold, pedals.

    Args:
        h: step, s.
        command: `ULC_COMMAND` record.
        p: `PARAMETERS` record.
        direction: -1.0 in reverse, else 1.0.
        wheel_speed: v_w, m/s, negative in reverse.
        speed: v_u, the wheel speed with its bias, m/s.
        state: `ULC_STATE` record.
    """
    q = p.dbw.ulc
    jerk_up = limit(command.limit_jerk_throttle, q.default_jerk_throttle_mps3)
    jerk_down = limit(command.limit_jerk_brake, q.default_jerk_brake_mps3)
    if command.type == ULC_VELOCITY:
        goal = clamp(command.value, -SPEED_RANGE, SPEED_RANGE)
        along, acceleration = step_speed_reference(
            h,
            direction * state.speed_reference,
            state.acceleration_reference,
            direction * goal,
            limit(command.limit_acceleration, q.default_accel_mps2),
            limit(command.limit_deceleration, q.default_decel_mps2),
            jerk_up,
            jerk_down,
        )
        state.speed_reference = direction * along
    else:
        wanted = clamp(command.value, LOWEST_ACCELERATION, HIGHEST_ACCELERATION)
        acceleration = move2(state.acceleration_reference, wanted, jerk_up * h, jerk_down * h)
        state.speed_reference = speed
        goal = speed + acceleration
    error = direction * (state.speed_reference - speed)
    demand = acceleration + q.kp * error
    standing = abs(wheel_speed) < q.stop_speed_mps
    at_rest = abs(state.speed_reference) < q.stop_speed_mps and abs(goal) < q.stop_speed_mps
    if standing and (acceleration < 0.0 or at_rest):
        state.stop_hold = 1
        state.pedal = PEDAL_NONE
        state.throttle_pct = 0.0
        state.brake_bar = q.stop_brake_pct * p.dbw.brake.max_bar / 100.0
        state.integral = 0.0
    else:
        state.stop_hold = 0
        state.pedal = select_pedal(demand, command.coast_deceleration, state.pedal, q)
        state.throttle_pct = 0.0
        state.brake_bar = 0.0
        if state.pedal == PEDAL_THROTTLE:
            state.throttle_pct = throttle_request(speed, acceleration, error, state.integral, q)
        elif state.pedal == PEDAL_BRAKE:
            state.brake_bar = brake_request(demand, p)
        state.integral = clamp(state.integral + error * h, -q.integral_limit_m, q.integral_limit_m)
    state.acceleration_reference = acceleration
    state.error = error
    state.demand = demand


@kernel
def step_ulc(h, in_control, drives, command, p, direction, wheel_speed, state):
    """Run the speed control while it has control; the last requests stay while it still drives the pedals.

    Args:
        h: step, s.
        in_control: whether the ULC has control in this step.
        drives: whether the pedals follow it in this step.
        command: `COMMAND` record.
        p: `PARAMETERS` record.
        direction: -1.0 in reverse, else 1.0.
        wheel_speed: v_w, m/s, negative in reverse.
        state: `ULC_STATE` record.
    """
    speed = wheel_speed + command.shift.ulc_speed_bias
    if not in_control or state.in_control == 0:
        state.speed_reference = speed
        state.acceleration_reference = 0.0
        state.integral = 0.0
        state.pedal = PEDAL_NONE
    if in_control:
        control_speed(h, command.ulc, p, direction, wheel_speed, speed, state)
        state.in_control = 1
        state.type = command.ulc.type
        state.coast_deceleration = command.ulc.coast_deceleration
    else:
        state.error = 0.0
        state.demand = 0.0
        state.stop_hold = 0
        state.in_control = 0
        state.type = 0
        state.coast_deceleration = 0
        if not drives:
            state.throttle_pct = 0.0
            state.brake_bar = 0.0
