"""The node on DDS: what subscribers get, byte for byte, and what the graph says of every topic."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from vehicle_rig import greeting, published, samples

from acres_ros import fence
from acres_ros.nodes import diagnostics
from acres_ros.nodes.topics import BY_KEY, TOPICS, full_name
from acres_ros.nodes.vehicle import Vehicle

PATIENCE_S = 60.0


_graphs: list[Graph] = []


class Graph:
    """A vehicle node and a client in one domain."""

    def __init__(self, ros: RosContext, **parameters: Any) -> None:
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.vehicle = Vehicle(Node("acres_vehicle", context=ros, parameter_overrides=overrides), since=None)
        self.client = Node("client", context=ros)
        self.executor = SingleThreadedExecutor(context=ros)
        self.executor.add_node(self.client)
        self.received: dict[str, list[bytes]] = defaultdict(list)
        self.nodes = [self.vehicle.node, self.client]
        _graphs.append(self)

    def close(self) -> None:
        """Take the nodes out of the domain; a context that shuts down leaves them there."""
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()

    def listen(self, key: str, agent: str = "") -> None:
        """Subscribe to a topic and keep the bytes."""
        topic = BY_KEY[key]
        qos = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE, durability=topic.qos.durability)
        name = full_name(topic, agent)
        self.client.create_subscription(topic.type, name, lambda data: self.received[key].append(data), qos, raw=True)

    def until(self, condition: Callable[[], bool]) -> None:
        """Spin the client until the condition holds."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, {key: len(messages) for key, messages in self.received.items()}
            self.executor.spin_once(timeout_sec=0.05)

    def matched(self, count: int) -> None:
        """Wait until every publisher but that of the diagnostics has a subscriber."""
        publishers = [p for p in self.vehicle.node.publishers if "/diagnostics" not in p.topic_name]
        self.until(lambda: sum(p.get_subscription_count() > 0 for p in publishers) >= count)


@pytest.fixture(autouse=True)
def _no_graph_stays(ros: RosContext) -> Iterator[None]:
    yield
    while _graphs:
        _graphs.pop().close()


def test_a_subscriber_gets_the_bytes_of_every_topic(ros: RosContext) -> None:
    rows = samples(24)
    rows.vehicle.dbw.steering.angle_deg = range(24)
    rows.gateway.system.reason_disengage[12:] = 0x24
    steps: list[list[tuple[str, bytes]]] = []
    for key, data in published(rows, profile="vehicle").log:
        if key == "clock":
            steps.append([])
        steps[-1].append((key, data))
    wanted: dict[str, list[bytes]] = defaultdict(list)
    graph = Graph(ros, rate_profile="vehicle")
    graph.vehicle.start(greeting())
    keys = [topic.key for topic in TOPICS if topic.key != "diagnostics"]
    for key in keys:
        graph.listen(key)
    graph.matched(len(keys))
    for index in range(len(rows)):
        graph.vehicle.publish(rows[index : index + 1])
        for key, data in steps[index]:
            wanted[key].append(data)
        graph.until(lambda: all(len(graph.received[key]) >= len(wanted[key]) for key in keys))
    assert graph.received == {key: wanted[key] for key in graph.received}
    for key, messages in graph.received.items():
        for data in messages:
            deserialize_message(data, BY_KEY[key].type)
    silent = {key for key in keys if not graph.received[key]}
    # not due within 24 steps, and no scan in samples alone
    assert silent == {"gps/fix", "steering/info", "fuel_level", "tire_pressures", "lidar/points"}


def test_the_graph_shows_the_qos_of_the_table(ros: RosContext) -> None:
    graph = Graph(ros)
    for topic in TOPICS:
        name = full_name(topic, "")
        graph.until(lambda name=name: bool(graph.client.get_publishers_info_by_topic(name)))  # type: ignore[misc]
        (info,) = graph.client.get_publishers_info_by_topic(name)
        package, _, kind = info.topic_type.partition("/msg/")
        assert (package, kind) == (topic.type.__module__.split(".")[0], topic.type.__name__)
        assert info.qos_profile.reliability is ReliabilityPolicy.RELIABLE
        latched = topic.key in {"tf_static", "robot_description"}
        assert (info.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL) is latched


