"""Which errors are those of the command line, what its numbers may be, and whether what it names can be written.

All of it is seen before any work.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Iterator
from pathlib import Path

from acres_ros.errors import AcresError, UsageError


class PictureFormatError(UsageError):
    """A name for a picture that is none of a PNG file."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"the picture {path} is refused: pictures are PNG files, so give --picture a name in .png")


class OutputFileError(AcresError):
    """A file that cannot be written."""

    def __init__(self, what: str, path: Path, option: str, error: OSError) -> None:
        super().__init__(
            f"{what} {path} cannot be written ({error.strerror}): give {option} one that can be, in an existing folder"
        )


@contextlib.contextmanager
def as_usage() -> Iterator[None]:
    """Let what is wrong with the words of the command line be a `UsageError`, with the text that it has."""
    try:
        yield
    except UsageError:
        raise
    except AcresError as error:
        raise UsageError(str(error)) from error


def seconds(text: str) -> float:
    """Return a time of the command line, s: finite and above 0."""
    with contextlib.suppress(ValueError):
        if 0.0 < (number := float(text)) < math.inf:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no time: wanted a number of seconds above 0")


def count(text: str) -> int:
    """Return a number of the command line that counts something: 1 or more."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} counts nothing: wanted a whole number of 1 or more")


def seed(text: str) -> int:
    """Return a seed of the command line, as the random streams take it."""
    if text.isdecimal() and int(text) < 1 << 64:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no seed: wanted a whole number from 0 to 2**64 - 1")


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be written when it is drawn.

    Raises:
        PictureFormatError: no PNG file.
        OutputFileError: it cannot be written.
    """
    if path.suffix.lower() != ".png":
        raise PictureFormatError(path)
    check_output("the picture", path, "--picture")


def check_output(what: str, path: Path, option: str) -> None:
    """Refuse a file that could not be written when the work is done; leave what is there as it is.

    The last folder of the path may be a new one, and is made: `output` is there at no first time.

    Args:
        what: what the file is.
        path: the file.
        option: option that names it.

    Raises:
        OutputFileError: it cannot be written.
    """
    with writing(what, path, option):
        path.parent.mkdir(exist_ok=True)
        before = path.exists()
        path.open("ab").close()
        if not before:
            path.unlink()


@contextlib.contextmanager
def writing(what: str, path: Path, option: str) -> Iterator[None]:
    """Let an error of the disk, such as a full one, be an `OutputFileError`. Arguments: as for `check_output`."""
    try:
        yield
    except OSError as error:
        raise OutputFileError(what, path, option, error) from None


def drawing(path: Path) -> contextlib.AbstractContextManager[None]:
    """Be `writing` for a picture."""
    return writing("the picture", path, "--picture")
