"""What lies where: relief, waterways, roads, fields, farmsteads and woods of one seed, and the places with names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acres_ros.world.tile.buildings import GARAGE_PLACE, LOT_PLACE, Farmstead, farmsteads, pads
from acres_ros.world.tile.fields import Field, lay_fields
from acres_ros.world.tile.rasters import surface_raster, wet_cells
from acres_ros.world.tile.relief import Graded, carve, finish, plain, roughen
from acres_ros.world.tile.roads import ROADS, Road
from acres_ros.world.tile.shapes import Polygon
from acres_ros.world.tile.trees import woods
from acres_ros.world.tile.water import Waterway, find_waterway

PLACES = (
    # id, name, east, north (m), yaw (deg)
    ("spawn-icsc-garage", "ICSC garage", *GARAGE_PLACE, 90.0),
    ("lot", "Beck lot", *LOT_PLACE, 90.0),
    ("field-24", "Field 24", 195.0, 190.0, 0.0),
    ("grass", "Mown strip south of field 24", 203.32, 138.01, 90.0),
    ("farm-road", "Farm road, westbound lane", -250.0, -210.8, 180.0),
    ("county-road", "County Road 500 West, northbound lane", 701.7, -560.0, 90.0),
    ("north-lane", "North lane", -120.0, 360.0, 0.0),
)

LEVEL_FIELD = Graded((146.0, 120.0, 270.0, 272.0), 0.0, 0.003, 70.0)
"""The graded plots round field 24: level toward the east, 0.3 % toward the north."""


class Layout(NamedTuple):
    """Everything of a tile but its files.

    Attributes:
        plain: corner heights of the plain with its swales, before people came, m.
        heights: corner heights, whole millimetres, m.
        surface: surface class of each cell.
        roads: roads and drives.
        fields: fields in the order of their numbers.
        farms: farmsteads.
        waterways: grass waterways.
        woods: outlines of the woods.
    """

    plain: np.ndarray
    heights: np.ndarray
    surface: np.ndarray
    roads: tuple[Road, ...]
    fields: tuple[Field, ...]
    farms: tuple[Farmstead, ...]
    waterways: tuple[Waterway, ...]
    woods: tuple[Polygon, ...]


def lay_out(seed: int) -> Layout:
    """Return the layout of a tile.

    Args:
        seed: seed of the tile.
    """
    ground = plain(seed)
    farms = farmsteads(seed)
    # The garage stands at a given height: the plain is lifted to it.
    garage = farms[0].graded
    row, column = round((garage.y + 762.0) / 1.524), round((garage.x + 762.0) / 1.524)
    ground += (garage.height or 0.0) - ground[row - 25 : row + 26, column - 42 : column + 43].mean()
    waterways = (find_waterway(ground, seed, 684.0, 430.0, 612.0), find_waterway(ground, seed, 276.0, -700.0, -545.0))
    for water in waterways:
        carve(ground, water)
    roads = (*ROADS, *(farm.drive for farm in farms))
    lots = [LEVEL_FIELD, *(farm.graded for farm in farms[::-1])]
    heights, level = finish(ground.copy(), roads, lots, pads(farms))
    fields = lay_fields(seed, *waterways)
    surface = surface_raster(roads, fields, farms, waterways, wet_cells(ground))
    heights = roughen(heights, level, surface, seed)
    return Layout(ground, heights, surface, roads, fields, farms, waterways, woods(seed))
