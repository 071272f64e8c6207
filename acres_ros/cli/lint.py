"""`acres lint`: ruff, mypy, and the rules of the models."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from acres_ros.cli._tree import source_tree
from acres_ros.cli.main import Exit

HELP = "check style, types and the rules of the models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option that repairs what can be repaired."""
    parser.add_argument("--fix", action="store_true", help="repair style and format first")


def commands(*, fix: bool) -> list[tuple[str, list[str]]]:
    """Return name and arguments (after `python -m`) of each check.

    Args:
        fix: let ruff change the files.
    """
    return [
        ("style", ["ruff", "check", "--quiet", *(["--fix"] if fix else []), "."]),
        ("format", ["ruff", "format", "--quiet", *([] if fix else ["--check"]), "."]),
        ("models", ["acres_ros.tools.lint_models"]),
        ("types", ["mypy", "--no-error-summary"]),
    ]


def run(arguments: argparse.Namespace) -> int:
    """Run every check, also after one that fails."""
    failed = []
    for name, words in commands(fix=arguments.fix):
        start = time.perf_counter()
        code = subprocess.run([sys.executable, "-m", *words], cwd=source_tree(), check=False).returncode
        print(f"{name:<8}{'ok' if code == 0 else 'FAILED'}  ({time.perf_counter() - start:.1f} s)", flush=True)
        if code:
            failed.append(name)
    if failed:
        print(f"acres: lint failed: {', '.join(failed)}", file=sys.stderr)
    return Exit.FAILED if failed else Exit.OK
