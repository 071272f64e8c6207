"""The commands that the physics takes from ROS, and their translation into plain messages.

Topics, types and QoS are those of the real node (Dataspeed `ds_dbw_can` 2.3.11, table of subscriptions): keep last,
reliable, volatile; depth 10 for enable and disable, depth 1 for the others. Headers are not read, as there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from acres_interfaces.msg import DriverInput
from ds_dbw_msgs.msg import BrakeCmd, DriveModeCmd, GearCmd, MiscCmd, SteeringCmd, ThrottleCmd, TurnSignalCmd, UlcCmd
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from std_msgs.msg import Empty

from acres_ros.core import messages


class CommandTopic(NamedTuple):
    """One subscription.

    Attributes:
        name: topic below the namespace of the vehicle.
        type: ROS type.
        depth: history depth.
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
    values = (getattr(ros_message, name) for name in message._fields)
    return message(*(getattr(value, "value", value) for value in values))


def arrival_on(monotonic: float, received_ns: int, now_ns: int) -> float:
    """Return the arrival time on the monotonic clock, s.

    The middleware stamps arrivals with the clock of the machine, which may jump; only the age of the message is taken
    from it, and an age that is negative or above a second is not believed.
    """
    age = (now_ns - received_ns) * 1e-9
    return monotonic - age if 0.0 <= age <= 1.0 else monotonic


class CommandInput:
    """The subscriptions, in a fixed order.

    Args:
        node: the node that subscribes.
        namespace: empty for the first agent, else its name.
        post: called with the plain message and its arrival on the monotonic clock.
    """

    def __init__(self, node: Node, namespace: str, post: Callable[[messages.Message, float], None]) -> None:
        self._post = post
        self._subscriptions: list[tuple[Subscription, type]] = []
        prefix = f"/{namespace}/" if namespace else "/"
        for topic in COMMAND_TOPICS:
            qos = QoSProfile(
                history=HistoryPolicy.KEEP_LAST,
                depth=topic.depth,
                reliability=ReliabilityPolicy.RELIABLE,
                durability=DurabilityPolicy.VOLATILE,
            )
            subscription = node.create_subscription(topic.type, prefix + topic.name, self._callback(topic.message), qos)
            self._subscriptions.append((subscription, topic.message))

    def drain(self) -> None:
        """Take every message that has already arrived, so that a step request never overtakes its commands."""
        for subscription, message in self._subscriptions:
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
                    self._take(message, *taken)

    def _callback(self, message: type) -> Callable[[object, dict], None]:
        def callback(ros_message: object, info: dict) -> None:
            self._take(message, ros_message, info)

        return callback

    def _take(self, message: type, ros_message: object, info: dict) -> None:
        arrival = arrival_on(time.monotonic(), info["received_timestamp"], time.time_ns())
        self._post(plain(ros_message, message), arrival)
