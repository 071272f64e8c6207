"""What the beams of a LiDAR meet first.

A beam meets terrain, the shapes of the scene, boxes of other vehicles, crops, or the vehicle's own body. Two ways find
the hit: the index of the scan (`lidar_index`), for patterns of many beams, and the trees of terrain and scene, for few.
They give the same hits.

Beams of one ring are looked at many at once. Those that lie side by side in one sector are a run: what tells where they
can first meet anything is looked up once for all of them, and each shape of the sector is tried on all of them.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import kernel, outlined
from acres_ros.models.lidar_beams import AIM, STAND
from acres_ros.models.lidar_box import box_meets
from acres_ros.models.lidar_crops import Crops, crop_beam
from acres_ros.models.lidar_index import Lists, sector_at
from acres_ros.models.maths import INFINITY
from acres_ros.models.ruts import floor
from acres_ros.models.scene_ray import SceneShapes, light_meets, new_scratch, scene_beam
from acres_ros.models.terrain_ray import HeightField, cross_cell, terrain_ray, walk_terrain

NOWHERE, TERRAIN, IN_CROPS = -3, -2, -1
"""Items that are no shape: the beam meets nothing, the terrain, the crops."""
TOGETHER = 128
"""Columns that are scanned ring by ring: what one beam meets, its neighbour meets too, most often."""
NEAR_CELLS = 4
"""Cells of terrain that are looked at one by one."""
UPRIGHT = 1e-6
"""A beam whose level part is shorter takes the trees."""
NO_SECTOR = -1


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
        lists: shapes and boxes by sector.
    """

    use: int
    block: float
    slopes: np.ndarray
    crop_block: float
    crop_slopes: np.ndarray
    lists: Lists


class Room(NamedTuple):
    """What a scan needs while it goes on, for the beams of one ring in `TOGETHER` columns.

    Attributes:
        stands, aims: where they start and go (`lidar_beams`).
        sectors: i4: sector of each, NO_SECTOR: it takes the trees.
        hits: (5, columns): where each ends (the end of its range for one that meets nothing; negative for one that is
            not looked at), m; rise east and north of the terrain there; reflectivity times cosine of the incidence;
            where the light ends, m (before the end on a body that gives no echo).
        items: i4 (2, columns): what it meets, NOWHERE, TERRAIN, IN_CROPS, or place of the shape in the arrays, boxes
            coming after all shapes; the face of a box.
        words: u8: hash of each.
        lights: (8, columns): cosine of the incidence on terrain; two normal deviates; the distance and the intensity
            that are reported, and x, y, z of the point.
        spots: i4 (3, columns): column and row of the surface class; the material.
        scratch: of the tree of the scene.
    """

    stands: np.ndarray
    aims: np.ndarray
    sectors: np.ndarray
    hits: np.ndarray
    items: np.ndarray
    words: np.ndarray
    lights: np.ndarray
    spots: np.ndarray
    scratch: np.ndarray


def new_room():
    """Return the room that a scan needs while it goes on; one for each thread."""
    return Room(
        np.empty((STAND, TOGETHER)),
        np.empty((AIM, TOGETHER)),
        np.empty(TOGETHER, np.int32),
        np.empty((5, TOGETHER)),
        np.empty((2, TOGETHER), np.int32),
        np.empty(TOGETHER, np.uint64),
        np.empty((8, TOGETHER)),
        np.empty((3, TOGETHER), np.int32),
        new_scratch(),
    )


@kernel
def _in_shape(sight, boxes, key, beam, item, x, y, z, dx, dy, dz):
    """Return where a beam meets a shape, or a box behind the shapes, and the axis of the box's face."""
    count = len(sight.scene.kinds)
    if item >= count:
        return box_meets(boxes, item - count, beam, x, y, z, dx, dy, dz)
    return light_meets(sight.scene, item, sight.densities, key, beam, x, y, z, dx, dy, dz, 0.0), 0


@kernel
def _number(scene, item):
    """Return the number by which the first of two shapes in one place is known."""
    return int(scene.numbers[item]) if item < len(scene.numbers) else item


@kernel
def _any_shape(sight, boxes, scratch, key, beam, x, y, z, dx, dy, dz, most):
    """Return what `_listed_shape` does, from the tree of the scene and from all boxes."""
    best, best_axis = most, 0
    t, best_item = scene_beam(sight.scene, scratch, sight.densities, key, beam, x, y, z, dx, dy, dz, 0.0, most)
    best = t if best_item >= 0 else best
    for box in range(boxes.number):
        t, axis = box_meets(boxes, box, beam, x, y, z, dx, dy, dz)
        if 0.0 <= t <= best and t < INFINITY and (t < best or best_item < 0):
            best, best_item, best_axis = t, len(sight.scene.kinds) + box, axis
    return best, best_item, best_axis


