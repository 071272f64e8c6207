"""What changes around a vehicle between two steps: weather, receiver, faults, parameters, what comes and goes.

A part of `Environment`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from acres_ros.core.collision_watch import CollisionWatch
from acres_ros.core.conditions import changed
from acres_ros.core.farm import FarmState
from acres_ros.core.faults import Faults
from acres_ros.core.gateway_events import Event
from acres_ros.core.navigation import Navigation
from acres_ros.core.parameter_set import ParameterSet
from acres_ros.core.spawned import Spawned, world_with
from acres_ros.core.weather import Weather
from acres_ros.world import World


class Changeable:
    """The attributes are those of `Environment`, which adds everything else."""

    world: World
    step_count: int
    epoch_step: int
    put_step: int
    revision: int
    spawned: Spawned
    whole_world: World
    faults: Faults
    _collisions: CollisionWatch
    _events: list[Event]
    _farm: FarmState
    _vehicle: np.record
    _navigation: Navigation
    _parameter_set: ParameterSet

    @property
    def conditions(self) -> np.ndarray:
        """Return soil water and weather, one `CONDITIONS` record; read it only."""
        return self._farm.farm.conditions

    def set_conditions(
        self,
        *,
        global_fraction: float | None = None,
        field_fractions: Mapping[int, float] | None = None,
        surface_film: float | None = None,
        rain_mm_per_h: float | None = None,
        dust_per_m: float | None = None,
    ) -> None:
        """Change soil water and weather from the next step on; arguments and errors as for `core.conditions.changed`.

        It outlives a reset; `restart` and another world end it.
        """
        self.conditions[:] = changed(
            self.conditions,
            global_fraction=global_fraction,
            field_fractions=field_fractions,
            surface_film=surface_film,
            rain_mm_per_h=rain_mm_per_h,
            dust_per_m=dust_per_m,
        )

    @property
    def weather(self) -> Weather:
        """Return rain and dust, as the sensors meet them."""
        row = self.conditions[0]
        return Weather(float(row["rain_mm_per_h"]), float(row["dust_per_m"]))

    def set_gnss(
        self, state: str, *, duration_s: float | None = None, jump_m: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> None:
        """Give the receiver of the INS another state, and its position an offset, from the next step on.

        A request replaces the one before. What has no end holds until a reset.

        Args:
            state: none (no satellites), single, sbas, float or fixed. From none it comes back by single and float.
            duration_s: how long, s; then what holds without an end comes back. None or 0 is without an end.
            jump_m: offset east, north, up, m, which no variance tells of.

        Raises:
            GnssError: not such a state, time or offset; nothing was changed.
        """
        self._navigation.receiver.request(self.step_count, state, duration_s, jump_m)

    def set_fault(self, name: str, *, on: bool = True, values: Sequence[float] = (), duration_s: float = 0.0) -> None:
        """Switch a fault on or off from the next step on; a reset ends it. Arguments and errors: `Faults.request`."""
        self.faults.request(self.step_count, name, on, values, duration_s)

    def set_parameters(self, overrides: Mapping[str, object]) -> None:
        """Give the vehicle another parameter set with its next reset, which has to follow (spec, `SetParameters`).

        It outlives later resets; `restart` and another world bring back the first set.

        Args:
            overrides: changes of the first set by dotted key; those of an earlier call, or of its occupants, end.

        Raises:
            ParameterError: an unknown key or a value that it cannot have; nothing was changed.
        """
        self._parameter_set.set(overrides)

    def set_spawned(self, spawned: Spawned, whole_world: World | None = None) -> None:
        """Replace all that is spawned, from the next step on; it was checked.

        A reset puts each obstacle where it was spawned; `restart` and another world remove all.

        Args:
            spawned: all of it.
            whole_world: the world with it, where somebody has made that already.
        """
        if spawned == self.spawned:
            return
        if spawned.names() != self.spawned.names():
            self.revision += 1
        self.spawned = spawned
        self.whole_world = world_with(self.world, spawned) if whole_world is None else whole_world

    def begin_at(self, step_count: int) -> None:
        """Let a vehicle that was made just now, and has made no step, be there from a step count on."""
        self.step_count = self.epoch_step = self.put_step = step_count

    def forget_vehicle(self, number: int) -> None:
        """End a touch of another vehicle that is removed.

        Args:
            number: which of `vehicles`.
        """
        scene = self.world.scene
        touched = number + (0 if scene is None else scene.obstacle_count)
        if self._vehicle["collision"] == touched:
            self._vehicle["collision"] = -1
        self._events += self._collisions.end(touched)
