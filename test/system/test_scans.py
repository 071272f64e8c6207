"""The point cloud over DDS: to whom it comes, when it starts and ends, and that a whole one arrives."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import PointCloud2
from simulation_interfaces.srv import DeleteEntity, GetEntityState, SpawnEntity
from system_rig import OK, OWN_DOMAIN, PAUSED, START_S, User, joined, ns, stamp_ns, wait_for

from acres_ros.cli.up import started

pytestmark = pytest.mark.system

TOPIC = "/rslidar_points"
KNOWN_S = 1.0
"""After which the vehicle node has noticed a reader and told acres_physics, and a bit: nothing tells that they have."""
NOTHING_S = 0.4
"""How long nothing is waited for."""


class Reader:
    """A subscription of the cloud without an executor."""

    def __init__(self, user: User, reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE) -> None:
        self.node = Node("reader", context=user.ros)
        self._subscription = self.node.create_subscription(
            PointCloud2, TOPIC, lambda _: None, QoSProfile(depth=20, reliability=reliability)
        )
        wait_for(self._subscription.get_publisher_count, "a publisher of the cloud")
        time.sleep(KNOWN_S)
        self.clouds: list[PointCloud2] = []

    def stamps(self, count: int) -> list[int]:
        """Wait for a number of clouds since the last call; return their stamps, ns."""
        found: list[PointCloud2] = []

        def take() -> bool:
            handle = self._subscription.handle
            with handle:
                while (taken := handle.take_message(PointCloud2, False)) is not None:
                    found.append(taken[0])
            return len(found) >= count

        if count:
            wait_for(take, f"{count} clouds")
        else:
            time.sleep(NOTHING_S)
            take()
        self.clouds += found
        return [ns(cloud.header.stamp) for cloud in found]

    def leave(self) -> None:
        """Read no longer."""
        self.node.destroy_node()


@contextlib.contextmanager
def standing(**values: Any) -> Iterator[User]:
    with started({"paused": True, "world": "yard", **values}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            yield User(ros)


def test_a_lidar_that_is_off_sends_nothing_to_a_reader() -> None:
    """It comes first: the stand-ins of the others stay until their last test."""
    with standing(lidar="off", composed=True) as user:
        reader = Reader(user)
        user.step(60)
        assert reader.stamps(0) == []


@pytest.fixture(params=["two processes", "composed"], scope="module")
def user(request: pytest.FixtureRequest) -> Iterator[User]:
    with standing(composed=request.param == "composed") as user:
        yield user


def stamps(*steps: int) -> list[int]:
    return [stamp_ns(step) for step in steps]


def test_a_reader_gets_the_first_sweep_that_ends_in_its_first_request_and_later_ones(user: User) -> None:
    assert user.reset().result == OK
    user.step(20)
    reader = Reader(user)
    user.step(30)  # to step 50, at which a cloud leaves
    assert reader.stamps(3) == stamps(12, 24, 36), "the reply came behind the cloud of the last step"
    cloud = reader.clouds[0]
    assert (cloud.width, cloud.height, cloud.point_step, len(cloud.data)) == (32, 1800, 26, 1_497_600)
    points = np.frombuffer(cloud.data, np.uint8).reshape(-1, 26)
    x = points[:, :4].copy().view(np.float32)
    assert 20_000 < np.isfinite(x).sum() < 57_600
    late = Reader(user, ReliabilityPolicy.BEST_EFFORT)
    user.step(12)
    assert late.stamps(1) == reader.stamps(1) == stamps(48)
    late.leave()
    reader.leave()


def test_a_reset_publishes_nothing_of_the_old_episode(user: User) -> None:
    assert user.reset().result == OK
    reader = Reader(user)
    user.step(60)  # the sweep of step 36 has left, and that of step 48 has ended
    assert reader.stamps(3) == stamps(12, 24, 36)
    assert user.reset(2).result == OK
    user.step(30)
    assert reader.stamps(1) == stamps(72)
    assert user.reset().result == OK
    user.step(30)
    assert reader.stamps(1) == stamps(12)
    first, *_, last = reader.clouds
    assert bytes(first.data) == bytes(last.data), "the episode repeats"
    reader.leave()


def high_points(cloud: PointCloud2) -> np.ndarray:
    """Return x of the points before the sensor and above the level ground, 5 to 20 m away."""
    rows = np.frombuffer(cloud.data, np.uint8).reshape(-1, 26)[:, :12].copy().view(np.float32)
    x, y, z = rows[np.isfinite(rows[:, 0])].T
    return x[(5.0 < x) & (x < 20.0) & (np.abs(y) < 1.9) & (np.abs(z) < 0.5)]


def test_a_spawned_obstacle_is_seen_until_it_is_deleted(user: User) -> None:
    assert user.reset().result == OK
    reader = Reader(user)
    here = user.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position
    pose = Pose(position=Point(x=here.x, y=here.y + 12.0, z=here.z), orientation=Quaternion(w=1.0))
    user.step(30)
    answer = user.call(
        SpawnEntity,
        "/spawn_entity",
        name="wall",
        uri="acres://box",
        resource_string='{"size": [4.0, 1.0, 4.0]}',
        initial_pose=PoseStamped(pose=pose),
    )
    assert answer.result.result == OK, answer.result.error_message
    user.step(12)
    assert user.call(DeleteEntity, "/delete_entity", entity="wall").result.result == OK
    user.step(12)
    assert reader.stamps(3) == stamps(12, 24, 36)
    before, seen, after = map(high_points, reader.clouds)
    assert len(before) == len(after) == 0
    # The vehicle looks north; the face of the wall is 11.5 m from base_footprint, 9.9 m from the sensor.
    assert len(seen) > 200 and np.median(seen) == pytest.approx(9.9, abs=0.1)
    reader.leave()


def test_it_goes_on_in_free_run(user: User) -> None:
    assert user.reset().result == OK
    reader = Reader(user)
    assert user.set_state(1).result == OK
    found = reader.stamps(5)
    assert user.set_state(PAUSED).result == OK
    assert set(found) <= {stamp_ns(12 * count) for count in range(1, 200)}
    assert found == sorted(found)
    reader.leave()
