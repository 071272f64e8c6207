"""`acres_vehicle` as a process: waits, joins, publishes, answers barriers, notices a lost physics, ends cleanly."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import NavSatFix
from vehicle_rig import greeting, published, samples

from acres_ros import fence
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.link import SampleServer
from acres_ros.core.sample import SAMPLE
from acres_ros.nodes.topics import BY_KEY, full_name
from acres_ros.world.georeference import Origin

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
NOTICED_S = 1.0
SLACK_S = 4.0  # a busy machine


class Process:
    """The node in a process of its own, and the lines it writes."""

    def __init__(self, domain: int) -> None:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "RCUTILS_LOGGING_USE_STDOUT": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acres_ros.nodes.vehicle_program"],
            env=fence.environment(environment, domain=domain),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: queue.Queue[tuple[float, str]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put((time.monotonic(), line))

    def wait_for(self, words: str) -> float:
        """Return the wall time at which a line with these words came."""
        seen = []
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                when, line = self._lines.get(timeout=0.1)
            except queue.Empty:
                if self.process.poll() is not None and self._lines.empty():
                    break
                continue
            seen.append(line)
            if words in line:
                return when
        raise AssertionError(f"no line with {words!r} in:\n{''.join(seen)}")

    def end(self, number: int) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def vehicle(domain: int) -> Iterator[Process]:
    process = Process(domain)
    yield process
    process.close()


class Physics:
    """The other end of the link, in this process."""

    def __init__(self, domain: int, step: int = 0, epoch: int = 0) -> None:
        self.greeting = greeting(step, epoch)
        self.server = SampleServer("", SAMPLE, lambda: self.greeting.to_json(), domain=domain)
        end = time.monotonic() + PATIENCE_S
        while not self.server.connected:
            assert time.monotonic() < end, "nobody joined"
            self.server.poll()
            time.sleep(0.01)

    def wait_for_readers(self) -> None:
        """Wait until the vehicle node knows the readers of a client whose last one reads the scans.

        The client sees a publisher before that publisher sees the client, and discovery goes in order.
        """
        end = time.monotonic() + PATIENCE_S
        while not self.server.scans_wanted():
            assert time.monotonic() < end, "no reader of the scans is seen"
            time.sleep(0.01)


def read_scans(client: Node) -> None:
    """Be a reader of the scans, after all other topics."""
    topic = BY_KEY["lidar/points"]
    client.create_subscription(topic.type, full_name(topic, ""), lambda _: None, QoSProfile(depth=1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_waits_for_physics_in_words_and_ends_with_code_0(vehicle: Process, number: int) -> None:
    vehicle.wait_for("waiting for acres_physics")
    assert vehicle.end(number) == 0


def test_a_life_with_two_physics(vehicle: Process, domain: int) -> None:
    vehicle.wait_for("waiting for acres_physics")
    first = Physics(domain)
    vehicle.wait_for("joined acres_physics at step 0")
    rows = samples(30)
    first.server.send(rows[:12])
    first.server.send(rows[12:])
    first.server.barrier(PATIENCE_S)
    gone = time.monotonic()
    first.server.close()
    assert vehicle.wait_for("acres_physics is gone") - gone < NOTICED_S + SLACK_S
    second = Physics(domain, step=120, epoch=3)
    vehicle.wait_for("joined acres_physics at step 120")
    second.server.send(samples(12, first=121, epoch=3))
    second.server.barrier(PATIENCE_S)
    assert vehicle.end(signal.SIGTERM) == 0
    second.server.close()


def test_another_world_and_another_vehicle_come_with_a_greeting_in_the_middle(
    vehicle: Process, ros: RosContext, domain: int
) -> None:
    client = Node("client", context=ros)
    executor = SingleThreadedExecutor(context=ros)
    executor.add_node(client)
    fixes: list[NavSatFix] = []
    client.create_subscription(NavSatFix, full_name(BY_KEY["gps/fix"], ""), fixes.append, QoSProfile(depth=10))
    read_scans(client)
    physics = Physics(domain)
    physics.wait_for_readers()
    vehicle.wait_for("joined acres_physics at step 0, world hand-made")
    physics.server.send(samples(120))
    physics.greeting = greeting(0, 1, WorldFacts("elsewhere", Origin(52.0, 13.0, 40.0, 33)), mass__kerb_kg=900.0)
    physics.server.greet()
    physics.server.send(samples(120, epoch=1))
    physics.server.barrier(PATIENCE_S)
    end = time.monotonic() + PATIENCE_S
    while len(fixes) < 2:
        assert time.monotonic() < end, fixes
        executor.spin_once(timeout_sec=0.1)
    assert [round(fix.latitude) for fix in fixes] == [40, 52]
    physics.server.close()
    executor.shutdown()
    client.destroy_node()


def test_the_bytes_are_those_of_one_process(vehicle: Process, ros: RosContext, domain: int) -> None:
    client = Node("client", context=ros)
    executor = SingleThreadedExecutor(context=ros)
    executor.add_node(client)
    keys = ("clock", "tf", "ground_truth/odometry", "ins/odometry", "steering/report", "system/report")
    received: dict[str, list[Any]] = {key: [] for key in keys}
    for key in keys:
        name = full_name(BY_KEY[key], "")
        client.create_subscription(BY_KEY[key].type, name, received[key].append, QoSProfile(depth=1000), raw=True)
    read_scans(client)
    vehicle.wait_for("waiting for acres_physics")
    physics = Physics(domain)
    physics.wait_for_readers()
    rows = samples(24)
    rows.vehicle.body.wz = rows.step * 0.01
    rows.vehicle.body.vx = rows.step * 0.1
    log = published(rows).log
    end = time.monotonic() + PATIENCE_S
    for index in range(len(rows)):
        physics.server.send(rows[index : index + 1])
        physics.server.barrier(PATIENCE_S)
        while len(received["clock"]) <= index:
            assert time.monotonic() < end
            executor.spin_once(timeout_sec=0.1)
    while sum(map(len, received.values())) < sum(key in keys for key, _ in log):
        assert time.monotonic() < end, {key: len(messages) for key, messages in received.items()}
        executor.spin_once(timeout_sec=0.1)
    for key in keys:
        wanted = [data for name, data in log if name == key]
        # DDS fills a payload up to a multiple of 4 bytes on its way between processes
        assert [data[: len(other)] for data, other in zip(received[key], wanted, strict=True)] == wanted
        assert all(len(data) - len(other) < 4 for data, other in zip(received[key], wanted, strict=True))
    physics.server.close()
    executor.shutdown()
    client.destroy_node()


def test_a_second_vehicle_node_is_refused_in_words(vehicle: Process, domain: int) -> None:
    vehicle.wait_for("waiting for acres_physics")
    second = Process(domain)
    second.wait_for("already has a publisher")
    assert second.process.wait(PATIENCE_S) == 1
    second.close()
