"""How bright a beam of a LiDAR finds what it meets: the material, and the cosine of the incidence."""

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.lidar_box import face_cosine
from acres_ros.models.lidar_fan import IN_CROPS, NOWHERE, TERRAIN
from acres_ros.models.maths import INFINITY, clamp, log, sqrt
from acres_ros.models.scene_shape import shape_normal
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
def _look_at_ground(sight, fan, count):
    """Fill what beams that end on terrain would see: the cosine of the incidence, and the cell of the surface class."""
    rows, columns = sight.classes.shape
    last_column, last_row = columns - 1.0, rows - 1.0
    for place in range(count):
        east, north, dx, dy, t = fan.east[place], fan.north[place], fan.dx[place], fan.dy[place], fan.end[place]
        rise = abs(fan.dz[place] - east * dx - north * dy)
        fan.incidence[place] = rise / sqrt(1.0 + east * east + north * north)
        column, row = (
            (fan.x[place] + t * dx - sight.west) * sight.per_class,
            (fan.y[place] + t * dy - sight.south) * sight.per_class,
        )
        fan.class_column[place] = np.int32(clamp(column, 0.0, last_column))
        fan.class_row[place] = np.int32(clamp(row, 0.0, last_row))


@kernel
def _in_the_light(sight, boxes, box_material, optics, fan, place):
    """Return the material where a beam ends that meets something, and the cosine of the incidence."""
    scene, item = sight.scene, fan.met[place]
    if item == TERRAIN:
        surface = sight.classes[fan.class_row[place], fan.class_column[place]]
        return int(sight.ground_materials[surface]), fan.incidence[place]
    if item == IN_CROPS:
        return sight.crop_material, optics.leaf_cosine
    dx, dy, dz = fan.dx[place], fan.dy[place], fan.dz[place]
    if item >= len(scene.kinds):
        return box_material, face_cosine(boxes, fan.face[place], dx, dy, dz)
    material = int(scene.materials[item])
    if sight.densities[material] < INFINITY:
        return material, optics.leaf_cosine
    nx, ny, nz = shape_normal(scene, item, fan.x[place], fan.y[place], fan.z[place], dx, dy, dz, fan.end[place])
    return material, abs(nx * dx + ny * dy + nz * dz)


@kernel
def light_ring(sight, boxes, box_material, optics, body, fan, beam, beams, count):
    """Fill the materials where the beams end, and the reflectivity times the cosine of the incidence there.

    Args:
        sight, boxes, fan, beam, beams, count: as `acres_ros.models.lidar_hits.meet_ring`.
        box_material: material of boxes and body.
        optics: Optics.
        body: (beams, 2): where each beam meets the own body, and the cosine of the incidence.

    Beams that meet nothing end at infinity then; those that are not looked at end on the body if the body gives an
    echo, which is drawn.
    """
    _look_at_ground(sight, fan, count)
    for place in range(count):
        material, bright, end = NOTHING, 0.0, INFINITY
        if fan.end[place] < 0.0:
            blocked = body[beam + place * beams, 0]
            if hash_uniform(numbered_hash(fan.word[place], BODY_DRAW)) < optics.body_share:
                end, cosine = blocked, body[beam + place * beams, 1]
                material, bright = box_material, sight.reflectivities[box_material] * cosine
        else:
            if fan.met[place] != NOWHERE:
                material, cosine = _in_the_light(sight, boxes, box_material, optics, fan, place)
                end, bright = fan.end[place], sight.reflectivities[material] * cosine
            blocked = end
        fan.end[place], fan.bright[place], fan.blocked[place], fan.material[place] = end, bright, blocked, material
