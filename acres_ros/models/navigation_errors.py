"""Errors of the INS solution: position, velocity and attitude, with satellites and without.

With satellites each is a Gauss-Markov process with white noise on top. Without, the velocity error walks from where it
was, the position error is its integral, and the stated variances follow the same law: dv = q dW, dp = v dt, so in a
step of dt, with two independent deviates,

    w_v = q sqrt(dt) xi_1,    w_p = dt / 2 w_v + q sqrt(dt^3 / 12) xi_2

(exact discretisation of integrated white noise; Bar-Shalom, Li and Kirubarajan, 2001, section 6.2.2).
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models import inertial_errors
from acres_ros.models.inertial_errors import start_unit, step_unit
from acres_ros.models.markov import decay_and_drive
from acres_ros.models.maths import sqrt
from acres_ros.models.navigation_parameters import NONE

RUN_DRAWS = inertial_errors.RUN_DRAWS + 13
SAMPLE_DRAWS = 18 + inertial_errors.SAMPLE_DRAWS
"""Deviates that the start of a run and a sample take."""

_RUN, _VELOCITY, _ATTITUDE, _UNIT = inertial_errors.RUN_DRAWS, 6, 12, 18


@outlined
def start_ins(p, state, errors, deviates):
    """Begin a run: the unit, then the heading of the installation and the lever arm, then the processes.

    Args:
        p: INS parameters.
        state: INS_STATE record.
        errors: INS_ERRORS record.
        deviates: the first RUN_DRAWS are used.
    """
    start_unit(p.unit, state.unit, errors.raw, deviates)
    state.mounting = p.mounting * deviates[_RUN]
    for axis in range(3):
        errors.lever_arm[axis] = p.lever_arm * deviates[_RUN + 1 + axis]
        state.position[axis] = deviates[_RUN + 4 + axis]
        state.velocity[axis] = deviates[_RUN + 7 + axis]
        state.attitude[axis] = deviates[_RUN + 10 + axis]


@outlined
def step_ins(dt, p, vehicle, state, errors, deviates):
    """Take a sample: position, velocity, attitude, rate and force; for each axis what wanders, then the white part.

    Args:
        dt: time since the last sample, s.
        p: INS parameters.
        vehicle: VEHICLE record, read only.
        state: INS_STATE record.
        errors: INS_ERRORS record.
        deviates: the first SAMPLE_DRAWS are used.
    """
    if state.fix == NONE and errors.fix != NONE:
        _lose(p, p.mode[errors.fix], state)
    errors.fix = state.fix
    mode = p.mode[state.fix]
    decay, drive = decay_and_drive(dt, mode.tau)
    speed_decay, speed_drive = decay_and_drive(dt, p.speed_tau)
    for axis in range(3):
        d = 2 * axis
        state.position[axis] = decay * state.position[axis] + drive * deviates[d]
        sigma, white = mode_axis(mode, axis)
        errors.position[axis] = sigma * state.position[axis] + white * deviates[d + 1]
        errors.position_variance[axis] = sigma * sigma + white * white
        d += _VELOCITY
        state.velocity[axis] = speed_decay * state.velocity[axis] + speed_drive * deviates[d]
        speed = _speed(p, axis)
        errors.velocity[axis] = speed * state.velocity[axis]
        errors.velocity_variance[axis] = speed * speed
        if state.fix == NONE:
            _drift(dt, p.walk, axis, deviates[d], deviates[2 * axis], state, errors)
        errors.position[axis] += state.jump[axis]
        errors.velocity[axis] += p.speed_white * deviates[d + 1]
        errors.velocity_variance[axis] += p.speed_white * p.speed_white
    _step_attitude(dt, p, state, errors, deviates)
    step_unit(dt, p.unit, vehicle, state.unit, errors.raw, deviates, _UNIT)
    _correct(p, state.unit, errors, deviates)


@kernel
def mode_axis(mode, axis):
    """Return the standard deviations of the correlated and of the white part on an axis: east, north, up."""
    if axis == 2:
        return mode.up, mode.up_white
    return mode.horizontal, mode.horizontal_white


@kernel
def _speed(p, axis):
    """Return the standard deviation of the correlated velocity error on an axis."""
    return p.speed_up if axis == 2 else p.speed_horizontal


@kernel
def _lose(p, mode, state):
    """Begin to reckon from the last position with satellites, whose errors were those of a mode."""
    for axis in range(3):
        sigma, _ = mode_axis(mode, axis)
        speed = _speed(p, axis)
        state.drift[axis] = sigma * state.position[axis]
        state.drift_rate[axis] = speed * state.velocity[axis]
        state.drift_variance[axis] = sigma * sigma
        state.drift_covariance[axis] = 0.0
        state.rate_variance[axis] = speed * speed


@kernel
def _drift(dt, walk, axis, first, second, state, errors):
    """Let one axis reckon on for dt, and set its errors without white noise.

    Args:
        dt: time, s.
        walk: q.
        axis: 0 east, 1 north, 2 up.
        first, second: xi_1 and xi_2.
        state: INS_STATE record.
        errors: INS_ERRORS record.
    """
    change = walk * sqrt(dt) * first
    state.drift[axis] += dt * (state.drift_rate[axis] + 0.5 * change + walk * sqrt(dt / 12.0) * second)
    state.drift_rate[axis] += change
    new = walk * walk * dt
    both = 2.0 * state.drift_covariance[axis] + dt * (state.rate_variance[axis] + new / 3.0)
    state.drift_variance[axis] += dt * both
    state.drift_covariance[axis] += dt * (state.rate_variance[axis] + 0.5 * new)
    state.rate_variance[axis] += new
    errors.position[axis] = state.drift[axis]
    errors.position_variance[axis] = state.drift_variance[axis]
    errors.velocity[axis] = state.drift_rate[axis]
    errors.velocity_variance[axis] = state.rate_variance[axis]


@kernel
def _step_attitude(dt, p, state, errors, deviates):
    """Set the errors of roll, pitch and heading."""
    decay, drive = decay_and_drive(dt, p.tilt_tau)
    for axis in range(2):
        d = _ATTITUDE + 2 * axis
        state.attitude[axis] = decay * state.attitude[axis] + drive * deviates[d]
        errors.attitude[axis] = p.tilt * state.attitude[axis] + p.tilt_white * deviates[d + 1]
    decay, drive = decay_and_drive(dt, p.heading_tau)
    d = _ATTITUDE + 4
    state.attitude[2] = decay * state.attitude[2] + drive * deviates[d]
    errors.attitude[2] = state.mounting + p.heading * state.attitude[2] + p.heading_white * deviates[d + 1]


@kernel
def _correct(p, unit, errors, deviates):
    """Set the errors of the corrected rate and force: the white part, and what is left of the bias."""
    gyro, accelerometer = p.unit.gyro, p.unit.accelerometer
    for axis in range(3):
        d = _UNIT + 2 * axis + 1
        rate = unit.rate_bias[axis] + gyro.instability * unit.rate_wander[axis]
        force = unit.force_bias[axis] + accelerometer.instability * unit.force_wander[axis]
        errors.rate[axis] = p.bias_left * rate + gyro.white * deviates[d]
        errors.force[axis] = p.bias_left * force + accelerometer.white * deviates[d + 6]
