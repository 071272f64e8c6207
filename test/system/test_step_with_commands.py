"""A control step by one call: without a race, whichever way is faster, and equal to commands before steps."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from acres_interfaces.msg import AppliedCommand, Command
from acres_interfaces.srv import StepWithCommands
from ds_dbw_msgs.msg import Gear, GearCmd, SteeringCmd, UlcCmd
from rclpy.node import Node
from rclpy.serialization import serialize_message
from std_msgs.msg import Empty
from system_rig import OK, PAUSED, PLAYING, SHARED_DOMAIN, STOPPED, User, joined, ns, stamp_ns, wait_for

from acres_ros.nodes.requesters import SETTLING_LOOKS
from acres_ros.nodes.vehicle import LOOK_S

pytestmark = pytest.mark.system

NAME = "/acres/step_with_commands"


def control(user: User, **fields: Any) -> StepWithCommands.Response:
    return user.call(StepWithCommands, NAME, **fields)


def carried(name: str, message: Any) -> Command:
    return Command(name=name, data=serialize_message(message))


def steering(angle_deg: float) -> SteeringCmd:
    return SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=angle_deg, enable=True)


def ulc(speed: float) -> UlcCmd:
    return UlcCmd(cmd_type=UlcCmd.CMD_VELOCITY, cmd=speed, enable=True)


def drive(user: User, way: str) -> list[bytes]:
    """Drive bends for two seconds with commands each 12 steps, one way or another; return the odometry."""
    assert user.reset().result == OK
    user.forget()
    for number in range(20):
        messages = [("steering", steering(12.5 + 10.0 * number)), ("ulc", ulc(2.0))]
        if number == 0:
            messages = [("enable", Empty()), ("gear", GearCmd(cmd=Gear(value=Gear.LOW))), *messages]
        if way == "carried":
            answer = control(user, steps=12, commands=[carried(*entry) for entry in messages])
        elif way == "steps after commands":
            publish(user, messages)
            user.step_result(12)
            continue
        else:
            future = None
            if way == "request first":
                future = user.ask(StepWithCommands, NAME, steps=12, wait_for=[name for name, _ in messages])
                user.executor.spin_once(0.01)
            publish(user, messages)
            if future is None:
                future = user.ask(StepWithCommands, NAME, steps=12, wait_for=[name for name, _ in messages])
            answer = user.wait(future)
        assert (answer.success, answer.message, answer.completed) == (True, "", 12)
        assert answer.step == 12 * (number + 1) and ns(answer.stamp) == stamp_ns(answer.step)
        assert {entry.step for entry in answer.applied} == {12 * number + 1}
        assert {entry.name for entry in answer.applied} == {name for name, _ in messages}
    user.settle()
    return list(user.recorder.rows["/ground_truth/odometry"])


def publish(user: User, messages: list[tuple[str, Any]]) -> None:
    for name, message in messages:
        user.send(f"/vehicle/{name}" if name == "enable" else f"/vehicle/{name}/cmd", message)


def test_every_way_gives_the_same_bytes(user: User) -> None:
    """The commands of a step after it was asked for, before it, and in it; a race would show."""
    first = drive(user, "request first")
    assert len(first) == 240
    assert drive(user, "commands first") == first
    assert drive(user, "carried") == first


def test_the_answer_tells_state_pose_and_speed(user: User) -> None:
    drive(user, "carried")
    answer = control(user, steps=1)
    user.settle()
    odometry = user.last("/ground_truth/odometry")
    for part, names in (("position", "xyz"), ("orientation", "xyzw")):
        for name in names:
            wanted = getattr(getattr(odometry.pose.pose, part), name)
            assert getattr(getattr(answer.pose, part), name) == pytest.approx(wanted, rel=1e-12)
    speed = (answer.twist.linear.x**2 + answer.twist.linear.y**2) ** 0.5
    wanted = (odometry.twist.twist.linear.x**2 + odometry.twist.twist.linear.y**2) ** 0.5
    assert speed == pytest.approx(wanted, rel=1e-3) and speed > 0.2
    assert answer.enabled and answer.state == PAUSED and not answer.applied


def test_without_its_commands_it_fails_in_words_and_nothing_moves(user: User) -> None:
    user.send("/vehicle/enable", Empty())
    begin = time.monotonic()
    answer = control(user, steps=12, wait_for=["enable", "steering", "ulc"], timeout_s=0.3)
    assert time.monotonic() - begin >= 0.3
    assert not answer.success and "steering, ulc had not come" in answer.message
    assert answer.completed == answer.step == 0
    user.settle()
    assert not user.ticks()
    answer = control(user, steps=1, wait_for=["enable"], timeout_s=0.3)
    assert answer.success and answer.enabled, "the enable is still there, and acts at the first step that is run"


def test_a_command_that_is_named_again_and_again_is_waited_for_once(user: User) -> None:
    answer = control(user, wait_for=["ulc", "steering"] * 50_000, timeout_s=0.1)
    assert not answer.success and "after 0.1 s of wall time ulc, steering had not come" in answer.message


def test_a_refused_command_lets_it_move_and_is_told(user: User) -> None:
    control(user, steps=12, commands=[carried("enable", Empty())])
    answer = control(user, steps=12, commands=[carried("steering", steering(float("nan")))])
    assert answer.success
    (entry,) = answer.applied
    assert (entry.name, entry.messages, entry.refused) == ("steering", 1, 1)
    assert entry.verdict == AppliedCommand.NOT_FINITE


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": 0}, "steps = 0"),
        ({"wait_for": ["wheels"]}, "'wheels' is no command"),
        ({"wait_for": ["ulc"], "timeout_s": float("nan")}, "timeout_s = nan"),
        ({"commands": [Command(name="wheels")]}, "'wheels' is no command"),
        ({"commands": [Command(name="/ulc")]}, "'/ulc' is no command"),
        ({"commands": [Command(name="agent_9/ulc", data=serialize_message(ulc(1.0)))]}, "'agent_9/ulc' is no command"),
        ({"commands": [Command(name="ulc")]}, "no UlcCmd"),
        ({"commands": [Command(name="ulc", data=b"\x00\x01\x00\x00\xff\xff\xff")]}, "no UlcCmd"),
        ({"commands": [Command(name="steering", data=b"\xff" * 64)]}, "no SteeringCmd"),
        ({"commands": [Command(name="steering", data=bytes(2000))]}, "not 2000"),
    ],
)
def test_what_cannot_be_is_refused_in_words(user: User, fields: dict[str, Any], words: str) -> None:
    answer = control(user, **fields)
    assert not answer.success and words in answer.message and "wanted" in answer.message
    assert answer.step == 0 and not answer.completed


def test_it_needs_the_pause(user: User) -> None:
    user.set_state(PLAYING)
    answer = control(user)
    assert not answer.success and "PLAYING" in answer.message and answer.state == PLAYING


def test_stop_ends_the_wait(user: User) -> None:
    future = user.ask(StepWithCommands, NAME, wait_for=["ulc"], timeout_s=60.0)
    words = user.refused_reset()
    found = re.search(r"a step request waits for ulc, at most (\d+\.\d) s more of wall time; .*STOPPED", words)
    assert found and 0.0 < float(found[1]) <= 60.0
    assert user.set_state(STOPPED).result == OK
    answer = user.wait(future)
    assert not answer.success and "cut short after 0 of 12" in answer.message


def test_who_leaves_while_its_request_waits_blocks_nobody(user: User) -> None:
    """A controller that is killed, and starts anew while the request of the old one still waits."""
    user.leave(NAME)
    with joined(SHARED_DOMAIN) as ros:
        node = Node("controller", context=ros)
        client = node.create_client(StepWithCommands, NAME)
        wait_for(client.service_is_ready, "the service")
        client.call_async(StepWithCommands.Request(steps=12, wait_for=["ulc"], timeout_s=600.0))
        assert "a step request waits for ulc" in user.refused_reset()
        time.sleep((SETTLING_LOOKS + 2) * LOOK_S)
        assert "waits for ulc" in control(user, steps=1).message, "it waits as long as who asked is there"
        node.destroy_node()
    wait_for(lambda: not user.step_result(1).error_message, "a step")
    assert control(user, steps=1).step == 2
