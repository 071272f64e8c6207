"""What a fit found: values, standard errors and correlations, and the figures beside their targets, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from acres_ros.tools.calibrate.fit import Check, Fit
from acres_ros.tools.calibrate.problem import Problem
from acres_ros.tools.calibrate.residuals import BAND_DEVIATIONS, residual
from acres_ros.tools.validate import Figure

STRONG = 0.7
"""Correlations from here on are named in the report."""

CAVEAT = """\
The figures are few and say much of the same thing: {figures} of them for {parameters} parameters, of which they settle
{settled:.1f} (the sum of the shares above); the priors hold the rest. A standard error is that of the linearised fit,
its priors included, for figures known to 1/{deviations:g} of half their bands. The set reproduces the behaviour; it
does not measure the engine."""


@dataclass(frozen=True)
class Errors:
    """Uncertainty of the fitted values, from the derivatives at the end of the fit.

    Attributes:
        standard: standard error of each value, the prior included.
        correlation: correlation matrix of the values.
        share: how much of the prior's variance the figures took away, 0 to 1.
    """

    standard: np.ndarray
    correlation: np.ndarray
    share: np.ndarray


def errors(jacobian: np.ndarray, spread: np.ndarray) -> Errors:
    """Return the uncertainty of a linearised fit with priors: the inverse of J'J + 1 in scaled numbers.

    Args:
        jacobian: derivatives of the data residuals, in standard deviations, by the scaled parameters.
        spread: standard deviation of each prior.
    """
    covariance = np.linalg.inv(jacobian.T @ jacobian + np.eye(jacobian.shape[1]))
    deviation = np.sqrt(np.diag(covariance))
    return Errors(spread * deviation, covariance / np.outer(deviation, deviation), 1.0 - deviation**2)


def fit_lines(problem: Problem, fit: Fit) -> Iterator[str]:
    """Yield the report of a fit."""
    found = errors(fit.jacobian, problem.spread)
    yield f"{'parameter':32} {'value':>9} {'std error':>9}  {'prior':>17} {'share':>6}  unit"
    for index, free in enumerate(problem.free):
        value = fit.point.values[index]
        prior = f"{free.mean:g} +- {free.spread:g}"
        bound = "  at its bound" if value <= free.low or value >= free.high else ""
        yield (
            f"{free.key:32} {value:9.5g} {found.standard[index]:9.2g}  {prior:>17} {found.share[index]:6.2f}"
            f"  {free.unit}{bound}"
        )
    yield ""
    yield from _correlation_lines(problem, found.correlation)
    yield ""
    yield from figure_lines(fit.point.figures)
    data, held = fit.point.data, fit.point.prior
    yield f"cost {fit.point.cost:.4f}: figures {0.5 * float(data @ data):.4f}, priors {0.5 * float(held @ held):.4f}"
    yield f"cost at the end of each start: {', '.join(f'{cost:.4f}' for cost in fit.costs) or 'none ended'}"
    yield ""
    yield CAVEAT.format(figures=len(data), parameters=len(held), settled=found.share.sum(), deviations=BAND_DEVIATIONS)


def check_lines(problem: Problem, result: Check) -> Iterator[str]:
    """Yield the report of a check."""
    yield from figure_lines(result.point.figures)
    yield f"cost of the file {result.point.cost:.4f}; lowest round it {result.best.cost:.4f}"
    if result.holds:
        yield f"the file is a minimum of the fit: nothing near it is lower by more than {result.allowed:.4f}"
        return
    yield f"the file is NOT a minimum of the fit: {result.drop:.4f} lower (allowed {result.allowed:.4f}) with"
    for free, old, new in zip(problem.free, result.point.values, result.best.values, strict=True):
        if old != new:
            yield f"  {free.key} {old:g} -> {new:g}"


def figure_lines(figures: Sequence[Figure]) -> Iterator[str]:
    """Yield the table of the figures."""
    yield f"{'row':4} {'figure':48} {'spec':>10} {'model':>10} {'residual':>9}"
    for figure in figures:
        out = "" if figure.inside else "  OUT of its band"
        yield (f"{figure.row:4} {figure.name:48} {figure.target:10.5g} {figure.got:10.5g} {residual(figure):9.2f}{out}")


def _correlation_lines(problem: Problem, correlation: np.ndarray) -> Iterator[str]:
    pairs = [
        (abs(correlation[i, j]), f"{problem.free[j].key} and {problem.free[i].key}: {correlation[i, j]:+.2f}")
        for i in range(len(problem.free))
        for j in range(i)
        if abs(correlation[i, j]) >= STRONG
    ]
    yield f"correlations of {STRONG:g} and more: {'none' if not pairs else ''}".rstrip()
    for _, text in sorted(pairs, reverse=True):
        yield f"  {text}"
