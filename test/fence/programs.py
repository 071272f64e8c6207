"""Small ROS 2 programs that the fence's tests start as processes of their own: `python programs.py NAME [ARGUMENT...]`.

Each prints one JSON object as its last line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def emit(**values: object) -> None:
    """Print the result of the program."""
    print(json.dumps(values), flush=True)


def sockets() -> None:
    """Make a node and say what check_sockets, require_fence and the tables of /proc think of this process."""
    import rclpy

    from acres_ros import fence
    from acres_ros.fence import sockets

    rclpy.init()
    node = rclpy.create_node("looked_at")
    refusal = ""
    try:
        fence.check_sockets()
    except fence.FenceError as error:
        refusal = str(error)
    code = f"from acres_ros.fence import sockets; print([str(s) for s in sockets.held_sockets({os.getpid()})])"
    seen_from_outside = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    emit(
        refusal=refusal,
        own=[str(held) for held in sockets.held_sockets() if held.port],
        outside=seen_from_outside.strip(),
        groups=sockets.joined_groups(),
    )
    node.destroy_node()
    rclpy.shutdown()


def parameter(*arguments: str) -> None:
    """Make a node with ROS arguments and let require_fence read the node's own parameter."""
    import rclpy

    from acres_ros import fence

    rclpy.init(args=["program", *arguments])
    node = rclpy.create_node("asked")
    try:
        emit(warning=fence.require_fence(node), refusal="")
    except fence.FenceError as error:
        emit(warning="", refusal=str(error))
    rclpy.shutdown()


def publish(topic: str, seconds: str, name: str = "publisher") -> None:
    """Publish on a topic for a while."""
    import rclpy
    from std_msgs.msg import String

    rclpy.init()
    node = rclpy.create_node(name)
    publisher = node.create_publisher(String, topic, 10)
    print("ready", flush=True)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        publisher.publish(String(data="acres"))
        time.sleep(0.02)
    rclpy.shutdown()


UNCOUNTED = 5
"""Clouds before the first that counts: a publisher can know of a reader that does not know of it yet."""


def publish_clouds(topic: str, hz: str, count: str, readers: str) -> None:
    """Publish numbered clouds of the size of a LiDAR's, reliable with depth 10, once that many readers are there."""
    import rclpy
    from sensor_msgs.msg import PointCloud2

    rclpy.init()
    node = rclpy.create_node("lidar")
    publisher = node.create_publisher(PointCloud2, topic, 10)
    cloud = PointCloud2(height=1, width=57600, point_step=26, row_step=57600 * 26)
    cloud.data.frombytes(bytes(cloud.row_step))
    while publisher.get_subscription_count() < int(readers):
        time.sleep(0.02)
    begin = time.monotonic()
    for number in range(-UNCOUNTED, int(count)):
        cloud.header.stamp.sec = number
        publisher.publish(cloud)
        time.sleep(max(0.0, begin + (UNCOUNTED + number + 1) / float(hz) - time.monotonic()))
    time.sleep(2.0)  # what a reader still waits for is repeated by a publisher that lives
    rclpy.shutdown()


def hear_clouds(topic: str, reliability: str, work_s: str, count: str) -> None:
    """Take clouds, working on each for a while, until the last one came or none came for three seconds."""
    import rclpy
    from rclpy.qos import QoSProfile, ReliabilityPolicy
    from sensor_msgs.msg import PointCloud2

    rclpy.init()
    node = rclpy.create_node("listener")
    heard: list[int] = []

    def take(cloud: PointCloud2) -> None:
        assert len(cloud.data) == 57600 * 26
        if cloud.header.stamp.sec >= 0:
            heard.append(cloud.header.stamp.sec)
        time.sleep(float(work_s))

    qos = QoSProfile(depth=10, reliability=ReliabilityPolicy[reliability])
    node.create_subscription(PointCloud2, topic, take, qos)
    quiet_since = time.monotonic() + 20.0
    while time.monotonic() - quiet_since < 3.0 and (not heard or heard[-1] < int(count) - 1):
        before = len(heard)
        rclpy.spin_once(node, timeout_sec=0.5)
        if len(heard) > before:
            quiet_since = time.monotonic()
    emit(heard=heard)
    rclpy.shutdown()


