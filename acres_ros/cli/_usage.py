"""Which errors are those of the command line, and whether what it names can be written: both before any work."""

from __future__ import annotations

import contextlib
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
    try:
        path.parent.mkdir(exist_ok=True)
        before = path.exists()
        path.open("ab").close()
        if not before:
            path.unlink()
    except OSError as error:
        raise OutputFileError(what, path, option, error) from None
