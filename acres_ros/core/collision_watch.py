"""What the vehicle touches, seen in its samples: when it begins and when it ends.

A vehicle that an obstacle stops touches it and not, step by step, and one between two obstacles touches each in turn: a
touch is a spell (`core/spells.py`), over when this obstacle was not touched for half a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from acres_ros.core.gateway_events import Event
from acres_ros.core.spells import NONE, SpellsState, SpellWatch


class CollisionState(NamedTuple):
    """What a `CollisionWatch` remembers: the epoch of the samples, what is touched, how often and what it was last."""

    epoch: int = -1
    spells: SpellsState = SpellsState()
    begun: int = 0
    last: str = ""


class CollisionWatch(SpellWatch):
    """Follow the samples of one vehicle, in order.

    Args:
        name: returns the name of an obstacle by its number.

    Attributes:
        count: how often it has begun to touch an obstacle since the last reset.
        last: the name of the obstacle that it began to touch last; empty for none since the last reset.
    """

    def __init__(self, name: Callable[[int], str]) -> None:
        super().__init__("vehicle.collision", NONE)
        self._name = name

    def _forget(self) -> None:
        super()._forget()
        self.count = 0
        self.last = ""

    def snapshot(self) -> CollisionState:
        """Return the state."""
        return CollisionState(int(self._epoch), self._spells.snapshot(), self.count, self.last)

    def restore(self, state: CollisionState) -> None:
        """Take up a state, whose numbers are those of obstacles."""
        self._take_up(state.epoch, state.spells)
        self.count, self.last = state.begun, state.last

    @property
    def touched(self) -> int:
        """Return the number of the obstacle that the vehicle touches, the last of several; -1 for none."""
        return self._spells.now

    def touches(self, number: int) -> bool:
        """Tell whether a touch of an obstacle lasts; one of something that was removed does not."""
        return any(spell.number == number for spell in self._spells.snapshot().lasting)

    def end(self, number: int) -> list[Event]:
        """Return what there is to say of something that is removed: a touch of it ends."""
        if not self._spells.end(number):
            return []
        self._settle()
        return [Event("info", "ACRES_COLLISION_END", f"leaves {self._name(number)}, which is removed")]

    def look(self, samples: np.ndarray) -> list[Event]:
        """Return what began and ended in these samples, oldest first; a reset ends a touch without a word.

        Args:
            samples: `SAMPLE` records of one epoch, one-dimensional.
        """
        events: list[Event] = []
        for number, begins, where in self.changes(samples):
            name = self._name(number)
            if begins:
                self.count, self.last = self.count + 1, name
                events.append(Event("warning", "ACRES_COLLISION", f"touches {name} {where}"))
            else:
                events.append(Event("info", "ACRES_COLLISION_END", f"leaves {name} {where}"))
        return events
