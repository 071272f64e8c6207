"""Errors of the world."""

from __future__ import annotations

from collections.abc import Iterable

from acres_ros.errors import AcresError


class WorldError(AcresError):
    """Something about a world that cannot be."""

    def __init__(self, what: str, given: object, wanted: str) -> None:
        super().__init__(f"{what} is {given!r}: wanted {wanted}")


class UnknownNameError(AcresError):
    """A name that the world does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} is named {name!r}: the names are {', '.join(known)}")
