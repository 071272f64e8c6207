"""The random numbers of many beams at once: in steps that the compiler makes vectors of.

The normal deviates are those of `hash_normals` but for rounding (1e-12). Bits become numbers through the bits of
doubles, the angle is cut into quarter turns while it is a whole number, and the series are those of Taylor: of the
area tangent for the logarithm, of sine and cosine in an eighth of a turn to both sides.
"""

import numpy as np

from acres_ros._compile import kernel
from acres_ros.models.elementary.bits import EXPONENT_OF_1, MANTISSA, bits_of, double_of
from acres_ros.models.maths import TWO_PI, sqrt
from acres_ros.models.streams import PER_32_BITS, numbered_hash

LN_2 = 0.6931471805599453
ROOT_2 = 1.4142135623730951
TWO_52 = 4503599627370496.0
QUARTER = 1073741824.0
"""A quarter turn in an angle of 32 bits."""

_BITS_OF_TWO_52 = np.uint64(0x4330000000000000)
_LOW_32, _EIGHTH = np.uint64(0xFFFFFFFF), np.uint64(0x20000000)
_U0, _U1, _U2, _U30, _U32, _U52 = (np.uint64(number) for number in (0, 1, 2, 30, 32, 52))
_MANTISSA, _ONE = np.uint64(MANTISSA), np.uint64(EXPONENT_OF_1)


@kernel
def _whole(word):
    """Return a word below 2^52 as a double."""
    return double_of(word | _BITS_OF_TWO_52) - TWO_52


@kernel
def _log_below_1(numerator):
    """Return log(numerator / 2^32) of a whole number from 1 to 2^32."""
    bits = np.uint64(bits_of(numerator))
    exponent, mantissa = _whole(bits >> _U52) - 1055.0, double_of((bits & _MANTISSA) | _ONE)
    half, above = 0.5 * mantissa, mantissa > ROOT_2
    mantissa, exponent = (half if above else mantissa), (exponent + 1.0 if above else exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    z = s * s
    series = 1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z * (1.0 / 15.0)))
    return exponent * LN_2 + 2.0 * s * (1.0 + z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * series))))


@kernel
def _sine(r):
    """Return the sine of an angle within an eighth of a turn, rad."""
    z = r * r
    series = 1.0 / 362880.0 - z * (1.0 / 39916800.0 - z * (1.0 / 6227020800.0))
    return r * (1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * series))))


@kernel
def _cosine(r):
    """Return the cosine of an angle within an eighth of a turn, rad."""
    z = r * r
    series = 1.0 / 40320.0 - z * (1.0 / 3628800.0 - z * (1.0 / 479001600.0 - z * (1.0 / 87178291200.0)))
    return 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * series)))


@kernel
def fill_words(key, beam, beams, count, words):
    """Fill the hashes of beams.

    Args:
        key: of the scan.
        beam, beams: number of the first beam, and by how much it grows from one to the next.
        count: how many.
        words: result u8 (count,).
    """
    for place in range(count):
        words[place] = numbered_hash(key, beam + place * beams)


@kernel
def fill_normals(words, count, one, other):
    """Fill two independent standard normal deviates for each hash.

    Args:
        words: from `fill_words`.
        count: how many.
        one, other: results (count,).
    """
    for place in range(count):
        word = words[place]
        radius = sqrt(-2.0 * _log_below_1(_whole(word >> _U32) + 1.0))
        turn = word & _LOW_32
        quarters = (turn + _EIGHTH) >> _U30
        rest = (_whole(turn) - _whole(quarters) * QUARTER) * (TWO_PI * PER_32_BITS)
        sine, cosine = radius * _sine(rest), radius * _cosine(rest)
        odd = (quarters & _U1) != _U0
        along, across = (sine if odd else cosine), (cosine if odd else sine)
        one[place] = -along if ((quarters + _U1) & _U2) != _U0 else along
        other[place] = -across if (quarters & _U2) != _U0 else across
