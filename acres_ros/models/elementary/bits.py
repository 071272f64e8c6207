"""Constants and the bit pattern of a double (IEEE 754 binary64)."""

import numpy as np

from acres_ros._compile import kernel

PI = 3.141592653589793
TWO_PI = 6.283185307179586
HALF_PI = 1.5707963267948966
DEGREE = PI / 180.0
INFINITY = float("inf")
NAN = float("nan")

ROUND = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to the nearest integer
MANTISSA = 0x000FFFFFFFFFFFFF
EXPONENT_OF_1 = 0x3FF0000000000000
SMALLEST_NORMAL = 2.2250738585072014e-308
LARGEST = 1.7976931348623157e308

_HIGH_WORD = -4294967296  # mask that keeps the upper 32 bits of a double


@kernel
def bits_of(x):
    """Return the bit pattern of a double as a 64-bit integer."""
    return np.float64(x).view(np.int64)


@kernel
def double_of(bits):
    """Return the double that has a bit pattern."""
    return np.int64(bits).view(np.float64)


@kernel
def upper_half(x):
    """Return `x` with its lower 32 bits cleared: 21 significant bits, whose products are exact."""
    return double_of(bits_of(x) & _HIGH_WORD)


@kernel
def power_of_two(k):
    """Return 2^k, -1022 <= k <= 1023."""
    return double_of((k + 1023) << 52)


@kernel
def is_negative(x):
    """Return whether the sign bit is set; -0.0 counts."""
    return bits_of(x) < 0
