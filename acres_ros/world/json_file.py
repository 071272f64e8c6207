"""Read the JSON files of a world strictly: each refusal names the file, the key, what is there and what is wanted.

A file is UTF-8 with an object at the top, each name once in an object, finite numbers only, bounded in size and depth.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from acres_ros.world.array_file import read_file
from acres_ros.world.errors import WorldFileError

MOST_BYTES = 256 << 20
"""Size of a file; a crop plan of a million surveyed patches has 30 MB."""
MOST_LEVELS = 32
"""Lists and objects inside each other."""
FARTHEST_M = 1e7
"""Distance of a polygon's corner from the origin."""
SAME_PLACE_M = 1e-6
"""Corners that are no farther apart are one."""

# A text without an end goes to the end of the file: to look for another one from each quote in it would take for ever.
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)


class _Missing:
    def __repr__(self) -> str:
        return "(missing)"


MISSING = _Missing()


class Entry(NamedTuple):
    """One value of a JSON file, with the way to it.

    Attributes:
        file: the file.
        key: dotted key, such as `units[2].symbol`; empty for the whole file.
        value: what the file has there; `MISSING` where it has nothing.
    """

    file: Path
    key: str
    value: Any

    def refuse(self, wanted: str) -> WorldFileError:
        """Return the error that says what was wanted here."""
        return WorldFileError(self.file, self.key or "(the whole file)", self.value, wanted)

    def members(self) -> Mapping[str, Any]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            raise self.refuse("an object with named members")
        return self.value

    def only(self, *names: str) -> Entry:
        """Return this object; refuse members of other names."""
        for name in self.members():
            if name not in names:
                near = get_close_matches(name, names, 1)
                raise self.member(name).refuse("a known name" + (f"; the nearest is {near[0]}" if near else ""))
        return self

    def member(self, name: str, default: Any = MISSING) -> Entry:
        """Return a member of an object; a missing one is the default, and refused when read if there is none."""
        return Entry(self.file, f"{self.key}.{name}" if self.key else name, self.members().get(name, default))

    def has(self, name: str) -> bool:
        """Return whether an object has a member."""
        return name in self.members()

    def elements(self, wanted: str = "a list", *, most: int = 10_000_000) -> list[Entry]:
        """Return the elements of a list of at most so many."""
        if not isinstance(self.value, list):
            raise self.refuse(wanted)
        if len(self.value) > most:
            raise self.refuse(f"{wanted}, {most} at most; there are {len(self.value)}")
        return [self._element(index) for index in range(len(self.value))]

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

    def text(self, wanted: str = "a text that is not empty", *, among: Collection[str] = ()) -> str:
        """Return a text that is not empty, and one of the given ones if there are any."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refuse(wanted if not among else f"one of {', '.join(among)}")
        try:
            self.value.encode()
        except UnicodeEncodeError:  # half a pair such as "\ud800", which no message can carry
            raise self.refuse("a text of whole characters") from None
        if among and self.value not in among:
            raise self.refuse(f"one of {', '.join(among)}")
        return self.value

    def numbers(self, columns: Sequence[str]) -> tuple[float, ...]:
        """Return a list of finite numbers; `columns` names them."""
        values = self.value
        if not isinstance(values, list) or len(values) != len(columns):
            raise self.refuse(f"{len(columns)} numbers: {', '.join(columns)}")
        for name, given in zip(columns, values, strict=True):
            if _finite(given) is None:
                raise Entry(self.file, f"{self.key}.{name}", given).refuse("a finite number")
        return tuple(map(float, values))

    def rows(self, columns: Sequence[str]) -> np.ndarray:
        """Return a list of rows of finite numbers as an array (rows, columns); `columns` names the numbers of a row."""
        if not isinstance(self.value, list):
            raise self.refuse(f"a list of {len(columns)} numbers each: {', '.join(columns)}")
        rows: list[Any] = self.value
        # All at once, because there may be a million; one by one only to say which is wrong.
        if not {list} >= set(map(type, rows)) or not {len(columns)} >= set(map(len, rows)):
            self._refuse_row(columns)
        if not {int, float} >= set(map(type, chain.from_iterable(rows))):
            self._refuse_row(columns)
        try:
            table = np.array(rows, np.float64).reshape(-1, len(columns))
        except OverflowError:  # a whole number beyond the doubles
            self._refuse_row(columns)
        if not np.isfinite(table).all():
            self._refuse_row(columns)
        return table

    def polygon(self) -> np.ndarray:
        """Return the corners (n, 2) of a polygon, m: three at least, and not all in one line.

        A corner that stands where the one before it does is left out, such as the first one said again at the end.
        """
        corners = self.rows(("x", "y"))
        if len(corners) and np.abs(corners).max() > FARTHEST_M:
            raise self.refuse(f"corners within {FARTHEST_M:g} m of the origin")
        corners = corners[np.abs(corners - np.roll(corners, 1, axis=0)).max(axis=1, initial=0.0) > SAME_PLACE_M]
        if len(corners) < 3 or polygon_area(corners) == 0.0:
            raise self.refuse("three corners at least that enclose an area")
        return corners

    def _element(self, index: int) -> Entry:
        return Entry(self.file, f"{self.key}[{index}]", self.value[index])

    def _refuse_row(self, columns: Sequence[str]) -> NoReturn:
        for entry in self.elements():
            entry.numbers(columns)
        raise self.refuse("rows of finite numbers")


def polygon_area(corners: np.ndarray) -> float:
    """Return the area of a polygon (n, 2), positive when its corners go counter-clockwise."""
    x, y = corners[:, 0] - corners[0, 0], corners[:, 1] - corners[0, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def read_json(path: str | Path, schema: str | None = None, *, most_bytes: int = MOST_BYTES) -> Entry:
    """Return the object that a JSON file holds.

    Args:
        path: the file.
        schema: the text that its member `schema` must be; None asks for none.
        most_bytes: a larger file is refused.

    Raises:
        WorldFileError: no such file, too large, not UTF-8, not JSON, too deep, a name twice in one object, NaN or
            infinity, no object, another schema.
    """
    file = Path(path)
    return parse_json(read_file(file, most_bytes, "a JSON file in UTF-8"), file, schema)


def parse_json(text: bytes, file: str | Path, schema: str | None = None) -> Entry:
    """Return the object that a JSON text holds.

    Args:
        text: the text in UTF-8.
        file: what errors call it.
        schema: the text that its member `schema` must be; None asks for none.

    Raises:
        WorldFileError: as `read_json`.
    """
    file = Path(file)
    if _depth(text) > MOST_LEVELS:  # before the parser, which keeps every level on the stack
        raise WorldFileError(
            file,
            "",
            "beyond what can be read (nested too deep)",
            f"at most {MOST_LEVELS} lists and objects inside each other",
        )
    constants: list[str] = []

    def constant(name: str) -> float:
        constants.append(name)
        return float(name)

    try:
        tree = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=lambda pairs: _once(pairs, file),
            parse_constant=constant,
        )
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WorldFileError(file, "", f"not JSON ({error})", "a JSON file in UTF-8") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise WorldFileError(file, "", f"beyond what can be read ({error})", "numbers of fewer digits") from None
    entry = Entry(file, "", tree)
    entry.members()
    if constants:
        _refuse_constant(entry)
    if schema is not None and (member := entry.member("schema")).value != schema:
        raise member.refuse(f"the text {schema!r}")
    return entry


def _once(pairs: list[tuple[str, Any]], file: Path) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names: set[str] = set()
        for name, value in pairs:
            if name in names:
                raise WorldFileError(file, name, value, "each name once in an object")
            names.add(name)
    return members


def _refuse_constant(entry: Entry) -> None:
    """Refuse the first NaN or infinity in a tree."""
    if isinstance(entry.value, float) and not math.isfinite(entry.value):
        raise entry.refuse("a finite number")
    if isinstance(entry.value, dict):
        for name in entry.value:
            _refuse_constant(entry.member(name))
    elif isinstance(entry.value, list):
        for element in entry.elements():
            _refuse_constant(element)


def _depth(text: bytes) -> int:
    """Return the most lists and objects that are open at once."""
    if b"\\" in text:
        text = _STRING.sub(b"", text)  # a quote behind a backslash ends no text
    codes = np.frombuffer(text, np.uint8)
    codes = codes[
        (codes == ord('"')) | ((codes | 0x20) == ord("{")) | ((codes | 0x20) == ord("}"))
    ]  # [ is 0x20 below {
    codes = codes[np.cumsum(codes == ord('"')) % 2 == 0]  # within a text a bracket is none
    codes = codes[codes != ord('"')]
    opening = (codes | 0x20) == ord("{")
    return int(np.cumsum(np.where(opening, 1, -1)).max(initial=0))


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
