"""Fixtures of the tests of the tools."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from launcher_rig import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    own = Path(sysconfig.get_paths()["purelib"]) / "acres_ros.pth"
    before = own.read_text() if own.exists() else None
    yield Machine(tmp_path)
    assert (own.read_text() if own.exists() else None) == before, f"the launcher of the test has written {own}"
