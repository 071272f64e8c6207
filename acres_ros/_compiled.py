"""What callers of compiled functions need.

Who declares such functions takes `_compile`, whose hash of the sources the caller has no part in: an edit of the caller
compiles nothing anew.
"""

from __future__ import annotations

from collections.abc import Callable

import numba

from acres_ros import _compile


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
    if _compile.NOT_KEPT:
        return f"compiling {what}, which takes about {duration} each time, because {_compile.not_kept_text()}"
    if any(_compile.cache_folder().rglob(f"*.{function.__name__}-*.nbi")):
        return ""
    return f"compiling {what}, which takes about {duration}; later it is loaded"
