"""The lockstep program of the spec, and its two runs compared.

The program enables the drive-by-wire, commands 2 m/s and turns the steering wheel as a sine of 150 deg and 20 s, with
commands each 12 steps, for 60 s after one second in which the gear is engaged: 7320 steps (spec, Time Stepping and
Determinism, section Measurements).
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from ds_dbw_msgs.msg import Gear
from rclpy.node import Node

from acres_ros.nodes.lockstep_client import ByteRecorder, LockstepClient

ODOMETRY = "/ground_truth/odometry"
PERIOD_STEPS = 12
ENGAGE_STEPS = 120
SPEED = 2.0
AMPLITUDE_DEG = 150.0
SINE_S = 20.0
STRAIGHT_DEG = 12.5


@dataclass(frozen=True)
class Run:
    """What one run left.

    Attributes:
        positions: x, y of `base_footprint` after each step, m.
        hashes: number of messages and hash of their bytes for each topic.
        rows: the bytes themselves, by topic; of a large message its head and its hash.
        order: topic of each message, in the order of publishing.
        wall_s: wall time of the steps, s.
    """

    positions: list[tuple[float, float]]
    hashes: dict[str, tuple[int, str]]
    rows: dict[str, list[bytes]]
    order: list[str]
    wall_s: float

    @property
    def distance(self) -> float:
        """Return the length of the path, m."""
        return sum(math.dist(a, b) for a, b in zip(self.positions, self.positions[1:], strict=False))


class LockstepProgram:
    """The program, and what records all that the stand-in publishes meanwhile.

    Args:
        node: a node of the client's own process.

    Attributes:
        client: sends the commands and requests the steps.
    """

    def __init__(self, node: Node) -> None:
        self.client, self._recorder = LockstepClient(node), ByteRecorder(node.context)

    def close(self) -> None:
        """Record no more; a recorder that stays would have every later scan made for it."""
        self._recorder.close()

    def run(self, *, seconds: float = 60.0, progress: Callable[[int, int], None] | None = None) -> Run:
        """Drive the program through ROS against a paused stand-in.

        Args:
            seconds: simulated time after the gear is engaged, s.
            progress: called with the steps done and the steps in all.
        """
        client, recorder = self.client, self._recorder
        recorder.take()
        recorder.forget()
        total = ENGAGE_STEPS + round(seconds * 120)
        begin = time.perf_counter()
        client.enable()
        client.select(Gear.LOW)
        for step in range(0, total, PERIOD_STEPS):
            phase = max(0, step - ENGAGE_STEPS) / 120.0
            moving = step >= ENGAGE_STEPS
            client.steer(STRAIGHT_DEG + (AMPLITUDE_DEG * math.sin(2.0 * math.pi * phase / SINE_S) if moving else 0.0))
            client.drive(SPEED if moving else 0.0)
            client.step(min(PERIOD_STEPS, total - step))
            recorder.take()
            if progress:
                progress(step + PERIOD_STEPS, total)
        recorder.take_until(ODOMETRY, total)
        wall = time.perf_counter() - begin
        rows = {topic: list(messages) for topic, messages in recorder.rows.items()}
        return Run([_position(row) for row in rows[ODOMETRY]], recorder.hashes(), rows, recorder.order(), wall)


def first_difference(one: Run, other: Run) -> str | None:
    """Return where two runs first differ, in words, or None where every byte and the order are equal."""
    if set(one.rows) != set(other.rows):
        return f"topics differ: {sorted(set(one.rows) ^ set(other.rows))}"
    for topic in sorted(one.rows):
        first, second = one.rows[topic], other.rows[topic]
        for number, (a, b) in enumerate(zip(first, second, strict=False), start=1):
            if a != b:
                byte = next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
                return f"{topic}: message {number}, byte {byte}: {a[byte]:#04x} and {b[byte]:#04x}"
        if len(first) != len(second):
            return f"{topic}: {len(first)} and {len(second)} messages"
    for number, (a_topic, b_topic) in enumerate(zip(one.order, other.order, strict=True), start=1):
        if a_topic != b_topic:
            return f"message {number} of all is one of {a_topic} and one of {b_topic}"
    return None


def _position(row: bytes) -> tuple[float, float]:
    """Return x and y of a serialised Odometry: encapsulation, stamp, two strings, then the pose."""
    offset = 12
    for _ in range(2):
        (length,) = struct.unpack_from("<I", row, offset)
        offset = -(-(offset + 4 + length) // 4) * 4
    # CDR aligns to the body, which begins after the four bytes of the encapsulation.
    offset = -(-(offset - 4) // 8) * 8 + 4
    return struct.unpack_from("<dd", row, offset)
