"""Spells: what lasts from step to step, told when it begins and when it is over.

What a vehicle does at an obstacle, or along the edge of the map, comes and goes step by step; a spell is over when
there was none of it for a while.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from acres_ros._record import place_of
from acres_ros.core.sample import SAMPLE

NONE = -1
APART_STEPS = 60
"""Steps without it that end a spell: half a second."""


class Change(NamedTuple):
    """A spell that begins, or one that is over.

    Attributes:
        number: whose spell it is.
        begins: whether it begins.
        where: place of its first step, or of the first step without it.
    """

    number: int
    begins: bool
    where: str


class Spell(NamedTuple):
    """One that is not over.

    Attributes:
        number: whose it is.
        apart: steps without it so far.
        left: place of the first of these; empty for none.
    """

    number: int
    apart: int
    left: str


class SpellsState(NamedTuple):
    """What `Spells` remembers: the number that was seen last, and what is not over, oldest first."""

    now: int = NONE
    lasting: tuple[Spell, ...] = ()


class Spells:
    """Follow a number that each step has, -1 for none; each number has spells of its own.

    Attributes:
        now: number that was seen last; -1 when all spells are over.
    """

    def __init__(self) -> None:
        self.now = NONE
        self._apart: dict[int, int] = {}
        self._left: dict[int, str] = {}

    @property
    def over(self) -> bool:
        """Tell whether all spells are over."""
        return not self._apart

    def snapshot(self) -> SpellsState:
        """Return the state."""
        lasting = (Spell(number, apart, self._left.get(number, "")) for number, apart in self._apart.items())
        return SpellsState(self.now, tuple(lasting))

    @classmethod
    def of(cls, state: SpellsState) -> Spells:
        """Return the spells of a state."""
        spells = cls()
        spells.now = state.now
        spells._apart = {spell.number: spell.apart for spell in state.lasting}
        spells._left = {spell.number: spell.left for spell in state.lasting if spell.left}
        return spells

    def look(self, numbers: list[int], where: Callable[[int], str]) -> list[Change]:
        """Return what changes in some steps, oldest first.

        Args:
            numbers: of the steps, in order.
            where: returns the place of one of these steps.
        """
        if numbers.count(self.now) == len(numbers) and len(self._apart) == (self.now != NONE):
            self._apart = dict.fromkeys(self._apart, 0)
            return []
        changes: list[Change] = []
        for index, number in enumerate(numbers):
            changes += self._part(number, index, where)
            if number == NONE:
                continue
            if number not in self._apart:
                changes.append(Change(number, True, where(index)))
            self._apart[number] = 0
            self.now = number
        return changes

    def end(self, number: int) -> bool:
        """End the spell of a number that no step has any more; return whether there was one."""
        if number not in self._apart:
            return False
        del self._apart[number]
        self._left.pop(number, None)
        if self.now == number:
            self.now = next(reversed(self._apart), NONE)
        return True

    def _part(self, number: int, index: int, where: Callable[[int], str]) -> list[Change]:
        """Take one step of a number for the spells of all others."""
        ended = []
        for other in [other for other in self._apart if other != number]:
            if self._apart[other] == 0:
                self._left[other] = where(index)
            self._apart[other] += 1
            if self._apart[other] == APART_STEPS:
                del self._apart[other]
                ended.append(Change(other, False, self._left.pop(other)))
        if not self._apart:
            self.now = NONE
        return ended


class SpellWatch:
    """Follow a number of the samples of one vehicle, in order, as spells; a reset ends them without a word.

    Args:
        key: of the number in a sample.
        none: what it is where there is no spell.
    """

    def __init__(self, key: str, none: int) -> None:
        (epoch, number), end = (place_of(SAMPLE, name)[1] for name in ("epoch", key)), SAMPLE.itemsize
        self._read = struct.Struct(f"<{epoch}xq{number - epoch - 8}xq{end - number - 8}x").iter_unpack
        self._none = none
        self._epoch = -1
        self._forget()
        self._settle()

    def _forget(self) -> None:
        """Begin anew, as after a reset."""
        self._spells = Spells()

    def _take_up(self, epoch: int, state: SpellsState) -> None:
        """Go on where samples of an epoch have left the spells."""
        self._epoch, self._spells = epoch, Spells.of(state)
        self._settle()

    def _settle(self) -> None:
        """Note what a sample looks like in which nothing changes: only one without a spell, when all are over."""
        self._quiet = (self._epoch, self._none) if self._spells.over else ()

    def changes(self, samples: np.ndarray) -> list[Change]:
        """Return what began and ended in these samples, oldest first.

        Args:
            samples: `SAMPLE` records of one epoch, one-dimensional.
        """
        rows = list(self._read(samples.tobytes()))
        if rows.count(self._quiet) == len(rows):
            return []
        epoch = rows[0][0]
        if epoch != self._epoch:
            self._epoch = epoch
            self._forget()
        bodies = samples["vehicle"]["body"]
        changes = self._spells.look(
            [number - self._none + NONE for _, number in rows],
            lambda index: f"at ({bodies['x'][index]:.2f}, {bodies['y'][index]:.2f}) m",
        )
        self._settle()
        return changes
