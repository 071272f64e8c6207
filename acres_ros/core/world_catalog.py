"""The worlds that can be loaded, by name or by folder, and how an address names one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from acres_ros.errors import AcresError, shown
from acres_ros.world import WORLDS, UnknownNameError, World, load_world

SITE = Path("ACRE") / "site.json"
"""What makes a folder one of a world."""
MOST_FOLDERS = 1000


class WorldEntry(NamedTuple):
    """One world that can be loaded.

    Attributes:
        name: what it is called.
        uri: what loads it: a name, or the `file://` address of a folder.
        description: what is there.
        tags: words to choose by.
    """

    name: str
    uri: str
    description: str
    tags: tuple[str, ...]


FARM = WorldEntry(
    "farm",
    "farm",
    "the farm: fields with crops and soils, farm roads, buildings and trees on rolling ground, 1524 m by 1524 m",
    ("built-in", "farm"),
)
BUILT_IN = (
    FARM,
    WorldEntry("yard", "yard", "a level gravel lot, a field and grass", ("built-in", "level")),
    WorldEntry("flat", "flat", "an endless level plane of gravel", ("built-in", "level")),
)
FOLDER_TAGS = ("folder",)


class WorldAddressError(AcresError):
    """An address of a form that names no world."""

    def __init__(self, uri: str, wanted: str) -> None:
        super().__init__(f"world {shown(uri)} is refused: wanted {wanted}")


class WorldSourceError(AcresError):
    """A folder in which worlds are sought and that cannot be looked into."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"source {shown(source)} {reason}: wanted a folder of a world, or one that holds such folders")


class WorldCatalog:
    """Find and load worlds.

    Args:
        options: how the farm and the worlds of folders are loaded, as `acres_ros.world.load_world` takes them.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options

    def load(self, uri: str) -> tuple[World, WorldEntry]:
        """Return a world and its entry.

        Args:
            uri: name of a built-in world, path of a folder, or its `file://` address.

        Raises:
            WorldAddressError: an address of another kind, or a folder that is none of a world.
            UnknownNameError: no such name or folder.
            WorldSourceError: a path that cannot be followed, such as one too long or closed to the user.
            AcresError: what is wrong with the files of the folder.
        """
        for entry in BUILT_IN:
            if entry.name == uri:
                return load_world(uri, **(self._options if entry is FARM else {})), entry
        folder = world_folder(uri)
        world = load_world(str(folder), **self._options)
        return world, folder_entry(folder, world.name)

    def entries(self) -> list[WorldEntry]:
        """Return the worlds that need no folder."""
        return list(BUILT_IN)


def folder_entry(folder: Path, name: str = "") -> WorldEntry:
    """Return the entry of the folder of a world."""
    folder = folder.resolve()
    return WorldEntry(name or folder.name, folder.as_uri(), f"the files in {folder}", FOLDER_TAGS)


def world_folder(uri: str) -> Path:
    """Return the folder of a world that has no name.

    Args:
        uri: path of a folder, or its `file://` address.

    Raises:
        WorldAddressError: an address of another kind, or a folder that is none of a world.
        UnknownNameError: no such folder.
        WorldSourceError: a path that cannot be followed, such as one too long or closed to the user.
    """
    folder = _folder(uri)
    try:
        if not folder.exists():
            raise UnknownNameError("world", uri, [*WORLDS, "or the path of a folder with ACRE/site.json"])
        if not (folder / SITE).is_file():
            raise WorldAddressError(uri, f"a name ({', '.join(WORLDS)}), or a folder with {SITE}")
        return folder.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, up to Python 3.12
        raise WorldSourceError(uri, f"cannot be read ({getattr(error, 'strerror', error)})") from None


def worlds_in(source: str) -> list[WorldEntry]:
    """Return the worlds of a source, by name.

    Args:
        source: path or `file://` address of the folder of a world, or of a folder that holds such folders.

    Raises:
        WorldAddressError: an address of another kind.
        WorldSourceError: no such folder, or one that cannot be read.
    """
    folder = _folder(source)
    try:
        if (folder / SITE).is_file():
            return [folder_entry(folder)]
        inner = sorted(path for path in folder.iterdir() if (path / SITE).is_file())
    except OSError as error:
        raise WorldSourceError(source, f"cannot be read ({error.strerror})") from None
    return [folder_entry(path) for path in inner[:MOST_FOLDERS]]


def chosen(entries: Iterable[WorldEntry], tags: Iterable[str], *, every: bool) -> list[WorldEntry]:
    """Return the entries that have one of the tags, or every one; all of them where no tags are given."""
    wanted = set(tags)
    if not wanted:
        return list(entries)
    return [entry for entry in entries if (wanted <= set(entry.tags) if every else wanted & set(entry.tags))]


def _folder(uri: str) -> Path:
    """Return the folder that an address names."""
    if "://" not in uri:
        if "\0" in uri:
            raise WorldAddressError(uri, "a path")
        return Path(uri)
    try:
        parts = urlsplit(uri)
    except ValueError:  # brackets that are no address
        parts = urlsplit("")
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not path or "\0" in path:
        raise WorldAddressError(uri, "the name of a world, a path, or file:///absolute/path on this machine")
    return Path(path)
