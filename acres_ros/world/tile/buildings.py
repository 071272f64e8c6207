"""Farmsteads: yards with their buildings and bins."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.tile.frame import generator, spread
from acres_ros.world.tile.relief import Graded
from acres_ros.world.tile.roads import Road
from acres_ros.world.tile.shapes import Polygon, bounds, rectangle, rounded

GARAGE_PLACE = (-38.71, -140.513)
GARAGE_HEIGHT_M = 0.639
GARAGE_LOT = (-90.0, -190.0, 40.0, -114.0)
GARAGE_WAY = (-62.0, -142.0, 12.0, 20.0)
"""Ground north of the garage that stays free of trees, for vehicles that start there: a box, m."""

LOT_PLACE = (210.31, -249.94)
LOT = (160.0, -302.0, 264.0, -222.0)
PAD_M = 1.0
"""How far a concrete pad reaches beyond the walls."""


class Building(NamedTuple):
    """A box with a gable roof.

    Attributes:
        kind: what it is.
        outline: corners of the walls; the ridge runs along the first edge.
        eave: height of the walls, m.
        ridge: height of the ridge above the eaves, m.
    """

    kind: str
    outline: Polygon
    eave: float
    ridge: float


class Bin(NamedTuple):
    """A grain bin: a cylinder with a conical roof.

    Attributes:
        x: east of its middle, m.
        y: north of its middle, m.
        radius: radius, m.
        eave: height of the wall, m.
    """

    x: float
    y: float
    radius: float
    eave: float


class Farmstead(NamedTuple):
    """A yard with what stands on it.

    Attributes:
        name: what it is called.
        graded: the levelled ground.
        gravel: the part with gravel.
        drive: the way in from the road.
        buildings: buildings.
        bins: bins.
        raised: whether the buildings stand on raised pads.
    """

    name: str
    graded: Graded
    gravel: Polygon
    drive: Road
    buildings: tuple[Building, ...]
    bins: tuple[Bin, ...]
    raised: bool = True


def farmsteads(seed: int) -> tuple[Farmstead, ...]:
    """Return the farmsteads of a tile."""
    random = generator(seed, "buildings")
    return (
        _garage_yard(),
        _lot(),
        _homestead(random, "Lindberg farm", (688.0, -345.0), "west", 11, 6),
        _homestead(random, "Throckmorton farm", (-520.0, 678.0), "south", 10, 4),
        _homestead(random, "County Road house", (712.0, 236.0), "east", 8, 0),
        _homestead(random, "Creek farm", (-511.5, -220.0), "south", 10, 2),
    )


_GARAGE_BUILDINGS = (
    # kind, west, south, east, north edge, eave, ridge (m). The first two fix what a vehicle at the garage place sees:
    # the wall 9.44 (0.82, -0.57) m away, and the corner at 3.20 m, the nearest obstacle.
    ("ICSC garage", -33.970, -164.000, -5.000, -145.894, 5.2, 2.6),
    ("fuel shed", -49.000, -150.000, -41.510, -142.062, 3.0, 1.2),
    ("machine shed", -87.0, -188.0, -61.0, -174.0, 4.9, 2.3),
    ("machine shed", -43.0, -188.0, -12.0, -175.0, 4.9, 2.2),
    ("seed laboratory", -5.0, -188.0, 16.0, -174.0, 3.8, 2.4),
    ("office", 16.0, -157.0, 37.0, -136.0, 3.6, 3.0),
    ("greenhouse", -87.0, -167.0, -67.0, -159.0, 2.8, 1.6),
    ("greenhouse", -87.0, -155.0, -67.0, -147.0, 2.8, 1.6),
    ("head house", -87.0, -139.0, -75.0, -127.0, 3.4, 2.0),
    ("phenotyping bay", 18.0, -129.0, 37.0, -118.0, 4.4, 1.8),
    ("chemical store", -64.0, -170.5, -56.0, -164.0, 3.0, 1.2),
    ("pump house", -72.0, -119.5, -67.0, -115.5, 2.6, 0.9),
    ("cold store", 23.0, -172.0, 37.0, -162.0, 3.4, 1.8),
    ("parts store", 2.0, -170.0, 9.0, -164.5, 2.8, 1.1),
)
_GARAGE_BINS = (
    Bin(24.0, -181.5, 3.6, 7.0),
    Bin(32.6, -181.5, 3.6, 7.0),
    Bin(-60.0, -154.0, 2.7, 5.6),
    Bin(-60.0, -146.0, 2.7, 5.6),
    Bin(-60.0, -126.0, 2.4, 5.0),
    Bin(-67.0, -126.0, 2.4, 5.0),
)
_LOT_BUILDINGS = (
    ("machine shed", 165.0, -260.0, 179.0, -230.0, 4.9, 2.4),
    ("workshop", 165.0, -292.0, 179.0, -270.0, 4.4, 2.2),
    ("scale house", 184.0, -230.5, 189.0, -226.5, 2.7, 0.9),
    ("cattle barn", 231.0, -243.0, 257.0, -229.0, 4.2, 3.4),
    ("hay barn", 244.0, -270.0, 256.0, -250.0, 5.2, 2.6),
    ("dryer house", 229.0, -278.0, 235.0, -273.0, 3.6, 1.0),
    ("pump house", 186.0, -300.0, 191.0, -296.0, 2.5, 0.9),
    ("calf barn", 244.0, -292.0, 258.0, -281.0, 3.2, 2.0),
    ("feed store", 183.0, -283.0, 190.0, -275.0, 3.4, 1.4),
    ("milk house", 222.0, -228.5, 227.5, -224.5, 2.7, 1.0),
)
_LOT_BINS = (
    Bin(200.0, -291.5, 4.4, 8.5),
    Bin(210.0, -291.5, 4.4, 8.5),
    Bin(220.0, -291.5, 4.4, 8.5),
    Bin(230.0, -291.5, 4.4, 8.5),
    Bin(200.0, -280.5, 3.6, 7.2),
    Bin(210.0, -280.5, 3.6, 7.2),
    Bin(220.0, -280.5, 3.6, 7.2),
    Bin(238.0, -298.0, 2.4, 5.2),
)
_HOMESTEAD = (
    # kind, middle along and away from the road, length along and width away from it, eave, ridge (m)
    ("house", -30.0, 10.0, 13.0, 9.0, 3.4, 3.2),
    ("car shed", -15.0, 9.0, 8.0, 7.0, 2.7, 1.6),
    ("barn", -29.0, 32.0, 19.0, 12.5, 4.8, 4.6),
    ("machine shed", 24.0, 34.0, 26.0, 12.0, 4.7, 2.2),
    ("workshop", 29.0, 9.5, 15.0, 10.0, 3.9, 1.9),
    ("corn crib", -11.0, 35.0, 10.5, 6.0, 4.4, 1.8),
    ("poultry house", -14.5, 22.5, 9.0, 5.0, 2.5, 1.2),
    ("hog house", 3.0, 37.0, 9.0, 5.5, 2.4, 1.4),
    ("pump house", -37.0, 20.5, 4.0, 3.4, 2.4, 0.9),
    ("dryer house", 12.0, 5.0, 5.0, 4.0, 3.2, 1.0),
    ("wood shed", 37.0, 21.5, 5.0, 6.0, 2.6, 1.1),
)
_HOMESTEAD_BINS = (
    (5.0, 13.5, 3.2),
    (13.0, 13.5, 3.2),
    (5.0, 22.0, 3.2),
    (13.0, 22.0, 3.2),
    (-3.5, 14.0, 2.5),
    (20.0, 20.5, 2.5),
)


def _box_building(row: tuple) -> Building:
    kind, west, south, east, north, eave, ridge = row
    outline = rectangle(west, south, east, north)
    if north - south > east - west:
        outline = (*outline[1:], outline[0])
    return Building(kind, outline, eave, ridge)


def _garage_yard() -> Farmstead:
    # Slopes of whole millimetres a cell, so that rounding to the millimetre leaves one plane: 33 mm and 5 mm in
    # 1.524 m, normal z 0.99976. The height is given at the survey corner south-west of the place.
    east_slope, north_slope = 0.033 / 1.524, 0.005 / 1.524
    x, y = 474 * 1.524 - 762.0, 407 * 1.524 - 762.0
    fall = east_slope * (GARAGE_PLACE[0] - x) + north_slope * (GARAGE_PLACE[1] - y)
    height = round(GARAGE_HEIGHT_M - fall, 3)
    west, south, east, north = GARAGE_LOT
    box = (west - 3.1, south - 3.1, east + 3.1, north + 3.1)  # two cells, so that the lot is the plane to its edge
    graded = Graded(box, east_slope, north_slope, 160.0, height, x, y)
    drive = Road("ICSC drive", ((-52.0, -212.0), (-52.0, -188.0)), 3.2, SurfaceClass.GRAVEL, 0.0)
    buildings = tuple(_box_building(row) for row in _GARAGE_BUILDINGS)
    return Farmstead("ICSC garage", graded, rectangle(*GARAGE_LOT), drive, buildings, _GARAGE_BINS, raised=False)


def _lot() -> Farmstead:
    drive = Road("Lot drive", ((210.31, -212.0), (210.31, -224.0)), 4.5, SurfaceClass.GRAVEL, 0.0)
    graded = Graded(LOT, 0.004, 0.003, 60.0)
    buildings = tuple(_box_building(row) for row in _LOT_BUILDINGS)
    return Farmstead("Beck lot", graded, rectangle(*LOT), drive, buildings, _LOT_BINS)


_TURN = {"south": 180.0, "west": 90.0, "east": -90.0}


def _homestead(
    random: np.random.Generator, name: str, origin: tuple[float, float], side: str, buildings: int, bins: int
) -> Farmstead:
    """Return a homestead beside a road.

    Args:
        random: random numbers; they mirror it and move its buildings a little.
        name: what it is called.
        origin: its middle at the edge of the road, m.
        side: the side of the road on which it lies.
        buildings: count of buildings.
        bins: count of bins.
    """
    turn = radians(_TURN[side])
    c, s = round(cos(turn)), round(sin(turn))
    mirror = 1.0 if random.random() < 0.5 else -1.0

    def place(u: float, v: float) -> tuple[float, float]:
        u *= mirror
        return origin[0] + c * u - s * v, origin[1] + s * u + c * v

    def box(west: float, south: float, east: float, north: float) -> tuple[float, float, float, float]:
        return bounds((place(west, south), place(east, north)))

    def houses() -> Iterator[Building]:
        for kind, u, v, length, width, eave, ridge in _HOMESTEAD[:buildings]:
            u, v = u + float(spread(random, -0.5, 0.5)), v + float(spread(random, -0.5, 0.5))
            corners = ((-length, -width), (length, -width), (length, width), (-length, width))
            outline = [place(u + 0.5 * a, v + 0.5 * b) for a, b in corners]
            if length < width:
                outline = [*outline[1:], outline[0]]
            yield Building(kind, rounded(outline), eave, ridge)

    silos = []
    for u, v, radius in _HOMESTEAD_BINS[:bins]:
        east, north = place(u, v)
        silos.append(Bin(round(east, 3), round(north, 3), radius, round(float(spread(random, 5.0, 7.5)), 2)))
    graded = Graded(box(-41.0, 0.0, 41.0, 42.0), 0.004, 0.004, 30.0)
    gravel = rectangle(*box(-20.0, 1.0, 41.0, 42.0))
    drive = Road(f"{name} drive", (place(-5.0, -12.0), place(-5.0, 4.0)), 2.6, SurfaceClass.GRAVEL, 0.0)
    return Farmstead(name, graded, gravel, drive, tuple(houses()), tuple(silos))


def pads(farms: tuple[Farmstead, ...]) -> list[Graded]:
    """Return the levelled ground of the buildings that stand on raised pads."""
    return [
        Graded((west - 1.6, south - 1.6, east + 1.6, north + 1.6), 0.0, 0.0, 3.0, rise=0.15)
        for farm in farms
        if farm.raised
        for west, south, east, north in (bounds(building.outline) for building in farm.buildings)
    ]
