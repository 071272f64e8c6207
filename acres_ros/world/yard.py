"""The built-in yard: level ground round the garage of the spec's examples.

The gravel lot lies round the place `spawn-icsc-garage`; north of it begins field 48 with its crop; the rest is grass.
Numbers from the spec: place and height (C++ API, Minimal program and FAcresTerrain), gravel = class 2.
"""

from __future__ import annotations

from math import pi

import numpy as np

from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.world import Place, World

HEIGHT_M = 0.639
HALF_WIDTH_M = 762.0
CLASS_CELL_M = 4.0
GARAGE = Place("spawn-icsc-garage", -38.71, -140.513, pi / 2.0)

LOT = (-90.0, -190.0, 40.0, -114.0)  # west, south, east, north, m
FIELD_48 = (-142.0, -114.0, 162.0, 102.0)


def yard() -> World:
    """Return the yard."""
    count = int(2.0 * HALF_WIDTH_M / CLASS_CELL_M) + 1
    edges = -HALF_WIDTH_M + CLASS_CELL_M * (np.arange(count) + 0.5)
    east, north = np.meshgrid(edges, edges)
    classes = np.full((count, count), SurfaceClass.GRASS, np.uint8)
    for (west, south, east_edge, north_edge), number in (
        (FIELD_48, SurfaceClass.FIELD),
        (LOT, SurfaceClass.GRAVEL),
    ):
        inside = (east > west) & (east < east_edge) & (north > south) & (north < north_edge)
        classes[inside] = number
    return World.height_field(
        np.full((2, 2), HEIGHT_M),
        x0=-HALF_WIDTH_M,
        y0=-HALF_WIDTH_M,
        cell=2.0 * HALF_WIDTH_M,
        classes=classes,
        class_cell=CLASS_CELL_M,
        places=(GARAGE,),
        name="yard",
    )
