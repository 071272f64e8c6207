"""Whatever becomes of a request, it is answered: a fault of the program too, in the words that its type has for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from acres_interfaces.srv import SetRate
from rclpy.context import Context as RosContext
from rclpy.node import Node
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import GetSimulatorFeatures, ResetSimulation

from acres_ros.nodes.service import Service, served


@pytest.fixture
def node(ros: RosContext) -> Iterator[Node]:
    made = Node("faulty", context=ros)
    yield made
    made.destroy_node()


def answer_of(node: Node, kind: Any) -> Any:
    """Return the response of a service whose callback fails in the middle."""

    def fail(_: Any, response: Any) -> Any:
        if kind is SetRate:
            response.success = True
        raise ZeroDivisionError

    return served(node, Service(kind, "/faulty", ""), fail).callback(kind.Request(), kind.Response())


def test_a_service_of_ours_tells_of_a_fault(node: Node) -> None:
    response = answer_of(node, SetRate)
    assert (
        not response.success and "fault of the program" in response.message and "ZeroDivisionError" in response.message
    )


def test_a_service_of_the_standard_tells_of_a_fault(node: Node) -> None:
    response = answer_of(node, ResetSimulation)
    assert response.result.result == Result.RESULT_OPERATION_FAILED
    assert "ZeroDivisionError" in response.result.error_message


def test_one_without_words_for_it_answers_empty(node: Node) -> None:
    assert answer_of(node, GetSimulatorFeatures) == GetSimulatorFeatures.Response()
