"""The random streams: which generator, seed and sequence each noise has, and the generators themselves.

Nothing takes a seed from the time or from the hardware. Each noise has its own stream, so that a sensor that is
switched off does not change the noise of the others (spec, Time Stepping and Determinism, section Seeds and Random
Streams).

The functions without a class are compiled into the sensor loops; the classes serve Python. A generator holds nothing
but its words: a normal deviate always uses two draws, so `state` alone is the whole snapshot.

PCG32 is PCG-XSH-RR 64/32 of O'Neill (2014); SplitMix64 is of Steele, Lea and Flood (2014); normal deviates are of Box
and Muller (1958).
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acres_ros._compile import entry, kernel
from acres_ros.errors import AcresError
from acres_ros.models.maths import TWO_PI, cos, log, sqrt

AGENT_SEED_STRIDE = 7919
"""Added to the seed for each agent index (spec, Seeds and Random Streams, row INS of core_sim)."""

DEFAULT_SEED = 42

_WORD = (1 << 64) - 1
_PCG_MULTIPLIER = 6364136223846793005
_PER_32_BITS = 1.0 / 4294967296.0
_PER_53_BITS = 1.0 / 9007199254740992.0

# The arithmetic below is modulo 2**64. `np.add` and `np.multiply` wrap without a warning where the compiler is off.
_MULTIPLIER = np.uint64(_PCG_MULTIPLIER)
_LOW_32 = np.uint64(0xFFFFFFFF)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U1, _U11, _U18, _U27 = np.uint64(1), np.uint64(11), np.uint64(18), np.uint64(27)
_U30, _U31, _U32, _U59 = np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(59)


class Stream(NamedTuple):
    """Where a stream starts.

    Attributes:
        seed_offset: added to the seed of the run.
        sequence: PCG32 sequence; None where each image row has its own.
        frame_stride: added to the seed once for each image frame, the first included.
    """

    seed_offset: int
    sequence: int | None
    frame_stride: int = 0


STREAMS: dict[str, Stream] = {
    "gnss": Stream(0, 1),
    "imu": Stream(1009, 2),
    "lidar": Stream(2018, 3),
    "gnss_constellation": Stream(3027, 4),
    "lidar_rain": Stream(4036, 5),
    "ins": Stream(5045, 6),
    "camera_pattern": Stream(3027, None),
    "camera_noise": Stream(3027, None, 1000003),
}
"""PCG32 streams by name (spec, Seeds and Random Streams). The weather is a `SplitMix64`, the LiDAR a `beam_hash`."""


class SeedRefusedError(AcresError):
    """Report a seed or a sequence that is not a word of the generator."""

    def __init__(self, name: str, given: object) -> None:
        super().__init__(f"{name} is {given!r}; it has to be an integer from 0 to 2**64 - 1.")
        self.name = name
        self.given = given


class StreamUnknownError(AcresError):
    """Report a stream name, or a missing image row, that the table cannot serve."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the random stream is {name!r}; the names are {', '.join(STREAMS)}. The camera streams need an image row."
        )
        self.name = name


class Pcg32:
    """Draw from one PCG32 stream, seeded as the reference implementation does.

    Args:
        state_seed: initial state, 0 to 2**64 - 1.
        sequence: stream selector, 0 to 2**63 - 1 (its top bit has no effect).

    Raises:
        SeedRefusedError: a seed is not a word.
    """

    def __init__(self, state_seed: int, sequence: int) -> None:
        seed = checked_seed("the state seed", state_seed)
        increment = (checked_seed("the sequence", sequence) << 1 | 1) & _WORD
        first = ((increment + seed) * _PCG_MULTIPLIER + increment) & _WORD
        self.state: NDArray[np.uint64] = np.array([first, increment], np.uint64)
        """The two words of the generator; copy them out and in for a snapshot."""

    def next_u32(self) -> int:
        """Return the next 32 bits."""
        return int(_draw_u32(self.state))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from `low` up to, but without, `high`."""
        return low + (high - low) * (self.next_u32() * _PER_32_BITS)

    def normal(self) -> float:
        """Return a standard normal deviate."""
        return float(_draw_normal(self.state))

    def normals(self, count: int) -> NDArray[np.float64]:
        """Return standard normal deviates, the same that `count` calls of `normal` give."""
        deviates = np.empty(count)
        fill_normals(self.state, deviates)
        return deviates


class SplitMix64:
    """Draw from a SplitMix64 generator.

    Args:
        seed: initial state, 0 to 2**64 - 1.

    Raises:
        SeedRefusedError: the seed is not a word.
    """

    def __init__(self, seed: int) -> None:
        self.state: NDArray[np.uint64] = np.array([checked_seed("the seed", seed)], np.uint64)
        """The one word of the generator; copy it out and in for a snapshot."""

    def next_u64(self) -> int:
        """Return the next 64 bits."""
        return int(_draw_u64(self.state))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from `low` up to, but without, `high`, made of 53 bits."""
        return low + (high - low) * ((self.next_u64() >> 11) * _PER_53_BITS)

    def normal(self) -> float:
        """Return a standard normal deviate."""
        return float(_draw_normal_64(self.state))


