"""Drop-out and freeze of a sensor's messages, as the marks of the samples say (`core/fault_table.py`)."""

from __future__ import annotations

import struct
from collections.abc import Callable

from acres_ros._record import place_of
from acres_ros.core.fault_table import SENSORS
from acres_ros.core.sample import SAMPLE
from acres_ros.nodes.sample_view import SampleView

MARKS = struct.Struct("<qq")
"""`drop` and `freeze` of the marks, side by side."""
MARKS_AT = place_of(SAMPLE, "faults.drop")[1]
BITS = {topic: 1 << bit for bit, sensor in enumerate(SENSORS) for topic in sensor.topics}
"""By the key of a topic: the bit of the sensor that it tells of."""

_STAMP = struct.Struct("<iI")
_STAMP_AT = 4  # behind the encapsulation; every message of a sensor begins with its header


class SensorTopic:
    """The messages of one topic of a sensor.

    Args:
        key: key of the topic.
        encode: returns the bytes of its message.

    Attributes:
        key: as given.
        kept: what it repeats while the sensor is frozen; None while it is not.
    """

    def __init__(self, key: str, encode: Callable[[SampleView], bytes]) -> None:
        self.key = key
        self.kept: bytes | None = None
        self._bit = BITS[key]
        self._healthy = encode

    def lost(self, view: SampleView) -> bool:
        """Tell whether the message of a step is lost."""
        return bool(view.faults.drop & self._bit)

    def encode(self, view: SampleView) -> bytes:
        """Return the message of a step; while the sensor is frozen its content is that of the first frozen step."""
        if self.kept is None:
            return self._healthy(view)
        message = bytearray(self.kept)
        _STAMP.pack_into(message, _STAMP_AT, *view.stamp)
        return bytes(message)

    def follow(self, freeze: int, view: SampleView) -> None:
        """Freeze or thaw.

        Args:
            freeze: bits of the sensors that are frozen from now on.
            view: the first sample of it.
        """
        if not freeze & self._bit:
            self.kept = None
        elif self.kept is None:
            self.kept = self._healthy(view)
