"""What the beams of one scan can meet in each direction: an index round the sensor, made anew for each scan.

The circle round the sensor is cut into sectors. For each sector there is (1) how steep up the terrain reaches as seen
from the sensor, up to each distance: a beam of another slope first needs the terrain where that slope is reached; and
(2) the shapes that lie in it, front to back, with the slopes at which they can be met. Both only leave out what cannot
be met: hits are those of the shapes themselves.

A sensor that moves during the scan sees, from each of its places, the same as one that stays while the world moves the
other way; so all is widened by how far it moves.

Sectors are equal parts of the diamond |x| + |y| = 1, so that a direction needs no arc tangent.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import array_entry, kernel, outlined
from acres_ros.models.maths import INFINITY, clamp, sqrt
from acres_ros.models.scene_shape import CYLINDER, TRIANGLE

SECTORS = 512
BLOCKS = 104
"""Distances: a block of terrain is at least this part of the range, so that a sector is no wider than 1.7 blocks."""
PAD = 3
"""Blocks of nothing round the terrain."""
WIDEST = (0.04, 1.04)
"""How far (blocks) the sensor may move when the relief is widened by one block, and by two."""
MARGIN_M = 1e-3
"""All is widened by so much more, which is far more than rounding takes."""
GROUP = 32
"""Shapes that follow each other in the arrays, and so lie side by side, are passed over together."""
QUEUES = 1024
"""Steps of distance by which shapes are put in order."""


class Relief(NamedTuple):
    """The highest terrain near each block, for a range.

    Attributes:
        tops: f4 (2, rows, columns): highest corner in a block and its neighbours, and in a block and two on each side.
        x0, y0: south-west corner of the first block, m.
        block: size of a block, m.
        bins: distances of one block within the range.
    """

    tops: np.ndarray
    x0: float
    y0: float
    block: float
    bins: int


class Lists(NamedTuple):
    """The shapes of each sector.

    Attributes:
        starts: i8 (SECTORS + 1): those of sector s are starts[s]:starts[s + 1], front to back.
        items: i8: place of the shape in the arrays; boxes come after all shapes.
        reach: (n, 3): level distance (m) before which it is not met, the least and the greatest slope at which it is.
    """

    starts: np.ndarray
    items: np.ndarray
    reach: np.ndarray


class Bounds(NamedTuple):
    """Where shapes are.

    Attributes:
        rounds: the upright round of each shape (n, 5): x, y of its middle, radius, lowest and highest point, m.
        groups: the level round of each `GROUP` of them (n, 3): x, y of its middle, radius, m.
    """

    rounds: np.ndarray
    groups: np.ndarray


def relief_of(field, most):
    """Return the relief of a height field for beams of a range (m)."""
    level = 0
    while field.cell * (1 << level) * BLOCKS < most and level < len(field.levels) - 1:
        level += 1
    first, columns = (int(number) for number in field.levels[level])
    end = int(field.levels[level + 1, 0]) if level < len(field.levels) - 1 else field.tops.shape[1]
    blocks = field.tops[0, first:end].reshape(-1, columns)
    return relief_from(blocks, field.x0, field.y0, field.cell * (1 << level), most)


def relief_from(blocks, x0, y0, block, most):
    """Return the relief of the highest points of some blocks (rows, columns) for beams of a range (m).

    Args:
        blocks: minus infinity where there is nothing.
        x0, y0: south-west corner, m.
        block: size of a block, m; at least a part `BLOCKS` of the range, but for one that holds all there is.
        most: the range, m.
    """
    tops = np.pad(blocks, PAD, constant_values=-np.inf)
    once = _with_neighbours(tops)
    bins = min(int(most / block) + 1, BLOCKS + 1)
    return Relief(np.stack([once, _with_neighbours(once)]), x0 - PAD * block, y0 - PAD * block, block, bins)


def _with_neighbours(values):
    """Return for each element of a table the greatest of it and its eight neighbours."""
    padded = np.pad(values, 1, constant_values=-np.inf)
    wide = np.maximum(np.maximum(padded[:, :-2], padded[:, 1:-1]), padded[:, 2:])
    return np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])


def shape_bounds(scene):
    """Return the `Bounds` of the shapes of a scene."""
    shapes, kinds = scene.shapes, scene.kinds
    bounds = np.zeros((len(shapes), 5))
    one = kinds == TRIANGLE
    corners = shapes[one, None, :3] + np.stack([0.0 * shapes[one, 3:6], shapes[one, 3:6], shapes[one, 6:]], axis=1)
    middle = 0.5 * (corners.min(axis=1, initial=np.inf) + corners.max(axis=1, initial=-np.inf))
    away = corners[:, :, :2] - middle[:, None, :2]
    bounds[one, :2] = middle[:, :2]
    bounds[one, 2] = np.sqrt((away * away)[:, :, 0] + (away * away)[:, :, 1]).max(axis=1, initial=0.0)
    bounds[one, 3], bounds[one, 4] = (
        corners[:, :, 2].min(axis=1, initial=np.inf),
        corners[:, :, 2].max(axis=1, initial=-np.inf),
    )
    for kind in np.unique(kinds[~one]):
        some = kinds == kind
        table = shapes[some]
        bounds[some, :2] = table[:, :2]
        if kind == CYLINDER:
            bounds[some, 2], bounds[some, 3], bounds[some, 4] = table[:, 3], table[:, 2], table[:, 2] + table[:, 4]
        else:
            bounds[some, 2] = np.maximum(table[:, 3], table[:, 4])
            bounds[some, 3], bounds[some, 4] = table[:, 2] - table[:, 5], table[:, 2] + table[:, 5]
    return Bounds(bounds, _level_rounds(bounds))


def _level_rounds(bounds):
    """Return the level round of each `GROUP` of shapes (n, 3): x, y of its middle, radius, m."""
    parts = [bounds[first : first + GROUP] for first in range(0, len(bounds), GROUP)]
    rounds = np.zeros((len(parts), 3))
    for round_, part in zip(rounds, parts, strict=True):
        round_[:2] = 0.5 * (part[:, :2].min(axis=0) + part[:, :2].max(axis=0))
        away = part[:, :2] - round_[:2]
        round_[2] = (np.sqrt((away * away)[:, 0] + (away * away)[:, 1]) + part[:, 2]).max()
    return rounds


@kernel
def diamond(x, y):
    """Return where a level direction meets the diamond: 0 ahead (x), 1 at y, 2, 3, below 4 or 4."""
    turn = abs(y) / (abs(x) + abs(y))
    turn = turn if x >= 0.0 else 2.0 - turn
    return turn if y >= 0.0 else 4.0 - turn


@kernel
def sector_at(turn):
    """Return the sector of a place on the diamond."""
    return int(turn * (SECTORS / 4.0)) & (SECTORS - 1)


def _middle_of(place):
    """Return the level unit vector at a place in sectors; sector s goes from s to s + 1."""
    turn = place * (4.0 / SECTORS)
    x = 1.0 - turn if turn < 2.0 else turn - 3.0
    if turn < 1.0:
        y = turn
    elif turn < 3.0:
        y = 2.0 - turn
    else:
        y = turn - 4.0
    per = 1.0 / sqrt(x * x + y * y)
    return x * per, y * per


def _middles():
    """Return x, y of the unit vectors in the middle of one, two and four sectors side by side (3, 2, SECTORS)."""
    middles = np.zeros((3, 2, SECTORS))
    for part in range(3):
        for place in range(SECTORS >> part):
            middles[part, :, place] = _middle_of((place + 0.5) * (1 << part))
    return middles


_MIDDLES = _middles()


def new_skyline(relief):
    """Return room for a skyline over a relief: f4 (bins, SECTORS), rise over level distance."""
    return np.empty((relief.bins, SECTORS), np.float32)


@array_entry
def fill_skyline(relief, x, y, z, slack, rise, slopes):
    """Fill for each sector the greatest slope at which terrain is seen, up to each distance.

    Args:
        relief: Relief.
        x, y, z: middle of the places of the sensor, m.
        slack, rise: how far they are from it at most, level and in height, m.
        slopes: result, from `new_skyline`; minus infinity where there is no terrain. The margin is more than single
            precision takes from what is in range.
    """
    tops = relief.tops[0 if slack <= WIDEST[0] * relief.block else 1]
    z -= rise + MARGIN_M
    column, row = (x - relief.x0) / relief.block, (y - relief.y0) / relief.block
    blocks = np.empty(SECTORS, np.int32)
    # Near the sensor sectors are narrow: four in one, then two in one, are no wider there than one is far away.
    for bin_ in range(relief.bins):
        if bin_ < BLOCKS // 4:
            _fill_bin(tops, relief.block, column, row, z, bin_, 2, blocks, slopes[bin_])
        elif bin_ < BLOCKS // 2:
            _fill_bin(tops, relief.block, column, row, z, bin_, 1, blocks, slopes[bin_])
        else:
            _fill_bin(tops, relief.block, column, row, z, bin_, 0, blocks, slopes[bin_])
        if bin_ > 0:
            before, here = slopes[bin_ - 1], slopes[bin_]
            for sector in range(SECTORS):
                here[sector] = here[sector] if here[sector] > before[sector] else before[sector]


@kernel
def _fill_bin(tops, block, column, row, z, bin_, part, blocks, slopes):
    """Fill the slopes at one distance.

    Args:
        tops: one table of the relief.
        block: size of a block, m.
        column, row: place of the sensor in blocks.
        z: its height, m.
        bin_: the distance.
        part: 2^part sectors side by side are one.
        blocks: room for the number of the block in each sector.
        slopes: result (SECTORS,).
    """
    columns, last_column, last_row = np.int32(tops.shape[1]), tops.shape[1] - 1.0, tops.shape[0] - 1.0
    per_far = 1.0 / ((bin_ + 1.0) * block)
    per_near = 1.0 / (bin_ * block) if bin_ > 0 else INFINITY
    east, north = _MIDDLES[part, 0], _MIDDLES[part, 1]
    # Two loops: the compiler makes vectors of the first.
    for place in range(SECTORS >> part):
        # Round the relief there is nothing, so beyond its edge is what is on the edge.
        at_column = clamp(column + (bin_ + 0.5) * east[place], 0.0, last_column)
        at_row = clamp(row + (bin_ + 0.5) * north[place], 0.0, last_row)
        blocks[place] = np.int32(at_row) * columns + np.int32(at_column)
    flat = tops.reshape(tops.size)
    for place in range(SECTORS >> part):
        above = float(flat[np.uint32(blocks[place])]) - z
        slopes[place] = above * per_far if above < 0.0 else max(above, MARGIN_M) * per_near
    if part > 0:
        for back in range(SECTORS):
            sector = SECTORS - 1 - back
            slopes[sector] = slopes[sector >> part]


@kernel
def _tangents(x, y, distance, radius):
    """Return the directions to the right and to the left end of a round thing at (x, y)."""
    sine = radius / distance
    cosine = sqrt(max(0.0, 1.0 - sine * sine))
    return x * cosine + y * sine, y * cosine - x * sine, x * cosine - y * sine, y * cosine + x * sine


@kernel
def _segment_distance(ax, ay, bx, by):
    """Return the distance of the origin from a segment."""
    ex, ey = bx - ax, by - ay
    square = ex * ex + ey * ey
    share = min(max(-(ax * ex + ay * ey) / square, 0.0), 1.0) if square > 0.0 else 0.0
    px, py = ax + share * ex, ay + share * ey
    return sqrt(px * px + py * py)


@outlined
def _triangle_span(shapes, item, x, y, slack):
    """Return nearest and farthest level distance of a triangle, and the directions to its right and left end.

    A nearest distance of 0 means all round.
    """
    ax, ay = shapes[item, 0] - x, shapes[item, 1] - y
    bx, by = ax + shapes[item, 3], ay + shapes[item, 4]
    cx, cy = ax + shapes[item, 6], ay + shapes[item, 7]
    far_a, far_b, far_c = sqrt(ax * ax + ay * ay), sqrt(bx * bx + by * by), sqrt(cx * cx + cy * cy)
    far = max(far_a, far_b, far_c)
    one, two, three = ax * by - ay * bx, bx * cy - by * cx, cx * ay - cy * ax
    near = min(_segment_distance(ax, ay, bx, by), _segment_distance(bx, by, cx, cy), _segment_distance(cx, cy, ax, ay))
    within = (one > 0.0 and two > 0.0 and three > 0.0) or (one < 0.0 and two < 0.0 and three < 0.0)
    if within or near <= slack:
        return 0.0, far, 0.0, 0.0, 0.0, 0.0
    right_x, right_y, left_x, left_y = _tangents(ax, ay, far_a, slack)
    for corner in range(2):
        px, py, distance = (bx, by, far_b) if corner == 0 else (cx, cy, far_c)
        to_right_x, to_right_y, to_left_x, to_left_y = _tangents(px, py, distance, slack)
        if right_x * to_right_y - right_y * to_right_x < 0.0:
            right_x, right_y = to_right_x, to_right_y
        if left_x * to_left_y - left_y * to_left_x > 0.0:
            left_x, left_y = to_left_x, to_left_y
    return near, far, right_x, right_y, left_x, left_y


@kernel
def _fill_near(bounds, boxes, x, y, reach, items):
    """Fill the numbers of the shapes in the groups that are within reach of a point, and of boxes; return how many.

    Args:
        bounds: Bounds.
        boxes: how many boxes there are, whose numbers come after all shapes.
        x, y: the point, m.
        reach: m.
        items: result.
    """
    groups, shapes, number = bounds.groups, len(bounds.rounds), 0
    for group in range(len(groups)):
        to_x, to_y, far = groups[group, 0] - x, groups[group, 1] - y, groups[group, 2] + reach
        if to_x * to_x + to_y * to_y < far * far:
            for item in range(group * GROUP, min((group + 1) * GROUP, shapes)):
                items[number] = item
                number += 1
    for box in range(boxes):
        items[number] = shapes + box
        number += 1
    return number


@array_entry
def list_shapes(scene, bounds, box_bounds, x, y, z, slack, rise, most):
    """Return the `Lists` of the shapes and boxes that beams from near a point can meet.

    Args:
        scene: SceneShapes.
        bounds: Bounds of its shapes.
        box_bounds: the upright rounds of the boxes, as those of the shapes.
        x, y, z: middle of the places of the sensor, m.
        slack, rise: how far they are from it at most, level and in height, m.
        most: range of the beams, m.
    """
    slack, rise = slack + MARGIN_M, rise + MARGIN_M
    shapes = len(bounds.rounds)
    count = shapes + len(box_bounds)
    nearby = np.empty(count, np.int64)
    found = np.empty((count, 4), np.int64)  # item, queue, first sector, sectors
    seen = np.empty((count, 3))
    queues = np.zeros(QUEUES + 1, np.int64)
    starts = np.zeros(SECTORS + 1, np.int64)
    number, near_count = 0, _fill_near(bounds, len(box_bounds), x, y, most + slack, nearby)
    for place in range(near_count):
        item = nearby[place]
        table, row = (bounds.rounds, item) if item < shapes else (box_bounds, item - shapes)
        to_x, to_y, radius = table[row, 0] - x, table[row, 1] - y, table[row, 2] + slack
        square = to_x * to_x + to_y * to_y
        if square >= (most + radius) * (most + radius):
            continue
        distance = sqrt(square)
        near, far = distance - radius, distance + radius
        first, sectors = 0, SECTORS
        if item < shapes and scene.kinds[item] == TRIANGLE:
            near, far, right_x, right_y, left_x, left_y = _triangle_span(scene.shapes, item, x, y, slack)
            near, far = near - slack, far + slack
            if near >= most:
                continue
            if near > 0.0:
                first = sector_at(diamond(right_x, right_y))
                sectors = ((sector_at(diamond(left_x, left_y)) - first) & (SECTORS - 1)) + 1
        elif near > 0.0:
            right_x, right_y, left_x, left_y = _tangents(to_x, to_y, distance, radius)
            first = sector_at(diamond(right_x, right_y))
            sectors = ((sector_at(diamond(left_x, left_y)) - first) & (SECTORS - 1)) + 1
        near = max(near, 1e-9)
        low, high = table[row, 3] - z - rise, table[row, 4] - z + rise
        queue = min(int(near * (QUEUES / most)), QUEUES - 1)
        found[number, 0], found[number, 1], found[number, 2], found[number, 3] = item, queue, first, sectors
        seen[number, 0] = queue * (most / QUEUES) * (1.0 - 1e-12)
        seen[number, 1], seen[number, 2] = low / (near if low < 0.0 else far), high / (near if high > 0.0 else far)
        queues[queue + 1] += 1
        for step in range(sectors):
            starts[((first + step) & (SECTORS - 1)) + 1] += 1
        number += 1
    for queue in range(QUEUES):
        queues[queue + 1] += queues[queue]
    for sector in range(SECTORS):
        starts[sector + 1] += starts[sector]
    order = np.empty(number, np.int64)
    for place in range(number):
        order[queues[found[place, 1]]] = place
        queues[found[place, 1]] += 1
    items, reach = np.empty(starts[SECTORS], np.int64), np.empty((starts[SECTORS], 3))
    ends = starts[:SECTORS].copy()
    for place in order:
        for step in range(found[place, 3]):
            sector = (found[place, 2] + step) & (SECTORS - 1)
            entry_ = ends[sector]
            ends[sector] += 1
            items[entry_] = found[place, 0]
            reach[entry_, 0], reach[entry_, 1], reach[entry_, 2] = seen[place, 0], seen[place, 1], seen[place, 2]
    return Lists(starts, items, reach)
