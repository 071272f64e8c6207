"""Brake pressure: command, apply, release. Source: spec, Drive-by-Wire and ULC, section Brake Pressure."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import BRAKE_PERCENT, BRAKE_PRESSURE
from acres_ros.models.dbw.delay import delayed
from acres_ros.models.dbw.reference import limit, step_reference
from acres_ros.models.maths import clamp, lag, move, move2, pow

RELEASE_REFERENCE_BAR = 10.0
RELEASE_LOWEST_BAR = 0.1  # the release is no slower than here


@kernel
def is_brake_type(code):
    """Return whether the model accepts a command type."""
    return code == BRAKE_PRESSURE or code == BRAKE_PERCENT


@kernel
def release_time_constant(p, bar):
    """Return the lag of the release in s at a line pressure in bar.

    Args:
        p: `dbw.brake` parameters.
        bar: line pressure.
    """
    return p.release_tau_s * pow(RELEASE_REFERENCE_BAR / max(RELEASE_LOWEST_BAR, bar), p.release_exponent)


@kernel
def step_line(h, goal, p, state):
    """Advance the line pressure towards the delayed command: up in minimum time, down with a lag.

    Args:
        h: step, s.
        goal: delayed pressure command, bar.
        p: `dbw.brake` parameters.
        state: `BRAKE_STATE` record.
    """
    if goal > state.line_bar:
        state.line_bar, state.line_rate_bar = step_reference(
            h, state.line_bar, state.line_rate_bar, goal, p.slew_bar_s, p.apply_accel_bar_s2
        )
    else:
        state.line_rate_bar = 0.0
        if goal < state.line_bar:
            state.line_bar = lag(state.line_bar, goal, release_time_constant(p, state.line_bar), h)


@kernel
def limit_line(before, rate, h, state):
    """Limit the change of the line pressure in a step to what a faulty actuator does; the driver's foot needs none.

    Args:
        before: line pressure before the step, bar.
        rate: largest rate of the actuator, bar/s.
        h: step, s.
        state: `BRAKE_STATE` record after `step_line`.
    """
    if abs(state.line_bar - before) > rate * h:
        limited = move(before, state.line_bar, rate * h)
        by_foot = min(state.line_bar, state.input_bar)
        if by_foot > limited:
            state.line_bar = by_foot
        else:
            state.line_bar = limited
            state.line_rate_bar = min(state.line_rate_bar, rate)


@kernel
def step_brake(h, user, by_ulc, ulc_bar, command, p, state):
    """Advance the brake: the largest of the driver and the drive-by-wire, where a user command goes before the ULC.

    Args:
        h: step, s.
        user: whether a user command has control in this step.
        by_ulc: whether the ULC drives the pedals in this step.
        ulc_bar: pressure request of the ULC after its output delay, bar.
        command: `COMMAND` record.
        p: `dbw.brake` parameters.
        state: `BRAKE_STATE` record.
    """
    brake = command.brake
    full = p.max_bar
    unit = full / 100.0 if brake.type == BRAKE_PERCENT else 1.0
    state.input_bar = clamp(command.driver.brake_bar, 0.0, full)
    asked = 0.0
    code = 0
    if user:
        asked = brake.value * full / 100.0 if brake.type == BRAKE_PERCENT else brake.value
        code = brake.type
    elif by_ulc:
        asked = ulc_bar
        code = BRAKE_PRESSURE
    wanted = clamp(max(command.driver.brake_bar, asked), 0.0, full)
    if user:
        up = limit(brake.rate_increase, 0.0) * unit * h
        down = limit(brake.rate_decrease, 0.0) * unit * h
        wanted = move2(state.command_bar, wanted, up, down)
    state.command_bar = wanted
    state.type = code
    state.in_control = 1 if user or by_ulc else 0
    goal = delayed(h, p.delay_s, wanted, state.delay)
    before = state.line_bar
    step_line(h, max(command.fault.brake_share * goal, min(goal, state.input_bar)), p, state)
    limit_line(before, command.fault.brake_rate_bar, h, state)
    state.output_bar = clamp(state.line_bar + command.shift.brake_bias_bar, 0.0, full)