@kernel
def _terrain_beyond(field, low, u, v, z, du, dv, dz, per_u, per_v, most):
    """Return the first hit of a beam that is above the terrain up to `low`; as `terrain_ray`.

    It is near, so the walk goes cell by cell, and in the steps of `walk_terrain` only if it is not.

    Args:
        field: HeightField.
        low: as it says.
        u, v, z: origin, in cells and m.
        du, dv, dz: direction, in the same units.
        per_u, per_v: one over du and dv.
        most: farthest hit.
    """
    heights = field.heights
    rows, columns = heights.shape
    column, row = floor(u + du * low), floor(v + dv * low)
    ahead_u, ahead_v = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    for _ in range(NEAR_CELLS):
        if column < 0 or column > columns - 2 or row < 0 or row > rows - 2:
            return INFINITY, 0.0, 0.0
        end_u = (column + ahead_u - u) * per_u if du != 0.0 else INFINITY
        end_v = (row + ahead_v - v) * per_v if dv != 0.0 else INFINITY
        end = max(min(min(end_u, end_v), most), low)
        south = max(heights[row, column], heights[row, column + 1])
        north = max(heights[row + 1, column], heights[row + 1, column + 1])
        if min(z + dz * low, z + dz * end) <= max(south, north):
            t, east, north = cross_cell(heights, column, row, u, v, z, du, dv, dz, 1.0, low, end)
            if t < INFINITY:
                return t, east / field.cell, north / field.cell
        if end >= most:
            return INFINITY, 0.0, 0.0
        low = end
        if end_u < end_v:
            column += 2 * ahead_u - 1
        else:
            row += 2 * ahead_v - 1
    return _terrain_far(field, u, v, z, du, dv, dz, low, most)


@outlined
def _terrain_far(field, u, v, z, du, dv, dz, low, most):
    """Return the first hit of a beam that is above the terrain up to `low`, as `walk_terrain`."""
    return walk_terrain(field, u, v, z, du, dv, dz, 1.0, low, most, 1)


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
def _least(bin_, bins, height, slope, per_slope, per_level, block):
    """Return where a beam can first meet anything, m; infinity if nowhere.

    Args:
        bin_, bins: first bin in whose slope a beam of the run is, and how many there are.
        height: from `_level_end`.
        slope, per_slope: rise over level distance, not below that of the beam of `bin_`; one over it.
        per_level: one over the level part of its direction.
        block: size of a bin, m.
    """
    if bin_ == bins:
        return INFINITY
    # Nothing in this bin is above its slope at its far end: how far until the beam is as low?
    reached = min(max(float(bin_), height * per_slope), bin_ + 1.0) if slope < 0.0 else float(bin_)
    return reached * block * per_level


@kernel
def _meet_terrain(sight, index, room, sector, first, last, lowest, bin_):
    """Find where the beams of a run end on the terrain; return the bin where their search in the skyline ends.

    Args:
        sight, index, room: as `meet_run`.
        sector: of the run.
        first, last: beams first .. last - 1.
        lowest: least slope of them.
        bin_: where the search begins.
    """
    stands, aims, hits, items = room.stands, room.aims, room.hits, room.items
    slopes, field = index.slopes, sight.field
    bin_ = _bin_of(slopes, sector, lowest, bin_)
    height = _level_end(slopes, sector, bin_)
    for place in range(first, last):
        most = hits[0, place]
        items[0, place] = NOWHERE
        if most < 0.0:
            continue
        z, dz = stands[2, place], aims[2, place]
        if stands[12, place] > 0.0:
            low = _least(bin_, len(slopes), height, aims[5, place], aims[6, place], aims[4, place], index.block)
            if not low <= most:
                continue
            far, east, north = _terrain_beyond(
                field, low, stands[13, place], stands[14, place], z, aims[8, place], aims[9, place], dz,
                aims[10, place], aims[11, place], most,
            )  # fmt: skip
        else:
            far, east, north = terrain_ray(
                field, stands[0, place], stands[1, place], z, aims[0, place], aims[1, place], dz, most
            )
        if far < INFINITY:
            hits[0, place], hits[1, place], hits[2, place], items[0, place] = far, east, north, TERRAIN
    return bin_


@kernel
def _deepest(room, first, last):
    """Return how far the beams of a run reach at most, as level distance, m."""
    deepest = -INFINITY
    for place in range(first, last):
        deepest = max(deepest, room.hits[0, place] * room.aims[3, place])
    return deepest


