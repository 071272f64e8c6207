"""What is compared: the parameters of a vehicle, and the surfaces below it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from acres_ros.world import World, load_world


@dataclass(frozen=True)
class Subject:
    """A vehicle and the ground that it is compared on.

    Attributes:
        parameters: one PARAMETERS record, as a plain array.
        surfaces: one SURFACE record for each class; None takes those of the package.
    """

    parameters: np.ndarray
    surfaces: np.ndarray | None = None

    def flat(self, surface: str) -> World:
        """Return the endless level plane of a surface."""
        return self._with_surfaces(_flat(surface))

    def world(self, name: str) -> World:
        """Return a built-in world."""
        return self._with_surfaces(_world(name))

    def _with_surfaces(self, world: World) -> World:
        if self.surfaces is None:
            return world
        return replace(world, ground=world.ground._replace(surfaces=self.surfaces))


@cache
def _flat(surface: str) -> World:
    return World.flat(surface=surface)


@cache
def _world(name: str) -> World:
    return load_world(name)
