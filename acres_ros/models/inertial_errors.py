"""Errors of an inertial unit: bias of the run, wandering bias, white noise, scale factor, vibration.

Bias and white noise by class of unit: noise table of the STIM300 and the Ellipse2 in NAVIGATION (ION). Vibration is as
strong as the drive is rough; it is shaped to the upper part of the band, so that it leaves little in the integrals.
"""

from acres_ros._compile import kernel, outlined
from acres_ros.models.markov import decay_and_drive
from acres_ros.models.maths import sqrt

ASPHALT, CONCRETE = 1, 7
ALTERNATION = 0.5
"""Share of the last sample of vibration that comes back with the other sign: 85 % of its power is in the upper 3/5."""
FULL_SPEED = 1.0
"""Speed from which on the ground shakes the vehicle as its roughness asks for, m/s."""
RUN_DRAWS, SAMPLE_DRAWS = 21, 15
"""Deviates that the start of a run and a sample take."""


@outlined
def start_unit(unit, state, errors, deviates):
    """Set what is constant in a run, the biases first, then the scale factors; then where the processes begin.

    Args:
        unit: UNIT record.
        state: UNIT_STATE record.
        errors: UNIT_ERRORS record.
        deviates: the first RUN_DRAWS are used.
    """
    for axis in range(3):
        state.rate_bias[axis] = unit.gyro.bias * deviates[axis]
        state.force_bias[axis] = unit.accelerometer.bias * deviates[3 + axis]
        errors.rate_scale[axis] = unit.gyro.scale * deviates[6 + axis]
        errors.force_scale[axis] = unit.accelerometer.scale * deviates[9 + axis]
        state.rate_wander[axis] = deviates[12 + axis]
        state.force_wander[axis] = deviates[15 + axis]
        state.shake[axis] = deviates[18 + axis]


@kernel
def shaking(vibration, vehicle):
    """Return the rms of the vibration on each axis, m/s^2."""
    body = vehicle.body
    speed = sqrt(body.vx * body.vx + body.vy * body.vy + body.vz * body.vz)
    paved = 0
    for index in range(4):
        surface = vehicle.wheel[index].surface
        if surface == ASPHALT or surface == CONCRETE:
            paved += 1
    rough = 1.0 - 0.25 * paved * (1.0 - vibration.paved)
    driving = (vibration.moving - vibration.idle) * min(1.0, speed / FULL_SPEED) + vibration.per_speed * speed
    return vibration.idle + rough * max(0.0, driving)


@outlined
def step_unit(dt, unit, vehicle, state, errors, deviates, first):
    """Take a sample: for each axis what wanders and the white part, rate before force; then the vibration.

    Args:
        dt: time since the last sample, s.
        unit: UNIT record.
        vehicle: VEHICLE record, read only.
        state: UNIT_STATE record.
        errors: UNIT_ERRORS record, the error of the raw sample.
        deviates: SAMPLE_DRAWS of them are used.
        first: where they begin.
    """
    gyro, accelerometer = unit.gyro, unit.accelerometer
    decay, drive = decay_and_drive(dt, gyro.tau)
    for axis in range(3):
        d = first + 2 * axis
        state.rate_wander[axis] = decay * state.rate_wander[axis] + drive * deviates[d]
        bias = state.rate_bias[axis] + gyro.instability * state.rate_wander[axis]
        errors.rate[axis] = bias + gyro.white * deviates[d + 1]
    decay, drive = decay_and_drive(dt, accelerometer.tau)
    errors.shaking = shaking(unit.vibration, vehicle)
    spread = sqrt(1.0 - ALTERNATION * ALTERNATION)
    for axis in range(3):
        d = first + 6 + 2 * axis
        state.force_wander[axis] = decay * state.force_wander[axis] + drive * deviates[d]
        bias = state.force_bias[axis] + accelerometer.instability * state.force_wander[axis]
        state.shake[axis] = spread * deviates[first + 12 + axis] - ALTERNATION * state.shake[axis]
        errors.force[axis] = bias + accelerometer.white * deviates[d + 1] + errors.shaking * state.shake[axis]
