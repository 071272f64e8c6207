"""Reference generator in minimum time, for the steering wheel and the rising brake pressure.

Source: spec, Drive-by-Wire and ULC, sections Steering Actuator and Brake Pressure.
"""

from acres_ros._compile import kernel
from acres_ros.models.maths import INFINITY, move, sqrt


@kernel
def limit(value, default):
    """Return the limit that a field of a command means: 0 the default, below 0 or inf none; a default of 0 is none."""
    if value < 0.0:
        return INFINITY
    if value > 0.0:
        return value
    return default if default > 0.0 else INFINITY


@kernel
def step_reference(h, x, rate, target, rate_limit, acceleration_limit):
    """Return position and rate after a step towards the target; it lands on the target with the rate 0.

    The rate is the largest from which the acceleration limit can still stop at the target.

    Args:
        h: step, s.
        x: position.
        rate: its rate, 1/s.
        target: where to go.
        rate_limit: largest rate, > 0, inf for none.
        acceleration_limit: largest change of the rate, > 0, inf for none.
    """
    error = target - x
    wanted = 0.0
    if error > 0.0:
        wanted = min(rate_limit, sqrt(2.0 * acceleration_limit * error))
    elif error < 0.0:
        wanted = -min(rate_limit, sqrt(-2.0 * acceleration_limit * error))
    rate = move(rate, wanted, acceleration_limit * h)
    change = rate * h
    if (error > 0.0 and change >= error) or (error < 0.0 and change <= error):
        return target, 0.0
    return x + change, rate
