"""The commands that the physics takes from ROS, and their translation into plain messages.

Topics, types and QoS are those of the real node (Dataspeed `ds_dbw_can` 2.3.11, table of subscriptions): keep last,
reliable, volatile. Its depth of 1 cannot be seen from outside; here the reader keeps more, so that a slow pass loses
none. Headers are not read, as there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from acres_interfaces.msg import DriverInput
from ds_dbw_msgs.msg import BrakeCmd, DriveModeCmd, GearCmd, MiscCmd, SteeringCmd, ThrottleCmd, TurnSignalCmd, UlcCmd
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from std_msgs.msg import Empty

from acres_ros.core import messages
from acres_ros.core.inbox import Arrival
from acres_ros.nodes.waiting import TakenByHand, never_called

KEPT_MESSAGES = 100
"""Messages of a topic that wait for the next read; a pass of 0.1 s sees ten at 100 Hz."""
CLOCK_SET_NS = 100_000_000


class CommandTopic(NamedTuple):
    """One subscription.

    Attributes:
        name: topic below the namespace of the vehicle.
        type: ROS type.
        depth: history depth of the real node.
        message: the plain message that it becomes.
    """

    name: str
    type: type
    depth: int
    message: type


COMMAND_TOPICS = (
    CommandTopic("vehicle/enable", Empty, 10, messages.Enable),
    CommandTopic("vehicle/disable", Empty, 10, messages.Disable),
    CommandTopic("vehicle/steering/cmd", SteeringCmd, 1, messages.SteeringCmd),
    CommandTopic("vehicle/brake/cmd", BrakeCmd, 1, messages.BrakeCmd),
    CommandTopic("vehicle/throttle/cmd", ThrottleCmd, 1, messages.ThrottleCmd),
    CommandTopic("vehicle/gear/cmd", GearCmd, 1, messages.GearCmd),
    CommandTopic("vehicle/turn_signal/cmd", TurnSignalCmd, 1, messages.TurnSignalCmd),
    CommandTopic("vehicle/drive_mode/cmd", DriveModeCmd, 1, messages.DriveModeCmd),
    CommandTopic("vehicle/misc/cmd", MiscCmd, 1, messages.MiscCmd),
    CommandTopic("vehicle/ulc/cmd", UlcCmd, 1, messages.UlcCmd),
    CommandTopic("acres/driver_input", DriverInput, 1, messages.DriverInput),
)


def plain(ros_message: object, message: type) -> messages.Message:
    """Return the plain message of a ROS message; a field type that only wraps `value` becomes its number."""
    return _reader(type(ros_message), message)(ros_message)


@cache
def _reader(ros_type: Any, message: Any) -> Callable[[object], messages.Message]:
    """Return the function that makes plain messages of those of a type."""
    kinds = ros_type.get_fields_and_field_types()
    fields = [f"{name}.value" if "/" in kinds[name] else name for name in message._fields]
    if len(fields) < 2:  # `attrgetter` returns a row for two and more only
        return lambda ros_message: message(*(attrgetter(field)(ros_message) for field in fields))
    read = attrgetter(*fields)
    return lambda ros_message: message._make(read(ros_message))


def arrival_on(monotonic: float, received_ns: int, now_ns: int) -> float:
    """Return the arrival time on the monotonic clock, s.

    The middleware stamps arrivals with the clock of the machine, which may jump; only the age of the message is taken
    from it, and an age that is negative or above a second is not believed.
    """
    age = (now_ns - received_ns) * 1e-9
    return monotonic - age if 0.0 <= age <= 1.0 else monotonic


class SendingTimes:
    """Puts the times at which messages were sent in their order, also when the clock of the machine is set meanwhile.

    The middleware takes them from that clock. As long as it keeps within a tenth of a second of the monotonic clock,
    one number is between the two; else it was set, and what comes from then on has another one.
    """

    def __init__(self) -> None:
        self._ahead_ns = 0

    def look(self, monotonic: float, now_ns: int) -> None:
        """Take note of both clocks, before messages that came until now."""
        ahead_ns = round(monotonic * 1e9) - now_ns
        if abs(ahead_ns - self._ahead_ns) > CLOCK_SET_NS:
            self._ahead_ns = ahead_ns

    def sent(self, source_ns: int) -> int:
        """Return when a message was sent, in ns; comparable whatever became of the clock between two reads."""
        return source_ns + self._ahead_ns


class CommandInput:
    """The subscriptions to commands. Messages stay in the middleware until `take` reads them.

    An executor would hand them over in the order in which it happens to look at the topics. Read all at once, they can
    be put into the order in which they were published, which is the same in every run.

    Args:
        node: the node that subscribes.
        namespace: empty for the first agent, else its name.

    Attributes:
        group: the group of the subscriptions; open it now and then for the events of QoS.
    """

    def __init__(self, node: Node, namespace: str) -> None:
        self.group = group = TakenByHand()
        prefix = f"/{namespace}/" if namespace else "/"
        self._node = node
        self._has_client = False
        self._times = SendingTimes()
        self._subscriptions: list[tuple[Subscription, type]] = []
        for topic in COMMAND_TOPICS:
            qos = QoSProfile(
                history=HistoryPolicy.KEEP_LAST,
                depth=KEPT_MESSAGES,
                reliability=ReliabilityPolicy.RELIABLE,
                durability=DurabilityPolicy.VOLATILE,
            )
            try:
                subscription = node.create_subscription(
                    topic.type, prefix + topic.name, never_called, qos, callback_group=group
                )
            except RuntimeError:  # RCLError of rclpy is one
                self.close()
                raise
            self._subscriptions.append((subscription, topic.message))

    def client_left(self) -> bool:
        """Tell, once, that the last publisher of a vehicle's command is gone."""
        had = self._has_client
        self._has_client = any(
            subscription.get_publisher_count()
            for subscription, message in self._subscriptions
            if message is not messages.DriverInput
        )
        return had and not self._has_client

    def take(self) -> list[Arrival]:
        """Return what has come since the last call, in the order of publication."""
        found: list[Arrival] = []
        monotonic, now_ns = time.monotonic(), time.time_ns()
        self._times.look(monotonic, now_ns)
        for index, (subscription, message) in enumerate(self._subscriptions):
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
                    ros_message, info = taken
                    arrival = arrival_on(monotonic, info["received_timestamp"], now_ns)
                    sent = (self._times.sent(info["source_timestamp"]), index)
                    found.append(Arrival(arrival, plain(ros_message, message), sent))
        return sorted(found, key=lambda arrival: arrival.sent)

    def close(self) -> None:
        """End the subscriptions."""
        for subscription, _ in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()
