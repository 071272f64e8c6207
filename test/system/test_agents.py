"""Two vehicles in one stand-in: each with its topics, frames and services, and one clock that moves both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from acres_interfaces.msg import Command
from acres_interfaces.srv import GetFarm, ResetVehicle, StepWithCommands
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from simulation_interfaces.msg import EntityState
from simulation_interfaces.srv import GetEntities, GetEntityState, SetEntityState, SpawnEntity
from std_msgs.msg import Empty, String
from system_rig import ANSWER_S, OK, OWN_DOMAIN, PAUSED, START_S, STRAIGHT_DEG, User, joined, ns, stamp_ns, wait_for
from tf2_msgs.msg import TFMessage

from acres_ros.cli.up import started
from acres_ros.nodes.lockstep_client import ByteRecorder
from acres_ros.nodes.parameter_table import NodeParameterError

pytestmark = pytest.mark.system

OTHER = "agent_1"
TRUTH = "/ground_truth/odometry"
SHARED = ("/diagnostics", "/tf", "/tf_static")


class Pair(User):
    """A user of both vehicles; `recorder` has what the first publishes, `others` what the second does."""

    def __init__(self, ros: Context) -> None:
        super().__init__(ros, exclude=())
        kinds = {"enable": Empty, "gear/cmd": GearCmd, "steering/cmd": SteeringCmd, "ulc/cmd": UlcCmd}
        self._second = {
            name: self.node.create_publisher(kind, f"/{OTHER}/vehicle/{name}", QoSProfile(depth=50))
            for name, kind in kinds.items()
        }
        for publisher in self._second.values():
            wait_for(publisher.get_subscription_count, "a subscription of the second vehicle")
        self.others = ByteRecorder(ros, SHARED, namespace=f"/{OTHER}")

    def engage_both(self) -> None:
        self.enable()
        self.select()
        self._second["enable"].publish(Empty())
        self._second["gear/cmd"].publish(GearCmd(cmd=Gear(value=Gear.LOW)))

    def drive_both(self, first: float, second: float) -> None:
        self.steer()
        self.drive(first)
        self._second["steering/cmd"].publish(SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=STRAIGHT_DEG, enable=True))
        self._second["ulc/cmd"].publish(UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=second, enable=True))

    def run(self, seconds: float) -> dict[str, list[bytes]]:
        """Drive both, the second twice as fast; return all that both have published, by topic."""
        self.engage_both()
        for _ in range(round(seconds * 20)):
            self.drive_both(1.0, 2.0)
            assert self.step_result(6).result == OK
            self.recorder.take()
            self.others.take()
        self.settle()
        self.others.take_until(f"/{OTHER}{TRUTH}", round(seconds * 120))
        rows = {**self.recorder.rows, **self.others.rows}
        # Two nodes publish /tf and /tf_static: the order of each holds, that between them is the middleware's.
        for topic in ("/tf", "/tf_static"):
            theirs = [f"{OTHER}/".encode() in row for row in rows[topic]]
            rows[f"{topic} of {OTHER}"] = [row for row, other in zip(rows[topic], theirs, strict=True) if other]
            rows[topic] = [row for row, other in zip(rows[topic], theirs, strict=True) if not other]
        return {topic: list(content) for topic, content in rows.items() if topic != "/diagnostics"}


def odometry(rows: list[bytes]) -> list[Odometry]:
    return [deserialize_message(row, Odometry) for row in rows]


def fresh_run(seconds: float, *, composed: bool) -> dict[str, list[bytes]]:
    values: dict[str, Any] = {"paused": True, "world": "yard", "agents": 2, "composed": composed}
    with started(values, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        assert len(stand_in.processes) == (1 if composed else 3)
        with joined(OWN_DOMAIN) as ros:
            return Pair(ros).run(seconds)


@pytest.fixture(scope="module")
def rows() -> dict[str, list[bytes]]:
    """Give what two vehicles in new processes publish in 4 s."""
    return fresh_run(4.0, composed=False)


def test_one_request_moves_both_exactly_once(rows: dict[str, list[bytes]]) -> None:
    assert len(rows["/clock"]) == 480
    for topic in (TRUTH, f"/{OTHER}{TRUTH}"):
        assert [ns(message.header.stamp) for message in odometry(rows[topic])] == [stamp_ns(k) for k in range(1, 481)]


def test_each_drives_by_its_own_commands(rows: dict[str, list[bytes]]) -> None:
    ways = []
    for topic in (TRUTH, f"/{OTHER}{TRUTH}"):
        first, *_, last = odometry(rows[topic])
        ways.append(math.dist(*((m.pose.pose.position.x, m.pose.pose.position.y) for m in (first, last))))
    assert ways[0] > 0.3 and ways[1] > 1.3 * ways[0]


def test_the_second_has_every_topic_of_the_first_below_its_name(rows: dict[str, list[bytes]]) -> None:
    own = {topic for topic in rows if not topic.startswith((f"/{OTHER}", "/tf", "/clock"))}
    assert {topic.removeprefix(f"/{OTHER}") for topic in rows if topic.startswith(f"/{OTHER}/")} == own
    for topic in own:
        assert len(rows[topic]) == len(rows[f"/{OTHER}{topic}"]), topic
    assert len(rows["/rslidar_points"]) >= 30


def test_frames_of_the_second_have_its_name_before_them_and_share_the_map(rows: dict[str, list[bytes]]) -> None:
    for topic in ("/tf", "/tf_static"):
        frames = [
            [(t.header.frame_id, t.child_frame_id) for t in deserialize_message(content[0], TFMessage).transforms]
            for content in (rows[topic], rows[f"{topic} of {OTHER}"])
        ]
        named = [tuple(f if f == "map" else f"{OTHER}/{f}" for f in pair) for pair in frames[0]]
        assert frames[1] == named
    assert len(rows["/tf"]) == len(rows[f"/tf of {OTHER}"]) == 480
    truth = odometry(rows[f"/{OTHER}{TRUTH}"])[0]
    assert (truth.header.frame_id, truth.child_frame_id) == ("map", f"{OTHER}/base_footprint")


def test_the_errors_of_their_sensors_differ(rows: dict[str, list[bytes]]) -> None:
    gaps = []
    for prefix in ("", f"/{OTHER}"):
        ins, truth = odometry(rows[f"{prefix}/novatel/oem7/odom"])[0], odometry(rows[f"{prefix}{TRUTH}"])
        same = next(message for message in truth if message.header.stamp == ins.header.stamp)
        gaps.append(ins.pose.pose.position.y - same.pose.pose.position.y)
    assert abs(gaps[0] - gaps[1]) > 1e-4


def test_a_first_vehicle_with_a_name_of_its_own_is_told_of_by_it() -> None:
    values = {"agent": "alpha", "composed": True, "paused": True, "world": "yard"}
    with started(values, domain=OWN_DOMAIN) as stand_in, joined(OWN_DOMAIN) as ros:
        stand_in.wait_ready(START_S)
        node = Node("asking", context=ros)
        executor = SingleThreadedExecutor(context=ros)
        executor.add_node(node)

        def call(kind: Any, name: str, /, **fields: Any) -> Any:
            client = node.create_client(kind, name)
            assert client.wait_for_service(ANSWER_S)
            future = client.call_async(kind.Request(**fields))
            executor.spin_until_future_complete(future, ANSWER_S)
            return future.result()

        pose = PoseStamped(pose=call(GetEntityState, "/get_entity_state", entity="alpha").state.pose)
        pose.pose.orientation = Quaternion(w=1.0)
        result = call(SpawnEntity, "/spawn_entity", name="b", uri="acres://polaris", initial_pose=pose).result
        assert "'alpha' is there" in result.error_message
        executor.shutdown()
        node.destroy_node()


@pytest.mark.parametrize("composed", [False, True])
def test_another_start_publishes_the_same_bytes(rows: dict[str, list[bytes]], composed: bool) -> None:
    again = fresh_run(4.0, composed=composed)
    assert set(again) == set(rows)
    for topic, content in rows.items():
        assert again[topic] == content, topic


@pytest.fixture(scope="module")
def pair() -> Iterator[User]:
    values: dict[str, Any] = {"paused": True, "world": "yard", "agents": 2, "agent_names": "red", "lidar": "off"}
    with started(values, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            yield User(ros, exclude=())


def test_entities_and_services_are_of_each(pair: User) -> None:
    assert pair.state() == PAUSED
    assert pair.call(GetEntities, "/get_entities").entities == ["polaris", "red"]
    first, second = (
        pair.call(GetEntityState, "/get_entity_state", entity=name).state.pose.position for name in ("polaris", "red")
    )
    assert math.dist((first.x, first.y), (second.x, second.y)) == pytest.approx(4.0)
    answer = pair.call(
        ResetVehicle, "/red/acres/reset_vehicle", x=second.x + 20.0, y=second.y, occupants=-1, seed=-1,
        global_fraction=-1.0, surface_film=-1.0, rain_mm_per_h=-1.0, dust_per_m=-1.0,
    )  # fmt: skip
    assert answer.success, answer.message
    moved = pair.call(GetEntityState, "/get_entity_state", entity="red").state.pose.position
    assert moved.x == pytest.approx(second.x + 20.0)
    assert pair.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position == first
    state = EntityState(
        pose=Pose(position=Point(x=first.x + 1.0, y=first.y, z=first.z + 0.1), orientation=Quaternion(w=1.0))
    )
    assert pair.call(SetEntityState, "/set_entity_state", entity="red", state=state).result.result == OK
    pair.step(6)
    farm = pair.call(GetFarm, "/acres/get_farm")
    assert farm.success


def test_a_control_step_carries_commands_of_each_and_waits_for_them(pair: User) -> None:
    data = serialize_message(Empty())
    commands = [Command(name=name, data=data) for name in ("enable", "red/enable")]
    answer = pair.call(StepWithCommands, "/acres/step_with_commands", steps=6, commands=commands)
    assert answer.success, answer.message
    assert [applied.name for applied in answer.applied] == ["enable", "red/enable"]
    answer = pair.call(StepWithCommands, "/acres/step_with_commands", steps=1, wait_for=["red/ulc"], timeout_s=0.2)
    assert not answer.success and "red/ulc had not come" in answer.message
    answer = pair.call(StepWithCommands, "/acres/step_with_commands", steps=1, wait_for=["blue/ulc"])
    assert not answer.success and "'blue/ulc' is no command" in answer.message


def test_vehicles_that_touch_say_so_in_both_reports(pair: User) -> None:
    first = pair.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position
    state = EntityState(
        pose=Pose(position=Point(x=first.x, y=first.y + 2.0, z=first.z + 0.1), orientation=Quaternion(w=1.0))
    )
    assert pair.call(SetEntityState, "/set_entity_state", entity="red", state=state).result.result == OK
    theirs = ByteRecorder(pair.ros, only=("/red/acres/farm_report",), namespace="/red")
    pair.forget()
    pair.step(24)
    own = pair.last("/acres/farm_report")
    assert own.collision and own.obstacle_name == "red"
    theirs.take_until("/red/acres/farm_report", 2)
    other = deserialize_message(theirs.rows["/red/acres/farm_report"][-1], type(own))
    assert other.collision and other.obstacle_name == "polaris"


def test_the_robot_description_of_the_second_is_below_its_name(pair: User) -> None:
    heard: list[str] = []
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    pair.node.create_subscription(String, "/red/robot_description", lambda m: heard.append(m.data), qos)
    pair.spin_until(lambda: heard, "the robot description of the second")
    assert '<link name="red/base_link"' in heard[0]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"agents": 9}, "agents = 9.*8 at most"),
        ({"agents": 0}, "agents = 0"),
        ({"agents": 2, "agent_names": "a,b"}, "agent_names = 'a,b'.*1 names"),
        ({"agents": 3, "agent_names": "a,a"}, "agent_names = 'a,a'.*not 'a' twice"),
        ({"agents": 2, "agent_names": "polaris"}, "not 'polaris' twice"),
        ({"agents": 2, "agent_names": "2nd"}, "agent_names = '2nd'"),
        ({"agents": 2, "agent": "agent_1"}, "not 'agent_1' twice"),
    ],
)
def test_what_is_no_set_of_agents_is_refused_in_words(values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeParameterError, match=text), started(values, domain=OWN_DOMAIN):
        pass
