"""Obstacles that were spawned: plain values that an environment keeps, and the world with them in it.

Each one has a slot: its number as something that a vehicle touches follows those of the obstacles of the world and of
eight vehicles. A slot is used again only when all have been, so that a touch keeps its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from acres_ros.core.bounds import Box
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.spawnables import MATERIALS, SPAWNABLES, Resource, outline, size_problem
from acres_ros.core.vectors import Quaternion, Vector
from acres_ros.world import World
from acres_ros.world.outlines import Outline
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material, SceneFile

MOST_SPAWNED = 256
VEHICLE_NUMBERS = 8
"""Vehicles of a simulation, whose numbers as something that is touched lie between the world's and the slots'."""
FREE = "a removed obstacle"
FREE_HEIGHT_M = 1e6
"""Where nothing is: the numbers between others go on, and their outlines are up there."""
FREE_RADIUS_M = 1e-3
"""Of these outlines, above the middle of an obstacle: a search that looks at no heights finds that one's edge first."""
UNIT_WITHIN = 1e-9
_NO_ROWS = (np.zeros((0, 10)), np.zeros((0, 6)), np.zeros((0, 7)))
_NO_SCENE = SceneFile((), *_NO_ROWS, ())


class Pose(NamedTuple):
    """Where an upright obstacle stands: the middle of its base (world, m), z and w of its quaternion of length 1."""

    position: Vector
    turn: tuple[float, float]

    @property
    def orientation(self) -> Quaternion:
        """Return the quaternion x, y, z, w."""
        return 0.0, 0.0, *self.turn

    @property
    def heading(self) -> tuple[float, float]:
        """Return cosine and sine of the heading."""
        z, w = self.turn
        return w * w - z * z, 2.0 * w * z


def box_of(size: Vector) -> Box:
    """Return the box of an obstacle of a size about the middle of its base, m."""
    x, y, z = size
    return Box((-0.5 * x, -0.5 * y, 0.0), (0.5 * x, 0.5 * y, z))


class SpawnedObstacle(NamedTuple):
    """One obstacle.

    Attributes:
        slot: 0 to MOST_SPAWNED - 1.
        name: of the entity.
        resource: what it is.
        pose: where it stands.
        home: where it was spawned, and where a reset of the state puts it.
    """

    slot: int
    name: str
    resource: Resource
    pose: Pose
    home: Pose

    @property
    def box(self) -> Box:
        """Return its box about the middle of its base, m."""
        return box_of(self.resource.size)

    @property
    def outline(self) -> Outline:
        """Return its collision outline."""
        return outline(self.name, self.resource, self.pose.position, self.pose.heading)


class Spawned(NamedTuple):
    """All that is spawned.

    Attributes:
        used: slots that were ever used since nothing was spawned at the start of the program.
        obstacles: in the order in which they were spawned.
    """

    used: int = 0
    obstacles: tuple[SpawnedObstacle, ...] = ()

    def named(self, name: str) -> SpawnedObstacle | None:
        """Return the obstacle of a name, None for none."""
        return next((obstacle for obstacle in self.obstacles if obstacle.name == name), None)

    def name_in(self, slot: int) -> str:
        """Return the name of what has a slot; `FREE` for nothing."""
        return next((obstacle.name for obstacle in self.obstacles if obstacle.slot == slot), FREE)

    def with_one(self, name: str, resource: Resource, pose: Pose) -> Spawned:
        """Return it with one more; there is a free slot."""
        slot = self.used
        if slot == MOST_SPAWNED:
            taken = {obstacle.slot for obstacle in self.obstacles}
            slot = next(slot for slot in range(MOST_SPAWNED) if slot not in taken)
        one = SpawnedObstacle(slot, name, resource, pose, pose)
        return Spawned(max(self.used, slot + 1), (*self.obstacles, one))

    def without(self, name: str) -> Spawned:
        """Return it without the obstacle of a name."""
        return self._replace(obstacles=tuple(one for one in self.obstacles if one.name != name))

    def moved(self, name: str, pose: Pose) -> Spawned:
        """Return it with the obstacle of a name elsewhere."""
        return self._replace(
            obstacles=tuple(one._replace(pose=pose) if one.name == name else one for one in self.obstacles)
        )

    def put_back(self) -> Spawned:
        """Return it with each obstacle where it was spawned."""
        return self._replace(obstacles=tuple(one._replace(pose=one.home) for one in self.obstacles))

    def emptied(self) -> Spawned:
        """Return it without any obstacle; what the vehicle touches keeps its number."""
        return self._replace(obstacles=())

    def names(self) -> list[tuple[int, str]]:
        """Return slots and names."""
        return [(one.slot, one.name) for one in self.obstacles]


