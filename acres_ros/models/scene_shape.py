"""Lines through single shapes: triangles, upright cylinders with flat ends, and ellipsoids.

The formulas have no branches, so that a loop over the beams of a fan tries a shape on many of them abreast.
"""

from typing import NamedTuple

from acres_ros._compile import kernel
from acres_ros.models.elementary.exponential import log_of_normal
from acres_ros.models.maths import INFINITY, sqrt
from acres_ros.models.streams import SHAPE_DRAWS, hash_above_0, numbered_hash

TRIANGLE, CYLINDER, ELLIPSOID = 0, 1, 2
EDGE = 1e-12
"""A triangle is wider by this share, so that no ray passes between two that share an edge."""


class Shape(NamedTuple):
    """One shape as plain numbers: a loop over many beams then has nothing to read anew.

    Attributes:
        numbers: its row of `SceneShapes.shapes`.
        number: of the shape in its file.
        density: hits per metre in it, infinity for a solid.
    """

    numbers: tuple[float, float, float, float, float, float, float, float, float]
    number: int
    density: float


@kernel
def shape_numbers(scene, item):
    """Return the row of a shape as a tuple. `item`: its place in the arrays."""
    row = scene.shapes[item]
    return row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8]


@kernel
def read_shape(scene, item, densities):
    """Return the `Shape` at a place in the arrays.

    Args:
        scene: SceneShapes.
        item: the place.
        densities: hits per metre in each material, infinity for a solid; materials beyond its end are solid.
    """
    material = scene.materials[item]
    density = densities[material] if material < densities.size else INFINITY
    return Shape(shape_numbers(scene, item), int(scene.numbers[item]), density)


@kernel
def _through_triangle(numbers, x, y, z, dx, dy, dz):
    """Return where a ray meets a triangle; infinity for a miss, also behind. Moeller and Trumbore, JGT 2(1), 1997."""
    corner_x, corner_y, corner_z, ax, ay, az, bx, by, bz = numbers
    px, py, pz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
    determinant = ax * px + ay * py + az * pz
    size, sign = abs(determinant), (1.0 if determinant > 0.0 else -1.0)
    sx, sy, sz = x - corner_x, y - corner_y, z - corner_z
    a = (sx * px + sy * py + sz * pz) * sign
    qx, qy, qz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
    b = (dx * qx + dy * qy + dz * qz) * sign
    within = (a >= -EDGE * size) & (a <= (1.0 + EDGE) * size) & (b >= -EDGE * size) & (a + b <= (1.0 + EDGE) * size)
    within = within & (size > 0.0)
    t = (bx * qx + by * qy + bz * qz) / (determinant if within else 1.0)
    return (t if within else INFINITY), (t if within else -INFINITY)


@kernel
def _through_cylinder(numbers, x, y, z, dx, dy, dz):
    """Return where a ray enters and leaves an upright cylinder; infinity and minus infinity for a miss."""
    x, y, z, radius, height = x - numbers[0], y - numbers[1], z - numbers[2], numbers[3], numbers[4]
    square = dx * dx + dy * dy
    slanted, across = square > 0.0, x * dy - y * dx
    room, along = square * radius * radius - across * across, x * dx + y * dy
    root, part = sqrt(max(room, 0.0)), (square if slanted else 1.0)
    enter, leave = (-along - root) / part, (-along + root) / part
    enter, leave = (enter if slanted else -INFINITY), (leave if slanted else INFINITY)
    beside = (room >= 0.0) if slanted else (x * x + y * y <= radius * radius)
    rising = dz != 0.0
    rise = dz if rising else 1.0
    bottom, top = -z / rise, (height - z) / rise
    enter = max(enter, min(bottom, top)) if rising else enter
    leave = min(leave, max(bottom, top)) if rising else leave
    met = beside & (enter <= leave) & (rising | ((z >= 0.0) & (z <= height)))
    return (enter if met else INFINITY), (leave if met else -INFINITY)


