"""What the vehicle touches, seen in its samples: when it begins and when it ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acres_ros.core.gateway_events import Event

NONE = -1


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

    def look(self, samples: np.ndarray) -> list[Event]:
        """Return what began and ended in these samples, oldest first; a reset ends a touch without a word.

        Args:
            samples: `SAMPLE` records of one epoch, one-dimensional.
        """
        if not len(samples):
            return []
        samples = samples.view(np.ndarray)
        if samples["epoch"][0] != self._epoch:
            self._epoch = int(samples["epoch"][0])
            self._forget()
        touched = samples["vehicle"]["collision"]
        if touched[0] == touched[-1] == self.touched and not (touched != self.touched).any():
            return []
        events = []
        body = samples["vehicle"]["body"]
        for index, number in enumerate(touched.tolist()):
            if number == self.touched:
                continue
            place = f"at ({body['x'][index]:.2f}, {body['y'][index]:.2f}) m"
            if self.touched != NONE:
                events.append(Event("info", "ACRES_COLLISION_END", f"leaves {self._name(self.touched)} {place}"))
            self.touched = number
            if number != NONE:
                self.count += 1
                self.last = self._name(number)
                events.append(Event("warning", "ACRES_COLLISION", f"touches {self.last} {place}"))
        return events
