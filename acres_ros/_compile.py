"""Compile the scalar model functions, and keep their cache honest.

numba's file cache looks at the file of the cached function only: after an edit of a function that it calls, the stale
machine code would run without a word. The cache folder is therefore named by a hash of every source of the package and
of the compiler's version, before the first function is declared.
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


def resolved(function: Callable[..., object], *arguments: object) -> Callable[..., object]:
    """Return the machine code of an entry for the types of some arguments, compiled or loaded now.

    A call of the entry finds out the types of its arguments again, field by field of every record: 13 us for the arrays
    of a farm, where the call itself takes 0.5 us. Nothing is checked in what is returned: whoever calls it answers for
    arguments of these types.
    """
    if numba.config.DISABLE_JIT:
        return function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(signature)  # type: ignore[attr-defined]
    return function.overloads[signature].entry_point  # type: ignore[attr-defined, no-any-return]


def compiling_text(function: Callable[..., object], what: str, duration: str) -> str:
    """Return what to say before the first call of an entry if it will be compiled then; empty if it is loaded.

    Args:
        function: the entry.
        what: is compiled, in words.
        duration: how long that takes, in words.
    """
    if numba.config.DISABLE_JIT:
        return ""
    if NOT_KEPT:
        return f"compiling {what}, which takes about {duration} each time, because {not_kept_text()}"
    if any(cache_folder().rglob(f"*.{function.__name__}-*.nbi")):
        return ""
    return f"compiling {what}, which takes about {duration}; later it is loaded"
