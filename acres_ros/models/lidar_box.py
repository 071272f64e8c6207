"""Boxes that beams meet: other vehicles, and the vehicle's own body."""

from acres_ros._compile import entry, kernel
from acres_ros.models.maths import INFINITY

BOX = 15
"""Numbers of a box: its middle x, y, z, half its lengths along its own axes (m), and these axes in the world as a
matrix, row by row."""


@kernel
def _local(boxes, box, x, y, z, axis):
    """Return the component of a world vector along an axis of a box."""
    return boxes[box, 6 + axis] * x + boxes[box, 9 + axis] * y + boxes[box, 12 + axis] * z


@kernel
def box_meets(boxes, box, x, y, z, dx, dy, dz):
    """Return where a beam first crosses the surface of a box from 0 on (infinity for none), and the face's axis.

    Args:
        boxes: (n, BOX).
        box: which of them.
        x, y, z: origin, m.
        dx, dy, dz: direction.
    """
    x, y, z = x - boxes[box, 0], y - boxes[box, 1], z - boxes[box, 2]
    enter, leave = -INFINITY, INFINITY
    in_, out = 0, 0
    for axis in range(3):
        start, change = _local(boxes, box, x, y, z, axis), _local(boxes, box, dx, dy, dz, axis)
        half = boxes[box, 3 + axis]
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
    return (enter, in_) if enter >= 0.0 else (leave, out)


@kernel
def face_cosine(boxes, box, axis, dx, dy, dz):
    """Return the cosine of the incidence of a beam, whose direction has the length 1, on a face of a box."""
    return abs(_local(boxes, box, dx, dy, dz, axis))


def box_bounds(boxes):
    """Return the upright round of each box (n, 5): x, y of its middle, radius, lowest and highest point, m.

    Args:
        boxes: array (n, BOX).
    """
    bounds = boxes[:, [0, 1, 0, 2, 2]].copy()
    axes = abs(boxes[:, 6:].reshape(-1, 3, 3))
    reach = axes[:, :, 0] * boxes[:, 3:4] + axes[:, :, 1] * boxes[:, 4:5] + axes[:, :, 2] * boxes[:, 5:6]
    bounds[:, 2] = reach[:, 0] + reach[:, 1]
    bounds[:, 3] -= reach[:, 2]
    bounds[:, 4] += reach[:, 2]
    return bounds


@entry
def fill_body(boxes, columns, rings, offset, axes, place, body):
    """Fill where each beam of a pattern meets the vehicle's own body, which moves with the sensor.

    Args:
        boxes: (n, BOX) of the body in `base_footprint`.
        columns, rings, offset: as in `acres_ros.models.lidar_beams.Beams`.
        axes: axes of the sensor in `base_footprint`, as a matrix, row by row (9,).
        place: its place there (3,), m.
        body: result (beams, 2): distance (m; infinity for none) and cosine of the incidence.
    """
    for column in range(len(columns)):
        ca, sa = columns[column, 0], columns[column, 1]
        x = place[0] + offset * (axes[0] * ca + axes[1] * sa)
        y = place[1] + offset * (axes[3] * ca + axes[4] * sa)
        z = place[2] + offset * (axes[6] * ca + axes[7] * sa)
        for ring in range(len(rings)):
            forward = rings[ring, 0] * ca - rings[ring, 1] * sa
            left = rings[ring, 0] * sa + rings[ring, 1] * ca
            up = rings[ring, 2]
            dx = axes[0] * forward + axes[1] * left + axes[2] * up
            dy = axes[3] * forward + axes[4] * left + axes[5] * up
            dz = axes[6] * forward + axes[7] * left + axes[8] * up
            beam = column * len(rings) + ring
            body[beam, 0], body[beam, 1] = INFINITY, 0.0
            for box in range(len(boxes)):
                t, axis = box_meets(boxes, box, x, y, z, dx, dy, dz)
                if t < body[beam, 0]:
                    body[beam, 0], body[beam, 1] = t, face_cosine(boxes, box, axis, dx, dy, dz)
