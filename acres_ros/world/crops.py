"""Crops of a season (`crops_<season>.json`): what stands in each field, and the patches of a square metre of it.

A patch is 1 m by 1 m. Fields without surveyed patches are planted on the grid of whole metres.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acres_ros.models.farm import FIELDS
from acres_ros.models.ground import NO_FIELD, PATCH
from acres_ros.world.errors import UnknownNameError, WorldError
from acres_ros.world.fields import CROPS, Field
from acres_ros.world.json_file import Entry, read_json
from acres_ros.world.polygons import fill_polygon, grid_box

SCHEMA = "acres-crops-1"
LEGACY = "legacy"
"""The season that takes the crops of `fields.json`."""
CROP_NUMBERS = {"corn": 1, "soybean": 2, "potato": 3}
"""Crops that stand in patches, with their numbers there."""
CROP_HEIGHTS_M = (2.4, 0.5, 0.55)
"""Heights of mature corn, soybean and potato (spec, C++ API, FAcresWorldOptions)."""
TALLEST_M = 10.0
LARGEST_M2 = 4.0e8
"""Area round all fields; beyond it the grid of patches would not fit into memory."""

_FILE = re.compile(r"crops_(.+)\.json")
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Planting:
    """What stands in one field.

    Attributes:
        field: number of the field.
        crop: one of `acres_ros.world.fields.CROPS`.
        growth: 0 sown to 1 mature.
        row_spacing_m: distance of the rows; 0: not known.
        patches: middles (n, 2) of surveyed patches, m; None: none were surveyed.
    """

    field: int
    crop: str
    growth: float = 1.0
    row_spacing_m: float = 0.0
    patches: np.ndarray | None = None


def seasons(acre: Path) -> list[str]:
    """Return the seasons that a folder `ACRE` has crop plans for, and `legacy`."""
    found = (_FILE.fullmatch(path.name) for path in sorted(acre.glob("crops_*.json")))
    return [*(match[1] for match in found if match), LEGACY]


def check_season(acre: Path, season: str) -> None:
    """Raise `UnknownNameError` for a season that a folder `ACRE` has no crop plan for."""
    if season not in (known := seasons(acre)):
        raise UnknownNameError(f"season of {acre}", season, known)


def load_plan(acre: Path, season: str, fields: Mapping[int, Field], bounds: Bounds) -> dict[int, Planting]:
    """Return what stands in each field in a season; a field that the plan leaves out bears nothing.

    Args:
        acre: folder with the crop plans.
        season: such as `2026`; `legacy` takes the crops of the fields.
        fields: the fields that there are.
        bounds: west, south, east and north edge of where patches can be, m.

    Raises:
        UnknownNameError: a season without a crop plan.
        WorldFileError: a file of another form, a field twice or not there, a crop that is not known, patches in a field
            whose crop has none or outside the bounds.
    """
    if season == LEGACY:
        return {field.number: Planting(field.number, field.crop) for field in fields.values()}
    check_season(acre, season)
    file = read_json(acre / f"crops_{season}.json", SCHEMA).only("schema", "season", "fields")
    if file.member("season").value != season:
        raise file.member("season").refuse(repr(season))
    plan: dict[int, Planting] = {}
    for entry in file.member("fields").elements(most=FIELDS):
        planting = _planting(entry, bounds)
        if planting.field not in fields:
            raise entry.member("number").refuse(f"a field: {', '.join(map(str, sorted(fields))) or 'there is none'}")
        if planting.field in plan:
            raise entry.member("number").refuse("each field once")
        plan[planting.field] = planting
    return plan


def field_growth(plan: Mapping[int, Planting], growth: float = 1.0) -> np.ndarray:
    """Return the growth of the crop of each field number (60,); 0 where nothing is planted.

    Args:
        plan: what stands in each field.
        growth: growth of all fields, 0 to 1; a field's own growth multiplies it.

    Raises:
        WorldError: a growth outside 0 to 1.
    """
    if not 0.0 <= growth <= 1.0:
        raise WorldError("the growth", growth, "0 to 1")
    table = np.zeros(FIELDS)
    for planting in plan.values():
        if planting.crop in CROP_NUMBERS:
            table[planting.field] = growth * planting.growth
    return table


def plant(
    plan: Mapping[int, Planting],
    fields: Mapping[int, Field],
    bounds: Bounds,
    growth: np.ndarray,
    *,
    generated: bool = True,
    heights: tuple[float, float, float] = CROP_HEIGHTS_M,
) -> np.ndarray:
    """Return the crop patches as PATCH records: surveyed ones field by field, then generated ones from south-west.

    Args:
        plan: what stands in each field.
        fields: the fields that there are; where two overlap the first one counts.
        bounds: west, south, east and north edge of where patches can be, m.
        growth: growth by field number (60,).
        generated: whether fields without surveyed patches are planted on the grid of whole metres.
        heights: heights of mature corn, soybean and potato, m.

    Raises:
        WorldError: a height of a crop that cannot be, or far too large a field.
    """
    mature = np.asarray(heights, float)
    if mature.shape != (len(CROP_NUMBERS),) or not ((mature > 0.0) & (mature <= TALLEST_M)).all():
        raise WorldError("the crop heights", heights, f"three numbers above 0, at most {TALLEST_M:g} m")
    parts = []
    for planting in plan.values():
        if planting.patches is not None:
            x, y = planting.patches.T
            parts.append((x, y, np.full(len(x), planting.field, np.uint8)))
    if generated:
        sown = {n for n, planting in plan.items() if planting.crop in CROP_NUMBERS and planting.patches is None}
        parts.append(_generate(fields, sown, bounds))
    patches = np.zeros(sum(len(x) for x, _, _ in parts), PATCH)
    if parts:
        for name, values in zip(("x", "y", "field"), zip(*parts, strict=True), strict=True):
            patches[name] = np.concatenate(values)
    crops = np.zeros(FIELDS, np.uint8)
    for planting in plan.values():
        crops[planting.field] = CROP_NUMBERS.get(planting.crop, 0)
    tall = growth * np.concatenate(([0.0], mature))[crops]
    for name, table in (("height", tall), ("growth", growth), ("crop", crops)):
        patches[name] = table[patches["field"]]
    return patches


def sort_patches(
    patches: np.ndarray, x0: float, y0: float, cell: float, rows: int, columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the patches land cell by land cell, and the first patch of each cell with their number at the end.

    Args:
        patches: PATCH records; within a cell they keep their order.
        x0: east of the south-west edge of the land raster, m.
        y0: north of the south-west edge of the land raster, m.
        cell: size of a land cell, m.
        rows: land cells from south to north.
        columns: land cells from west to east.
    """
    column, row = (
        np.clip((patches[axis].astype(float) - low) / cell, 0, count - 1).astype(np.min_scalar_type(count))
        for axis, low, count in (("x", x0, columns), ("y", y0, rows))
    )
    bins = np.zeros(rows * columns + 1, np.int32)
    np.cumsum(np.bincount(row * np.intp(columns) + column, minlength=rows * columns), out=bins[1:])
    return np.take(patches, np.lexsort((column, row))), bins


