"""The file of a snapshot: a zip archive of `manifest.json` and of the bytes of each array, `arrays/<key>`.

The same state gives the same bytes of the file. It is written beside its place and moved there when it is whole, so
nobody ever sees a part of one. What is read is checked before it is taken for anything: no pickle, no code, no size
that the file only claims.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from acres_ros.core._link_frames import layout_hash
from acres_ros.core.plain_state import Rows, SnapshotError, check_finite
from acres_ros.errors import AcresError

MANIFEST = "manifest.json"
FOLDER = "arrays/"
LARGEST_MEMBER = 1 << 30
"""The most that is read of a file at a time, bytes; the manifest has a hundredth of it."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_LEVEL = 1
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, OverflowError, RuntimeError, ValueError
)  # fmt: skip
"""What `zipfile` raises for a file that is damaged; OSError and OverflowError for a place where no file can be."""


class SnapshotFileError(AcresError):
    """A file that cannot be written or read."""

    def __init__(self, path: Path, doing: str, reason: object) -> None:
        super().__init__(f"{path} cannot be {doing}: {reason}")


def write_file(path: Path, manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray], *, replace: bool) -> None:
    """Write a snapshot.

    Args:
        path: the file; its folder is there.
        manifest: JSON values; what the arrays are is added to it.
        arrays: by key.
        replace: whether a file that is there already is replaced.

    Raises:
        SnapshotFileError: the file is there already, or the system refuses.
    """
    tables = {key: {"layout": layout_hash(array.dtype), "shape": list(array.shape)} for key, array in arrays.items()}
    content = json.dumps({**manifest, "arrays": tables}, allow_nan=False, indent=1)
    part = None
    try:
        handle, part = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                _add(archive, MANIFEST, content.encode())
                for key, array in arrays.items():
                    _add(archive, FOLDER + key, array.tobytes())
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(part, path)
        else:
            os.link(part, path)  # fails, in one act, where there is a file
    except OSError as error:
        raise SnapshotFileError(path, "written", error.strerror or error) from error
    finally:
        if part is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, content, compresslevel=_LEVEL)


class SnapshotFile:
    """A file that is read; use it in a `with`.

    Args:
        path: the file.

    Attributes:
        manifest: its JSON values.

    Raises:
        SnapshotFileError: the system refuses.
        SnapshotError: it is no whole snapshot.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # A pipe or a device would be waited for.
            if not stat.S_ISREG(path.stat().st_mode):
                raise SnapshotFileError(path, "read", "it is no file")
            self._archive = zipfile.ZipFile(path)
        except (OSError, ValueError) as error:  # ValueError: a zero in the path
            raise SnapshotFileError(path, "read", getattr(error, "strerror", None) or error) from error
        except _UNREADABLE as error:
            raise self._damaged(error) from error
        try:
            manifest = json.loads(self._content(MANIFEST, LARGEST_MEMBER // 100))
        except (*_UNREADABLE, RecursionError) as error:
            self.close()
            raise self._damaged(error) from error
        if not isinstance(manifest, dict) or not isinstance(manifest.get("arrays"), dict):
            self.close()
            raise self._damaged(f"{MANIFEST} has no arrays")
        self.manifest: dict[str, Any] = manifest

    def __enter__(self) -> SnapshotFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def take(self, key: str, rows: Rows) -> np.ndarray:
        """Return the array of a key.

        Raises:
            SnapshotError: it is missing, of another type or shape, cut, damaged, or has a number that is not finite.
        """
        table = self.manifest["arrays"].get(key)
        if not isinstance(table, dict) or table.keys() != {"layout", "shape"}:
            raise SnapshotError(self._path, f"arrays.{key}", table, "the layout and the shape of an array")
        shape, layout = table["shape"], layout_hash(rows.dtype)
        if table["layout"] != layout:
            raise SnapshotError(self._path, f"arrays.{key}.layout", table["layout"], f"{layout}, that of this program")
        if (
            not isinstance(shape, list)
            or len(shape) != len(rows.shape)
            or not all(type(length) is int and 0 <= length < LARGEST_MEMBER for length in shape)
            or any(wanted not in (None, length) for wanted, length in zip(rows.shape, shape, strict=True))
        ):
            wanted = " x ".join("any" if length is None else str(length) for length in rows.shape)
            raise SnapshotError(self._path, f"arrays.{key}.shape", shape, wanted)
        size = math.prod(shape) * rows.dtype.itemsize
        try:
            content = self._content(FOLDER + key, size)
        except _UNREADABLE as error:
            raise self._damaged(error) from error
        if len(content) != size:
            raise SnapshotError(self._path, f"arrays.{key}", f"{len(content)} bytes", f"{size} bytes")
        array = np.frombuffer(bytearray(content), rows.dtype).reshape(shape)
        if rows.finite:
            check_finite(array, self._path, key)
        return array

    def _content(self, name: str, most: int) -> bytes:
        """Return the content of a member; one that is longer is not read."""
        member = self._archive.getinfo(name)
        if member.file_size > min(most, LARGEST_MEMBER):
            raise ValueError(f"{name} has {member.file_size} bytes")
        if member.compress_type not in _COMPRESSIONS:
            raise ValueError(f"{name} is compressed by method {member.compress_type}")
        return self._archive.read(member)

    def _damaged(self, reason: object) -> SnapshotError:
        return SnapshotError(self._path, "", f"is damaged, or no snapshot ({reason})", "a file of a snapshot, whole")
