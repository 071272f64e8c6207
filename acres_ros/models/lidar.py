"""One scan of a LiDAR: what each beam meets first, and what the sensor makes of it.

Everything random is a hash of the beam, so no result depends on the threads, nor on how the hits are found.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.lidar_beams import aim_ring, fill_local_points, stand_columns
from acres_ros.models.lidar_fan import NOWHERE, TOGETHER, new_room
from acres_ros.models.lidar_hits import Index, Sight, meet_ring
from acres_ros.models.lidar_light import NOTHING, light_ring
from acres_ros.models.lidar_noise import fill_normals, fill_words
from acres_ros.models.lidar_signal import echo, plain_optics
from acres_ros.models.lidar_weather import echo_in_air
from acres_ros.models.maths import INFINITY, NAN


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
def _start_ring(body, farthest, first, rings, fan, count):
    """Fill how far the beams of one ring are looked at, and return how many are at all.

    Args:
        body: as `scan_columns`.
        farthest: range of the beams, m.
        first, rings: number of the first beam, and by how much it grows from one to the next.
        fan: FAN record.
        count: number of beams.
    """
    number = 0
    for place in range(count):
        on_body = len(body) > 0 and body[first + place * rings, 0] < INFINITY
        fan.end[place], fan.met[place] = (-1.0 if on_body else farthest), NOWHERE
        number += 0 if on_body else 1
    return number


@kernel
def _hear_ring(optics, by, air, noisy, fan, count):
    """Fill distance and intensity that are reported of the beams of one ring, and through the air the material.

    Args:
        optics: Optics.
        by: AIR record.
        air: Air.
        noisy: whether there is noise.
        fan: FAN record.
        count: number of beams.
    """
    if air.use == 1:
        for place in range(count):
            fan.distance[place], fan.intensity[place], fan.material[place] = echo_in_air(
                optics, by, air, noisy, fan.word[place], fan.normal_1[place], fan.normal_2[place],
                fan.end[place], fan.blocked[place], fan.material[place], fan.bright[place],
            )  # fmt: skip
    else:
        for place in range(count):
            fan.distance[place], fan.intensity[place] = echo(
                optics, noisy, fan.word[place], fan.normal_1[place], fan.normal_2[place], fan.end[place],
                fan.bright[place], 0.0,
            )  # fmt: skip


@kernel
def _report_ring(fan, first, rings, count, echoes):
    """Write what is reported of the beams of one ring, and return the number of echoes.

    Args:
        fan: FAN record.
        first, rings: number of the first beam, and by how much it grows from one to the next.
        count: number of beams.
        echoes: Echoes, results.
    """
    number, points = 0, echoes.points
    for place in range(count):
        beam, distance = first + place * rings, fan.distance[place]
        none = distance == 0.0
        echoes.ranges[beam] = INFINITY if none else distance
        echoes.materials[beam] = NOTHING if none else fan.material[place]
        points[beam, 0] = NAN if none else fan.point_x[place]
        points[beam, 1] = NAN if none else fan.point_y[place]
        points[beam, 2] = NAN if none else fan.point_z[place]
        points[beam, 3] = fan.intensity[place]
        number += 0 if none else 1
    return number


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
    fan = room.fans[0]
    with_, rings = plain_optics(optics[0]), len(beams.rings)
    bin_, crop_bin, count = 0, 0, 0
    for start in range(first, last, TOGETHER):
        columns = min(TOGETHER, last - start)
        stand_columns(beams, views, sight.field, start, start + columns, fan)
        for ring in range(rings):
            beam = start * rings + ring
            fill_words(key, beam, rings, columns, fan.word)
            if _start_ring(body, with_.farthest_m, beam, rings, fan, columns) > 0:
                aim_ring(beams, ring, index.use, fan, columns)
                bin_, crop_bin = meet_ring(sight, crushed, boxes, index, room, beam, rings, columns, bin_, crop_bin)
            light_ring(sight, boxes, box_material, with_, body, fan, beam, rings, columns)
            if noisy:
                fill_normals(fan.word, columns, fan.normal_1, fan.normal_2)
            _hear_ring(with_, by[0], air, noisy, fan, columns)
            fill_local_points(beams, ring, fan, columns)
            count += _report_ring(fan, beam, rings, columns, echoes)
    return count


__all__ = ["NOTHING", "Echoes", "Index", "Sight", "new_room", "scan_columns"]
