"""Two small programs that talk over ROS 2: what the proof runs when it is given nothing else.

`python -m acres_ros.fence.probe talk` publishes and serves until it is ended; `... listen COUNT` ends with 0 when COUNT
messages and one reply have come, with 1 after 15 s. They use a topic, a service and a parameter service, which is every
kind of DDS endpoint that the simulator's nodes have.
"""

from __future__ import annotations

import argparse
import sys
import time

TOPIC = "acres_fence_probe"
SERVICE = "acres_fence_probe_answer"
WAIT_S = 15.0


def talk() -> int:
    """Publish 50 messages a second and answer requests until a signal comes."""
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from std_msgs.msg import String
    from std_srvs.srv import Trigger

    rclpy.init()
    node = rclpy.create_node("acres_fence_talker")
    publisher = node.create_publisher(String, TOPIC, 10)
    node.create_timer(0.02, lambda: publisher.publish(String(data="acres")))

    def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        return response

    node.create_service(Trigger, SERVICE, answer)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0


def listen(wanted: int) -> int:
    """Wait for messages and one reply; return the exit status."""
    import rclpy
    from std_msgs.msg import String
    from std_srvs.srv import Trigger

    rclpy.init()
    node = rclpy.create_node("acres_fence_listener")
    heard: list[String] = []
    node.create_subscription(String, TOPIC, heard.append, 10)
    client = node.create_client(Trigger, SERVICE)
    reply = None
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and not (len(heard) >= wanted and reply is not None and reply.done()):
        if reply is None and client.service_is_ready():
            reply = client.call_async(Trigger.Request())
        rclpy.spin_once(node, timeout_sec=0.1)
    complete = len(heard) >= wanted and reply is not None and reply.done()
    print(f"{len(heard)} messages of {wanted}, {'a' if reply is not None and reply.done() else 'no'} reply", flush=True)
    rclpy.shutdown()
    return 0 if complete else 1


def main() -> int:
    """Run one of the two programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("talk", "listen"))
    parser.add_argument("count", nargs="?", type=int, default=50)
    arguments = parser.parse_args()
    return talk() if arguments.part == "talk" else listen(arguments.count)


if __name__ == "__main__":
    sys.exit(main())
