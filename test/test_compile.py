"""Where compiled code is kept, what is said where it cannot be, and when it and old farms are removed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acres_ros import _compile
from acres_ros._cache import cache_base
from acres_ros._compiled import compiling_text
from acres_ros.core import kinematics
from acres_ros.tools import precompile

DAY_S = 86400.0
PROGRAM = """
from acres_ros._compiled import compiling_text
from acres_ros.core import kinematics
text = compiling_text(kinematics._quaternion, "the model", "a while")
assert kinematics.quaternion((0.0, 0.0, 0.0))[3] == 1.0
print(text)
"""

PLACE_AND_LOADS = """
import acres_ros
from acres_ros.core import kinematics
kinematics.quaternion((0.0, 0.0, 0.0))
print(acres_ros.__file__, sum(kinematics._quaternion.stats.cache_hits.values()))
"""


def said(cache: Path) -> str:
    environment = os.environ | {"ACRES_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_without_a_folder_to_write_in_each_start_says_that_it_compiles_and_nothing_is_kept(tmp_path: Path) -> None:
    """numba falls back to folders of its own, whose code outlives an edit of a function that it calls."""
    (cache := tmp_path / "file").write_text("")
    before = sorted(_compile.PACKAGE.rglob("*.nbi"))
    for _ in range(2):
        text = said(cache)
        assert text.startswith("compiling the model, which takes about a while each time, because ")
        assert (
            str(cache) in text and "cannot be written (Not a directory): make it writable, or set ACRES_CACHE" in text
        )
    assert sorted(_compile.PACKAGE.rglob("*.nbi")) == before


def test_a_second_start_loads_what_the_first_one_compiled(tmp_path: Path) -> None:
    assert said(tmp_path) == "compiling the model, which takes about a while; later it is loaded\n"
    (folder,) = (tmp_path / "acres_ros").iterdir()
    os.utime(folder, (0.0, 0.0))
    assert said(tmp_path) == "\n"
    assert folder.stat().st_mtime > time.time() - DAY_S, "each start says that it uses its folder"


def test_a_copy_of_the_package_loads_what_another_one_compiled(tmp_path: Path) -> None:
    copy = shutil.copytree(_compile.PACKAGE, tmp_path / "site" / _compile.PACKAGE.name)
    said(tmp_path / "cache")
    environment = os.environ | {"ACRES_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(copy.parent)}
    command = [sys.executable, "-c", PLACE_AND_LOADS]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.split() == [str(copy / "__init__.py"), "1"]


@pytest.mark.parametrize(
    ("name", "compiled"),
    [
        ("models/body.py", True), ("core/kinematics.py", True), ("_record.py", True), ("_compile.py", True),
        ("core/environment.py", False), ("cli/bench_rows.py", False), ("_compiled.py", False),
    ],
)  # fmt: skip
def test_an_edit_changes_the_folder_where_something_compiled_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, compiled: bool
) -> None:
    package = shutil.copytree(_compile.PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_compile, "PACKAGE", package)
    before = _compile.cache_folder()
    with (package / name).open("a") as file:
        file.write("# edited\n")
    assert (_compile.cache_folder() != before) == compiled


def test_who_only_calls_compiled_functions_is_no_part_of_the_hash() -> None:
    for path in _compile.PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "acres_ros._compile":
                names = {alias.name for alias in node.names}
                assert names <= {"kernel", "outlined", "entry", "array_entry"}, path


def test_what_nothing_has_used_for_a_month_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    own, base = _compile.cache_folder(), cache_base()
    ages = {own.name: 31, "0123456789abcdef": 31, "fedcba9876543210": 29, "worlds": 31, "0123456789abcdef.mine": 31}
    for name, days in ages.items():
        (base / name / "models").mkdir(parents=True)
        (base / name / "models" / "step.nbi").write_text("")
        os.utime(base / name, (time.time() - days * DAY_S,) * 2)
    assert _compile.remove_unused_code() == [base / "0123456789abcdef"]
    assert {path.name for path in base.iterdir()} == ages.keys() - {"0123456789abcdef"}


def test_the_preparation_removes_and_names_code_and_farms_that_nothing_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    monkeypatch.setattr(precompile, "PARTS", ())
    unused = [cache_base() / "0123456789abcdef", cache_base() / "worlds" / "farm-1-0123456789ab"]
    for folder in unused:
        folder.mkdir(parents=True)
        os.utime(folder, (0.0, 0.0))
    assert precompile.main() == 0
    assert capsys.readouterr().out.splitlines() == [f"removed {f}, which nothing has used for 30 days" for f in unused]
    assert not any(folder.exists() for folder in unused)


def test_a_mark_lies_beside_the_code_when_all_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    mark = _compile.cache_folder() / "mark"
    mark.parent.mkdir(parents=True)
    seen = []
    monkeypatch.setattr(precompile, "PARTS", (("a part", lambda: seen.append(mark.exists())),))
    assert precompile.main(mark.name) == 0
    assert seen == [False] and mark.exists()


def test_a_machine_that_keeps_nothing_is_not_prepared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_compile, "NOT_KEPT", "Read-only file system")
    monkeypatch.setattr(precompile, "PARTS", ())
    assert precompile.main("mark") == 1
    assert not (_compile.cache_folder() / "mark").exists()
    assert capsys.readouterr().out.startswith("compiled code cannot be kept: ")
    assert "each time" in compiling_text(kinematics._quaternion, "the model", "a while")
