"""Where the files that come with the package are: in the source tree, or installed below `share/acres_ros`."""

from __future__ import annotations

from pathlib import Path

from acres_ros.errors import AcresError

PACKAGE = Path(__file__).resolve().parent


class MissingFilesError(AcresError):
    """The files of the package are not where they are installed."""

    def __init__(self, name: str, tried: list[Path]) -> None:
        places = " and ".join(str(path) for path in tried)
        super().__init__(f"the folder {name!r} of acres_ros is missing: looked for {places}; install the package again")


def shared_folder(name: str) -> Path:
    """Return a folder that comes with the package, such as `config`.

    Raises:
        MissingFilesError: it is in neither place.
    """
    # In the source tree it lies beside the package; installed, the package is in <prefix>/lib/pythonX.Y/site-packages.
    tried = [PACKAGE.parent / name, *(prefix / "share" / "acres_ros" / name for prefix in PACKAGE.parents[3:4])]
    for folder in tried:
        if folder.is_dir():
            return folder
    raise MissingFilesError(name, tried)
