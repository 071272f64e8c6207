"""The samples of the last steps: enough for whoever has to stand again where it stood."""

from __future__ import annotations

from collections import deque

import numpy as np

from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.navigation_settings import LONGEST_DELAY_S, NavigationSettings
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.restorable import SAMPLE_CODES, check_codes
from acres_ros.core.sample import SAMPLE
from acres_ros.core.snapshot import EnvironmentState

MOST_STEPS = 1 + round(LONGEST_DELAY_S * STEPS_PER_SECOND)


def steps_recalled(settings: NavigationSettings) -> int:
    """Return how many samples say what is on its way: those of a second, and of the longest delay of a sensor.

    The slowest stream has 1 Hz, and a sweep of the LiDAR takes a second at most.
    """
    delays = (sensor.delay_steps for sensor in (settings.ins, settings.vehicle_imu, settings.vehicle_gnss))
    return 1 + max(STEPS_PER_SECOND, *delays)


class History:
    """Keep the last samples; to keep some costs nothing but the memory of `MOST_STEPS` and one chunk more."""

    def __init__(self) -> None:
        self._chunks: deque[np.ndarray] = deque()
        self._count = 0

    def keep(self, samples: np.ndarray) -> None:
        """Keep samples, which are not copied, behind those before."""
        self._chunks.append(samples)
        self._count += len(samples)
        while self._count - len(self._chunks[0]) >= MOST_STEPS:
            self._count -= len(self._chunks.popleft())

    def last(self, count: int, epoch: int) -> np.ndarray:
        """Return a copy of the last samples of an epoch.

        Args:
            count: how many at most, up to `MOST_STEPS`.
            epoch: what is of another one is left out.
        """
        samples = self.newest(self._count)
        return samples[samples["epoch"] == epoch][-count:]

    def newest(self, count: int) -> np.ndarray:
        """Return a copy of the last samples, of whatever epochs: as many as there are, `count` at most."""
        return np.frombuffer(bytearray().join(chunk.tobytes() for chunk in self._chunks), SAMPLE)[-count:]

    def restore(self, samples: np.ndarray) -> None:
        """Forget all, and keep these."""
        self._chunks, self._count = deque([samples]), len(samples)


def check_history(history: np.ndarray, state: EnvironmentState, source: object) -> None:
    """Refuse samples that are not those of the last steps of a state: raises `SnapshotError`."""
    steps = np.arange(state.step_count - len(history), state.step_count) + 1
    wanted = (("step", steps), ("epoch", state.epoch), ("epoch_step", state.epoch_step))
    for key, value in wanted:
        if not np.array_equal(history[key], np.broadcast_to(value, steps.shape)):
            raise SnapshotError(source, f"simulation.history.{key}", history[key].tolist(), f"{value}")
    check_codes(history, SAMPLE_CODES, source, "simulation.history")
    if len(history) > MOST_STEPS or (len(history) and steps[0] <= state.epoch_step):
        raise SnapshotError(source, "simulation.history", f"{len(history)} samples", "those of this epoch alone")