@kernel
def _through_ellipsoid(numbers, x, y, z, dx, dy, dz):
    """Return where a ray enters and leaves an ellipsoid; infinity and minus infinity for a miss."""
    x, dx = (x - numbers[0]) * numbers[6], dx * numbers[6]
    y, dy = (y - numbers[1]) * numbers[7], dy * numbers[7]
    z, dz = (z - numbers[2]) * numbers[8], dz * numbers[8]
    square = dx * dx + dy * dy + dz * dz
    across_x, across_y, across_z = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    room = square - (across_x * across_x + across_y * across_y + across_z * across_z)
    met = (room >= 0.0) & (square > 0.0)
    root, along, part = sqrt(max(room, 0.0)), x * dx + y * dy + z * dz, (square if met else 1.0)
    enter, leave = (-along - root) / part, (-along + root) / part
    return (enter if met else INFINITY), (leave if met else -INFINITY)


@kernel
def shape_interval(kind, numbers, x, y, z, dx, dy, dz):
    """Return where the line of a ray enters and leaves a shape, also behind the origin; a triangle has one place.

    A miss is infinity and minus infinity.

    Args:
        kind: TRIANGLE, CYLINDER or ELLIPSOID.
        numbers: from `shape_numbers`.
        x, y, z: origin, m.
        dx, dy, dz: direction.
    """
    if kind == TRIANGLE:
        return _through_triangle(numbers, x, y, z, dx, dy, dz)
    if kind == CYLINDER:
        return _through_cylinder(numbers, x, y, z, dx, dy, dz)
    return _through_ellipsoid(numbers, x, y, z, dx, dy, dz)


@kernel
def solid_meets(enter, leave, least):
    """Return where a ray crosses the surface of a solid from `least` on; no hit is infinity or below `least`."""
    return enter if enter >= least else leave


@kernel
def leaves_meet(shape, word, enter, leave, least):
    """Return where a beam of light ends in leaves and the like from `least` on; infinity for nowhere.

    Args:
        shape: Shape.
        word: hash of the beam; with the shape's number it says how far the beam gets.
        enter, leave: from `shape_interval`; the direction has the length 1.
        least: nearest hit.
    """
    start = max(enter, least)
    draw = hash_above_0(numbered_hash(word, SHAPE_DRAWS + shape.number))
    t = start - log_of_normal(draw) / shape.density
    return t if (start < leave) & (t < leave) else INFINITY


@kernel
def shape_normal(scene, item, x, y, z, dx, dy, dz, t):
    """Return the unit normal out of a shape where a ray meets it; of a triangle, towards where the ray comes from."""
    shapes = scene.shapes
    kind = scene.kinds[item]
    px, py, pz = x + t * dx - shapes[item, 0], y + t * dy - shapes[item, 1], z + t * dz - shapes[item, 2]
    if kind == TRIANGLE:
        ax, ay, az = shapes[item, 3], shapes[item, 4], shapes[item, 5]
        bx, by, bz = shapes[item, 6], shapes[item, 7], shapes[item, 8]
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        if nx * dx + ny * dy + nz * dz > 0.0:
            nx, ny, nz = -nx, -ny, -nz
    elif kind == CYLINDER:
        below, above = abs(pz), abs(pz - shapes[item, 4])
        beside = abs(sqrt(px * px + py * py) - shapes[item, 3])
        if beside <= min(below, above):
            nx, ny, nz = px, py, 0.0
        else:
            nx, ny, nz = 0.0, 0.0, (1.0 if above < below else -1.0)
    else:
        nx = px / (shapes[item, 3] * shapes[item, 3])
        ny = py / (shapes[item, 4] * shapes[item, 4])
        nz = pz / (shapes[item, 5] * shapes[item, 5])
    length = sqrt(nx * nx + ny * ny + nz * nz)
    return nx / length, ny / length, nz / length
