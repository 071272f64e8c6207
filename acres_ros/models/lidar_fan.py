"""What a scan works on at a time: the beams of one ring in some columns that follow each other.

Each quantity is a row with a number for each beam. All rows lie in one record, at places that the compiler knows: so it
sees that no row overlaps another, and makes vectors of loops over many of them.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._record import Field, Record
from acres_ros.models.scene_ray import new_scratch

TOGETHER = 128
"""Columns that are scanned ring by ring: what one beam meets, its neighbour meets too, most often."""
NOWHERE, TERRAIN, IN_CROPS = -3, -2, -1
"""Items that are no shape: the beam meets nothing, the terrain, the crops."""
NO_SECTOR = -1
"""Sector of a beam that takes the trees of terrain and scene."""


def _row(name: str, unit: str, description: str, kind: type = float) -> Field:
    return Field(name, unit, 0, description, kind, TOGETHER)


FAN = Record(
    "FAN",
    (
        # The columns: the same for all rings.
        _row("x", "m", "start"),
        _row("y", "m", "start"),
        _row("z", "m", "start"),
        _row("forward_x", "-", "world direction of the column's azimuth, of length 1"),
        _row("forward_y", "-", "the same"),
        _row("forward_z", "-", "the same"),
        _row("left_x", "-", "world direction to the left of it"),
        _row("left_y", "-", "the same"),
        _row("left_z", "-", "the same"),
        _row("up_x", "-", "world direction up from both"),
        _row("up_y", "-", "the same"),
        _row("up_z", "-", "the same"),
        _row("above", "-", "1: the start is on the grid of the terrain and above its surface; 0: it is not"),
        _row("u", "cells", "start, from the south-west corner of the terrain"),
        _row("v", "cells", "the same"),
        _row("cosine", "-", "of the azimuth"),
        _row("sine", "-", "of the azimuth"),
        # The directions of the beams.
        _row("dx", "-", "direction, of length 1"),
        _row("dy", "-", "the same"),
        _row("dz", "-", "the same"),
        _row("level", "-", "length of its level part"),
        _row("per_level", "-", "one over it"),
        _row("slope", "-", "rise over level distance"),
        _row("per_slope", "-", "one over it"),
        _row("turn", "-", "diamond angle"),
        _row("du", "cells/m", "direction east"),
        _row("dv", "cells/m", "direction north"),
        _row("per_du", "m/cell", "one over it"),
        _row("per_dv", "m/cell", "the same"),
        _row("sector", "-", "sector of the index, or NO_SECTOR", int),
        _row("word", "-", "hash of the beam", np.uint64),
        # The search.
        _row("bin", "-", "first bin of the skyline that can be met; their number for none"),
        _row("rise", "blocks", "how high above the sensor it reaches at most"),
        _row("crop_bin", "-", "the same of the crops"),
        _row("crop_rise", "blocks", "the same"),
        _row("low", "m", "where the beam can first meet what is looked for; infinity: nowhere, or no more"),
        _row("column", "-", "cell of the terrain there"),
        _row("row", "-", "the same"),
        _row("south_west", "m", "height of the cell's corners"),
        _row("south_east", "m", "the same"),
        _row("north_west", "m", "the same"),
        _row("north_east", "m", "the same"),
        _row("depth", "-", "how far the beam gets in crops, times their density"),
        # What is met.
        _row("end", "m", "where the beam ends, or its range; negative: on the own body, it is not looked at"),
        _row("met", "-", "NOWHERE, TERRAIN, IN_CROPS, or place of a shape in the arrays, boxes after all shapes", int),
        _row("rank", "-", "number of the shape: of two in one place the first counts", int),
        _row("face", "-", "face of a box", int),
        _row("east", "-", "rise of the terrain there, east"),
        _row("north", "-", "the same, north"),
        # What the sensor makes of it.
        _row("incidence", "-", "cosine of the incidence on terrain"),
        _row("class_column", "-", "cell of the surface class", int),
        _row("class_row", "-", "the same", int),
        _row("material", "-", "what is met", int),
        _row("bright", "-", "reflectivity times the cosine of the incidence"),
        _row("blocked", "m", "where the light ends: before `end` on a body that gives no echo"),
        _row("normal_1", "-", "standard normal deviate"),
        _row("normal_2", "-", "another"),
        _row("distance", "m", "what is reported; 0: no echo"),
        _row("intensity", "-", "the same"),
        _row("point_x", "m", "the same, in the frame of the sensor"),
        _row("point_y", "m", "the same"),
        _row("point_z", "m", "the same"),
    ),
)


class Room(NamedTuple):
    """What a scan needs while it goes on.

    Attributes:
        fans: one FAN record in an array.
        scratch: of the tree of the scene.
    """

    fans: np.ndarray
    scratch: np.ndarray


def new_room():
    """Return the room that a scan needs while it goes on; one for each thread."""
    return Room(np.zeros(1, FAN.dtype), new_scratch())