def test_clock_reaches_a_best_effort_subscriber_of_depth_1(ros: RosContext) -> None:
    graph = Graph(ros)
    graph.vehicle.start(greeting())
    clocks: list[Clock] = []
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    graph.client.create_subscription(Clock, "/clock", clocks.append, qos)
    graph.matched(1)
    for index, row in enumerate(range(6)):
        graph.vehicle.publish(samples(1, first=row + 1))
        graph.until(lambda index=index: len(clocks) > index)  # type: ignore[misc]
    assert [message.clock.nanosec for message in clocks] == [8333333, 16666667, 25000000, 33333333, 41666667, 50000000]


def test_who_comes_late_gets_the_latched_topics(ros: RosContext) -> None:
    graph = Graph(ros)
    graph.vehicle.start(greeting())
    graph.vehicle.publish(samples(3))
    graph.listen("tf_static")
    graph.listen("robot_description")
    graph.until(lambda: all(graph.received[key] for key in ("tf_static", "robot_description")))
    text = deserialize_message(graph.received["robot_description"][0], BY_KEY["robot_description"].type).data
    assert text.startswith('<?xml version="1.0"?>')


def test_a_second_agent_is_below_its_name_and_leaves_the_clock_alone(ros: RosContext) -> None:
    graph = Graph(ros, agent="polaris2")
    graph.vehicle.start(greeting())
    names = {publisher.topic_name for publisher in graph.vehicle.node.publishers}
    assert "/clock" not in names
    assert {"/polaris2/vehicle/steering/report", "/polaris2/novatel/oem7/odom", "/tf", "/diagnostics"} <= names
    assert not any(name.startswith(("/vehicle", "/novatel", "/ground_truth")) for name in names)
    graph.listen("vehicle_velocity", "polaris2")
    graph.matched(1)
    graph.vehicle.publish(samples(3))
    graph.until(lambda: bool(graph.received["vehicle_velocity"]))


def test_diagnostics_start_after_the_first_clock_and_tell_of_a_lost_link(
    ros: RosContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnostics, "PERIOD_S", 0.05)
    graph = Graph(ros)
    graph.executor.add_node(graph.vehicle.node)
    arrays: list[DiagnosticArray] = []
    graph.client.create_subscription(DiagnosticArray, "/diagnostics", arrays.append, 10)
    graph.vehicle.start(greeting())
    quiet = time.monotonic() + 0.5
    graph.until(lambda: time.monotonic() > quiet)
    assert not arrays
    rows = samples(12)
    rows.gateway.dbw_enabled, rows.gateway.system.state = 1, 2
    graph.vehicle.publish(rows)
    graph.until(lambda: bool(arrays))
    link, simulation, drive, _, ins, farm, _ = arrays[-1].status
    assert (link.name, link.level) == ("acres_vehicle: link", b"\x00")
    assert {pair.key: pair.value for pair in simulation.values}["step"] == "12"
    assert {pair.key: pair.value for pair in drive.values}["state"] == "ACTIVE"
    assert drive.message == "enabled"
    assert (ins.level, {pair.key: pair.value for pair in ins.values}["position"]) == (b"\x00", "fixed")
    assert {pair.key: pair.value for pair in farm.values}["world"] == "hand-made"
    graph.vehicle.diagnostics.link = "acres_physics is gone"
    graph.until(lambda: arrays[-1].status[0].level == b"\x02")
    assert arrays[-1].header.stamp.nanosec == 100_000_000


def test_a_second_publisher_of_the_same_topics_is_refused(ros: RosContext) -> None:
    graph = Graph(ros)
    graph.nodes.append(Node("acres_vehicle_2", context=ros))
    with pytest.raises(fence.DuplicateSimulatorError, match="/clock"):
        Vehicle(graph.nodes[-1], since=time.monotonic())


def test_diagnostics_count_the_rate_between_two_messages(ros: RosContext) -> None:
    graph = Graph(ros)
    diagnostics = graph.vehicle.diagnostics

    def rate_after(first: int, wall: float) -> str:
        graph.vehicle.start(greeting(first - 1))
        graph.vehicle.publish(samples(12, first=first))
        view = graph.vehicle.last
        assert view is not None
        return {pair.key: pair.value for pair in diagnostics.message(view, wall).status[1].values}["rate"]

    assert rate_after(1, 100.0) == "0.000"
    assert rate_after(13, 100.05) == "2.000"  # 12 steps of 1/120 s in 0.05 s
    assert rate_after(1, 100.10) == "0.000"  # another acres_physics, whose time began anew
