"""The files of a tile, byte by byte: rasters row 0 south and x fastest, heights as little-endian float32, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np


def write_heights(path: Path, heights: np.ndarray) -> None:
    """Write corner heights (rows, columns), m."""
    path.write_bytes(np.ascontiguousarray(heights, "<f4").tobytes())


def write_raster(path: Path, raster: np.ndarray) -> None:
    """Write a raster (rows, columns) of numbers 0 to 255."""
    path.write_bytes(np.ascontiguousarray(raster, np.uint8).tobytes())


def write_document(path: Path, document: dict[str, Any]) -> None:
    """Write a JSON document: a line for each item of its lists, so that two versions can be compared."""
    parts = []
    for key, value in document.items():
        text = _lines(value) if isinstance(value, list) and len(value) > 3 else _compact(value)
        parts.append(f"{json.dumps(key)}: {text}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _lines(items: Iterable[Any]) -> str:
    return "[\n" + ",\n".join(_compact(item) for item in items) + "\n]"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(", ", ": "), allow_nan=False)
