"""What the beams of a LiDAR meet first.

A beam meets terrain, the shapes of the scene, boxes of other vehicles, crops, or the vehicle's own body. Two ways find
the hit: the index of the scan (`lidar_index`), for patterns of many beams, and the trees of terrain and scene, for few.
They give the same hits.

Beams of one ring in some columns, a fan, are looked at together. Those that lie side by side in one sector are a run:
what tells where they can first meet anything is looked up once for all of them, and each shape of the sector is tried
on all of them.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import kernel
from acres_ros.models.lidar_box import box_meets
from acres_ros.models.lidar_crops import Crops, clearing_end, crop_beam, crop_depth, plain_clearing
from acres_ros.models.lidar_fan import IN_CROPS, NO_SECTOR, TERRAIN, TOGETHER
from acres_ros.models.lidar_ground import least, meet_ground
from acres_ros.models.lidar_index import Lists
from acres_ros.models.maths import INFINITY
from acres_ros.models.scene_ray import SceneShapes, scene_beam
from acres_ros.models.scene_shape import (
    CYLINDER,
    ELLIPSOID,
    TRIANGLE,
    leaves_meet,
    read_shape,
    shape_interval,
    solid_meets,
)
from acres_ros.models.terrain_ray import HeightField, terrain_ray

ABREAST = 8
"""Beams that a shape is tried on at once: a run is hardly longer, and the compiler knows how many they are."""


class Sight(NamedTuple):
    """What beams can meet that does not move.

    Attributes:
        field: terrain.
        scene: shapes.
        classes: surface class (rows, columns).
        west, south: corner of their raster, m.
        per_class: one over the size of their cells, 1/m.
        ground_materials: u1: material of each surface class.
        crops: crops; without patches: none.
        crop_material: material of crops.
        reflectivities: of each material.
        densities: hits per metre in each material, infinity for a solid.
    """

    field: HeightField
    scene: SceneShapes
    classes: np.ndarray
    west: float
    south: float
    per_class: float
    ground_materials: np.ndarray
    crops: Crops
    crop_material: int
    reflectivities: np.ndarray
    densities: np.ndarray


class Index(NamedTuple):
    """The index of a scan.

    Attributes:
        use: 1: use it, 0: use the trees.
        block: size of a block of the relief, m.
        slopes: the skyline of the terrain (SECTORS, bins).
        crop_block, crop_slopes: the same of the crops.
        crop_top: no crop in range is higher, m.
        clearings: (n, CLEARING): where nothing stands (`open_outline`).
        lists: shapes and boxes by sector.
    """

    use: int
    block: float
    slopes: np.ndarray
    crop_block: float
    crop_slopes: np.ndarray
    crop_top: float
    clearings: np.ndarray
    lists: Lists


@kernel
def _any_shape(sight, boxes, scratch, word, beam, x, y, z, dx, dy, dz, most):
    """Return where a beam ends, on what, and on which face, from the tree of the scene and from all boxes."""
    best, best_face = most, 0
    t, best_item = scene_beam(sight.scene, scratch, sight.densities, word, x, y, z, dx, dy, dz, 0.0, most)
    best = t if best_item >= 0 else best
    for box in range(boxes.number):
        t, face = box_meets(boxes, box, beam, x, y, z, dx, dy, dz)
        if 0.0 <= t <= best and t < INFINITY and (t < best or best_item < 0):
            best, best_item, best_face = t, len(sight.scene.kinds) + box, face
    return best, best_item, best_face


@kernel
def _bin_of(slopes, sector, slope, bin_):
    """Return the first bin of a sector in whose slope a beam is; the search begins at `bin_`."""
    while bin_ > 0 and float(slopes[bin_ - 1, sector]) >= slope:
        bin_ -= 1
    while bin_ < len(slopes) and float(slopes[bin_, sector]) < slope:
        bin_ += 1
    return bin_


@kernel
def _level_end(slopes, sector, bin_):
    """Return how high above the sensor (in blocks) what is in the first bins can be at most, at their end."""
    return (bin_ + 1.0) * float(slopes[bin_, sector]) if bin_ < len(slopes) else 0.0


@kernel
def _look_up_skylines(index, with_crops, fan, count, bin_, crop_bin):
    """Fill from which bins on beams can meet terrain and crops; return the bins where the searches end.

    Args:
        index: Index.
        with_crops: whether there are crops.
        fan: FAN record with directions and sectors.
        count: number of beams.
        bin_, crop_bin: where the searches begin.
    """
    place = 0
    while place < count:
        sector, end, lowest = fan.sector[place], place + 1, fan.slope[place]
        while end < count and fan.sector[end] == sector:
            lowest = min(lowest, fan.slope[end])
            end += 1
        rise, crop_rise = 0.0, 0.0
        found, crop_found = len(index.slopes), len(index.crop_slopes)
        if sector != NO_SECTOR:
            found = bin_ = _bin_of(index.slopes, sector, lowest, bin_)
            rise = _level_end(index.slopes, sector, bin_)
            if with_crops:
                crop_found = crop_bin = _bin_of(index.crop_slopes, sector, lowest, crop_bin)
                crop_rise = _level_end(index.crop_slopes, sector, crop_bin)
        for one in range(place, end):
            fan.bin[one], fan.rise[one], fan.crop_bin[one], fan.crop_rise[one] = found, rise, crop_found, crop_rise
        place = end
    return bin_, crop_bin


@kernel
def _deepest(fan, first, last):
    """Return how far the beams of a run reach at most, as level distance, m."""
    deepest = -INFINITY
    for place in range(first, last):
        deepest = max(deepest, fan.end[place] * fan.level[place])
    return deepest


@kernel
def _try_abreast(kind, solid, shape, item, fan, first, last):
    """Let `ABREAST` beams at most end on a shape, if before where they end as yet; return how many do.

    Args:
        kind: TRIANGLE, CYLINDER or ELLIPSOID.
        solid: whether the shape is.
        shape: Shape.
        item: its place in the arrays.
        fan: FAN record.
        first, last: beams first .. last - 1.
    """
    start, number = max(min(first, TOGETHER - ABREAST), 0), 0
    for lane in range(ABREAST):
        place = start + lane
        enter, leave = shape_interval(
            kind, shape.numbers,
            fan.x[place], fan.y[place], fan.z[place], fan.dx[place], fan.dy[place], fan.dz[place],
        )  # fmt: skip
        if solid:
            t = solid_meets(enter, leave, 0.0)
        else:
            t = leaves_meet(shape, fan.word[place], enter, leave, 0.0)
        most, met, rank = fan.end[place], fan.met[place], fan.rank[place]
        nearer = (t < most) | ((t == most) & ((met < 0) | (shape.number < rank)))
        ends = (place >= first) & (place < last) & (t >= 0.0) & (t < INFINITY) & nearer
        fan.end[place], fan.met[place] = (t if ends else most), (item if ends else met)
        fan.rank[place] = shape.number if ends else rank
        number += 1 if ends else 0
    return number


@kernel
def _try_shape(sight, item, fan, first, last):
    """Let the beams of a run end on a shape, if before where they end as yet; return how many do."""
    scene, number = sight.scene, 0
    shape, kind = read_shape(scene, item, sight.densities), scene.kinds[item]
    solid = shape.density == INFINITY
    for start in range(first, last, ABREAST):
        # Each kind has a loop of its own, without branches. Nothing is within a triangle of leaves.
        if kind == TRIANGLE:
            if solid:
                number += _try_abreast(TRIANGLE, True, shape, item, fan, start, last)
        elif kind == CYLINDER:
            if solid:
                number += _try_abreast(CYLINDER, True, shape, item, fan, start, last)
            else:
                number += _try_abreast(CYLINDER, False, shape, item, fan, start, last)
        elif solid:
            number += _try_abreast(ELLIPSOID, True, shape, item, fan, start, last)
        else:
            number += _try_abreast(ELLIPSOID, False, shape, item, fan, start, last)
    return number


@kernel
def _try_box(boxes, box, item, fan, beam, beams, first, last):
    """Let the beams of a run end on a box, if before where they end as yet; return how many do.

    Args:
        boxes, fan, beam, beams: as `meet_ring`.
        box, item: number of the box, and its place behind the shapes.
        first, last: beams first .. last - 1.
    """
    number = 0
    for place in range(first, last):
        t, face = box_meets(
            boxes, box, beam + place * beams,
            fan.x[place], fan.y[place], fan.z[place], fan.dx[place], fan.dy[place], fan.dz[place],
        )  # fmt: skip
        most = fan.end[place]
        if 0.0 <= t <= most and t < INFINITY and (t < most or fan.met[place] < 0 or item < fan.rank[place]):
            fan.end[place], fan.met[place], fan.rank[place], fan.face[place] = t, item, item, face
            number += 1
    return number


@kernel
def _meet_shapes(sight, boxes, lists, fan, beam, beams, first, last):
    """Find where the beams of a run end on the shapes and boxes of their sector, if before where they end as yet.

    A run are beams that lie side by side in one sector.

    Args:
        sight, boxes, fan, beam, beams: as `meet_ring`.
        lists: Lists.
        first, last: beams first .. last - 1.
    """
    sector, lowest, highest, shapes = fan.sector[first], INFINITY, -INFINITY, len(sight.scene.kinds)
    for place in range(first, last):
        lowest, highest = min(lowest, fan.slope[place]), max(highest, fan.slope[place])
    deepest = _deepest(fan, first, last)
    for entry_ in range(lists.starts[sector], lists.starts[sector + 1]):
        near, low, high = lists.reach[entry_, 0], lists.reach[entry_, 1], lists.reach[entry_, 2]
        if near > deepest:
            break
        if (low > highest) | (high < lowest):
            continue
        item = lists.items[entry_]
        if item < shapes:
            number = _try_shape(sight, item, fan, first, last)
        else:
            number = _try_box(boxes, item - shapes, item, fan, beam, beams, first, last)
        if number > 0:
            deepest = _deepest(fan, first, last)


@kernel
def _meet_crops(sight, crushed, index, fan, count):
    """Let beams of a fan end in the crops, if that is before where they end as yet; arguments as `meet_ring`."""
    bins, number = float(len(index.crop_slopes)), 0
    for place in range(count):
        low = least(
            fan.crop_bin[place], bins, fan.crop_rise[place], fan.slope[place], fan.per_slope[place],
            fan.per_level[place], index.crop_block,
        )  # fmt: skip
        fan.low[place] = low if low < fan.end[place] else INFINITY
        number += 1 if low < fan.end[place] else 0
    if number == 0:
        return
    for row in range(len(index.clearings)):
        clearing = plain_clearing(index.clearings[row])
        for place in range(count):
            end = clearing_end(clearing, fan.x[place], fan.y[place], fan.dx[place], fan.dy[place])
            fan.low[place] = max(fan.low[place], end)
    for place in range(count):
        fan.depth[place] = crop_depth(fan.word[place])
    for place in range(count):
        if fan.low[place] < INFINITY:
            _in_crops(sight, crushed, index.crop_top, fan, place, fan.low[place])


@kernel
def _in_crops(sight, crushed, top, fan, place, low):
    """Let a beam end in the crops, from `low` (m) on, if that is before where it ends as yet. `top`: none is higher."""
    met = crop_beam(
        sight.crops, crushed, sight.densities[sight.crop_material], top, fan.depth[place],
        fan.x[place], fan.y[place], fan.z[place], fan.dx[place], fan.dy[place], fan.dz[place], low, fan.end[place],
    )  # fmt: skip
    if met < INFINITY:
        fan.end[place], fan.met[place] = met, IN_CROPS


@kernel
def _meet_alone(sight, crushed, boxes, room, beam, place):
    """Find what one beam meets first, with the trees; arguments as `meet_ring`, `beam` the number of this one."""
    fan = room.fans[0]
    most = fan.end[place]
    if most < 0.0:
        return
    x, y, z, dx, dy, dz = fan.x[place], fan.y[place], fan.z[place], fan.dx[place], fan.dy[place], fan.dz[place]
    far, east, north = terrain_ray(sight.field, x, y, z, dx, dy, dz, most)
    if far < INFINITY:
        fan.end[place], fan.east[place], fan.north[place], fan.met[place] = far, east, north, TERRAIN
    t, item, face = _any_shape(sight, boxes, room.scratch, fan.word[place], beam, x, y, z, dx, dy, dz, min(far, most))
    if item >= 0:
        fan.end[place], fan.met[place], fan.face[place] = t, item, face
    if len(sight.crops.tops) > 0:
        fan.depth[place] = crop_depth(fan.word[place])
        _in_crops(sight, crushed, INFINITY, fan, place, 0.0)


@kernel
def meet_ring(sight, crushed, boxes, index, room, beam, beams, count, bin_, crop_bin):
    """Find what the beams of a fan meet first.

    Args:
        sight: Sight.
        crushed: mask of each crop patch; empty: nothing is crushed.
        boxes: Boxes in the world.
        index: Index.
        room: Room; `end` of its fan says how far each beam is looked at, and gets the result.
        beam, beams: number of the first beam, and by how much it grows from one to the next.
        count: number of beams.
        bin_, crop_bin: where the searches in the skylines begin.

    Returns the bins where these searches end.
    """
    fan, with_crops = room.fans[0], len(sight.crops.tops) > 0
    if index.use == 1:
        bin_, crop_bin = _look_up_skylines(index, with_crops, fan, count, bin_, crop_bin)
        meet_ground(sight.field, index.block, len(index.slopes), fan, count)
    if len(index.lists.items) > 0:
        place = 0
        while place < count:
            end, sector = place + 1, fan.sector[place]
            while end < count and fan.sector[end] == sector:
                end += 1
            if sector != NO_SECTOR and index.lists.starts[sector] < index.lists.starts[sector + 1]:
                _meet_shapes(sight, boxes, index.lists, fan, beam, beams, place, end)
            place = end
    if index.use == 1 and with_crops:
        _meet_crops(sight, crushed, index, fan, count)
    for place in range(count):
        if fan.sector[place] == NO_SECTOR:
            _meet_alone(sight, crushed, boxes, room, beam + place * beams, place)
    return bin_, crop_bin
