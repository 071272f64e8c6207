"""The parameters of one vehicle from its start on: the first set, what changes it, and from when on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acres_ros.core.parameters import OCCUPANTS, with_overrides


class ParameterSet:
    """The first set and its changes, which take effect with a reset.

    Args:
        first: one record of `acres_ros.models.parameters.PARAMETERS`.

    Attributes:
        first: as given.
        in_effect: changes that are in effect.
        overrides: those that are from the next reset on.
    """

    def __init__(self, first: np.ndarray) -> None:
        self.first = first
        self.in_effect: Mapping[str, object] = {}
        self.overrides: Mapping[str, object] = {}
        self._next = first

    def set(self, overrides: Mapping[str, object]) -> None:
        """Take changes of the first set by dotted key; those of an earlier call end.

        Raises:
            ParameterError: an unknown key or a value that it cannot have; nothing was changed.
        """
        self._next = with_overrides(self.first, overrides) if overrides else self.first
        self.overrides = dict(overrides)

    def set_occupants(self, occupants: int) -> None:
        """Change the number of persons on board, and nothing else of what was set; errors as `set`."""
        self.set({**self.overrides, OCCUPANTS: occupants})

    def use(self) -> np.ndarray:
        """Let what was set take effect, and return the record."""
        self.in_effect = self.overrides
        return self._next
