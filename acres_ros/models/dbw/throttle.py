"""Throttle pedal emulation. Source: spec, Drive-by-Wire and ULC, section Throttle Pedal Emulation."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import THROTTLE_PERCENT, THROTTLE_RAW_PEDAL
from acres_ros.models.dbw.delay import delayed
from acres_ros.models.dbw.reference import limit
from acres_ros.models.maths import clamp, move, move2

RAW_PEDAL_RELEASED = 15.0  # % of the sensor range
RAW_PEDAL_FLOORED = 80.0


@kernel
def is_throttle_type(code):
    """Return whether the model accepts a command type."""
    return code == THROTTLE_PERCENT or code == THROTTLE_RAW_PEDAL


@kernel
def pedal_of_raw(raw):
    """Return the pedal in % of a reading of the pedal sensor in % of its range."""
    return (raw - RAW_PEDAL_RELEASED) / (RAW_PEDAL_FLOORED - RAW_PEDAL_RELEASED) * 100.0


@kernel
def step_throttle(h, user, by_ulc, ulc_pct, command, p, state):
    """Emulate the pedal: a user command before the ULC before the driver.

    Args:
        h: step, s.
        user: whether a user command has control in this step.
        by_ulc: whether the ULC drives the pedals in this step.
        ulc_pct: pedal request of the ULC after its output delay, %.
        command: `COMMAND` record.
        p: `dbw.throttle` parameters.
        state: `THROTTLE_STATE` record.
    """
    pedal = command.throttle
    state.input_pct = clamp(command.driver.throttle_pct, 0.0, 100.0)
    if user:
        wanted = pedal_of_raw(pedal.value) if pedal.type == THROTTLE_RAW_PEDAL else pedal.value
        state.command_pct = move2(
            state.command_pct,
            clamp(wanted, 0.0, 100.0),
            limit(pedal.rate_increase, p.default_rate_pct_s) * h,
            limit(pedal.rate_decrease, p.default_rate_pct_s) * h,
        )
        state.type = pedal.type
    elif by_ulc:
        state.command_pct = clamp(ulc_pct, 0.0, 100.0)
        state.type = THROTTLE_PERCENT
    else:
        state.command_pct = 0.0
        state.type = 0
    share = command.fault.throttle_share
    emulated = share * delayed(h, p.delay_s, state.command_pct, state.delay) + command.shift.throttle_bias_pct
    state.in_control = 1 if user or by_ulc else 0
    if state.in_control != 0:
        output = clamp(emulated, 0.0, 100.0)
        largest = command.fault.throttle_rate_pct * h
        if abs(output - state.output_pct) > largest:
            output = move(state.output_pct, output, largest)
        state.output_pct = output
    else:
        state.output_pct = state.input_pct
