"""How a snapshot is written: a file that is there whole or not at all, and replaces another one only where it may."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from snapshot_rig import drive, environment, start_driving

from acres_ros.core.environment import Environment
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.snapshot_file import SnapshotFileError
from acres_ros.world import World


@pytest.fixture(scope="module")
def driven() -> Environment:
    vehicle = environment(World.flat())
    start_driving(vehicle, steps=30)
    return vehicle


def test_a_file_appears_whole_or_not_at_all(driven: Environment, tmp_path: Path) -> None:
    snapshot, path = driven.snapshot(), tmp_path / "state.npz"
    snapshot.save(path, replace=False)
    first = path.read_bytes()
    with pytest.raises(SnapshotFileError, match="cannot be written: File exists: .*overwrite=true"):
        snapshot.save(path, replace=False)
    drive(fork := driven.fork(1)[0], 3)
    fork.snapshot().save(path)
    assert path.read_bytes() != first
    with pytest.raises(SnapshotFileError, match="cannot be written: No such file"):
        snapshot.save(tmp_path / "nowhere" / "state.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SnapshotFileError, match="cannot be written"):
        snapshot.save(tmp_path / "folder")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "state.npz"], "nothing half written is left"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_who_may_read_a_file_is_for_the_umask_to_say(
    umask: int, mode: int, driven: Environment, tmp_path: Path
) -> None:
    before = os.umask(umask)
    try:
        for replace in (False, True):
            driven.snapshot().save(tmp_path / "state.npz", replace=replace)
            assert stat.S_IMODE((tmp_path / "state.npz").stat().st_mode) == mode
    finally:
        os.umask(before)


def test_without_links_a_file_is_written_and_none_is_replaced(
    driven: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "state.npz"
    driven.snapshot().save(path, replace=False)
    first = path.read_bytes()
    assert Snapshot.load(path).environment.step_count == driven.step_count
    with pytest.raises(SnapshotFileError, match="cannot be written: File exists: .*overwrite=true"):
        driven.snapshot().save(path, replace=False)
    assert path.read_bytes() == first and [entry.name for entry in tmp_path.iterdir()] == ["state.npz"]
