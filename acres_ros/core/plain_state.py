"""State as plain values: JSON and arrays, and back, with the type of every value checked.

The state of a part is a NamedTuple whose annotations say what each value is; this module reads them. A number of a
state is finite. Only a message keeps what was sent, whatever it is: whether it acts was decided when it came.
"""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from acres_ros.errors import AcresError, shown

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
LARGEST_STATE = 1.0e15
_LARGEST = sys.float_info.max
_WORD = 1 << 63


class SnapshotError(AcresError):
    """A snapshot that cannot be taken up.

    Args:
        source: the file, or what else it is.
        key: dotted key of the value; empty for the whole.
        given: what is there.
        wanted: what belongs there.
    """

    def __init__(self, source: object, key: str, given: object, wanted: str) -> None:
        self.key = key
        where = f"{source}: {key} = {shown(given)}" if key else f"{source} {given}"
        super().__init__(f"{where}: wanted {wanted}")


class Rows(NamedTuple):
    """What an array of a state is, as the metadata of an `Annotated[np.ndarray, ...]`.

    Attributes:
        dtype: type of its elements.
        shape: lengths; None is any.
        finite: whether each of its numbers is finite.
    """

    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    finite: bool = True


Take = Callable[[str, Rows], np.ndarray]
"""Returns the array of a key, of the type and the shape that is asked for."""


def to_plain(kind: Any, value: Any, arrays: dict[str, np.ndarray], key: str = "") -> Any:
    """Return a value as JSON values; its arrays are put into `arrays`, by their dotted keys.

    Args:
        kind: the annotation of the value.
        value: as the annotation says.
        arrays: changed in place; nothing is copied.
        key: of the value.
    """
    kind, rows = _stripped(kind)
    if rows is not None:
        arrays[key] = value
        return len(value)
    if value is None or isinstance(value, str):
        return value
    if _is_union(kind):
        member = next(member for member in get_args(kind) if _holds(member, value))
        plain = to_plain(member, value, arrays, key)
        return {member.__name__: plain} if _is_tagged(kind) else plain
    if get_origin(kind) is tuple:
        kinds = _element_kinds(kind, len(value))
        return [
            to_plain(each, item, arrays, _joined(key, index))
            for index, (each, item) in enumerate(zip(kinds, value, strict=True))
        ]
    if get_origin(kind) is dict:
        inner = get_args(kind)[1]
        return {name: to_plain(inner, item, arrays, _joined(key, name)) for name, item in sorted(value.items())}
    if _is_record(kind):
        hints = _hints(kind)
        return {name: to_plain(hint, getattr(value, name), arrays, _joined(key, name)) for name, hint in hints.items()}
    if kind is float and not isinstance(value, int):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    return bool(value) if kind is bool else int(value)


def from_plain(kind: Any, plain: Any, take: Take, source: object, key: str = "", *, sent: bool = False) -> Any:
    """Return the value that `to_plain` made plain.

    Args:
        kind: the annotation of the value.
        plain: JSON values.
        take: gives the arrays.
        source: where they come from, for errors.
        key: of the value.
        sent: whether it is a part of a message, whose numbers may be anything.

    Raises:
        SnapshotError: a value of another type, a number that is not finite, a missing or an unknown key.
    """

    def refuse(wanted: str) -> SnapshotError:
        return SnapshotError(source, key, plain, wanted)

    def inner(kind: Any, plain: Any, name: object, sent: bool = sent) -> Any:
        return from_plain(kind, plain, take, source, _joined(key, name), sent=sent)

    kind, rows = _stripped(kind)
    if rows is not None:
        array = take(key, rows)
        if type(plain) is not int or plain != len(array):
            raise refuse(f"{len(array)}, the rows of the array")
        return array
    if _is_union(kind):
        members = get_args(kind)
        if plain is None and type(None) in members:
            return None
        if not _is_tagged(kind):
            fitting = [
                each
                for each in members
                if each is not type(None) and (get_origin(each) is tuple) == isinstance(plain, list)
            ]
            if not fitting:
                raise refuse("another type")
            return from_plain(fitting[0], plain, take, source, key, sent=sent)
        names = {member.__name__: member for member in members if member is not type(None)}
        if not isinstance(plain, dict) or len(plain) != 1 or (name := next(iter(plain))) not in names:
            raise refuse(f"one of {', '.join(names)}")
        return inner(names[name], plain[name], name, True)
    if get_origin(kind) is tuple:
        if not isinstance(plain, list):
            raise refuse("a list")
        kinds = _element_kinds(kind, len(plain))
        if len(kinds) != len(plain):
            raise refuse(f"a list of {len(kinds)}")
        return tuple(inner(each, item, index) for index, (each, item) in enumerate(zip(kinds, plain, strict=True)))
    if get_origin(kind) is dict:
        if not isinstance(plain, dict):
            raise refuse("values by name")
        return {name: inner(get_args(kind)[1], item, name) for name, item in plain.items()}
    if _is_record(kind):
        hints = _hints(kind)
        if not isinstance(plain, dict) or plain.keys() != hints.keys():
            raise refuse(f"the keys {', '.join(hints)}" if hints else "no keys")
        values = {name: inner(hint, plain[name], name) for name, hint in hints.items()}
        try:
            return kind(**values)
        except AcresError as error:
            raise refuse(f"something else ({error})") from error
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        if type(plain) is not int or plain not in kind._value2member_map_:
            raise refuse(f"a number of {kind.__name__}")
        return kind(plain)
    return _leaf(kind, plain, sent, refuse)


