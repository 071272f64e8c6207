"""`acres validate`: the vehicle beside the figures of the spec."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from acres_ros.cli._usage import as_usage, check_output, writing

HELP = "compare the vehicle with the figures of the spec"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows such as D3 (default: all)")
    parser.add_argument("--parameters", metavar="FILE", help="parameter file (default: config/polaris.json)")
    parser.add_argument(
        "--set",
        action="append",
        type=_setting,
        default=[],
        metavar="KEY=VALUE",
        help="a parameter by its dotted key; repeatable",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures to a file")
    parser.add_argument("--pictures", metavar="DIR", type=Path, help="also draw the drives of each row, as PNG files")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures; return 0 when all are in their bands, else 1."""
    from acres_ros.core.parameters import load_parameters
    from acres_ros.tools.validate import check_rows, validate

    check_rows(arguments.rows)
    overrides = dict(arguments.set)
    with as_usage():
        parameters = load_parameters(arguments.parameters, overrides)
    if arguments.json:
        check_output("the file", arguments.json, "--json")
    if arguments.pictures:
        check_output("a picture in", arguments.pictures / "D1.png", "--pictures")
    figures = []
    print(f"{'row':4} {'figure':48} {'spec':>10} {'model':>10}   band")
    for figure in validate(parameters, arguments.rows):
        figures.append(figure)
        band = f"{figure.low:.5g} .. {figure.high:.5g}"
        verdict = "in" if figure.inside else "OUT"
        print(f"{figure.row:4} {figure.name:48} {figure.target:10.5g} {figure.got:10.5g}   {band:18} {verdict}")
    missed = sum(not figure.inside for figure in figures)
    print(f"{len(figures) - missed} of {len(figures)} figures in their bands")
    if arguments.json:
        rows = [figure.as_json() for figure in figures]
        with writing("the file", arguments.json, "--json"):
            arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if arguments.pictures:
        from acres_ros.tools.validate.pictures import draw_rows

        with writing("a picture in", arguments.pictures, "--pictures"):
            for path in draw_rows(figures, arguments.pictures):
                print(f"picture: {path}")
    return 1 if missed else 0


def _setting(text: str) -> tuple[str, float]:
    key, _, value = text.partition("=")
    try:
        return key, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: wanted KEY=NUMBER, such as mass.occupants=1") from None
