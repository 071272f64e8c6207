"""How bright a beam of a LiDAR finds what it meets: the material, and the cosine of the incidence."""

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.lidar_box import face_cosine
from acres_ros.models.lidar_hits import IN_CROPS, NOWHERE, TERRAIN
from acres_ros.models.maths import INFINITY, clamp, log, sqrt
from acres_ros.models.scene_ray import shape_normal
from acres_ros.models.streams import BODY_DRAW, hash_uniform, numbered_hash

NOTHING = 255
"""Material code of a beam without an echo."""


@entry
def fill_densities(through, densities):
    """Fill the hits per metre in materials that let a part of the light through a metre: Beer and Lambert.

    Args:
        through: the parts (n,), 0 to 1.
        densities: result (n,), 1/m.
    """
    for material in range(len(through)):
        densities[material] = -log(max(through[material], 1e-300))


@kernel
def _look_at_ground(sight, room, count):
    """Fill what beams that end on terrain would see: the cosine of the incidence, and the cell of the surface class."""
    stands, aims, hits, cosines, spots = room.stands, room.aims, room.hits, room.lights[0], room.spots
    rows, columns = sight.classes.shape
    last_column, last_row = columns - 1.0, rows - 1.0
    x, y, dx, dy, dz, ends, easts, norths = (
        stands[0], stands[1], aims[0], aims[1], aims[2], hits[0], hits[1], hits[2]
    )  # fmt: skip
    for place in range(count):
        east, north = easts[place], norths[place]
        rise = abs(dz[place] - east * dx[place] - north * dy[place])
        cosines[place] = rise / sqrt(1.0 + east * east + north * north)
    at_columns, at_rows = spots[0], spots[1]
    for place in range(count):
        t = ends[place]
        at_columns[place] = np.int32(clamp((x[place] + t * dx[place] - sight.west) * sight.per_class, 0.0, last_column))
        at_rows[place] = np.int32(clamp((y[place] + t * dy[place] - sight.south) * sight.per_class, 0.0, last_row))


@kernel
def _in_the_light(sight, boxes, box_material, optics, room, place):
    """Return the material where a beam ends that meets something, and the cosine of the incidence."""
    scene, item = sight.scene, int(room.items[0, place])
    if item == TERRAIN:
        surface = sight.classes[room.spots[1, place], room.spots[0, place]]
        return int(sight.ground_materials[surface]), room.lights[0, place]
    if item == IN_CROPS:
        return sight.crop_material, optics.leaf_cosine
    dx, dy, dz = room.aims[0, place], room.aims[1, place], room.aims[2, place]
    if item >= len(scene.kinds):
        return box_material, face_cosine(boxes, int(room.items[1, place]), dx, dy, dz)
    material = int(scene.materials[item])
    if sight.densities[material] < INFINITY:
        return material, optics.leaf_cosine
    x, y, z = room.stands[0, place], room.stands[1, place], room.stands[2, place]
    nx, ny, nz = shape_normal(scene, item, x, y, z, dx, dy, dz, room.hits[0, place])
    return material, abs(nx * dx + ny * dy + nz * dz)


@kernel
def light_ring(sight, boxes, box_material, optics, body, room, beam, beams, count):
    """Fill the materials where the beams end, and the reflectivity times the cosine of the incidence there.

    Args:
        sight, boxes, room, beam, beams, count: as `acres_ros.models.lidar_hits.meet_run`.
        box_material: material of boxes and body.
        optics: OPTICS record.
        body: (beams, 2): where each beam meets the own body, and the cosine of the incidence.

    Beams that meet nothing end at infinity then; those that are not looked at end on the body if the body gives an
    echo, which is drawn.
    """
    hits, words = room.hits, room.words
    _look_at_ground(sight, room, count)
    for place in range(count):
        material, bright, end = NOTHING, 0.0, INFINITY
        if hits[0, place] < 0.0:
            blocked = body[beam + place * beams, 0]
            if hash_uniform(numbered_hash(words[place], BODY_DRAW)) < optics.body_share:
                end, cosine = blocked, body[beam + place * beams, 1]
                material, bright = box_material, sight.reflectivities[box_material] * cosine
        else:
            if room.items[0, place] != NOWHERE:
                material, cosine = _in_the_light(sight, boxes, box_material, optics, room, place)
                end, bright = hits[0, place], sight.reflectivities[material] * cosine
            blocked = end
        hits[0, place], hits[3, place], hits[4, place], room.spots[2, place] = end, bright, blocked, material
