"""What one vehicle of `acres_physics` has to do with the world outside: its commands, its link, its scans, its log."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from acres_ros.core.agent import Agent
from acres_ros.core.environment import Environment
from acres_ros.core.gateway_events import Event
from acres_ros.core.greeting import Greeting
from acres_ros.core.link import LocalLink, SampleServer
from acres_ros.core.sample import SAMPLE
from acres_ros.core.sensors import Sensors
from acres_ros.core.sweeps import Sweeps
from acres_ros.nodes.commands import CommandInput
from acres_ros.nodes.parameter_table import VEHICLE_NODE, Value
from acres_ros.nodes.process import Joined
from acres_ros.nodes.vehicle import Vehicle


class AgentPorts:
    """The ports of one vehicle.

    Args:
        joined: the node, and the values of `PHYSICS_PARAMETERS`.
        environment: the vehicle.
        sensors: its sensors.
        name: below which its topics and services are; empty: the real names.
        like: ports of the first vehicle, for a further one.

    Attributes:
        environment: as given.
        commands: its subscriptions.
        link: to its vehicle node.
        sweeps: the scans of its LiDAR; None where they are switched off.
        vehicle: its vehicle node in this process; None where that has a process of its own.
    """

    def __init__(
        self, joined: Joined, environment: Environment, sensors: Sensors, name: str, like: AgentPorts | None = None
    ) -> None:
        self._node = joined.node
        self._sensors = sensors
        self.environment = environment
        self.name = name
        self._says = f"{name}: " if like is not None else ""
        self.vehicle: Vehicle | None = None
        self.link = self._open_link(joined, like)
        self.sweeps = self._make_sweeps(str(joined.options["lidar"]))
        self.commands = CommandInput(joined.node, name)

    def _open_link(self, joined: Joined, like: AgentPorts | None) -> SampleServer | LocalLink:
        if not joined.options["composed"]:
            return SampleServer(self.name, SAMPLE, lambda: self._greeting().to_json())
        options: dict[str, Value] | None = None
        if like is not None and like.vehicle is not None:
            options = {**like.vehicle.options, "agent": self.name}
        namespace = self.name if like is not None else None
        self.vehicle = vehicle = Vehicle(Node(VEHICLE_NODE, namespace=namespace), options, since=joined.since)
        vehicle.start(self._greeting())
        return LocalLink(
            vehicle.publish,
            vehicle.publish_scan,
            vehicle.scans_wanted,
            lambda: vehicle.start(self._greeting()),
            vehicle.recall,
            vehicle.show_time,
        )

    def _make_sweeps(self, lidar: str) -> Sweeps | None:
        if lidar == "off":
            return None
        wanted: Callable[[], bool] = self.link.scans_wanted if lidar == "auto" else lambda: True
        return Sweeps(self.environment, self._sensors.lidar, wanted)

    def _greeting(self) -> Greeting:
        return Greeting.of(self.environment, self._sensors)

    def agent(self) -> Agent:
        """Return the vehicle as one of several in a simulation."""
        return Agent(self.environment, self.link, self.commands.take, sweeps=self.sweeps, name=self.name)

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
        """End scans and link."""
        if self.sweeps is not None:
            self.sweeps.close()
        self.link.close()
