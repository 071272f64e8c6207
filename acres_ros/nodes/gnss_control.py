"""The GNSS receiver of the INS by ROS: loss of the satellites or of the corrections, and jumps of the position."""

from __future__ import annotations

from acres_interfaces.srv import SetGnss
from rclpy.node import Node

from acres_ros.core.agent import Agent
from acres_ros.core.simulation import Simulation
from acres_ros.nodes.service import Service, answered, served_below

SERVICES = (Service(SetGnss, "/acres/set_gnss", "state of the INS's GNSS position for a while, and an offset of it"),)


class GnssControl:
    """The service of one vehicle.

    Args:
        node: the node that serves it.
        simulation: what is controlled.
        agent: which vehicle of it.
        name: below which the service is; empty for the first vehicle.

    Attributes:
        services: what is served.
    """

    def __init__(self, node: Node, simulation: Simulation, agent: Agent, name: str) -> None:
        self._simulation = simulation
        self._environment = agent.environment
        self.services = served_below(node, SERVICES, name, {"/acres/set_gnss": self._set_gnss})

    def _set_gnss(self, request: SetGnss.Request, response: SetGnss.Response) -> SetGnss.Response:
        def act() -> None:
            self._environment.set_gnss(request.state, duration_s=request.duration_s, jump_m=request.jump_m.tolist())

        return answered(lambda: self._simulation.change("another state of the GNSS", act), response)
