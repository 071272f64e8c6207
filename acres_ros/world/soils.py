"""Soil units: what the ground is made of (`soils.json`), and the raster that says which unit is where (`soils.u8`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros.models.ground import SOIL
from acres_ros.world.array_file import read_array
from acres_ros.world.errors import WorldFileError
from acres_ros.world.json_file import Entry, read_json

SCHEMA = "acres-soils-1"
MOST_UNITS = 256
PARTS = ("sand_pct", "silt_pct", "clay_pct")
PARTS_TOLERANCE_PCT = 1.0
"""Rounded parts of a soil need not make 100 exactly."""


class TextureGroup(IntEnum):
    """Groups of the textures (USDA Soil Survey Manual, 2017, chapter 3, general terms)."""

    COARSE = 0
    MODERATELY_COARSE = 1
    MEDIUM = 2
    MODERATELY_FINE = 3
    FINE = 4


TEXTURES = {
    "sand": TextureGroup.COARSE,
    "loamy sand": TextureGroup.COARSE,
    "sandy loam": TextureGroup.MODERATELY_COARSE,
    "loam": TextureGroup.MEDIUM,
    "silt loam": TextureGroup.MEDIUM,
    "silt": TextureGroup.MEDIUM,
    "clay loam": TextureGroup.MODERATELY_FINE,
    "sandy clay loam": TextureGroup.MODERATELY_FINE,
    "silty clay loam": TextureGroup.MODERATELY_FINE,
    "sandy clay": TextureGroup.FINE,
    "silty clay": TextureGroup.FINE,
    "clay": TextureGroup.FINE,
}
"""The twelve textures of the USDA triangle."""


@dataclass(frozen=True)
class SoilUnit:
    """One map unit of the soil survey.

    Attributes:
        symbol: what the map calls it.
        name: its name.
        texture: one of `TEXTURES`.
        sand_pct: part of the dry mass.
        silt_pct: part of the dry mass.
        clay_pct: part of the dry mass.
        organic_pct: organic matter.
        bulk_density: dry mass over volume, g/cm3.
        theta_s: volumetric water content at saturation.
        theta_fc: at field capacity, 33 kPa.
        theta_wp: at the wilting point, 1500 kPa.
        drainage: natural drainage class, as a text.
        source: where the numbers are from.
    """

    symbol: str
    name: str
    texture: str
    sand_pct: float
    silt_pct: float
    clay_pct: float
    organic_pct: float
    bulk_density: float
    theta_s: float
    theta_fc: float
    theta_wp: float
    drainage: str = ""
    source: str = ""

    @property
    def group(self) -> TextureGroup:
        """Return the group of the texture."""
        return TEXTURES[self.texture]


_PLAIN: dict[str, Any] = {field.name: field.default for field in SOIL.fields}
PLAIN_SOIL = SoilUnit(symbol="RbA", name="Raub-Brenton complex", texture="silt loam", organic_pct=3.5, **_PLAIN)
"""The soil of a world that says nothing of its own: the defaults of SOIL."""


def load_soils(path: str | Path) -> tuple[SoilUnit, ...]:
    """Return the soil units of a file; their places in it are the numbers of the raster.

    Args:
        path: `soils.json`.

    Raises:
        WorldFileError: a file of another form, a symbol twice, a number outside its range, parts that do not make a
            whole, water contents that are not in order.
    """
    entries = read_json(path, SCHEMA).only("schema", "units").member("units").elements(most=MOST_UNITS)
    units = tuple(map(_unit, entries))
    if not units:
        raise WorldFileError(Path(path), "units", [], "one soil unit at least")
    symbols = [unit.symbol for unit in units]
    for index, entry in enumerate(entries):
        if symbols[index] in symbols[:index]:
            raise entry.member("symbol").refuse("each symbol once")
    return units


def load_soil_raster(path: str | Path, rows: int, columns: int, units: int) -> np.ndarray:
    """Return the index of the soil unit of each land cell (rows, columns).

    Args:
        path: `soils.u8`.
        rows: land cells from south to north.
        columns: land cells from west to east.
        units: how many soil units there are.

    Raises:
        WorldFileError: not a file of this size, or an index that no unit has.
    """
    raster = read_array(Path(path), "u1", rows, columns)
    if raster.max() >= units:
        row, column = np.argwhere(raster >= units)[0]
        wanted = f"the index of a soil unit, below {units}"
        raise WorldFileError(Path(path), f"[{row}, {column}]", int(raster[row, column]), wanted)
    return raster


def soil_records(units: Sequence[SoilUnit]) -> np.ndarray:
    """Return one SOIL record for each unit."""
    records = SOIL.new(len(units)).view(np.ndarray)
    for name in SOIL.dtype.names or ():
        records[name] = [getattr(unit, name) for unit in units]
    return records


def _unit(entry: Entry) -> SoilUnit:
    entry.only(*SoilUnit.__dataclass_fields__)
    unit = SoilUnit(
        symbol=entry.member("symbol").text(),
        name=entry.member("name").text(),
        texture=entry.member("texture").text(among=TEXTURES),
        sand_pct=entry.member("sand_pct").number(0.0, 100.0),
        silt_pct=entry.member("silt_pct").number(0.0, 100.0),
        clay_pct=entry.member("clay_pct").number(0.0, 100.0),
        organic_pct=entry.member("organic_pct", 0.0).number(0.0, 100.0),
        bulk_density=entry.member("bulk_density").number(0.1, 2.6),
        theta_s=entry.member("theta_s").number(above=0.0, high=1.0),
        theta_fc=entry.member("theta_fc").number(above=0.0, high=1.0),
        theta_wp=entry.member("theta_wp").number(above=0.0, high=1.0),
        drainage=entry.member("drainage", "not known").text(),
        source=entry.member("source", "not known").text(),
    )
    whole = unit.sand_pct + unit.silt_pct + unit.clay_pct
    if abs(whole - 100.0) > PARTS_TOLERANCE_PCT:
        raise entry.member("clay_pct").refuse(f"sand, silt and clay that make 100; they make {whole:g}")
    if not unit.theta_wp < unit.theta_fc < unit.theta_s:
        wanted = f"between theta_wp, {unit.theta_wp:g}, and theta_s, {unit.theta_s:g}"
        raise entry.member("theta_fc").refuse(wanted)
    return unit
