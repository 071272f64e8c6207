"""Collision obstacles: outlines on the ground with a bottom and a top. Does a box touch one, and how near is one?

An outline is a polygon, which may be concave, or a circle; its number is its place in the table of outlines. A grid
finds those that are near. What touches two obstacles touches the lower number, so the grid does not show in an answer.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel, outlined
from acres_ros._record import Field, Record
from acres_ros.models.maths import INFINITY, clamp, cos, sin, sqrt

OBSTACLE_GRID = Record(
    "OBSTACLE_GRID",
    (
        Field("x0", "m", 0.0, "east of the south-west corner of the grid"),
        Field("y0", "m", 0.0, "north of the south-west corner of the grid"),
        Field("cell", "m", 8.0, "size of a grid cell"),
        Field("columns", "-", 0, "cells from west to east; 0 without obstacles", int),
        Field("rows", "-", 0, "cells from south to north", int),
    ),
)

OUTLINE = Record(
    "OUTLINE",
    (
        Field("first", "-", 0, "first corner of a polygon in the vertices", int),
        Field("count", "-", 0, "corners of a polygon, counter-clockwise; 0 is a circle", int),
        Field("x", "m", 0.0, "east of the centre of a circle"),
        Field("y", "m", 0.0, "north of the centre of a circle"),
        Field("radius", "m", 0.0, "radius of a circle"),
        Field("west", "m", 0.0, "western end of the outline"),
        Field("south", "m", 0.0, "southern end of the outline"),
        Field("east", "m", 0.0, "eastern end of the outline"),
        Field("north", "m", 0.0, "northern end of the outline"),
        Field("z_min", "m", 0.0, "height of its bottom"),
        Field("z_max", "m", 0.0, "height of its top"),
    ),
)

EDGE = 1e-9
"""What reaches within this share of both edges of a box spans it."""


class Obstacles(NamedTuple):
    """Arrays that describe the collision obstacles, as the kernels take them.

    Attributes:
        grid: one OBSTACLE_GRID record.
        starts: i4 (rows * columns + 1); cell k = row * columns + column has items[starts[k]:starts[k + 1]].
        items: i4, numbers of outlines, ascending in each cell.
        outlines: one OUTLINE record for each obstacle.
        vertices: corners of the polygons (n, 2), m.
    """

    grid: np.ndarray
    starts: np.ndarray
    items: np.ndarray
    outlines: np.ndarray
    vertices: np.ndarray


def no_obstacles():
    """Return the obstacles of an empty world, of the same types as those of any other."""
    return Obstacles(
        OBSTACLE_GRID.new(1).view(np.ndarray),
        np.zeros(1, np.int32),
        np.zeros(0, np.int32),
        OUTLINE.new(0).view(np.ndarray),
        np.zeros((0, 2)),
    )


@kernel
def _cell_index(coordinate, count):
    """Return the cell of a grid coordinate, -1 before the first and `count` beyond the last; NaN is before."""
    if not coordinate >= 0.0:
        return -1
    return int(coordinate) if coordinate < count else count


@kernel
def _cell_range(low, high, count):
    """Return first and last cell of an interval of grid coordinates, cut to the grid; first > last if there is none."""
    return max(_cell_index(low, count), 0), min(_cell_index(high, count), count - 1)


@outlined
def inside_outline(obstacles, number, x, y):
    """Return whether a point lies in an outline, by the crossings of a line to the east; the heights do not count."""
    outline = obstacles.outlines[number]
    if outline.count == 0:
        east, north = x - outline.x, y - outline.y
        return east * east + north * north <= outline.radius * outline.radius
    if not (outline.west <= x <= outline.east and outline.south <= y <= outline.north):
        return False
    inside = False
    last = outline.first + outline.count - 1
    ax, ay = obstacles.vertices[last, 0], obstacles.vertices[last, 1]
    for corner in range(outline.first, last + 1):
        bx, by = obstacles.vertices[corner, 0], obstacles.vertices[corner, 1]
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
        ax, ay = bx, by
    return inside


@outlined
def _nearest_on_polygon(obstacles, number, x, y):
    """Return the point of the edges of a polygon that is nearest to a point, and its distance."""
    outline = obstacles.outlines[number]
    last = outline.first + outline.count - 1
    ax, ay = obstacles.vertices[last, 0], obstacles.vertices[last, 1]
    best, best_x, best_y = INFINITY, ax, ay
    for corner in range(outline.first, last + 1):
        bx, by = obstacles.vertices[corner, 0], obstacles.vertices[corner, 1]
        dx, dy = bx - ax, by - ay
        share = clamp(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0.0, 1.0)
        px, py = ax + share * dx, ay + share * dy
        square = (px - x) * (px - x) + (py - y) * (py - y)
        if square < best:
            best, best_x, best_y = square, px, py
        ax, ay = bx, by
    return best_x, best_y, sqrt(best)


@kernel
def outline_distance(obstacles, number, x, y):
    """Return the horizontal distance (m) of a point to an outline, 0 inside."""
    outline = obstacles.outlines[number]
    if outline.count == 0:
        east, north = x - outline.x, y - outline.y
        return max(sqrt(east * east + north * north) - outline.radius, 0.0)
    if inside_outline(obstacles, number, x, y):
        return 0.0
    _, _, distance = _nearest_on_polygon(obstacles, number, x, y)
    return distance


@kernel
def _cut(low, high, start, change, half):
    """Return the part low..high of a segment start + t change that lies within -half..half of one axis."""
    if change == 0.0:
        return (low, high) if abs(start) <= half else (1.0, 0.0)
    first = (-half - start) / change
    last = (half - start) / change
    return max(low, min(first, last)), min(high, max(first, last))


@kernel
def _touch_circle(outline, x, y, yaw_cos, yaw_sin, half_length, half_width):
    """Return whether a box touches a circle, and the way out: the unit vector along which the box leaves it."""
    east, north = outline.x - x, outline.y - y
    u = east * yaw_cos + north * yaw_sin
    v = north * yaw_cos - east * yaw_sin
    out_u = clamp(u, -half_length, half_length) - u
    out_v = clamp(v, -half_width, half_width) - v
    square = out_u * out_u + out_v * out_v
    if square > outline.radius * outline.radius:
        return False, 0.0, 0.0
    if square > 0.0:
        scale = 1.0 / sqrt(square)
        out_u, out_v = out_u * scale, out_v * scale
    elif half_length - abs(u) <= half_width - abs(v):
        out_u, out_v = (-1.0 if u > 0.0 else 1.0), 0.0
    else:
        out_u, out_v = 0.0, (-1.0 if v > 0.0 else 1.0)
    return True, out_u * yaw_cos - out_v * yaw_sin, out_u * yaw_sin + out_v * yaw_cos


@outlined
def _touch_polygon(obstacles, number, x, y, yaw_cos, yaw_sin, half_length, half_width):
    """Return whether a box touches a polygon, and the way out: the unit vector along which the box leaves it.

    The box touches where an edge has a part in it, or where it lies in the polygon. The way out is the shortest of the
    ways square to the edges in the box and square to the sides of the box, over the part of the polygon in the box;
    lengthwise or sideways it is none where that part spans the box, because the polygon then goes on beyond.
    """
    outline = obstacles.outlines[number]
    vertices = obstacles.vertices
    last = outline.first + outline.count - 1
    east, north = vertices[last, 0] - x, vertices[last, 1] - y
    au, av = east * yaw_cos + north * yaw_sin, north * yaw_cos - east * yaw_sin
    touched = False
    depth, out_u, out_v = INFINITY, 0.0, 0.0
    back, front, right, left = INFINITY, -INFINITY, INFINITY, -INFINITY  # ends of the part of the polygon in the box
    for corner in range(outline.first, last + 1):
        east, north = vertices[corner, 0] - x, vertices[corner, 1] - y
        bu, bv = east * yaw_cos + north * yaw_sin, north * yaw_cos - east * yaw_sin
        du, dv = bu - au, bv - av
        low, high = _cut(0.0, 1.0, au, du, half_length)
        low, high = _cut(low, high, av, dv, half_width)
        if low <= high:
            touched = True
            back = min(back, min(au + low * du, au + high * du))
            front = max(front, max(au + low * du, au + high * du))
            right = min(right, min(av + low * dv, av + high * dv))
            left = max(left, max(av + low * dv, av + high * dv))
            length = sqrt(du * du + dv * dv)
            normal_u, normal_v = dv / length, -du / length
            reach = abs(normal_u) * half_length + abs(normal_v) * half_width + normal_u * au + normal_v * av
            if reach < depth:
                depth, out_u, out_v = reach, normal_u, normal_v
        au, av = bu, bv
    if not touched:
        if not inside_outline(obstacles, number, x, y):
            return False, 0.0, 0.0
        px, py, distance = _nearest_on_polygon(obstacles, number, x, y)
        return True, (px - x) / distance, (py - y) / distance
    for index in range(4):
        u = half_length if index < 2 else -half_length
        v = half_width if index % 2 == 0 else -half_width
        if inside_outline(obstacles, number, x + u * yaw_cos - v * yaw_sin, y + u * yaw_sin + v * yaw_cos):
            back, front, right, left = min(back, u), max(front, u), min(right, v), max(left, v)
    if front - back < (2.0 - EDGE) * half_length:
        if half_length - back < depth:
            depth, out_u, out_v = half_length - back, -1.0, 0.0
        if front + half_length < depth:
            depth, out_u, out_v = front + half_length, 1.0, 0.0
    if left - right < (2.0 - EDGE) * half_width:
        if half_width - right < depth:
            depth, out_u, out_v = half_width - right, 0.0, -1.0
        if left + half_width < depth:
            out_u, out_v = 0.0, 1.0
    return True, out_u * yaw_cos - out_v * yaw_sin, out_u * yaw_sin + out_v * yaw_cos


@outlined
def overlap_after(obstacles, after, x, y, yaw_cos, yaw_sin, half_length, half_width, z_min, z_max):
    """Return what a box touches next: the lowest number above `after`, for one who looks at every obstacle in turn.

    Args and result are those of `overlap`.
    """
    grid = obstacles.grid[0]
    reach_x = abs(yaw_cos) * half_length + abs(yaw_sin) * half_width
    reach_y = abs(yaw_sin) * half_length + abs(yaw_cos) * half_width
    west, east, south, north = x - reach_x, x + reach_x, y - reach_y, y + reach_y
    first_column, last_column = _cell_range((west - grid.x0) / grid.cell, (east - grid.x0) / grid.cell, grid.columns)
    first_row, last_row = _cell_range((south - grid.y0) / grid.cell, (north - grid.y0) / grid.cell, grid.rows)
    best, best_x, best_y = -1, 0.0, 0.0
    for row in range(first_row, last_row + 1):
        for column in range(first_column, last_column + 1):
            cell = row * grid.columns + column
            for item in range(obstacles.starts[cell], obstacles.starts[cell + 1]):
                number = int(obstacles.items[item])
                if best >= 0 and number >= best:
                    break
                outline = obstacles.outlines[number]
                level = outline.z_min <= z_max and z_min <= outline.z_max
                near_x = outline.west <= east and west <= outline.east
                near_y = outline.south <= north and south <= outline.north
                if number <= after or not (level and near_x and near_y):
                    continue
                if outline.count == 0:
                    touches, out_x, out_y = _touch_circle(outline, x, y, yaw_cos, yaw_sin, half_length, half_width)
                else:
                    touches, out_x, out_y = _touch_polygon(
                        obstacles, number, x, y, yaw_cos, yaw_sin, half_length, half_width
                    )
                if touches:
                    best, best_x, best_y = number, out_x, out_y
    return best, best_x, best_y


@kernel
def overlap(obstacles, x, y, yaw_cos, yaw_sin, half_length, half_width, z_min, z_max):
    """Return what a box touches, and the way out.

    Args:
        obstacles: Obstacles.
        x: east of the centre of the box, m.
        y: north of the centre of the box, m.
        yaw_cos: east part of its unit vector forward.
        yaw_sin: north part of its unit vector forward.
        half_length: half its length, forward and back, m.
        half_width: half its width, left and right, m.
        z_min: height of its bottom, m.
        z_max: height of its top, m.

    Returns the number of the obstacle (the lowest, -1 for none) and the horizontal unit vector (east, north) from the
    obstacle to the box: the shortest way out. Faces that only touch count.
    """
    return overlap_after(obstacles, -1, x, y, yaw_cos, yaw_sin, half_length, half_width, z_min, z_max)


@outlined
def nearest(obstacles, x, y, most):
    """Return number and horizontal distance (m) of the nearest obstacle within `most` m; -1 and infinity for none.

    The distance is 0 inside an obstacle; of two at the same distance it is the one with the lower number.
    """
    grid = obstacles.grid[0]
    first_column, last_column = _cell_range(
        (x - most - grid.x0) / grid.cell, (x + most - grid.x0) / grid.cell, grid.columns
    )
    first_row, last_row = _cell_range((y - most - grid.y0) / grid.cell, (y + most - grid.y0) / grid.cell, grid.rows)
    best, best_distance = -1, INFINITY
    limit = most
    for row in range(first_row, last_row + 1):
        south = grid.y0 + row * grid.cell
        gap_y = max(south - y, y - south - grid.cell, 0.0)
        for column in range(first_column, last_column + 1):
            west = grid.x0 + column * grid.cell
            gap_x = max(west - x, x - west - grid.cell, 0.0)
            if gap_x * gap_x + gap_y * gap_y > limit * limit * 1.000001:
                continue
            cell = row * grid.columns + column
            for item in range(obstacles.starts[cell], obstacles.starts[cell + 1]):
                number = int(obstacles.items[item])
                distance = outline_distance(obstacles, number, x, y)
                if distance < best_distance and distance <= most or distance == best_distance and number < best:
                    best, best_distance, limit = number, distance, distance
    return best, best_distance


@entry
def find_overlap(obstacles, x, y, yaw, half_length, half_width, z_min, z_max):
    """Return what a box with a heading (rad, 0 is east) touches, and the way out, as `overlap`."""
    return overlap(obstacles, x, y, cos(yaw), sin(yaw), half_length, half_width, z_min, z_max)


@entry
def find_nearest(obstacles, x, y, most):
    """Return number and horizontal distance of the nearest obstacle, as `nearest`."""
    return nearest(obstacles, x, y, most)