@kernel
def _meet_shapes(sight, boxes, lists, room, key, beam, beams, sector, first, last, lowest, highest):
    """Find where the beams of a run end on the shapes and boxes of their sector, if before where they end as yet.

    Args:
        sight, boxes, room, key, beam, beams: as `meet_run`.
        lists: Lists.
        sector: of the run.
        first, last: beams first .. last - 1.
        lowest, highest: least and greatest slope of them.
    """
    stands, aims, hits, items = room.stands, room.aims, room.hits, room.items
    deepest = _deepest(room, first, last)
    for entry_ in range(lists.starts[sector], lists.starts[sector + 1]):
        near, low, high = lists.reach[entry_, 0], lists.reach[entry_, 1], lists.reach[entry_, 2]
        if near > deepest:
            break
        if low > highest or high < lowest:
            continue
        item, met = lists.items[entry_], False
        for place in range(first, last):
            most = hits[0, place]
            if near > most * aims[3, place] or not low <= aims[5, place] <= high:
                continue
            t, axis = _in_shape(
                sight, boxes, key, beam + place * beams, item,
                stands[0, place], stands[1, place], stands[2, place],
                aims[0, place], aims[1, place], aims[2, place],
            )  # fmt: skip
            if 0.0 <= t <= most and t < INFINITY:
                other = int(items[0, place])
                if t < most or other < 0 or _number(sight.scene, item) < _number(sight.scene, other):
                    hits[0, place], items[0, place], items[1, place] = t, item, axis
                    met = True
        if met:
            deepest = _deepest(room, first, last)


@kernel
def _in_crops(sight, crushed, room, key, beam, place, least):
    """Let a beam end in the crops, from `least` (m) on, if that is before where it ends as yet."""
    stands, aims, hits = room.stands, room.aims, room.hits
    met = crop_beam(
        sight.crops, crushed, sight.densities[sight.crop_material], key, beam,
        stands[0, place], stands[1, place], stands[2, place],
        aims[0, place], aims[1, place], aims[2, place], least, hits[0, place],
    )  # fmt: skip
    if met < INFINITY:
        hits[0, place], room.items[0, place] = met, IN_CROPS


@kernel
def meet_run(sight, crushed, boxes, index, room, key, beam, beams, first, last, bin_, crop_bin):
    """Find what the beams of a run meet first: beams of one ring that lie side by side in one sector.

    Args:
        sight: Sight.
        crushed: mask of each crop patch; empty: nothing is crushed.
        boxes: Boxes in the world.
        index: Index.
        room: Room; `hits` has how far each beam is looked at, and gets the results.
        key: of the scan.
        beam, beams: number of the beam at place 0, and by how much it grows from place to place.
        first, last: beams first .. last - 1.
        bin_, crop_bin: where the searches in the skylines begin.

    Returns the bins where these searches end.
    """
    aims, sector = room.aims, room.sectors[first]
    lowest, highest = INFINITY, -INFINITY
    for place in range(first, last):
        lowest, highest = min(lowest, aims[5, place]), max(highest, aims[5, place])
    bin_ = _meet_terrain(sight, index, room, sector, first, last, lowest, bin_)
    _meet_shapes(sight, boxes, index.lists, room, key, beam, beams, sector, first, last, lowest, highest)
    if len(sight.crops.tops) > 0:
        slopes = index.crop_slopes
        crop_bin = _bin_of(slopes, sector, lowest, crop_bin)
        height = _level_end(slopes, sector, crop_bin)
        for place in range(first, last):
            least = _least(
                crop_bin, len(slopes), height, aims[5, place], aims[6, place], aims[4, place], index.crop_block
            )
            if least < room.hits[0, place]:
                _in_crops(sight, crushed, room, key, beam + place * beams, place, least)
    return bin_, crop_bin


@kernel
def meet_alone(sight, crushed, boxes, room, key, beam, place):
    """Find what one beam meets first, with the trees; arguments as `meet_run`, `beam` the number of this one."""
    stands, aims, hits, items = room.stands, room.aims, room.hits, room.items
    items[0, place] = NOWHERE
    most = hits[0, place]
    if most < 0.0:
        return
    x, y, z, dx, dy, dz = (
        stands[0, place], stands[1, place], stands[2, place], aims[0, place], aims[1, place], aims[2, place]
    )  # fmt: skip
    far, east, north = terrain_ray(sight.field, x, y, z, dx, dy, dz, most)
    if far < INFINITY:
        hits[0, place], hits[1, place], hits[2, place], items[0, place] = far, east, north, TERRAIN
    t, item, axis = _any_shape(sight, boxes, room.scratch, key, beam, x, y, z, dx, dy, dz, min(far, most))
    if item >= 0:
        hits[0, place], items[0, place], items[1, place] = t, item, axis
    if len(sight.crops.tops) > 0:
        _in_crops(sight, crushed, room, key, beam, place, 0.0)


@kernel
def fill_sectors(use, room, count):
    """Fill the sectors of the beams. `use`: as in `Index`."""
    sectors, level, turn = room.sectors, room.aims[3], room.aims[7]
    for place in range(count):
        listed = use == 1 and level[place] > UPRIGHT
        sectors[place] = sector_at(turn[place]) if listed else NO_SECTOR
