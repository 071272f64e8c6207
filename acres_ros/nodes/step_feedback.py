"""The feedback of `/simulate_steps`: one message for each step, at the price of one send."""

from __future__ import annotations

import struct

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from simulation_interfaces.action import SimulateSteps
from unique_identifier_msgs.msg import UUID

DEPTH = 1000
"""Steps run in chunks, so feedback comes in bursts; what a slow client has not taken yet stays for it."""
_COUNTS = struct.Struct("<QQ")
_Message = SimulateSteps.Impl.FeedbackMessage


class StepFeedback:
    """Publish the feedback of goals.

    What rclpy does for each feedback, a message made, checked and converted, takes as long as two steps of the physics
    and would hold up long goals. Only two numbers change, so they are written behind the rest of the message in bytes.

    Args:
        node: who serves the action.
        action: its name.
    """

    def __init__(self, node: Node, action: str) -> None:
        self._publisher = node.create_publisher(_Message, f"{action}/_action/feedback", QoSProfile(depth=DEPTH))
        self._head = b""

    def begin(self, goal: UUID) -> None:
        """Let the feedback that follows be that of a goal."""
        self._head = serialize_message(_Message(goal_id=goal))[: -_COUNTS.size]

    def tell(self, completed: int, remaining: int) -> None:
        """Publish how many steps of the goal are over and how many are to come."""
        self._publisher.publish(self._head + _COUNTS.pack(completed, remaining))
