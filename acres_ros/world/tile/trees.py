"""Trees: two woods, windbreaks, the banks of the waterways, fence rows and yards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acres_ros.world.tile.buildings import Farmstead
from acres_ros.world.tile.frame import HALF_M, generator, spread
from acres_ros.world.tile.shapes import Point, Polygon, bounds, inside, rounded
from acres_ros.world.tile.water import Waterway

COUNT = 6984
"""Trees of the tile, as many as the surveyed farm has."""

WOOD_SPACING_M = 4.1


class Trees(NamedTuple):
    """Trees as arrays (n), m.

    Attributes:
        x: east of the trunk.
        y: north of the trunk.
        radius: radius of the trunk.
        height: height of the tree.
        crown: radius of the crown.
        clear: height of the lower edge of the crown.
    """

    x: np.ndarray
    y: np.ndarray
    radius: np.ndarray
    height: np.ndarray
    crown: np.ndarray
    clear: np.ndarray


def woods(seed: int) -> tuple[Polygon, ...]:
    """Return the outlines of the woods."""
    random = generator(seed, "woods")
    return (
        _ragged(random, (-756.0, -758.0, -474.0, -432.0)),
        _ragged(random, (478.0, -200.0, 684.0, -30.0)),
    )


def _ragged(random: np.random.Generator, box: tuple[float, float, float, float]) -> Polygon:
    """Return a rectangle with ragged edges and cut corners."""
    west, south, east, north = box
    line: list[Point] = []
    corners = ((west, south), (east, south), (east, north), (west, north))
    middle = 0.5 * (west + east), 0.5 * (south + north)
    for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
        for share in np.arange(0.08, 0.95, 0.07):
            x, y = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
            inward = float(spread(random, 0.0, 0.09)) + (0.05 if share < 0.1 or share > 0.9 else 0.0)
            line.append((x + inward * (middle[0] - x), y + inward * (middle[1] - y)))
    return rounded(line)


def plant_trees(
    seed: int,
    free: np.ndarray,
    axis: np.ndarray,
    forest: Sequence[Polygon],
    farms: Sequence[Farmstead],
    waterways: Sequence[Waterway],
) -> Trees:
    """Return the trees.

    Args:
        seed: seed of the tile.
        free: surface cells (rows, columns) on which a trunk may stand.
        axis: middles of the surface cells along both sides, m.
        forest: outlines of the woods.
        farms: farmsteads, which have windbreaks and yard trees.
        waterways: waterways, which have trees on their banks.
    """
    random = generator(seed, "trees")
    lines = [*_windbreaks(farms), *_fence_rows()]
    spots = [_along(random, line) for line in lines]
    spots += [_yard_trees(random, farm) for farm in farms]
    spots += [_banks(random, water) for water in waterways]
    single = _kept(np.concatenate(spots), free, axis, 3.4)
    wood = np.concatenate([_wood(random, outline) for outline in forest])
    wood = _kept(wood[random.permutation(len(wood))], free, axis, 0.0)[: COUNT - len(single)]
    x, y = np.concatenate([single, wood]).T
    count, lone = len(x), np.arange(len(x)) < len(single)
    vigour = random.random(count)
    height = np.where(lone, 6.0 + 11.0 * vigour, 11.0 + 12.0 * vigour)
    crown = np.where(lone, 0.28, 0.16) * height * (0.8 + 0.4 * random.random(count))
    radius = 0.10 + 0.010 * height * (0.7 + 0.6 * random.random(count))
    clear = np.where(lone, 0.16, 0.36) * height
    return Trees(*(np.round(values, 3) for values in (x, y, radius, height, crown, clear)))


def _kept(spots: np.ndarray, free: np.ndarray, axis: np.ndarray, apart: float) -> np.ndarray:
    """Return the spots (n, 2) that lie on free cells and not nearer to an earlier one than `apart`."""
    spots = np.round(spots, 3)
    spots = spots[(np.abs(spots) < HALF_M - 3.0).all(axis=1)]
    cells = np.floor((spots - axis[0]) / (axis[1] - axis[0]) + 0.5).astype(int)
    spots = spots[free[cells[:, 1], cells[:, 0]]]
    if apart == 0.0:
        return spots
    near = (np.square(spots[:, None, :] - spots[None, :, :]).sum(axis=2)) < apart * apart
    return spots[~np.tril(near, -1).any(axis=1)]


def _wood(random: np.random.Generator, outline: Polygon) -> np.ndarray:
    """Return a jittered grid of trees inside an outline."""
    west, south, east, north = bounds(outline)
    x, y = np.arange(west, east, WOOD_SPACING_M), np.arange(south, north, WOOD_SPACING_M)
    within = inside(outline, x, y)
    spots = np.stack(np.meshgrid(x, y), axis=-1)
    spots = spots + 0.62 * WOOD_SPACING_M * (random.random(spots.shape) - 0.5)
    return spots[within]


def _along(random: np.random.Generator, line: tuple[Point, Point, float, float]) -> np.ndarray:
    """Return trees along a line: its ends, the spacing and the share of trees that stand."""
    (x1, y1), (x2, y2), spacing, share = line
    length = float(np.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2))
    count = max(2, int(length / spacing))
    along = (np.arange(count) + 0.5 + 0.5 * (random.random(count) - 0.5)) / count
    spots = np.stack([x1 + along * (x2 - x1), y1 + along * (y2 - y1)], axis=1)
    spots = spots + 2.0 * (random.random(spots.shape) - 0.5)
    return spots[random.random(count) < share]


def _windbreaks(farms: Sequence[Farmstead]):
    """Yield two rows of trees west and north of each farmstead, where the winter wind comes from."""
    for farm in farms:
        west, south, east, north = farm.graded.box
        for away in (7.0, 12.5):
            yield (west - away, south), (west - away, north + away), 4.6, 0.93
            yield (west - away, north + away), (east, north + away), 4.6, 0.93


def _fence_rows():
    """Yield rows of trees along roads and old fences."""
    yield (-467.0, -420.0), (-467.0, 40.0), 8.0, 0.6
    yield (-756.0, 353.8), (-470.0, 353.8), 7.0, 0.7
    yield (-165.8, 130.0), (-165.8, 345.0), 10.0, 0.75
    yield (689.0, 130.0), (689.0, 345.0), 9.0, 0.8
    yield (689.0, -740.0), (689.0, -500.0), 9.0, 0.8
    yield (279.5, -745.0), (279.5, -492.0), 9.0, 0.55
    yield (711.0, -740.0), (711.0, 670.0), 16.0, 0.5
    yield (-745.0, 679.5), (-600.0, 679.5), 9.0, 0.7
    yield (-440.0, 679.0), (680.0, 679.0), 14.0, 0.55
    yield (-750.0, 704.5), (690.0, 704.5), 11.0, 0.5
    yield (-148.0, -116.0), (-96.0, -116.0), 7.0, 0.9
    yield (-150.0, -200.0), (-98.0, -200.0), 7.0, 0.9


def _yard_trees(random: np.random.Generator, farm: Farmstead) -> np.ndarray:
    """Return shade trees on the lawns round a farmstead."""
    west, south, east, north = farm.graded.box
    low, high = np.array([west - 24.0, south - 14.0]), np.array([east + 16.0, north + 22.0])
    return low + (high - low) * random.random((60, 2))


def _banks(random: np.random.Generator, water: Waterway) -> np.ndarray:
    """Return groups of trees on the banks of a waterway."""
    points = np.array(water.points)
    middles = points[random.integers(1, len(points) - 1, 26)]
    spots = middles[:, None, :] + np.stack([spread(random, -26.0, 26.0, 26 * 9), np.zeros(26 * 9)], axis=1).reshape(
        26, 9, 2
    )
    spots = spots.reshape(-1, 2)
    side = np.where(random.random(len(spots)) < 0.5, -1.0, 1.0)
    north = np.array([water.north_at(float(x)) for x in spots[:, 0]])
    spots[:, 1] = north + side * spread(random, 7.3, 9.8, len(spots))
    return spots
