"""Surfaces: what a tyre feels of the ground, by class."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from acres_ros.models.ground import SURFACE
from acres_ros.world.errors import UnknownNameError


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
class Surface:
    """Tyre and soil numbers of one surface class.

    Attributes:
        resistance: motion resistance over load, rho; soil, tyre and standing crop.
        friction: shear force over load, tan(phi).
        cohesion: shear force of one contact area at no load, N.
        shear_modulus: K of Janosi and Hanamoto, m.
        relaxation: contact and relaxation length, m.
    """

    resistance: float
    friction: float
    cohesion: float
    shear_modulus: float
    relaxation: float


# Resistance of gravel, grass and field: calibrated against rows D3 to D8 (`acres validate`). The rest: J. Y. Wong,
# Theory of Ground Vehicles, 4th ed., chapter 2, and the mobility number of W. W. Brixius (1987), ASAE paper 87-1622.
SURFACES = {
    SurfaceClass.OFF_MAP: Surface(0.087, 0.60, 150.0, 0.015, 0.24),
    SurfaceClass.ASPHALT: Surface(0.020, 0.85, 0.0, 0.010, 0.24),
    SurfaceClass.GRAVEL: Surface(0.031, 0.62, 0.0, 0.013, 0.24),
    SurfaceClass.GRASS: Surface(0.087, 0.60, 150.0, 0.015, 0.24),
    SurfaceClass.BARE: Surface(0.110, 0.52, 130.0, 0.030, 0.28),
    SurfaceClass.FIELD: Surface(0.169, 0.55, 200.0, 0.022, 0.26),
    SurfaceClass.MUD: Surface(0.200, 0.25, 400.0, 0.025, 0.32),
    SurfaceClass.CONCRETE: Surface(0.020, 0.85, 0.0, 0.010, 0.24),
}


def surface_class(name: str) -> SurfaceClass:
    """Return the class of a surface name such as `gravel`; raise `UnknownNameError`."""
    try:
        return SurfaceClass[name.upper()]
    except KeyError:
        raise UnknownNameError("surface", name, (c.name.lower() for c in SurfaceClass)) from None


def surface_table() -> np.ndarray:
    """Return one SURFACE record for each class, in the order of the class numbers."""
    table = np.zeros(len(SurfaceClass), SURFACE.dtype)
    for number, surface in SURFACES.items():
        for name, value in vars(surface).items():
            table[name][number] = value
    return table