def hear(topic: str, seconds: str, enough: str) -> None:
    """Count the messages of a topic until there are enough or the time is over."""
    import rclpy
    from std_msgs.msg import String

    rclpy.init()
    node = rclpy.create_node("hearer")
    heard: list[str] = []
    node.create_subscription(String, topic, lambda message: heard.append(message.data), 10)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end and len(heard) < int(enough):
        rclpy.spin_once(node, timeout_sec=0.1)
    emit(heard=len(heard), nodes=sorted(set(node.get_node_names()) - {"hearer"}))
    rclpy.shutdown()


def duplicate(*topics: str) -> None:
    """Ask whether another publisher is there; then publish and ask again, leaving out the own publishers."""
    import rclpy
    from std_msgs.msg import String

    from acres_ros import fence
    from acres_ros.fence.graph import publisher_gids

    rclpy.init()
    node = rclpy.create_node("second_simulator")
    begun = time.monotonic()
    refusal = own_refusal = ""
    try:
        fence.other_publishers(node, topics)
    except fence.DuplicateSimulatorError as error:
        refusal = str(error)
    waited = time.monotonic() - begun
    if not refusal:
        kept = [node.create_publisher(String, topic, 10) for topic in topics]
        try:
            fence.other_publishers(node, topics, publisher_gids(node, topics), wait_s=0.3)
        except fence.DuplicateSimulatorError as error:
            own_refusal = str(error)
        assert len(kept) == len(topics)
    emit(refusal=refusal, own_refusal=own_refusal, waited=waited)
    rclpy.shutdown()


def crowd(number: str, size: str, seconds: str) -> None:
    """Be one of a crowd: say how many members were seen once it is whole or the time is over, and stay."""
    import rclpy

    rclpy.init()
    node = rclpy.create_node(f"member_{number}")
    end = time.monotonic() + float(seconds)
    seen = 0
    while seen < int(size) and time.monotonic() < end:
        time.sleep(0.2)
        seen = sum(name.startswith("member_") for name in node.get_node_names())
    emit(seen=seen)
    time.sleep(float(seconds))


def two_hosts(fenced: str, domain: str) -> None:
    """Let a node of another host, told this one's address, listen in the same domain to a talker of this host.

    Run in network and mount namespaces of its own. The other host is a second network namespace at the far end of a
    cable (a veth pair); its node runs with ROS_STATIC_PEERS, the way by which LOCALHOST is known to be entered.
    """
    from acres_ros import fence
    from acres_ros.fence.settings import without_fence

    # Who is to hear nothing is given a while; who is to hear all is given as long as a busy machine needs.
    seconds = "10" if fenced == "fenced" else "90"
    far_side = ["unshare", "--net", "--mount", "sh", "-c", FAR_SIDE, "sh", domain, seconds]
    # The other host knows nothing of the fence, whatever this program was started with.
    other = subprocess.Popen(far_side, stdout=subprocess.PIPE, env=without_fence(os.environ))
    own, far = Path("/proc/self/ns/net"), Path(f"/proc/{other.pid}/ns/net")
    while far.readlink() == own.readlink():  # unshare must be done before the cable's end is handed over
        time.sleep(0.01)
    for line in NEAR_SIDE.format(far=other.pid).strip().splitlines():
        subprocess.run(line.split(), check=True)
    base = {**os.environ, "ACRES_DOMAIN_ID": domain}
    environment = fence.environment(base) if fenced == "fenced" else without_fence(base)
    talker = subprocess.Popen([sys.executable, __file__, "publish", "across", "120", "near"], env=environment)
    try:
        last = other.communicate(timeout=120)[0].decode().strip().splitlines()[-1]
    finally:
        talker.kill()
        talker.wait()
    print(last, flush=True)


NEAR_SIDE = """
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
ip link add near type veth peer name far
ip link set far netns {far}
ip address add 10.77.0.1/24 dev near
ip link set near up
ip route add 224.0.0.0/4 dev near
"""

FAR_SIDE = f"""
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
until ip link show far >/dev/null 2>&1; do sleep 0.05; done
ip address add 10.77.0.2/24 dev far
ip link set far up
ip route add 224.0.0.0/4 dev far
export ROS_DOMAIN_ID=$1 ROS_STATIC_PEERS=10.77.0.1
exec {sys.executable} {Path(__file__)} hear across $2 20
"""


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
