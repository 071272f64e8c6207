"""Gear actuator. Source: spec, Drive-by-Wire and ULC, section Gear Actuator."""

from acres_ros._compile import kernel
from acres_ros.models.dbw.codes import GEAR_LOW, GEAR_NEUTRAL, GEAR_NONE, GEAR_PARK, GEAR_REVERSE

_TIME_IS_UP_S = 1.0e-9  # the time left is a sum of steps: its rounding must not cost another step


@kernel
def gear_direction(gear):
    """Return s_g: -1.0 in reverse, 1.0 in every other gear."""
    return -1.0 if gear == GEAR_REVERSE else 1.0


@kernel
def step_gear(h, command, p, speed, state):
    """Change the gear when one is wanted and the vehicle is slow; neutral while it changes.

    A request above the speed limit, or to a stuck actuator, waits; a request during a change starts the change anew.

    Args:
        h: step, s.
        command: `COMMAND` record.
        p: `dbw.gear` parameters.
        speed: magnitude of the wheel speed, m/s.
        state: `GEAR_STATE` record.
    """
    asked = command.gear if command.system_enable != 0 and GEAR_PARK <= command.gear <= GEAR_LOW else GEAR_NONE
    state.command = asked
    state.driver = command.driver.gear
    wanted = asked if asked != GEAR_NONE else command.driver.gear
    differs = wanted != state.selected
    moves = command.fault.gear_stuck == 0
    able = moves and speed <= p.max_speed_mps
    state.refused = 1 if differs and not able else 0
    if differs and able:
        state.selected = wanted
        state.shift_left = p.shift_s + command.fault.gear_delay
    elif moves and state.shift_left > 0.0:
        state.shift_left = state.shift_left - h
    if state.shift_left <= _TIME_IS_UP_S:
        state.shift_left = 0.0
        state.engaged = state.selected
    else:
        state.engaged = GEAR_NEUTRAL
