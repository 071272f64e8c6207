"""Heights of the tile: a till plain with swales, graded lots, pads, roads with crown and ditches, roughness.

Every height is a multiple of 1 mm: the survey has no more, and a last bit that differs between processors is rounded
away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acres_ros.world.surfaces import SurfaceClass
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

SHORTEST_M, LONGEST_M = 2.0 * STEP_M, 4.0 * STEP_M
"""Wavelengths of the roughness: what a grid of 1.524 m can hold below the finest lattice of the relief."""

ROUGHNESS_1E6_M3 = {
    SurfaceClass.CONCRETE: 16.0,
    SurfaceClass.ASPHALT: 64.0,
    SurfaceClass.GRAVEL: 256.0,
    SurfaceClass.GRASS: 1024.0,
    SurfaceClass.MUD: 1024.0,
    SurfaceClass.BARE: 4096.0,
    SurfaceClass.FIELD: 4096.0,
}
"""Displacement spectrum G_d at n_0 = 0.1 cycles/m: classes A to E of ISO 8608."""

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


def grade(ground: np.ndarray, graded: Graded) -> None:
    """Level a rectangle, in place. Beyond its edges the plane goes on level, and gives way over its margin.

    Args:
        ground: corner heights, m.
        graded: the rectangle.
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


def finish(
    ground: np.ndarray, roads: Sequence[Road], lots: Sequence[Graded], pads: Sequence[Graded]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the heights with lots, pads and roads, and where (corners) they are those of a lot.

    Args:
        ground: corner heights of the carved plain, m.
        roads: the roads.
        lots: levelled lots and fields, the later ones win.
        pads: levelled ground below buildings.
    """
    axis = corner_axis()
    level = np.zeros(ground.shape, bool)
    for lot in lots:
        grade(ground, lot)
        level[window(axis, axis, lot.box, STEP_M)] = True
    raster = road_raster(roads, axis, axis)
    bed = smoothed(ground, 8)
    ditched = ground - raster.ditch * ~level
    road = bed + RISE_M - CROWN * raster.middle
    weight = smoothstep(1.0 - (raster.edge - SHOULDER_M) / 2.6) * ~level
    ground = ditched + weight * (road - ditched)
    for pad in pads:
        grade(ground, pad)
    return ground, level


def roughness_rms(spectrum_1e6_m3: float) -> float:
    """Return the rms (m) of the wavelengths that the grid holds, for a spectrum G_d(n) = G_d(n_0) (n / n_0)^-2.

    Source: ISO 8608:2016, Mechanical vibration, road surface profiles, with n_0 = 0.1 cycles/m.
    """
    return float(np.sqrt(1.0e-6 * spectrum_1e6_m3 * 0.01 * (LONGEST_M - SHORTEST_M)))


def roughen(heights: np.ndarray, level: np.ndarray, classes: np.ndarray, seed: int) -> np.ndarray:
    """Return the heights with the roughness of their surfaces, to the millimetre.

    Args:
        heights: corner heights, m.
        level: corners that stay as they are.
        classes: surface class of each cell.
        seed: seed of the tile.
    """
    random = generator(seed, "roughness")
    noise = _mean9(np.asarray(sum(2.0 * random.random(heights.shape) - 1.0 for _ in range(3))))
    noise /= np.sqrt((noise * noise).mean())
    rms = np.zeros(len(SurfaceClass))
    for number, spectrum in ROUGHNESS_1E6_M3.items():
        rms[number] = roughness_rms(spectrum)
    # A corner is as smooth as the smoothest of its four cells, so that a road is not torn up at its edge.
    cells = np.pad(rms[classes], 1, mode="edge")
    smoothest = np.minimum(np.minimum(cells[:-1, :-1], cells[1:, :-1]), np.minimum(cells[:-1, 1:], cells[1:, 1:]))
    return np.round((heights + noise * smoothest * ~level) * 1000.0) / 1000.0


def _mean9(values: np.ndarray) -> np.ndarray:
    padded = np.pad(values, 1, mode="edge")
    columns = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return (columns[:-2] + columns[1:-1] + columns[2:]) / 9.0
