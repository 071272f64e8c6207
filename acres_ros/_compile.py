"""Compile the scalar model functions, and keep their cache honest.

numba's file cache looks at the file of the cached function only: after an edit of a function that it calls, the stale
machine code would run without a word. The cache folder is therefore named by a hash of every source of the package and
of the compiler's version, before the first function is declared.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba

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


def cache_base() -> Path:
    """Return the folder of all that is made on first use: below `ACRES_CACHE`, or below the user's cache folder."""
    base = os.environ.get("ACRES_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "acres_ros"


def cache_folder() -> Path:
    """Return the folder of the compiled code."""
    return cache_base() / source_hash()


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
    return numba.njit(function, cache=True, **_OPTIONS)


def array_entry(function: _Function) -> _Function:
    """Compile an `entry` that makes arrays."""
    return numba.njit(function, cache=True, **_ALLOCATING)


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
