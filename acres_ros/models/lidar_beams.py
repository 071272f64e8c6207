"""The beams of a LiDAR: which way each looks, and from where while the vehicle moves during the sweep.

A column is what is fired at one azimuth; a ring is one laser. Lasers fire one after the other within a column while
the head turns on, so each ring has an azimuth of its own ahead of the column's.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.body import to_world
from acres_ros.models.ground import height_plane
from acres_ros.models.lidar_fan import NO_SECTOR
from acres_ros.models.lidar_index import diamond, sector_at
from acres_ros.models.maths import cos, sin, sqrt
from acres_ros.models.rotation import matrix

POSE = 7
"""Numbers of a pose: x, y, z (m) and the quaternion qx, qy, qz, qw."""
VIEW = 12
"""Numbers of a view: the place x, y, z of the sensor (m), and its axes in the world as a matrix, row by row."""
UPRIGHT = 1e-6
"""A beam whose level part is shorter takes the trees."""


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
def part_of(views, offset, first, room):
    """Return how far from a column on the beams start in one place, more or less.

    Args:
        views: (columns, VIEW).
        offset: as in `Beams`.
        first: the column.
        room: distance from its place that the sensor may have, m.

    Returns the column after the last (at least one stays), the middle x, y, z of the places, and how far from it beams
    start at most, level and in height, m.
    """
    low_x, low_y, low_z = views[first, 0], views[first, 1], views[first, 2]
    high_x, high_y, high_z = low_x, low_y, low_z
    last, lean = first, 0.0
    while last < len(views):
        x, y, z = views[last, 0], views[last, 1], views[last, 2]
        dx, dy, dz = x - views[first, 0], y - views[first, 1], z - views[first, 2]
        if dx * dx + dy * dy + dz * dz > room * room:
            break
        low_x, low_y, low_z = min(low_x, x), min(low_y, y), min(low_z, z)
        high_x, high_y, high_z = max(high_x, x), max(high_y, y), max(high_z, z)
        lean = max(lean, views[last, 9] * views[last, 9] + views[last, 10] * views[last, 10])
        last += 1
    x, y, z = 0.5 * (low_x + high_x), 0.5 * (low_y + high_y), 0.5 * (low_z + high_z)
    level, height = 0.0, 0.0
    for column in range(first, last):
        dx, dy = views[column, 0] - x, views[column, 1] - y
        level, height = max(level, sqrt(dx * dx + dy * dy)), max(height, abs(views[column, 2] - z))
    return last, x, y, z, level + offset, height + offset * sqrt(lean)


@kernel
def stand_columns(beams, views, field, first, last, fan):
    """Fill what the beams of some columns have in common.

    Args:
        beams: Beams.
        views: (columns, VIEW).
        field: HeightField.
        first, last: columns first .. last - 1.
        fan: FAN record, gets the rows of the columns.
    """
    rows, columns = field.heights.shape
    for column in range(first, last):
        place, view = column - first, views[column]
        ca, sa = beams.columns[column, 0], beams.columns[column, 1]
        ahead_x, ahead_y, ahead_z = (
            view[3] * ca + view[4] * sa,
            view[6] * ca + view[7] * sa,
            view[9] * ca + view[10] * sa,
        )
        fan.forward_x[place], fan.forward_y[place], fan.forward_z[place] = ahead_x, ahead_y, ahead_z
        fan.left_x[place], fan.left_y[place] = view[4] * ca - view[3] * sa, view[7] * ca - view[6] * sa
        fan.left_z[place] = view[10] * ca - view[9] * sa
        fan.up_x[place], fan.up_y[place], fan.up_z[place] = view[5], view[8], view[11]
        x, y, z = view[0] + beams.offset * ahead_x, view[1] + beams.offset * ahead_y, view[2] + beams.offset * ahead_z
        fan.x[place], fan.y[place], fan.z[place] = x, y, z
        u, v = (x - field.x0) / field.cell, (y - field.y0) / field.cell
        fan.u[place], fan.v[place], fan.above[place] = u, v, 0.0
        fan.cosine[place], fan.sine[place] = ca, sa
        if 0.0 <= u <= columns - 1.0 and 0.0 <= v <= rows - 1.0:
            here, _, _ = height_plane(field.heights, field.x0, field.y0, field.cell, x, y)
            fan.above[place] = 1.0 if z > here else 0.0


@kernel
def aim_ring(beams, ring, use, fan, count):
    """Fill the directions of one ring in some columns.

    Args:
        beams: Beams.
        ring: number of the ring.
        use: as in `acres_ros.models.lidar_hits.Index`.
        fan: FAN record with the columns; gets the rows of the directions.
        count: number of columns.
    """
    forward, left, up = beams.rings[ring, 0], beams.rings[ring, 1], beams.rings[ring, 2]
    for place in range(count):
        dx = forward * fan.forward_x[place] + left * fan.left_x[place] + up * fan.up_x[place]
        dy = forward * fan.forward_y[place] + left * fan.left_y[place] + up * fan.up_y[place]
        dz = forward * fan.forward_z[place] + left * fan.left_z[place] + up * fan.up_z[place]
        level = sqrt(dx * dx + dy * dy)
        per_level, turn = 1.0 / level, diamond(dx, dy)
        fan.dx[place], fan.dy[place], fan.dz[place], fan.level[place] = dx, dy, dz, level
        fan.per_level[place], fan.slope[place], fan.per_slope[place] = per_level, dz * per_level, level / dz
        listed = (use == 1) & (level > UPRIGHT)
        fan.sector[place] = sector_at(turn if listed else 0.0) if listed else NO_SECTOR


@kernel
def fill_local_points(beams, ring, fan, count):
    """Fill the points at the distances that are reported of the beams of one ring, in the frame of the sensor.

    Args:
        beams: Beams.
        ring: number of the ring.
        fan: FAN record.
        count: number of beams.
    """
    ahead, beside, above = beams.rings[ring, 0], beams.rings[ring, 1], beams.rings[ring, 2]
    for place in range(count):
        distance, cosine, sine = fan.distance[place], fan.cosine[place], fan.sine[place]
        forward, left = ahead * distance + beams.offset, beside * distance
        fan.point_x[place] = forward * cosine - left * sine
        fan.point_y[place] = forward * sine + left * cosine
        fan.point_z[place] = above * distance
