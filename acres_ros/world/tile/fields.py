"""Fields of the tile: blocks between the roads, cut into fields, numbered and planted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acres_ros.world.tile.frame import generator, spread
from acres_ros.world.tile.shapes import Point, Polygon, area, bounds, east_of, rectangle, rounded, west_of
from acres_ros.world.tile.water import BANK_M, Waterway

PLANTED_M2 = 706_104.0
"""Area of corn, soybean and potato: one patch for each square metre, as many as the surveyed farm has."""

PLANTED = ("corn", "soybean", "potato")
NARROWEST_M = 36.0
"""Least width of a part of a field that is cut in two."""

ALLEY_M = 5.0
"""Grass between two fields."""

FIELD_24 = rectangle(148.5, 184.5, 267.5, 349.5)
FIELD_48 = rectangle(-145.5, -110.5, 163.5, 102.5)
MOWN_STRIP = rectangle(148.5, 122.5, 267.5, 184.5)


@dataclass(frozen=True)
class Field:
    """One field.

    Attributes:
        number: 0 to 59.
        name: what it is called.
        crop: corn, soybean, potato, sod, grass or none.
        polygon: corners, m.
        heading_deg: direction of the rows, counter-clockwise from east.
    """

    number: int
    name: str
    crop: str
    polygon: Polygon
    heading_deg: float

    @property
    def planted(self) -> bool:
        """Return whether a crop stands on it patch by patch."""
        return self.crop in PLANTED


def lay_fields(seed: int, north_water: Waterway, south_water: Waterway) -> tuple[Field, ...]:
    """Return the fields, in the order of their numbers.

    Args:
        seed: seed of the tile.
        north_water: the waterway of the northern row of blocks.
        south_water: the waterway of the southern row of blocks.
    """
    random = generator(seed, "fields")
    fixed = [
        Field(48, "Field 48", "corn", FIELD_48, 90.0),
        Field(24, "Field 24", "corn", FIELD_24, 0.0),
        Field(23, "Mown strip 23", "grass", MOWN_STRIP, 90.0),
    ]
    free = [*_blocks(random), *_water_blocks(random, north_water, _NORTH), *_water_blocks(random, south_water, _SOUTH)]
    free.sort(key=lambda p: (-round(bounds(p)[3] / 150.0), bounds(p)[0]))
    crops = _plant(random, free, PLANTED_M2 - sum(area(f.polygon) for f in fixed if f.planted))
    numbers = [n for n in range(60) if n not in (23, 24, 48)]
    fields = fixed
    for number, (polygon, crop) in zip(numbers, crops, strict=False):
        heading = _heading(random, polygon)
        name = f"{'Field' if crop in PLANTED or crop == 'none' else 'Meadow'} {number}"
        fields.append(Field(number, name, crop, polygon, heading))
    return tuple(sorted(fields, key=lambda f: f.number))


def _blocks(random: np.random.Generator) -> list[Polygon]:
    """Cut the rectangles between the roads into fields."""
    found = []
    for west, south, east, north, across, along in (
        # west, south, east, north edge (m), fields from west to east, fields from south to north
        (-752.5, 70.5, -469.5, 350.5, 1, 2),
        (-752.5, -202.5, -469.5, 50.5, 1, 1),
        (-450.5, -202.5, -169.5, 350.5, 1, 3),
        (-150.5, 121.5, 138.5, 350.5, 2, 1),
        (295.5, 121.5, 684.5, 350.5, 2, 1),
        (172.5, -202.5, 275.5, 102.5, 1, 2),
        (50.5, -202.5, 163.5, -118.5, 1, 1),
        (295.5, -20.5, 684.5, 103.5, 1, 1),
        (295.5, -202.5, 470.5, -30.5, 1, 1),
        (-450.5, -470.5, -169.5, -221.5, 2, 1),
        (-150.5, -470.5, 150.5, -221.5, 1, 1),
        (160.5, -470.5, 275.5, -312.5, 1, 1),
        (295.5, -470.5, 600.5, -221.5, 2, 1),
        (295.5, -752.5, 684.5, -489.5, 2, 1),
        (-752.5, -420.5, -560.5, -221.5, 1, 1),
        (714.5, 380.5, 756.5, 672.5, 1, 1),
        (714.5, -750.5, 756.5, -240.5, 1, 1),
        (-752.5, 708.5, 684.5, 757.5, 2, 1),
    ):
        columns = _cuts(random, west, east, across)
        for left, right in columns:
            for low, high in _cuts(random, south, north, along):
                found.append(rectangle(left, low, right, high))
    return found


# South and north edge of a row of blocks, then its columns: west, east edge (m), fields below the water, fields above.
_NORTH = (
    (369.5, 673.5),
    (
        (-752.5, -469.5, 1, 0),
        (-752.5, -570.5, 0, 1),
        (-450.5, -169.5, 1, 1),
        (-150.5, 275.5, 1, 2),
        (295.5, 684.5, 1, 1),
    ),
)
_SOUTH = (
    (-752.5, -489.5),
    ((-450.5, -100.5, 1, 1), (-95.5, 275.5, 1, 1)),
)


def _water_blocks(random: np.random.Generator, water: Waterway, row: tuple) -> list[Polygon]:
    """Cut the blocks of a row along its waterway, then across."""
    (south, north), columns = row
    found = []
    for west, east, below, above in columns:
        for left, right in _cuts(random, west, east, below):
            bank = _bank(water, left, right, -BANK_M)
            found.append(rounded([(left, south), (right, south), *bank[::-1]]))
        for left, right in _cuts(random, west, east, above):
            bank = _bank(water, left, right, BANK_M)
            found.append(rounded([*bank, (right, north), (left, north)]))
    return found


def _bank(water: Waterway, west: float, east: float, offset: float) -> list[Point]:
    """Return the edge of a field along a waterway, from west to east, in straight lines of about 20 m."""
    x = np.linspace(west, east, max(2, int((east - west) / 20.0)))
    slope = np.array([water.north_at(e + 3.0) - water.north_at(e - 3.0) for e in x]) / 6.0
    lift = offset * np.sqrt(1.0 + slope * slope)
    return [(float(e), water.north_at(float(e)) + float(n) + 0.0137) for e, n in zip(x, lift, strict=True)]


def _cuts(random: np.random.Generator, low: float, high: float, count: int) -> list[tuple[float, float]]:
    """Cut a length into parts of unequal size with alleys between, on half metres."""
    shares = [float(spread(random, 0.7, 1.3)) for _ in range(count)]
    length = high - low - ALLEY_M * (count - 1)
    ends, start = [], low
    for share in shares:
        end = start + round(length * share / sum(shares))
        ends.append((start, end))
        start = end + ALLEY_M
    return [*ends[:-1], (ends[-1][0], high)] if ends else []


def _plant(random: np.random.Generator, polygons: Sequence[Polygon], wanted: float) -> list[tuple[Polygon, str]]:
    """Give each field a crop so that the planted area is the wanted one; one field is cut in two for that."""
    order = random.permutation(len(polygons)).tolist()
    crops: dict[int, str] = {}
    rest: list[tuple[int, Polygon]] = []
    planted = list(polygons)
    share = {"corn": 0.46, "soybean": 0.46, "potato": 0.08}
    given = dict.fromkeys(share, 0.0)
    for index in order:
        size = area(polygons[index])
        if wanted <= 0.0:
            continue
        crop = min(share, key=lambda c: given[c] / share[c])
        if size > wanted:
            west, _, east, _ = bounds(polygons[index])
            cut = _meridian(polygons[index], wanted)
            if cut - west < NARROWEST_M:
                continue
            planted[index] = west_of(polygons[index], cut)
            if east - cut > NARROWEST_M:
                rest.append((index, east_of(polygons[index], cut + ALLEY_M)))
            size = wanted
        crops[index] = crop
        given[crop] += size
        wanted -= size
    others = ("sod", "grass", "none", "grass", "none", "sod")
    start = int(random.integers(len(others)))
    found = []
    for index, polygon in enumerate(planted):
        found.append((polygon, crops.get(index) or others[(start + index) % len(others)]))
        found += [(part, "grass") for at, part in rest if at == index]
    return found


def _meridian(polygon: Polygon, wanted: float) -> float:
    """Return where to cut a field so that its western part has the wanted area, on a half metre."""
    west, _, east, _ = bounds(polygon)
    for _ in range(40):
        middle = 0.5 * (west + east)
        west, east = (middle, east) if area(west_of(polygon, middle)) < wanted else (west, middle)
    return np.floor(west) + 0.5


def _heading(random: np.random.Generator, polygon: Polygon) -> float:
    """Return the direction of the rows: along the longer side."""
    west, south, east, north = bounds(polygon)
    longer = 0.0 if east - west > north - south else 90.0
    return longer if random.random() < 0.8 else 90.0 - longer