def _generate(fields: Mapping[int, Field], sown: set[int], bounds: Bounds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and field of the points of the grid of whole metres in the fields that are sown."""
    boxes = {number: grid_box(field.polygon, bounds) for number, field in fields.items()}
    boxes = {number: box for number, box in boxes.items() if box[2] and box[3]}
    if not boxes:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8)
    west, south = (min(box[axis] for box in boxes.values()) for axis in (0, 1))
    east, north = (max(box[axis] + box[axis + 2] for box in boxes.values()) for axis in (0, 1))
    if (area := (east - west) * (north - south)) > LARGEST_M2:
        raise WorldError("the area round the fields", area, f"at most {LARGEST_M2:g} m2")
    owners = np.full((north - south, east - west), NO_FIELD, np.uint8)
    for number, (left, low, columns, rows) in reversed(boxes.items()):
        inside = fill_polygon(fields[number].polygon, left, low, columns, rows)
        window = owners[low - south : low - south + rows, left - west : left - west + columns]
        window[inside] = number if number in sown else NO_FIELD
    y, x = np.nonzero(owners != NO_FIELD)
    return x + west, y + south, owners[y, x]


def _planting(entry: Entry, bounds: Bounds) -> Planting:
    entry.only("number", "crop", "growth", "row_spacing_m", "patches")
    crop = entry.member("crop").text(among=CROPS)
    patches = None
    if entry.has("patches"):
        given = entry.member("patches")
        patches = given.rows(("x", "y")).astype(np.float32)
        if crop not in CROP_NUMBERS and len(patches):
            raise given.refuse(f"none for {crop}: patches are of {', '.join(CROP_NUMBERS)}")
        outside = np.flatnonzero(~((patches >= bounds[:2]) & (patches < bounds[2:])).all(axis=1))
        if outside.size:
            wrong = given.elements()[outside[0]]
            raise wrong.refuse("a point on the map: from ({:g}, {:g}) to ({:g}, {:g}) m".format(*bounds))
    return Planting(
        field=entry.member("number").integer(0, FIELDS - 1),
        crop=crop,
        growth=entry.member("growth", 1.0).number(0.0, 1.0),
        row_spacing_m=entry.member("row_spacing_m", 0.0).number(0.0, 10.0),
        patches=patches,
    )
