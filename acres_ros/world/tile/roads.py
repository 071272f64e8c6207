"""Roads: asphalt county roads, gravel farm roads, lanes and drives; where they lie, and their cross-section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.tile.frame import HALF_M
from acres_ros.world.tile.shapes import Point, bounds, segment_distance, window

CROWN = 0.02
"""Fall from the middle of a road to its edges, of its width."""

RISE_M = 0.2
"""Height of the middle of a road above the smoothed ground."""

SHOULDER_M = 1.0
"""Width of the level edge beside the wheels' way."""

REACH_M = 14.0
"""How far beside a road it is felt at all."""


class Road(NamedTuple):
    """One road.

    Attributes:
        name: what people call it.
        points: middle line, m.
        half_width: half of the width of its surface, m.
        surface: surface class.
        ditch: depth of its ditches, m.
    """

    name: str
    points: tuple[Point, ...]
    half_width: float
    surface: SurfaceClass
    ditch: float


def _county(name: str, *points: Point) -> Road:
    return Road(name, points, 3.4, SurfaceClass.ASPHALT, 0.55)


def _farm(name: str, *points: Point) -> Road:
    return Road(name, points, 2.9, SurfaceClass.GRAVEL, 0.32)


def _lane(name: str, *points: Point) -> Road:
    return Road(name, points, 2.3, SurfaceClass.GRAVEL, 0.14)


ROADS = (
    _county("County Road 500 West", (700.0, -HALF_M - 20.0), (700.0, HALF_M + 20.0)),
    _county("County Road 650 North", (-HALF_M - 20.0, 690.0), (HALF_M + 20.0, 690.0)),
    _farm("Farm road", (-HALF_M - 20.0, -212.0), (700.0, -212.0)),
    _farm("Center lane", (285.0, -HALF_M - 20.0), (285.0, 690.0)),
    _lane("North lane", (-HALF_M - 20.0, 360.0), (700.0, 360.0)),
    _lane("Plot lane", (-160.0, 112.0), (285.0, 112.0), (700.0, 112.0)),
    _lane("Mill lane", (-160.0, -212.0), (-160.0, 690.0)),
    _lane("West lane", (-460.0, -HALF_M - 20.0), (-460.0, 690.0)),
    _lane("South lane", (-460.0, -480.0), (700.0, -480.0)),
    _lane("Creek lane", (-HALF_M - 20.0, 60.0), (-460.0, 60.0)),
)


class RoadRaster(NamedTuple):
    """Roads on a raster.

    Attributes:
        edge: distance from the edge of the nearest road, negative on it, m; REACH_M where none is near.
        middle: distance from the middle of the nearest road, m; REACH_M where none is near.
        surface: surface class of the nearest road.
        ditch: depth of the ditches at this distance from their roads, m.
    """

    edge: np.ndarray
    middle: np.ndarray
    surface: np.ndarray
    ditch: np.ndarray


def road_raster(roads: Sequence[Road], x: np.ndarray, y: np.ndarray) -> RoadRaster:
    """Return the roads on a raster.

    Args:
        roads: the roads; the first ones win where the surfaces meet.
        x: rising axis of the columns, m.
        y: rising axis of the rows, m.
    """
    shape = (len(y), len(x))
    edge, middle = np.full(shape, REACH_M), np.full(shape, REACH_M)
    surface, ditch = np.zeros(shape, np.uint8), np.zeros(shape)
    paved = np.zeros(shape, bool)
    for road in roads:
        for a, b in zip(road.points[:-1], road.points[1:], strict=True):
            part = window(x, y, bounds((a, b)), REACH_M + road.half_width)
            distance = segment_distance(a, b, x[part[1]], y[part[0]])
            beside = distance - road.half_width
            nearer = beside < edge[part]
            surface[part] = np.where(nearer & ~paved[part], road.surface, surface[part])
            edge[part] = np.where(nearer, beside, edge[part])
            np.minimum(middle[part], distance, out=middle[part])
            np.maximum(ditch[part], ditch_depth(beside, road.ditch), out=ditch[part])
        paved |= edge < 0.0
    return RoadRaster(edge, middle, surface, ditch)


def ditch_depth(beside: np.ndarray, depth: float) -> np.ndarray:
    """Return the depth of a ditch below the ground, m: 2.5 m wide, its bottom 3 m from the edge of the road.

    Args:
        beside: distance from the edge of the road, m.
        depth: greatest depth, m.
    """
    slope = np.clip(1.0 - np.abs(beside - 3.0) / 2.2, 0.0, 1.0)
    return depth * slope * (2.0 - slope)
