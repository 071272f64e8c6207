"""`acres calibrate`: fit the vehicle and the ground to the figures of the spec."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from acres_ros._cache import cache_base
from acres_ros.cli._tree import source_tree
from acres_ros.cli._usage import as_usage, check_output, count, writing
from acres_ros.cli.main import Exit
from acres_ros.errors import AcresError
from acres_ros.locations import shared_folder

HELP = "fit parameters of the vehicle and the ground to the figures of the spec"


class NoScipyError(AcresError):
    """The fit needs a package that only the development environment has."""

    def __init__(self) -> None:
        super().__init__("calibrate needs scipy, which this Python lacks: use ./acres calibrate of a clone")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("--rows", nargs="+", default=[], metavar="ROW", help="rows such as D3 (default: D3 to D8)")
    parser.add_argument(
        "--free",
        nargs="+",
        default=[],
        metavar="KEY",
        help="parameters such as engine.inertia (default: all free ones)",
    )
    parser.add_argument("--iterations", type=count, default=20, metavar="N", help="most steps from each start")
    parser.add_argument("--starts", type=count, default=3, metavar="N", help="fits from several points; the best wins")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the files (default: in the user's cache)")
    parser.add_argument("--parameters", metavar="FILE", help="what is not free (default: config/polaris.json)")
    parser.add_argument("--no-pictures", action="store_true", help="write no pictures")
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--install", action="store_true", help="write the values into the source tree as well")
    ends.add_argument("--check", action="store_true", help="do not fit: say whether the files are a minimum of the fit")


def run(arguments: argparse.Namespace) -> int:
    """Fit or check, print the report and write the files."""
    if find_spec("scipy") is None:
        raise NoScipyError
    from acres_ros.core.parameters import load_parameters
    from acres_ros.tools.calibrate import Problem, files, problem, residuals
    from acres_ros.world.surfaces import surface_table

    rows = residuals.check_rows(arguments.rows)
    with as_usage():
        parameters = load_parameters(arguments.parameters)
    if arguments.output is None:
        arguments.output = cache_base() / "calibration"
    if not arguments.check:
        check_output("a file in", arguments.output / files.SURFACES_FILE, "--output")
    task = Problem(parameters, surface_table(), problem.choose(arguments.free))
    if arguments.check:
        return _check(task, rows)
    return _fit(arguments, task, rows)


def _check(task, rows) -> int:
    from acres_ros.tools.calibrate import fit, report

    result = fit.check(task, rows)
    print("\n".join(report.check_lines(task, result)))
    return Exit.OK if result.holds else Exit.FAILED


def _fit(arguments: argparse.Namespace, task, rows) -> int:
    from acres_ros.tools.calibrate import calibrate, files, report

    tree = source_tree() if arguments.install else None
    library = json.loads((shared_folder("config") / files.SURFACES_FILE).read_text(encoding="utf-8"))
    begin = time.monotonic()
    print(f"[acres] {len(task.free)} parameters, rows {' '.join(rows)}; Ctrl-C ends with the best so far", flush=True)
    found = calibrate(
        task,
        rows,
        starts=arguments.starts,
        iterations=arguments.iterations,
        say=lambda line: print(f"[acres] {time.monotonic() - begin:5.0f} s  {line}", flush=True),
    )
    folder = arguments.output
    with writing("the files in", folder, "--output"):
        files.write_files(task, found, library, folder)
    print("\n".join(report.fit_lines(task, found)))
    print(
        f"[acres] files: {folder}; the rows were driven {found.evaluations} times in {time.monotonic() - begin:.0f} s"
    )
    if not arguments.no_pictures:
        with writing("the pictures in", folder, "--output"):
            _draw(task, found, rows, folder)
    if found.interrupted:
        if tree is not None:
            print("acres: interrupted, so nothing was installed", file=sys.stderr)
        return Exit.INTERRUPTED
    if tree is not None:
        with writing("the source tree", tree, "the user of --install"):
            for path in files.install(task, found, library, tree):
                print(f"[acres] installed: {path}")
    return Exit.OK


def _draw(task, found, rows, folder: Path) -> None:
    from acres_ros.tools.validate import validate
    from acres_ros.tools.validate.pictures import draw_rows

    parameters, surfaces = task.subject(found.point.values)
    for path in draw_rows(list(validate(parameters, rows, surfaces)), folder):
        print(f"[acres] picture: {path}")
