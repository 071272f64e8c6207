"""The URDF: one tree of links with the names of the frames, shapes that a viewer can draw."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from vehicle_rig import context, published, samples

from acres_ros.nodes.robot_description import robot_description


@pytest.fixture(scope="module")
def robot() -> ElementTree.Element:
    return ElementTree.fromstring(robot_description(context()))


def numbers(text: str | None) -> list[float]:
    assert text is not None
    return [float(word) for word in text.split()]


def test_links_are_the_frames_that_tf_places(robot: ElementTree.Element) -> None:
    recorder = published(samples(1))
    moving = {t.child_frame_id for t in recorder.last("tf").transforms}
    fixed = {t.child_frame_id for t in recorder.last("tf_static").transforms}
    assert {link.get("name") for link in robot.findall("link")} == (moving | fixed) - {"odom"}


def test_joints_make_one_tree_with_its_root_at_base_footprint(robot: ElementTree.Element) -> None:
    parents = {j.find("child").get("link"): j.find("parent").get("link") for j in robot.findall("joint")}  # type: ignore[union-attr]
    links = {link.get("name") for link in robot.findall("link")}
    assert links - set(parents) == {"base_footprint"}
    assert set(parents.values()) <= links
    assert len(parents) == len(robot.findall("joint"))


def test_fixed_joints_are_the_static_frames(robot: ElementTree.Element) -> None:
    fixed = {t.child_frame_id: t.transform.translation for t in published(samples(1)).last("tf_static").transforms}
    for joint in robot.findall("joint[@type='fixed']"):
        place = fixed[joint.find("child").get("link")]  # type: ignore[union-attr]
        assert numbers(joint.find("origin").get("xyz")) == pytest.approx([place.x, place.y, place.z])  # type: ignore[union-attr]


def test_movable_joints_are_travel_steering_and_spin(robot: ElementTree.Element) -> None:
    wheels = [f"wheel_{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    wanted = {f"{wheel}_travel_joint": ("prismatic", "0 0 1", "base_link", f"{wheel}_hub") for wheel in wheels}
    wanted |= {f"{w}_steer_joint": ("revolute", "0 0 1", f"{w}_hub", f"{w}_knuckle") for w in wheels[:2]}
    carriers = [*(f"{wheel}_knuckle" for wheel in wheels[:2]), *(f"{wheel}_hub" for wheel in wheels[2:])]
    pairs = zip(wheels, carriers, strict=True)
    wanted |= {f"{wheel}_spin_joint": ("continuous", "0 1 0", carrier, wheel) for wheel, carrier in pairs}
    found = {}
    for joint in robot.findall("joint"):
        if joint.get("type") != "fixed":
            ends = (joint.find("parent").get("link"), joint.find("child").get("link"))  # type: ignore[union-attr]
            found[joint.get("name")] = (joint.get("type"), joint.find("axis").get("xyz"), *ends)  # type: ignore[union-attr]
    assert found == wanted


def test_limits_of_travel_and_steering(robot: ElementTree.Element) -> None:
    limits = {
        joint.get("name"): [float(joint.find("limit").get(end)) for end in ("lower", "upper")]  # type: ignore[union-attr, arg-type]
        for joint in robot.findall("joint")
        if joint.find("limit") is not None
    }
    assert limits.pop("wheel_front_left_travel_joint") == limits.pop("wheel_front_right_travel_joint") == [-0.12, 0.16]
    assert limits.pop("wheel_rear_left_travel_joint") == limits.pop("wheel_rear_right_travel_joint") == [-0.11, 0.14]
    # (487 + 12.5) deg / 11.76 at the middle of the front axle: a circle of 2.87 m / tan(42.474 deg) = 3.1350 m about a
    # point beside the rear axle, 0.655 m less for the inner wheel
    inner = math.atan2(2.87, 2.87 / math.tan(math.radians(499.5 / 11.76)) - 0.655)
    assert limits.pop("wheel_front_left_steer_joint") == pytest.approx([-inner, inner], abs=1e-11)
    assert limits.pop("wheel_front_right_steer_joint") == pytest.approx([-inner, inner], abs=1e-11)
    assert not limits


def test_shapes_have_positive_sizes_and_declared_colours(robot: ElementTree.Element) -> None:
    colours = {material.get("name") for material in robot.findall("material")}
    for visual in robot.iter("visual"):
        (shape,) = visual.find("geometry")  # type: ignore[misc]
        sizes = (
            numbers(shape.get("size"))
            if shape.tag == "box"
            else numbers(f"{shape.get('radius')} {shape.get('length')}")
        )
        assert min(sizes) > 0.0
        assert visual.find("material").get("name") in colours  # type: ignore[union-attr]
        assert len(numbers(visual.find("origin").get("rpy"))) == 3  # type: ignore[union-attr]


def test_outline_is_that_of_a_ranger_crew(robot: ElementTree.Element) -> None:
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for visual in robot.find("link[@name='base_link']").iter("visual"):  # type: ignore[union-attr]
        center = np.array(numbers(visual.find("origin").get("xyz")))  # type: ignore[union-attr]
        half = 0.5 * np.array(numbers(visual.find("geometry/box").get("size")))  # type: ignore[union-attr]
        low, high = np.minimum(low, center - half), np.maximum(high, center + half)
    assert high - low == pytest.approx([3.8, 1.6, 1.62], abs=0.01)


def test_another_agent_has_links_of_its_own_name() -> None:
    from dataclasses import replace

    config = context().config
    text = robot_description(context(config=replace(config, frames=config.frames.with_prefix("polaris2"))))
    links = [link.get("name") for link in ElementTree.fromstring(text).findall("link")]
    assert all(name.startswith("polaris2/") for name in links)  # type: ignore[union-attr]
