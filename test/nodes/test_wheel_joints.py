"""`/joint_states`: the URDF at these joints has the wheels where `/tf` has them, and the velocities are their rates."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from vehicle_rig import context, published, samples

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.nodes.robot_description import robot_description
from acres_ros.world import load_world

WHEELS = tuple(f"wheel_{end}_{side}" for end in ("front", "rear") for side in ("left", "right"))


def numbers(text: str | None) -> np.ndarray:
    assert text is not None
    return np.array([float(word) for word in text.split()])


def placed(xyz: np.ndarray, rotation: Rotation) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation.as_matrix(), xyz
    return result


def by_urdf(text: str, positions: dict[str, float]) -> dict[str, np.ndarray]:
    """Return each wheel in base_link, 4 x 4, by the definition of the URDF's joints."""
    joints = {joint.find("child").get("link"): joint for joint in ElementTree.fromstring(text).findall("joint")}  # type: ignore[union-attr]

    def pose(link: str) -> np.ndarray:
        if link.endswith("base_link"):
            return np.eye(4)
        joint = joints[link]
        origin = joint.find("origin")
        rest = placed(numbers(origin.get("xyz")), Rotation.from_euler("xyz", numbers(origin.get("rpy"))))  # type: ignore[union-attr]
        axis = numbers(joint.find("axis").get("xyz"))  # type: ignore[union-attr]
        value = positions[str(joint.get("name"))]
        if joint.get("type") == "prismatic":
            moved = placed(value * axis, Rotation.identity())
        else:
            moved = placed(np.zeros(3), Rotation.from_rotvec(value * axis))
        return pose(joint.find("parent").get("link")) @ rest @ moved  # type: ignore[union-attr, arg-type]

    return {link: pose(str(link)) for link in joints if link and link.endswith(WHEELS)}


def by_tf(message: Any) -> dict[str, np.ndarray]:
    """Return each wheel in base_link, 4 x 4, by the transforms of one message."""
    found = {transform.child_frame_id: transform for transform in message.transforms}

    def pose(frame: str) -> np.ndarray:
        if frame.endswith("base_link"):
            return np.eye(4)
        step = found[frame].transform
        place = np.array([step.translation.x, step.translation.y, step.translation.z])
        turned = Rotation.from_quat([step.rotation.x, step.rotation.y, step.rotation.z, step.rotation.w])
        return pose(found[frame].header.frame_id) @ placed(place, turned)

    return {frame: pose(frame) for frame in found if frame.endswith(WHEELS)}


@pytest.fixture(scope="module")
def driven() -> np.recarray:
    """Return the samples of six seconds on the yard: dropped from 0.2 m, then off in a bend to the left."""
    world = load_world("yard")
    garage = world.place("spawn-icsc-garage")
    environment = Environment(
        world, load_parameters(), Start(x=garage.x, y=garage.y, yaw=garage.yaw, gear="H", settled=False)
    )
    environment.post(m.Enable())
    rows = []
    for _ in range(60):
        environment.post(m.SteeringCmd(cmd=200.0, cmd_type=2, enable=True))
        environment.post(m.UlcCmd(cmd=3.0, cmd_type=1, enable=True))
        rows.append(environment.step(12))
    return np.concatenate(rows).view(np.recarray)


def test_the_urdf_at_the_joint_states_has_the_wheels_where_tf_has_them(driven: np.recarray) -> None:
    recorder = published(driven)
    text = robot_description(context())
    frames = {
        (m.transforms[0].header.stamp.sec, m.transforms[0].header.stamp.nanosec): m for m in recorder.messages("tf")
    }
    messages = list(recorder.messages("joint_states"))
    assert len(messages) == 6 * 50
    seen = np.zeros(3)
    for message in messages:
        positions = dict(zip(message.name, message.position, strict=True))
        wanted = by_tf(frames[message.header.stamp.sec, message.header.stamp.nanosec])
        found = by_urdf(text, positions)
        assert set(found) == set(wanted) == set(WHEELS)
        for wheel in WHEELS:
            assert found[wheel] == pytest.approx(wanted[wheel], abs=1e-9)
        steps = [positions[f"wheel_front_left_{kind}_joint"] for kind in ("travel", "steer", "spin")]
        seen = np.maximum(seen, np.abs(steps))
    assert seen[0] > 1e-3 and seen[1] > 0.2 and seen[2] > math.tau  # every joint moved, and a wheel more than a turn


