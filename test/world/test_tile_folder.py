"""The built-in tile: the same seed gives the same bytes, and the cache keeps a whole tile only."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tile_files import TileFiles

from acres_ros.errors import AcresError
from acres_ros.world.tile import build_tile, tile_folder
from acres_ros.world.tile.build import remove_unused_tiles, tile_path

DAY_S = 86400.0


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_seed_gives_the_same_bytes(tile: TileFiles, tmp_path: Path) -> None:
    build_tile(tmp_path, tile.site["seed"])
    again = digests(tmp_path)
    assert again == digests(tile.folder)
    assert len(again) == 12


def test_a_plainer_processor_gives_the_same_bytes(tmp_path: Path) -> None:
    core = np._core._multiarray_umath if hasattr(np, "_core") else np.core._multiarray_umath
    features = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    code = "import sys; from acres_ros.world.tile import build_tile; build_tile(sys.argv[1], 6)"
    for name, disabled in (("all", ""), ("none", " ".join(features))):
        environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": disabled}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], env=environment, check=True)
    assert digests(tmp_path / "all") == digests(tmp_path / "none")


def test_another_seed_gives_another_tile(tile: TileFiles, tmp_path: Path) -> None:
    build_tile(tmp_path, tile.site["seed"] + 1)
    other, this = digests(tmp_path), digests(tile.folder)
    same = {name for name in this if this[name] == other[name]}
    assert same == {"ACRE/soils.json", "ACRE/places.json"}


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_out_of_range_is_refused(seed: int, tmp_path: Path) -> None:
    with pytest.raises(AcresError, match=f"{seed}.*4294967295"):
        build_tile(tmp_path, seed)
    assert not list(tmp_path.iterdir())


def _folder_of(cache: str, gate) -> str:
    os.environ["ACRES_CACHE"] = cache
    gate.wait(60.0)
    return str(tile_folder(5))


def test_two_builders_at_once_both_succeed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(2) as pool:
        gate = manager.Barrier(2)
        folders = pool.starmap(_folder_of, [(str(tmp_path), gate)] * 2)
    assert folders[0] == folders[1]
    worlds = tmp_path / "acres_ros" / "worlds"
    assert [path.name for path in worlds.iterdir()] == [Path(folders[0]).name]
    assert Path(folders[0]).name.startswith("farm-5-")
    assert len(digests(Path(folders[0]))) == 12


def test_the_folder_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    lines: list[str] = []
    first = tile_folder(4, lines.append)
    told = len(lines)
    assert told >= 4 and any("trees" in line for line in lines)
    assert tile_folder(4, lines.append) == first and len(lines) == told


def test_farms_of_older_generators_that_nothing_has_used_for_a_month_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    assert remove_unused_tiles() == [], "nothing is there yet"
    older = "farm-1-0123456789ab"
    kept = {tile_path(7).name: 31, older.replace("-1-", "-2-"): 29, "mine": 31, f"{older}-mine": 31}
    removed = {older: 31, f"{older}.x1y2": 31, f"{tile_path(8).name}.x1y2": 31}
    for name, days in (kept | removed).items():
        (folder := tile_path().parent / name).mkdir(parents=True)
        (folder / "acre_scene.json").write_text("")
        os.utime(folder, (time.time() - days * DAY_S,) * 2)
    assert {path.name for path in remove_unused_tiles()} == removed.keys()
    assert {path.name for path in tile_path().parent.iterdir()} == kept.keys()


def test_each_use_of_a_farm_is_told_by_the_time_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    (folder := tile_path(7)).mkdir(parents=True)
    os.utime(folder, (0.0, 0.0))
    assert tile_folder(7) == folder
    assert folder.stat().st_mtime > time.time() - DAY_S


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acres_ros").write_text("in the way")
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    with pytest.raises(AcresError, match="acres_ros/worlds"):
        tile_folder(4)
