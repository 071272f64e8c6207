"""Boxes and spheres in which entities are sought, and whether the box of an entity overlaps one.

What is compared is the box of the entity, turned as the entity is; faces that touch overlap. Two boxes are apart where
one of fifteen axes separates them (Gottschalk, Lin and Manocha, OBBTree, SIGGRAPH 1996).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from acres_ros.core.vectors import Quaternion, Vector, added, turned, turned_back

ALONG = 1e-9
"""Below this length of a product two edges are parallel, and the axes of the faces decide."""


class Box(NamedTuple):
    """A box along the axes of its frame: the corner with the lowest and that with the highest coordinates, m."""

    low: Vector
    high: Vector


class Sphere(NamedTuple):
    """A sphere: centre and radius, m."""

    centre: Vector
    radius: float


Volume = Box | Sphere


def near_boxes(volume: Volume, middles: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return which of many boxes along the axes of the world overlap a volume.

    Args:
        volume: in the world.
        middles: (n, 3), m.
        halves: half sizes (n, 3), m.
    """
    if isinstance(volume, Sphere):
        gap = np.maximum(np.abs(middles - volume.centre) - halves, 0.0)
        return np.asarray((gap * gap).sum(axis=1) <= volume.radius * volume.radius)
    low, high = np.array(volume.low), np.array(volume.high)
    return np.asarray((np.abs(middles - 0.5 * (low + high)) <= halves + 0.5 * (high - low)).all(axis=1))


def overlaps(volume: Volume, box: Box, position: Vector, orientation: Quaternion) -> bool:
    """Return whether a box overlaps a volume.

    Args:
        volume: in the world.
        box: in its own frame.
        position: of that frame in the world, m.
        orientation: of that frame.
    """
    half = _half(box)
    middle = added(position, turned(orientation, _middle(box)))
    if isinstance(volume, Sphere):
        x, y, z = (c - m for c, m in zip(volume.centre, middle, strict=True))
        inside = turned_back(orientation, (x, y, z))
        gap = [max(abs(c) - h, 0.0) for c, h in zip(inside, half, strict=True)]
        return math.hypot(*gap) <= volume.radius
    sides = np.array([turned(orientation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
    away = np.subtract(middle, _middle(volume))
    edges = np.cross(np.repeat(np.eye(3), 3, axis=0), np.tile(sides, (3, 1)))
    axes = np.concatenate([np.eye(3), sides, edges[np.linalg.norm(edges, axis=1) > ALONG]])
    reach = np.abs(axes) @ _half(volume) + np.abs(axes @ sides.T) @ half
    return bool((np.abs(axes @ away) <= reach).all())


def _middle(box: Box) -> Vector:
    x, y, z = (0.5 * (low + high) for low, high in zip(box.low, box.high, strict=True))
    return x, y, z


def _half(box: Box) -> Vector:
    x, y, z = (0.5 * (high - low) for low, high in zip(box.low, box.high, strict=True))
    return x, y, z
