"""What is fitted: the free parameters with what was known of each before, and the vehicle that their values make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from acres_ros._record import column
from acres_ros.errors import UsageError
from acres_ros.world.surfaces import SurfaceClass, surface_class

DIGITS = 5
"""Significant digits of a fitted value: what is evaluated is what is written."""

SURFACE_PREFIX = "surfaces."
FOLLOWERS = {SurfaceClass.GRASS: (SurfaceClass.OFF_MAP,)}
"""Classes that are another one by another name; they take its number."""


@dataclass(frozen=True)
class Free:
    """One free parameter; the prior says what is known of it without the figures of the spec.

    Attributes:
        key: dotted key of the parameter file, or `surfaces.CLASS.resistance`.
        unit: unit of the value.
        start: where the fit begins.
        low, high: bounds.
        mean, spread: prior, as a normal distribution.
        basis: what the prior rests on.
    """

    key: str
    unit: str
    start: float
    low: float
    high: float
    mean: float
    spread: float
    basis: str


# Starts: the calibration of a planar model of the same powertrain to the same figures, then rounds with this one.
FREE: tuple[Free, ...] = (
    Free("engine.inertia", "kg m^2", 0.146, 0.06, 0.25, 0.11, 0.04, "twin crank 0.05, drive clutch 0.05, generator"),
    Free("engine.friction_nm", "N m", 17.2, 8.0, 28.0, 17.0, 3.0, "motoring pressure 2.5 bar of 999 cc at 1200 rpm"),
    Free("engine.pedal_dead_band_pct", "%", 14.2, 8.0, 20.0, 13.24, 1.0, "the ULC's own offset of the pedal (spec)"),
    Free("engine.air_lag_s", "s", 0.286, 0.08, 0.6, 0.25, 0.08, "throttle by wire 0.1 s, filling of the intake"),
    Free("engine.indicated_efficiency", "-", 0.391, 0.25, 0.45, 0.37, 0.04, "four-stroke of compression ratio 11"),
    Free("clutch.engage_rpm", "rpm", 1297.0, 1050.0, 1600.0, 1300.0, 70.0, "engagement 1200 to 1400 rpm (Polaris)"),
    Free("clutch.capacity", "N m s^2", 0.0025, 0.0006, 0.006, 0.002, 0.0008, "carries full torque at 2300 rpm"),
    Free("cvt.low_rpm", "rpm", 1850.0, 1300.0, 2900.0, 2000.0, 300.0, "above engagement, below cruise"),
    Free("cvt.lag_s", "s", 0.97, 0.2, 2.0, 0.8, 0.25, "belt shift over its range in 1 to 2 s"),
    Free("tyre.rolling_factor", "-", 0.9717, 0.94, 1.0, 0.9725, 0.006, "radius less a third of the deflection"),
    Free("tyre.lateral_factor", "-", 1.28, 0.9, 2.0, 1.38, 0.12, "stiffness along over across of an ATV tyre, 1.41"),
    Free("surfaces.gravel.resistance", "-", 0.031, 0.012, 0.08, 0.03, 0.01, "packed gravel 0.02 to 0.04 (Wong)"),
    Free(
        "surfaces.grass.resistance", "-", 0.087, 0.03, 0.16, 0.075, 0.015, "mobility number at 1300 kPa: 0.06 to 0.08"
    ),
    Free("crop.work_j_per_m2", "J/m^2", 400.0, 100.0, 900.0, 400.0, 120.0, "680 N over the swath of 1.7 m in corn"),
    Free("surfaces.field.resistance", "-", 0.116, 0.04, 0.25, 0.10, 0.02, "mobility number at 420 kPa, crop apart"),
)


class UnknownFreeError(UsageError):
    """A parameter that is not among the free ones."""

    def __init__(self, key: str, known: Iterable[str]) -> None:
        super().__init__(f"no parameter {key!r} is free here: the free ones are {', '.join(known)}")


class Problem:
    """The free parameters over what stays as it is.

    The fit works in scaled numbers: (value - mean) / spread of the prior.

    Args:
        parameters: one PARAMETERS record; not changed.
        surfaces: one SURFACE record for each class; not changed.
        free: the free parameters.
    """

    def __init__(self, parameters: np.ndarray, surfaces: np.ndarray, free: Sequence[Free] = FREE) -> None:
        self.parameters, self.surfaces, self.free = parameters.view(np.ndarray), surfaces, tuple(free)
        self.mean = np.array([f.mean for f in self.free])
        self.spread = np.array([f.spread for f in self.free])
        self.low = self.scaled([f.low for f in self.free])
        self.high = self.scaled([f.high for f in self.free])
        self.start = self.scaled([f.start for f in self.free])

    def scaled(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return scaled numbers of values."""
        return (np.asarray(values, float) - self.mean) / self.spread

    def values(self, scaled: np.ndarray) -> np.ndarray:
        """Return values of scaled numbers, rounded as they are written."""
        return np.array([float(f"{value:.{DIGITS}g}") for value in self.mean + self.spread * scaled])

    def shipped(self) -> np.ndarray:
        """Return the scaled numbers of the values that the records hold."""
        return self.scaled([float(_places(self.parameters, self.surfaces, free.key)[0][0]) for free in self.free])

    def subject(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a PARAMETERS record and a table of surfaces that hold the values."""
        parameters, surfaces = self.parameters.copy(), self.surfaces.copy()
        for free, value in zip(self.free, values, strict=True):
            for place in _places(parameters, surfaces, free.key):
                place[0] = value
        return parameters, surfaces


def choose(keys: Sequence[str]) -> tuple[Free, ...]:
    """Return the free parameters of some keys, all without a choice; raise `UnknownFreeError`."""
    known = {free.key: free for free in FREE}
    for key in keys:
        if key not in known:
            raise UnknownFreeError(key, known)
    return tuple(free for free in FREE if not keys or free.key in keys)


def classes_of(key: str) -> tuple[SurfaceClass, ...]:
    """Return the surface classes that take the number of a key `surfaces.CLASS.NAME`."""
    number = surface_class(key.split(".")[1])
    return (number, *FOLLOWERS.get(number, ()))


def _places(parameters: np.ndarray, surfaces: np.ndarray, key: str) -> list[np.ndarray]:
    """Return a view of one element for each place that a key names."""
    if not key.startswith(SURFACE_PREFIX):
        return [column(parameters, key)]
    name = key.split(".")[2]
    return [surfaces[name][number : number + 1] for number in classes_of(key)]