def materials_of(world: World) -> tuple[Material, ...]:
    """Return what an obstacle can be made of in a world: solid materials of its scene, then those of `MATERIALS`."""
    own = () if world.scene is None else world.scene.materials
    names = {material.name for material in own}
    every = (*own, *(material for material in MATERIALS if material.name not in names))
    return tuple(material for material in every if material.transmission_per_m == 0.0)


def world_with(world: World, spawned: Spawned) -> World:
    """Return a world with what is spawned in its scene and among its obstacles; the world itself where nothing is."""
    if not spawned.obstacles:
        return world
    scene = Scene.build(_NO_SCENE) if world.scene is None else world.scene
    scene = scene.extended(_content(world, spawned.obstacles))
    return replace(world, scene=scene, ground=world.ground._replace(obstacles=scene.obstacles))


def _content(world: World, obstacles: Sequence[SpawnedObstacle]) -> SceneFile:
    materials = materials_of(world)
    used = {one.resource.material for one in obstacles}
    chosen = tuple(material for material in materials if material.name in used)
    names = [material.name for material in chosen]
    rows: tuple[list[np.ndarray], ...] = ([], [], [])
    by_slot = {one.slot: one.outline for one in obstacles}
    for one in obstacles:
        code = names.index(one.resource.material)
        for table, shapes in zip(rows, _placed(one), strict=True):
            table.append(np.column_stack([np.full(len(shapes), float(code)), shapes]))
    triangles, cylinders, ellipsoids = (
        np.concatenate([empty, *table]) for empty, table in zip(_NO_ROWS, rows, strict=True)
    )
    x, y, _ = obstacles[0].pose.position
    free = Outline(FREE, FREE_HEIGHT_M, FREE_HEIGHT_M, circle=(x, y, FREE_RADIUS_M))
    outlines = (free,) * VEHICLE_NUMBERS + tuple(by_slot.get(slot, free) for slot in range(max(by_slot) + 1))
    return SceneFile(chosen, triangles, cylinders, ellipsoids, outlines)


def _placed(one: SpawnedObstacle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return triangles (n, 9), cylinders (n, 5) and ellipsoids (n, 6) of an obstacle in the world, m."""
    solids = SPAWNABLES[one.resource.kind].solids(one.resource.size)
    (cosine, sine), corners = one.pose.heading, solids.triangles
    turned = np.stack(
        [
            corners[..., 0] * cosine - corners[..., 1] * sine,
            corners[..., 0] * sine + corners[..., 1] * cosine,
            corners[..., 2],
        ],
        axis=-1,
    )
    triangles = (turned + one.pose.position).reshape(-1, 9)
    # Upright cylinders and ellipsoids stand on the axis of an obstacle whose plan is a circle: no turn moves them.
    cylinders, ellipsoids = np.array(solids.cylinders).reshape(-1, 5), np.array(solids.ellipsoids).reshape(-1, 6)
    for shapes in (cylinders, ellipsoids):
        shapes[:, :3] += one.pose.position
    return triangles, cylinders, ellipsoids


class Peopled(Protocol):
    """What has a world in which something is spawned: an environment."""

    whole_world: World

    def set_spawned(self, spawned: Spawned, whole_world: World | None = None) -> None:
        """Replace all that is spawned."""


def set_spawned(environments: Sequence[Peopled], spawned: Spawned) -> None:
    """Replace all that is spawned in the environments of one world, which they share with it."""
    first, *others = environments
    first.set_spawned(spawned)
    for environment in others:
        environment.set_spawned(spawned, first.whole_world)


def check_spawned(world: World, spawned: Spawned, source: object) -> None:
    """Refuse what cannot be spawned in a world: raises `SnapshotError`."""

    def require(holds: bool, key: str, given: object, wanted: str) -> None:
        if not holds:
            raise SnapshotError(source, f"environment.spawned.{key}", given, wanted)

    require(0 <= spawned.used <= MOST_SPAWNED, "used", spawned.used, f"0 to {MOST_SPAWNED}")
    materials = [material.name for material in materials_of(world)]
    slots, names = [one.slot for one in spawned.obstacles], [one.name for one in spawned.obstacles]
    every = len(set(slots)) == len(slots) and all(0 <= slot < spawned.used for slot in slots)
    require(every, "slot", slots, f"each below {spawned.used}, and once")
    require(len(set(names)) == len(names), "name", names, "each once")
    for one in spawned.obstacles:
        kind, size, material = one.resource
        require(kind in SPAWNABLES, "kind", kind, f"one of {', '.join(SPAWNABLES)}")
        problem = size_problem(kind, size)
        require(not problem, "size", size, problem)
        require(material in materials, "material", material, f"one of {', '.join(materials)}")
        for pose in (one.pose, one.home):
            (x, y, _), (z, w) = pose
            require(world.inside(x, y), "position", pose.position, "a place on the map")
            require(abs(z * z + w * w - 1.0) <= UNIT_WITHIN, "turn", pose.turn, "a length of 1")
