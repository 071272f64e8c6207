"""Rays on the shapes of a scene: triangles, upright cylinders with flat ends, and ellipsoids.

A ray meets a shape where it first crosses its surface, inwards or outwards: one that starts in a solid meets the inside
of it. Of two shapes at the same distance the one with the lower number counts, whatever the tree looks like.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import array_entry, entry, kernel, outlined
from acres_ros.models.maths import INFINITY
from acres_ros.models.scene_bvh import LEAF_BITS, STACK, WIDE, build_tree
from acres_ros.models.scene_shape import (
    CYLINDER,
    ELLIPSOID,
    TRIANGLE,
    leaves_meet,
    read_shape,
    shape_interval,
    shape_normal,
    shape_numbers,
    solid_meets,
)

SHAPE_WIDTH = 9
FLAT = 1e-12
"""A triangle whose area is a smaller share of its edges' squares is a line, and no ray meets it."""
STEEP = 1e250
"""One over a component of a direction, where that is 0."""
SOLID = np.zeros(0)
"""Densities of a scene in which every material is solid."""

_NO_WORD = np.uint64(0)


class SceneShapes(NamedTuple):
    """The shapes of a scene as the kernels take them, in the order of the leaves of their tree.

    Attributes:
        shapes: (n, 9), m. A triangle: a corner, and the two edges from it. A cylinder: x, y, z of its lower end,
            radius, height. An ellipsoid: x, y, z of its centre, its half axes along x, y, z, and one over them.
        kinds: u1 (n,): TRIANGLE, CYLINDER or ELLIPSOID.
        materials: i4 (n,): number of the material.
        numbers: i4 (n,): number of the shape in its file: triangles first, then cylinders, then ellipsoids.
        boxes: f4 (nodes, 6, 4), the tree (`build_tree`).
        links: i4 (nodes, 4), the tree.
    """

    shapes: np.ndarray
    kinds: np.ndarray
    materials: np.ndarray
    numbers: np.ndarray
    boxes: np.ndarray
    links: np.ndarray


def scene_shapes(triangles, cylinders, ellipsoids, materials):
    """Return the shapes of a scene with their tree.

    Args:
        triangles: (n, 9): x, y, z of the three corners, m.
        cylinders: (n, 5): x, y, z of the lower end, radius, height, m.
        ellipsoids: (n, 6): x, y, z of the centre, half axes along x, y, z, m.
        materials: number of the material of each triangle, cylinder and ellipsoid, in this order.
    """
    corners = triangles.reshape(-1, 3, 3)
    reach = np.stack([cylinders[:, 3], cylinders[:, 3], np.zeros(len(cylinders))], axis=1)
    ends = np.stack([cylinders[:, :3], cylinders[:, :3]])
    ends[1, :, 2] += cylinders[:, 4]
    centres, axes = ellipsoids[:, :3], ellipsoids[:, 3:]
    low = np.concatenate([corners.min(axis=1, initial=np.inf), ends[0] - reach, centres - axes])
    high = np.concatenate([corners.max(axis=1, initial=-np.inf), ends[1] + reach, centres + axes])
    boxes, links, order = build_tree(low, high)
    table = np.zeros((len(low), SHAPE_WIDTH))
    first, second = len(triangles), len(triangles) + len(cylinders)
    table[:first, :3] = corners[:, 0]
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    size = np.abs(one).max(axis=1) + np.abs(other).max(axis=1)
    some = (np.abs(np.cross(one, other)).max(axis=1) > FLAT * size * size)[:, None]
    table[:first, 3:6], table[:first, 6:] = np.where(some, one, 0.0), np.where(some, other, 0.0)
    table[first:second, :5] = cylinders
    table[second:, :6], table[second:, 6:] = ellipsoids, 1.0 / axes
    kinds = np.repeat(np.array([TRIANGLE, CYLINDER, ELLIPSOID], np.uint8), [first, len(cylinders), len(ellipsoids)])
    materials = np.asarray(materials, np.int32)
    return SceneShapes(table[order], kinds[order], materials[order], order, boxes, links)


def new_scratch():
    """Return the room that a ray needs while it looks for its hit; one for each thread."""
    return np.empty((3, STACK + 1))


@kernel
def _per(component):
    """Return one over a component of a direction, a large number for 0."""
    return 1.0 / component if abs(component) > 1.0 / STEEP else STEEP


