"""One number for the content of anything that is made of arrays and plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def digest(*parts: object) -> str:
    """Return 16 hex digits that change with any value, name, type or order in some parts.

    Args:
        parts: arrays, numbers, texts, and tuples, lists, mappings, NamedTuples and dataclasses of these.

    Raises:
        TypeError: a part of another type.
    """
    total = hashlib.sha256()
    for part in parts:
        _add(total, part)
    return total.hexdigest()[:16]


def _add(total: Any, part: object) -> None:
    if isinstance(part, np.ndarray):
        total.update(f"array {part.dtype.descr} {part.shape}".encode())
        total.update(np.ascontiguousarray(part).view(np.ndarray).tobytes())
    elif isinstance(part, Mapping):
        _add(total, list(part.items()))
    elif is_dataclass(part):
        _add(total, {field.name: getattr(part, field.name) for field in fields(part)})
    elif isinstance(part, list | tuple):
        total.update(f"{len(part)} (".encode())
        for item in part:
            _add(total, item)
    elif isinstance(part, np.generic):
        _add(total, part.item())
    elif part is None or isinstance(part, str | bool | int | float):
        total.update(f"{type(part).__name__} {part!r},".encode())
    else:
        raise TypeError(f"{type(part).__name__} has no digest")