def _leaf(kind: Any, plain: Any, sent: bool, refuse: Callable[[str], SnapshotError]) -> Any:
    """Return a truth value, a number or a text."""
    if kind is float:
        if sent and isinstance(plain, str) and plain in _NOT_FINITE:
            return _NOT_FINITE[plain]
        if type(plain) not in (int, float) or not abs(plain) <= _LARGEST:
            raise refuse("a finite number")
        return plain
    if type(plain) is not kind or (kind is int and not -_WORD <= plain < _WORD):
        raise refuse({bool: "true or false", int: "a whole number of 64 bits", str: "a text"}[kind])
    return plain


def check_finite(array: np.ndarray, source: object, key: str) -> None:
    """Refuse an array with a number that is not finite, or too large to be a state: a message may hold singles.

    Raises:
        SnapshotError: it names the first one by row and field.
    """
    for name, column in _columns(array):
        wrong = np.argwhere(~(np.abs(column) <= LARGEST_STATE))
        if len(wrong):
            place = wrong[0].tolist()
            raise SnapshotError(
                source,
                f"{key}{name}{place}",
                float(column[tuple(place)]),
                f"a finite number, {LARGEST_STATE:g} at most",
            )


def _columns(array: np.ndarray, prefix: str = "") -> list[tuple[str, np.ndarray]]:
    """Return the columns of floating-point numbers of records, by dotted name."""
    if array.dtype.names is None:
        return [(prefix, array)] if array.dtype.kind == "f" else []
    plain = array.view(np.ndarray)
    return [column for name in array.dtype.names for column in _columns(plain[name], f"{prefix}.{name}")]


def _joined(key: str, name: object) -> str:
    return f"{key}.{name}" if key else str(name)


def _stripped(kind: Any) -> tuple[Any, Rows | None]:
    """Return an annotation, and what its array is; None for anything else."""
    if get_origin(kind) is Annotated:
        return get_args(kind)
    return kind, None


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _is_tagged(kind: Any) -> bool:
    """Tell whether a union is one of records, so that a value has to say which it is."""
    members = [member for member in get_args(kind) if member is not type(None)]
    return len(members) > 1 and all(map(_is_record, members))


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (hasattr(kind, "_fields") or is_dataclass(kind))


def _holds(member: Any, value: Any) -> bool:
    """Tell whether a value is of a member of a union."""
    if get_origin(member) is tuple:
        return isinstance(value, list | tuple) and not hasattr(value, "_fields")
    if member is float:
        return isinstance(value, int | float | np.number)
    return isinstance(value, member)


def _element_kinds(kind: Any, count: int) -> tuple[Any, ...]:
    kinds = get_args(kind)
    return (kinds[0],) * count if len(kinds) == 2 and kinds[1] is Ellipsis else kinds


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    """Return the annotations of a NamedTuple or a dataclass, in order."""
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    return {name: hints[name] for name in names}
