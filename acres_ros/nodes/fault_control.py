"""Faults on demand by ROS: one service that switches them, one that lists them."""

from __future__ import annotations

import time

from acres_interfaces.msg import Fault as FaultMessage
from acres_interfaces.srv import GetFaults, SetFault
from rclpy.node import Node

from acres_ros.core.agent import Agent
from acres_ros.core.clock import STEP_S
from acres_ros.core.fault_table import BY_NAME, CLOCK_HALT
from acres_ros.core.faults import NEVER, FaultError, checked
from acres_ros.core.simulation import Simulation
from acres_ros.nodes.service import Service, answered, served_below

SERVICES = (
    Service(SetFault, "/acres/set_fault", "switch a fault of actuators, commands, sensors or the clock on or off"),
    Service(GetFaults, "/acres/get_faults", "the faults that there are: effect, numbers, and whether each acts now"),
)


class FaultControl:
    """The services of one vehicle.

    Args:
        node: the node that serves them.
        simulation: what is disturbed; the clock is that of all its vehicles.
        agent: which vehicle of it.
        name: below which the services are; empty for the first vehicle.

    Attributes:
        services: what is served.
    """

    def __init__(self, node: Node, simulation: Simulation, agent: Agent, name: str) -> None:
        self._node = node
        self._simulation = simulation
        self._environment = agent.environment
        callbacks = {"/acres/set_fault": self._set_fault, "/acres/get_faults": self._get_faults}
        self.services = served_below(node, SERVICES, name, callbacks)

    def _set_fault(self, request: SetFault.Request, response: SetFault.Response) -> SetFault.Response:
        def act() -> None:
            values = request.values.tolist()
            if request.name == CLOCK_HALT.name:
                self._halt(request.on, values, request.duration_s)
            else:
                self._environment.set_fault(request.name, on=request.on, values=values, duration_s=request.duration_s)

        return answered(lambda: self._simulation.change("a fault", act), response)

    def _halt(self, on: bool, values: list[float], duration_s: float) -> None:
        numbers, _ = checked(CLOCK_HALT.name, on, values, duration_s)
        if duration_s:
            raise FaultError("duration_s", duration_s, f"0: {CLOCK_HALT.name} has its time in values")
        self._simulation.halt(numbers[0] if on else 0.0)
        what = f"begins, for {numbers[0]:g} s of wall time" if on else "ends"
        self._node.get_logger().warning(f"ACRES_FAULT {CLOCK_HALT.name} {what}")

    def _get_faults(self, request: GetFaults.Request, response: GetFaults.Response) -> GetFaults.Response:
        environment = self._environment
        for fault in BY_NAME.values():
            message = FaultMessage(
                name=fault.name,
                effect=fault.effect,
                shows=fault.shows,
                value_names=list(fault.values),
                unit=fault.unit,
                low=float(fault.low),
                high=float(fault.high),
                left_s=-1.0,
            )
            active = environment.faults.active.get(fault.name)
            if active is not None:
                message.active, message.values = True, list(active.values)
                if active.end != NEVER:
                    message.left_s = (active.end - environment.step_count) * STEP_S
            elif fault is CLOCK_HALT and (left := self._simulation.halt_left(time.monotonic())) > 0.0:
                message.active, message.values, message.left_s = True, [left], left
            response.faults.append(message)
        response.success = True
        return response
