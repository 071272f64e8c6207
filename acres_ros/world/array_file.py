"""Read the binary files of a world: plain arrays without a header, row 0 south, x fastest, little endian."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from acres_ros.world.errors import WorldFileError


def read_file(file: Path, most_bytes: int, wanted: str) -> bytes:
    """Return the bytes of a file.

    Args:
        file: the file.
        most_bytes: larger files are refused.
        wanted: what the file should be, for the error.

    Raises:
        WorldFileError: not a readable file, or too large.
    """
    try:
        if file.exists() and not file.is_file():
            raise WorldFileError(file, "", "not readable (not a file)", wanted)
        with file.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except FileNotFoundError:
        raise WorldFileError(file, "", "no such file", wanted) from None
    except OSError as error:
        raise WorldFileError(file, "", f"not readable ({error.strerror or error})", wanted) from error
    except ValueError as error:  # a name with a zero byte
        raise WorldFileError(file, "", f"not readable ({error})", wanted) from error
    if len(content) > most_bytes:
        raise WorldFileError(file, "", f"is larger than {most_bytes} bytes", f"{wanted} of at most {most_bytes} bytes")
    return content


def read_array(file: Path, dtype: str, rows: int, columns: int) -> np.ndarray:
    """Return a raster (rows, columns) that can be written to; row 0 is south, column 0 is west.

    Args:
        file: the file.
        dtype: element type as numpy names it, such as `<f4` or `u1`.
        rows: rows of the raster.
        columns: columns of the raster.

    Raises:
        WorldFileError: not a readable file, or of another size.
    """
    size = rows * columns * np.dtype(dtype).itemsize
    wanted = f"{rows} rows of {columns} elements of {np.dtype(dtype).itemsize} bytes: {size} bytes"
    content = read_file(file, size, wanted)
    if len(content) != size:
        raise WorldFileError(file, "", f"has {len(content)} bytes", wanted)
    return np.frombuffer(bytearray(content), dtype).reshape(rows, columns)
