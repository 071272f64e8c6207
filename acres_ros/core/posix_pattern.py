r"""POSIX extended regular expressions, as the standard for simulators asks for in the filter of names.

The syntax is that of POSIX.1-2024, Base Definitions, section 9.4, in the C locale: classes are those of ASCII, and
ranges go by code point. What the standard leaves undefined is refused in words, because another library would take it
in another way: `\d` is no digit there. A pattern is a graph of places (Thompson, Communications of the ACM 11,
1968) whose sets of places are remembered, so a match takes as long as the name is, whatever the pattern.
"""

from __future__ import annotations

import string
from collections.abc import Callable

from acres_ros.errors import AcresError, shown

SPECIAL = "^.[$()|*+?{\\"
CLASSES = {
    "alpha": string.ascii_letters,
    "digit": string.digits,
    "alnum": string.ascii_letters + string.digits,
    "upper": string.ascii_uppercase,
    "lower": string.ascii_lowercase,
    "space": " \t\n\v\f\r",
    "blank": " \t",
    "punct": string.punctuation,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "cntrl": "".join(map(chr, [*range(32), 127])),
    "xdigit": string.hexdigits,
}
MOST_REPEATS = 255
"""RE_DUP_MAX."""
MOST_PLACES = 2000
MOST_DEPTH = 100
MOST_CHARACTERS = 20_000

_Test = Callable[[str], bool]
_Build = Callable[[int], int]
"""Makes the places of a part of the pattern before a place, and returns the first of them."""


class PatternError(AcresError):
    """A text that is no POSIX extended regular expression."""

    def __init__(self, pattern: str, place: int, wrong: str) -> None:
        super().__init__(
            f"the filter {shown(pattern)} is refused at character {place + 1}: {wrong}; wanted a POSIX extended "
            "regular expression, such as ^tree-[[:digit:]]+$"
        )


