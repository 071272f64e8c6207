"""The beams of a LiDAR: which way each looks, and from where while the vehicle moves during the sweep.

A column is what is fired at one azimuth; a ring is one laser. Lasers fire one after the other within a column while
the head turns on, so each ring has an azimuth of its own ahead of the column's.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.body import to_world
from acres_ros.models.ground import height_plane
from acres_ros.models.lidar_index import diamond
from acres_ros.models.maths import cos, sin, sqrt
from acres_ros.models.rotation import matrix

POSE = 7
"""Numbers of a pose: x, y, z (m) and the quaternion qx, qy, qz, qw."""
VIEW = 12
"""Numbers of a view: the place x, y, z of the sensor (m), and its axes in the world as a matrix, row by row."""


STAND, AIM = 17, 12
"""Rows of the tables below."""


class Beams(NamedTuple):
    """The beams of a pattern. Beam number: column * rings + ring.

    Attributes:
        columns: (n, 2): cosine and sine of the azimuth of each column, counter-clockwise from ahead.
        rings: (n, 3): direction of each ring in a column that looks ahead: forward, left, up; length 1.
        offset: how far from the sensor's axis, along the column's azimuth, its beams start, m.
    """

    columns: np.ndarray
    rings: np.ndarray
    offset: float


@entry
def fill_beams(azimuths, elevations, leads, columns, rings):
    """Fill the tables of `Beams`.

    Args:
        azimuths: of each column, rad, counter-clockwise from ahead.
        elevations: of each ring, rad.
        leads: by how much each ring is ahead of its column in azimuth, rad, counter-clockwise.
        columns, rings: results, as in `Beams`.
    """
    for column in range(len(azimuths)):
        columns[column, 0], columns[column, 1] = cos(azimuths[column]), sin(azimuths[column])
    for ring in range(len(elevations)):
        level = cos(elevations[ring])
        rings[ring, 0], rings[ring, 1] = level * cos(leads[ring]), level * sin(leads[ring])
        rings[ring, 2] = sin(elevations[ring])


@kernel
def _unit(qx, qy, qz, qw):
    """Return a quaternion as one of length 1: `normalized`, with one division."""
    per = 1.0 / sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    return qx * per, qy * per, qz * per, qw * per


@kernel
def pose_at(poses, column, columns):
    """Return place and turn of what moves when a column is fired: between the poses, evenly spaced in time."""
    count = len(poses)
    place = column * (count - 1.0) / columns
    first = int(place)
    second = min(first + 1, count - 1)
    share = place - first
    x = poses[first, 0] + share * (poses[second, 0] - poses[first, 0])
    y = poses[first, 1] + share * (poses[second, 1] - poses[first, 1])
    z = poses[first, 2] + share * (poses[second, 2] - poses[first, 2])
    alike = 0.0
    for part in range(3, 7):
        alike += poses[first, part] * poses[second, part]
    same = 1.0 if alike >= 0.0 else -1.0  # q and -q are one turn; the blend goes the short way
    turn = _unit(
        poses[first, 3] + share * (same * poses[second, 3] - poses[first, 3]),
        poses[first, 4] + share * (same * poses[second, 4] - poses[first, 4]),
        poses[first, 5] + share * (same * poses[second, 5] - poses[first, 5]),
        poses[first, 6] + share * (same * poses[second, 6] - poses[first, 6]),
    )
    return x, y, z, turn


@entry
def fill_views(poses, mount, views):
    """Fill the view of the sensor for each column.

    The sweep goes from the first pose to the last; column c of n is fired at c / n of it. One pose is a sensor at rest.

    Args:
        poses: (n, POSE) of `base_footprint` in the world, evenly spaced in time.
        mount: (POSE,) of the sensor in `base_footprint`.
        views: result (columns, VIEW).
    """
    inner = matrix(*_unit(mount[3], mount[4], mount[5], mount[6]))
    for column in range(len(views)):
        if column > 0 and len(poses) == 1:
            for part in range(VIEW):
                views[column, part] = views[0, part]
            continue
        x, y, z, turn = pose_at(poses, column, len(views))
        outer = matrix(*turn)
        ahead_x, ahead_y, ahead_z = to_world(outer, mount[0], mount[1], mount[2])
        views[column, 0], views[column, 1], views[column, 2] = x + ahead_x, y + ahead_y, z + ahead_z
        for axis in range(3):
            a, b, c = to_world(outer, inner[axis], inner[axis + 3], inner[axis + 6])
            views[column, 3 + axis], views[column, 6 + axis], views[column, 9 + axis] = a, b, c


@entry
def part_of(views, first, room):
    """Return how far from a column on the sensor stays in one place, more or less.

    Args:
        views: (columns, VIEW).
        first: the column.
        room: distance from its place that the sensor may have, m.

    Returns the column after the last (at least one stays), the middle x, y, z of the places, and the greatest distance
    of one from it, m.
    """
    low_x, low_y, low_z = views[first, 0], views[first, 1], views[first, 2]
    high_x, high_y, high_z = low_x, low_y, low_z
    last = first
    while last < len(views):
        x, y, z = views[last, 0], views[last, 1], views[last, 2]
        dx, dy, dz = x - views[first, 0], y - views[first, 1], z - views[first, 2]
        if dx * dx + dy * dy + dz * dz > room * room:
            break
        low_x, low_y, low_z = min(low_x, x), min(low_y, y), min(low_z, z)
        high_x, high_y, high_z = max(high_x, x), max(high_y, y), max(high_z, z)
        last += 1
    x, y, z = 0.5 * (low_x + high_x), 0.5 * (low_y + high_y), 0.5 * (low_z + high_z)
    slack = 0.0
    for column in range(first, last):
        dx, dy, dz = views[column, 0] - x, views[column, 1] - y, views[column, 2] - z
        slack = max(slack, sqrt(dx * dx + dy * dy + dz * dz))
    return last, x, y, z, slack


@kernel
def stand_columns(beams, views, field, first, last, stands):
    """Fill what the beams of some columns have in common.

    Args:
        beams: Beams.
        views: (columns, VIEW).
        field: HeightField; places are also given in its cells.
        first, last: columns first .. last - 1.
        stands: result (STAND, columns): start x, y, z (m); the world directions forward, left and up of the column, of
            length 1; whether the start is on the grid of the field and above its surface (1 or 0); the start in
            cells; cosine and sine of the azimuth.
    """
    rows, columns = field.heights.shape
    for column in range(first, last):
        place = column - first
        ca, sa = beams.columns[column, 0], beams.columns[column, 1]
        for axis in range(3):
            one, other = views[column, 3 + 3 * axis], views[column, 4 + 3 * axis]
            stands[3 + axis, place] = one * ca + other * sa
            stands[6 + axis, place] = other * ca - one * sa
            stands[9 + axis, place] = views[column, 5 + 3 * axis]
            stands[axis, place] = views[column, axis] + beams.offset * stands[3 + axis, place]
        x, y, z = stands[0, place], stands[1, place], stands[2, place]
        u, v = (x - field.x0) / field.cell, (y - field.y0) / field.cell
        stands[12, place], stands[13, place], stands[14, place] = 0.0, u, v
        stands[15, place], stands[16, place] = ca, sa
        if 0.0 <= u <= columns - 1.0 and 0.0 <= v <= rows - 1.0:
            here, _, _ = height_plane(field.heights, field.x0, field.y0, field.cell, x, y)
            stands[12, place] = 1.0 if z > here else 0.0


@kernel
def aim_ring(beams, ring, stands, count, cell, aims):
    """Fill the directions of one ring in some columns.

    Args:
        beams: Beams.
        ring: number of the ring.
        stands: from `stand_columns`.
        count: number of columns.
        cell: size of a cell of the height field, m.
        aims: result (AIM, columns): direction x, y, z; length of its level part, one over it; slope, one over it;
            diamond angle; direction east and north in cells, and one over them.
    """
    forward, left, up = beams.rings[ring, 0], beams.rings[ring, 1], beams.rings[ring, 2]
    # One loop for each result: the compiler makes vectors of these, and of nothing larger.
    for axis in range(3):
        ahead, beside, above, out = stands[3 + axis], stands[6 + axis], stands[9 + axis], aims[axis]
        for place in range(count):
            out[place] = forward * ahead[place] + left * beside[place] + up * above[place]
    x, y, z, level, slope = aims[0], aims[1], aims[2], aims[3], aims[5]
    for place in range(count):
        level[place] = sqrt(x[place] * x[place] + y[place] * y[place])
    _fill_inverse(level, count, aims[4])
    for place in range(count):
        slope[place] = z[place] / level[place]
    _fill_inverse(slope, count, aims[6])
    turn = aims[7]
    for place in range(count):
        turn[place] = diamond(x[place], y[place])
    for axis in range(2):
        one, out = aims[axis], aims[8 + axis]
        for place in range(count):
            out[place] = one[place] / cell
        _fill_inverse(out, count, aims[10 + axis])


@kernel
def _fill_inverse(values, count, inverse):
    for place in range(count):
        inverse[place] = 1.0 / values[place]


@kernel
def fill_local_points(beams, ring, stands, count, distances, points):
    """Fill the points at some distances on the beams of one ring, in the frame of the sensor.

    Args:
        beams: Beams.
        ring: number of the ring.
        stands: from `stand_columns`.
        count: number of columns.
        distances: (columns,), m.
        points: result (3, columns): x forward, y left, z up, m.
    """
    ahead, beside, above = beams.rings[ring, 0], beams.rings[ring, 1], beams.rings[ring, 2]
    cosines, sines, x, y, z = stands[15], stands[16], points[0], points[1], points[2]
    for place in range(count):
        forward, left = ahead * distances[place] + beams.offset, beside * distances[place]
        x[place] = forward * cosines[place] - left * sines[place]
        y[place] = forward * sines[place] + left * cosines[place]
        z[place] = above * distances[place]
