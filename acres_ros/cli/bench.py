"""`acres bench`: measure speed, memory and start, beside their bars."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

from acres_ros.errors import AcresError

HELP = "measure speed, latency, memory and start, each beside its bar"
ROWS = ("G1", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "L1")


class UnknownRowError(AcresError):
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
    """Measure, print and write; return 0, or 1 when a bar is not met and `--strict` was given."""
    from acres_ros.cli.bench_rows import Bench
    from acres_ros.tools.bench import table

    for row in arguments.rows:
        if row not in ROWS:
            raise UnknownRowError(row)
    bench = Bench(quick=arguments.quick, set_up=arguments.set_up, say=_progress)
    figures = []
    for row in arguments.rows or ROWS:
        figures += bench.measure(row)
    _progress("")
    for line in table(figures):
        print(line)
    missed = [figure for figure in figures if figure.met is False]
    load = os.getloadavg()
    print(f"{len(missed)} of {sum(f.met is not None for f in figures)} bars not met; {_machine()}; load {load[0]:.1f}")
    if arguments.json:
        content = {
            "machine": _machine(),
            "load": load,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "quick": arguments.quick,
            "figures": [figure.as_json() for figure in figures],
        }
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return 1 if missed and arguments.strict else 0


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text and not text.endswith("%"):
        print(text, file=sys.stderr, flush=True)
