"""Compile the scalar model functions, and keep their cache honest.

numba's file cache looks at the file of the cached function only: after an edit of a function that it calls, the stale
machine code would run without a word. The cache folder is therefore named by a hash of every source of the package and
of the compiler's version, before the first function is declared. What only calls compiled functions takes `_compiled`
instead of this module, and is no part of the hash.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba
from numba.core.caching import CacheImpl, UserProvidedCacheLocator

from acres_ros._cache import cache_base, remove_unused

_Function = TypeVar("_Function", bound=Callable[..., object])

PACKAGE = Path(__file__).parent
COMPILED_LAYERS = ("models",)
TABLE_SOURCES = ("_compile.py", "_record.py")


def source_hash() -> str:
    """Return 16 hex digits that change with any compiled source, the interpreter, numba and the CPU target.

    Compiled sources are the layers of the mathematics, every other file that declares a compiled function, and the
    files that those take constants from.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name, content = path.relative_to(PACKAGE).as_posix(), path.read_bytes()
        compiled = name.startswith(tuple(f"{layer}/" for layer in COMPILED_LAYERS)) or name in TABLE_SOURCES
        if compiled or b"from acres_ros._compile import" in content:
            digest.update(name.encode())
            digest.update(content)
    digest.update(f"{numba.__version__} {sys.version_info} {platform.machine()}".encode())
    digest.update(os.environ.get("NUMBA_CPU_NAME", "").encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the folder of the compiled code."""
    return cache_base() / source_hash()


def _use(folder: Path) -> str:
    """Make a folder, with the time of its last use; return why nothing can be kept in it, empty if it can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def not_kept_text() -> str:
    """Return where compiled code cannot be kept, why, and what to do."""
    return f"{cache_folder()} cannot be written ({NOT_KEPT}): make it writable, or set ACRES_CACHE to a folder that is"


def remove_unused_code() -> list[Path]:
    """Remove the compiled code of other sources that no process has used for a month; return the folders."""
    folders = [path for path in cache_base().iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
    return remove_unused(path for path in folders if path != cache_folder())


NOT_KEPT = _use(cache_folder())
"""Why compiled code cannot be kept, empty if it is.

numba would keep it beside the sources then, where nothing tells that a function which another one calls was edited.
"""
numba.config.CACHE_DIR = str(cache_folder())


class PackageLocator(UserProvidedCacheLocator):
    """Keeps the code of this package by module and not by the path of its file, as numba does with all other files.

    A copy of the package with the same sources, such as the installed one, then finds what another one compiled.
    """

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> PackageLocator | None:
        """Return where a function is kept; None if its file is not one of this package."""
        return super().from_function(py_func, py_file) if Path(py_file).is_relative_to(PACKAGE) else None

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the name of a file's folder below the compiled code, such as `models.dbw`."""
        return ".".join(Path(py_file).relative_to(PACKAGE).parent.parts)


# numba's setting for this would take the place of the user's.
CacheImpl._locator_classes.insert(0, PackageLocator)

# No reference counts: a step would count each array of the ground hundreds of times, with locked instructions. The
# caller holds the arrays; a function that makes some is an `array_entry`.
_ALLOCATING = {"nogil": True, "error_model": "numpy", "fastmath": False}
_OPTIONS = {**_ALLOCATING, "_nrt": False}


def kernel(function: _Function) -> _Function:
    """Compile a scalar function that others call; it is inlined and never cached on its own."""
    return numba.njit(function, forceinline=True, **_OPTIONS)


def outlined(function: _Function) -> _Function:
    """Compile a scalar function that is too large or called from too many places to be inlined."""
    return numba.njit(function, **_OPTIONS)


def entry(function: _Function) -> _Function:
    """Compile a function that Python calls; its machine code is cached on disk."""
    return numba.njit(function, cache=not NOT_KEPT, **_OPTIONS)


def array_entry(function: _Function) -> _Function:
    """Compile an `entry` that makes arrays."""
    return numba.njit(function, cache=not NOT_KEPT, **_ALLOCATING)
