"""The sensors of position and motion of one vehicle: their errors, step by step, and what leaves with the sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acres_ros._compile import resolved
from acres_ros.core.gnss import GnssReceiver
from acres_ros.core.navigation_settings import NavigationSettings
from acres_ros.core.streams import stream
from acres_ros.models.markov import MOST_DRAWS, Noise
from acres_ros.models.navigation import start_navigation, step_navigation
from acres_ros.models.navigation_parameters import FIXED, NONE
from acres_ros.models.navigation_state import NAVIGATION, NAVIGATION_STATE


class Navigation:
    """INS, IMU and GNSS of one vehicle.

    Args:
        settings: of the sensors.
        seed: of the run.
        agent: index of the vehicle.

    Attributes:
        receiver: the GNSS receiver of the INS.
        errors: one NAVIGATION record, a plain array: those of the last samples. Read it only.
        arguments: what `step` takes behind the vehicles.
    """

    def __init__(self, settings: NavigationSettings, seed: int, agent: int = 0) -> None:
        self._settings = settings
        self._seed, self._agent = seed, agent
        self._state = NAVIGATION_STATE.new(1).view(np.ndarray)
        self.errors = NAVIGATION.new(1).view(np.ndarray)
        words = np.zeros((3, 2), np.uint64)
        self._noise = Noise(words[0], words[1], words[2], np.zeros(MOST_DRAWS), np.zeros(MOST_DRAWS))
        self.receiver = GnssReceiver(settings, self._state)
        self.arguments = settings.parameters, self._state, self.errors, self._noise
        self.reset()

    def reset(self) -> None:
        """Begin every stream and every grid anew; what was asked of the receiver ends."""
        NAVIGATION_STATE.set_defaults(self._state)
        NAVIGATION.set_defaults(self.errors)
        for name in ("ins", "imu", "gnss"):
            getattr(self._noise, name)[:] = stream(name, self._seed, agent=self._agent).state
        start_navigation(*self.arguments)
        self.receiver.reset()
        self.errors["ins"]["fix"] = FIXED if self._settings.start == NONE else self._settings.start

    def compiled(self, vehicles: np.ndarray) -> Callable[..., object]:
        """Return the step, `step(vehicles, *arguments)`, compiled or loaded now."""
        return resolved(step_navigation, vehicles, *self.arguments)
