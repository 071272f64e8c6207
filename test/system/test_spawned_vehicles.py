"""Vehicles spawned and deleted while the stand-in runs, as a client of the standard sees them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acres_interfaces.msg import Command
from acres_interfaces.srv import GetFarm, ResetVehicle, RestoreSnapshot, SaveSnapshot, StepWithCommands
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from simulation_interfaces.msg import Resource
from simulation_interfaces.msg import SpawnEntity as SpawnWanted
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetSpawnables,
    LoadWorld,
    SpawnEntities,
    SpawnEntity,
)
from std_msgs.msg import Empty
from system_rig import OK, OWN_DOMAIN, PAUSED, START_S, STOPPED, STRAIGHT_DEG, User, joined, ns, stamp_ns, wait_for

from acres_ros.cli.up import StandIn, started
from acres_ros.nodes.lockstep_client import ByteRecorder

pytestmark = pytest.mark.system

RED = "red"
TRUTH = "/ground_truth/odometry"
SHARED = ("/diagnostics", "/tf", "/tf_static")
UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED = 0, 2, 3, 4
TAKEN, NO_NAME, NAMESPACE, PARSE, POSE, SOME_FAILED = 101, 102, 105, 106, 109, 150
ROUNDS = 20
MOST_GROWTH_KB = 12_000


def beside(user: User, metres: float, up: float = 0.0) -> PoseStamped:
    """Return a pose some metres east of the first vehicle at its start, on its ground, that looks north."""
    here = user.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position
    north = Quaternion(z=math.sqrt(0.5), w=math.sqrt(0.5))
    return PoseStamped(pose=Pose(position=Point(x=here.x + metres, y=here.y, z=here.z + up), orientation=north))


def spawn(user: User, name: str = RED, **fields: Any) -> Any:
    fields = {"uri": "acres://polaris", "initial_pose": beside(user, 8.0)} | fields
    return user.call(SpawnEntity, "/spawn_entity", name=name, **fields)


def delete(user: User, name: str = RED) -> Any:
    return user.call(DeleteEntity, "/delete_entity", entity=name).result


def entities(user: User) -> list[str]:
    return list(user.call(GetEntities, "/get_entities").entities)


def graph(user: User, below: str = f"/{RED}/") -> tuple[set[str], set[str], set[str]]:
    """Return topics, services and nodes below a name."""
    topics = {name for name, _ in user.node.get_topic_names_and_types() if name.startswith(below)}
    services = {name for name, _ in user.node.get_service_names_and_types() if name.startswith(below)}
    nodes = {f"{space}/{name}" for name, space in user.node.get_node_names_and_namespaces()}
    return topics, services, {node for node in nodes if node.startswith(below)}


def published(user: User, space: str) -> set[str]:
    """Return what the vehicle node in a namespace publishes; nothing before it is seen."""
    try:
        return {name for name, _ in user.node.get_publisher_names_and_types_by_node("acres_vehicle", space)}
    except RuntimeError:
        return set()


def recorder_of_red(user: User) -> ByteRecorder:
    """Return a recorder of the second vehicle, when all its topics are seen: one each for those of the first."""
    wanted = len(published(user, "/")) - 1  # but for the clock
    wait_for(lambda: len(published(user, f"/{RED}")) == wanted, "the topics of the second vehicle")
    return ByteRecorder(user.ros, SHARED, namespace=f"/{RED}")


def nothing_is_left(user: User) -> None:
    """See that nothing below its name is in the graph; what this test has asked of it goes first."""
    for name in [name for name in user._clients if name.startswith(f"/{RED}/")]:
        user.node.destroy_client(user._clients.pop(name))
    wait_for(lambda: graph(user) == (set(), set(), set()), "the end of its topics, services and node")


# -- one life ---------------------------------------------------------------------------------------------------------


def test_it_has_topics_services_and_an_entity_until_it_is_deleted(user: User) -> None:
    before = graph(user, "/")
    answer = spawn(user)
    assert (answer.result.result, answer.entity_name) == (OK, RED), answer.result.error_message
    assert entities(user) == ["polaris", RED]
    info = user.call(GetEntityInfo, "/get_entity_info", entity=RED).info
    assert list(info.tags) == ["spawned", "vehicle", "polaris"]
    first, second = (user.call(GetEntityBounds, "/get_entity_bounds", entity=name) for name in ("polaris", RED))
    assert first.bounds == second.bounds
    there = {each.uri: each.spawn_bounds for each in user.call(GetSpawnables, "/get_spawnables").spawnables}
    assert there["acres://polaris"] == second.bounds
    place = user.call(GetEntityState, "/get_entity_state", entity=RED).state.pose.position
    wanted = beside(user, 8.0).pose.position
    assert (place.x, place.y) == pytest.approx((wanted.x, wanted.y), abs=0.05)

    theirs = recorder_of_red(user)
    own = {f"/{RED}{name}" for name in before[0] if name.startswith(("/vehicle/", "/novatel/", "/acres/"))}
    served = {f"/{RED}/acres/{name}" for name in ("reset_vehicle", "set_fault", "set_gnss", "set_parameters")}
    wait_for(lambda: own <= graph(user)[0] and served <= graph(user)[1], "its topics and services")
    topics, _, nodes = graph(user)
    assert f"/{RED}/clock" not in topics
    assert nodes == {f"/{RED}/acres_vehicle"}

    user.step(12)
    theirs.take_until(f"/{RED}{TRUTH}", 12)
    assert len(user.ticks()) == 12
    truth = deserialize_message(theirs.rows[f"/{RED}{TRUTH}"][-1], Odometry)
    assert (truth.header.frame_id, truth.child_frame_id) == ("map", f"{RED}/base_footprint")
    data = serialize_message(Empty())
    commands = [Command(name=f"{RED}/enable", data=data)]
    answer = user.call(StepWithCommands, "/acres/step_with_commands", steps=1, commands=commands)
    assert answer.success and [one.name for one in answer.applied] == [f"{RED}/enable"], answer.message
    reset = user.call(
        ResetVehicle, f"/{RED}/acres/reset_vehicle", x=wanted.x + 10.0, y=wanted.y, occupants=-1, seed=-1,
        global_fraction=-1.0, surface_film=-1.0, rain_mm_per_h=-1.0, dust_per_m=-1.0,
    )  # fmt: skip
    assert reset.success, reset.message
    assert user.call(GetFarm, "/acres/get_farm").success

    theirs.close()
    assert delete(user).result == OK
    assert entities(user) == ["polaris"]
    nothing_is_left(user)
    assert delete(user).result == NOT_FOUND
    answer = user.call(StepWithCommands, "/acres/step_with_commands", steps=1, commands=commands)
    assert not answer.success and "is no command" in answer.message
    user.step(1)


def test_the_same_name_is_free_again_at_once(user: User) -> None:
    for _ in range(3):
        assert spawn(user).result.result == OK
        user.step(2)
        assert delete(user).result == OK
    user.step(2)


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"name": ""}, NO_NAME, "allow_renaming"),
        ({"name": "a-b"}, NO_NAME, "topics are below its name"),
        ({"name": "polaris"}, TAKEN, "taken"),
        ({"entity_namespace": "blue"}, NAMESPACE, "'red'"),
        ({"resource_string": '{"size": [1, 1, 1]}'}, PARSE, "kind, gear, drive_mode, occupants"),
        ({"initial_pose": PoseStamped(pose=Pose(orientation=Quaternion(w=0.0)))}, POSE, "length 1"),
        ({"metres": 1.5}, POSE, "'polaris' is there"),
        ({"up": 2.5}, POSE, "within 2 m of the ground"),
    ],
)
def test_what_cannot_be_spawned_has_its_code(user: User, fields: dict[str, Any], code: int, words: str) -> None:
    if "metres" in fields or "up" in fields:
        fields = {"initial_pose": beside(user, fields.get("metres", 8.0), fields.get("up", 0.0))}
    answer = spawn(user, **{"name": RED, **fields})
    assert (answer.result.result, answer.entity_name) == (code, "")
    assert words in answer.result.error_message
    assert entities(user) == ["polaris"]
    wait_for(lambda: graph(user)[2] == set(), "the end of the node that a test before had")


def test_several_come_in_order_beside_obstacles_and_eight_is_all(user: User) -> None:
    def wanted(name: str, kind: str, metres: float) -> SpawnWanted:
        return SpawnWanted(
            name=name, entity_resource=Resource(uri=f"acres://{kind}"), initial_pose=beside(user, metres)
        )  # fmt: skip

    several = [
        wanted("box", "box", 8.0),
        wanted("in_the_box", "polaris", 8.5),
        wanted("blue", "polaris", 14.0),
        wanted("in_blue", "cone", 14.0),
    ]
    answer = user.call(SpawnEntities, "/spawn_entities", spawn_requests=several)
    assert answer.result.result == SOME_FAILED
    assert [one.result.result for one in answer.results] == [OK, POSE, OK, POSE]
    assert "'box' is there" in answer.results[1].result.error_message
    assert entities(user) == ["polaris", "blue", "box"]
    several = [wanted(f"v{number}", "polaris", 14.0 + 5.0 * number) for number in range(1, 8)]
    answer = user.call(SpawnEntities, "/spawn_entities", spawn_requests=several)
    assert [one.result.result for one in answer.results] == [OK] * 6 + [FAILED]
    assert "8 vehicles" in answer.results[-1].result.error_message
    user.step(6)


def test_while_a_step_request_runs_nobody_comes_or_goes(user: User) -> None:
    assert spawn(user).result.result == OK
    pose = beside(user, 20.0)
    handle = user.goal(10**9)
    assert spawn(user, "blue", initial_pose=pose).result.result == INCORRECT_STATE
    assert delete(user).result == INCORRECT_STATE
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert entities(user) == ["polaris", RED]


def test_resets_remove_it_or_leave_it(user: User) -> None:
    for scope, stays in ((1, True), (2, True), (3, True), (4, False), (6, False), (7, False), (0, False), (255, False)):
        if RED not in entities(user):
            assert spawn(user).result.result == OK
        assert user.reset(scope).result == OK
        assert entities(user) == (["polaris", RED] if stays else ["polaris"]), scope
        user.step(1)
    assert spawn(user).result.result == OK
    assert user.set_state(STOPPED).result == OK and entities(user) == ["polaris"]
    assert user.set_state(PAUSED).result == OK
    assert spawn(user).result.result == OK
    assert user.call(LoadWorld, "/load_world", uri="yard").result.result == OK and entities(user) == ["polaris"]
    assert user.set_state(PAUSED).result == OK
    nothing_is_left(user)


def test_a_snapshot_has_it_and_brings_it_back(user: User, tmp_path: Path) -> None:
    file = str(tmp_path / "red.npz")
    assert spawn(user).result.result == OK
    theirs = recorder_of_red(user)

    def run() -> dict[str, list[bytes]]:
        user.forget()
        theirs.take()
        theirs.forget()
        user.step(60)
        theirs.take_until(f"/{RED}{TRUTH}", 60)
        return {name: list(theirs.rows[name]) for name in (f"/{RED}{TRUTH}", f"/{RED}/novatel/oem7/odom")}

    user.step(30)
    assert user.call(SaveSnapshot, "/acres/save_snapshot", file=file).success
    first = run()
    answer = user.call(RestoreSnapshot, "/acres/restore_snapshot", file=file)
    assert answer.success and answer.step == 30, answer.message
    assert run() == first and len(first[f"/{RED}{TRUTH}"]) == 60
    theirs.close()
    assert delete(user).result == OK
    answer = user.call(RestoreSnapshot, "/acres/restore_snapshot", file=file)
    assert answer.success and entities(user) == ["polaris", RED], answer.message
    theirs = recorder_of_red(user)
    assert run() == first
    theirs.close()


# -- it repeats -------------------------------------------------------------------------------------------------------


class Driver(User):
    """A user who drives the first vehicle, and another one that is spawned on the way."""

    def run(self, seconds: float) -> dict[str, list[bytes]]:
        """Drive, spawn after a second, and drive both; return all that both have published, by topic."""
        self.enable()
        self.select()
        self._drive(20, None)
        assert spawn(self, resource_string='{"gear": "L"}').result.result == OK
        kinds = {"enable": Empty, "gear/cmd": GearCmd, "steering/cmd": SteeringCmd, "ulc/cmd": UlcCmd}
        own = {
            name: self.node.create_publisher(kind, f"/{RED}/vehicle/{name}", QoSProfile(depth=50))
            for name, kind in kinds.items()
        }
        for publisher in own.values():
            wait_for(publisher.get_subscription_count, "a subscription of the second vehicle")
        others = recorder_of_red(self)
        own["enable"].publish(Empty())
        own["gear/cmd"].publish(GearCmd(cmd=Gear(value=Gear.LOW)))
        self._drive(round(20 * seconds), own)
        self.settle()
        others.take_until(f"/{RED}{TRUTH}", round(seconds * 120))
        rows = {**self.recorder.rows, **others.rows}
        # Two nodes publish /tf and /tf_static: the order of each holds, that between them is the middleware's.
        for topic in ("/tf", "/tf_static"):
            theirs = [f"{RED}/".encode() in row for row in rows[topic]]
            rows[f"{topic} of {RED}"] = [row for row, other in zip(rows[topic], theirs, strict=True) if other]
            rows[topic] = [row for row, other in zip(rows[topic], theirs, strict=True) if not other]
        return {topic: list(content) for topic, content in rows.items() if topic != "/diagnostics"}

    def _drive(self, times: int, own: dict[str, Any] | None) -> None:
        for _ in range(times):
            self.steer()
            self.drive(1.0)
            if own is not None:
                own["steering/cmd"].publish(
                    SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=STRAIGHT_DEG, enable=True)
                )  # fmt: skip
                own["ulc/cmd"].publish(UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=2.0, enable=True))
            assert self.step_result(6).result == OK
            self.recorder.take()


def fresh_run(*, composed: bool) -> dict[str, list[bytes]]:
    # The node of the spawned vehicle is to do as that of the first, wherever that is: so no defaults.
    values: dict[str, Any] = {"paused": True, "world": "yard", "composed": composed, "rate_profile": "vehicle"}
    with started(values, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            return Driver(ros, exclude=()).run(4.0)


@pytest.fixture(scope="module")
def rows() -> dict[str, list[bytes]]:
    """Give what is published in new processes, in which a vehicle is spawned after a second."""
    return fresh_run(composed=False)


def test_both_drive_by_one_clock(rows: dict[str, list[bytes]]) -> None:
    assert len(rows["/clock"]) == len(rows[TRUTH]) == 600
    stamps = [ns(deserialize_message(row, Odometry).header.stamp) for row in rows[f"/{RED}{TRUTH}"]]
    assert stamps == [stamp_ns(k) for k in range(121, 601)]
    ways = []
    for topic in (TRUTH, f"/{RED}{TRUTH}"):
        first, *_, last = (deserialize_message(row, Odometry).pose.pose.position for row in rows[topic])
        ways.append(math.dist((first.x, first.y), (last.x, last.y)))
    assert ways[0] > 0.3 and ways[1] > 1.0
    assert len(rows[f"/{RED}/vehicle/wheel_speeds"]) == 400, "100 Hz, as the profile of the first has it"
    assert len(rows[f"/{RED}/rslidar_points"]) >= 30 and len(rows[f"/tf of {RED}"]) == 480


@pytest.mark.parametrize("composed", [False, True])
def test_another_start_publishes_the_same_bytes(rows: dict[str, list[bytes]], composed: bool) -> None:
    again = fresh_run(composed=composed)
    assert set(again) == set(rows)
    for topic, content in rows.items():
        assert again[topic] == content, topic


# -- nothing is left --------------------------------------------------------------------------------------------------


@pytest.fixture
def composed() -> Iterator[tuple[StandIn, User]]:
    values: dict[str, Any] = {"paused": True, "world": "yard", "composed": True, "lidar": "on"}
    with started(values, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            yield stand_in, User(ros)


def held(process: int) -> tuple[int, int, int]:
    """Return memory (kB), threads and open files of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]), int(status["Threads"]), len(os.listdir(f"/proc/{process}/fd"))


def assert_held_alike(after: list[tuple[int, int, int]]) -> None:
    """Compare what `held` tells after each of `ROUNDS` rounds."""
    memory, threads, files = zip(*after, strict=True)
    assert memory[-1] - memory[4] < MOST_GROWTH_KB, memory
    # What each round leaves would add up to 15 by now; a thread that is busy elsewhere ends a moment later.
    assert threads[-1] < threads[4] + 5 and files[-1] < files[4] + 5, after


def test_rounds_of_it_leave_nothing(composed: tuple[StandIn, User]) -> None:
    stand_in, user = composed
    (process,) = stand_in.processes.values()
    after: list[tuple[int, int, int]] = []
    for _ in range(ROUNDS):
        assert spawn(user).result.result == OK
        user.step_result(30)  # a scan of it leaves on the way
        assert delete(user).result == OK
        after.append(held(process.pid))
    assert_held_alike(after)
    nothing_is_left(user)
