"""The executor does what rclpy's does: each callback once, groups held by who waits, entities that come and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from rclpy.context import Context as RosContext
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import Int64
from std_srvs.srv import Trigger

from acres_ros.nodes.steady_executor import SteadyExecutor

PATIENCE_S = 10.0


class Rig:
    """A node that is spun by the executor, and a client in the same process with an executor of its own."""

    def __init__(self, ros: RosContext) -> None:
        self.node, self.client = Node("steady", context=ros), Node("steady_client", context=ros)
        self.executor, self.other = SteadyExecutor(context=ros), SteadyExecutor(context=ros)
        self.executor.add_node(self.node)
        self.other.add_node(self.client)

    def until(self, condition: Callable[[], bool]) -> None:
        """Spin both until the condition holds."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end
            self.executor.spin_once(0.01)
            self.other.spin_once(0.0)

    def for_a_while(self) -> None:
        """Spin both for some passes."""
        for _ in range(10):
            self.executor.spin_once(0.005)
            self.other.spin_once(0.0)


@pytest.fixture
def rig(ros: RosContext) -> Iterator[Rig]:
    rig = Rig(ros)
    yield rig
    for executor in (rig.executor, rig.other):
        executor.shutdown()
    for node in (rig.node, rig.client):
        node.destroy_node()


def test_each_message_comes_once_and_in_order(rig: Rig) -> None:
    got: list[int] = []
    rig.node.create_subscription(Int64, "/steady", lambda message: got.append(message.data), 100)
    publisher = rig.client.create_publisher(Int64, "/steady", 100)
    rig.until(lambda: publisher.get_subscription_count() > 0)
    for number in range(50):
        publisher.publish(Int64(data=number))
    rig.until(lambda: len(got) >= 50)
    rig.for_a_while()
    assert got == list(range(50))


def test_a_service_that_waits_holds_its_group_and_answers_when_its_future_is_done(rig: Rig) -> None:
    waiting: list[Future] = []
    got: list[int] = []

    async def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        waiting.append(Future(executor=rig.executor))
        await waiting[-1]
        response.success = True
        return response

    rig.node.create_service(Trigger, "/steady_wait", answer)
    rig.node.create_subscription(Int64, "/steady_held", lambda message: got.append(message.data), 10)
    publisher = rig.client.create_publisher(Int64, "/steady_held", 10)
    client = rig.client.create_client(Trigger, "/steady_wait")
    rig.until(lambda: client.service_is_ready() and publisher.get_subscription_count() > 0)
    future = client.call_async(Trigger.Request())
    rig.until(lambda: bool(waiting))
    publisher.publish(Int64(data=7))
    rig.for_a_while()
    assert not future.done() and got == []
    waiting[0].set_result(None)
    rig.until(future.done)
    assert future.result().success
    rig.until(lambda: got == [7])


def test_timers_fire_at_their_period(rig: Rig) -> None:
    fired: list[float] = []
    rig.node.create_timer(0.05, lambda: fired.append(time.monotonic()))
    begin = time.monotonic()
    rig.until(lambda: len(fired) >= 4)
    assert fired[-1] - begin >= 0.19


def test_entities_that_are_made_and_destroyed_are_noticed(rig: Rig) -> None:
    got: list[str] = []
    rig.executor.spin_once(0.0)
    first = rig.node.create_subscription(Int64, "/steady_new", lambda _: got.append("first"), 10)
    publisher = rig.client.create_publisher(Int64, "/steady_new", 10)
    rig.until(lambda: publisher.get_subscription_count() == 1)
    publisher.publish(Int64())
    rig.until(lambda: got == ["first"])
    rig.node.destroy_subscription(first)
    rig.node.create_subscription(Int64, "/steady_new", lambda _: got.append("second"), 10)
    rig.until(lambda: publisher.get_subscription_count() == 1)
    publisher.publish(Int64())
    rig.until(lambda: got == ["first", "second"])


def test_a_failing_callback_is_raised_where_the_node_is_spun(rig: Rig) -> None:
    def fail() -> None:
        raise ZeroDivisionError("as intended")

    timer = rig.node.create_timer(0.01, fail)
    with pytest.raises(ZeroDivisionError, match="as intended"):
        rig.until(lambda: False)
    timer.cancel()


def test_a_client_with_other_settings_is_reported(rig: Rig, capfd: pytest.CaptureFixture[str]) -> None:
    rig.node.create_subscription(Int64, "/steady_qos", lambda _: None, 10)
    best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    rig.client.create_publisher(Int64, "/steady_qos", best_effort)
    said = ""
    end = time.monotonic() + PATIENCE_S
    while "incompatible QoS" not in said and time.monotonic() < end:
        rig.for_a_while()
        said += "".join(capfd.readouterr())
    assert "incompatible QoS" in said


def test_a_shutdown_ends_the_spin() -> None:
    ros = RosContext()
    ros.init()
    executor = SteadyExecutor(context=ros)
    ros.shutdown()
    with pytest.raises(ExternalShutdownException):
        executor.spin_once(0.0)
