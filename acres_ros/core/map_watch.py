"""Whether the vehicle is on the map, seen in its samples: when it leaves it and when it is back.

Off the map is nearer to the edge than the margin of the world (spec, C++ API, `OffMapMarginM`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acres_ros.core.gateway_events import Event
from acres_ros.core.spells import SpellsState, SpellWatch


class MapState(NamedTuple):
    """What a `MapWatch` remembers: the epoch of the samples, and whether the vehicle is off the map."""

    epoch: int
    spells: SpellsState


class MapWatch(SpellWatch):
    """Follow the samples of one vehicle, in order."""

    def __init__(self) -> None:
        super().__init__("vehicle.off_map", 0)

    def snapshot(self) -> MapState:
        """Return the state."""
        return MapState(int(self._epoch), self._spells.snapshot())

    def restore(self, state: MapState) -> None:
        """Take up a state."""
        self._take_up(state.epoch, state.spells)

    def look(self, samples: np.ndarray) -> list[Event]:
        """Return what began and ended in these samples, oldest first; a reset ends it without a word.

        Args:
            samples: `SAMPLE` records of one epoch, one-dimensional.
        """
        return [
            Event("warning", "ACRES_OFF_MAP", f"leaves the map {where}")
            if begins
            else Event("info", "ACRES_OFF_MAP_END", f"is back on the map {where}")
            for _, begins, where in self.changes(samples)
        ]