def stream(name: str, seed: int = DEFAULT_SEED, *, agent: int = 0, row: int | None = None, frame: int = 0) -> Pcg32:
    """Return the generator of a named noise at its start.

    Args:
        name: a key of `STREAMS`.
        seed: seed of the run.
        agent: index of the vehicle; 0 gives the streams of the spec's table.
        row: image row, for the camera streams only.
        frame: image frame, for the camera noise only.

    Raises:
        StreamUnknownError: no such name, or a camera stream without a row.
        SeedRefusedError: the seed or the index is not a word.
    """
    if name not in STREAMS:
        raise StreamUnknownError(name)
    place = STREAMS[name]
    sequence = row if place.sequence is None else place.sequence
    if sequence is None:
        raise StreamUnknownError(name)
    start = checked_seed("the seed", seed) + place.seed_offset + AGENT_SEED_STRIDE * checked_seed("the agent", agent)
    start += place.frame_stride * (checked_seed("the frame", frame) + 1)
    return Pcg32(start & _WORD, sequence)


def checked_seed(name: str, given: object) -> int:
    """Return a seed as an integer of 64 bits.

    Args:
        name: what the seed is, for the error.
        given: any integer type.

    Raises:
        SeedRefusedError: `given` is not an integer from 0 to 2**64 - 1.
    """
    try:
        seed = operator.index(given)  # type: ignore[arg-type]  # the failure is the check
    except TypeError:
        raise SeedRefusedError(name, given) from None
    if not 0 <= seed <= _WORD:
        raise SeedRefusedError(name, given)
    return seed


# -- compiled: PCG32 ------------------------------------------------------------------------------------------------


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
    return pcg32_next(state) * _PER_32_BITS


@kernel
def pcg32_normal(state):
    """Return a standard normal deviate from two draws. `state`: the two words of a PCG32."""
    radius_draw = (pcg32_next(state) + _U1) * _PER_32_BITS
    return box_muller(radius_draw, pcg32_next(state) * _PER_32_BITS)


@kernel
def box_muller(radius_draw, angle_draw):
    """Return a standard normal deviate from a number in (0, 1] and a number in [0, 1)."""
    return sqrt(-2.0 * log(radius_draw)) * cos(TWO_PI * angle_draw)


@entry
def fill_normals(state, deviates):
    """Fill a row with standard normal deviates. `state`: the two words of a PCG32."""
    for i in range(deviates.shape[0]):
        deviates[i] = pcg32_normal(state)


@entry
def _draw_u32(state):
    return pcg32_next(state)


@entry
def _draw_normal(state):
    return pcg32_normal(state)


# -- compiled: SplitMix64 and the hash of a beam ----------------------------------------------------------------------


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
    radius_draw = ((splitmix64_next(state) >> _U11) + _U1) * _PER_53_BITS
    return box_muller(radius_draw, (splitmix64_next(state) >> _U11) * _PER_53_BITS)


@entry
def _draw_u64(state):
    return splitmix64_next(state)


@entry
def _draw_normal_64(state):
    return splitmix64_normal(state)


@kernel
def beam_hash(seed, environment, step, beam):
    """Return 64 random bits that belong to one beam of one scan, whichever thread computes it.

    The scan's key is `seed xor (environment * 2**32) xor step` (spec, Seeds and Random Streams, row LiDAR of ACRES
    Core); the beam takes the output number `beam` of the SplitMix64 that starts at the mixed key.

    Args:
        seed: seed of the run.
        environment: index of the environment.
        step: step count of the scan.
        beam: index of the beam in the scan, from 0 on.
    """
    key = np.uint64(seed) ^ (np.uint64(environment) << _U32) ^ np.uint64(step)
    return mix64(np.add(mix64(key), np.multiply(np.uint64(beam) + _U1, _GOLDEN)))


@kernel
def next_hash(word):
    """Return 64 more random bits for the owner of a hash."""
    return mix64(np.add(word, _GOLDEN))


@kernel
def hash_uniform(word):
    """Return a number from 0 up to, but without, 1 from 64 random bits."""
    return (word >> _U11) * _PER_53_BITS


@kernel
def hash_normal(word):
    """Return a standard normal deviate from 64 random bits."""
    return box_muller(((word >> _U32) + _U1) * _PER_32_BITS, (word & _LOW_32) * _PER_32_BITS)
