"""The clients of the benchmarks that step the stand-in: a drive by requests, and the round trip of one request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ds_dbw_msgs.msg import Gear
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from acres_ros.nodes.lockstep_client import ANSWER_TIMEOUT_S, ByteRecorder, LockstepClient, NoAnswerError

PERIOD_STEPS = 12
STRAIGHT_DEG = 12.5
AMPLITUDE_DEG = 150.0
SPEED = 2.0
CLOUD = "/rslidar_points"


class LockstepDrive:
    """Drive slow bends in lockstep: a steering and a ULC command, then a request of 12 steps.

    Args:
        node: a node of the client's own process.
        take: topics that the client subscribes and takes each message of; None for all but the point cloud.

    Attributes:
        taken: number of messages that were taken.
    """

    def __init__(self, node: Node, *, take: tuple[str, ...] | None = ()) -> None:
        self.client = LockstepClient(node)
        exclude = ("/diagnostics", CLOUD) if take is None else ()
        self._recorder = None if take == () else ByteRecorder(node.context, exclude, take, whole=True)
        self.taken = 0
        self._steps = 0
        self.client.enable()
        self.client.select(Gear.LOW)

    def run(self, seconds: float, progress: Callable[[float], None] | None = None) -> float:
        """Drive for some seconds of simulation and return the wall time, s.

        Args:
            seconds: simulated time, s.
            progress: called with the share that is done.
        """
        client, recorder = self.client, self._recorder
        requests = round(seconds * 120 / PERIOD_STEPS)
        begin = time.perf_counter()
        for request in range(requests):
            client.steer(STRAIGHT_DEG + AMPLITUDE_DEG * math.sin(self._steps / 400.0))
            client.drive(SPEED)
            client.step(PERIOD_STEPS)
            self._steps += PERIOD_STEPS
            if recorder is not None:
                recorder.take()
                self.taken += sum(map(len, recorder.rows.values()))
                recorder.forget()
            if progress and request % 50 == 0:
                progress(request / requests)
        return time.perf_counter() - begin


class TriggerClient:
    """Call the bare service that the round trips are compared with.

    Args:
        node: a node of the client's own process.
    """

    def __init__(self, node: Node) -> None:
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._client: Client = node.create_client(Trigger, "/bench_trigger")
        if not self._client.wait_for_service(ANSWER_TIMEOUT_S):
            raise NoAnswerError("no /bench_trigger was seen", ANSWER_TIMEOUT_S)

    def call(self) -> None:
        """Call once and wait for the answer."""
        future = self._client.call_async(Trigger.Request())
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while not future.done():
            self._executor.spin_once(0.1)
            if time.monotonic() > deadline:
                raise NoAnswerError("/bench_trigger was not answered", ANSWER_TIMEOUT_S)


def round_trips(call: Callable[[], None], count: int) -> list[float]:
    """Return the wall times of some calls, s."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return times
