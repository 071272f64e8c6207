"""What a client can name in the simulation: the vehicles, the obstacles of the world, and those that were spawned.

Positions are those of the canonical link: `base_footprint` of a vehicle; of an obstacle the middle of its outline, at
its bottom, with the axes of the world, of a spawned one with its own. Frames: world east, north, up; body forward,
left, up (REP-103).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from acres_ros.core.agent_names import FIRST_VEHICLE
from acres_ros.core.bounds import Box, Volume, near_boxes, overlaps
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.environment import Environment
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.posix_pattern import PosixPattern
from acres_ros.core.snapshot import Told
from acres_ros.core.spawnables import SPAWNABLES
from acres_ros.core.spawned import Spawned, SpawnedObstacle
from acres_ros.core.vectors import Quaternion, Vector, added, cross, turned
from acres_ros.errors import AcresError, shown
from acres_ros.world import World

NOWHERE: Vector = (0.0, 0.0, 0.0)
LEVEL: Quaternion = (0.0, 0.0, 0.0, 1.0)
MOST_NAMES_SHOWN = 8


class Category(IntEnum):
    """Categories of `simulation_interfaces/msg/EntityCategory`."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


class Info(NamedTuple):
    """What is told of an entity, and what it can be chosen by."""

    category: Category
    description: str
    tags: tuple[str, ...]


class Motion(NamedTuple):
    """Pose, twist and acceleration of a canonical link, all in the axes of the world: m, m/s, rad/s, m/s^2, rad/s^2.

    Attributes:
        position: x, y, z.
        orientation: quaternion x, y, z, w.
        velocity: of the link.
        angular_velocity: of the body.
        acceleration: of the link in the last step; 0 when there was none since it was put where it is.
        angular_acceleration: of the body in the last step; 0 likewise.
    """

    position: Vector
    orientation: Quaternion = LEVEL
    velocity: Vector = NOWHERE
    angular_velocity: Vector = NOWHERE
    acceleration: Vector = NOWHERE
    angular_acceleration: Vector = NOWHERE


class Filters(NamedTuple):
    """What entities have to be, all of it; what is empty asks nothing.

    Attributes:
        pattern: POSIX extended regular expression that is found in the name.
        categories: one of these.
        tags: one of these, or each of them.
        every: whether each of the tags is wanted.
        volume: what the bounds of the entity overlap.
    """

    pattern: str = ""
    categories: frozenset[Category] = frozenset()
    tags: frozenset[str] = frozenset()
    every: bool = False
    volume: Volume | None = None


