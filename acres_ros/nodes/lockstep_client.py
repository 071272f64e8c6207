"""A client that steps the stand-in and records every byte that it publishes. For checks, benchmarks and tests.

It talks to the stand-in as any other program does, by DDS from its own process. It takes messages without an executor,
because a callback for each costs more than the whole simulation.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import time
from collections.abc import Callable
from typing import Any

from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.task import Future
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState, StepSimulation
from std_msgs.msg import Empty

from acres_ros.errors import AcresError

ANSWER_TIMEOUT_S = 60.0
DISCOVERY_TIMEOUT_S = 10.0
USUAL_S = 0.5
"""Discovery of a stand-in that is up takes less."""
MATCH_S = 1.0
PUBLISHER_NODE = "acres_vehicle"
LARGEST_KEPT = 65_536
HEAD_KEPT = 256


class NoAnswerError(AcresError):
    """The stand-in did not answer, or something of it is missing."""

    def __init__(self, what: str, seconds: float) -> None:
        domain = os.environ.get("ROS_DOMAIN_ID", "0")
        super().__init__(f"{what} within {seconds:g} s: is the stand-in up in ROS domain {domain}? See ./acres up")


class NotYetAnsweredError(AcresError):
    """The stand-in took a request and has not answered it yet."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} was not answered within {ANSWER_TIMEOUT_S:g} s: it may be running still, as many steps take long, "
            "or the stand-in has ended; ask for fewer at a time, or use the action /simulate_steps"
        )


class RequestFailedError(AcresError):
    """A request was answered with a failure.

    Args:
        what: was asked for.
        text: the answer.

    Attributes:
        text: as given.
    """

    def __init__(self, what: str, text: str) -> None:
        super().__init__(f"{what} failed: {text}")
        self.text = text


