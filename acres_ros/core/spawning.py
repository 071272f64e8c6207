"""What a client asks to be spawned, moved or deleted: checked whole before anything changes."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from acres_ros.core.entities import Entities, Motion, UnknownEntityError
from acres_ros.core.entity_state import PoseError, TwistError, check_pose
from acres_ros.core.environment import Environment
from acres_ros.core.spawnables import Resource, ResourceTextError, outline
from acres_ros.core.spawned import MOST_SPAWNED, Pose, Spawned, materials_of, set_spawned
from acres_ros.core.vectors import turned
from acres_ros.errors import AcresError, shown
from acres_ros.models.obstacles import find_overlap
from acres_ros.world.outlines import Outline, obstacle_arrays

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.#-]{0,99}")
NAMESPACE = re.compile(r"/?([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?")
LONGEST_STEM = 60
"""Of a name that gets a number."""
UPRIGHT_WITHIN = 1e-3
FARTHEST_M = 100.0
"""Of the base from the ground, up or down."""


class EntityNameError(AcresError):
    """A name that no entity can have."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"name = {shown(name)} is refused: wanted {wanted}, or an empty name with allow_renaming")


class NameTakenError(AcresError):
    """A name that an entity has already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"name = {shown(name)} is taken: give another one, or set allow_renaming")


class NamespaceError(AcresError):
    """A namespace that ROS does not know."""

    def __init__(self, namespace: str, wanted: str) -> None:
        super().__init__(f"entity_namespace = {shown(namespace)} is refused: wanted {wanted}")


class TooManyError(AcresError):
    """There is no slot left."""

    def __init__(self) -> None:
        super().__init__(f"{MOST_SPAWNED} obstacles are spawned, and there is no room for more: delete some first")


class NotSpawnedError(AcresError):
    """What was not spawned is to be deleted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{shown(name)} was not spawned: only what was spawned can be deleted")


class SpawnRequest(NamedTuple):
    """How something is to be spawned, as it was asked for.

    Attributes:
        name: of the entity; empty: one is chosen, if it may be.
        allow_renaming: whether another name is chosen where it is taken.
        namespace: of its topics: none for an obstacle, which has no topics, and for a vehicle its name.
        motion: its pose; the rest is not asked for.
    """

    name: str
    allow_renaming: bool
    namespace: str
    motion: Motion


def with_spawned(
    environment: Environment, entities: Entities, spawned: Spawned, request: SpawnRequest, resource: Resource
) -> tuple[Spawned, str]:
    """Return what is spawned with one more obstacle, and the name that it got; the environment does not change.

    Args:
        environment: where.
        entities: its entities.
        spawned: what is spawned by now.
        request: what more.
        resource: its resource, as `read_resource` has it.

    Raises:
        EntityNameError, NameTakenError, NamespaceError, TooManyError: no such name, or no more room.
        ResourceTextError: no such material.
        PoseError: a pose that it cannot have, or one in a vehicle.
    """
    if not (NAME.fullmatch(request.name) or (not request.name and request.allow_renaming)):
        raise EntityNameError(request.name, "a letter or digit, then letters, digits, _ . # - (100 at most)")
    if not NAMESPACE.fullmatch(request.namespace):
        raise NamespaceError(request.namespace, "a ROS namespace, or none")
    materials = [material.name for material in materials_of(environment.world)]
    if resource.material not in materials:
        raise ResourceTextError("material", resource.material, f"one of {', '.join(materials)}")
    pose = checked_pose(environment, request.motion)
    name = free_name(entities, spawned, request, resource.kind, "-")
    if len(spawned.obstacles) >= MOST_SPAWNED:
        raise TooManyError
    own = outline(name, resource, pose.position, pose.heading)
    if any(_meets_vehicle(vehicle, own) for vehicle in entities.environments):
        raise PoseError("pose.position", pose.position, "a place where no vehicle is")
    return spawned.with_one(name, resource, pose), name


