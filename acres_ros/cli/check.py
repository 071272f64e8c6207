"""`acres check NAME`: show on this machine that a promise holds.

Each check is a module with HELP, add_arguments(parser) and run(arguments) -> int. A new one is one more row of CHECKS.
Exit status: 0 it holds, 1 it does not, 3 it could not be checked here.
"""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType

HELP = "prove a promise of the simulator on this machine"
PASSED, FAILED, NOT_CHECKED = 0, 1, 3

CHECKS = {
    "determinism": "acres_ros.cli.check_determinism",
    "fence": "acres_ros.cli.check_fence",
    "interfaces": "acres_ros.cli.check_interfaces",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command for each check."""
    parser.epilog = "exit codes: 0 it holds; 1 it does not; 2 the command line is wrong; 3 it could not be checked here"
    names = parser.add_subparsers(dest="check", metavar="NAME", required=True)
    for name, path in CHECKS.items():
        module = importlib.import_module(path)
        entry = names.add_parser(name, help=module.HELP, description=_summary(module), epilog=parser.epilog)
        module.add_arguments(entry)
        entry.set_defaults(run_check=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen check and return its exit status."""
    return arguments.run_check(arguments)


def _summary(module: ModuleType) -> str:
    """Return the first paragraph of a module's documentation."""
    return (module.__doc__ or "").partition("\n\n")[0].strip()
