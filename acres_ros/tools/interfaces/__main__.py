"""Build interface packages from the command line: `python -m acres_ros.tools.interfaces FOLDER...`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .build import build_packages
from .errors import InterfaceError, ToolMissing
from .package import Prefixes, find_packages

EXIT_FAILED = 1
EXIT_MACHINE = 3


def main(arguments: list[str] | None = None) -> int:
    """Build the packages below the given folders; return 0, 1 (the build failed) or 3 (the machine lacks something)."""
    parser = argparse.ArgumentParser(prog="python -m acres_ros.tools.interfaces", description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path, help="folder whose sub-folders are interface packages")
    parser.add_argument("--prefix", type=Path, help="install here (default: the Python environment)")
    parser.add_argument("--jobs", type=int, help="compilers at once (default: all processors)")
    options = parser.parse_args(arguments)
    packages = [package for folder in options.folder for package in find_packages(folder.resolve())]

    def report(line: str) -> None:
        print(f"      {line}", flush=True)

    try:
        build_packages(packages, Prefixes.of_environment(options.prefix), jobs=options.jobs, report=report)
    except ToolMissing as error:
        print(f"acres: {error}", file=sys.stderr)
        return EXIT_MACHINE
    except InterfaceError as error:
        print(f"acres: {error}", file=sys.stderr)
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
