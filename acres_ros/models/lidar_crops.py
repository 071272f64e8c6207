"""Crops in the way of beams: each patch is a square metre that is filled up to its height, but for what is crushed.

A beam goes into the canopy as far as the law of Beer and Lambert says: the way within it that is drawn for the beam is
used up in one patch after the other. Blocks of 8 m by 8 m with the highest top in them let it pass over open land.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.elementary.exponential import log_of_normal
from acres_ros.models.lidar_index import BLOCKS, relief_from
from acres_ros.models.maths import INFINITY, sqrt
from acres_ros.models.rotation import forward
from acres_ros.models.ruts import floor
from acres_ros.models.streams import CROP_DRAW, hash_above_0, numbered_hash
from acres_ros.models.terrain_ray import part_in

SAMPLES = 3
"""Samples of crop along a metre; a mask has a bit for each of 3 x 3, 3 row + column."""
ALL_CRUSHED = (1 << SAMPLES * SAMPLES) - 1
HALF_SAMPLE_M = 0.24
"""No point of a sample is as far from its middle."""
CLEARING = 8
"""Numbers of a clearing, from `open_outline`."""
BLOCK = 8 * SAMPLES
"""Samples along a block."""
UPRIGHT = 1e-9
"""A vehicle that looks along a shorter level vector is taken to look east."""


class Crops(NamedTuple):
    """The crops of a world, as the beams meet them.

    Attributes:
        patches: i4 (rows, columns): patch on each square metre, -1 for none; row 0 is south.
        tops: height of the top of each patch, m.
        blocks: highest top in each block of 8 x 8 square metres, minus infinity for none.
        x0, y0: south-west corner, m.
    """

    patches: np.ndarray
    tops: np.ndarray
    blocks: np.ndarray
    x0: float
    y0: float


def crops_of(x, y, tops):
    """Return the crops of some patches.

    Args:
        x, y: whole metres nearest to their middles, m.
        tops: heights of their tops, m.
    """
    if len(tops) == 0:
        return Crops(np.full((8, 8), -1, np.int32), np.zeros(0), np.full((1, 1), -np.inf), 0.0, 0.0)
    column, row = (x - x.min()).astype(np.int64), (y - y.min()).astype(np.int64)
    rows, columns = 8 * (int(row.max()) // 8 + 1), 8 * (int(column.max()) // 8 + 1)
    patches = np.full((rows, columns), -1, np.int32)
    patches[row, column] = np.arange(len(tops))
    high = np.where(patches >= 0, tops[patches], -np.inf)
    blocks = high.reshape(rows // 8, 8, columns // 8, 8).max(axis=(1, 3))
    return Crops(patches, np.ascontiguousarray(tops, np.float64), blocks, float(x.min()) - 0.5, float(y.min()) - 0.5)


def crop_relief(crops, most):
    """Return the relief of the tops of crops for beams of a range (m)."""
    size = 2
    while size * BLOCKS < most:
        size *= 2
    high = np.where(crops.patches >= 0, crops.tops[crops.patches], -np.inf)
    rows, columns = (-(-length // size) for length in high.shape)
    padding = [(0, rows * size - high.shape[0]), (0, columns * size - high.shape[1])]
    high = np.pad(high, padding, constant_values=-np.inf).reshape(rows, size, columns, size).max(axis=(1, 3))
    blocks = np.nextafter(high.astype(np.float32), np.float32(np.inf))
    return relief_from(blocks, crops.x0, crops.y0, float(size), most)


def highest_top(crops, x, y, reach):
    """Return the height of the highest crop within reach of a point, m; minus infinity where there is none.

    Args:
        crops: Crops.
        x, y: the point, m.
        reach: m.
    """
    size = 8.0
    rows, columns = (
        slice(max(int((at - reach - start) // size), 0), max(int((at + reach - start) // size) + 1, 0))
        for at, start in ((y, crops.y0), (x, crops.x0))
    )
    return float(crops.blocks[rows, columns].max(initial=-np.inf))


@entry
def open_outline(crops, masks, outline, pose, clearing):
    """Crush what stands in the level outline of a vehicle.

    Args:
        crops: Crops.
        masks: mask of each patch, result.
        outline: rear, right, front and left side from its place (4,), m.
        pose: of the vehicle (POSE,).
        clearing: result (CLEARING,): its place x, y and the level direction ahead; rear, right, front and left side,
            as the outline, of a rectangle in which nothing stands, whose points are in samples with their middle in
            the outline.
    """
    x, y = pose[0], pose[1]
    ahead_x, ahead_y, _ = forward(pose[3], pose[4], pose[5], pose[6])
    level = sqrt(ahead_x * ahead_x + ahead_y * ahead_y)
    ahead_x, ahead_y = (ahead_x / level, ahead_y / level) if level > UPRIGHT else (1.0, 0.0)
    clearing[0], clearing[1], clearing[2], clearing[3] = x, y, ahead_x, ahead_y
    for side in range(4):
        clearing[4 + side] = outline[side] + (HALF_SAMPLE_M if side < 2 else -HALF_SAMPLE_M)
    rows, columns = crops.patches.shape
    reach = int(max(max(abs(outline[0]), abs(outline[1])), max(abs(outline[2]), abs(outline[3])))) + 3
    at_row, at_column = floor(y - crops.y0), floor(x - crops.x0)
    for row in range(max(at_row - reach, 0), min(at_row + reach, rows)):
        for column in range(max(at_column - reach, 0), min(at_column + reach, columns)):
            patch = crops.patches[row, column]
            if patch < 0:
                continue
            for bit in range(SAMPLES * SAMPLES):
                east = crops.x0 + column + (bit % SAMPLES + 0.5) / SAMPLES - x
                north = crops.y0 + row + (bit // SAMPLES + 0.5) / SAMPLES - y
                along, left = east * ahead_x + north * ahead_y, north * ahead_x - east * ahead_y
                if outline[0] <= along <= outline[2] and outline[1] <= left <= outline[3]:
                    masks[patch] |= np.uint16(1 << bit)


@kernel
def _step_end(place, ahead, size, start, per, change):
    """Return where a ray leaves a cell of a size along one axis."""
    return ((place + ahead) * size - start) * per if change != 0.0 else INFINITY


@kernel
def _below(top, z, dz, per_dz, low, high):
    """Return the part of low..high in which a ray is below a height; low >= high is none."""
    if dz == 0.0:
        return (low, high) if z < top else (high, low)
    meets = (top - z) * per_dz
    return (max(low, meets), high) if dz < 0.0 else (low, min(high, meets))


@kernel
def _through_patch(top, mask, density, used, room, u, v, z, du, dv, dz, per_u, per_v, per_dz, column, row, low, high):
    """Return where a beam ends within low..high, as `_through_block`, in a patch of which a part is crushed.

    Args:
        top: height of the patch, m.
        mask: its crushed samples.
        density, used, room, u, v, z, du, dv, dz, per_u, per_v, per_dz: as `_through_block`.
        column, row: first sample of the patch.
        low, high: a part of the ray within the patch.
    """
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    at_u = min(max(int(u + du * low) - column, 0), SAMPLES - 1)
    at_v = min(max(int(v + dv * low) - row, 0), SAMPLES - 1)
    while True:
        end_u = _step_end(column + at_u, ahead_u, 1, u, per_u, du)
        end_v = _step_end(row + at_v, ahead_v, 1, v, per_v, dv)
        end = max(min(min(end_u, end_v), high), low)
        first, last = _below(top, z, dz, per_dz, low, end)
        if first < last and (mask >> (SAMPLES * at_v + at_u)) & 1 == 0:
            more = density * (last - first)
            if used + more >= room:
                return first + (room - used) / density, room
            used += more
        if end >= high:
            return INFINITY, used
        low = end
        if end_u < end_v:
            at_u += 2 * ahead_u - 1
        else:
            at_v += 2 * ahead_v - 1
        if at_u < 0 or at_v < 0 or at_u >= SAMPLES or at_v >= SAMPLES:
            return INFINITY, used


@kernel
def _through_block(crops, crushed, density, used, room, u, v, z, du, dv, dz, per_u, per_v, per_dz, low, high):
    """Return where a beam ends within low..high, infinity if it goes on, and the canopy that is used up by then.

    Args:
        crops: Crops.
        crushed: mask of each patch; empty: nothing is crushed.
        density: hits per metre, infinity for a solid.
        used, room: canopy that the beam went through before, and may go through, times the density.
        u, v, z: origin, in samples from the south-west corner, and m.
        du, dv, dz: direction, in the same units.
        per_u, per_v, per_dz: one over du, dv and dz.
        low, high: a part of the ray within one block.
    """
    rows, columns = crops.patches.shape
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    column = min(max(int(u + du * low) // SAMPLES, 0), columns - 1)
    row = min(max(int(v + dv * low) // SAMPLES, 0), rows - 1)
    while True:
        end_u = _step_end(column, ahead_u, SAMPLES, u, per_u, du)
        end_v = _step_end(row, ahead_v, SAMPLES, v, per_v, dv)
        end = max(min(min(end_u, end_v), high), low)
        patch = crops.patches[row, column]
        if patch >= 0:
            top = crops.tops[patch]
            first, last = _below(top, z, dz, per_dz, low, end)
            mask = int(crushed[patch]) if len(crushed) > 0 else 0
            if first < last and mask == 0:
                more = density * (last - first)
                if used + more >= room:
                    return first + (room - used) / density, room
                used += more
            elif first < last and mask != ALL_CRUSHED:
                t, used = _through_patch(
                    top, mask, density, used, room, u, v, z, du, dv, dz, per_u, per_v, per_dz,
                    SAMPLES * column, SAMPLES * row, first, last,
                )  # fmt: skip
                if t < INFINITY:
                    return t, used
        if end >= high:
            return INFINITY, used
        low = end
        if end_u < end_v:
            column += 2 * ahead_u - 1
        else:
            row += 2 * ahead_v - 1
        if column < 0 or row < 0 or column >= columns or row >= rows:
            return INFINITY, used


@kernel
def crop_depth(word):
    """Return how far a beam gets in crops, times their density: exponential, of mean 1. `word`: its hash."""
    return -log_of_normal(hash_above_0(numbered_hash(word, CROP_DRAW)))


@kernel
def plain_clearing(row):
    """Return a clearing as a tuple: a loop over many beams then has nothing to read anew."""
    return row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]


@kernel
def clearing_end(clearing, x, y, dx, dy):
    """Return how far a beam that starts in a clearing stays in it, 0 for one that starts elsewhere.

    Args:
        clearing: from `plain_clearing`.
        x, y: origin, m.
        dx, dy: direction.
    """
    x, y, ahead_x, ahead_y = x - clearing[0], y - clearing[1], clearing[2], clearing[3]
    along, left = x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y
    forward, aside = dx * ahead_x + dy * ahead_y, dy * ahead_x - dx * ahead_y
    within = (along >= clearing[4]) & (left >= clearing[5]) & (along <= clearing[6]) & (left <= clearing[7])
    ahead = ((clearing[6] if forward > 0.0 else clearing[4]) - along) / (forward if forward != 0.0 else 1.0)
    beside = ((clearing[7] if aside > 0.0 else clearing[5]) - left) / (aside if aside != 0.0 else 1.0)
    ahead, beside = (ahead if forward != 0.0 else INFINITY), (beside if aside != 0.0 else INFINITY)
    return min(ahead, beside) if within else 0.0


@outlined
def crop_beam(crops, crushed, density, top, depth, x, y, z, dx, dy, dz, low, most):
    """Return where a beam ends in the crops within low..most; infinity if it does not.

    Args:
        crops: Crops.
        crushed: mask of each crop patch; empty: nothing is crushed.
        density: hits per metre of crop, infinity for a solid.
        top: no crop in its way is higher, m.
        depth: from `crop_depth`.
        x, y, z: origin, m.
        dx, dy, dz: direction, of length 1.
        low: where it may first meet crops, m.
        most: end of the beam, m.
    """
    if dz > 0.0:
        most = min(most, (top - z) / dz)
    rows, columns = crops.blocks.shape
    u, v, du, dv = SAMPLES * (x - crops.x0), SAMPLES * (y - crops.y0), SAMPLES * dx, SAMPLES * dy
    high, east, north = most, float(BLOCK * columns), float(BLOCK * rows)
    one_u, one_v, two_u, two_v = u + du * low, v + dv * low, u + du * high, v + dv * high
    if min(min(one_u, one_v), min(two_u, two_v)) < 0.0 or max(one_u, two_u) > east or max(one_v, two_v) > north:
        low, high = part_in(low, high, u, du, east)
        low, high = part_in(low, high, v, dv, north)
    if not low < high:
        return INFINITY
    per_u, per_v, per_dz = 1.0 / du, 1.0 / dv, 1.0 / dz
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    column = min(max(int(u + du * low) // BLOCK, 0), columns - 1)
    row = min(max(int(v + dv * low) // BLOCK, 0), rows - 1)
    used = 0.0
    while True:
        end_u, end_v = _step_end(column, ahead_u, BLOCK, u, per_u, du), _step_end(row, ahead_v, BLOCK, v, per_v, dv)
        end = max(min(min(end_u, end_v), high), low)
        if min(z + dz * low, z + dz * end) < crops.blocks[row, column]:
            t, used = _through_block(
                crops, crushed, density, used, depth, u, v, z, du, dv, dz, per_u, per_v, per_dz, low, end
            )
            if t < INFINITY:
                return t
        if end >= high:
            return INFINITY
        low = end
        if end_u < end_v:
            column += 2 * ahead_u - 1
        else:
            row += 2 * ahead_v - 1
        if column < 0 or row < 0 or column >= columns or row >= rows:
            return INFINITY
