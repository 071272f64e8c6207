"""The random streams: which generator, seed and sequence each noise has, and the generators themselves.

Nothing takes a seed from the time or from the hardware. Each noise has its own stream, so that a sensor that is
switched off does not change the noise of the others (spec, Time Stepping and Determinism, section Seeds and Random
Streams).

The classes serve Python; what is compiled into the sensor loops is in `acres_ros.models.streams`. A generator holds
nothing but its words: a normal deviate always uses two draws, so `state` alone is the whole snapshot.

PCG32 is PCG-XSH-RR 64/32 of O'Neill (2014); SplitMix64 is of Steele, Lea and Flood (2014); normal deviates are of Box
and Muller (1958).
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acres_ros.errors import AcresError
from acres_ros.models.streams import (
    PCG_MULTIPLIER,
    PER_32_BITS,
    PER_53_BITS,
    draw_normal,
    draw_normal_64,
    draw_u32,
    draw_u64,
    fill_normals,
)

AGENT_SEED_STRIDE = 7919
"""Added to the seed for each agent index (spec, Seeds and Random Streams, row INS of core_sim)."""

DEFAULT_SEED = 42

_WORD = (1 << 64) - 1


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
    "command_faults": Stream(6054, 7),
    "sensor_faults": Stream(7063, 8),
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
        first = ((increment + seed) * PCG_MULTIPLIER + increment) & _WORD
        self.state: NDArray[np.uint64] = np.array([first, increment], np.uint64)
        """The two words of the generator; copy them out and in for a snapshot."""

    def next_u32(self) -> int:
        """Return the next 32 bits."""
        return int(draw_u32(self.state))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from `low` up to, but without, `high`."""
        return low + (high - low) * (self.next_u32() * PER_32_BITS)

    def normal(self) -> float:
        """Return a standard normal deviate."""
        return float(draw_normal(self.state))

    def normals(self, count: int) -> NDArray[np.float64]:
        """Return standard normal deviates, the same that `count` calls of `normal` give."""
        deviates = np.empty(count)
        fill_normals(self.state, deviates, np.empty(count))
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
        return int(draw_u64(self.state))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from `low` up to, but without, `high`, made of 53 bits."""
        return low + (high - low) * ((self.next_u64() >> 11) * PER_53_BITS)

    def normal(self) -> float:
        """Return a standard normal deviate."""
        return float(draw_normal_64(self.state))


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
