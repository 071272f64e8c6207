"""What the tests themselves stand on: domains that do not meet, no skipping in CI, and the order of the files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import ros_domain

from acres_ros.cli.test import SIDE_BY_SIDE, pytest_arguments

TESTS = Path(ros_domain.__file__).parent
HOLDER = "import sys, ros_domain, pathlib; print(ros_domain.reserve(pathlib.Path(sys.argv[1])), flush=True); input()"


def hold(folder: Path) -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def test_a_domain_belongs_to_one_process_and_is_free_when_that_is_killed(tmp_path: Path) -> None:
    first, domain = hold(tmp_path)
    second, other = hold(tmp_path)
    try:
        assert (domain, other) == (ros_domain.FIRST, ros_domain.FIRST + 1)
        first.kill()
        first.wait()
        third, again = hold(tmp_path)
        third.communicate("\n")
        assert again == domain
    finally:
        second.kill()
        for process in (first, second):
            process.communicate()


def test_a_process_never_gets_a_domain_twice_and_is_told_when_none_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_domain, "LAST", ros_domain.FIRST + 1)
    held = list(ros_domain._held)
    try:
        assert [ros_domain.reserve(tmp_path) for _ in range(2)] == [ros_domain.FIRST, ros_domain.FIRST + 1]
        with pytest.raises(ros_domain.NoDomainError, match="are in use by tests"):
            ros_domain.reserve(tmp_path)
    finally:
        for lock in ros_domain._held[len(held) :]:
            os.close(lock)
        ros_domain._held[:] = held


SKIPPING = """
import pytest

@pytest.fixture
def rights():
    pytest.skip("no rights here")

def test_in_fixture(rights): pass
def test_in_body(): pytest.skip("no tools here")
@pytest.mark.skipif(True, reason="another kind of machine")
def test_marked(): pass
@pytest.mark.xfail(strict=True)
def test_expected(): assert False
"""


@pytest.mark.parametrize(("ci", "counts"), [("true", "1 failed, 1 skipped, 1 xfailed, 1 error"), ("", "3 skipped, 1")])
def test_what_skips_for_want_of_rights_fails_in_ci(tmp_path: Path, ci: str, counts: str) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS), "CI": ci},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert counts in result.stdout, result.stdout
    assert ("in CI nothing is skipped" in result.stdout) == bool(ci)
    assert result.returncode == (1 if ci else 0)


@pytest.mark.parametrize(
    ("given", "side_by_side"),
    [
        ([], True),
        (["-k", "steering", "--durations=15"], True),
        (["test/core"], False),
        (["test/not_there.py"], False),
        (["-x", "test/core/test_clock.py::test_the_step"], False),
    ],
)
def test_the_suite_runs_side_by_side_and_chosen_files_do_not(given: list[str], side_by_side: bool) -> None:
    assert pytest_arguments(given) == [*(SIDE_BY_SIDE if side_by_side else ()), *given]


def test_a_file_with_a_slow_test_begins_before_one_with_more_tests(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (tmp_path / "test_many.py").write_text("".join(f"def test_{number}(): pass\n" for number in range(3)))
    (tmp_path / "test_short.py").write_text("def test_short(): pass\n")
    (tmp_path / "test_slow.py").write_text("import pytest\n@pytest.mark.slow\ndef test_slow(): pass\n")
    options = ["-v", "-p", "no:cacheprovider", *SIDE_BY_SIDE, "--numprocesses=1"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    order = [line.split("test_")[1] for line in result.stdout.splitlines() if "PASSED" in line]
    assert order == ["slow.py::", *["many.py::"] * 3, "short.py::"], result.stdout + result.stderr
