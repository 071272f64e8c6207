"""The mathematics of the models: elementary functions with the same bits on every machine, compiled or not.

A libm differs between systems and CPUs in the last bit; after a minute of driving that is another path. The functions
here use + - * / sqrt, comparisons and the bit pattern of a double only, all of which IEEE 754 fixes.

Errors stay below 1 ulp for exp, log, pow, sin, cos, atan, asin and acos, and below 2 ulp for tan, tanh and atan2.
Special values follow C99 unless a function says otherwise: NaN in gives NaN out. `sqrt` takes numbers >= 0 only.
"""

from math import sqrt

from acres_ros._compile import kernel
from acres_ros.models.elementary.bits import DEGREE, HALF_PI, INFINITY, NAN, PI, ROUND, TWO_PI
from acres_ros.models.elementary.exponential import exp, log, pow, tanh
from acres_ros.models.elementary.trigonometric import (
    TRIGONOMETRIC_DOMAIN,
    acos,
    asin,
    atan,
    atan2,
    cos,
    sin,
    tan,
)

__all__ = [
    "DEGREE", "HALF_PI", "INFINITY", "NAN", "PI", "TRIGONOMETRIC_DOMAIN", "TWO_PI",
    "acos", "asin", "atan", "atan2", "clamp", "cos", "exp", "lag", "log", "move", "move2", "pow", "sin", "sqrt", "tan",
    "tanh", "wrap_pi",
]  # fmt: skip

LAG_END = 1.0e-200

_TWO_PI_LOW = 2.44929359829470635445e-16  # 2 pi - TWO_PI


@kernel
def clamp(x, low, high):
    """Return x, or the bound that it is beyond; low <= high."""
    if x < low:
        return low
    if x > high:
        return high
    return x


@kernel
def move(x, target, change):
    """Return x moved towards the target by at most `change` >= 0; inf jumps to it."""
    return move2(x, target, change, change)


@kernel
def move2(x, target, up, down):
    """Return x moved towards the target by at most `up` or `down`, both >= 0; inf jumps to it."""
    difference = target - x
    if difference > up:
        return x + up
    if difference < -down:
        return x - down
    return target


@kernel
def lag(x, target, time_constant, h):
    """Return a first-order lag after h seconds of a constant target: target + (x - target) e^(-h/T).

    A time constant of 0 or less follows at once. So does a difference below 1e-200: it would only fade into subnormal
    numbers, which some processes flush to 0 and others do not. Source: spec, Time Stepping and Determinism, First-Order
    Lags.
    """
    difference = x - target
    if time_constant <= 0.0 or abs(difference) < LAG_END:
        return target
    return target + difference * exp(-h / time_constant)


@kernel
def wrap_pi(angle):
    """Return an angle in rad wrapped to [-pi, pi); |angle| <= 1e9."""
    turns = (angle / TWO_PI + ROUND) - ROUND
    wrapped = (angle - turns * TWO_PI) - turns * _TWO_PI_LOW
    if wrapped >= PI:
        wrapped = wrapped - TWO_PI
    elif wrapped < -PI:
        wrapped = wrapped + TWO_PI
    return wrapped
