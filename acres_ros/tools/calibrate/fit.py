"""Least squares with priors, in a valley with steps in it.

The throttle and brake of the ULC swing in a limit cycle, so a figure at a fixed time jumps by a little where one change
of pedal moves to the next physics step. Derivatives are therefore central differences over a tenth of a prior spread,
which bridges the jumps, and a fit ends only where no such step in one parameter leads further down.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from acres_ros.tools.calibrate.problem import Problem
from acres_ros.tools.calibrate.residuals import Compare, Objective, Point
from acres_ros.tools.validate import validate

DIFFERENCE = 0.1
"""Half the distance of a central difference, in prior spreads."""

TOLERANCE = 0.01
"""Share of the cost by which a step down counts."""

SAMPLES = 16
"""Points of a low-discrepancy sequence that are looked at for each further start."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Jacobian:
    """Derivatives of the data residuals by the scaled parameters, and the points that they were taken from."""

    matrix: np.ndarray
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Fit:
    """The end of a fit.

    Attributes:
        point: the best point.
        jacobian: derivatives of its data residuals by the scaled parameters, (figures, parameters).
        costs: cost at the end of each start.
        evaluations: how often the rows were driven.
        interrupted: whether it was ended early, by Ctrl-C.
    """

    point: Point
    jacobian: np.ndarray
    costs: tuple[float, ...]
    evaluations: int
    interrupted: bool


@dataclass(frozen=True)
class Check:
    """Whether a point is a local minimum.

    Attributes:
        point: the point.
        best: the lowest of the points round it.
        drop: how much lower that is.
        allowed: what is allowed.
    """

    point: Point
    best: Point
    drop: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Return whether nothing round the point is lower by more than what is allowed."""
        return self.drop <= self.allowed


def calibrate(
    problem: Problem,
    rows: Sequence[str],
    *,
    starts: int = 1,
    iterations: int = 20,
    compare: Compare = validate,
    say: Say = lambda _: None,
) -> Fit:
    """Fit the free parameters; the same inputs give the same result. Ctrl-C returns the best so far.

    Args:
        problem: what is free.
        rows: ids of the rows.
        starts: fits from several points: the start of the problem, then the best of a sample of the prior.
        iterations: most steps of each of them.
        compare: the figures of a vehicle.
        say: takes a line of progress.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objective = Objective(problem, rows, compare, pool)
        search = _Search(objective, iterations, say)
        interrupted = False
        try:
            for number, scaled in enumerate(_starts(objective, starts, say), start=1):
                search.run(number, scaled)
        except KeyboardInterrupt:
            say("interrupted: keeping the best so far")
            interrupted = True
        best = search.best if search.best is not None else objective.at(problem.start)
        matrix = differences(objective, best).matrix
        return Fit(best, matrix, tuple(search.costs), objective.evaluations, interrupted)


def check(problem: Problem, rows: Sequence[str], *, compare: Compare = validate) -> Check:
    """Look round the values that the records of the problem hold: each parameter to both sides, and downhill."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objective = Objective(problem, rows, compare, pool)
        point = objective.at(problem.shipped())
        jacobian = differences(objective, point)
        around = [*jacobian.points, *objective.at_all(_downhill(problem, point, jacobian.matrix))]
        best = min(around, key=lambda other: other.cost)
        return Check(point, best, point.cost - best.cost, TOLERANCE * point.cost)


def differences(objective: Objective, point: Point) -> Jacobian:
    """Return the central differences at a point; one-sided where a bound is near."""
    problem, scaled = objective.problem, point.scaled
    steps = []
    for index in range(len(scaled)):
        for side in (-DIFFERENCE, DIFFERENCE):
            moved = scaled.copy()
            moved[index] = np.clip(scaled[index] + side, problem.low[index], problem.high[index])
            steps.append(moved)
    points = objective.at_all(steps)
    columns = []
    for index in range(len(scaled)):
        below, above = points[2 * index], points[2 * index + 1]
        columns.append((above.data - below.data) / (above.prior[index] - below.prior[index]))
    return Jacobian(np.array(columns).T, tuple(points))


def _downhill(problem: Problem, point: Point, matrix: np.ndarray) -> list[np.ndarray]:
    """Return points along the Gauss-Newton step, within the bounds."""
    normal = matrix.T @ matrix + np.eye(len(point.scaled))
    step = -np.linalg.solve(normal, matrix.T @ point.data + point.prior)
    return [np.clip(point.scaled + share * step, problem.low, problem.high) for share in (1.0, 0.5, 0.25, 0.1)]


def _starts(objective: Objective, count: int, say: Say) -> list[np.ndarray]:
    """Return the start of the problem and the best of a sample within one spread round the prior's mean."""
    problem = objective.problem
    starts = [problem.start]
    if count > 1:
        sample = [np.clip(2.0 * row - 1.0, problem.low, problem.high) for row in _halton(SAMPLES * count, problem)]
        say(f"looking at {len(sample)} points of the prior")
        points = sorted(objective.at_all(sample), key=lambda point: point.cost)
        starts += [point.scaled for point in points[: count - 1]]
    return starts


