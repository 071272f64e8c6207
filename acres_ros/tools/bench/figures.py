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

    def __str__(self) -> str:
        """Return the figure on a line of its own."""
        text = f"{self.row} {self.name}: {number(self.value)} {self.unit}"
        return text if self.bar is None else f"{text}, bar {self.bar}: {'met' if self.met else 'NOT met'}"

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


HEAD = ("row", "figure", "value", "unit", "bar", "met", "beside")
RIGHT = HEAD.index("value")
"""The column that is aligned to the right."""


def table(figures: Iterable[Figure]) -> Iterator[str]:
    """Yield the lines of a table of figures, with its head; each column is as wide as its widest cell."""
    rows = [HEAD, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        cells = [
            f"{cell:>{width}}" if column == RIGHT else f"{cell:{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _cells(figure: Figure) -> tuple[str, ...]:
    bar = "" if figure.bar is None else str(figure.bar)
    met = {None: "", True: "yes", False: "NO"}[figure.met]
    return figure.row, figure.name, number(figure.value), figure.unit, bar, met, figure.beside
