"""What acres_physics tells acres_vehicle when that joins, and again when its world or its parameters have changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acres_ros.core.collision_watch import CollisionState
from acres_ros.core.parameters import load_parameters, to_tree
from acres_ros.core.plain_state import Rows, SnapshotError, from_plain, to_plain
from acres_ros.core.sensors import Sensors
from acres_ros.core.spawned import VEHICLE_NUMBERS
from acres_ros.world.georeference import Origin

if TYPE_CHECKING:
    from acres_ros.core.environment import Environment


@dataclass(frozen=True)
class WorldFacts:
    """What the messages need of a world.

    Attributes:
        name: what the world is called.
        origin: the point of the Earth at its (0, 0, 0); None where the world does not say.
        obstacles: names of its obstacles, by their numbers, and of the vehicles where there are several.
    """

    name: str = ""
    origin: Origin | None = None
    obstacles: tuple[str, ...] = ()

    @classmethod
    def of(cls, environment: Environment) -> WorldFacts:
        """Return the facts of the world of an environment."""
        world = environment.world
        scene = world.scene
        names = () if scene is None else tuple(map(scene.obstacle_name, range(scene.obstacle_count)))
        names += environment.vehicles
        spawned = environment.spawned
        if spawned.obstacles:
            names += ("",) * (VEHICLE_NUMBERS - len(environment.vehicles))
            names += tuple(map(spawned.name_in, range(spawned.used)))
        return cls(world.name, world.origin, names)

    def obstacle(self, number: int) -> str:
        """Return the name of an obstacle; empty for none."""
        if number < 0:
            return ""
        return self.obstacles[number] if number < len(self.obstacles) else f"obstacle {number}"


@dataclass(frozen=True)
class Greeting:
    """Where a simulation stands, and what it simulates.

    Attributes:
        step: steps that are over.
        epoch: resets that are over.
        epoch_step: step count at the last of them.
        parameters: one record of `acres_ros.models.parameters.PARAMETERS`.
        world: the world.
        sensors: the sensors, whose errors and scans acres_physics makes and whose messages acres_vehicle makes.
        collisions: what the vehicle has touched.
    """

    step: int
    epoch: int
    epoch_step: int
    parameters: np.ndarray
    world: WorldFacts
    sensors: Sensors
    collisions: CollisionState = CollisionState()

    @classmethod
    def of(cls, environment: Environment, sensors: Sensors) -> Greeting:
        """Return the greeting of an environment and its sensors."""
        facts = WorldFacts.of(environment)
        counts = environment.step_count, environment.epoch, environment.epoch_step
        return cls(*counts, environment.parameters, facts, sensors, environment.collisions)

    def to_json(self) -> dict[str, Any]:
        """Return the greeting as JSON values."""
        return {
            "step": self.step,
            "epoch": self.epoch,
            "epoch_step": self.epoch_step,
            "parameters": to_tree(self.parameters),
            "world": asdict(self.world),
            "sensors": self.sensors.tree,
            "collisions": to_plain(CollisionState, self.collisions, {}),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Greeting:
        """Return the greeting that `to_json` gave."""
        world = values["world"]
        facts = WorldFacts(
            name=str(world["name"]),
            origin=None if world["origin"] is None else Origin(**world["origin"]),
            obstacles=tuple(world["obstacles"]),
        )
        parameters = load_parameters(overrides=dict(_leaves(values["parameters"])))
        step, epoch, epoch_step = (int(values[name]) for name in ("step", "epoch", "epoch_step"))
        collisions = from_plain(CollisionState, values["collisions"], _no_array, "the greeting")
        return cls(step, epoch, epoch_step, parameters, facts, Sensors.from_tree(values["sensors"]), collisions)


def _no_array(key: str, rows: Rows) -> np.ndarray:
    raise SnapshotError("the greeting", key, rows, "no array")


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in tree.items():
        found += _leaves(value, f"{prefix}{name}.") if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return found
