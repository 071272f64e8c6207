"""The outline of a vehicle in plan, and whether two of them meet."""

from __future__ import annotations

import math
from typing import NamedTuple

from acres_ros.core.bounds import Box
from acres_ros.core.entities import vehicle_box
from acres_ros.core.environment import Environment
from acres_ros.core.vectors import turned


class Outline(NamedTuple):
    """A rectangle in plan, between two heights.

    Attributes:
        x, y: middle, world, m.
        forward: its long axis in plan, of length 1.
        length, width: half of each, m.
        low, high: lowest and highest point, m.
    """

    x: float
    y: float
    forward: tuple[float, float]
    length: float
    width: float
    low: float
    high: float


class Outlines:
    """The outline of one vehicle: its box of `vehicle_box`, upright, with its heading.

    Args:
        environment: of the vehicle.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._revision = -1

    def now(self) -> Outline:
        """Return where it is."""
        if self._environment.revision != self._revision:
            self._measure()
        x, y, z, *q = self._environment.body_pose
        ahead, across, up = turned((q[0], q[1], q[2], q[3]), (1.0, 0.0, 0.0))
        plan = math.sqrt(ahead * ahead + across * across) or 1.0
        low = z + self._middle * up - self._below
        return Outline(
            x + self._middle * ahead,
            y + self._middle * across,
            (ahead / plan, across / plan),
            self._length,
            self._width,
            low,
            low + self._height,
        )

    def _measure(self) -> None:
        """Take the sizes of the parameters in effect."""
        self._revision = self._environment.revision
        geometry, box = self._environment.parameters[0]["geometry"], vehicle_box(self._environment)
        self._middle = 0.5 * (box.low[0] + box.high[0]) - float(geometry["mass_ahead_m"])
        self._below = float(geometry["mass_height_m"])
        self._length, self._width, self._height = 0.5 * (box.high[0] - box.low[0]), box.high[1], box.high[2]


def level_outline(box: Box, x: float, y: float, z: float, forward: tuple[float, float]) -> Outline:
    """Return the outline of a vehicle that stands level.

    Args:
        box: about its `base_footprint`, m.
        x, y, z: of `base_footprint`, world, m.
        forward: its heading, of length 1.
    """
    (rear, right, bottom), (front, left, top) = box.low, box.high
    middle = 0.5 * (rear + front)
    x, y = x + middle * forward[0], y + middle * forward[1]
    return Outline(x, y, forward, 0.5 * (front - rear), 0.5 * (left - right), z + bottom, z + top)


def outlines_meet(one: Outline, other: Outline) -> bool:
    """Tell whether two outlines overlap or touch: no axis of either keeps them apart (the separating-axis theorem)."""
    if one.low > other.high or other.low > one.high:
        return False
    dx, dy = other.x - one.x, other.y - one.y
    (ax, ay), (bx, by) = one.forward, other.forward
    along, across = abs(ax * bx + ay * by), abs(ax * by - ay * bx)
    return (
        abs(dx * ax + dy * ay) <= one.length + other.length * along + other.width * across
        and abs(dy * ax - dx * ay) <= one.width + other.length * across + other.width * along
        and abs(dx * bx + dy * by) <= other.length + one.length * along + one.width * across
        and abs(dy * bx - dx * by) <= other.width + one.length * across + one.width * along
    )