def test_names_are_the_movable_joints_of_the_urdf_and_efforts_are_left_out() -> None:
    message = published(samples(3)).last("joint_states")
    joints = ElementTree.fromstring(robot_description(context())).findall("joint")
    assert message.name == [joint.get("name") for joint in joints if joint.get("type") != "fixed"]
    assert len(message.name) == len(message.position) == len(message.velocity) == 10
    assert (len(message.effort), message.header.frame_id) == (0, "")
    assert message.header.stamp.nanosec == 25_000_000  # step 3, the first at or after 20 ms


def test_fields_in_metres_and_radians() -> None:
    rows = samples(3)
    wheel = rows.vehicle.wheel
    wheel.travel, wheel.travel_rate = [0.01, 0.02, 0.03, 0.04], [-0.1, 0.2, -0.3, 0.4]
    wheel.steer[:, :2] = [[0.0, 0.0], [0.1, 0.2], [0.15, 0.175]]
    wheel.spin, wheel.rotation, wheel.turns = [1.0, -2.0, 3.0, -4.0], [0.5, -0.5, 1.5, -1.5], [0, -3, 100, -100]
    message = published(rows).last("joint_states")
    found = {n: (p, v) for n, p, v in zip(message.name, message.position, message.velocity, strict=True)}
    assert [found[f"{w}_travel_joint"] for w in WHEELS] == [(0.01, -0.1), (0.02, 0.2), (0.03, -0.3), (0.04, 0.4)]
    spins = [(0.5, 1.0), (-0.5 - 3 * math.tau, -2.0), (1.5 + 100 * math.tau, 3.0), (-1.5 - 100 * math.tau, -4.0)]
    assert [found[f"{w}_spin_joint"] for w in WHEELS] == spins
    assert found["wheel_front_left_steer_joint"] == pytest.approx((0.15, 0.05 * 120))
    assert found["wheel_front_right_steer_joint"] == pytest.approx((0.175, -0.025 * 120))


def test_the_rate_of_the_steering_is_not_known_without_a_step_before() -> None:
    message = published(samples(1, first=3)).last("joint_states")
    velocities = dict(zip(message.name, message.velocity, strict=True))
    unknown = {name for name, velocity in velocities.items() if math.isnan(velocity)}
    assert unknown == {"wheel_front_left_steer_joint", "wheel_front_right_steer_joint"}


def test_velocities_are_the_changes_of_the_positions(driven: np.recarray) -> None:
    messages = list(published(driven).messages("joint_states"))
    spin = messages[0].name.index("wheel_rear_left_spin_joint")
    times = [message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec for message in messages]
    for (before, after), (t0, t1) in zip(pairwise(messages), pairwise(times), strict=True):
        mean = (after.position[spin] - before.position[spin]) / (t1 - t0)
        assert mean == pytest.approx(0.5 * (before.velocity[spin] + after.velocity[spin]), abs=0.2)


def test_another_agent_has_joints_of_its_own_name(driven: np.recarray) -> None:
    frames = context().config.frames.with_prefix("polaris2")
    other = replace(context().config, frames=frames)
    recorder = published(driven[:3], config=other)
    message = recorder.last("joint_states")
    assert all(name.startswith("polaris2/wheel_") for name in message.name)
    found = by_urdf(robot_description(context(config=other)), dict(zip(message.name, message.position, strict=True)))
    wanted = by_tf(recorder.last("tf"))
    assert set(found) == {f"polaris2/{wheel}" for wheel in WHEELS} == set(wanted)
    assert all(found[wheel] == pytest.approx(wanted[wheel], abs=1e-9) for wheel in found)
