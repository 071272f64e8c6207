"""The sensors of position and motion of one vehicle: their errors, step by step, and what leaves with the sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from acres_ros._compiled import resolved
from acres_ros.core.gnss import NAMES, GnssReceiver, ReceiverState
from acres_ros.core.navigation_settings import NavigationSettings
from acres_ros.core.plain_state import Rows, SnapshotError
from acres_ros.core.streams import stream
from acres_ros.models.markov import MOST_DRAWS, Noise
from acres_ros.models.navigation import start_navigation, step_navigation
from acres_ros.models.navigation_parameters import FIXED, NONE
from acres_ros.models.navigation_state import NAVIGATION, NAVIGATION_STATE

NOISE_STREAMS = ("ins", "imu", "gnss")


class NavigationState(NamedTuple):
    """What the sensors remember.

    Attributes:
        record: one NAVIGATION_STATE record.
        errors: one NAVIGATION record.
        words: of the generators `NOISE_STREAMS`.
        receiver: the GNSS receiver of the INS.
    """

    record: Annotated[np.ndarray, Rows(NAVIGATION_STATE.dtype, (1,))]
    errors: Annotated[np.ndarray, Rows(NAVIGATION.dtype, (1,))]
    words: Annotated[np.ndarray, Rows(np.dtype(np.uint64), (len(NOISE_STREAMS), 2))]
    receiver: ReceiverState


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
        self._words = words = np.zeros((len(NOISE_STREAMS), 2), np.uint64)
        self._noise = Noise(words[0], words[1], words[2], np.zeros(MOST_DRAWS), np.zeros(MOST_DRAWS))
        self.receiver = GnssReceiver(settings, self._state)
        self.arguments = settings.parameters, self._state, self.errors, self._noise
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin every stream, with a seed, and every grid anew; what was asked of the receiver ends."""
        self._seed = seed
        NAVIGATION_STATE.set_defaults(self._state)
        NAVIGATION.set_defaults(self.errors)
        self.begin_streams(self._agent)
        start_navigation(*self.arguments)
        self.receiver.reset()
        self.errors["ins"]["fix"] = FIXED if self._settings.start == NONE else self._settings.start

    def begin_streams(self, agent: int) -> None:
        """Let every random stream begin anew, as that of an agent; nothing is drawn yet."""
        self._agent = agent
        for words, name in zip(self._words, NOISE_STREAMS, strict=True):
            words[:] = stream(name, self._seed, agent=agent).state

    def snapshot(self) -> NavigationState:
        """Return the state."""
        return NavigationState(
            self._state.copy(), self.errors.copy(), self._words.copy(), self.receiver.snapshot()
        )  # fmt: skip

    def check(self, state: NavigationState, seed: int, source: object, key: str) -> None:
        """Refuse a state that is none of these sensors with a seed: raises `SnapshotError`."""
        fixes = {
            "record.ins.fix": state.record["ins"]["fix"][0],
            "errors.ins.fix": state.errors["ins"]["fix"][0],
            "errors.vehicle_gnss.fix": state.errors["vehicle_gnss"]["fix"][0],
            "receiver.base.fix": state.receiver.base.fix,
            "receiver.goal.fix": state.receiver.goal.fix,
        }
        for name, fix in fixes.items():
            if int(fix) not in NAMES:
                raise SnapshotError(source, f"{key}.{name}", int(fix), f"a number of {NAMES}")
        for words, name in zip(state.words.tolist(), NOISE_STREAMS, strict=True):
            increment = int(stream(name, seed, agent=self._agent).state[1])
            if words[1] != increment:
                raise SnapshotError(source, f"{key}.words of {name}", words, f"{increment} as the second, its sequence")

    def restore(self, state: NavigationState, seed: int) -> None:
        """Take up a state that was checked, and the seed that it was drawn with."""
        self._seed = seed
        self._state[:], self.errors[:], self._words[:] = state.record, state.errors, state.words
        self.receiver.restore(state.receiver)

    def compiled(self, vehicles: np.ndarray) -> Callable[..., object]:
        """Return the step, `step(vehicles, *arguments)`, compiled or loaded now."""
        return resolved(step_navigation, vehicles, *self.arguments)