class UnknownEntityError(AcresError):
    """A name that no entity has."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        first = ", ".join(names[:MOST_NAMES_SHOWN])
        more = f" and {len(names) - MOST_NAMES_SHOWN} more" if len(names) > MOST_NAMES_SHOWN else ""
        super().__init__(f"there is no entity {shown(name)}: wanted a name of /get_entities ({first}{more})")


class Entities:
    """The entities of a world, by name: the vehicles, then the obstacles by their numbers, then what was spawned.

    Args:
        environment: of the first vehicle; another world in it brings its own obstacles.
        agent: name of the vehicle; empty for the first one, which is `polaris`.
        others: names and environments of the further vehicles.
    """

    def __init__(
        self, environment: Environment, agent: str = "", others: Sequence[tuple[str, Environment]] = ()
    ) -> None:
        self._environment = environment
        self._vehicles = {agent or FIRST_VEHICLE: environment, **dict(others)}
        self._joined: set[str] = set()
        self._world: World | None = None
        self._restarts = -1
        self._spawned = Spawned()

    def _look(self) -> None:
        """Follow the environment: another world has other obstacles, and a restart forgets what was told of them."""
        environment = self._environment
        if environment.world is not self._world:
            self._world = environment.world
            outlines = () if self._world.scene is None else self._world.scene.outlines
            self._names = list(self._vehicles)
            taken = set(self._names)
            for number, outline in enumerate(outlines):
                name = outline.name if outline.name and outline.name not in taken else f"{outline.name}#{number}"
                taken.add(name)
                self._names.append(name)
            ends = np.array([(*outline.extent(), outline.z_min, outline.z_max) for outline in outlines]).reshape(-1, 6)
            low, high = ends[:, [0, 1, 4]], ends[:, [2, 3, 5]]
            self._middles, self._halves = 0.5 * (low + high), 0.5 * (high - low)
            self._places = {name: index for index, name in enumerate(self._names)}
            self._restarts = -1
        if environment.restarts != self._restarts:
            self._restarts = environment.restarts
            count = len(self._vehicles)
            self._infos = [_vehicle_info(spawned=name in self._joined) for name in self._vehicles]
            self._infos += [_obstacle_info(name) for name in self._names[count:]]
            self._told: dict[str, Info] = {}
        if environment.spawned is not self._spawned:
            self._spawned = environment.spawned
            gone = [name for name in self._told if name not in self._places and self._spawned.named(name) is None]
            for name in gone:
                del self._told[name]

    def take_spawned(self, vehicles: Mapping[str, Environment]) -> None:
        """Let these be the vehicles that were spawned, in their order; what was told of any other is forgotten."""
        told = self.snapshot()
        for name in self._joined:
            del self._vehicles[name]
        self._vehicles.update(vehicles)
        self._joined = set(vehicles)
        self._world = None
        self.restore([one for one in told if self.is_known(one.name)])

    def _index(self, name: str) -> int:
        self._look()
        if name not in self._places:
            raise UnknownEntityError(name, self.names())
        return self._places[name]

    def spawned(self, name: str) -> SpawnedObstacle | None:
        """Return what was spawned under a name; None for none."""
        self._look()
        return self._spawned.named(name)

    @property
    def environments(self) -> list[Environment]:
        """Return those of the vehicles, in their order."""
        return list(self._vehicles.values())

    def names(self) -> list[str]:
        """Return the names of all entities, in their order."""
        self._look()
        return [*self._names, *(one.name for one in self._spawned.obstacles)]

    def is_known(self, name: str) -> bool:
        """Return whether an entity has a name."""
        return self.spawned(name) is not None or name in self._places

    # -- one entity ---------------------------------------------------------------------------------------------------

    def info(self, name: str) -> Info:
        """Return what is told of an entity; raise `UnknownEntityError`."""
        if (one := self.spawned(name)) is not None:
            return self._told.get(name, _spawned_info(one))
        index = self._index(name)
        return self._infos[index]

    def set_info(self, name: str, info: Info) -> None:
        """Tell something else of an entity until a restart, or another world; raise `UnknownEntityError`."""
        if self.spawned(name) is not None:
            self._told[name] = info
            return
        index = self._index(name)
        self._infos[index] = self._told[name] = info

    def snapshot(self) -> tuple[Told, ...]:
        """Return what was told."""
        self._look()
        return tuple(
            Told(name, info.category, info.description, info.tags) for name, info in sorted(self._told.items())
        )

    def check(self, told: Sequence[Told], vehicles: Sequence[str], spawned: Spawned, source: object) -> None:
        """Refuse a name that two have, and what is told of no entity, or of no category: raises `SnapshotError`.

        Args:
            told: the state.
            vehicles: names of those that were spawned, with it.
            spawned: obstacles that were spawned, with it.
            source: for errors.
        """
        self._look()
        known = self._places.keys() - self._joined
        obstacles = [one.name for one in spawned.obstacles]
        for key, names in (("vehicles", vehicles), ("environment.spawned.name", obstacles)):
            for name in names:
                if name in known:
                    raise SnapshotError(source, key, name, "a name of its own")
            known = known | set(names)
        for name, category, _, _ in told:
            if name not in known or category not in Category._value2member_map_:
                wanted = "an entity of this world, and a category"
                raise SnapshotError(source, "simulation.told", (name, category), wanted)

    def restore(self, told: Sequence[Told]) -> None:
        """Forget what was told, and take up something else that was checked."""
        self._restarts = -1
        self._look()
        for name, category, description, tags in told:
            self.set_info(name, Info(Category(category), description, tags))

    def is_static(self, name: str) -> bool:
        """Return whether an entity never moves, whatever category it was given; raise `UnknownEntityError`."""
        return self.spawned(name) is not None or self._index(name) >= len(self._vehicles)

    def environment_of(self, name: str) -> Environment | None:
        """Return the environment of a vehicle, None for what is static; raise `UnknownEntityError`."""
        self._index(name)
        return self._vehicles.get(name)

    def motion(self, name: str) -> Motion:
        """Return where an entity is and how it moves; raise `UnknownEntityError`."""
        if (one := self.spawned(name)) is not None:
            return Motion(one.pose.position, one.pose.orientation)
        vehicle = self.environment_of(name)
        if vehicle is not None:
            return vehicle_motion(vehicle)
        obstacle = self._places[name] - len(self._vehicles)
        x, y, z = self._middles[obstacle].tolist()
        return Motion((x, y, z - float(self._halves[obstacle, 2])))

    def bounds(self, name: str) -> Box:
        """Return the box of an entity about its canonical link, m; raise `UnknownEntityError`."""
        if (one := self.spawned(name)) is not None:
            return one.box
        vehicle = self.environment_of(name)
        if vehicle is not None:
            return vehicle_box(vehicle)
        x, y, z = self._halves[self._places[name] - len(self._vehicles)].tolist()
        return Box((-x, -y, 0.0), (x, y, 2.0 * z))

    # -- many ---------------------------------------------------------------------------------------------------------

    def chosen(self, filters: Filters) -> list[str]:
        """Return the names of the entities that pass every filter; raise `PatternError`."""
        self._look()
        wanted = np.ones(len(self._names), bool)
        if filters.volume is not None:
            for index, vehicle in enumerate(self._vehicles.values()):
                motion, box = vehicle_motion(vehicle), vehicle_box(vehicle)
                wanted[index] = overlaps(filters.volume, box, motion.position, motion.orientation)
            wanted[len(self._vehicles) :] = near_boxes(filters.volume, self._middles, self._halves)
        pattern = PosixPattern(filters.pattern) if filters.pattern else None
        found = [(self._names[index], self._infos[index]) for index in np.flatnonzero(wanted).tolist()]
        for one in self._spawned.obstacles:
            where = one.pose.position, one.pose.orientation
            if filters.volume is None or overlaps(filters.volume, one.box, *where):
                found.append((one.name, self.info(one.name)))
        return [name for name, info in found if _passes(info, filters) and (pattern is None or pattern.found_in(name))]


def _passes(info: Info, filters: Filters) -> bool:
    if filters.categories and info.category not in filters.categories:
        return False
    tags = filters.tags
    return not tags or (tags <= set(info.tags) if filters.every else not tags.isdisjoint(info.tags))


def _vehicle_info(*, spawned: bool) -> Info:
    tags = ("spawned", "vehicle", "polaris") if spawned else ("vehicle", "polaris")
    return Info(Category.ROBOT, "a drive-by-wire Polaris Ranger", tags)


def _obstacle_info(name: str) -> Info:
    """Return the info of an obstacle; the words before its number are a tag, as `tree` of tree-0001."""
    kind = re.sub(r"[-_ ]*\d+(#\d+)?$", "", name)
    return Info(
        Category.STATIC_OBJECT, f"an obstacle of the world: {kind or name}", ("obstacle", *([kind] * bool(kind)))
    )


def _spawned_info(one: SpawnedObstacle) -> Info:
    """Return the info of what was spawned."""
    spawnable = SPAWNABLES[one.resource.kind]
    category = Category.HUMAN if spawnable.human else Category.STATIC_OBJECT
    return Info(category, f"spawned: {spawnable.description}", ("spawned", "obstacle", one.resource.kind))


def vehicle_box(environment: Environment) -> Box:
    """Return the box of the vehicle about `base_footprint`, m: the outline of its body, from the ground to the roof."""
    return body_box(environment.parameters)


def body_box(parameters: np.ndarray) -> Box:
    """Return the same of a vehicle with some parameters, one record."""
    geometry = parameters[0]["geometry"]
    ahead, height = float(geometry["mass_ahead_m"]), float(geometry["mass_height_m"])
    half = float(geometry["body_half_width_m"])
    return Box(
        (ahead - float(geometry["body_rear_m"]), -half, 0.0),
        (ahead + float(geometry["body_front_m"]), half, height + float(geometry["body_above_m"])),
    )


def vehicle_motion(environment: Environment) -> Motion:
    """Return where `base_footprint` is and how it moves: rigid-body kinematics from the centre of mass."""
    body, geometry = environment.vehicle["body"], environment.parameters[0]["geometry"]
    x, y, z, qx, qy, qz, qw, *rest = (
        float(body[key])
        for key in ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az")
    )
    velocity, spin, push = (rest[0], rest[1], rest[2]), (rest[3], rest[4], rest[5]), (rest[6], rest[7], rest[8])
    orientation = (qx, qy, qz, qw)
    arm = turned(orientation, (-float(geometry["mass_ahead_m"]), 0.0, -float(geometry["mass_height_m"])))
    swing = cross(spin, arm)
    recent = environment.last_two
    acceleration = turn = NOWHERE
    if len(recent):
        before, after = recent[0]["vehicle"]["body"], recent[-1]["vehicle"]["body"]
        rate = float(STEPS_PER_SECOND)
        ex, ey, ez = ((float(after[key]) - float(before[key])) * rate for key in ("wx", "wy", "wz"))
        turn = (ex, ey, ez)
        acceleration = added(turned(orientation, push), added(cross(turn, arm), cross(spin, swing)))
    return Motion(added((x, y, z), arm), orientation, added(velocity, swing), spin, acceleration, turn)
