"""Tables of named numbers: the state and the parameters as nested structured records.

A table names each field once, with its unit, its default and what it is. numpy and numba read the same memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Field:
    """One number, one sub-record, or a fixed-length row of either.

    Attributes:
        name: field name; it carries the unit where that is not SI.
        unit: unit as text, `-` for a pure number.
        default: initial value of a number (ignored for a sub-record).
        description: what the number is, with its frame.
        kind: `float`, `int`, `np.uint64` (64 bits) or the `Record` of a sub-record.
        count: 0 for a single value, else the length of the row.
    """

    name: str
    unit: str
    default: float | int
    description: str
    kind: type | Record = float
    count: int = 0


@dataclass(frozen=True)
class Record:
    """A named table of fields."""

    name: str
    fields: tuple[Field, ...]

    @cached_property
    def dtype(self) -> np.dtype:
        """Return the numpy type; every number is 8 bytes, so nothing is padded. Elements answer to attribute names.

        It is one object for a table: numba compares equal types field by field in each call, and the same one at once.
        """
        columns = []
        for field in self.fields:
            base = field.kind.dtype if isinstance(field.kind, Record) else np.dtype(field.kind)
            columns.append((field.name, base, (field.count,)) if field.count else (field.name, base))
        return np.dtype((np.record, columns))

    def new(self, count: int = 1) -> np.recarray:
        """Return `count` records that hold the defaults."""
        rows = np.zeros(count, self.dtype).view(np.recarray)
        self.set_defaults(rows)
        return rows

    def set_defaults(self, rows: np.ndarray) -> None:
        """Write the defaults into existing records."""
        for field in self.fields:
            if isinstance(field.kind, Record):
                field.kind.set_defaults(rows[field.name])
            else:
                rows[field.name] = field.default

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, Field]]:
        """Yield the dotted key and the field of every number, in order; rows appear once."""
        for field in self.fields:
            key = f"{prefix}{field.name}"
            if isinstance(field.kind, Record):
                yield from field.kind.leaves(f"{key}.")
            else:
                yield key, field


def place_of(dtype: Any, key: str) -> tuple[Any, int]:
    """Return the type of what a dotted key names in a record, and its first byte.

    Args:
        dtype: structured type.
        key: names joined by dots; a number picks an element of a row, as in `wheel.2.spin`. Empty is the record itself.
    """
    offset = 0
    for name in filter(None, key.split(".")):
        if name.isdigit():
            offset += int(name) * dtype.base.itemsize
            dtype = dtype.base
        else:
            dtype, start = dtype.base.fields[name][:2]
            offset += start
    return dtype, offset


def column(rows: np.ndarray, key: str) -> np.ndarray:
    """Return a view of what a dotted key names in each of the records, as a plain array."""
    view = rows.view(np.ndarray)
    for name in key.split("."):
        view = view[name]
    return view


def part(name: str, record: Record, description: str, count: int = 0) -> Field:
    """Return the field that holds a sub-record, or a row of them."""
    return Field(name, "-", 0, description, record, count)
