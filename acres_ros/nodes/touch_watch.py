"""A reader of `farm_report` that tells what the vehicle touches. For programs that show a drive."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import rclpy
from acres_interfaces.msg import FarmReport
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from acres_ros.nodes.topics import BY_KEY, full_name

TOPIC = full_name(BY_KEY["farm_report"], "")


class TouchWatch:
    """Count the touches that the reports tell.

    Attributes:
        names: name of what was touched, once for each touch.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._last = ""

    def take(self, report: FarmReport) -> None:
        """Take one report; a touch begins where another report said nothing, or another obstacle."""
        now = report.obstacle_name if report.collision else ""
        if now and now != self._last:
            self.names.append(now)
        self._last = now


@contextlib.contextmanager
def touches_watched() -> Iterator[list[str]]:
    """Give the names of what is touched, which grow until the end; nothing is there where nobody publishes reports."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node("touch_watch", context=context)
    watch = TouchWatch()
    node.create_subscription(FarmReport, TOPIC, watch.take, 10)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def spin() -> None:
        with contextlib.suppress(ExternalShutdownException):
            executor.spin()

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield watch.names
    finally:
        executor.shutdown()
        thread.join()
        node.destroy_node()
        context.try_shutdown()