def _halton(count: int, problem: Problem) -> np.ndarray:
    """Return points of the Halton sequence in the unit cube: evenly spread, and the same each time."""
    primes = [n for n in range(2, 200) if all(n % d for d in range(2, n))][: len(problem.free)]
    table = np.empty((count, len(primes)))
    for column, base in enumerate(primes):
        for row in range(count):
            rest, share, value = row + 1, 1.0, 0.0
            while rest:
                share /= base
                rest, digit = divmod(rest, base)
                value += share * digit
            table[row, column] = value
    return table


class _Search:
    """Fits from one start after the other, and the best point of all."""

    def __init__(self, objective: Objective, iterations: int, say: Say) -> None:
        self.objective, self.iterations, self.say = objective, iterations, say
        self.best: Point | None = None
        self.costs: list[float] = []

    def run(self, number: int, scaled: np.ndarray) -> None:
        """Fit from one start: steps of least squares, then of single parameters, until neither leads down."""
        self._known: dict[bytes, Point] = {}
        self._number, self._step = number, 0
        point = self._descend(self._point(scaled))
        while self._step < self.iterations:
            jacobian = differences(self.objective, point)
            downhill = self.objective.at_all(_downhill(self.objective.problem, point, jacobian.matrix))
            lower = min([*jacobian.points, *downhill], key=lambda other: other.cost)
            if point.cost - lower.cost <= TOLERANCE * point.cost:
                break
            point = self._descend(self._keep(lower))
        self.costs.append(point.cost)

    def _descend(self, point: Point) -> Point:
        """Return the end of the least squares from a point."""
        problem, left = self.objective.problem, self.iterations - self._step
        if left < 1:
            return point
        end = least_squares(
            lambda scaled: self._residuals(self._point(scaled)),
            point.scaled,
            jac=self._jacobian,
            bounds=(problem.low, problem.high),
            xtol=1e-3,
            ftol=1e-3,
            gtol=1e-6,
            max_nfev=left,
        )
        return min(point, self._point(end.x), key=lambda other: other.cost)

    def _point(self, scaled: np.ndarray) -> Point:
        name = scaled.tobytes()
        if name not in self._known:
            self._known[name] = self._keep(self.objective.at(scaled.copy()))
        return self._known[name]

    def _keep(self, point: Point) -> Point:
        if self.best is None or point.cost < self.best.cost:
            self.best = point
        return point

    def _residuals(self, point: Point) -> np.ndarray:
        return np.concatenate([point.data, point.prior])

    def _jacobian(self, scaled: np.ndarray) -> np.ndarray:
        self._step += 1
        point = self._point(scaled)
        off = sum(not figure.inside for figure in point.figures)
        self.say(f"start {self._number}, step {self._step}: cost {point.cost:.4f}, {off} figures out of their bands")
        matrix = differences(self.objective, point).matrix
        return np.vstack([matrix, np.eye(len(scaled))])
