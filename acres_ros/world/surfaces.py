"""Surfaces: what a tyre feels of the ground, by class; the library of `config/surfaces.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np

from acres_ros.locations import shared_folder
from acres_ros.models.footing import footing_entry
from acres_ros.models.ground import SURFACE, Ground
from acres_ros.world.errors import UnknownNameError, WorldFileError
from acres_ros.world.json_file import Entry, read_json

SCHEMA = "acres-surfaces-1"
REFERENCE_LOAD_N = 3664.0
REFERENCE_WIDTH_M = 0.28
REFERENCE_DIAMETER_M = 0.686


class SurfaceClass(IntEnum):
    """Number of a surface in the raster."""

    OFF_MAP = 0
    ASPHALT = 1
    GRAVEL = 2
    GRASS = 3
    BARE = 4
    FIELD = 5
    MUD = 6
    CONCRETE = 7


@dataclass(frozen=True)
class Soil:
    """The soil of a surface class at its reference state.

    Attributes:
        cone_index_kpa: cone index at which the numbers of the surface hold, kPa.
        cone_factor: cone index over that of undisturbed soil.
        least_fraction: soil water below which the surface never dries, 0 to 1.
        k_c: cohesive modulus of sinkage, kN/m^(n+1).
        k_phi: frictional modulus of sinkage, kN/m^(n+2).
        exponent: exponent n of sinkage.
        bulk_weight: weight of the soil that a wheel pushes aside, kN/m^3.
        cohesion_kpa: its cohesion, kPa.
        friction_deg: angle of its internal friction, deg.
    """

    cone_index_kpa: float
    cone_factor: float
    least_fraction: float
    k_c: float
    k_phi: float
    exponent: float
    bulk_weight: float
    cohesion_kpa: float
    friction_deg: float


@dataclass(frozen=True)
class Surface:
    """Tyre and soil numbers of one surface class.

    Attributes:
        resistance: motion resistance over load, rho, of tyre and soil; standing crop is not in it.
        friction: shear force over load, tan(phi).
        cohesion: shear force of one contact area at no load, N.
        shear_modulus: K of Janosi and Hanamoto, m.
        relaxation: contact and relaxation length, m.
        film_loss: share of tan(phi) that a water film of 5 mm takes.
        soil: what lies below; None on hard ground.
        source: where the numbers come from.
    """

    resistance: float
    friction: float
    cohesion: float
    shear_modulus: float
    relaxation: float
    film_loss: float
    soil: Soil | None
    source: str


@dataclass(frozen=True)
class SurfaceState:
    """What a rear wheel of the standing vehicle would feel at a point, as the model has it.

    Attributes:
        surface: class.
        field: field number, 255 outside every field.
        soil_unit: soil unit of the land cell.
        fraction: soil water, 0 dry to 1 saturated; 0 on hard ground.
        moisture: volumetric water content; 0 on hard ground.
        cone_index_kpa: cone index, kPa; 0 on hard ground.
        resistance: motion resistance over load.
        friction: shear force over load.
        cohesion: shear force of one contact area at no load, N.
        shear_modulus: K, m.
        relaxation: contact and relaxation length, m.
        sinkage: depth of the wheel below the undisturbed ground, m.
    """

    surface: SurfaceClass
    field: int
    soil_unit: int
    fraction: float
    moisture: float
    cone_index_kpa: float
    resistance: float
    friction: float
    cohesion: float
    shear_modulus: float
    relaxation: float
    sinkage: float


# Bounds of each number: lowest and highest; a number that divides is above 0.
_SURFACE_RANGES = {
    "resistance": (0.0, 0.5),
    "friction": (0.01, 2.0),
    "cohesion": (0.0, 5000.0),
    "shear_modulus": (0.001, 0.2),
    "relaxation": (0.05, 1.0),
    "film_loss": (0.0, 1.0),
}
_SOIL_RANGES = {
    "cone_index_kpa": (50.0, 5000.0),
    "cone_factor": (0.05, 5.0),
    "least_fraction": (0.0, 1.0),
    "k_c": (0.0, 1.0e4),
    "k_phi": (1.0, 1.0e6),
    "exponent": (0.1, 2.0),
    "bulk_weight": (5.0, 30.0),
    "cohesion_kpa": (0.0, 200.0),
    "friction_deg": (0.0, 50.0),
}


def surface_class(name: str) -> SurfaceClass:
    """Return the class of a surface name such as `gravel`; raise `UnknownNameError`."""
    try:
        return SurfaceClass[name.upper()]
    except KeyError:
        raise UnknownNameError("surface", name, (c.name.lower() for c in SurfaceClass)) from None


def load_surfaces(path: str | Path | None = None) -> Mapping[SurfaceClass, Surface]:
    """Return the library of surfaces, one of each class.

    Args:
        path: JSON file; default `config/surfaces.json`.

    Raises:
        WorldFileError: no such file, not JSON, a class missing or twice, a name that is not that of its class, a number
            missing, of the wrong kind or range, a key that is not known.
    """
    file = read_json(shared_folder("config") / "surfaces.json" if path is None else path, SCHEMA)
    file.only("schema", "surfaces")
    library: dict[SurfaceClass, Surface] = {}
    for row in file.member("surfaces").elements("a list of surfaces"):
        row.only("class", "name", "soil", "source", *_SURFACE_RANGES)
        number = SurfaceClass(row.member("class").integer(0, len(SurfaceClass) - 1))
        if number in library:
            raise row.member("class").refuse("each class once")
        row.member("name").text(among=(number.name.lower(),))
        soil = None
        if row.has("soil"):
            soil = Soil(**_numbers(row.member("soil").only(*_SOIL_RANGES), _SOIL_RANGES))
        library[number] = Surface(**_numbers(row, _SURFACE_RANGES), soil=soil, source=row.member("source").text())
    missing = [number.name.lower() for number in SurfaceClass if number not in library]
    if missing:
        raise WorldFileError(file.file, "surfaces", f"without {', '.join(missing)}", "one surface of each class")
    return library


def _numbers(entry: Entry, ranges: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    return {name: entry.member(name).number(low, high) for name, (low, high) in ranges.items()}


@cache
def default_surfaces() -> Mapping[SurfaceClass, Surface]:
    """Return the library that comes with the package; it is read once."""
    return load_surfaces()


def surface_table(library: Mapping[SurfaceClass, Surface] | None = None, *, farm_water: bool = True) -> np.ndarray:
    """Return one SURFACE record for each class, in the order of the class numbers.

    Args:
        library: one surface of each class; default `config/surfaces.json`.
        farm_water: whether soil follows the soil water; else it is at the reference state of its class.
    """
    table = np.zeros(len(SurfaceClass), SURFACE.dtype)
    table["farm_water"] = int(farm_water)
    for number, surface in (library or default_surfaces()).items():
        for name in _SURFACE_RANGES:
            table[name][number] = getattr(surface, name)
        if surface.soil is not None:
            table["soil"][number] = 1
            for field in fields(Soil):
                column = f"soil_{field.name}" if field.name in ("cohesion_kpa", "friction_deg") else field.name
                table[column][number] = getattr(surface.soil, field.name)
    return table


def surface_at(ground: Ground, conditions: np.ndarray, x: float, y: float, rut: float = 0.0) -> SurfaceState:
    """Return what the model sees at a point, for the load of a rear wheel at rest.

    Args:
        ground: Ground of the world.
        conditions: one CONDITIONS record (the soil water and the film of one environment).
        x: east, m.
        y: north, m.
        rut: depth of the rut that the wheel meets, m.
    """
    number, field, unit, *values = footing_entry(
        ground, conditions, float(x), float(y), float(rut), REFERENCE_LOAD_N, REFERENCE_WIDTH_M, REFERENCE_DIAMETER_M
    )
    return SurfaceState(SurfaceClass(number), field, unit, *values)
