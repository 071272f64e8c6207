"""Fields: their polygons and what is sown (`fields.json`), and the raster that says which is where (`fields.u8`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acres_ros.models.farm import FIELDS
from acres_ros.models.ground import NO_FIELD
from acres_ros.world.array_file import read_array
from acres_ros.world.errors import WorldFileError
from acres_ros.world.json_file import Entry, read_json
from acres_ros.world.polygons import inside_polygon

SCHEMA = "acres-fields-1"
CROPS = ("corn", "soybean", "potato", "sod", "grass", "none")
"""What a field can bear; the first three stand in patches."""


@dataclass(frozen=True, eq=False)
class Field:
    """One field.

    Attributes:
        number: 0 to 59.
        name: what it is called.
        crop: one of `CROPS`, by `fields.json`; the crop plan of a season may say something else.
        polygon: corners (n, 2), m east and north.
        row_heading_deg: direction of the crop rows, counter-clockwise from east.
    """

    number: int
    name: str
    crop: str
    polygon: np.ndarray
    row_heading_deg: float


def load_fields(path: str | Path) -> dict[int, Field]:
    """Return the fields of a file by their numbers, in the order of the file.

    Args:
        path: `fields.json`.

    Raises:
        WorldFileError: a file of another form, a number twice, a crop that is not known, a polygon without an area.
    """
    file = read_json(path, SCHEMA).only("schema", "fields")
    fields: dict[int, Field] = {}
    for entry in file.member("fields").elements(most=FIELDS):
        field = _field(entry)
        if field.number in fields:
            raise entry.member("number").refuse("each field once")
        fields[field.number] = field
    return fields


def load_field_raster(path: str | Path, rows: int, columns: int, fields: Mapping[int, Field]) -> np.ndarray:
    """Return the field number of each land cell (rows, columns); 255 outside every field.

    Args:
        path: `fields.u8`.
        rows: land cells from south to north.
        columns: land cells from west to east.
        fields: the fields that there are.

    Raises:
        WorldFileError: not a file of this size, or a number that no field has.
    """
    raster = read_array(Path(path), "u1", rows, columns)
    for number in np.flatnonzero(np.bincount(raster.ravel())):
        if number != NO_FIELD and number not in fields:
            row, column = np.argwhere(raster == number)[0]
            known = ", ".join(map(str, sorted(fields))) or "none"
            raise WorldFileError(Path(path), f"[{row}, {column}]", int(number), f"255 or a field: {known}")
    return raster


def field_polygon_at(fields: Mapping[int, Field], x: float, y: float) -> int:
    """Return the number of the first field whose polygon holds a point (m); 255 where none does."""
    for number, field in fields.items():
        if inside_polygon(field.polygon, x, y):
            return number
    return NO_FIELD


def _field(entry: Entry) -> Field:
    number = entry.only("number", "name", "crop", "polygon", "row_heading_deg").member("number").integer(0, FIELDS - 1)
    return Field(
        number=number,
        name=entry.member("name", f"field {number}").text(),
        crop=entry.member("crop", "none").text(among=CROPS),
        polygon=entry.member("polygon").polygon(),
        row_heading_deg=entry.member("row_heading_deg", 0.0).number(-360.0, 360.0),
    )
