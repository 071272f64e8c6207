"""Rays as Python callers give them, checked once at the door, and what they hit."""

from __future__ import annotations

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


def ray_arrays(origin: Sequence[float] | np.ndarray, direction: Sequence[float] | np.ndarray, many: bool) -> np.ndarray:
    """Return origins and directions as one array (2, n, 3).

    Args:
        origin: x, y, z, m; (n, 3) or one for all when `many`.
        direction: x, y, z, any length above 0; (n, 3) or one for all when `many`.
        many: whether rows are allowed.

    Raises:
        WorldError: another shape, a number that is not finite, a direction of 0.
    """
    try:
        rays = np.stack(np.broadcast_arrays(np.asarray(origin, np.float64), np.asarray(direction, np.float64)))
    except (TypeError, ValueError):
        raise WorldError("a ray (origin, direction)", (origin, direction), "numbers x, y, z of each") from None
    if rays.shape[-1:] != (3,) or rays.ndim > (3 if many else 2):
        wanted = "x, y, z of each" + (", or as many rows of them" if many else "")
        raise WorldError("the shape of a ray", rays.shape[1:], wanted)
    rays = rays.reshape(2, -1, 3)
    if not np.isfinite(rays).all():
        raise WorldError("a ray (origin, direction)", (origin, direction), "finite numbers")
    if not np.all(np.abs(rays[1]).max(axis=1) > 0.0):
        raise WorldError("the direction of a ray", direction, "a length above 0")
    return rays


def ray_limits(name: str, given: Any, count: int) -> np.ndarray:
    """Return a bound of t for each ray, from one for all or one for each; infinity is one.

    Raises:
        WorldError: a negative bound, or one that is no number.
    """
    limits = np.broadcast_to(np.asarray(given, np.float64), (count,)).copy()
    if not np.all(limits >= 0.0):
        raise WorldError(name, float(limits[~(limits >= 0.0)][0]), "0 or more")
    return limits


def hit_point(origin: np.ndarray, direction: np.ndarray, t: float) -> Vector:
    """Return origin + t direction."""
    x, y, z = origin + t * direction
    return float(x), float(y), float(z)
