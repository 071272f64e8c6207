"""Services of the stand-in, as the tables of the README and the nodes need them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.service import Service as RosService
from simulation_interfaces.msg import Result

from acres_ros.errors import AcresError

SERVICE_QOS = QoSProfile(depth=1000)
"""Requests and answers that are kept. Of more that come at once the middleware drops the older ones without a word, and
who asked waits for ever; its own 10 are soon reached by two clients."""


class Service(NamedTuple):
    """One service or action.

    Attributes:
        type: ROS type.
        name: full name.
        description: what it does.
    """

    type: type
    name: str
    description: str

    def below(self, agent: str) -> Service:
        """Return the same of one of several vehicles: below `/<agent>` for a further one, with no name as it is."""
        return self._replace(name=f"/{agent}{self.name}") if agent else self


def answered(act: Callable[[], None], response: Any) -> Any:
    """Return the response after the act: what was wrong with it, or nothing."""
    try:
        act()
        response.success = True
    except AcresError as error:
        response.success, response.message = False, str(error)
    return response


def served(
    node: Node,
    service: Service,
    callback: Callable[[Any, Any], Any],
    group: CallbackGroup | None = None,
) -> RosService:
    """Serve requests; whatever becomes of one, it is answered.

    Args:
        node: the node that serves.
        service: what is served.
        callback: fills the response to a request and returns it.
        group: of the callback; that of the node by default.
    """

    def answer(request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception:
            return _faulty(service.type.Response(), fault_text(node, service))

    return node.create_service(service.type, service.name, answer, qos_profile=SERVICE_QOS, callback_group=group)


def served_below(
    node: Node, services: Sequence[Service], agent: str, callbacks: Mapping[str, Callable[[Any, Any], Any]]
) -> list[RosService]:
    """Serve requests to one of several vehicles; where the middleware refuses one of the services, none is left.

    Args:
        node: the node that serves.
        services: what is served.
        agent: below which; empty for a vehicle with no name.
        callbacks: as for `served`, by the names of the services.
    """
    made: list[RosService] = []
    try:
        for service in services:
            made.append(served(node, service.below(agent), callbacks[service.name]))
    except RuntimeError:  # RCLError of rclpy is one
        for one in made:
            node.destroy_service(one)
        raise
    return made


def fault_text(node: Node, service: Service) -> str:
    """Return what to answer after an exception that nobody expected, which is in the log then."""
    error = traceback.format_exc()
    node.get_logger().error(f"a request to {service.name} met a fault of the program:\n{error}")
    return f"this request met a fault of the program, and may have been done in part: {error.splitlines()[-1]}"


def _faulty(response: Any, text: str) -> Any:
    """Return a response that tells of a fault of the program, in the words that its type has for it."""
    if hasattr(response, "result"):
        response.result = Result(result=Result.RESULT_OPERATION_FAILED, error_message=text)
    elif hasattr(response, "message"):
        response.success, response.message = False, text
    return response
