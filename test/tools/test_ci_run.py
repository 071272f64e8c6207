"""`.ci/run` runs every stage, wants the right exit code and verdict of each, and counts.

A stand-in for `./acres` prints what the stages print; APT and the network are not touched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FAKE_ACRES = """#!/bin/bash
echo "$CI $*" >>"$(dirname "$0")/calls"
[[ "$*" != "${BREAK-}" ]] || { echo "Traceback of ${BREAK}"; exit "$BREAK_CODE"; }
case "$*" in
    setup) echo "rclpy  /somewhere" ;;
    lint) echo "types   ok  (9.0 s)" ;;
    test*) echo "===== 12 passed, 1 skipped in 3.20s =====" ;;
    "check fence --no-fence") echo "FAILED, as it must: the fence is off."; exit 1 ;;
    "check fence") echo "PASSED: every destination is on this machine (40 s)." ;;
    validate) echo "28 of 28 figures in their bands" ;;
    "check determinism --long") echo "PASSED: 9 comparisons (160 s)." ;;
    "drive lockstep"*) echo "[acres] every published byte equal: yes" ;;
    "drive kilometre"*) echo "distance 400.1 m in 70.0 s of simulation and 6.0 s of wall time" ;;
esac
"""


def ci(folder: Path, broken: str = "", broken_code: int = 1) -> tuple[int, list[str], list[str]]:
    """Return exit code, the lines at the end, and the calls."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci")
    for name, text in (("acres", FAKE_ACRES), ("bin/apt-get", "#!/bin/sh\n")):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    environment = os.environ | {"ACRES_PYTHON": sys.executable, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    environment |= {"BREAK": broken, "BREAK_CODE": str(broken_code)}
    result = subprocess.run(
        [str(folder / ".ci/run"), "-k", "some"], env=environment, capture_output=True, text=True, check=False
    )
    said, _, end = result.stdout.partition("=== done (")
    assert end, said + result.stderr
    return result.returncode, end.splitlines()[1:], (folder / "calls").read_text().splitlines()


def test_every_stage_is_run_and_told_with_its_time_and_count(tmp_path: Path) -> None:
    code, end, calls = ci(tmp_path)
    assert code == 0, end
    assert [line.split("  ")[0].strip() for line in end] == [
        "set-up", "lint", "tests", "fence", "fence off", "validate", "determinism", "drive lockstep", "drive kilometre",
    ]  # fmt: skip
    assert all(re.search(r" \d+ s  passed: \S", line) for line in end)
    assert end[2].endswith("passed: 12 passed, 1 skipped in 3.20s")
    assert calls[2] == "true test --durations=15 -k some", "the tests know that they run in CI"


@pytest.mark.parametrize(
    ("broken", "code", "row", "text"),
    [
        ("check fence", 3, 3, "FAILED (exit code 3, not 0)"),
        ("check fence --no-fence", 0, 4, "FAILED (exit code 0, not 1)"),
        ("check fence --no-fence", 1, 4, "FAILED (it ended without its verdict)"),
        ("check fence --no-fence", 3, 4, "FAILED (exit code 3, not 1)"),
        ("validate", 1, 5, "FAILED (exit code 1, not 0)"),
        ("check determinism --long", 1, 6, "FAILED (exit code 1, not 0)"),
        ("test --durations=15 -k some", 1, 2, "FAILED (exit code 1, not 0)"),
    ],
)
def test_a_stage_that_fails_fails_the_run_and_the_others_are_run(
    tmp_path: Path, broken: str, code: int, row: int, text: str
) -> None:
    result, end, calls = ci(tmp_path, broken, code)
    assert result == 1
    assert len(end) == len(calls) == 9
    assert text in end[row]
    assert sum("FAILED (" in line for line in end) == 1


def test_nothing_is_run_without_the_set_up(tmp_path: Path) -> None:
    code, end, calls = ci(tmp_path, "setup", 4)
    assert (code, len(end), len(calls)) == (1, 1, 1)
