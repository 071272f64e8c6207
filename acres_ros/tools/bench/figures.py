"""One measured figure beside its bar, and a table of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """What a figure has to reach.

    Attributes:
        limit: the bar, in the unit of the figure.
        least: the figure has to be above the bar, else below it.
    """

    limit: float
    least: bool = False

    def met(self, value: float) -> bool:
        """Tell whether a value is on the good side; one that is not a number never is."""
        return value > self.limit if self.least else value < self.limit

    def __str__(self) -> str:
        return f"{'>' if self.least else '<'} {number(self.limit)}"


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes:
        row: id of the row.
        name: what was measured.
        value: the figure; of several repeats the best, where the name does not say otherwise.
        unit: its unit.
        bar: what it has to reach; None for a figure that is only told.
        beside: what was run beside it in the same run, and with what result.
    """

    row: str
    name: str
    value: float
    unit: str
    bar: Bar | None = None
    beside: str = ""

    @property
    def met(self) -> bool | None:
        """Return whether the bar is met; None without a bar."""
        return None if self.bar is None else self.bar.met(self.value)

    def as_json(self) -> dict[str, Any]:
        """Return the figure as JSON values."""
        return {
            "row": self.row,
            "name": self.name,
            "value": self.value if math.isfinite(self.value) else None,
            "unit": self.unit,
            "bar": None if self.bar is None else str(self.bar),
            "met": self.met,
            "beside": self.beside,
        }


def number(value: float) -> str:
    """Return a number with three significant digits, whole where it is large."""
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def table(figures: Iterable[Figure]) -> Iterator[str]:
    """Yield the lines of a table of figures, with its head."""
    yield f"{'row':4} {'figure':54} {'value':>10} {'unit':12} {'bar':10} {'met':4} beside"
    for figure in figures:
        bar = "" if figure.bar is None else str(figure.bar)
        met = {None: "", True: "yes", False: "NO"}[figure.met]
        value = number(figure.value)
        yield f"{figure.row:4} {figure.name:54} {value:>10} {figure.unit:12} {bar:10} {met:4} {figure.beside}".rstrip()
