"""The files of a calibration: parameters, surfaces, what was found, and their place in the source tree."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from acres_ros.core.parameters import to_tree
from acres_ros.errors import AcresError
from acres_ros.tools.calibrate.fit import Fit
from acres_ros.tools.calibrate.problem import SURFACE_PREFIX, Problem, classes_of
from acres_ros.tools.calibrate.report import errors
from acres_ros.tools.calibrate.residuals import deviation, residual

SCHEMA = "acres-calibration-1"
PARAMETERS_FILE, SURFACES_FILE, RESULT_FILE = "polaris.json", "surfaces.json", "calibration.json"


class InstallError(AcresError):
    """The source tree does not hold a number where it is looked for."""

    def __init__(self, path: Path, key: str) -> None:
        super().__init__(f"{path} has no single default of {key}: write it there by hand")


def write_files(problem: Problem, fit: Fit, surfaces: Mapping[str, object], folder: Path) -> None:
    """Write the parameter file, the surfaces and the result into a folder.

    Args:
        problem: what was free.
        fit: what was found.
        surfaces: content of the surface library that the fit began with.
        folder: where to; it is made when it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parameters, _ = problem.subject(fit.point.values)
    _write(folder / PARAMETERS_FILE, to_tree(parameters))
    found = _values(problem, fit)
    if any(key.startswith(SURFACE_PREFIX) for key in found):
        _write(folder / SURFACES_FILE, surfaces_with(surfaces, found))
    _write(folder / RESULT_FILE, result_tree(problem, fit))


def install(problem: Problem, fit: Fit, surfaces: Mapping[str, object], tree: Path) -> list[Path]:
    """Write the found values into a source tree: both files of `config/` and the defaults of the parameter table.

    Args:
        problem: what was free.
        fit: what was found.
        surfaces: content of the surface library.
        tree: folder of the source tree.

    Returns:
        the written files.

    Raises:
        InstallError: the parameter table has no single line for a key.
    """
    found = _values(problem, fit)
    table = tree / "acres_ros" / "models" / "parameters.py"
    text = table.read_text(encoding="utf-8")
    for key, value in found.items():
        if not key.startswith(SURFACE_PREFIX):
            text = _with_default(text, key, value, table)
    parameters, _ = problem.subject(fit.point.values)
    written = [tree / "config" / PARAMETERS_FILE, table]
    _write(written[0], to_tree(parameters))
    table.write_text(text, encoding="utf-8")
    if any(key.startswith(SURFACE_PREFIX) for key in found):
        written.append(tree / "config" / SURFACES_FILE)
        _write(written[-1], surfaces_with(surfaces, found))
    return written


def surfaces_with(library: Mapping[str, object], found: Mapping[str, float]) -> dict[str, object]:
    """Return the content of a surface library with the numbers of the keys `surfaces.CLASS.NAME` changed."""
    content = json.loads(json.dumps(library))
    rows = {row["class"]: row for row in content["surfaces"]}
    for key, value in found.items():
        if key.startswith(SURFACE_PREFIX):
            for number in classes_of(key):
                rows[int(number)][key.split(".")[2]] = value
    return content


def result_tree(problem: Problem, fit: Fit) -> dict[str, object]:
    """Return what was found: each parameter with its error, the correlations, the residual of each figure."""
    found = errors(fit.jacobian, problem.spread)
    parameters = [
        {
            "key": free.key,
            "unit": free.unit,
            "value": float(value),
            "standard_error": _short(standard),
            "settled_share": _short(share),
            "start": free.start,
            "bounds": [free.low, free.high],
            "prior": {"mean": free.mean, "spread": free.spread, "basis": free.basis},
        }
        for free, value, standard, share in zip(
            problem.free, fit.point.values, found.standard, found.share, strict=True
        )
    ]
    return {
        "schema": SCHEMA,
        "cost": fit.point.cost,
        "costs_of_starts": list(fit.costs),
        "evaluations": fit.evaluations,
        "interrupted": fit.interrupted,
        "parameters": parameters,
        "correlation": [[_short(value) for value in row] for row in found.correlation],
        "figures": [
            {**figure.as_json(), "standard_deviation": deviation(figure), "residual": residual(figure)}
            for figure in fit.point.figures
        ],
    }


def text_of(content: object) -> str:
    """Return JSON text with two spaces a level and rows of numbers on one line, as `config/` has it."""
    text = json.dumps(content, indent=2)
    return re.sub(r"\[\s+([-+.\deE,\s]+?)\s+\]", lambda row: f"[{' '.join(row[1].split())}]", text) + "\n"


def _write(path: Path, content: object) -> None:
    path.write_text(text_of(content), encoding="utf-8")


def _values(problem: Problem, fit: Fit) -> dict[str, float]:
    return {free.key: float(value) for free, value in zip(problem.free, fit.point.values, strict=True)}


def _with_default(text: str, key: str, value: float, path: Path) -> str:
    """Return the source of the parameter table with another default for a key `group.name`."""
    group, name = key.split(".")
    pattern = rf'(= Record\(\n    "{group}",\n(?:(?!\n\)\n).)*?Field\("{name}", "[^"]*", )[-+.\deE]+(,)'
    text, count = re.subn(pattern, rf"\g<1>{value!r}\g<2>", text, flags=re.DOTALL)
    if count != 1:
        raise InstallError(path, key)
    return text


def _short(value: float) -> float:
    return float(np.format_float_positional(value, precision=4, fractional=False))
