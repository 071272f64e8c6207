"""`acres_vehicle`: publishes what the vehicle publishes, from the samples of `acres_physics`.

`Vehicle` is the node; `acres_physics` composes it, or it has a process of its own behind the link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from acres_ros import fence
from acres_ros.core import kinematics, measurement
from acres_ros.core.clock import stamp
from acres_ros.core.greeting import Greeting, WorldFacts
from acres_ros.core.link import Kind, LinkLostError, LinkRefusedError, SampleClient
from acres_ros.core.sample import SAMPLE, Sweep
from acres_ros.core.sensors import Sensors
from acres_ros.core.wakeups import run_soon
from acres_ros.errors import AcresError
from acres_ros.nodes.diagnostics import Diagnostics, ScanWatch
from acres_ros.nodes.outlets import Publish
from acres_ros.nodes.parameter_reading import read_parameters
from acres_ros.nodes.parameter_table import VEHICLE_NODE, VEHICLE_PARAMETERS, Value
from acres_ros.nodes.process import Joined
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import Context
from acres_ros.nodes.topics import BY_KEY, OPEN_NAMES, TOPICS, Topic, full_name
from acres_ros.nodes.topics_config import TopicsConfig, check_rates, load_topics_config
from acres_ros.nodes.vehicle_outputs import VehicleOutputs, is_published
from acres_ros.nodes.waiting import ReadyExecutor

SERVE_S = 0.05
"""Longest time between two looks at signals."""
LOOK_S = 0.2
"""Time between two looks at callbacks."""
SOON_S = 0.02
"""The same after one that found some."""
REMIND_S = 10.0
REFUSED_S = 5.0
"""How long a refusal is tried again: acres_physics may not have noticed yet that the last vehicle node ended."""


class PublisherError(AcresError):
    """A topic that the middleware does not create."""

    def __init__(self, name: str, error: Exception) -> None:
        cause = " ".join(str(error).split())
        super().__init__(
            f"topic {name} is refused ({cause}): wanted a name that nothing else here has with another type; "
            "look at the remapping rules of the command line"
        )


class Vehicle:
    """The node: its publishers, which stay, and the outputs, which belong to one acres_physics.

    Args:
        node: a node in which nothing has been created yet.
        options: values of `VEHICLE_PARAMETERS`; None reads them from the node.
        since: monotonic time since which this process has been in the graph, s: a start beside another publisher of the
            same topics is refused, and they are known a while after it. None: nobody looks.

    Attributes:
        node: as given.
        options: values of `VEHICLE_PARAMETERS`.

    Raises:
        AcresError: a parameter, the configuration file or the surroundings are not right.
    """

    def __init__(self, node: Node, options: Mapping[str, Value] | None = None, *, since: float | None) -> None:
        self.node = node
        self.options = options = read_parameters(node, VEHICLE_PARAMETERS) if options is None else options
        self.agent = str(options["agent"])
        self._clock = bool(options["publish_clock"]) and not self.agent
        config = load_topics_config(str(options["topics_file"]))
        self.config = replace(config, frames=config.frames.with_prefix(self.agent))
        self._outputs: VehicleOutputs | None = None
        self._made_for: tuple[bytes, WorldFacts, Mapping[str, Any]] | None = None
        names = {topic.key: full_name(topic, self.agent, _configured(config, topic)) for topic in TOPICS}
        topics = [topic for topic in TOPICS if is_published(topic, config, self._clock)]
        if since is not None:
            ours = [names[topic.key] for topic in topics if topic.key not in OPEN_NAMES]
            fence.other_publishers(node, ours, since=since)
        # The handle's publish_raw is what publish(bytes) calls after 0.7 us of checks; there are 11 messages a step.
        self._publishers = {topic.key: _publisher(node, topic, names[topic.key]) for topic in topics}
        self.diagnostics = Diagnostics(node, self.agent, lambda: self.last)
        self._executor = ReadyExecutor(context=node.context)
        self._executor.add_node(node)
        self._next_look = 0.0

    def close(self) -> None:
        """Take the node and all its topics out of the graph."""
        self._executor.shutdown()
        self.node.destroy_node()

    def look(self) -> None:
        """Serve parameters, diagnostics and the events of QoS now and then; the samples go first.

        A look collects what thirty publishers and their events have to say, which takes longer than ten steps. It takes
        one request of each service, and after one that took any the next look comes soon.
        """
        now = time.monotonic()
        if now >= self._next_look:
            some = self._executor.run_ready(self.node.get_logger())
            self._next_look = now + (SOON_S if some else LOOK_S)

    def prepare(self, parameters: np.ndarray, world: WorldFacts, sensors: Sensors) -> None:
        """Make the outputs for a vehicle in a world, which takes a while: who has joined has to publish at once.

        Args:
            parameters: one record of `acres_ros.models.parameters.PARAMETERS`.
            world: the world.
            sensors: the sensors of the vehicle.
        """
        made_for = parameters.tobytes(), world, sensors.tree
        if self._made_for == made_for:
            return
        check_rates(self.config, sensors.navigation.ins.hz, str(self.options["topics_file"]))
        self._made_for = made_for
        context = Context(
            parameters,
            self.config if world.origin is None else replace(self.config, origin=world.origin),
            sensors,
            world,
            nan_by_type=bool(self.options["nan_by_type"]),
            profile=str(self.options["rate_profile"]),
        )
        self._outputs = VehicleOutputs(
            context,
            self._open,
            publish_clock=self._clock,
            can_resolution=bool(self.options["can_resolution"]),
            listeners=self._count_of,
        )

    def start(self, greeting: Greeting, *, goes_on: bool = False) -> None:
        """Begin to publish for one acres_physics, or for another world or vehicle of it.

        Args:
            greeting: what it simulates, and where it stands.
            goes_on: the samples that follow are the next ones, so a frozen sensor stays as it was frozen.
        """
        before = self._outputs
        self.prepare(greeting.parameters, greeting.world, greeting.sensors)
        assert self._outputs is not None, "they are prepared"
        # A reset since the last sample has thawed them; its epoch is told here first.
        frozen = before.frozen if goes_on and before is not None and before.epoch == greeting.epoch else None
        self._outputs.restart(greeting.step, greeting.epoch, greeting.epoch_step)
        if frozen is not None:
            self._outputs.freeze(frozen)
        self.diagnostics.world = greeting.world
        self.diagnostics.collisions.restore(greeting.collisions)
        self.diagnostics.scans = ScanWatch(greeting.sensors.lidar)
        self.diagnostics.link = ""

    def publish(self, samples: np.ndarray) -> None:
        """Publish samples, oldest first; `start` came before."""
        if self._outputs is None:
            raise LinkLostError(VEHICLE_NODE, "samples came before a start")
        self.diagnostics.collisions.look(samples)
        self._outputs.publish(samples)

    def recall(self, samples: np.ndarray) -> None:
        """Stand as after the publication of samples, oldest first, which were published before; `start` came before."""
        if self._outputs is None:
            raise LinkLostError(VEHICLE_NODE, "samples came before a start")
        self._outputs.recall(samples)

    def show_time(self, step: int) -> None:
        """Publish `/clock` of a step again, where this node publishes it."""
        if self._clock:
            seconds, nanoseconds = stamp(step)
            self._publishers["clock"].publish(Clock(clock=Time(sec=seconds, nanosec=nanoseconds)))

    def publish_scan(self, sweep: Sweep) -> None:
        """Publish a scan, behind the samples that came before it."""
        if self._outputs is None:
            raise LinkLostError(VEHICLE_NODE, "a scan came before a start")
        self._outputs.publish_scan(sweep)
        self.diagnostics.scans.note(sweep, self._outputs.step)

    def scans_wanted(self) -> bool:
        """Tell whether somebody reads the scans."""
        return bool(self._count_of(BY_KEY["lidar/points"])())

    def _open(self, topic: Topic) -> Publish:
        return self._publishers[topic.key].publish_raw

    def _count_of(self, topic: Topic) -> Callable[[], int]:
        return self._publishers[topic.key].get_subscription_count

    @property
    def last(self) -> SampleView | None:
        """Return the last published sample, or None before the first."""
        return None if self._outputs is None else self._outputs.last


class VehicleProcess:
    """The loop of a process of its own: join, publish, answer barriers, join again.

    Args:
        vehicle: the node.
        stopping: tells whether the process is to end.
    """

    def __init__(self, vehicle: Vehicle, stopping: Callable[[], bool]) -> None:
        self._vehicle = vehicle
        self._stopping = stopping
        self._logger = vehicle.node.get_logger()
        self._client = SampleClient(vehicle.agent, SAMPLE, about={"options": dict(vehicle.options)})

    def run(self) -> None:
        """Publish until the process is told to end."""
        run_soon()
        try:
            while not self._stopping():
                hello = self._join()
                if hello is not None:
                    self._serve(hello)
        finally:
            self._client.close()

    def _join(self) -> dict[str, Any] | None:
        """Return what acres_physics says, however long it takes to start; None when the process is to end."""
        remind = 0.0
        refused_since: float | None = None
        while not self._stopping():
            try:
                return self._client.connect(SERVE_S)
            except LinkRefusedError as error:
                refused_since = refused_since or time.monotonic()
                if time.monotonic() - refused_since > REFUSED_S:
                    raise
                self._logger.warning(str(error), throttle_duration_sec=REMIND_S)
                time.sleep(SERVE_S)
            except LinkLostError as error:
                refused_since = None
                if time.monotonic() >= remind:
                    remind = time.monotonic() + REMIND_S
                    self._logger.info(f"waiting for acres_physics, nothing is published: {error.reason}")
            self._vehicle.look()
        return None

    def _serve(self, hello: Mapping[str, Any]) -> None:
        """Publish what one acres_physics sends, until it is gone or the process is to end."""
        vehicle, client = self._vehicle, self._client
        greeting = Greeting.from_json(hello)
        vehicle.start(greeting)
        self._logger.info(f"joined acres_physics at step {greeting.step}, world {greeting.world.name}")
        try:
            while not self._stopping():
                item = client.receive(SERVE_S)
                client.tell_readers(vehicle.scans_wanted())
                if item is not None:
                    kind, content = item
                    if kind is Kind.SAMPLES:
                        vehicle.publish(content)
                    elif kind is Kind.SCAN:
                        vehicle.publish_scan(content)
                    elif kind is Kind.HELLO:
                        vehicle.start(Greeting.from_json(content), goes_on=bool(content["goes_on"]))
                    elif kind is Kind.RECALL:
                        vehicle.recall(content)
                    elif kind is Kind.TIME:
                        vehicle.show_time(content)
                    else:
                        client.done()
                vehicle.look()
        except LinkLostError as error:
            vehicle.diagnostics.link = str(error)
            self._logger.error(f"acres_physics is gone, nothing is published until it is back: {error}")


def _publisher(node: Node, topic: Topic, name: str) -> Any:
    try:
        return node.create_publisher(topic.type, name, topic.qos).handle
    except (RuntimeError, NameValidationException) as error:  # RCLError of rclpy is a RuntimeError
        raise PublisherError(name, error) from error


def _configured(config: TopicsConfig, topic: Topic) -> str:
    """Return the name that the configuration gives a topic, or nothing."""
    names = {
        "ins/odometry": config.ins.odometry.topic,
        "ins/imu": config.ins.imu.topic,
        "ins/imu_raw": config.ins.imu_raw.topic,
        "ins/fix": config.ins.fix.topic,
        "lidar/points": config.lidar.topic,
        "ground_truth/odometry": config.ground_truth.topic,
        "robot_description": config.robot_description.topic,
        "joint_states": config.joint_states.topic,
    }
    return names.get(topic.key, "")


def load(joined: Joined) -> Callable[[], None]:
    """Return the loop of the node in a process of its own."""
    # While the vehicle waits for discovery nothing could be loaded.
    kinematics.warm()
    measurement.warm()
    return VehicleProcess(Vehicle(joined.node, joined.options, since=joined.since), joined.stop).run
