"""What a simulation remembers beside its environment, for snapshots."""

from __future__ import annotations

import numpy as np

from acres_ros.core.entities import Entities
from acres_ros.core.environment import Environment
from acres_ros.core.history import History, check_history, steps_recalled
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import SAMPLE
from acres_ros.core.snapshot import SimulationState, Snapshot
from acres_ros.core.step_commands import COMMANDS, Arrived
from acres_ros.core.sweeps import Sweeps

NOTHING = SimulationState(np.zeros(0, SAMPLE), None, (), ())


class Surroundings:
    """What is around the environment of one simulation.

    Args:
        environment: what is stepped.
        sweeps: the scans of the LiDAR; None for none.
        entities: what clients tell of the entities; None where nobody can.
        arrived: the commands since the last step.

    Attributes:
        history: the last samples; whoever steps keeps them there.
    """

    def __init__(
        self, environment: Environment, sweeps: Sweeps | None, entities: Entities | None, arrived: Arrived
    ) -> None:
        self._environment = environment
        self._sweeps = sweeps
        self._entities = entities
        self._arrived = arrived
        self.history = History()

    def recalled(self) -> np.ndarray:
        """Return the samples of this epoch from which acres_vehicle makes again what is on its way."""
        return self.history.last(steps_recalled(self._environment.navigation), self._environment.epoch)

    def snapshot(self) -> SimulationState:
        """Return the state."""
        return SimulationState(
            history=self.recalled(),
            sweeps=None if self._sweeps is None else self._sweeps.snapshot(),
            told=() if self._entities is None else self._entities.snapshot(),
            came=self._arrived.snapshot(),
        )

    @staticmethod
    def of(snapshot: Snapshot) -> SimulationState:
        """Return this part of a snapshot; nothing, where it is one of an environment alone."""
        return snapshot.simulation or NOTHING

    def check(self, snapshot: Snapshot) -> None:
        """Refuse a state that cannot be, but for what was told of entities: raises `SnapshotError`."""
        state, environment, source = self.of(snapshot), snapshot.environment, snapshot.source
        check_history(state.history, environment, source)
        if self._sweeps is not None and state.sweeps is not None:
            self._sweeps.check(state.sweeps, environment, len(state.history), source)
        for came in state.came:
            if came.name not in COMMANDS:
                raise SnapshotError(source, "simulation.came", came.name, f"one of {', '.join(COMMANDS)}")

    def restore(self, snapshot: Snapshot) -> None:
        """Take up a state that was checked, behind the environment."""
        state = self.of(snapshot)
        self.history.restore(state.history)
        if self._sweeps is not None:
            self._sweeps.restore(state.sweeps, state.history)
        if self._entities is not None:
            self._entities.restore(state.told)
        self._arrived.restore(state.came)
