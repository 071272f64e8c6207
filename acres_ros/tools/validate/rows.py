"""The rows: what the spec shows, what the model does, and the band between them.

Ids are those of the acceptance table; the source of each figure stands behind its row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from acres_ros.errors import UsageError
from acres_ros.models.body import vehicle_mass
from acres_ros.models.dbw.codes import STEERING_CURVATURE
from acres_ros.tools.validate.drive import Trace, drive, sine
from acres_ros.tools.validate.subject import Subject
from acres_ros.world import Place

CURVATURES = (0.0, 0.02, 0.04, 0.06)
ORIGIN = Place("origin", 0.0, 0.0, math.pi / 2.0)


@dataclass(frozen=True)
class Figure:
    """One compared figure.

    Attributes:
        row: id of the row.
        name: what is compared, with its unit.
        target: what the spec shows.
        got: what the model does.
        low: smallest accepted value.
        high: largest accepted value.
        trace: the drive that it was taken from, if it is one of a drive.
    """

    row: str
    name: str
    target: float
    got: float
    low: float
    high: float
    trace: Trace | None = field(default=None, repr=False, compare=False)

    @property
    def inside(self) -> bool:
        """Return whether the model's figure is in its band."""
        return bool(self.low <= self.got <= self.high)

    def as_json(self) -> dict[str, object]:
        """Return the numbers, without the drive."""
        names = ("row", "name", "target", "got", "low", "high", "inside")
        return {name: getattr(self, name) for name in names}


class UnknownRowError(UsageError):
    """A row that is not compared."""

    def __init__(self, row: str) -> None:
        super().__init__(f"no row {row!r} is compared here: the rows are {', '.join(ROWS)}")


def _near(row: str, name: str, target: float, got: float, band: float, trace: Trace | None = None) -> Figure:
    return Figure(row, name, target, got, target - band, target + band, trace)


def d1_mass(subject: Subject) -> Iterator[Figure]:
    """Mass with two occupants (C++ API, FAcresPolaris)."""
    yield _near("D1", "mass with the persons of the file, kg", 1318.0, vehicle_mass(subject.parameters[0]), 0.0)


def d2_center(subject: Subject) -> Iterator[Figure]:
    """Straight ahead at 12.5 deg (Drive-by-Wire and ULC, sample report)."""
    trace = drive(subject.flat("gravel"), subject.parameters, ORIGIN, 3.0, speed=0.0, steering=12.5)
    yield _near("D2", "road wheel at 12.5 deg, rad", -0.00005, trace.at("road_wheel", 3.0), 0.001, trace)


def d3_curvature(subject: Subject) -> Iterator[Figure]:
    """ULC 3 m/s from rest at the garage with four curvatures (C++ API, Minimal program)."""
    world = subject.world("farm")
    home = world.place("spawn-icsc-garage")
    targets = (
        (24.66, 1.431, 3.55, 266.0),
        (23.82, 1.858, 3.55, 270.0),
        (22.52, 2.289, 3.51, 271.0),
        (19.19, 2.665, 3.5, 277.0),
    )
    for index, (curvature, (north, yaw, speed, fuel)) in enumerate(zip(CURVATURES, targets, strict=True)):
        start = Place("", home.x + 6.0 * index, home.y, home.yaw)
        trace = drive(
            world, subject.parameters, start, 10.0, speed=3.0, steering_type=STEERING_CURVATURE, steering=curvature
        )
        label = f"at 10 s, curvature {curvature:g}"
        yield _near("D3", f"north of the start {label}, m", north, trace.at("y", 10.0) - start.y, 0.8, trace)
        yield _near("D3", f"yaw {label}, rad", yaw, trace.at("yaw", 10.0), 0.05, trace)
        yield Figure("D3", f"speed {label}, m/s", speed, trace.at("speed", 10.0), 3.2, 3.8, trace)
        yield _near("D3", f"fuel {label}, kJ", fuel, trace.at("fuel", 10.0) / 1e3, 25.0, trace)


def d4_launch(subject: Subject) -> Iterator[Figure]:
    """ULC 2 m/s from rest on firm ground (C++ API, StepPhysics)."""
    world = subject.world("farm")
    trace = drive(world, subject.parameters, world.place("spawn-icsc-garage"), 5.0, speed=2.0)
    yield _near("D4", "speed at 5.0 s, m/s", 1.64, trace.at("speed", 5.0), 0.15, trace)


