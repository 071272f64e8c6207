"""The places of a world as the named poses of the standard for simulators, and how much room there is about them."""

from __future__ import annotations

import math
from typing import NamedTuple

from acres_ros.core.bounds import Sphere
from acres_ros.core.vectors import Quaternion, Vector
from acres_ros.world import World

LARGEST_M = 50.0
"""Farther than this no obstacle is sought."""


class NamedPoint(NamedTuple):
    """One named pose: `base_footprint` on the ground, level, in the world."""

    name: str
    description: str
    tags: tuple[str, ...]
    position: Vector
    orientation: Quaternion


def named_poses(world: World) -> list[NamedPoint]:
    """Return the places of a world; the first is where the vehicle starts by default, and is tagged so."""
    return [
        NamedPoint(
            place.id,
            place.name,
            ("place", "spawn", "default") if place is world.places[0] else ("place", "spawn"),
            (place.x, place.y, float(world.terrain.height_at(place.x, place.y))),
            (0.0, 0.0, math.sin(0.5 * place.yaw), math.cos(0.5 * place.yaw)),
        )
        for place in world.places
    ]


def free_sphere(world: World, name: str) -> Sphere:
    """Return the largest sphere about a named pose without an obstacle beside it, and on the map; 50 m at most.

    Args:
        world: the world, with what is spawned there.
        name: of the pose; its frame is that of the sphere.

    Raises:
        UnknownNameError: no such name.
    """
    place = world.place(name)
    west, south, east, north = world.bounds
    to_edge = min(place.x - west, east - place.x, place.y - south, north - place.y, LARGEST_M)
    to_obstacle = LARGEST_M if world.scene is None else world.scene.nearest_obstacle(place.x, place.y, LARGEST_M)
    return Sphere((0.0, 0.0, 0.0), max(0.0, min(to_edge, to_obstacle)))
