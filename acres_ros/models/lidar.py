"""One scan of a LiDAR: what each beam meets first, and what the sensor makes of it.

Everything random is a hash of the beam, so no result depends on the threads, nor on how the hits are found.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros.models.lidar_beams import aim_ring, fill_local_points, stand_columns
from acres_ros.models.lidar_hits import (
    NO_SECTOR,
    TOGETHER,
    Index,
    Sight,
    fill_sectors,
    meet_alone,
    meet_run,
    new_room,
)
from acres_ros.models.lidar_light import NOTHING, light_ring
from acres_ros.models.lidar_noise import fill_normals, fill_words
from acres_ros.models.lidar_signal import echo
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
def _report_ring(beams, start, ring, columns, optics, by, air, noisy, room, echoes):
    """Write what is reported of the beams of one ring, and return the number of echoes.

    Args:
        beams, air, room, echoes: as `scan_columns`.
        start: first column.
        ring: number of the ring.
        columns: number of columns.
        optics: OPTICS record.
        by: AIR record.
        noisy: whether there is noise.
    """
    lights, count, rings = room.lights, 0, len(beams.rings)
    distances, points = lights[3], echoes.points
    for place in range(columns):
        word, one, other = room.words[place], lights[1, place], lights[2, place]
        t, bright = room.hits[0, place], room.hits[3, place]
        if air.use == 1:
            distances[place], lights[4, place], room.spots[2, place] = echo_in_air(
                optics, by, air, noisy, word, one, other, t, room.hits[4, place], room.spots[2, place], bright
            )
        else:
            distances[place], lights[4, place] = echo(optics, noisy, word, one, other, t, bright, 0.0)
    fill_local_points(beams, ring, room.stands, columns, distances, lights[5:])
    for place in range(columns):
        beam, distance = (start + place) * rings + ring, distances[place]
        none = distance == 0.0
        echoes.ranges[beam] = INFINITY if none else distance
        echoes.materials[beam] = NOTHING if none else room.spots[2, place]
        points[beam, 0] = NAN if none else lights[5, place]
        points[beam, 1] = NAN if none else lights[6, place]
        points[beam, 2] = NAN if none else lights[7, place]
        points[beam, 3] = lights[4, place]
        count += 0 if none else 1
    return count


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
    stands, aims, hits = room.stands, room.aims, room.hits
    with_ = optics[0]
    rings = len(beams.rings)
    bin_, crop_bin, count = 0, 0, 0
    for start in range(first, last, TOGETHER):
        columns = min(TOGETHER, last - start)
        stand_columns(beams, views, sight.field, start, start + columns, stands)
        for ring in range(rings):
            aim_ring(beams, ring, stands, columns, sight.field.cell, aims)
            fill_sectors(index.use, room, columns)
            beam = start * rings + ring
            fill_words(key, beam, rings, columns, room.words)
            for place in range(columns):
                on_body = len(body) > 0 and body[beam + place * rings, 0] < INFINITY
                hits[0, place] = -1.0 if on_body else with_.farthest_m
            place = 0
            while place < columns:
                end, sector = place + 1, room.sectors[place]
                if sector == NO_SECTOR:
                    meet_alone(sight, crushed, boxes, room, key, beam + place * rings, place)
                else:
                    while end < columns and room.sectors[end] == sector:
                        end += 1
                    bin_, crop_bin = meet_run(
                        sight, crushed, boxes, index, room, key, beam, rings, place, end, bin_, crop_bin
                    )
                place = end
            light_ring(sight, boxes, box_material, with_, body, room, beam, rings, columns)
            if noisy:
                fill_normals(room.words, columns, room.lights[1], room.lights[2])
            count += _report_ring(beams, start, ring, columns, with_, by[0], air, noisy, room, echoes)
    return count


__all__ = ["NOTHING", "Echoes", "Index", "Sight", "new_room", "scan_columns"]
