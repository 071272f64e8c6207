"""Boxes that beams meet: other vehicles, and the vehicle's own body."""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.lidar_beams import pose_at
from acres_ros.models.maths import INFINITY
from acres_ros.models.rotation import matrix

BOX = 15
"""Numbers of a box: its middle x, y, z, half its lengths along its own axes (m), and these axes in the world as a
matrix, row by row."""


class Boxes(NamedTuple):
    """Boxes, at rest or moving.

    Attributes:
        rows: (n, BOX): all boxes, or all boxes once for each column.
        number: how many boxes there are.
        beams: beams of a column, which meet the boxes in one place; 0: the boxes are at rest.
    """

    rows: np.ndarray
    number: int
    beams: int


@kernel
def _local(rows, row, x, y, z, axis):
    """Return the component of a world vector along an axis of a box."""
    return rows[row, 6 + axis] * x + rows[row, 9 + axis] * y + rows[row, 12 + axis] * z


@kernel
def box_meets(boxes, box, beam, x, y, z, dx, dy, dz):
    """Return where a beam first crosses the surface of a box from 0 on (infinity for none), and the face.

    Args:
        boxes: Boxes.
        box: which of them.
        beam: number of the beam.
        x, y, z: origin, m.
        dx, dy, dz: direction.

    A face is 3 x the row of the box + the axis that it lies across.
    """
    rows = boxes.rows
    row = box if boxes.beams == 0 else beam // boxes.beams * boxes.number + box
    x, y, z = x - rows[row, 0], y - rows[row, 1], z - rows[row, 2]
    enter, leave = -INFINITY, INFINITY
    in_, out = 0, 0
    for axis in range(3):
        start, change = _local(rows, row, x, y, z, axis), _local(rows, row, dx, dy, dz, axis)
        half = rows[row, 3 + axis]
        if change == 0.0:
            if abs(start) > half:
                return INFINITY, 0
            continue
        one, two = (-half - start) / change, (half - start) / change
        if min(one, two) > enter:
            enter, in_ = min(one, two), axis
        if max(one, two) < leave:
            leave, out = max(one, two), axis
    if enter > leave or leave < 0.0:
        return INFINITY, 0
    return (enter, 3 * row + in_) if enter >= 0.0 else (leave, 3 * row + out)


@kernel
def face_cosine(boxes, face, dx, dy, dz):
    """Return the cosine of the incidence of a beam, whose direction has the length 1, on a face of a box."""
    return abs(_local(boxes.rows, face // 3, dx, dy, dz, face % 3))


@entry
def fill_box(track, half, box, count, rows):
    """Fill where a box is in each column.

    Args:
        track: (n, POSE) of its middle, evenly spaced over the sweep; quaternions have the length 1.
        half: half its lengths along its own axes (3,), m.
        box, count: which box it is, and how many there are.
        rows: result, as in `Boxes`.
    """
    columns = len(rows) // count
    for column in range(columns):
        x, y, z = track[0, 0], track[0, 1], track[0, 2]
        turn = (track[0, 3], track[0, 4], track[0, 5], track[0, 6])
        if len(track) > 1:
            x, y, z, turn = pose_at(track, column, columns)
        axes = matrix(*turn)
        row = column * count + box
        rows[row, 0], rows[row, 1], rows[row, 2] = x, y, z
        for axis in range(3):
            rows[row, 3 + axis] = half[axis]
        for part in range(9):
            rows[row, 6 + part] = axes[part]


def box_bounds(boxes):
    """Return the upright round of each box over all columns (count, 5): middle x, y, radius, lowest, highest point, m.

    Args:
        boxes: Boxes.
    """
    if boxes.number == 0:
        return np.zeros((0, 5))
    rows = boxes.rows.reshape(-1, boxes.number, BOX)
    axes = abs(rows[:, :, 6:].reshape(len(rows), boxes.number, 3, 3))
    reach = (axes * rows[:, :, None, 3:6]).sum(axis=3)
    low, high = (rows[:, :, :3] - reach).min(axis=0), (rows[:, :, :3] + reach).max(axis=0)
    middle = 0.5 * (low + high)[:, :2]
    radius = (0.5 * (high - low)[:, :2]).sum(axis=1)
    return np.column_stack([middle, radius, low[:, 2], high[:, 2]])


@entry
def fill_body(boxes, columns, rings, offset, mount, body):
    """Fill where each beam of a pattern meets the vehicle's own body, which moves with the sensor.

    Args:
        boxes: Boxes of the body in `base_footprint`.
        columns, rings, offset: as in `acres_ros.models.lidar_beams.Beams`.
        mount: pose of the sensor in `base_footprint` (POSE,).
        body: result (beams, 2): distance (m; infinity for none) and cosine of the incidence.
    """
    axes = matrix(mount[3], mount[4], mount[5], mount[6])
    for column in range(len(columns)):
        ca, sa = columns[column, 0], columns[column, 1]
        x = mount[0] + offset * (axes[0] * ca + axes[1] * sa)
        y = mount[1] + offset * (axes[3] * ca + axes[4] * sa)
        z = mount[2] + offset * (axes[6] * ca + axes[7] * sa)
        for ring in range(len(rings)):
            forward = rings[ring, 0] * ca - rings[ring, 1] * sa
            left = rings[ring, 0] * sa + rings[ring, 1] * ca
            up = rings[ring, 2]
            dx = axes[0] * forward + axes[1] * left + axes[2] * up
            dy = axes[3] * forward + axes[4] * left + axes[5] * up
            dz = axes[6] * forward + axes[7] * left + axes[8] * up
            beam = column * len(rings) + ring
            body[beam, 0], body[beam, 1] = INFINITY, 0.0
            for box in range(boxes.number):
                t, face = box_meets(boxes, box, beam, x, y, z, dx, dy, dz)
                if t < body[beam, 0]:
                    body[beam, 0], body[beam, 1] = t, face_cosine(boxes, face, dx, dy, dz)
