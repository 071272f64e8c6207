"""Programs of this package run from it, also where the current folder holds another package of this name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import acres_ros
from acres_ros._program import run_by

ROOT = Path(__file__).resolve().parents[1]
OTHER_CHECKOUT = ROOT / "test" / "other_checkout"
OPTIONS = [(), ("-u",), *([("-P",)] if sys.version_info >= (3, 11) else [])]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_program_is_that_of_its_own_package(options: tuple[str, ...]) -> None:
    command = [sys.executable, *options, *run_by("acres_ros.cli", "--version")]
    done = subprocess.run(command, cwd=OTHER_CHECKOUT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"acres_ros {acres_ros.__version__}\n"), done.stderr


def test_it_gets_its_arguments_and_finds_what_the_variables_name(tmp_path: Path) -> None:
    """The messages of an installed ROS 2 are found by `PYTHONPATH`."""
    (tmp_path / "chosen.py").write_text("import sys\nprint(__name__, sys.argv[1:], sys.path[0], sys.argv[0])")
    done = subprocess.run(
        [sys.executable, *run_by("chosen", "one", "two words")],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=OTHER_CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"__main__ ['one', 'two words'] {ROOT} {tmp_path / 'chosen.py'}\n", done.stderr


def test_no_program_of_this_package_is_started_by_python_m() -> None:
    found = [
        path.name
        for path in (ROOT / "acres", *(ROOT / "acres_ros").rglob("*.py"))
        if any(words in path.read_text() for words in ('"-m", "acres_ros.', '" -m acres_ros.'))
    ]
    assert not found
