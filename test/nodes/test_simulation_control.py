"""Requests and goals to step: when they are answered, and what is said of one that was cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result

from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError
from acres_ros.nodes.simulation_control import SimulationControl
from acres_ros.nodes.waiting import ReadyExecutor

PATIENCE_S = 30.0


class Stepped:
    """A simulation of which a test says when its request is over."""

    def __init__(self) -> None:
        self.request: StepRequest | None = None

    def begin_steps(self, steps: int) -> StepRequest:
        self.request = StepRequest(steps, begun=True)
        return self.request


class Rig:
    """The services and the action of a simulation, and a client of the action."""

    def __init__(self, ros: RosContext) -> None:
        self.nodes = Node("serving", context=ros), Node("asking", context=ros)
        self.simulation = Stepped()
        self.executor = ReadyExecutor(context=ros)
        self.executor.add_node(self.nodes[0])
        self.control: Any = SimulationControl(self.nodes[0], self.executor, self.simulation)  # type: ignore[arg-type]
        self.client = ActionClient(self.nodes[1], SimulateSteps, "/simulate_steps")
        assert self.client.wait_for_server(PATIENCE_S)
        self.own = SingleThreadedExecutor(context=ros)
        self.own.add_node(self.nodes[1])

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end
            self.executor.run_ready(self.nodes[0].get_logger())
            self.own.spin_once(0.01)

    def result(self, future: Any) -> Any:
        self.until(future.done)
        return future.result()

    def cancelled(self) -> tuple[StepRequest, Any]:
        """Begin a goal and cancel it; return its request and what its result will come by."""
        handle = self.result(self.client.send_goal_async(SimulateSteps.Goal(steps=100)))
        later = handle.get_result_async()
        self.until(lambda: self.simulation.request)
        request = self.simulation.request
        assert request is not None
        request.completed = 24
        assert self.result(handle.cancel_goal_async()).goals_canceling
        self.control.after_advance()
        assert request.cancelled
        return request, later


@pytest.fixture
def rig(ros: RosContext) -> Iterator[Rig]:
    made = Rig(ros)
    yield made
    made.executor.shutdown(0.0)
    made.own.shutdown(0.0)
    for node in made.nodes:
        node.destroy_node()


def test_a_cancelled_goal_gets_its_result_when_its_outputs_are_out(rig: Rig) -> None:
    _, later = rig.cancelled()
    for _ in range(20):
        rig.control.after_advance()
        rig.executor.run_ready(rig.nodes[0].get_logger())
        rig.own.spin_once(0.01)
    assert not later.done() and rig.control.answering, "the simulation has not ended the request"
    rig.simulation.request = None
    rig.control.after_advance()
    answer = rig.result(later)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.result.error_message == "cancelled after 24 of 100 steps"
    assert not rig.control.answering


def test_a_cancel_that_comes_when_all_has_run_is_too_late(rig: Rig) -> None:
    handle = rig.result(rig.client.send_goal_async(SimulateSteps.Goal(steps=100)))
    later = handle.get_result_async()
    rig.until(lambda: rig.simulation.request)
    request, rig.simulation.request = rig.simulation.request, None
    assert request is not None
    request.completed = 100
    assert rig.result(handle.cancel_goal_async()).goals_canceling
    rig.control.after_advance()
    answer = rig.result(later)
    assert (answer.status, answer.result.result.result) == (GoalStatus.STATUS_SUCCEEDED, Result.RESULT_OK)


def test_what_fails_as_it_is_cancelled_has_failed(rig: Rig) -> None:
    request, later = rig.cancelled()
    request.error = AcresError("acres_vehicle is gone")
    rig.simulation.request = None
    rig.control.after_advance()
    answer = rig.result(later)
    assert answer.status == GoalStatus.STATUS_ABORTED
    result = answer.result.result
    assert (result.result, result.error_message) == (Result.RESULT_OPERATION_FAILED, "acres_vehicle is gone")