@kernel
def _reach_children(boxes, node, x, y, z, per_x, per_y, per_z, least, most, reach):
    """Fill for the four children of a node where the ray comes into their boxes; infinity if not within least..most."""
    west, south, low = (0 if per_x > 0.0 else 3), (1 if per_y > 0.0 else 4), (2 if per_z > 0.0 else 5)
    east, north, high = 3 - west, 5 - south, 7 - low
    for child in range(WIDE):
        enter_x = (float(boxes[node, west, child]) - x) * per_x
        enter_y = (float(boxes[node, south, child]) - y) * per_y
        enter_z = (float(boxes[node, low, child]) - z) * per_z
        leave_x = (float(boxes[node, east, child]) - x) * per_x
        leave_y = (float(boxes[node, north, child]) - y) * per_y
        leave_z = (float(boxes[node, high, child]) - z) * per_z
        enter = max(max(enter_x, enter_y), max(enter_z, least))
        leave = min(min(leave_x, leave_y), min(leave_z, most))
        reach[child] = enter if enter <= leave else INFINITY


@kernel
def _is_ray(x, y, z, dx, dy, dz, least, most):
    """Return whether the numbers are those of a ray."""
    size = abs(dx) + abs(dy) + abs(dz)
    return abs(x) + abs(y) + abs(z) + size < INFINITY and size > 0.0 and least <= most


@kernel
def _light_meets(scene, item, densities, word, x, y, z, dx, dy, dz, least):
    """Return where a beam of light meets a shape from `least` on; what is no hit is infinity or below `least`.

    Args:
        scene, densities, word, x, y, z, dx, dy, dz: as `scene_beam`.
        item: place of the shape in the arrays.
        least: nearest hit.
    """
    shape = read_shape(scene, item, densities)
    enter, leave = shape_interval(scene.kinds[item], shape.numbers, x, y, z, dx, dy, dz)
    if shape.density == INFINITY:
        return solid_meets(enter, leave, least)
    return leaves_meet(shape, word, enter, leave, least)


@kernel
def _first_shape(scene, scratch, densities, word, x, y, z, dx, dy, dz, least, most):
    """Return the first hit of a beam as `scene_ray`; `densities` and `word` as `scene_beam`."""
    best, best_item = most, -1
    if not _is_ray(x, y, z, dx, dy, dz, least, most):
        return INFINITY, -1
    per_x, per_y, per_z = _per(dx), _per(dy), _per(dz)
    waiting, distances, reach = scratch[0], scratch[1], scratch[2]
    node, top = 0, 0
    while True:
        _reach_children(scene.boxes, node, x, y, z, per_x, per_y, per_z, least, best, reach)
        base = top
        for child in range(WIDE):
            distance = reach[child]
            if not distance <= best or distance == INFINITY:
                continue
            link = scene.links[node, child]
            if link >= 0:
                # The nearest goes on top of the stack.
                place = top
                while place > base and distances[place - 1] < distance:
                    distances[place], waiting[place] = distances[place - 1], waiting[place - 1]
                    place -= 1
                distances[place], waiting[place] = distance, link
                top += 1
                continue
            leaf = -1 - link
            first = leaf >> LEAF_BITS
            for item in range(first, first + (leaf & ((1 << LEAF_BITS) - 1))):
                t = _light_meets(scene, item, densities, word, x, y, z, dx, dy, dz, least)
                if least <= t <= best and t < INFINITY:
                    if t < best or best_item < 0 or scene.numbers[item] < scene.numbers[best_item]:
                        best, best_item = t, item
        while top > 0 and distances[top - 1] > best:
            top -= 1
        if top == 0:
            break
        top -= 1
        node = int(waiting[top])
    return (best, best_item) if best_item >= 0 else (INFINITY, -1)


@outlined
def scene_ray(scene, scratch, x, y, z, dx, dy, dz, least, most):
    """Return the first hit of a ray on the shapes of a scene. What is no ray hits nothing.

    Args:
        scene: SceneShapes.
        scratch: from `new_scratch`.
        x, y, z: origin, m.
        dx, dy, dz: direction; it may have any length.
        least, most: nearest and farthest hit, in units of the direction.

    Returns t, the hit being origin + t direction (infinity for none), and the place of the shape in the arrays (-1).
    """
    return _first_shape(scene, scratch, SOLID, _NO_WORD, x, y, z, dx, dy, dz, least, most)


