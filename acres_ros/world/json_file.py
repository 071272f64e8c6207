"""Read the JSON files of a world strictly: each refusal names the file, the key, what is there and what is wanted."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acres_ros.world.errors import WorldFileError


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


MISSING = _Missing()


@dataclass(frozen=True)
class Entry:
    """One value of a JSON file, with the way to it.

    Attributes:
        file: the file.
        key: dotted key, such as `units[2].symbol`; empty for the whole file.
        value: what the file has there; `MISSING` where it has nothing.
    """

    file: Path
    key: str
    value: object

    def refuse(self, wanted: str) -> WorldFileError:
        """Return the error that says what was wanted here."""
        return WorldFileError(self.file, self.key or "(the whole file)", self.value, wanted)

    def members(self) -> Mapping[str, object]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            raise self.refuse("an object with named members")
        return self.value

    def member(self, name: str, default: object = MISSING) -> Entry:
        """Return a member of an object; a missing one is the default, and refused when read if there is none."""
        return Entry(self.file, f"{self.key}.{name}" if self.key else name, self.members().get(name, default))

    def has(self, name: str) -> bool:
        """Return whether an object has a member."""
        return name in self.members()

    def elements(self, wanted: str = "a list") -> list[Entry]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            raise self.refuse(wanted)
        return [Entry(self.file, f"{self.key}[{index}]", value) for index, value in enumerate(self.value)]

    def number(self, low: float = -math.inf, high: float = math.inf, *, above: float | None = None) -> float:
        """Return a finite number from low to high, and above a bound if that is given."""
        bound = -math.inf if above is None else above
        value = _finite(self.value)
        if value is None or not (low <= value <= high and value > bound):
            raise self.refuse(_number_wanted(low, high, above))
        return value

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from low to high; 4.0 is one."""
        value = _finite(self.value)
        if value is None or value != math.floor(value) or not low <= value <= high:
            raise self.refuse(f"a whole number from {low} to {high}")
        return int(value)

    def text(self, wanted: str = "a text that is not empty") -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refuse(wanted)
        return self.value

    def rows(self, columns: Sequence[str]) -> np.ndarray:
        """Return a list of rows of finite numbers as an array (rows, columns); `columns` names the numbers of a row."""
        wanted = f"{len(columns)} numbers: {', '.join(columns)}"
        table = np.zeros((len(self.elements()), len(columns)))
        for index, row in enumerate(self.value):  # type: ignore[arg-type, var-annotated]
            if not isinstance(row, list) or len(row) != len(columns):
                raise Entry(self.file, f"{self.key}[{index}]", row).refuse(wanted)
            for place, given in enumerate(row):
                value = _finite(given)
                if value is None:
                    raise Entry(self.file, f"{self.key}[{index}].{columns[place]}", given).refuse("a finite number")
                table[index, place] = value
        return table

    def polygon(self) -> np.ndarray:
        """Return the corners (n, 2) of a polygon; three at least, and not all in one line."""
        corners = self.rows(("x", "y"))
        if len(corners) > 1 and np.array_equal(corners[0], corners[-1]):
            corners = corners[:-1]  # closed by its first corner said again
        if len(corners) < 3 or polygon_area(corners) == 0.0:
            raise self.refuse("three corners at least that enclose an area")
        return corners


def polygon_area(corners: np.ndarray) -> float:
    """Return the area of a polygon (n, 2), positive when its corners go counter-clockwise."""
    x, y = corners[:, 0] - corners[0, 0], corners[:, 1] - corners[0, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def read_json(path: str | Path, schema: str | None = None) -> Entry:
    """Return the object that a JSON file holds.

    Args:
        path: the file.
        schema: the text that its member `schema` must be; None asks for none.

    Raises:
        WorldFileError: no such file, not UTF-8, not JSON, a name twice in one object, no object, another schema.
    """
    file = Path(path)
    wanted = "a JSON file in UTF-8"
    try:
        tree = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=lambda pairs: _once(pairs, file))
    except FileNotFoundError:
        raise WorldFileError(file, "", "no such file", wanted) from None
    except OSError as error:
        raise WorldFileError(file, "", f"not readable ({error.strerror})", wanted) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WorldFileError(file, "", f"not JSON ({error})", wanted) from None
    except (RecursionError, ValueError) as error:
        raise WorldFileError(file, "", f"beyond what can be read ({error})", wanted) from None
    entry = Entry(file, "", tree)
    entry.members()
    if schema is not None and (member := entry.member("schema")).value != schema:
        raise member.refuse(f"the text {schema!r}")
    return entry


def _once(pairs: list[tuple[str, object]], file: Path) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise WorldFileError(file, name, value, "each name once in an object")
        members[name] = value
    return members


def _finite(value: object) -> float | None:
    """Return a JSON number as a float; None if it is none, not finite or too large."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _number_wanted(low: float, high: float, above: float | None) -> str:
    if above is not None:
        return f"a finite number above {above:g}" + (f", {high:g} at most" if math.isfinite(high) else "")
    if math.isfinite(low) and math.isfinite(high):
        return f"a number from {low:g} to {high:g}"
    if math.isfinite(low):
        return f"a finite number of {low:g} or more"
    return "a finite number" + (f" of {high:g} or less" if math.isfinite(high) else "")
