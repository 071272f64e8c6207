"""The URDF of the vehicle: simple shapes that show a Ranger Crew in RViz, with the frames of the sensors.

Link names are the frame names of `/tf`, which places every link. `/joint_states` has the same joints by the same names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from std_msgs.msg import String

from acres_ros.nodes.frames import static_frames
from acres_ros.nodes.mounting import mounting
from acres_ros.nodes.source import Context, Source
from acres_ros.nodes.wheel_joints import CONTINUOUS, PRISMATIC, wheel_joints

ROBOT_NAME = "polaris_ranger"

_COLOURS = {
    "paint": (0.18, 0.30, 0.20),
    "frame": (0.09, 0.09, 0.10),
    "glass": (0.45, 0.60, 0.70),
    "rubber": (0.05, 0.05, 0.05),
    "rim": (0.62, 0.62, 0.64),
    "sensor": (0.75, 0.75, 0.20),
}
_GLASS_OPACITY = 0.35
_HERE = (0.0, 0.0, 0.0)
_UNBOUNDED = {"effort": "1000000", "velocity": "1000"}
"""The format wants both with a limit; the model bounds neither."""


class _Shape(NamedTuple):
    """A box (three lengths) or a cylinder (radius, length), m; centre in the link, roll-pitch-yaw in rad."""

    size: tuple[float, ...]
    center: Sequence[float]
    colour: str
    rpy: Sequence[float] = (0.0, 0.0, 0.0)


def description_source(context: Context) -> Source:
    """Return the content of `/robot_description`."""
    return Source("robot_description", String(data=robot_description(context)))


def robot_description(context: Context) -> str:
    """Return the URDF as text.

    Args:
        context: geometry from the parameters, frames and places from the configuration.
    """
    frames = context.config.frames
    robot = ElementTree.Element("robot", name=ROBOT_NAME)
    for name, colour in _COLOURS.items():
        rgba = (*colour, _GLASS_OPACITY if name == "glass" else 1.0)
        ElementTree.SubElement(ElementTree.SubElement(robot, "material", name=name), "color", rgba=_numbers(rgba))
    ElementTree.SubElement(robot, "link", name=frames.base_footprint)
    _link(robot, frames.base_link, _body(context))
    for parent, child, xyz, rpy_deg in static_frames(context):
        if parent == frames.map:
            continue
        if child != frames.base_link:
            size = (0.05, 0.10) if child == frames.lidar else (0.10, 0.10, 0.06)
            _link(robot, child, [_Shape(size, (0.0, 0.0, 0.0), "sensor")])
        rpy = [math.radians(angle) for angle in rpy_deg]
        _joint(robot, f"{child}_joint", "fixed", parent, child, xyz, rpy)
    mounts = mounting(context.config.mounts, context.parameters)[0]
    radius = float(context.parameters[0].tyre.radius_m)
    for joint in wheel_joints(frames):
        place = mounts.wheel[joint.wheel]
        hung = joint.parent == frames.base_link
        origin = (place.x - mounts.link.x, place.y - mounts.link.y, place.z - mounts.link.z) if hung else _HERE
        _link(robot, joint.child, _wheel(radius) if joint.kind == CONTINUOUS else ())
        element = _joint(robot, joint.name, joint.kind, joint.parent, joint.child, origin, _HERE)
        ElementTree.SubElement(element, "axis", xyz=_numbers(joint.axis))
        if joint.kind != CONTINUOUS:
            lower, upper = _travel(context, joint.wheel) if joint.kind == PRISMATIC else _lock(context)
            ElementTree.SubElement(element, "limit", {"lower": lower, "upper": upper, **_UNBOUNDED})
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"


def _body(context: Context) -> Iterator[_Shape]:
    """Yield chassis, hood, cab, roof and cargo box in base_link, from the outline of the body."""
    geometry = context.parameters[0].geometry
    link_height = context.config.mounts.base_link.xyz_m[2]
    front, rear = geometry.mass_ahead_m + geometry.body_front_m, geometry.mass_ahead_m - geometry.body_rear_m
    floor = geometry.mass_height_m - geometry.body_below_m - link_height
    roof = geometry.mass_height_m + geometry.body_above_m - link_height
    width = 2.0 * geometry.body_half_width_m
    sill, waist = floor + 0.20, floor + 0.62
    cab_front, cab_rear = front - 0.95, rear + 1.05
    slim = width - 0.12

    def box(x0: float, x1: float, z0: float, z1: float, wide: float, colour: str) -> _Shape:
        return _Shape((x1 - x0, wide, z1 - z0), (0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)), colour)

    yield box(rear + 0.10, front - 0.05, floor, sill, width - 0.50, "frame")
    yield box(cab_front, front, sill, waist, slim, "paint")
    yield box(cab_rear, cab_front, sill, waist - 0.12, width, "paint")
    yield box(cab_rear, cab_front, waist - 0.12, roof - 0.08, slim, "glass")
    yield box(cab_rear - 0.05, cab_front + 0.10, roof - 0.08, roof, width, "frame")
    yield box(rear, cab_rear - 0.05, sill + 0.12, waist, slim, "paint")
    yield box(rear + 0.06, cab_rear - 0.11, waist, waist + 0.02, slim - 0.12, "frame")


def _wheel(radius: float) -> Iterator[_Shape]:
    """Yield a tyre and a rim with a bar across it, which shows the spin; the axle is y."""
    across = (0.5 * math.pi, 0.0, 0.0)
    yield _Shape((radius, 0.25), (0.0, 0.0, 0.0), "rubber", across)
    yield _Shape((0.55 * radius, 0.27), (0.0, 0.0, 0.0), "rim", across)
    yield _Shape((1.6 * radius, 0.28, 0.05), (0.0, 0.0, 0.0), "rim")


def _link(robot: ElementTree.Element, name: str, shapes: Iterator[_Shape] | Sequence[_Shape]) -> None:
    link = ElementTree.SubElement(robot, "link", name=name)
    for shape in shapes:
        visual = ElementTree.SubElement(link, "visual")
        ElementTree.SubElement(visual, "origin", xyz=_numbers(shape.center), rpy=_numbers(shape.rpy))
        geometry = ElementTree.SubElement(visual, "geometry")
        if len(shape.size) == 3:
            ElementTree.SubElement(geometry, "box", size=_numbers(shape.size))
        else:
            radius, length = shape.size
            ElementTree.SubElement(geometry, "cylinder", radius=_numbers([radius]), length=_numbers([length]))
        ElementTree.SubElement(visual, "material", name=shape.colour)


def _travel(context: Context, wheel: int) -> tuple[str, str]:
    """Return where the bump stops of a wheel begin, m; they are springs, and a hard landing goes beyond."""
    suspension = context.parameters[0].suspension
    axle = suspension.front if wheel < 2 else suspension.rear
    return _numbers([-axle.droop_m]), _numbers([axle.jounce_m])


def _lock(context: Context) -> tuple[str, str]:
    """Return the angles of the inner wheel at the farther lock of the steering, rad, right and left."""
    parameters = context.parameters[0]
    steering, geometry = parameters.steering, parameters.geometry
    bicycle = math.radians(parameters.dbw.steering.lock_deg + abs(steering.center_deg)) / steering.ratio
    across, along = math.sin(min(bicycle, 0.5 * math.pi)), math.cos(min(bicycle, 0.5 * math.pi))
    inner = math.atan2(across, along - steering.ackermann * geometry.half_track_m / geometry.wheelbase_m * across)
    return _numbers([-inner]), _numbers([inner])


def _joint(
    robot: ElementTree.Element,
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: Sequence[float],
    rpy: Sequence[float],
) -> ElementTree.Element:
    joint = ElementTree.SubElement(robot, "joint", name=name, type=kind)
    ElementTree.SubElement(joint, "origin", xyz=_numbers(xyz), rpy=_numbers(rpy))
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{round(float(value), 12) + 0.0:.12g}" for value in values)
