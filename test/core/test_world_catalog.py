"""Which worlds there are, and which address names which."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acres_ros.core.world_catalog import (
    BUILT_IN,
    WorldAddressError,
    WorldCatalog,
    WorldSourceError,
    chosen,
    worlds_in,
)
from acres_ros.world import WORLDS, UnknownNameError, WorldFileError
from acres_ros.world.tile import tile_folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with two worlds, one of them with a space and an umlaut in its name, and with other things."""
    root = tmp_path_factory.mktemp("worlds")
    for name in ("north", "süd farm"):
        shutil.copytree(tile_folder(), root / name)
    (root / "empty").mkdir()
    (root / "notes.txt").write_text("no world")
    return root


def test_every_built_in_world_is_listed_once_under_its_name() -> None:
    assert {entry.name for entry in BUILT_IN} == set(WORLDS)
    assert all(entry.uri == entry.name and entry.description and entry.tags for entry in BUILT_IN)


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.name)
def test_what_is_listed_can_be_loaded(entry) -> None:
    world, loaded = WorldCatalog().load(entry.uri)
    assert (world.name, loaded) == (entry.name, entry)


def test_a_folder_is_found_by_path_and_by_address(folders: Path) -> None:
    folder = folders / "süd farm"
    uri = folder.as_uri()
    assert "%20" in uri
    for address in (str(folder), uri, uri.replace("file://", "file://localhost"), f"{folder}/"):
        world, entry = WorldCatalog().load(address)
        assert world.ground.heights.shape == (1001, 1001)
        assert entry.uri == uri


def test_options_reach_the_farm_and_folders_and_nothing_else(folders: Path) -> None:
    catalog = WorldCatalog(growth=0.25)
    for uri in ("farm", str(folders / "north")):
        world, _ = catalog.load(uri)
        assert world.ground.patches["growth"].max() == 0.25
    assert catalog.load("flat")[0].name == "flat"


def test_worlds_of_a_source_are_its_folders_with_a_site(folders: Path) -> None:
    assert [entry.name for entry in worlds_in(str(folders))] == ["north", "süd farm"]
    assert [entry.uri for entry in worlds_in(folders.as_uri())] == [
        (folders / name).as_uri() for name in ("north", "süd farm")
    ]
    assert [entry.name for entry in worlds_in(str(folders / "north"))] == ["north"]
    assert worlds_in(str(folders / "empty")) == []


@pytest.mark.parametrize("source", ["/nowhere/at/all", "notes.txt"])
def test_a_source_that_cannot_be_looked_into_is_refused(folders: Path, source: str) -> None:
    with pytest.raises(WorldSourceError, match="wanted a folder"):
        worlds_in(str(folders / source))


@pytest.mark.parametrize(
    "uri",
    ["http://example.org/farm", "file://elsewhere/farm", "file://", "package://farm", "a\0b", "file:///a%00b"]
    + ["file://[/farm", "http://[::1"],
)
def test_addresses_of_other_kinds_are_refused(uri: str) -> None:
    with pytest.raises(WorldAddressError, match="wanted"):
        WorldCatalog().load(uri)


@pytest.mark.parametrize("path", ["a" * 300, "/" + "a/" * 5000])
def test_a_path_that_cannot_be_followed_is_refused(path: str) -> None:
    for address in (path, f"file://localhost/{path}"):
        with pytest.raises(WorldSourceError, match="cannot be read.*wanted a folder"):
            WorldCatalog().load(address)


def test_what_is_not_there_and_what_is_no_world(folders: Path) -> None:
    with pytest.raises(UnknownNameError, match="moon.*farm.*folder"):
        WorldCatalog().load("moon")
    for path in (folders / "empty", folders / "notes.txt"):
        with pytest.raises(WorldAddressError, match=r"ACRE/site\.json"):
            WorldCatalog().load(str(path))


def test_a_broken_file_is_named(folders: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folders / "north", broken)
    (broken / "ACRE" / "heights.f32").unlink()
    with pytest.raises(WorldFileError, match=r"heights\.f32"):
        WorldCatalog().load(str(broken))


def test_tags_choose_any_or_all() -> None:
    def names(*tags: str, every: bool) -> list[str]:
        return [entry.name for entry in chosen(BUILT_IN, tags, every=every)]

    everything = [entry.name for entry in BUILT_IN]
    assert names(every=False) == names(every=True) == everything
    assert names("built-in", every=True) == everything
    assert names("level", "farm", every=False) == everything
    assert names("level", "farm", every=True) == []
    assert names("built-in", "level", every=True) == [name for name in everything if name != "farm"]
    assert names("sand", every=False) == []
