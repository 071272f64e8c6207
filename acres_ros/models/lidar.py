"""One scan of a LiDAR: what each beam meets first, and what the sensor makes of it.

A beam meets terrain, the shapes of the scene, boxes of other vehicles, or the vehicle's own body. Two ways find the
hit: the index of the scan (`lidar_index`), for patterns of many beams, and the trees of terrain and scene, for few.
They give the same hits. Everything random is a hash of the beam, so no result depends on the way or on the threads.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros.models.lidar_beams import AIM, STAND, aim_ring, local_point, stand_columns
from acres_ros.models.lidar_box import box_meets, face_cosine
from acres_ros.models.lidar_crops import Crops, crop_beam
from acres_ros.models.lidar_index import Lists, sector_at
from acres_ros.models.lidar_signal import echo
from acres_ros.models.lidar_weather import echo_in_air
from acres_ros.models.maths import INFINITY, NAN, clamp, sqrt
from acres_ros.models.ruts import floor
from acres_ros.models.scene_ray import SceneShapes, light_meets, new_scratch, scene_beam, shape_normal
from acres_ros.models.streams import BODY_DRAW, hash_uniform, numbered_hash
from acres_ros.models.terrain_ray import HeightField, cross_cell, terrain_ray, walk_terrain

NOTHING = 255
"""Material code of a beam without an echo."""
TERRAIN = -1
TOGETHER = 128
"""Columns that are scanned ring by ring: what one beam meets, its neighbour meets too, most often."""
NEAR_CELLS = 4
"""Cells of terrain that are looked at one by one."""
SHORT = 1.0 - 1e-9
"""Rounding must not make a beam start behind what it hits."""
UPRIGHT = 1e-6
"""A beam whose level part is shorter takes the trees."""


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


class Echoes(NamedTuple):
    """The result of a scan, by beam number.

    Attributes:
        ranges: f4 (n,), m; infinity for no echo.
        points: f4 (n, 4): x, y, z (m) in the frame of the sensor, intensity; NaN and 0 for no echo.
        materials: u1 (n,): material, NOTHING for no echo.
    """

    ranges: np.ndarray
    points: np.ndarray
    materials: np.ndarray


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
def _listed_shape(sight, boxes, lists, key, beam, sector, slope, level, x, y, z, dx, dy, dz, most):
    """Return the first hit of a beam on the shapes and boxes of its sector: t, item (-1), axis of a box's face."""
    best, best_item, best_axis = most, TERRAIN, 0
    limit = best * level
    for place in range(lists.starts[sector], lists.starts[sector + 1]):
        if lists.reach[place, 0] > limit:
            break
        if not lists.reach[place, 1] <= slope <= lists.reach[place, 2]:
            continue
        item = lists.items[place]
        t, axis = _in_shape(sight, boxes, key, beam, item, x, y, z, dx, dy, dz)
        if 0.0 <= t <= best and t < INFINITY:
            if t < best or best_item < 0 or _number(sight.scene, item) < _number(sight.scene, best_item):
                best, best_item, best_axis = t, item, axis
                limit = best * level
    return best, best_item, best_axis


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
def _ground_material(sight, x, y):
    """Return the material of the terrain at a point; that of the border cell beyond the edge."""
    rows, columns = sight.classes.shape
    column = int(clamp((x - sight.west) * sight.per_class, 0.0, columns - 1.0))
    row = int(clamp((y - sight.south) * sight.per_class, 0.0, rows - 1.0))
    return int(sight.ground_materials[sight.classes[row, column]])


@kernel
def _brightness(sight, optics, boxes, box_material, t, item, axis, east, north, x, y, z, dx, dy, dz):
    """Return the material of a hit, and its reflectivity times the cosine of the incidence."""
    scene = sight.scene
    if item == TERRAIN:
        material = _ground_material(sight, x + t * dx, y + t * dy)
        cosine = abs(dz - east * dx - north * dy) / sqrt(1.0 + east * east + north * north)
    elif item >= len(scene.kinds):
        material = box_material
        cosine = face_cosine(boxes, axis, dx, dy, dz)
    else:
        material = int(scene.materials[item])
        if sight.densities[material] < INFINITY:
            cosine = optics.leaf_cosine
        else:
            nx, ny, nz = shape_normal(scene, item, x, y, z, dx, dy, dz, t)
            cosine = abs(nx * dx + ny * dy + nz * dz)
    return material, sight.reflectivities[material] * cosine


def new_room():
    """Return the room that a scan needs while it goes on; one for each thread."""
    return np.empty((STAND, TOGETHER)), np.empty((AIM, TOGETHER)), new_scratch()


@kernel
def _reach(slopes, sector, slope, per_slope, bin_):
    """Return the first bin of a sector in whose slope a beam is, and how many bins it gets before it meets anything.

    Args:
        slopes: a skyline (SECTORS, bins).
        sector: sector of the beam.
        slope, per_slope: its slope, and one over it.
        bin_: where the search begins.

    A beam that meets nothing gets infinitely far.
    """
    bins = slopes.shape[1]
    while bin_ > 0 and slopes[sector, bin_ - 1] >= slope:
        bin_ -= 1
    while bin_ < bins and slopes[sector, bin_] < slope:
        bin_ += 1
    if bin_ == bins:
        return bin_, INFINITY
    reached = float(bin_)
    if slope < 0.0:
        # Nothing in this bin is above its slope at its far end: how far until the beam is as low?
        reached = max(reached, SHORT * (bin_ + 1.0) * slopes[sector, bin_] * per_slope)
    return bin_, reached


