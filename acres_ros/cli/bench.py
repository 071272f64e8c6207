"""`acres bench`: measure speed, memory and start, beside their bars."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from acres_ros.cli._usage import writing
from acres_ros.errors import AcresError, UsageError

if TYPE_CHECKING:
    from acres_ros.cli.bench_rows import Bench
    from acres_ros.tools.bench import Figure

HELP = "measure speed, latency, memory and start, each beside its bar"
ROWS = ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "L1", "S1", "S2", "S3", "S4", "S5")


class UnknownRowError(UsageError):
    """A row that is not measured."""

    def __init__(self, row: str) -> None:
        super().__init__(f"no row {row!r} is measured here: the rows are {', '.join(ROWS)}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"rows: {' '.join(ROWS)} (default: all)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures to a file")
    parser.add_argument("--quick", action="store_true", help="shorter runs and fewer repeats")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a bar is not met")
    parser.add_argument("--set-up", action="store_true", help="G8 also sets up a fresh clone, which takes minutes")


def run(arguments: argparse.Namespace) -> int:
    """Measure, tell each figure, print all as a table, and write them.

    Returns:
        0, or 1 when a row failed, or a bar is not met and `--strict` was given.
    """
    from acres_ros.cli.bench_rows import Bench
    from acres_ros.tools.bench import table

    for row in arguments.rows:
        if row not in ROWS:
            raise UnknownRowError(row)
    bench = Bench(quick=arguments.quick, set_up=arguments.set_up, say=_progress)
    record = _Record(arguments.json, quick=arguments.quick)
    try:
        for figure in record.measured(bench, arguments.rows or ROWS):
            _progress("")
            print(figure, file=sys.stderr, flush=True)
    finally:
        # Also of a bench that is interrupted: its columns are as wide as what was measured, so it comes last.
        _progress("")
        print("\n".join(table(record.figures)), flush=True)
    figures = record.figures
    missed = [figure for figure in figures if figure.met is False]
    text = f"{len(missed)} of {sum(f.met is not None for f in figures)} bars not met"
    text += f"; FAILED: {' '.join(record.failures)}" if record.failures else ""
    print(f"{text}; {_machine()}; load {os.getloadavg()[0]:.1f}, and the bars are for an idle machine")
    return 1 if record.failures or (missed and arguments.strict) else 0


class _Record:
    """What was measured, and which rows failed; in a file too, so that what ends the bench leaves what was there.

    Args:
        file: the file; None: there is none.
        quick: whether the runs are short.

    Attributes:
        figures: those that were measured.
        failures: what is wrong, by row.

    Raises:
        OutputFileError: the file cannot be written, which is told before anything is measured.
    """

    def __init__(self, file: Path | None, *, quick: bool) -> None:
        self._file = file
        self._quick = quick
        self.figures: list[Figure] = []
        self.failures: dict[str, str] = {}
        self._write()

    def measured(self, bench: Bench, rows: Iterable[str]) -> Iterator[Figure]:
        """Yield each figure as soon as it is measured; a row that fails is said, and the next one is measured."""
        for row in rows:
            try:
                for figure in bench.measure(row):
                    self.figures.append(figure)
                    self._write()
                    yield figure
            except Exception as error:
                _progress("")
                if not isinstance(error, AcresError):
                    traceback.print_exc()
                self.failures[row] = str(error) if isinstance(error, AcresError) else repr(error)
                print(f"acres: row {row} failed: {self.failures[row]}", file=sys.stderr, flush=True)
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        content = {
            "machine": _machine(),
            "load": os.getloadavg(),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "quick": self._quick,
            "figures": [figure.as_json() for figure in self.figures],
            "failures": self.failures,
        }
        with writing("the file", self._file, "--json"):
            self._file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text and not text.endswith("%"):
        print(text, file=sys.stderr, flush=True)
