"""Heights of the tile: a till plain with swales, graded lots, pads, roads with crown and ditches, survey noise.

Every height is a multiple of 1 mm: the survey has no more, and a last bit that differs between processors is rounded
away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acres_ros.world.tile.frame import STEP_M, corner_axis, generator
from acres_ros.world.tile.noise import lattice_surface, relief_surface, smoothed
from acres_ros.world.tile.roads import CROWN, RISE_M, SHOULDER_M, Road, road_raster
from acres_ros.world.tile.shapes import box_distance, smoothstep, window
from acres_ros.world.tile.water import Waterway, bottom_along, distance_from

TILT = 4.0 / 1524.0
"""Fall of the plain to the south-west."""

RELIEF_RMS_M = 1.2
SPACINGS_M = (600.0, 290.0, 145.0, 72.0, 37.0)
ROUGHNESS = 0.9
"""Amplitude spacing^0.9: a spectrum (k^2 + k0^2)^-1.9."""

NOISE_RMS_M = 0.03
"""Of the survey, before the mean over 3 x 3 corners."""

SWALE_DEPTH_M = 0.35
SWALE_REACH_M = 60.0


class Graded(NamedTuple):
    """A rectangle that was levelled to a plane.

    Attributes:
        box: west, south, east and north edge, m.
        east_slope: rise toward the east.
        north_slope: rise toward the north.
        margin: over how many metres it runs out into the ground around, m.
        height: height at `x`, `y`, m; None: the mean of the ground that it lies on.
        x: east of the point of the height, m.
        y: north of the point of the height, m.
        rise: height above the mean of the ground, m, where no height is given.
    """

    box: tuple[float, float, float, float]
    east_slope: float
    north_slope: float
    margin: float
    height: float | None = None
    x: float = 0.0
    y: float = 0.0
    rise: float = 0.0


def plain(seed: int) -> np.ndarray:
    """Return the corner heights (rows, columns) of the ground before people came, m."""
    axis = corner_axis()
    random = generator(seed, "relief")
    ground = RELIEF_RMS_M * relief_surface(random, axis, SPACINGS_M, ROUGHNESS)
    wet = lattice_surface(random, axis, 110.0)
    ground -= 0.5 * smoothstep((wet - 1.0) / 1.2)
    return ground + TILT * (axis[None, :] + axis[:, None]) / np.sqrt(2.0)


def carve(ground: np.ndarray, waterway: Waterway) -> None:
    """Let a swale fall to the bottom of a waterway, in place.

    Args:
        ground: corner heights, m.
        waterway: the waterway.
    """
    axis = corner_axis()
    west, east = waterway.points[-1][0], waterway.points[0][0]
    north = [p[1] for p in waterway.points]
    part = window(axis, axis, (west, min(north), east, max(north)), SWALE_REACH_M)
    x, y = axis[part[1]], axis[part[0]]
    weight = smoothstep(1.0 - distance_from(waterway, x, y) / SWALE_REACH_M)
    target = bottom_along(waterway, x)[None, :] - SWALE_DEPTH_M
    # Only ground above the bottom is moved; half of a rise stays, so that the swale has soft shoulders.
    above = np.maximum(ground[part] - target, 0.0)
    ground[part] -= weight * np.minimum(above, SWALE_DEPTH_M + 0.8 * above)


def grade(ground: np.ndarray, graded: Graded, weights: np.ndarray | None = None) -> None:
    """Level a rectangle, in place. Beyond its edges the plane goes on level, and gives way over its margin.

    Args:
        ground: corner heights, m.
        graded: the rectangle.
        weights: where given, raised to the weight of the plane.
    """
    axis = corner_axis()
    west, south, east, north = graded.box
    part = window(axis, axis, graded.box, graded.margin)
    x, y = axis[part[1]], axis[part[0]]
    weight = smoothstep(1.0 - box_distance(graded.box, x, y) / graded.margin)
    plane = graded.east_slope * (np.clip(x, west, east) - graded.x)[None, :]
    plane = plane + graded.north_slope * (np.clip(y, south, north) - graded.y)[:, None]
    height = graded.height
    if height is None:
        height = float((ground[part] - plane)[weight > 0.99].mean()) + graded.rise
    ground[part] += weight * (plane + height - ground[part])
    if weights is not None:
        np.maximum(weights[part], weight, out=weights[part])


def finish(
    ground: np.ndarray, seed: int, roads: Sequence[Road], lots: Sequence[Graded], pads: Sequence[Graded]
) -> np.ndarray:
    """Return the heights with lots, pads, roads and survey noise, to the millimetre.

    Args:
        ground: corner heights of the carved plain, m.
        seed: seed of the tile.
        roads: the roads.
        lots: levelled lots and fields, the later ones win.
        pads: levelled ground below buildings.
    """
    axis = corner_axis()
    graded, flat = np.zeros_like(ground), np.zeros(ground.shape, bool)
    for lot in lots:
        grade(ground, lot, graded)
        part = window(axis, axis, lot.box, STEP_M)
        flat[part] = True
    raster = road_raster(roads, axis, axis)
    bed = smoothed(ground, 8)
    ditched = ground - raster.ditch * ~flat
    road = bed + RISE_M - CROWN * raster.middle
    weight = smoothstep(1.0 - (raster.edge - SHOULDER_M) / 2.6) * ~flat
    ground = ditched + weight * (road - ditched)
    for pad in pads:
        grade(ground, pad)
    random = generator(seed, "survey")
    noise = sum(2.0 * random.random(ground.shape) - 1.0 for _ in range(3))
    noise = NOISE_RMS_M * _mean9(np.asarray(noise))
    ground = ground + noise * (1.0 - 0.7 * np.maximum(graded, weight)) * ~flat
    return np.round(ground * 1000.0) / 1000.0


def _mean9(values: np.ndarray) -> np.ndarray:
    padded = np.pad(values, 1, mode="edge")
    columns = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return (columns[:-2] + columns[1:-1] + columns[2:]) / 9.0
