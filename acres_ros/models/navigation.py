"""The errors of INS, IMU and GNSS, one physics step at a time.

Each stream takes its samples by the due rule of the spec and has its own random stream (spec, Time Stepping and
Determinism, sections Sensor Sample Times, Seeds and Random Streams). Nothing here changes the vehicle.
"""

from acres_ros._compile import entry, outlined
from acres_ros.models import inertial_errors, navigation_errors
from acres_ros.models.inertial_errors import start_unit, step_unit
from acres_ros.models.markov import decay_and_drive, draw, due, start_clock
from acres_ros.models.navigation_errors import mode_axis, start_ins, step_ins
from acres_ros.models.navigation_parameters import NONE, SINGLE
from acres_ros.models.timestep import STEP_S

_INS_RUN, _INS_SAMPLE = navigation_errors.RUN_DRAWS, navigation_errors.SAMPLE_DRAWS
_IMU_RUN, _IMU_SAMPLE = inertial_errors.RUN_DRAWS, inertial_errors.SAMPLE_DRAWS
_GNSS_RUN, _GNSS_SAMPLE = 3, 6


@entry
def start_navigation(parameters, states, outs, noise):
    """Begin a run: draw what is constant in it, and where the processes begin.

    Args:
        parameters: NAVIGATION_PARAMETERS records; the first is read.
        states: NAVIGATION_STATE records that hold the defaults.
        outs: NAVIGATION records that hold the defaults.
        noise: `Noise`, its streams at their start.
    """
    p, state, out = parameters[0], states[0], outs[0]
    start_clock(state.ins.clock, p.ins.grid)
    start_clock(state.imu_clock, p.vehicle_imu.grid)
    start_clock(state.gnss_clock, p.vehicle_gnss.grid)
    draw(noise, noise.ins, _INS_RUN)
    start_ins(p.ins, state.ins, out.ins, noise.deviates)
    draw(noise, noise.imu, _IMU_RUN)
    start_unit(p.vehicle_imu.unit, state.imu, out.vehicle_imu, noise.deviates)
    draw(noise, noise.gnss, _GNSS_RUN)
    for axis in range(3):
        state.gnss_position[axis] = noise.deviates[axis]


@outlined
def _advance(vehicle, p, state, out, noise):
    """Take the samples that are due in the next step of one vehicle."""
    state.step += 1
    since = due(state.ins.clock, p.ins.grid, state.step)
    if since > 0:
        draw(noise, noise.ins, _INS_SAMPLE)
        step_ins(STEP_S * since, p.ins, vehicle, state.ins, out.ins, noise.deviates)
    since = due(state.imu_clock, p.vehicle_imu.grid, state.step)
    if since > 0:
        draw(noise, noise.imu, _IMU_SAMPLE)
        step_unit(STEP_S * since, p.vehicle_imu.unit, vehicle, state.imu, out.vehicle_imu, noise.deviates, 0)
    since = due(state.gnss_clock, p.vehicle_gnss.grid, state.step)
    if since > 0:
        draw(noise, noise.gnss, _GNSS_SAMPLE)
        out.vehicle_gnss.fix = NONE if state.ins.fix == NONE else SINGLE
        _step_receiver(STEP_S * since, p.vehicle_gnss.mode, state.gnss_position, out.vehicle_gnss, noise.deviates)


@outlined
def _step_receiver(dt, mode, position, errors, deviates):
    """Take a sample of the vehicle's own receiver."""
    decay, drive = decay_and_drive(dt, mode.tau)
    for axis in range(3):
        position[axis] = decay * position[axis] + drive * deviates[2 * axis]
        sigma, white = mode_axis(mode, axis)
        errors.position[axis] = sigma * position[axis] + white * deviates[2 * axis + 1]


@entry
def step_navigation(vehicles, parameters, states, outs, noise):
    """Take the samples that are due in the next step.

    Args:
        vehicles: VEHICLE records after the step; the first is read.
        parameters: NAVIGATION_PARAMETERS records.
        states: NAVIGATION_STATE records.
        outs: NAVIGATION records; what is not due stays.
        noise: `Noise`.
    """
    _advance(vehicles[0], parameters[0], states[0], outs[0], noise)


@entry
def run_navigation(vehicles, parameters, states, outs, noise, rows):
    """Take as many steps as `rows` has records, and keep the NAVIGATION record after each of them there.

    The vehicle stays as it is: this is for the statistics of the errors.
    """
    for index in range(rows.shape[0]):
        _advance(vehicles[0], parameters[0], states[0], outs[0], noise)
        rows[index] = outs[0]
