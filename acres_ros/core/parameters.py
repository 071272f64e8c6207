"""Read the parameters of the vehicle from a file, strictly, and apply overrides by their dotted keys."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from acres_ros._record import column
from acres_ros.core.clock import STEP_S
from acres_ros.core.parameter_ranges import RANGES
from acres_ros.errors import AcresError, shown
from acres_ros.locations import shared_folder
from acres_ros.models.dbw.delay import check_delays
from acres_ros.models.parameters import PARAMETERS

FILE = "polaris.json"
OCCUPANTS = "mass.occupants"
"""The key of the number of persons on board."""
MOST_LEVELS = 10
"""Levels of groups in a file; the table has fewer."""


class ParameterError(AcresError):
    """A parameter file or an override that is not right.

    Args:
        source: the file, or `overrides`.
        key: dotted key, empty for the file itself.
        given: what is there.
        wanted: what belongs there.
    """

    def __init__(self, source: object, key: str, given: object, wanted: str) -> None:
        self.key = key
        where = f"{source}: {key} = {shown(given)}" if key else f"{source}: {given}"
        super().__init__(f"{where}: wanted {wanted}")


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


def default_path() -> Path:
    """Return the parameter file that comes with the package."""
    return shared_folder("config") / FILE


def load_parameters(
    path: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    occupants: int | None = None,
) -> np.recarray:
    """Return one PARAMETERS record from a file.

    Args:
        path: JSON file with every key of the table, nested; None is the file of the package.
        overrides: values by dotted key, such as `{"dbw.ulc.kp": 0.8}`.
        occupants: persons on board; None keeps the value of the file.

    Raises:
        ParameterError: the file cannot be read, a key is unknown or missing, a value is of the wrong kind, not finite,
            or out of its range.
    """
    source = Path(path) if path is not None else default_path()
    fields = dict(PARAMETERS.leaves())
    values = dict(_leaves(_read(source), source))
    for key, value in values.items():
        if key not in fields:
            raise ParameterError(source, key, value, _nearest(key, fields))
    for key, field in fields.items():
        if key not in values:
            raise ParameterError(source, key, _Missing(), f"{field.description}, {field.unit}")
    record = PARAMETERS.new(1)
    for key, value in values.items():
        _write(record, key, fields[key].kind is int, fields[key].count, value, source)
    _check(record, source)
    extra = dict(overrides or {})
    if occupants is not None:
        extra[OCCUPANTS] = occupants
    return with_overrides(record, extra) if extra else record


def with_overrides(record: np.ndarray, overrides: Mapping[str, object]) -> np.recarray:
    """Return a copy of one PARAMETERS record with other values.

    Args:
        record: it stays as it is.
        overrides: values by dotted key, such as `{"dbw.ulc.kp": 0.8}`.

    Raises:
        ParameterError: as for `load_parameters`.
    """
    fields = dict(PARAMETERS.leaves())
    result = record.copy().view(np.recarray)
    for key, value in overrides.items():
        if key not in fields:
            raise ParameterError("overrides", key, value, _nearest(key, fields))
        _write(result, key, fields[key].kind is int, fields[key].count, value, "overrides")
    _check(result, "overrides")
    return result


def to_tree(record: np.ndarray) -> dict[str, object]:
    """Return the nested dictionary of one PARAMETERS record, as the file holds it."""
    tree: dict[str, object] = {}
    for key, field in PARAMETERS.leaves():
        *groups, name = key.split(".")
        branch = tree
        for group in groups:
            branch = branch.setdefault(group, {})  # type: ignore[assignment]
        value = column(record, key)[0]
        branch[name] = [float(v) for v in value] if field.count else field.kind(value)  # type: ignore[operator]
    return tree


def _read(source: Path) -> dict[str, object]:
    try:
        tree = json.loads(source.read_text(encoding="utf-8"), object_pairs_hook=lambda pairs: _once(pairs, source))
    except OSError as error:
        raise ParameterError(source, "", error.strerror or str(error), "a readable JSON file") from error
    except ValueError as error:
        raise ParameterError(source, "", error, "a JSON file") from error
    except RecursionError:
        raise ParameterError(source, "", "is nested too deep", f"at most {MOST_LEVELS} levels of groups") from None
    if not isinstance(tree, dict):
        raise ParameterError(source, "", type(tree).__name__, "a JSON object")
    return tree


def _once(pairs: list[tuple[str, object]], source: Path) -> dict[str, object]:
    tree: dict[str, object] = {}
    for key, value in pairs:
        if key in tree:
            raise ParameterError(source, key, value, "each key once")
        tree[key] = value
    return tree


def _leaves(tree: Mapping[str, object], source: Path, prefix: str = "", level: int = 1) -> Iterator[tuple[str, object]]:
    if level > MOST_LEVELS:
        raise ParameterError(source, prefix.rstrip("."), tree, f"at most {MOST_LEVELS} levels of groups")
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, source, f"{prefix}{name}.", level + 1)
        else:
            yield f"{prefix}{name}", value


def _nearest(key: str, fields: Mapping[str, object]) -> str:
    near = get_close_matches(key, fields, 1)
    return f"a key that the model knows; the nearest is {near[0]}" if near else "a key that the model knows"


def _number(value: object, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        finite = math.isfinite(value)
    except OverflowError:  # a whole number beyond the doubles
        return False
    if not whole:
        return finite
    return finite and value == int(value) and -(2**63) <= int(value) < 2**63


def _write(record: np.ndarray, key: str, whole: bool, count: int, value: object, source: object) -> None:
    wanted = "a whole number of 64 bits" if whole else "a finite number"
    if count:
        row = list(value) if isinstance(value, list | tuple) else None
        if row is None or len(row) != count or not all(_number(v, whole) for v in row):
            raise ParameterError(source, key, value, f"a row of {count}, each {wanted}")
    elif not _number(value, whole):
        raise ParameterError(source, key, value, wanted)
    column(record, key)[0] = value


def _check(record: np.recarray, source: object) -> None:
    for key, span in RANGES.items():
        value = column(record, key)[0]
        if not all(map(span.holds, np.ravel(value))):
            raise ParameterError(source, key, value.tolist(), str(span))
    p = record[0]
    if p.geometry.mass_ahead_m >= p.geometry.wheelbase_m:
        wanted = f"less than geometry.wheelbase_m, {p.geometry.wheelbase_m:g}"
        raise ParameterError(source, "geometry.mass_ahead_m", float(p.geometry.mass_ahead_m), wanted)
    if abs(p.steering.center_deg) >= p.dbw.steering.lock_deg:
        wanted = f"an angle within dbw.steering.lock_deg, {p.dbw.steering.lock_deg:g} deg"
        raise ParameterError(source, "steering.center_deg", float(p.steering.center_deg), wanted)
    check_delays(p, STEP_S)