def free_name(entities: Entities, spawned: Spawned, request: SpawnRequest, kind: str, joint: str) -> str:
    """Return the name that is asked for, or one with a number where it may be another; raise `NameTakenError`.

    Args:
        entities: those that have a name.
        spawned: obstacles that are spawned by now.
        request: what is asked for.
        kind: what it is, for a name where none is given.
        joint: what joins name and number.
    """

    def taken(name: str) -> bool:
        return spawned.named(name) is not None or entities.is_known(name)

    if request.name and not taken(request.name):
        return request.name
    if not request.allow_renaming:
        raise NameTakenError(request.name)
    stem, number = request.name[:LONGEST_STEM] or kind, 1
    while taken(f"{stem}{joint}{number}"):
        number += 1
    return f"{stem}{joint}{number}"


def checked_pose(environment: Environment, motion: Motion, farthest_m: float = FARTHEST_M) -> Pose:
    """Return the pose of what is spawned: an obstacle stands as it is given, a vehicle is put on the ground there.

    Args:
        environment: the first of the simulation.
        motion: position (world, m) and quaternion x, y, z, w that are asked for.
        farthest_m: of its base from the ground, up or down, m.

    Raises:
        PoseError: not finite, no rotation, leaning, off the map, or farther above or below the ground.
    """
    check_pose(environment, motion)
    (x, y, z), (qx, qy, qz, qw) = motion.position, motion.orientation
    if max(abs(qx), abs(qy)) > UPRIGHT_WITHIN:
        wanted = "x and y of 0: an obstacle stands upright, and how a vehicle leans is for the ground to say"
        raise PoseError("pose.orientation", motion.orientation, wanted)
    ground = float(environment.world.terrain.height_at(x, y))
    if not abs(z - ground) <= farthest_m:
        raise PoseError(
            "pose.position", motion.position, f"a base within {farthest_m:g} m of the ground at {ground:.3f} m"
        )
    length = math.hypot(qz, qw)
    return Pose((x, y, z), (qz / length, qw / length))


def _meets_vehicle(environment: Environment, own: Outline) -> bool:
    """Tell whether an outline overlaps the box of the body, as collisions have it."""
    body, geometry = environment.vehicle["body"], environment.parameters[0]["geometry"]
    x, y, z, qx, qy, qz, qw = (float(body[key]) for key in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    front, rear, half, below, above = (
        float(geometry[f"body_{key}_m"]) for key in ("front", "rear", "half_width", "below", "above")
    )
    forward = turned((qx, qy, qz, qw), (1.0, 0.0, 0.0))
    length, middle = math.hypot(forward[0], forward[1]) or 1.0, 0.5 * (front - rear)
    x, y = x + middle * forward[0] / length, y + middle * forward[1] / length
    yaw = math.atan2(forward[1], forward[0])
    number, _, _ = find_overlap(obstacle_arrays((own,)), x, y, yaw, 0.5 * (front + rear), half, z - below, z + above)
    return int(number) >= 0


def put_spawned(environment: Environment, entities: Entities, name: str, motion: Motion) -> None:
    """Put a spawned obstacle elsewhere, at rest; also where a vehicle is, which then touches it.

    Raises:
        PoseError: as `checked_pose`; nothing was changed.
        TwistError: it is to move on; nothing was changed.
    """
    pose = checked_pose(environment, motion)
    for key, numbers in (
        ("twist.linear", motion.velocity),
        ("twist.angular", motion.angular_velocity),
        ("acceleration.linear", motion.acceleration),
        ("acceleration.angular", motion.angular_acceleration),
    ):
        if any(numbers):
            raise TwistError(key, numbers, "0: a spawned obstacle stands where it is put")
    set_spawned(entities.environments, environment.spawned.moved(name, pose))


def delete(environment: Environment, entities: Entities, name: str) -> None:
    """Remove what was spawned.

    Raises:
        UnknownEntityError: there is no such entity.
        NotSpawnedError: a vehicle, or an obstacle of the world.
    """
    if environment.spawned.named(name) is None:
        if not entities.is_known(name):
            raise UnknownEntityError(name, entities.names())
        raise NotSpawnedError(name)
    set_spawned(entities.environments, environment.spawned.without(name))