class PosixPattern:
    """A compiled pattern.

    Args:
        pattern: the expression.

    Raises:
        PatternError: what is wrong with it, and where.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        if len(pattern) > MOST_CHARACTERS:
            raise PatternError(pattern, MOST_CHARACTERS, f"more than {MOST_CHARACTERS} characters")
        # A place waits for a character (test), for an end of the text ("^", "$"), or goes on at once (None).
        self._tests: list[_Test | str | None] = [None]
        self._next: list[tuple[int, ...]] = [()]
        build = self._alternatives()
        if self._at < len(pattern):
            raise self._wrong("a ) that closes nothing")
        self._end = 0
        self._start = build(self._end)
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self._inner = self._reached({self._start}, begin=False)

    def found_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in a text."""
        places = self._reached({self._start}, begin=True)
        for character in text:
            if self._end in places:
                return True
            key = places, character
            if key not in self._steps:
                moved = {
                    after
                    for place in places
                    if callable(test := self._tests[place]) and test(character)
                    for after in self._next[place]
                }
                self._steps[key] = self._reached(moved, begin=False) | self._inner
            places = self._steps[key]
        return self._end in self._reached(places, begin=not text, end=True)

    def _reached(self, places: set[int] | frozenset[int], *, begin: bool, end: bool = False) -> frozenset[int]:
        """Return the places with all that are reached from them without a character."""
        found, todo = set(places), list(places)
        while todo:
            place = todo.pop()
            test = self._tests[place]
            if test is None or (test == "^" and begin) or (test == "$" and end):
                new = [after for after in self._next[place] if after not in found]
                found.update(new)
                todo += new
        return frozenset(found)

    # -- making places ------------------------------------------------------------------------------------------------

    def _place(self, test: _Test | str | None, *after: int) -> int:
        if len(self._tests) >= MOST_PLACES:
            raise self._wrong(f"more than {MOST_PLACES} characters to look for, repeats counted")
        self._tests.append(test)
        self._next.append(after)
        return len(self._tests) - 1

    def _repeated(self, build: _Build, least: int, most: int | None) -> _Build:
        def repeated(after: int) -> int:
            if most is None:
                loop = self._place(None)
                self._next[loop] = (build(loop), after)
                first = loop
            else:
                first = after
                for _ in range(most - least):
                    first = self._place(None, build(first), after)
            for _ in range(least):
                first = build(first)
            return first

        return repeated

    # -- reading ------------------------------------------------------------------------------------------------------

    def _wrong(self, text: str) -> PatternError:
        return PatternError(self._pattern, self._at, text)

    def _looking_at(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _alternatives(self) -> _Build:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._wrong(f"more than {MOST_DEPTH} brackets in each other")
        branches = [self._branch()]
        while self._looking_at("|"):
            self._at += 1
            branches.append(self._branch())
        self._depth -= 1
        if len(branches) == 1:
            return branches[0]
        return lambda after: self._place(None, *[branch(after) for branch in branches])

    def _branch(self) -> _Build:
        pieces: list[_Build] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            pieces.append(self._piece())
        if not pieces:
            raise self._wrong("nothing where a part of the expression has to be")

        def branch(after: int) -> int:
            for piece in reversed(pieces):
                after = piece(after)
            return after

        return branch

    def _piece(self) -> _Build:
        anchor = self._pattern[self._at] in "^$"
        build = self._atom()
        if self._at < len(self._pattern) and self._pattern[self._at] in "*+?{":
            if anchor:
                raise self._wrong("an anchor cannot be repeated")
            build = self._repeated(build, *self._count())
            if self._at < len(self._pattern) and self._pattern[self._at] in "*+?{":
                raise self._wrong("two repeats of one part")
        return build

    def _count(self) -> tuple[int, int | None]:
        sign = self._pattern[self._at]
        if sign != "{":
            self._at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        inside, closed, _ = self._pattern[self._at + 1 :].partition("}")
        low, comma, high = inside.partition(",")
        numbers = [low, high] if high else [low]
        if not closed or not all(text.isascii() and text.isdecimal() and len(text) <= 3 for text in numbers):
            raise self._wrong("no {n}, {n,} or {n,m}; a brace itself is \\{")
        least, most = int(low), int(high) if high else None if comma else int(low)
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise self._wrong(f"repeats {{{inside}}} that are not in order, or more than {MOST_REPEATS}")
        self._at += len(inside) + 2
        return least, most

    def _atom(self) -> _Build:
        character = self._pattern[self._at]
        if character == "(":
            self._at += 1
            build = self._alternatives()
            if not self._looking_at(")"):
                raise self._wrong("a ( that is not closed")
            self._at += 1
            return build
        if character in "*+?{":
            raise self._wrong(f"{character} repeats nothing")
        if character == "[":
            return self._looking_for(self._bracket())
        if character == "\\":
            self._at += 1
            escaped = self._pattern[self._at : self._at + 1]
            if not escaped or escaped not in SPECIAL + "]}":
                raise self._wrong(f"\\{escaped} has no meaning there (a digit is [[:digit:]], a space [[:space:]])")
            character = escaped
        elif character in "^$":
            self._at += 1
            return lambda after: self._place(character, after)
        elif character == ".":
            self._at += 1
            return self._looking_for(lambda _: True)
        self._at += 1
        return self._looking_for(lambda given: given == character)

    def _looking_for(self, test: _Test) -> _Build:
        return lambda after: self._place(test, after)

    def _bracket(self) -> _Test:
        """Read a bracket expression; the place is behind it then."""
        self._at += 1
        opposite = self._looking_at("^")
        self._at += opposite
        single: set[str] = set()
        ranges: list[tuple[str, str]] = []
        first = True
        while first or not self._looking_at("]"):
            if self._looking_at("[:"):
                single |= set(self._class())
            else:
                low = self._element()
                if self._looking_at("-") and not self._looking_at("-]"):
                    self._at += 1
                    high = self._element()
                    if high < low:
                        raise self._wrong(f"the range {low}-{high} runs backwards")
                    ranges.append((low, high))
                    if self._looking_at("-") and not self._looking_at("-]"):
                        raise self._wrong("a range that begins with the end of another one")
                else:
                    single.add(low)
            first = False
        self._at += 1
        return lambda given: (given in single or any(low <= given <= high for low, high in ranges)) != opposite

    def _class(self) -> str:
        name, closed, _ = self._pattern[self._at + 2 :].partition(":]")
        if not closed or name not in CLASSES:
            raise self._wrong(f"no class [:{name}:]; there are {', '.join(CLASSES)}")
        self._at += len(name) + 4
        return CLASSES[name]

    def _element(self) -> str:
        """Read one character of a bracket expression, which may be written [.x.] or [=x=]."""
        for sign in ".=":
            if self._looking_at(f"[{sign}"):
                name, closed, _ = self._pattern[self._at + 2 :].partition(f"{sign}]")
                if not closed or len(name) != 1:
                    raise self._wrong(f"[{sign}{name}{sign}] is not one character")
                self._at += 5
                return name
        if self._looking_at("[:"):
            raise self._wrong("a class cannot end a range")
        if self._at >= len(self._pattern):
            raise self._wrong("a [ that is not closed")
        self._at += 1
        return self._pattern[self._at - 1]
