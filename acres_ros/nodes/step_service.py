"""A service whose requests run steps: each is taken by hand, and answered when its steps are done."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.service import Service as RosService

from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError
from acres_ros.nodes.service import Service, fault_text, served
from acres_ros.nodes.waiting import never_called


class StepService:
    """One service.

    Args:
        node: the node that serves it.
        service: what is served.
        group: the group of services that no executor takes from: through one a request takes longer than its steps.
        begin: starts the steps that a request asks for; its `AcresError` refuses them.
        tell: writes into a response what became of the request: why it failed, empty if it did not, and its steps, None
            where they were refused.

    Attributes:
        ros: the service as ROS has it.
    """

    def __init__(
        self,
        node: Node,
        service: Service,
        group: CallbackGroup,
        begin: Callable[[Any], StepRequest],
        tell: Callable[[Any, str, StepRequest | None], None],
    ) -> None:
        self.ros: RosService = served(node, service, never_called, group)
        self._node = node
        self._service = service
        self._begin = begin
        self._tell = tell

    def take(self) -> tuple[StepRequest, Callable[[], None]] | None:
        """Take a request, if there is one; return its steps and what answers it when they are done."""
        with self.ros.handle:
            request, header = self.ros.handle.service_take_request(self._service.type.Request)
        if header is None:
            return None

        def answer(failure: str, steps: StepRequest | None) -> None:
            response = self._service.type.Response()
            self._tell(response, failure, steps)
            self.ros.send_response(response, header)

        try:
            steps = self._begin(request)
        except AcresError as error:
            answer(str(error), None)
            return None
        except Exception:
            answer(fault_text(self._node, self._service), None)
            return None
        return steps, lambda: answer(steps.failure, steps)

    def clients(self) -> Set[bytes]:
        """Return the clients that are in the graph, by what their requests are written with."""
        topic = f"rq{self.ros.service_name}Request"  # as the middlewares of DDS call it
        return {bytes(info.endpoint_gid) for info in self._node.get_publishers_info_by_topic(topic, no_mangle=True)}
