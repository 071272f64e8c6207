"""The source tree, which the tests and the lint work on."""

from __future__ import annotations

from pathlib import Path

from acres_ros.errors import AcresError
from acres_ros.locations import PACKAGE


class NoSourceTreeError(AcresError):
    """The verb works on the source tree, but the package is installed without it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} has no pyproject.toml, but this verb needs the source tree: use a clone")


def source_tree() -> Path:
    """Return the folder of the source tree.

    Raises:
        NoSourceTreeError: the package runs from elsewhere.
    """
    folder = PACKAGE.parent
    if not (folder / "pyproject.toml").is_file():
        raise NoSourceTreeError(folder)
    return folder
