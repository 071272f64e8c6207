"""The compiled code that a preparation of the machine leaves, without what anything later added: a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEEP = """
import gc, os, shutil, sys
from pathlib import Path
from numba.core.caching import IndexDataCacheFile, NullCache
from numba.core.registry import CPUDispatcher
from acres_ros import _compile
from acres_ros._cache import cache_base
from acres_ros.tools import precompile

assert precompile.main() == 0
target = Path(sys.argv[1], "acres_ros", _compile.cache_folder().name)
for entry in [item for item in gc.get_objects() if isinstance(item, CPUDispatcher) and item.overloads]:
    if isinstance(entry._cache, NullCache):
        continue
    source = Path(entry._cache.cache_path)
    folder = target / source.relative_to(_compile.cache_folder())
    folder.mkdir(parents=True, exist_ok=True)
    file, base = entry._cache._cache_file, entry._cache._impl.filename_base
    loaded = {key: name for key, name in file._load_index().items() if tuple(key[0]) in entry.overloads}
    assert len(loaded) == len(entry.overloads), entry
    for name in loaded.values():
        shutil.copy(source / name, folder)
    IndexDataCacheFile(str(folder), base, file._source_stamp)._save_index(loaded)
worlds = cache_base() / "worlds"
if worlds.is_dir():
    (target.parent / "worlds").symlink_to(worlds)
"""


def make(folder: Path) -> None:
    """Fill a folder, for `ACRES_CACHE`, with what the preparation makes; the farm that is built is shared."""
    command = [sys.executable, "-c", KEEP, str(folder)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a program that has this cache."""
    return {**os.environ, "ACRES_CACHE": str(folder)}


def compiled(folder: Path) -> set[str]:
    """Return the files of compiled code, each with the function and the number of its signature."""
    return {path.name for path in (folder / "acres_ros").glob("[0-9a-f]*/*/*.nbc")}
