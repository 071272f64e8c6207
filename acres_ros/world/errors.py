"""Errors of the world."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable

from acres_ros.errors import AcresError


class _Shown(reprlib.Repr):
    """A value in an error text: short, however long or deep the value is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxlist = self.maxtuple = 12
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_int(self, value: int, level: int) -> str:
        """Return the digits, or how many bits there are: Python does not spell numbers of thousands of digits."""
        return repr(value) if value.bit_length() <= 256 else f"(a number of {value.bit_length()} bits)"


_shown = _Shown().repr


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
        where = f"{file}: {key} = {_shown(given)}" if key else f"{file}: {given}"
        super().__init__(f"{where}: wanted {wanted}")


class UnknownNameError(AcresError):
    """A name that the world does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} is named {name!r}: the names are {', '.join(known)}")
