"""A restore makes the spawned vehicles of a snapshot and removes the others, as a client of the stand-in sees it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from acres_interfaces.msg import Command
from acres_interfaces.srv import StepWithCommands
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Empty
from system_rig import OK, PAUSED, PLAYING, STRAIGHT_DEG, User, ns, stamp_ns, wait_for
from test_snapshots_by_ros import LATCHED, Rows, restore, running, save
from test_spawned_vehicles import (
    RED,
    ROUNDS,
    TRUTH,
    assert_held_alike,
    beside,
    composed,  # noqa: F401  # a fixture
    delete,
    entities,
    graph,
    held,
    nothing_is_left,
    recorder_of_red,
    spawn,
)

from acres_ros.cli.up import StandIn
from acres_ros.nodes.lockstep_client import ByteRecorder

pytestmark = pytest.mark.system

ODOMETRY, CLOUD = "/novatel/oem7/odom", "/rslidar_points"
QUIET_S = 0.2
L_AND_FOUR = '{"gear": "L", "occupants": 4}'


def drive(user: User, parts: int) -> None:
    """Drive both vehicles, in steps that carry their commands."""
    straight = SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=STRAIGHT_DEG, enable=True)
    for part in range(parts):
        ulc = UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=1.0 + 0.1 * part, enable=True)
        own = {"enable": Empty(), "gear": GearCmd(cmd=Gear(value=Gear.LOW)), "steering": straight, "ulc": ulc}
        commands = [
            Command(name=prefix + name, data=serialize_message(message))
            for prefix in ("", f"{RED}/")
            for name, message in own.items()
        ]
        answer = user.call(StepWithCommands, "/acres/step_with_commands", steps=9, commands=commands)
        assert answer.success, answer.message


def run_on(user: User, theirs: ByteRecorder, parts: int = 12) -> Rows:
    """Drive on; return what both published, by topic, but for what is latched."""
    user.settle()
    user.recorder.forget()
    theirs.take()
    theirs.forget()
    drive(user, parts)
    theirs.take_until(f"/{RED}{TRUTH}", 9 * parts)
    user.settle()
    quiet_until(theirs)
    rows: Rows = {**user.recorder.rows, **theirs.rows}
    # Two nodes publish /tf: the order of each holds, that between them is the middleware's.
    of_red = [f"{RED}/".encode() in row for row in rows["/tf"]]
    rows[f"/tf of {RED}"] = [row for row, its in zip(rows["/tf"], of_red, strict=True) if its]
    rows["/tf"] = [row for row, its in zip(rows["/tf"], of_red, strict=True) if not its]
    return {topic: list(content) for topic, content in rows.items() if not topic.endswith(LATCHED)}


def quiet_until(theirs: ByteRecorder) -> None:
    """Take until nothing has come for a moment."""
    count, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S:
        theirs.take()
        now = sum(map(len, theirs.rows.values()))
        if now != count:
            count, since = now, time.monotonic()
        time.sleep(0.005)


def assert_same(first: Rows, again: Rows) -> None:
    assert set(again) == set(first)
    for topic, rows in first.items():
        assert again[topic] == rows, topic


def test_a_new_stand_in_makes_the_vehicle_of_a_file(tmp_path: Path) -> None:
    with running(composed=False, folder=tmp_path, world="yard") as user:
        assert spawn(user, "old", initial_pose=beside(user, 16.0)).result.result == OK
        assert spawn(user, resource_string=L_AND_FOUR).result.result == OK
        assert delete(user, "old").result == OK  # so its number is not the lowest that is free
        theirs = recorder_of_red(user)
        drive(user, 15)
        saved = save(user, file="two")
        assert saved.success and saved.step == 135, saved.message
        first = run_on(user, theirs)
    assert min(map(len, first.values())) >= 1, "every topic is compared"
    began = ns(deserialize_message(first[f"/{RED}{ODOMETRY}"][0], Odometry).header.stamp)
    assert began <= stamp_ns(135), "a message is on its way"
    assert len(first[CLOUD]) >= 8 and len(first[f"/{RED}{CLOUD}"]) >= 8
    way = [deserialize_message(first[f"/{RED}{TRUTH}"][at], Odometry).pose.pose.position.y for at in (0, -1)]
    assert way[1] - way[0] > 0.2, "it drives"
    for one_process in (True, False):
        with running(composed=one_process, folder=tmp_path, world="yard") as user:
            user.step(3)
            assert spawn(user, "late", initial_pose=beside(user, 16.0)).result.result == OK
            answer = restore(user, "two")
            assert (answer.success, answer.message, answer.step) == (True, "", 135)
            assert entities(user) == ["polaris", RED]
            assert_same(first, run_on(user, recorder_of_red(user)))
            wait_for(lambda: graph(user, "/late/") == (set(), set(), set()), "the end of the one that is not in it")


def test_it_comes_and_goes_in_one_that_runs(user: User, tmp_path: Path) -> None:
    alone, two = (str(tmp_path / name) for name in ("alone", "two"))
    user.step(4)
    assert save(user, file=alone).success
    assert spawn(user, resource_string=L_AND_FOUR).result.result == OK
    theirs = recorder_of_red(user)
    drive(user, 4)
    assert save(user, file=two).success
    first = run_on(user, theirs, 4)
    theirs.close()
    assert restore(user, alone).success and entities(user) == ["polaris"]
    nothing_is_left(user)
    # Another one has its name by now, with other persons on board and another number: its node stays.
    assert spawn(user, "other", initial_pose=beside(user, 16.0)).result.result == OK
    assert spawn(user).result.result == OK
    theirs = recorder_of_red(user)
    assert restore(user, two).success and entities(user) == ["polaris", RED]
    assert_same(first, run_on(user, theirs, 4))
    theirs.close()
    assert restore(user, alone).success
    assert user.set_state(PLAYING).result == OK
    assert restore(user, two).success and entities(user) == ["polaris", RED] and user.state() == PLAYING
    user.spin_until(lambda: user.ticks()[-1] > stamp_ns(80), "free run")
    assert user.set_state(PAUSED).result == OK
    assert delete(user).result == OK


def test_where_one_cannot_be_made_nothing_changes(user: User, tmp_path: Path) -> None:
    file = str(tmp_path / "two")
    assert spawn(user).result.result == OK
    assert spawn(user, "blue", initial_pose=beside(user, 16.0)).result.result == OK
    user.step(10)
    assert save(user, file=file).success
    assert delete(user).result == OK and delete(user, "blue").result == OK
    taken = user.node.create_publisher(Odometry, f"/blue{TRUTH}", 1)
    wait_for(lambda: spawning_is_refused(user, "blue"), "the discovery of a foreign publisher")
    nothing_is_left(user)
    answer = restore(user, file)
    assert not answer.success and f"/blue{TRUTH}" in answer.message and answer.file == ""
    assert entities(user) == ["polaris"]
    nothing_is_left(user)
    user.step(1)
    assert user.ticks()[-1] == stamp_ns(11), "nothing was changed"
    user.node.destroy_publisher(taken)
    wait_for(lambda: restore(user, file).success, "the end of a foreign publisher")
    assert entities(user) == ["polaris", RED, "blue"]
    user.step(1)
    assert user.ticks()[-1] == stamp_ns(11)
    goal = user.goal(10**9)
    answer = restore(user, file)
    assert not answer.success and "a step request is running" in answer.message
    result = goal.get_result_async()
    user.wait(goal.cancel_goal_async())
    user.wait(result)


def spawning_is_refused(user: User, name: str) -> bool:
    """Tell whether a vehicle cannot be spawned; else it is removed again."""
    return spawn(user, name).result.result != OK or delete(user, name).result != OK


def test_rounds_of_restores_leave_nothing(composed: tuple[StandIn, User], tmp_path: Path) -> None:  # noqa: F811
    stand_in, user = composed
    (process,) = stand_in.processes.values()
    alone, two, half = (str(tmp_path / name) for name in ("alone", "two", "half"))
    assert save(user, file=alone).success
    assert spawn(user).result.result == OK
    user.step_result(30)
    assert save(user, file=two).success
    assert spawn(user, "blue", initial_pose=beside(user, 16.0)).result.result == OK
    assert save(user, file=half).success
    taken = user.node.create_publisher(Odometry, f"/blue{TRUTH}", 1)
    assert restore(user, alone).success
    wait_for(lambda: spawning_is_refused(user, "blue"), "the discovery of a foreign publisher")
    after: list[tuple[int, int, int]] = []
    for _ in range(ROUNDS):
        assert restore(user, two).success
        user.step_result(30)  # a scan of it leaves on the way
        assert restore(user, alone).success
        assert not restore(user, half).success, "red is made, and blue cannot be"
        after.append(held(process.pid))
    assert_held_alike(after)
    user.node.destroy_publisher(taken)
    nothing_is_left(user)