def d5_field(subject: Subject) -> Iterator[Figure]:
    """ULC 2 m/s from rest in the crop of field 24, to the east (C++ API, FAcresPolaris and FAcresFarmState)."""
    world = subject.world("farm")
    trace = drive(world, subject.parameters, Place("", 195.0, 190.0, 0.0), 10.0, speed=2.0)
    x, y = trace.at("x", 10.0), trace.at("y", 10.0)
    rut = trace.farm.rut_at(x - 2.0, y + 0.655)
    yield _near("D5", "distance in the field after 10 s, m", 15.02, x - 195.0, 0.6, trace)
    yield Figure("D5", "speed in the field at 10 s, m/s", 2.33, trace.at("speed", 10.0), 1.4, 2.6, trace)
    yield _near("D5", "crushed crop, m^2", 32.11, trace.farm.crushed_by_field_m2[24], 2.0, trace)
    yield Figure("D5", "rut 2 m behind the left wheels, m", 0.004, rut, 0.002, 0.008, trace)


def d6_cycle(subject: Subject) -> Iterator[Figure]:
    """Swing of the wheel speed on firm ground at 2 m/s (Drive-by-Wire and ULC, Limitations)."""
    trace = drive(subject.flat("gravel"), subject.parameters, ORIGIN, 60.0, speed=2.0)
    settled = trace.wheel_speed[1800:]
    yield Figure("D6", "lowest wheel speed, m/s", 1.5, float(settled.min()), 1.4, 1.65, trace)
    yield Figure("D6", "highest wheel speed, m/s", 2.4, float(settled.max()), 2.3, 2.55, trace)


def d7_grass(subject: Subject) -> Iterator[Figure]:
    """ULC 1.2 m/s from 0.785 m/s on grass (Time Stepping, Measured Agreement)."""
    trace = drive(subject.flat("grass"), subject.parameters, ORIGIN, 43.0, speed=1.2, start_speed=0.785)
    last = trace.speed[-1200:]
    yield Figure("D7", "mean speed over 43 s, m/s", 1.21, float(trace.speed.mean()), 1.15, 1.30, trace)
    yield Figure("D7", "settled speed over the command", 1.055, float(last.mean()) / 1.2, 1.03, 1.08, trace)
    yield Figure("D7", "swing of the speed in the last 10 s, m/s", 0.0, float(last.max() - last.min()), 0.0, 0.1, trace)


def d8_program(subject: Subject) -> Iterator[Figure]:
    """Drive the lockstep program: 2 m/s, a steering sine of 150 deg and 20 s, for 60 s (Time Stepping, Determinism)."""
    world = subject.world("farm")
    center = float(subject.parameters["steering"]["center_deg"][0])
    start = world.place("spawn-icsc-garage")
    trace = drive(world, subject.parameters, start, 60.0, speed=2.0, steering=sine(center, 150.0, 20.0), period=12)
    yield _near("D8", "distance in 60 s, m", 117.69, trace.at("path", 60.0), 4.0, trace)


def d9_energy(subject: Subject) -> Iterator[Figure]:
    """Drive a turn for 20 s: the energy ledger of each step, and the work of the discrete scheme (ours)."""
    world = subject.world("farm")
    trace = drive(world, subject.parameters, world.place("spawn-icsc-garage"), 20.0, speed=2.0, steering=40.0)
    worst = float(np.max(np.abs(trace.residual) / trace.throughput))
    fuel = trace.at("fuel", 20.0)
    scheme = float(trace.scheme.sum()) / fuel
    largest = float(np.max(np.abs(trace.scheme) / trace.throughput))
    yield Figure("D9", "open share of the energy flow, worst step", 0.0, worst, 0.0, 1.0e-6, trace)
    yield _near("D9", "work of the scheme by the fuel energy", 0.0, scheme, 1.0e-4, trace)
    yield Figure("D9", "work of the scheme by the energy flow, worst step", 0.0, largest, 0.0, 5.0e-2, trace)


ROWS: dict[str, Callable[[Subject], Iterator[Figure]]] = {
    "D1": d1_mass,
    "D2": d2_center,
    "D3": d3_curvature,
    "D4": d4_launch,
    "D5": d5_field,
    "D6": d6_cycle,
    "D7": d7_grass,
    "D8": d8_program,
    "D9": d9_energy,
}


def check_rows(rows: Iterable[str]) -> tuple[str, ...]:
    """Return some rows; raise `UnknownRowError`."""
    chosen = tuple(rows)
    for row in chosen:
        if row not in ROWS:
            raise UnknownRowError(row)
    return chosen


def validate(parameters: np.ndarray, rows: Iterable[str] = (), surfaces: np.ndarray | None = None) -> Iterator[Figure]:
    """Yield the figures of some rows, of all without a choice; raise `UnknownRowError`.

    Args:
        parameters: one PARAMETERS record.
        rows: ids such as `D3`.
        surfaces: one SURFACE record for each class; None takes those of the package.
    """
    subject = Subject(parameters.view(np.ndarray), surfaces)
    for row in check_rows(rows) or tuple(ROWS):
        yield from ROWS[row](subject)