@kernel
def _first_hit(
    sight, crushed, boxes, box_material, index, optics, key, beam, stands, aims, place, bin_, crop_bin, scratch
):
    """Return distance (infinity for none), material and brightness of what a beam meets first, and its bins.

    Args:
        sight, crushed, boxes, box_material, index: as `scan_columns`.
        optics: OPTICS record.
        key: of the scan.
        beam: number of the beam.
        stands, aims, place: where it starts and goes.
        bin_, crop_bin: of the beam before, where the searches in the skylines begin.
        scratch: from `new_scratch`.
    """
    most = optics.farthest_m
    x, y, z = stands[0, place], stands[1, place], stands[2, place]
    dx, dy, dz, level, slope = aims[0, place], aims[1, place], aims[2, place], aims[3, place], aims[5, place]
    far, east, north = INFINITY, 0.0, 0.0
    sector, listed = 0, index.use == 1 and level > UPRIGHT
    if listed:
        sector = sector_at(aims[7, place])
        if stands[12, place] > 0.0:
            bin_, reached = _reach(index.slopes, sector, slope, aims[6, place], bin_)
            low = reached * index.block * aims[4, place]
            if low <= most:
                far, east, north = _terrain_beyond(
                    sight.field, low, stands[13, place], stands[14, place], z, aims[8, place], aims[9, place], dz,
                    aims[10, place], aims[11, place], most,
                )  # fmt: skip
        else:
            far, east, north = terrain_ray(sight.field, x, y, z, dx, dy, dz, most)
        t, item, axis = _listed_shape(
            sight, boxes, index.lists, key, beam, sector, slope, level, x, y, z, dx, dy, dz, min(far, most)
        )
    else:
        far, east, north = terrain_ray(sight.field, x, y, z, dx, dy, dz, most)
        t, item, axis = _any_shape(sight, boxes, scratch, key, beam, x, y, z, dx, dy, dz, min(far, most))
    least = 0.0
    if len(sight.crops.tops) > 0 and listed:
        crop_bin, reached = _reach(index.crop_slopes, sector, slope, aims[6, place], crop_bin)
        least = reached * index.crop_block * aims[4, place]
    if len(sight.crops.tops) > 0 and least < t:
        density = sight.densities[sight.crop_material]
        met = crop_beam(sight.crops, crushed, density, key, beam, x, y, z, dx, dy, dz, least, t)
        if met < INFINITY:
            bright = sight.reflectivities[sight.crop_material] * optics.leaf_cosine
            return met, sight.crop_material, bright, bin_, crop_bin
    if item < 0 and far == INFINITY:
        return INFINITY, NOTHING, 0.0, bin_, crop_bin
    material, bright = _brightness(sight, optics, boxes, box_material, t, item, axis, east, north, x, y, z, dx, dy, dz)
    return t, material, bright, bin_, crop_bin


@entry
def scan_columns(
    sight,
    crushed,
    beams,
    views,
    boxes,
    index,
    body,
    box_material,
    optics,
    by,
    air,
    key,
    noisy,
    first,
    last,
    room,
    echoes,
):
    """Scan some columns and return the number of echoes.

    Args:
        sight: Sight.
        crushed: mask of each crop patch; empty: nothing is crushed.
        beams: Beams.
        views: (columns, VIEW).
        boxes: Boxes in the world.
        index: Index for the places of these columns.
        body: (beams, 2), where each beam meets the own body; (0, 2): the body is not there.
        box_material: material of boxes and body.
        optics: one OPTICS record in an array.
        by: one AIR record in an array.
        air: Air.
        key: of the scan, from `scan_key`.
        noisy: whether there is noise.
        first, last: columns first .. last - 1.
        room: from `new_room`.
        echoes: Echoes, results.
    """
    stands, aims, scratch = room
    with_ = optics[0]
    rings = len(beams.rings)
    bin_, crop_bin, count = 0, 0, 0
    for start in range(first, last, TOGETHER):
        columns = min(TOGETHER, last - start)
        stand_columns(beams, views, sight.field, start, start + columns, stands)
        for ring in range(rings):
            aim_ring(beams, ring, stands, columns, sight.field.cell, aims)
            for place in range(columns):
                beam = (start + place) * rings + ring
                if len(body) > 0 and body[beam, 0] < INFINITY:
                    t, material, bright = INFINITY, NOTHING, 0.0
                    if hash_uniform(numbered_hash(numbered_hash(key, beam), BODY_DRAW)) < with_.body_share:
                        t, material = body[beam, 0], box_material
                        bright = sight.reflectivities[material] * body[beam, 1]
                else:
                    t, material, bright, bin_, crop_bin = _first_hit(
                        sight,
                        crushed,
                        boxes,
                        box_material,
                        index,
                        with_,
                        key,
                        beam,
                        stands,
                        aims,
                        place,
                        bin_,
                        crop_bin,
                        scratch,
                    )
                if air.use == 1:
                    end = body[beam, 0] if len(body) > 0 and body[beam, 0] < INFINITY else t
                    distance, intensity, material = echo_in_air(
                        with_, by[0], air, noisy, key, beam, t, end, material, bright
                    )
                else:
                    distance, intensity = echo(with_, noisy, key, beam, t, bright, 0.0)
                points = echoes.points
                if distance > 0.0:
                    count += 1
                    echoes.ranges[beam], echoes.materials[beam] = distance, material
                    x, y, z = local_point(beams, start + place, ring, distance)
                    points[beam, 0], points[beam, 1], points[beam, 2], points[beam, 3] = x, y, z, intensity
                else:
                    echoes.ranges[beam], echoes.materials[beam] = INFINITY, NOTHING
                    points[beam, 0], points[beam, 1], points[beam, 2], points[beam, 3] = NAN, NAN, NAN, 0.0
    return count
