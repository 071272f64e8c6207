"""The URDF: one tree of links with the names of the frames, shapes that a viewer can draw."""

from __future__ import annotations

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


def test_wheels_turn_about_y_where_tf_has_them_at_rest(robot: ElementTree.Element) -> None:
    transforms = {t.child_frame_id: t.transform.translation for t in published(samples(1)).last("tf").transforms}
    wheels = robot.findall("joint[@type='continuous']")
    assert len(wheels) == 4
    for joint in wheels:
        assert numbers(joint.find("axis").get("xyz")) == [0.0, 1.0, 0.0]  # type: ignore[union-attr]
        place = transforms[joint.find("child").get("link")]  # type: ignore[union-attr]
        assert numbers(joint.find("origin").get("xyz")) == pytest.approx([place.x, place.y, place.z], abs=1e-6)  # type: ignore[union-attr]


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
