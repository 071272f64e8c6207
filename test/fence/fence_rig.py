"""The programs of the tests of the fence, and the domains they run in."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ros_domain import reserve

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs.py"
DOMAIN, OTHER_DOMAIN = reserve(), reserve()


def result_of(process: subprocess.Popen[str]) -> dict:
    """Return the JSON object on the last line that a program prints."""
    output = process.communicate(timeout=60)[0]
    return json.loads(output.strip().splitlines()[-1])


def run_program(command: list[str], environ: dict[str, str], *arguments: str, cwd: Path | None = None) -> dict:
    """Run one of the programs behind a command prefix and return its result."""
    done = subprocess.run(
        [*command, str(PROGRAMS), *arguments],
        env=environ, capture_output=True, text=True, timeout=60, cwd=cwd, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])
