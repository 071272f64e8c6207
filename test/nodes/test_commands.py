"""Commands on DDS: their order, and what an executor does not do with them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Empty

from acres_ros.core import messages
from acres_ros.nodes.commands import CommandInput, SendingTimes, arrival_on, plain

PATIENCE_S = 60.0


class Client:
    """A client of three command topics beside the input, in one domain."""

    def __init__(self, ros: RosContext) -> None:
        self.node = Node("acres_physics", context=ros)
        self.input = CommandInput(self.node, "")
        self.client = Node("client", context=ros)
        self.enable = self.client.create_publisher(Empty, "/vehicle/enable", 10)
        self.disable = self.client.create_publisher(Empty, "/vehicle/disable", 10)
        self.steering = self.client.create_publisher(SteeringCmd, "/vehicle/steering/cmd", 1)
        end = time.monotonic() + PATIENCE_S
        while not all(p.get_subscription_count() for p in (self.enable, self.disable, self.steering)):
            assert time.monotonic() < end
            time.sleep(0.01)

    def take(self, count: int) -> list[messages.Message]:
        """Take until a number of messages has come."""
        found: list[messages.Message] = []
        end = time.monotonic() + PATIENCE_S
        while len(found) < count:
            assert time.monotonic() < end, found
            found += [arrival.message for arrival in self.input.take()]
        return found


@pytest.fixture
def client(ros: RosContext) -> Iterator[Client]:
    made = Client(ros)
    yield made
    made.node.destroy_node()
    made.client.destroy_node()


def test_messages_come_in_the_order_of_their_publication_whatever_the_topic(client: Client) -> None:
    for _ in range(50):
        client.disable.publish(Empty())
        client.enable.publish(Empty())
        client.steering.publish(SteeringCmd(cmd=1.0))
        client.disable.publish(Empty())
        time.sleep(0.005)
        kinds = [type(message) for message in client.take(4)]
        assert kinds == [messages.Disable, messages.Enable, messages.SteeringCmd, messages.Disable]


def test_an_executor_leaves_the_messages_to_the_reader(client: Client) -> None:
    executor = SingleThreadedExecutor(context=client.node.context)
    executor.add_node(client.node)
    client.steering.publish(SteeringCmd(cmd=2.0))
    time.sleep(0.1)
    for _ in range(5):
        executor.spin_once(timeout_sec=0.01)
    (message,) = client.take(1)
    assert message.cmd == 2.0
    executor.shutdown()


def test_a_slow_reader_gets_every_message_of_a_pass(client: Client) -> None:
    for number in range(10):
        client.steering.publish(SteeringCmd(cmd=float(number)))
    assert [message.cmd for message in client.take(10)] == [float(number) for number in range(10)]


def test_a_message_becomes_plain_with_its_wrapped_numbers() -> None:
    message = plain(GearCmd(cmd=Gear(value=Gear.LOW), return_to_park=True), messages.GearCmd)
    assert message == messages.GearCmd(cmd=5, cmd_manual=0, return_to_park=True)


@pytest.mark.parametrize(("age_ns", "arrival"), [(0, 50.0), (200_000_000, 49.8), (-1, 50.0), (3_000_000_000, 50.0)])
def test_an_arrival_is_an_age_before_now_unless_the_clock_has_jumped(age_ns: int, arrival: float) -> None:
    now_ns = 1_700_000_000_000_000_000
    assert arrival_on(50.0, now_ns - age_ns, now_ns) == pytest.approx(arrival)


def test_the_end_of_the_last_publisher_is_told_once(client: Client) -> None:
    assert not client.input.client_left()
    for publisher in (client.enable, client.disable, client.steering):
        client.client.destroy_publisher(publisher)
    end = time.monotonic() + PATIENCE_S
    while not client.input.client_left():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert not client.input.client_left()


@pytest.mark.parametrize("set_by_s", [-3600, -1, 3600])
def test_the_order_survives_a_clock_that_is_set(set_by_s: int) -> None:
    times, second = SendingTimes(), 10**9
    times.look(100.0, 5000 * second)
    before = times.sent(5000 * second - 2_000_000)
    times.look(100.5, (5000 + set_by_s) * second + second // 2)
    after = times.sent((5000 + set_by_s) * second + 1_000_000)
    assert after - before == 3_000_000


def test_a_clock_that_is_only_slewed_moves_no_time() -> None:
    """The order of two messages of one moment would hang on when each is read."""
    times, second = SendingTimes(), 10**9
    times.look(100.0, 5000 * second)
    first = times.sent(5000 * second)
    times.look(101.0, 5001 * second + 40_000_000)
    assert times.sent(5000 * second + 1) == first + 1
