"""What one vehicle of `acres_physics` has to do with the world outside: commands, services, link, scans, log."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.service import Service

from acres_ros.core.agent import Agent
from acres_ros.core.environment import Environment
from acres_ros.core.gateway_events import Event
from acres_ros.core.greeting import Greeting
from acres_ros.core.link import LocalLink, SampleServer
from acres_ros.core.sample import SAMPLE
from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import Simulation
from acres_ros.core.sweeps import Sweeps
from acres_ros.nodes.commands import CommandInput
from acres_ros.nodes.fault_control import FaultControl
from acres_ros.nodes.gnss_control import GnssControl
from acres_ros.nodes.parameter_table import VEHICLE_NODE, VEHICLE_PARAMETERS, Value, check
from acres_ros.nodes.process import Joined
from acres_ros.nodes.vehicle import Vehicle
from acres_ros.nodes.vehicle_control import VehicleControl

LEAVING = [Parameter("start_type_description_service", value=False)]
"""Of a node that is destroyed while its process goes on: rclpy never takes this service of its own out of the graph."""


class AgentPorts:
    """The ports of one vehicle.

    Args:
        joined: the node, and the values of `PHYSICS_PARAMETERS`.
        environment: the vehicle.
        sensors: its sensors.
        name: below which its topics and services are; empty: the real names.
        like: ports of the first vehicle, for a further one.
        spawned: whether it came later; its vehicle node is in this process then, wherever that of the first is.

    Attributes:
        environment: as given.
        commands: its subscriptions.
        link: to its vehicle node.
        sweeps: the scans of its LiDAR; None where they are switched off.
        vehicle: its vehicle node in this process; None where that has a process of its own.
    """

    def __init__(
        self,
        joined: Joined,
        environment: Environment,
        sensors: Sensors,
        name: str,
        like: AgentPorts | None = None,
        *,
        spawned: bool = False,
    ) -> None:
        self._node = joined.node
        self._sensors = sensors
        self.environment = environment
        self.name = name
        self._below = name if like is not None else ""
        self._says = f"{name}: " if like is not None else ""
        self._services: list[Service] = []
        self.vehicle: Vehicle | None = None
        self.link = self._open_link(joined, like, spawned=spawned)
        self.sweeps = self._make_sweeps(str(joined.options["lidar"]), like)
        try:
            self.commands = CommandInput(joined.node, name)
        except Exception:
            self._close_outputs()
            raise

    def _open_link(self, joined: Joined, like: AgentPorts | None, *, spawned: bool) -> SampleServer | LocalLink:
        if not (joined.options["composed"] or spawned):
            return SampleServer(self.name, SAMPLE, lambda: self._greeting().to_json())
        options = None if like is None else {**like.vehicle_options, "agent": self.name}
        node = Node(VEHICLE_NODE, namespace=self._below or None, parameter_overrides=LEAVING if spawned else None)
        try:
            vehicle = Vehicle(node, options, since=joined.since)
        except Exception:
            node.destroy_node()
            raise
        try:
            vehicle.start(self._greeting())
        except Exception:
            vehicle.close()
            raise
        self.vehicle = vehicle
        return LocalLink(
            vehicle.publish,
            vehicle.publish_scan,
            vehicle.scans_wanted,
            lambda goes_on: vehicle.start(self._greeting(), goes_on=goes_on),
            vehicle.recall,
            vehicle.show_time,
        )

    @property
    def vehicle_options(self) -> Mapping[str, Value]:
        """Return the values of `VEHICLE_PARAMETERS` of its vehicle node; before one has joined, the defaults."""
        if self.vehicle is not None:
            return self.vehicle.options
        assert isinstance(self.link, SampleServer), "a vehicle node in another process"
        told = self.link.about.get("options", {})
        return {each.name: check(each, told.get(each.name, each.default)) for each in VEHICLE_PARAMETERS}

    def _make_sweeps(self, lidar: str, like: AgentPorts | None) -> Sweeps | None:
        if lidar == "off":
            return None
        wanted: Callable[[], bool] = self.link.scans_wanted if lidar == "auto" else lambda: True
        return Sweeps(self.environment, self._sensors.lidar, wanted, None if like is None else like.sweeps)

    def _greeting(self) -> Greeting:
        return Greeting.of(self.environment, self._sensors)

    def agent(self, close: Callable[[], None] | None = None) -> Agent:
        """Return the vehicle as one of several in a simulation.

        Args:
            close: ends it, where it was spawned.
        """
        return Agent(
            self.environment, self.link, self.commands.take, sweeps=self.sweeps, name=self.name, close=close
        )  # fmt: skip

    def serve(self, simulation: Simulation, agent: Agent) -> None:
        """Offer the services of the vehicle, which is one of a simulation."""
        for control in (VehicleControl, GnssControl, FaultControl):
            self._services += control(self._node, simulation, agent, self._below).services

    def look(self) -> None:
        """Let who joins or leaves be seen, and a vehicle node in this process serve its callbacks."""
        for line in self.link.poll():
            self._node.get_logger().info(f"{self._says}{line}")
        if self.vehicle is not None:
            self.vehicle.look()

    def say_events(self) -> None:
        """Log what the vehicle has to say."""
        for event in self.environment.take_events():
            self._say(event)

    def _say(self, event: Event) -> None:
        logger, text = self._node.get_logger(), f"{self._says}{event.code} {event.text}"
        # rclpy ties a severity to the line that logs, so each has a line of its own.
        if event.severity == "warning":
            logger.warning(text)
        else:
            logger.info(text)

    def close(self) -> None:
        """End all of it: commands, services, scans, link, and the vehicle node where it is in this process."""
        self.commands.close()
        for service in self._services:
            self._node.destroy_service(service)
        self._services.clear()
        self._close_outputs()

    def _close_outputs(self) -> None:
        if self.sweeps is not None:
            self.sweeps.close()
        self.link.close()
        if self.vehicle is not None:
            self.vehicle.close()
