"""What one publication of a point cloud costs: its bytes made, and handed to DDS for another participant."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import rclpy
from rclpy.context import Context as RosContext
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2

from acres_ros.core.parameters import load_parameters
from acres_ros.core.sample import Sweep
from acres_ros.core.sensors import Sensors
from acres_ros.nodes.lockstep_client import DISCOVERY_TIMEOUT_S, NoAnswerError
from acres_ros.nodes.point_cloud import PointCloud
from acres_ros.nodes.source import Context
from acres_ros.nodes.topics import BY_KEY
from acres_ros.nodes.topics_config import load_topics_config

TOPIC = "/bench_points"
PERIOD_S = 0.02


@dataclass(frozen=True)
class Publications:
    """Wall times of publications, s, and how many were received."""

    encode: list[float]
    publish: list[float]
    received: int


def publications(node: Node, count: int) -> Publications:
    """Publish random clouds of full size and return what each took.

    Args:
        node: owner of the publisher.
        count: how many.

    Raises:
        NoAnswerError: the reader did not match.
    """
    sensors = Sensors.from_file()
    cloud = PointCloud(Context(load_parameters(), load_topics_config(), sensors))
    points = np.random.default_rng(1).random((sensors.lidar.beam_count, 4), np.float32)
    qos = BY_KEY["lidar/points"].qos
    publisher = node.create_publisher(PointCloud2, TOPIC, qos)
    ros = RosContext()
    rclpy.init(context=ros)
    try:
        reader = Node("acres_bench_reader", context=ros)
        subscription = reader.create_subscription(PointCloud2, TOPIC, lambda _: None, qos, raw=True)
        deadline = time.monotonic() + DISCOVERY_TIMEOUT_S
        while not (publisher.get_subscription_count() and subscription.get_publisher_count()):
            if time.monotonic() > deadline:
                raise NoAnswerError("no reader of the cloud matched", DISCOVERY_TIMEOUT_S)
            time.sleep(0.01)
        encode: list[float] = []
        publish: list[float] = []
        received = 0
        for number in range(count):
            begin = time.perf_counter()
            data = cloud.encode(Sweep(12 * number, 0, 0, 0, points))
            made = time.perf_counter()
            publisher.handle.publish_raw(data)
            encode.append(made - begin)
            publish.append(time.perf_counter() - made)
            time.sleep(PERIOD_S)
            with subscription.handle:
                while subscription.handle.take_message(PointCloud2, True) is not None:
                    received += 1
        return Publications(encode, publish, received)
    finally:
        node.destroy_publisher(publisher)
        rclpy.try_shutdown(context=ros)
