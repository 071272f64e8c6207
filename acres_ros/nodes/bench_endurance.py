"""The clients of the benchmarks that try to wear the stand-in out: goals, cancels, and a flood of random commands."""

from __future__ import annotations

import math
import random
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from rclpy.task import Future
from sensor_msgs.msg import PointCloud2
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result

from acres_ros.nodes.bench_free_run import ClockWatch
from acres_ros.nodes.bench_lockstep import CLOUD
from acres_ros.nodes.commands import COMMAND_TOPICS
from acres_ros.nodes.lockstep_client import ANSWER_TIMEOUT_S, ByteRecorder, NoAnswerError, RequestFailedError

ODOMETRY = "/ground_truth/odometry"
SCANS_PER_SECOND = 10.0
STAMP = struct.Struct("<iI")
ENCAPSULATION = 4
LONG_GOAL = 10**6
RUN_S = 0.05
"""Wall time that a goal runs before it is cancelled."""
NUMBERS = (math.nan, math.inf, -math.inf, 1.0e308, -1.0e308, 5.0e-324, -0.0, 3.0e38, 1.0e-45)


class GoalClient:
    """Send goals of steps and check every result.

    Args:
        node: a node of the client's own process.
    """

    def __init__(self, node: Node) -> None:
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._action = ActionClient(node, SimulateSteps, "/simulate_steps")
        if not self._action.wait_for_server(ANSWER_TIMEOUT_S):
            raise NoAnswerError("no /simulate_steps was seen", ANSWER_TIMEOUT_S)

    def run(self, steps: int) -> float:
        """Run one goal to its end and return its wall time, s.

        Raises:
            NoAnswerError: no answer came.
            RequestFailedError: it was rejected, or its result is not a success with the steps done.
        """
        begin = time.perf_counter()
        result = self._wait(self._send(steps).get_result_async()).result.result
        if result.result != Result.RESULT_OK:
            raise RequestFailedError(f"a goal of {steps} steps", f"code {result.result} {result.error_message}")
        return time.perf_counter() - begin

    def cancel(self) -> float:
        """Cancel a long goal in the middle and return the wall time from the request to its result, s."""
        handle = self._send(LONG_GOAL)
        end = time.monotonic() + RUN_S
        while time.monotonic() < end:
            self._executor.spin_once(RUN_S / 10.0)
        ended = handle.get_result_async()
        begin = time.perf_counter()
        self._wait(handle.cancel_goal_async())
        result = self._wait(ended).result.result
        seconds = time.perf_counter() - begin
        if "cancelled after" not in result.error_message:
            raise RequestFailedError("a cancelled goal", f"code {result.result} {result.error_message}")
        return seconds

    def _send(self, steps: int) -> Any:
        handle = self._wait(self._action.send_goal_async(SimulateSteps.Goal(steps=steps)))
        if not handle.accepted:
            raise RequestFailedError(f"a goal of {steps} steps", "it was rejected")
        return handle

    def _wait(self, future: Future) -> Any:
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while not future.done():
            self._executor.spin_once(0.1)
            if time.monotonic() > deadline:
                raise NoAnswerError("a goal was not answered", ANSWER_TIMEOUT_S)
        return future.result()


class CloudCount:
    """Take the clouds as a LiDAR odometry does, best effort with a short queue, and count those that are missing.

    Args:
        node: a node that no executor spins.

    Attributes:
        taken: clouds that came.
        lost: clouds that are missing between those that came.
    """

    def __init__(self, node: Node) -> None:
        self._subscription = node.create_subscription(
            PointCloud2, CLOUD, lambda _: None, qos_profile_sensor_data, raw=True
        )
        self._last: float | None = None
        self.taken = self.lost = 0

    def take(self) -> None:
        """Take what has come."""
        with self._subscription.handle:
            while (taken := self._subscription.handle.take_message(PointCloud2, True)) is not None:
                seconds, nanoseconds = STAMP.unpack_from(taken[0], ENCAPSULATION)
                now = seconds + 1.0e-9 * nanoseconds
                if self._last is not None:
                    self.lost += round((now - self._last) * SCANS_PER_SECOND) - 1
                self._last = now
                self.taken += 1


@dataclass(frozen=True)
class Flood:
    """What a flood left.

    Attributes:
        sent: messages that were sent.
        seconds: wall time, s.
        steps: step counts of the ticks that arrived.
        arrivals: wall times of the ticks, s.
        finite: whether every number of every odometry was finite.
        odometries: how many there were.
    """

    sent: int
    seconds: float
    steps: list[int]
    arrivals: list[float]
    finite: bool
    odometries: int


def flood(node: Node, seconds: float, hz: float, progress: Callable[[float], None]) -> Flood:
    """Send random messages on every command topic in free run: NaN, infinities, enumerations that no table has.

    Args:
        node: a node that no executor spins.
        seconds: wall time, s.
        hz: messages in a second.
        progress: called with the share that is done.
    """
    watch, odometry = ClockWatch(node), ByteRecorder(node.context, (), (ODOMETRY,), whole=True)
    publishers = [node.create_publisher(topic.type, f"/{topic.name}", 100) for topic in COMMAND_TOPICS]
    source = random.Random(1)  # noqa: S311  # the same flood each time
    watch.first(10.0)
    begin = time.monotonic()
    sent, steps, arrivals = 0, [], []
    while (elapsed := time.monotonic() - begin) < seconds:
        while sent < elapsed * hz:
            _send_rubbish(publishers[sent % len(publishers)], source)
            sent += 1
        odometry.take()
        for step, arrival in watch.take():
            steps.append(step)
            arrivals.append(arrival)
        progress(elapsed / seconds)
        time.sleep(0.001)
    odometry.take()
    rows = odometry.rows[ODOMETRY]
    finite = all(_is_finite(deserialize_message(row, Odometry)) for row in rows)
    return Flood(sent, time.monotonic() - begin, steps, arrivals, finite, len(rows))


def _send_rubbish(publisher: Publisher, source: random.Random) -> None:
    message = publisher.msg_type()
    _fill(message, source)
    publisher.publish(message)


def _fill(message: Any, source: random.Random) -> None:
    """Give every field of a message a random value: now and then one that makes sense."""
    for name, kind in message.get_fields_and_field_types().items():
        if "/" in kind:
            _fill(getattr(message, name), source)
        elif kind == "boolean":
            setattr(message, name, source.random() < 0.7)
        elif kind in ("float", "double"):
            value = source.choice(NUMBERS) if source.random() < 0.3 else source.uniform(-500.0, 500.0)
            largest = 3.4028234e38 if kind == "float" else 1.7e308
            if math.isfinite(value):
                value = min(max(value, -largest), largest)
            setattr(message, name, value)
        elif kind.startswith(("uint", "int")):
            bits = int(kind.lstrip("uint"))
            low = 0 if kind.startswith("u") else -(2 ** (bits - 1))
            small = source.random() < 0.7
            setattr(message, name, source.randrange(0, 8) if small else source.randrange(low, low + 2**bits))


def _is_finite(odometry: Odometry) -> bool:
    pose, twist = odometry.pose.pose, odometry.twist.twist
    parts = (pose.position, pose.orientation, twist.linear, twist.angular)
    return all(math.isfinite(getattr(part, name)) for part in parts for name in part.get_fields_and_field_types())
