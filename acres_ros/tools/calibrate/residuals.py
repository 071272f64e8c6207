"""How far a vehicle is from the figures of the spec, in standard deviations; the rows are those of `acres validate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from acres_ros.errors import UsageError
from acres_ros.tools.calibrate.problem import Problem
from acres_ros.tools.validate import ROWS, Figure

Compare = Callable[[np.ndarray, Sequence[str], np.ndarray], Iterable[Figure]]
"""Yields the figures of rows for a PARAMETERS record and a table of surfaces."""

FITTED_ROWS = tuple(row for row in ROWS if row not in ("D1", "D2", "D9"))
"""Rows that the free parameters can move; mass, straight steering and the energy ledger hold for any of them."""

BAND_DEVIATIONS = 2.0
"""Standard deviations in half the width of a band."""

FARTHEST = 50.0
"""Residual of a figure that is no number, and the largest of any."""


class UnfittedRowError(UsageError):
    """A row that no fit is made to."""

    def __init__(self, row: str) -> None:
        super().__init__(f"no row {row!r} is fitted: the rows are {', '.join(FITTED_ROWS)}")


@dataclass(frozen=True)
class Point:
    """One evaluated set of parameters.

    Attributes:
        scaled: the free parameters, scaled.
        values: their values.
        figures: the figures of the rows.
        data: residual of each figure, in standard deviations.
        prior: residual of each parameter against its prior.
        cost: half the sum of all squares.
    """

    scaled: np.ndarray
    values: np.ndarray
    figures: tuple[Figure, ...]
    data: np.ndarray
    prior: np.ndarray
    cost: float


def check_rows(rows: Iterable[str]) -> tuple[str, ...]:
    """Return the rows to fit to, all without a choice; raise `UnfittedRowError`."""
    chosen = tuple(rows)
    for row in chosen:
        if row not in FITTED_ROWS:
            raise UnfittedRowError(row)
    return tuple(row for row in FITTED_ROWS if not chosen or row in chosen)


def deviation(figure: Figure) -> float:
    """Return the standard deviation that the band of a figure stands for."""
    return 0.5 * (figure.high - figure.low) / BAND_DEVIATIONS


def residual(figure: Figure) -> float:
    """Return how many standard deviations a figure is from its target."""
    off = (figure.got - figure.target) / deviation(figure)
    return float(np.clip(off, -FARTHEST, FARTHEST)) if np.isfinite(off) else FARTHEST


class Objective:
    """The residuals of a problem at some rows.

    Args:
        problem: what is free.
        rows: ids of the rows.
        compare: the figures of a vehicle, as `validate` yields them.
        pool: runs several evaluations at once; each depends on its own parameters only.
    """

    def __init__(self, problem: Problem, rows: Sequence[str], compare: Compare, pool: Executor) -> None:
        self.problem, self.rows, self.compare, self.pool = problem, tuple(rows), compare, pool
        self.evaluations = 0

    def at(self, scaled: np.ndarray) -> Point:
        """Return the point of some scaled parameters."""
        return self.at_all([scaled])[0]

    def at_all(self, points: Sequence[np.ndarray]) -> list[Point]:
        """Return the points of several sets of scaled parameters, evaluated at once as far as the machine can."""
        self.evaluations += len(points)
        return list(self.pool.map(self._point, points))

    def _point(self, scaled: np.ndarray) -> Point:
        values = self.problem.values(scaled)
        parameters, surfaces = self.problem.subject(values)
        # The drives themselves are large; a point keeps the numbers.
        figures = tuple(replace(figure, trace=None) for figure in self.compare(parameters, self.rows, surfaces))
        data = np.array([residual(figure) for figure in figures])
        prior = self.problem.scaled(values)
        return Point(scaled, values, figures, data, prior, 0.5 * float(data @ data + prior @ prior))