@outlined
def scene_beam(scene, scratch, densities, word, x, y, z, dx, dy, dz, least, most):
    """Return where a beam of light ends: as `scene_ray`, but leaves and the like let it through or stop it inside.

    How far a beam gets in a shape that is not solid has the exponential distribution of Beer and Lambert.

    Args:
        scene, scratch, x, y, z, dx, dy, dz, least, most: as `scene_ray`; the direction has the length 1.
        densities: hits per metre in each material, infinity for a solid; materials beyond its end are solid.
        word: hash of the beam; with the number of a shape it says how far the beam gets in that.
    """
    return _first_shape(scene, scratch, densities, word, x, y, z, dx, dy, dz, least, most)


@outlined
def scene_occluded(scene, scratch, x, y, z, dx, dy, dz, least, most):
    """Return whether a ray meets any shape within least..most; args as `scene_ray`."""
    if not _is_ray(x, y, z, dx, dy, dz, least, most):
        return False
    per_x, per_y, per_z = _per(dx), _per(dy), _per(dz)
    waiting, reach = scratch[0], scratch[2]
    node, top = 0, 0
    while True:
        _reach_children(scene.boxes, node, x, y, z, per_x, per_y, per_z, least, most, reach)
        for child in range(WIDE):
            if reach[child] == INFINITY:
                continue
            link = scene.links[node, child]
            if link >= 0:
                waiting[top] = link
                top += 1
                continue
            leaf = -1 - link
            first = leaf >> LEAF_BITS
            for item in range(first, first + (leaf & ((1 << LEAF_BITS) - 1))):
                enter, leave = shape_interval(scene.kinds[item], shape_numbers(scene, item), x, y, z, dx, dy, dz)
                t = solid_meets(enter, leave, least)
                if least <= t <= most and t < INFINITY:
                    return True
        if top == 0:
            return False
        top -= 1
        node = int(waiting[top])


@kernel
def _look(scene, scratch, x, y, z, dx, dy, dz, least, most):
    """Return t of the first hit, the place of the shape, the normal and the chord; infinity, -1 and 0 for none."""
    t, item = scene_ray(scene, scratch, x, y, z, dx, dy, dz, least, most)
    if item < 0:
        return t, item, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz = shape_normal(scene, item, x, y, z, dx, dy, dz, t)
    enter, leave = shape_interval(scene.kinds[item], shape_numbers(scene, item), x, y, z, dx, dy, dz)
    return t, item, nx, ny, nz, leave - max(enter, least)


@array_entry
def cast_scene_ray(scene, x, y, z, dx, dy, dz, least, most):
    """Return the first hit of a ray on a scene; args as `scene_ray`.

    Returns t (infinity for none), the place of the shape in the arrays (-1), the normal x, y, z, and how much of the
    ray from `least` on lies in the solid that it meets, as t.
    """
    return _look(scene, np.empty((3, STACK + 1)), x, y, z, dx, dy, dz, least, most)


@entry
def cast_scene_rays(scene, scratch, origins, directions, least, most, distances, items, normals, chords):
    """Cast rays on a scene.

    Args:
        scene: SceneShapes.
        scratch: from `new_scratch`.
        origins, directions: (n, 3).
        least, most: (n,), nearest and farthest hit of each.
        distances: result (n,): t of the hit, infinity for none.
        items: result i8 (n,): place of the shape in the arrays, -1 for none.
        normals: result (n, 3): 0 for none.
        chords: result (n,): how much of the ray from `least` on lies in the solid that it meets, as t; 0 for none.
    """
    for index in range(len(distances)):
        t, item, nx, ny, nz, chord = _look(
            scene, scratch,
            origins[index, 0], origins[index, 1], origins[index, 2],
            directions[index, 0], directions[index, 1], directions[index, 2],
            least[index], most[index],
        )  # fmt: skip
        distances[index], items[index], chords[index] = t, item, chord
        normals[index, 0], normals[index, 1], normals[index, 2] = nx, ny, nz


@array_entry
def cast_shadow_ray(scene, x, y, z, dx, dy, dz, least, most):
    """Return whether a ray meets a shape; args as `scene_ray`."""
    return scene_occluded(scene, np.empty((3, STACK + 1)), x, y, z, dx, dy, dz, least, most)
