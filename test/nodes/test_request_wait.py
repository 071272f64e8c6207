"""The sleep of the physics: it ends with a request, and says whether it is one that is taken by hand."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from rclpy.action import ActionClient, ActionServer
from rclpy.context import Context as RosContext
from rclpy.node import Node
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.srv import GetSimulationState, StepSimulation

from acres_ros.nodes.waiting import RequestWait, TakenByHand, never_called

LONG_S = 60.0
SHORT_S = 0.05


class Rig(NamedTuple):
    """A node that serves, its sleep, and the clients of another node."""

    wait: RequestWait
    steps: Any
    by_hand: Any
    state: Any
    action: Any

    def take(self) -> None:
        """Take the request that is taken by hand."""
        with self.by_hand.handle:
            request, _ = self.by_hand.handle.service_take_request(StepSimulation.Request)
        assert request is not None


@pytest.fixture
def rig(ros: RosContext) -> Iterator[Rig]:
    node, other = Node("serving", context=ros), Node("asking", context=ros)
    by_hand = node.create_service(StepSimulation, "/steps", never_called, callback_group=TakenByHand())
    node.create_service(GetSimulationState, "/state", lambda _, response: response)
    server = ActionServer(node, SimulateSteps, "/action", lambda _: SimulateSteps.Result())
    steps, state = other.create_client(StepSimulation, "/steps"), other.create_client(GetSimulationState, "/state")
    action = ActionClient(other, SimulateSteps, "/action")
    for ready in (steps.wait_for_service, state.wait_for_service, action.wait_for_server):
        assert ready(LONG_S)
    yield Rig(RequestWait(node, [by_hand], [server]), steps, by_hand, state, action)
    server.destroy()
    action.destroy()
    for each in (node, other):
        each.destroy_node()


def test_it_sleeps_as_long_as_nobody_asks(rig: Rig) -> None:
    begin = time.monotonic()
    assert rig.wait.sleep(SHORT_S) == (False, False)
    assert time.monotonic() - begin >= SHORT_S


def test_a_request_that_is_taken_by_hand_ends_it_and_is_not_for_the_executor(rig: Rig) -> None:
    rig.steps.call_async(StepSimulation.Request())
    for _ in range(2):
        assert rig.wait.sleep(LONG_S) == (True, False), "as long as nobody has taken it"
    rig.take()
    assert rig.wait.sleep(SHORT_S) == (False, False)


def test_any_other_request_is_for_the_executor(rig: Rig) -> None:
    rig.state.call_async(GetSimulationState.Request())
    assert rig.wait.sleep(LONG_S) == (False, True)


def test_so_is_a_goal(rig: Rig) -> None:
    rig.action.send_goal_async(SimulateSteps.Goal(steps=1))
    assert rig.wait.sleep(LONG_S) == (False, True)


def test_of_both_at_once_both_are_told(rig: Rig) -> None:
    rig.state.call_async(GetSimulationState.Request())
    assert rig.wait.sleep(LONG_S) == (False, True)
    rig.steps.call_async(StepSimulation.Request())
    end = time.monotonic() + LONG_S
    while rig.wait.sleep(SHORT_S) != (True, True):
        assert time.monotonic() < end
