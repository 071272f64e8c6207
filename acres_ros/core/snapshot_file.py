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
import secrets
import stat
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
LARGEST_CONTENT = 1 << 30
"""The most that the arrays of a file have together, bytes."""
LARGEST_MANIFEST = 1 << 24

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
        SnapshotFileError: the file is there already, the system refuses, or there is more than can be read again.
    """
    size = sum(array.nbytes for array in arrays.values())
    if size > LARGEST_CONTENT:
        raise SnapshotFileError(path, "written", f"the state has {size} bytes, and {LARGEST_CONTENT} at most are read")
    tables = {key: {"layout": layout_hash(array.dtype), "shape": list(array.shape)} for key, array in arrays.items()}
    content = json.dumps({**manifest, "arrays": tables}, allow_nan=False, indent=1)
    part = path.parent / f".{path.name[:40]}.{secrets.token_hex(8)}.part"
    try:
        # Who may read it is for the umask of the user to say, as for every file.
        with open(part, "xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                _add(archive, MANIFEST, content.encode())
                for key, array in arrays.items():
                    _add(archive, FOLDER + key, array.tobytes())
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(part, path)
        else:
            _put_new(part, path)
    except FileExistsError as error:
        ways = "give another name, or overwrite=true (in Python replace=True)"
        raise SnapshotFileError(path, "written", f"{error.strerror}: {ways}") from error
    except OSError as error:
        raise SnapshotFileError(path, "written", error.strerror or error) from error
    finally:
        with contextlib.suppress(OSError):  # it is at its place, or was never made
            os.unlink(part)


def _put_new(part: Path, path: Path) -> None:
    """Give a file its place in one act, and raise `FileExistsError` where there is one.

    A file system without links takes two acts: for a moment there is an empty file.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(part, path)


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
        self._room = LARGEST_CONTENT
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
            manifest = json.loads(self._content(MANIFEST, LARGEST_MANIFEST))
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
            SnapshotError: it is missing, of another type or shape, cut, damaged, too large beside those that were taken
                before, or has a number that is not finite.
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
            or not all(type(length) is int and 0 <= length <= LARGEST_CONTENT for length in shape)
            or any(wanted not in (None, length) for wanted, length in zip(rows.shape, shape, strict=True))
        ):
            wanted = " x ".join("any" if length is None else str(length) for length in rows.shape)
            raise SnapshotError(self._path, f"arrays.{key}.shape", shape, wanted)
        size = math.prod(shape) * rows.dtype.itemsize
        if size > self._room:
            wanted = f"arrays of {LARGEST_CONTENT} bytes at most in the whole file"
            raise SnapshotError(self._path, f"arrays.{key}.shape", shape, wanted)
        self._room -= size
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
        if member.file_size > most:
            raise ValueError(f"{name} has {member.file_size} bytes")
        if member.compress_type not in _COMPRESSIONS:
            raise ValueError(f"{name} is compressed by method {member.compress_type}")
        with self._archive.open(member) as file:
            return file.read(member.file_size)  # without a number it would first unpack whatever is there

    def _damaged(self, reason: object) -> SnapshotError:
        return SnapshotError(self._path, "", f"is damaged, or no snapshot ({reason})", "a file of a snapshot, whole")
