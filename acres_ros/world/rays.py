"""Rays as Python callers give them, checked once at the door, and what they hit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from acres_ros.world.errors import WorldError

Vector = tuple[float, float, float]


class RayHit(NamedTuple):
    """Where a ray meets a surface.

    Attributes:
        t: the hit is origin + t direction; a distance in m if the direction has the length 1.
        point: the hit, m.
        normal: unit normal of the surface; of terrain it points up, of an object out of it.
    """

    t: float
    point: Vector
    normal: Vector


def one_ray(origin: Sequence[float], direction: Sequence[float]) -> tuple[Vector, Vector]:
    """Return origin (m) and direction of a ray as plain numbers.

    Raises:
        WorldError: not three numbers of each, a number that is not finite, a direction of 0.
    """
    try:
        (x, y, z), (dx, dy, dz) = origin, direction
        ray = (float(x), float(y), float(z)), (float(dx), float(dy), float(dz))
    except (TypeError, ValueError):
        raise WorldError("a ray (origin, direction)", (origin, direction), "numbers x, y, z of each") from None
    if not all(map(math.isfinite, (*ray[0], *ray[1]))):
        raise WorldError("a ray (origin, direction)", ray, "finite numbers")
    if not any(ray[1]):
        raise WorldError("the direction of a ray", direction, "a length above 0")
    return ray


def ray_arrays(origins: Any, directions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return origins and directions of many rays as arrays (n, 3), from (n, 3) or one for all.

    Raises:
        WorldError: another shape, a number that is not finite, a direction of 0.
    """
    try:
        rays = np.broadcast_arrays(np.asarray(origins, np.float64), np.asarray(directions, np.float64))
    except (TypeError, ValueError):
        raise WorldError("rays (origins, directions)", (origins, directions), "rows of x, y, z of each") from None
    if rays[0].ndim > 2 or rays[0].shape[-1:] != (3,):
        raise WorldError("the shape of rays", rays[0].shape, "rows of x, y, z")
    origin, direction = (np.ascontiguousarray(part).reshape(-1, 3) for part in rays)
    if not (np.isfinite(origin).all() and np.isfinite(direction).all()):
        raise WorldError("rays (origins, directions)", "not finite", "finite numbers")
    if not np.all(np.abs(direction).max(axis=1, initial=0.0) > 0.0):
        raise WorldError("the direction of a ray", "0 in every part", "a length above 0")
    return origin, direction


def ray_limit(name: str, given: float) -> float:
    """Return a bound of t, infinity is one; raise `WorldError` if it is negative or no number."""
    if not given >= 0.0:
        raise WorldError(name, given, "0 or more")
    return float(given)


def ray_limits(name: str, given: Any, count: int) -> np.ndarray:
    """Return a bound of t for each ray, from one for all or one for each; raise `WorldError` as `ray_limit`."""
    limits = np.broadcast_to(np.asarray(given, np.float64), (count,)).copy()
    ray_limit(name, float(np.min(limits, initial=np.inf)))
    return limits


def hit_point(origin: Vector, direction: Vector, t: float) -> Vector:
    """Return origin + t direction."""
    return origin[0] + t * direction[0], origin[1] + t * direction[1], origin[2] + t * direction[2]
