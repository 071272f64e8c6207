"""A user of the stand-in: commands, asks and listens over DDS, from the process of the tests."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import rclpy
from acres_interfaces.msg import DriverInput
from ds_dbw_msgs.msg import (
    BrakeCmd,
    DriveModeCmd,
    Gear,
    GearCmd,
    MiscCmd,
    SteeringCmd,
    ThrottleCmd,
    TurnSignalCmd,
    UlcCmd,
)
from rclpy.action import ActionClient
from rclpy.context import Context as RosContext
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from ros_domain import reserve
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import SimulationState
from simulation_interfaces.srv import GetSimulationState, ResetSimulation, SetSimulationState, StepSimulation
from std_msgs.msg import Empty

from acres_ros import fence
from acres_ros.cli.up import StandIn
from acres_ros.nodes.lockstep_client import ByteRecorder
from acres_ros.nodes.topics import TOPICS, full_name

SHARED_DOMAIN, OWN_DOMAIN = reserve(), reserve()
START_S = 240.0
ANSWER_S = 30.0
QUIET_S = 0.04
STOPPED, PLAYING, PAUSED, QUITTING = 0, 1, 2, 3
OK, FAILED = 1, 4
STRAIGHT_DEG = 12.5
TYPES = {full_name(topic, ""): topic.type for topic in TOPICS}
COMMANDS = {
    "/vehicle/enable": Empty,
    "/vehicle/disable": Empty,
    "/vehicle/steering/cmd": SteeringCmd,
    "/vehicle/brake/cmd": BrakeCmd,
    "/vehicle/throttle/cmd": ThrottleCmd,
    "/vehicle/gear/cmd": GearCmd,
    "/vehicle/turn_signal/cmd": TurnSignalCmd,
    "/vehicle/drive_mode/cmd": DriveModeCmd,
    "/vehicle/misc/cmd": MiscCmd,
    "/vehicle/ulc/cmd": UlcCmd,
    "/acres/driver_input": DriverInput,
}


def stamp_ns(k: int) -> int:
    """Return the stamp of step k as the specification has it (A9)."""
    return (k * 25_000_000 + 1) // 3


def wait_for(condition: Callable[[], Any], what: str, seconds: float = ANSWER_S) -> Any:
    """Return what the condition gives as soon as it is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.01)
    return value


@contextlib.contextmanager
def joined(domain: int) -> Iterator[RosContext]:
    """Give a ROS context inside the fence and in a domain; its participant exists when this process is itself again."""
    ros = RosContext()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in fence.variables(domain=domain):
            if value is None:
                patch.delenv(name, raising=False)
            else:
                patch.setenv(name, value)
        rclpy.init(context=ros, domain_id=domain)
        first = Node("joined", context=ros)
    try:
        yield ros
    finally:
        first.destroy_node()
        destroy_nodes(ros)
        ros.try_shutdown()


def destroy_nodes(ros: RosContext) -> None:
    """Take every node of a context out of the domain; a context that shuts down leaves them there.

    A stand-in that starts there next would see readers of its topics and clients of its services that nobody has.
    """
    for node in [each for each in gc.get_objects() if issubclass(type(each), Node) and each.context is ros]:
        if node.executor is not None:
            node.executor.shutdown()  # it may keep what it was about to call
        for action in [each for each in node.waitables if isinstance(each, ActionClient)]:
            action.destroy()
        node.destroy_node()


