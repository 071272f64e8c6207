"""The client of the benchmarks that watches the free run: it drives, and notes when each `/clock` arrives."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from ds_dbw_msgs.msg import Gear
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.errors import AcresError
from acres_ros.nodes.lockstep_client import ByteRecorder, LockstepClient, NoAnswerError

SPEED = 2.0
STRAIGHT_DEG = 12.5
COMMAND_STEPS = 3
LOOK_S = 0.002


class StartEndedError(AcresError):
    """A stand-in that ended before its first `/clock`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        command = " ".join(map(str, process.args))
        super().__init__(f"{command} ended with exit code {process.returncode} before any /clock: run it to see why")


@dataclass(frozen=True)
class Ticks:
    """When the ticks of `/clock` arrived.

    Attributes:
        steps: step counts.
        arrivals: wall times at which the middleware of the client had them, s.
        sleeps: how late this process woke from sleeps of about 2 ms in the same time, s: what the machine gives.
        taken: messages of other topics that were taken.
    """

    steps: list[int]
    arrivals: list[float]
    sleeps: list[float]
    taken: int


class ClockWatch:
    """Take `/clock` without an executor.

    Args:
        node: a node that no executor spins.
    """

    def __init__(self, node: Node) -> None:
        qos = QoSProfile(
            history=HistoryPolicy.KEEP_ALL,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.VOLATILE,
        )
        self._subscription = node.create_subscription(Clock, "/clock", lambda _: None, qos)
        self._handle = self._subscription.handle

    def take(self) -> list[tuple[int, float]]:
        """Return step count and arrival time, s, of each tick that has come."""
        ticks = []
        with self._handle:
            while (taken := self._handle.take_message(Clock, False)) is not None:
                stamp = taken[0].clock
                step = round((stamp.sec + stamp.nanosec * 1e-9) * STEPS_PER_SECOND)
                ticks.append((step, taken[1]["received_timestamp"] * 1e-9))
        return ticks

    def first(self, timeout_s: float, process: subprocess.Popen[bytes] | None = None) -> int:
        """Wait for a tick and return its step count.

        Args:
            timeout_s: longest time, s.
            process: of the stand-in that is awaited; None: it is up.

        Raises:
            NoAnswerError: none came in time.
            StartEndedError: the process has ended.
        """
        deadline = time.monotonic() + timeout_s
        while not (ticks := self.take()):
            if process is not None and process.poll() is not None:
                raise StartEndedError(process)
            if time.monotonic() > deadline:
                raise NoAnswerError("no /clock arrived", timeout_s)
            time.sleep(LOOK_S)
        return ticks[0][0]


def drive_and_watch(
    node: Node, seconds: float, take: tuple[str, ...] = (), each: Callable[[], None] = lambda: None
) -> Ticks:
    """Drive in free run, with commands each 3 steps, and return the ticks.

    Args:
        node: a node that no executor spins.
        seconds: wall time, s.
        take: topics that are taken too.
        each: called each time that the client looks, about 2 ms apart.
    """
    watch, client = ClockWatch(node), LockstepClient(node)
    others = ByteRecorder(node.context, (), take, whole=True) if take else None
    taken = 0
    watch.first(10.0)
    client.enable()
    client.select(Gear.LOW)
    steps: list[int] = []
    arrivals: list[float] = []
    sleeps: list[float] = []
    end = time.monotonic() + seconds
    commanded = 0
    while time.monotonic() < end:
        begin = time.monotonic()
        time.sleep(LOOK_S)
        sleeps.append(time.monotonic() - begin - LOOK_S)
        each()
        if others is not None:
            others.take()
            taken += sum(map(len, others.rows.values()))
            others.forget()
        for step, arrival in watch.take():
            steps.append(step)
            arrivals.append(arrival)
            if step - commanded >= COMMAND_STEPS:
                commanded = step
                client.steer(STRAIGHT_DEG)
                client.drive(SPEED)
    return Ticks(steps, arrivals, sleeps, taken)
