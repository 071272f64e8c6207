"""A request to step is taken by hand, and answered: when its steps are done, at once where they are refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from acres_interfaces.srv import StepWithCommands
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError
from acres_ros.nodes.service import Service
from acres_ros.nodes.step_service import StepService
from acres_ros.nodes.waiting import TakenByHand

PATIENCE_S = 60.0


class Rig:
    """A service whose requests `begin` begins, and a client."""

    def __init__(self, ros: RosContext) -> None:
        self.nodes = Node("serving", context=ros), Node("asking", context=ros)
        self.begin: Callable[[Any], StepRequest] = lambda request: StepRequest(request.steps)
        self.service = StepService(
            self.nodes[0],
            Service(StepWithCommands, "/steps", ""),
            TakenByHand(),
            lambda request: self.begin(request),
            self._tell,
        )
        self.client = self.nodes[1].create_client(StepWithCommands, "/steps")
        assert self.client.wait_for_service(PATIENCE_S)
        self.executor = SingleThreadedExecutor(context=ros)
        self.executor.add_node(self.nodes[1])

    @staticmethod
    def _tell(response: StepWithCommands.Response, failure: str, steps: StepRequest | None) -> None:
        response.message, response.completed = failure, 0 if steps is None else steps.completed

    def take(self, asked: Any) -> Any:
        """Take the request, when it has come, until it is begun or answered."""
        end = time.monotonic() + PATIENCE_S
        while (taken := self.service.take()) is None and not asked.done():
            assert time.monotonic() < end
            self.executor.spin_once(0.01)
        return taken

    def answer(self, asked: Any) -> StepWithCommands.Response:
        self.executor.spin_until_future_complete(asked, PATIENCE_S)
        return asked.result()


@pytest.fixture
def rig(ros: RosContext) -> Iterator[Rig]:
    made = Rig(ros)
    yield made
    made.executor.shutdown(0.0)
    for node in made.nodes:
        node.destroy_node()


def test_it_is_answered_when_its_steps_are_done(rig: Rig) -> None:
    asked = rig.client.call_async(StepWithCommands.Request(steps=7))
    steps, answer = rig.take(asked)
    assert steps.total == 7 and rig.service.take() is None
    rig.executor.spin_once(0.05)
    assert not asked.done()
    steps.completed = 7
    answer()
    response = rig.answer(asked)
    assert (response.message, response.completed) == ("", 7)


def test_one_that_was_cut_short_says_how_far_it_came(rig: Rig) -> None:
    asked = rig.client.call_async(StepWithCommands.Request(steps=7))
    steps, answer = rig.take(asked)
    steps.completed, steps.cancelled = 3, True
    answer()
    assert rig.answer(asked).message == "cut short after 3 of 7 steps"


def test_one_that_is_refused_is_answered_at_once(rig: Rig) -> None:
    def refuse(_: Any) -> StepRequest:
        raise AcresError("not now")

    rig.begin = refuse
    asked = rig.client.call_async(StepWithCommands.Request())
    assert rig.take(asked) is None
    assert rig.answer(asked).message == "not now"


def test_a_fault_of_the_program_is_answered_and_ends_nothing(rig: Rig) -> None:
    rig.begin = lambda request: StepRequest(request.steps // 0)
    asked = rig.client.call_async(StepWithCommands.Request(steps=1))
    assert rig.take(asked) is None
    message = rig.answer(asked).message
    assert "a fault of the program" in message and "ZeroDivisionError" in message
