"""What the vehicle touches, seen in its samples: when it begins and when it ends.

A vehicle that an obstacle stops touches it and not, step by step, so a touch has ended when there was none for a while.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acres_ros.core.gateway_events import Event

NONE = -1
APART_STEPS = 60
"""Steps without a touch that end it: half a second."""


class CollisionWatch:
    """Follow the samples of one vehicle, in order.

    Args:
        name: returns the name of an obstacle by its number.

    Attributes:
        touched: number of the obstacle that the vehicle touches, -1 for none.
        count: how often it has begun to touch one since the last reset.
        last: the name of the obstacle that it began to touch last; empty for none since the last reset.
    """

    def __init__(self, name: Callable[[int], str]) -> None:
        self._name = name
        self._epoch = -1
        self._forget()

    def _forget(self) -> None:
        self.touched = NONE
        self.count = 0
        self.last = ""
        self._apart = 0
        self._left = ""

    def look(self, samples: np.ndarray) -> list[Event]:
        """Return what began and ended in these samples, oldest first; a reset ends a touch without a word.

        Args:
            samples: `SAMPLE` records of one epoch, one-dimensional.
        """
        if not len(samples):
            return []
        epoch = samples["epoch"][0]
        if epoch != self._epoch:
            self._epoch = epoch
            self._forget()
        touched = samples["vehicle"]["collision"].tolist()
        if touched.count(self.touched) == len(touched):
            self._apart = 0
            return []
        events: list[Event] = []
        body = samples["vehicle"]["body"]
        for index, number in enumerate(touched):
            if number == self.touched:
                self._apart = 0
            elif number == NONE:
                self._part(_place(body, index), events)
            else:
                self._begin(number, _place(body, index), events)
        return events

    def _part(self, place: str, events: list[Event]) -> None:
        """Take one step without a touch."""
        if self._apart == 0:
            self._left = place
        self._apart += 1
        if self._apart == APART_STEPS:
            self._end(self._left, events)

    def _begin(self, number: int, place: str, events: list[Event]) -> None:
        if self.touched != NONE:
            self._end(self._left if self._apart else place, events)
        self.touched = number
        self.count += 1
        self.last = self._name(number)
        events.append(Event("warning", "ACRES_COLLISION", f"touches {self.last} {place}"))

    def _end(self, place: str, events: list[Event]) -> None:
        events.append(Event("info", "ACRES_COLLISION_END", f"leaves {self._name(self.touched)} {place}"))
        self.touched = NONE
        self._apart = 0


def _place(body: np.ndarray, index: int) -> str:
    return f"at ({body['x'][index]:.2f}, {body['y'][index]:.2f}) m"
