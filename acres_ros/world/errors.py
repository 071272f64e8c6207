"""Errors of the world."""

from __future__ import annotations

from collections.abc import Iterable

from acres_ros.errors import AcresError, shown


class WorldError(AcresError):
    """Something about a world that cannot be."""

    def __init__(self, what: str, given: object, wanted: str) -> None:
        super().__init__(f"{what} is {given!r}: wanted {wanted}")


class WorldFileError(AcresError):
    """A file of a world that is not right.

    Args:
        file: the file, or the folder, that was read.
        key: what in it, such as `grid_step_m` or `cylinders[3].radius`; empty for the file itself.
        given: what is there; with no key a sentence, such as `no such file`.
        wanted: what belongs there.
    """

    def __init__(self, file: object, key: str, given: object, wanted: str) -> None:
        self.file = file
        self.key = key
        self.given = given
        self.wanted = wanted
        where = f"{file}: {key} = {shown(given)}" if key else f"{file}: {given}"
        super().__init__(f"{where}: wanted {wanted}")


class UnknownNameError(AcresError):
    """A name that the world does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} is named {shown(name)}: the names are {', '.join(known)}")