class ByteRecorder:
    """Record what `acres_vehicle` publishes, as the bytes on the wire.

    Of a message of more than `LARGEST_KEPT` bytes the first `HEAD_KEPT` are kept, and a hash of all: a minute of point
    clouds is a gigabyte.

    Args:
        context: of rclpy; the recorder has a node of its own, which no executor may spin: it would take messages away.
        exclude: topics that are not recorded.
        only: topics that are recorded; None for all.
        whole: keep large messages whole.
        namespace: of the node that publishes: "/" for the first vehicle, "/<agent>" for a further one.

    Attributes:
        rows: the messages, by topic.
    """

    def __init__(
        self,
        context: Context | None = None,
        exclude: tuple[str, ...] = ("/diagnostics",),
        only: tuple[str, ...] | None = None,
        *,
        whole: bool = False,
        namespace: str = "/",
    ) -> None:
        node = self._node = Node("acres_recorder", context=context, start_parameter_services=False)
        self.rows: dict[str, list[bytes]] = {}
        self._sent: dict[str, list[int]] = {}
        self._whole = whole
        self._subscriptions: dict[str, Subscription] = {}
        reliable = QoSProfile(
            history=HistoryPolicy.KEEP_ALL,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.VOLATILE,
        )
        deadline = time.monotonic() + DISCOVERY_TIMEOUT_S
        while not (found := self._topics(node, namespace)):
            if time.monotonic() > deadline:
                raise NoAnswerError(f"no topic of {PUBLISHER_NODE} was seen", DISCOVERY_TIMEOUT_S)
            time.sleep(0.02)
        for topic, type_name in found:
            if topic in exclude or (only is not None and topic not in only):
                continue
            package, _, name = type_name.split("/")
            message_type = getattr(importlib.import_module(f"{package}.msg"), name)
            self._subscriptions[topic] = node.create_subscription(
                message_type, topic, lambda _: None, reliable, raw=True
            )
            self.rows[topic], self._sent[topic] = [], []
        for topic, subscription in self._subscriptions.items():
            _wait_until(lambda s=subscription: s.get_publisher_count() > 0, f"no publisher of {topic} matched")
        # A match is seen here before the publisher sees it, and what it sends in between is lost; nothing tells when
        # the other side is done.
        time.sleep(MATCH_S)

    @staticmethod
    def _topics(node: Node, namespace: str) -> list[tuple[str, str]]:
        try:
            topics = node.get_publisher_names_and_types_by_node(PUBLISHER_NODE, namespace)
        except RuntimeError:  # rclpy's answer while the node is not there yet
            return []
        own = {"/rosout", "/parameter_events"}
        return sorted((topic, types[0]) for topic, types in topics if topic not in own)

    def take(self) -> None:
        """Take all that has arrived."""
        for topic, subscription in self._subscriptions.items():
            rows, sent = self.rows[topic], self._sent[topic]
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
                    content = bytes(taken[0])
                    if len(content) > LARGEST_KEPT and not self._whole:
                        content = content[:HEAD_KEPT] + hashlib.sha256(content).digest()
                    rows.append(content)
                    sent.append(taken[1]["source_timestamp"])

    def take_until(self, topic: str, count: int, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        """Take until a topic has a number of messages, and what has arrived of the others by then.

        Raises:
            NoAnswerError: they did not come in time.
        """
        deadline = time.monotonic() + timeout_s
        while len(self.rows[topic]) < count:
            self.take()
            if time.monotonic() > deadline:
                raise NoAnswerError(f"{len(self.rows[topic])} of {count} messages of {topic} arrived", timeout_s)
        self.take()

    def forget(self) -> None:
        """Forget what was taken."""
        for topic in self.rows:
            self.rows[topic].clear()
            self._sent[topic].clear()

    def close(self) -> None:
        """Take no more; what was taken stays."""
        self._node.destroy_node()
        self._subscriptions.clear()

    def sent(self, topic: str) -> list[int]:
        """Return when the middleware of the other side got each message of a topic, ns of the system's clock."""
        return list(self._sent[topic])

    def order(self) -> list[str]:
        """Return the topic of each message in the order in which the middleware of the other side got them."""
        times = [(time_ns, topic) for topic, sent in self._sent.items() for time_ns in sent]
        return [topic for _, topic in sorted(times)]

    def hashes(self) -> dict[str, tuple[int, str]]:
        """Return the number of messages and a hash of their bytes, in order, for each topic."""
        return {
            topic: (len(rows), hashlib.sha256(b"".join(rows)).hexdigest()[:16])
            for topic, rows in sorted(self.rows.items())
        }


class StepClient:
    """Request steps of a paused stand-in.

    Args:
        node: a node of the client's own process.
        say: gets a line where the stand-in is waited for.
    """

    def __init__(self, node: Node, say: Callable[[str], None] = lambda line: None) -> None:
        self.node = node
        self._say = say
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._step = node.create_client(StepSimulation, "/step_simulation")
        self._state = node.create_client(SetSimulationState, "/set_simulation_state")
        self._reset = node.create_client(ResetSimulation, "/reset_simulation")
        self.wait_until(self._step.service_is_ready, "no /step_simulation was seen")

    def step(self, steps: int) -> None:
        """Request steps and wait, in wall time, until they are done.

        Raises:
            NoAnswerError: no answer came.
            RequestFailedError: the answer was a failure.
        """
        self._call(self._step, StepSimulation.Request(steps=steps), f"a request of {steps} steps")

    def refusal(self) -> str:
        """Return why steps are refused now, by a request of none, which is always refused."""
        try:
            self.step(0)
        except RequestFailedError as error:
            return error.text
        raise AssertionError("a request of no steps was answered as if it had run some")

    def pause(self) -> None:
        """Pause the simulation; it may be paused already."""
        request = SetSimulationState.Request(state=SimulationState(state=SimulationState.STATE_PAUSED))
        self._call(self._state, request, "a pause", (SetSimulationState.Response.ALREADY_IN_TARGET_STATE,))

    def reset(self) -> None:
        """Restart everything as if the program had been started anew."""
        request = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_ALL)
        self._call(self._reset, request, "a reset of everything")

    def wait_until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait until something of the stand-in is there, and say so where that takes longer than usual.

        Raises:
            NoAnswerError: it was not there in time.
        """
        _wait_until(ready, what, self._say)

    def wait(self, future: Future, what: str) -> Any:
        """Return what comes of a request.

        Raises:
            NotYetAnsweredError: no answer came.
        """
        deadline = time.monotonic() + ANSWER_TIMEOUT_S
        while not future.done():
            self._executor.spin_once(0.1)
            if time.monotonic() > deadline:
                raise NotYetAnsweredError(what)
        return future.result()

    def spin(self, timeout_s: float) -> None:
        """Take what has come of a request, or wait for it at most a time, s."""
        self._executor.spin_once(timeout_s)

    def _call(self, client: Client, request: object, what: str, also_good: tuple[int, ...] = ()) -> None:
        result = self.wait(client.call_async(request), what).result
        if result.result not in (Result.RESULT_OK, *also_good):
            raise RequestFailedError(what, result.error_message)


class LockstepClient(StepClient):
    """Send commands and request steps.

    Args:
        node: a node of the client's own process.
    """

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._enable = node.create_publisher(Empty, "/vehicle/enable", 1)
        self._gear = node.create_publisher(GearCmd, "/vehicle/gear/cmd", 1)
        self._steering = node.create_publisher(SteeringCmd, "/vehicle/steering/cmd", 1)
        self._ulc = node.create_publisher(UlcCmd, "/vehicle/ulc/cmd", 1)
        for publisher in (self._enable, self._gear, self._steering, self._ulc):
            _wait_until(
                lambda p=publisher: p.get_subscription_count() > 0, f"nobody subscribed to {publisher.topic_name}"
            )
        # As for subscriptions: the other side may need a moment more, and what it misses is not sent again.
        time.sleep(MATCH_S)

    def enable(self) -> None:
        """Enable the drive-by-wire."""
        self._enable.publish(Empty())

    def select(self, gear: int) -> None:
        """Command a gear of `ds_dbw_msgs/Gear`."""
        self._gear.publish(GearCmd(cmd=Gear(value=gear)))

    def steer(self, angle_deg: float) -> None:
        """Command a steering wheel angle, deg, positive left."""
        self._steering.publish(SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=angle_deg, enable=True))

    def drive(self, speed: float) -> None:
        """Command a ULC speed, m/s."""
        self._ulc.publish(UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=speed, enable=True))


def _wait_until(ready: Callable[[], bool], what: str, say: Callable[[str], None] = lambda line: None) -> None:
    begin, said = time.monotonic(), False
    while not ready():
        waited = time.monotonic() - begin
        if waited > DISCOVERY_TIMEOUT_S:
            raise NoAnswerError(what, DISCOVERY_TIMEOUT_S)
        if waited > USUAL_S and not said:
            said = True
            domain = os.environ.get("ROS_DOMAIN_ID", "0")
            say(f"waiting for the stand-in in ROS domain {domain}, {DISCOVERY_TIMEOUT_S:g} s at most")
        time.sleep(0.01)
