"""The compiled half of the random streams: PCG32, SplitMix64, and the hash that gives each beam of a scan its noise.

PCG32 is PCG-XSH-RR 64/32 of O'Neill (2014); SplitMix64 is of Steele, Lea and Flood (2014); normal deviates are of Box
and Muller (1958). Seeds and sequences are those of `acres_ros.core.streams`.
"""

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.elementary.exponential import log_of_normal
from acres_ros.models.elementary.trigonometric import cos_abreast
from acres_ros.models.maths import TWO_PI, cos, log, sin, sqrt

PCG_MULTIPLIER = 6364136223846793005
PER_32_BITS = 1.0 / 4294967296.0
PER_53_BITS = 1.0 / 9007199254740992.0

DROP_OUT_DRAW, BODY_DRAW, CROP_DRAW, SHAPE_DRAWS = 0, 1, 2, 3
"""Outputs of a beam's hash: whether its echo is lost, whether the own body gives one, how far it gets in crops, and
for each shape from here on how far it gets in that."""
DROP_DRAW, DROP_SIZE_DRAW, PUFF_DRAW, PUFF_STRENGTH_DRAW = (1 << 62) + 0, (1 << 62) + 1, (1 << 62) + 2, (1 << 62) + 3
"""Outputs beyond all shapes: where a beam meets a drop, how large that is, where a puff of dust, how bright that is."""

# The arithmetic below is modulo 2**64. `np.add` and `np.multiply` wrap without a warning where the compiler is off.
_MULTIPLIER = np.uint64(PCG_MULTIPLIER)
_LOW_32 = np.uint64(0xFFFFFFFF)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U1, _U11, _U18, _U27 = np.uint64(1), np.uint64(11), np.uint64(18), np.uint64(27)
_U30, _U31, _U32, _U59 = np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(59)


@kernel
def pcg32_next(state):
    """Return the next 32 bits of a PCG32, in a 64-bit word. `state`: its two words."""
    old = state[0]
    state[0] = np.add(np.multiply(old, _MULTIPLIER), state[1])
    shifted = (((old >> _U18) ^ old) >> _U27) & _LOW_32
    turn = old >> _U59
    return ((shifted >> turn) | (shifted << ((_U32 - turn) & _U31))) & _LOW_32


@kernel
def pcg32_uniform(state):
    """Return a number from 0 up to, but without, 1. `state`: the two words of a PCG32."""
    return pcg32_next(state) * PER_32_BITS


@kernel
def pcg32_normal(state):
    """Return a standard normal deviate from two draws. `state`: the two words of a PCG32."""
    radius_draw = (pcg32_next(state) + _U1) * PER_32_BITS
    return box_muller(radius_draw, pcg32_next(state) * PER_32_BITS)


@kernel
def box_muller(radius_draw, angle_draw):
    """Return a standard normal deviate from a number in (0, 1] and a number in [0, 1)."""
    return sqrt(-2.0 * log(radius_draw)) * cos(TWO_PI * angle_draw)


@kernel
def pcg32_normals(state, count, deviates, radii):
    """Write `count` standard normal deviates, the bits of as many calls of `pcg32_normal`, in a third of the time.

    Args:
        state: the two words of a PCG32.
        count: how many.
        deviates: where they go.
        radii: room for as many numbers.
    """
    for i in range(count):
        radii[i] = (pcg32_next(state) + _U1) * PER_32_BITS
        deviates[i] = pcg32_next(state) * PER_32_BITS
    for i in range(count):
        radii[i] = sqrt(-2.0 * log_of_normal(radii[i]))
    for i in range(count):
        deviates[i] = radii[i] * cos_abreast(TWO_PI * deviates[i])


@entry
def fill_normals(state, deviates, radii):
    """Fill a row with standard normal deviates. `state`: the two words of a PCG32; `radii`: room for as many."""
    pcg32_normals(state, deviates.shape[0], deviates, radii)


@entry
def draw_u32(state):
    """Return the next 32 bits of a PCG32. `state`: its words."""
    return pcg32_next(state)


@entry
def draw_normal(state):
    """Return a standard normal deviate of a PCG32. `state`: its words."""
    return pcg32_normal(state)


@kernel
def mix64(word):
    """Return the output function of SplitMix64: a word in which each bit depends on each bit of `word`."""
    word = np.multiply(word ^ (word >> _U30), _MIX_1)
    word = np.multiply(word ^ (word >> _U27), _MIX_2)
    return word ^ (word >> _U31)


@kernel
def splitmix64_next(state):
    """Return the next 64 bits of a SplitMix64. `state`: its one word."""
    state[0] = np.add(state[0], _GOLDEN)
    return mix64(state[0])


@kernel
def splitmix64_normal(state):
    """Return a standard normal deviate from two draws. `state`: the one word of a SplitMix64."""
    radius_draw = ((splitmix64_next(state) >> _U11) + _U1) * PER_53_BITS
    return box_muller(radius_draw, (splitmix64_next(state) >> _U11) * PER_53_BITS)


@entry
def draw_u64(state):
    """Return the next 64 bits of a SplitMix64. `state`: its words."""
    return splitmix64_next(state)


@entry
def draw_normal_64(state):
    """Return a standard normal deviate of a SplitMix64. `state`: its words."""
    return splitmix64_normal(state)


@entry
def scan_key(seed, environment, step):
    """Return the key of a scan: `seed xor (environment * 2**32) xor step`, mixed.

    Source: spec, Seeds and Random Streams, row LiDAR of ACRES Core.
    """
    return mix64(np.uint64(seed) ^ (np.uint64(environment) << _U32) ^ np.uint64(step))


@kernel
def numbered_hash(word, number):
    """Return output `number`, from 0 on, of the SplitMix64 that starts at a word."""
    return mix64(np.add(word, np.multiply(np.uint64(number) + _U1, _GOLDEN)))


@kernel
def beam_hash(seed, environment, step, beam):
    """Return 64 random bits that belong to one beam of one scan, whichever thread computes it.

    Args:
        seed: seed of the run.
        environment: index of the environment.
        step: step count of the scan.
        beam: index of the beam in the scan, from 0 on.
    """
    return numbered_hash(scan_key(seed, environment, step), beam)


@kernel
def next_hash(word):
    """Return 64 more random bits for the owner of a hash."""
    return mix64(np.add(word, _GOLDEN))


@kernel
def hash_uniform(word):
    """Return a number from 0 up to, but without, 1 from 64 random bits."""
    return (word >> _U11) * PER_53_BITS


@kernel
def hash_above_0(word):
    """Return a number above 0, up to and with 1, from 64 random bits."""
    return ((word >> _U11) + _U1) * PER_53_BITS


@kernel
def hash_normals(word):
    """Return two independent standard normal deviates from 64 random bits."""
    radius = sqrt(-2.0 * log(((word >> _U32) + _U1) * PER_32_BITS))
    angle = TWO_PI * ((word & _LOW_32) * PER_32_BITS)
    return radius * cos(angle), radius * sin(angle)


@kernel
def hash_normal(word):
    """Return a standard normal deviate from 64 random bits."""
    return box_muller(((word >> _U32) + _U1) * PER_32_BITS, (word & _LOW_32) * PER_32_BITS)
