"""The feedback that is written in bytes is what a ROS client library writes."""

from __future__ import annotations

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.serialization import serialize_message
from simulation_interfaces.action import SimulateSteps
from unique_identifier_msgs.msg import UUID

from acres_ros.nodes.step_feedback import StepFeedback

GOAL = UUID(uuid=list(range(200, 216)))


@pytest.mark.parametrize(("completed", "remaining"), [(0, 0), (1, 119), (2**40 + 7, 10**9)])
def test_each_feedback_has_the_bytes_of_a_message(
    ros: Context, monkeypatch: pytest.MonkeyPatch, completed: int, remaining: int
) -> None:
    node = Node("feedback", context=ros)
    feedback, sent = StepFeedback(node, "/simulate_steps"), []
    (publisher,) = [p for p in node.publishers if p.topic == "/simulate_steps/_action/feedback"]
    monkeypatch.setattr(publisher, "publish", sent.append)
    feedback.begin(UUID(uuid=[7] * 16))
    feedback.begin(GOAL)
    feedback.tell(completed, remaining)
    wanted = SimulateSteps.Impl.FeedbackMessage(
        goal_id=GOAL, feedback=SimulateSteps.Feedback(completed_steps=completed, remaining_steps=remaining)
    )
    assert sent == [serialize_message(wanted)]
    node.destroy_node()
