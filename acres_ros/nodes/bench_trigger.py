"""A bare rclpy service in a process of its own: what the round trip of a step is compared with."""

from __future__ import annotations

import sys

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from acres_ros import fence


def _answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
    response.success = True
    return response


def main() -> int:
    """Serve until the process is told to end."""
    fence.require_fence()
    rclpy.init()
    try:
        node = Node("acres_bench_trigger")
        node.create_service(Trigger, "/bench_trigger", _answer)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