class User:
    """A node that commands and asks, and a recorder of what the vehicle publishes.

    Args:
        ros: from `joined`.
        exclude: topics that are not recorded; the LiDAR scans only when somebody reads.
    """

    def __init__(self, ros: RosContext, exclude: tuple[str, ...] = ("/rslidar_points",)) -> None:
        self.ros = ros
        self.node = Node("user", context=ros)
        self.executor = SingleThreadedExecutor(context=ros)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._publishers = {
            name: self.node.create_publisher(kind, name, QoSProfile(depth=50)) for name, kind in COMMANDS.items()
        }
        self.action = ActionClient(self.node, SimulateSteps, "/simulate_steps")
        for name, publisher in self._publishers.items():
            wait_for(publisher.get_subscription_count, f"a subscription of {name}")
        wait_for(self.action.server_is_ready, "the action")
        # The action client of rclpy keeps ten messages of feedback and forgets the callback with the goal, so the topic
        # is taken as it is, from a node that no executor spins.
        self._listener = Node("listener", context=ros)
        self._feedback = self._listener.create_subscription(
            SimulateSteps.Impl.FeedbackMessage,
            "/simulate_steps/_action/feedback",
            lambda _: None,
            QoSProfile(history=HistoryPolicy.KEEP_ALL),
        )
        wait_for(self._feedback.get_publisher_count, "the feedback of the action")
        self.recorder = ByteRecorder(ros, exclude=("/diagnostics", *exclude))

    # -- services -----------------------------------------------------------------------------------------------------

    def wait(self, future: Any, seconds: float = ANSWER_S) -> Any:
        """Spin until a future is done and return its result."""
        end = time.monotonic() + seconds
        while not future.done():
            self.executor.spin_once(0.1)
            self.recorder.take()
            assert time.monotonic() < end, f"no answer within {seconds:g} s"
        return future.result()

    def spin_until(self, condition: Callable[[], Any], what: str, seconds: float = ANSWER_S) -> None:
        """Spin until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            self.executor.spin_once(0.05)
            self.recorder.take()
            assert time.monotonic() < end, f"{what} did not happen within {seconds:g} s"

    def ask(self, kind: Any, name: str, /, **fields: Any) -> Any:
        """Send a request; return the future of the answer."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        wait_for(self._clients[name].service_is_ready, f"the service {name}")
        return self._clients[name].call_async(kind.Request(**fields))

    def leave(self, name: str) -> None:
        """Be no client of a service any more."""
        if name in self._clients:
            self.node.destroy_client(self._clients.pop(name))

    def call(self, kind: Any, name: str, /, **fields: Any) -> Any:
        """Call a service and return its answer."""
        return self.wait(self.ask(kind, name, **fields))

    def step_result(self, steps: int) -> Any:
        """Ask for steps and return the `Result`."""
        return self.call(StepSimulation, "/step_simulation", steps=steps).result

    def step(self, steps: int = 1) -> None:
        """Run steps and take what they published."""
        before = len(self.recorder.rows["/clock"])
        result = self.step_result(steps)
        assert result.result == OK, result.error_message
        self.recorder.take_until("/clock", before + steps)
        self.settle()

    def state(self) -> int:
        """Return the state of the simulation."""
        answer = self.call(GetSimulationState, "/get_simulation_state")
        assert answer.result.result == OK
        return answer.state.state

    def set_state(self, state: int) -> Any:
        """Ask for a state and return the `Result`."""
        return self.call(SetSimulationState, "/set_simulation_state", state=SimulationState(state=state)).result

    def reset(self, scope: int = 0) -> Any:
        """Ask for a reset and return the `Result`."""
        return self.call(ResetSimulation, "/reset_simulation", scope=scope).result

    def refused_reset(self) -> str:
        """Return why a reset is refused, as soon as a step request holds it up.

        Another step request would not do as a probe: of two that come at once either may go first, and the one that is
        meant to wait would be the one that is refused.
        """
        return str(wait_for(lambda: self.reset().error_message, "a step request"))

    def goal(self, steps: int) -> Any:
        """Send a goal and return its handle."""
        return self.wait(self.action.send_goal_async(SimulateSteps.Goal(steps=steps)))

    def take_feedback(self, count: int = 0) -> list[tuple[int, int]]:
        """Return completed and remaining steps of the feedback since the last call: all, or a number waited for."""
        found: list[tuple[int, int]] = []
        end = time.monotonic() + ANSWER_S
        while True:
            with self._feedback.handle:
                while (taken := self._feedback.handle.take_message(self._feedback.msg_type, False)) is not None:
                    found.append((taken[0].feedback.completed_steps, taken[0].feedback.remaining_steps))
            if len(found) >= count or time.monotonic() > end:
                return found
            time.sleep(0.01)

    # -- commands -----------------------------------------------------------------------------------------------------

    def send(self, topic: str, message: Any) -> None:
        """Publish a command."""
        self._publishers[topic].publish(message)

    def enable(self) -> None:
        """Enable the drive-by-wire."""
        self.send("/vehicle/enable", Empty())

    def select(self, gear: int = Gear.LOW) -> None:
        """Command a gear."""
        self.send("/vehicle/gear/cmd", GearCmd(cmd=Gear(value=gear)))

    def steer(self, angle_deg: float = STRAIGHT_DEG) -> None:
        """Command a steering wheel angle."""
        self.send("/vehicle/steering/cmd", SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=angle_deg, enable=True))

    def drive(self, speed: float) -> None:
        """Command a speed of the ULC."""
        self.send("/vehicle/ulc/cmd", UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=speed, enable=True))

    def start_driving(self, speed: float = 2.0, seconds: float = 4.0) -> None:
        """Enable, engage L and drive straight for some simulated time, in lockstep."""
        self.enable()
        self.select()
        for _ in range(round(seconds * 20)):
            self.steer()
            self.drive(speed)
            self.step_result(6)
        self.settle()

    # -- what the vehicle says ----------------------------------------------------------------------------------------

    def settle(self, quiet_s: float = QUIET_S) -> None:
        """Take until nothing has come for a moment; what a request has brought is here before its answer."""
        count, end = -1, time.monotonic() + ANSWER_S
        quiet = time.monotonic() + quiet_s
        while time.monotonic() < quiet:
            assert time.monotonic() < end, "messages go on coming: is the simulation paused?"
            self.recorder.take()
            now = sum(map(len, self.recorder.rows.values()))
            if now != count:
                count, quiet = now, time.monotonic() + quiet_s
            time.sleep(0.005)

    def forget(self) -> None:
        """Forget what was received."""
        self.settle()
        self.recorder.forget()
        self.take_feedback()

    def messages(self, topic: str) -> list[Any]:
        """Return the messages of a topic since `forget`."""
        return [deserialize_message(row, TYPES[topic]) for row in self.recorder.rows[topic]]

    def last(self, topic: str) -> Any:
        """Return the last message of a topic."""
        return deserialize_message(self.recorder.rows[topic][-1], TYPES[topic])

    def ticks(self) -> list[int]:
        """Return the stamps of `/clock` in ns, in the order of arrival."""
        return [message.clock.sec * 10**9 + message.clock.nanosec for message in self.messages("/clock")]


def ns(stamp: Any) -> int:
    """Return a stamp in ns."""
    return stamp.sec * 10**9 + stamp.nanosec


@dataclass
class Shared:
    """A running stand-in with its user.

    Attributes:
        stand_in: two processes, started paused.
        user: of this process.
        early: messages that came before the first step, by topic.
    """

    stand_in: StandIn
    user: User
    early: dict[str, int]
