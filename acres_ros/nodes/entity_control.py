"""Entities and named poses by ROS: that part of the standard `simulation_interfaces` 1.5.1.

Vehicles can be put anywhere, with any speed, and what was spawned anywhere at rest; the obstacles of the world are told
of and never move. Messages become plain values here, and errors become the codes of the standard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from rclpy.node import Node
from simulation_interfaces.msg import (
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityInfo,
    EntityState,
    NamedPose,
    Result,
    SimulatorFeatures,
    TagsFilter,
)
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    SetEntityInfo,
    SetEntityState,
)

from acres_ros.core.bounds import Box, Sphere, Volume
from acres_ros.core.clock import stamp
from acres_ros.core.entities import Category, Entities, Filters, Info, Motion, UnknownEntityError
from acres_ros.core.entity_state import PoseError, check_pose, put_vehicle
from acres_ros.core.named_poses import free_sphere, named_poses
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import BusyError
from acres_ros.core.spawning import put_spawned
from acres_ros.core.vectors import Vector
from acres_ros.errors import AcresError, shown
from acres_ros.nodes.geometry import pose_message, vector_message
from acres_ros.nodes.service import Service, served
from acres_ros.nodes.world_frames import FrameError, checked_frame
from acres_ros.world import UnknownNameError

FEATURES = (
    SimulatorFeatures.NAMED_POSES,
    SimulatorFeatures.POSE_BOUNDS,
    SimulatorFeatures.ENTITY_TAGS,
    SimulatorFeatures.ENTITY_BOUNDS,
    SimulatorFeatures.ENTITY_BOUNDS_BOX,
    SimulatorFeatures.ENTITY_CATEGORIES,
    SimulatorFeatures.ENTITY_STATE_GETTING,
    SimulatorFeatures.ENTITY_STATE_SETTING,
    SimulatorFeatures.ENTITY_INFO_GETTING,
    SimulatorFeatures.ENTITY_INFO_SETTING,
)
SERVICES = (
    Service(
        GetEntities,
        "/get_entities",
        "names of vehicles, obstacles and what was spawned: by name, category, tags, bounds",
    ),
    Service(GetEntitiesStates, "/get_entities_states", "the same, with their states"),
    Service(GetEntityState, "/get_entity_state", "pose, twist and acceleration of an entity, in the world"),
    Service(
        SetEntityState,
        "/set_entity_state",
        "put a vehicle at a pose, with a twist, or what was spawned at rest; nothing else is reset",
    ),
    Service(GetEntityInfo, "/get_entity_info", "category, description and tags of an entity"),
    Service(SetEntityInfo, "/set_entity_info", "other ones, until a reset of everything"),
    Service(GetEntityBounds, "/get_entity_bounds", "box of an entity about its canonical link"),
    Service(GetNamedPoses, "/get_named_poses", "the places of the world, by tags"),
    Service(GetNamedPoseBounds, "/get_named_pose_bounds", "sphere about a place without obstacles"),
)
MOST_TEXT = 10_000
FARTHEST_M = 1e9


class FilterError(AcresError):
    """A filter that says nothing that can be looked for."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


class BoundsTypeError(AcresError):
    """A type of bounds that is not supported."""

    def __init__(self, kind: int) -> None:
        super().__init__(f"bounds of type {kind} are not supported: wanted 1 (box) or 3 (sphere), or 0 for none")


class StaticError(AcresError):
    """An obstacle is to move."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{shown(name)} is a static obstacle of the world, which never moves: only vehicles and what was spawned "
            "can be put"
        )


class EntityControl:
    """The services of entities and named poses of one simulation.

    Args:
        node: the node that serves them.
        simulation: whose entities they are.
        entities: of its environment.
    """

    def __init__(self, node: Node, simulation: Simulation, entities: Entities) -> None:
        self._simulation = simulation
        self._entities = entities
        callbacks = {
            "/get_entities": self._get_entities,
            "/get_entities_states": self._get_states,
            "/get_entity_state": self._get_state,
            "/set_entity_state": self._set_state,
            "/get_entity_info": self._get_info,
            "/set_entity_info": self._set_info,
            "/get_entity_bounds": self._get_bounds,
            "/get_named_poses": self._get_poses,
            "/get_named_pose_bounds": self._get_pose_bounds,
        }
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    # -- many ---------------------------------------------------------------------------------------------------------

    def _get_entities(self, request: GetEntities.Request, response: GetEntities.Response) -> GetEntities.Response:
        def act() -> None:
            response.entities = self._entities.chosen(_filters(request.filters))

        return _answered(act, response)

    def _get_states(
        self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response
    ) -> GetEntitiesStates.Response:
        def act() -> None:
            names = self._entities.chosen(_filters(request.filters))
            response.states = [self._state(name) for name in names]
            response.entities = names

        return _answered(act, response)

    # -- one ----------------------------------------------------------------------------------------------------------

    def _get_state(self, request: GetEntityState.Request, response: GetEntityState.Response) -> GetEntityState.Response:
        def act() -> None:
            response.state = self._state(request.entity)

        return _answered(act, response)

    def _set_state(self, request: SetEntityState.Request, response: SetEntityState.Response) -> SetEntityState.Response:
        def act() -> None:
            entities, environment = self._entities, self._simulation.environment
            spawned = entities.spawned(request.entity) is not None
            vehicle = None if spawned else entities.environment_of(request.entity)
            checked_frame(request.state.header.frame_id)
            motion = _motion(request.state)
            if spawned:
                self._simulation.change(
                    "a new state", lambda: put_spawned(environment, entities, request.entity, motion)
                )
                return
            if vehicle is not None:
                self._simulation.change("a new state", lambda: put_vehicle(vehicle, motion))
                return
            check_pose(self._simulation.environment, motion)
            if motion != self._entities.motion(request.entity):
                raise StaticError(request.entity)

        return _answered(act, response)

    def _get_info(self, request: GetEntityInfo.Request, response: GetEntityInfo.Response) -> GetEntityInfo.Response:
        def act() -> None:
            info = self._entities.info(request.entity)
            response.info = EntityInfo(
                category=EntityCategory(category=int(info.category)), description=info.description, tags=list(info.tags)
            )

        return _answered(act, response)

    def _set_info(self, request: SetEntityInfo.Request, response: SetEntityInfo.Response) -> SetEntityInfo.Response:
        def act() -> None:
            given = request.info
            text = len(given.description) + sum(map(len, given.tags))
            if text > MOST_TEXT:
                raise FilterError("the length of description and tags", text, f"{MOST_TEXT} characters at most")
            info = Info(_category(given.category.category), given.description, tuple(given.tags))
            self._simulation.change("other information", lambda: self._entities.set_info(request.entity, info))

        return _answered(act, response)

    def _get_bounds(
        self, request: GetEntityBounds.Request, response: GetEntityBounds.Response
    ) -> GetEntityBounds.Response:
        def act() -> None:
            box = self._entities.bounds(request.entity)
            response.bounds = Bounds(type=Bounds.TYPE_BOX, points=[vector_message(box.high), vector_message(box.low)])

        return _answered(act, response)

    def _state(self, name: str) -> EntityState:
        """Return the state of an entity in the world, whose frame has an empty name in the standard."""
        motion = self._entities.motion(name)
        state = EntityState(pose=pose_message(motion.position, motion.orientation))
        seconds, nanoseconds = stamp(self._simulation.environment.step_count)
        state.header.stamp = Time(sec=seconds, nanosec=nanoseconds)
        if not self._entities.is_static(name):
            state.twist.linear, state.twist.angular = (
                vector_message(motion.velocity),
                vector_message(motion.angular_velocity),
            )
            state.acceleration.linear = vector_message(motion.acceleration)
            state.acceleration.angular = vector_message(motion.angular_acceleration)
        return state

    # -- named poses --------------------------------------------------------------------------------------------------

    def _get_poses(self, request: GetNamedPoses.Request, response: GetNamedPoses.Response) -> GetNamedPoses.Response:
        def act() -> None:
            tags, every = _tags(request.tags)
            response.poses = [
                NamedPose(
                    name=pose.name,
                    description=pose.description,
                    tags=list(pose.tags),
                    pose=pose_message(pose.position, pose.orientation),
                )
                for pose in named_poses(self._simulation.environment.world)
                if not tags or (tags <= set(pose.tags) if every else tags & set(pose.tags))
            ]

        return _answered(act, response)

    def _get_pose_bounds(
        self, request: GetNamedPoseBounds.Request, response: GetNamedPoseBounds.Response
    ) -> GetNamedPoseBounds.Response:
        def act() -> None:
            sphere = free_sphere(self._simulation.environment.whole_world, request.name)
            points = [vector_message(sphere.centre), Vector3(x=sphere.radius)]
            response.bounds = Bounds(type=Bounds.TYPE_SPHERE, points=points)

        return _answered(act, response)


def _answered(act: Callable[[], None], response: Any) -> Any:
    """Return the response after the act, with its result."""
    try:
        act()
        response.result = Result(result=Result.RESULT_OK)
    except AcresError as error:
        response.result = Result(result=_code(error), error_message=str(error))
    return response


def _code(error: AcresError) -> int:
    """Return the result code of the standard for an error."""
    if isinstance(error, UnknownEntityError | UnknownNameError):
        return Result.RESULT_NOT_FOUND
    if isinstance(error, FrameError | BoundsTypeError):
        return Result.RESULT_FEATURE_UNSUPPORTED
    if isinstance(error, BusyError):
        return Result.RESULT_INCORRECT_STATE
    if isinstance(error, PoseError):
        return SetEntityState.Response.INVALID_POSE
    return Result.RESULT_OPERATION_FAILED


def _filters(filters: EntityFilters) -> Filters:
    tags, every = _tags(filters.tags)
    categories = frozenset(_category(entry.category) for entry in filters.categories)
    return Filters(filters.filter, categories, tags, every, _volume(filters.bounds))


def _category(number: int) -> Category:
    try:
        return Category(number)
    except ValueError:
        wanted = ", ".join(f"{category.value} {category.name}" for category in Category)
        raise FilterError("category", number, wanted) from None


def _tags(tags: TagsFilter) -> tuple[frozenset[str], bool]:
    mode = tags.filter_mode
    if mode not in (TagsFilter.FILTER_MODE_ANY, TagsFilter.FILTER_MODE_ALL):
        raise FilterError("filter_mode", mode, "0 (any of the tags) or 1 (all of them)")
    return frozenset(tags.tags), mode == TagsFilter.FILTER_MODE_ALL


def _volume(bounds: Bounds) -> Volume | None:
    if bounds.type == Bounds.TYPE_EMPTY:
        return None
    if bounds.type not in (Bounds.TYPE_BOX, Bounds.TYPE_SPHERE):
        raise BoundsTypeError(bounds.type)
    points = [(point.x, point.y, point.z) for point in bounds.points]
    if len(points) != 2:
        raise FilterError(
            "the number of points of the bounds", len(points), "two: corners of a box, or centre and radius"
        )
    first, second = points
    # The other two coordinates of a radius do not count.
    used = [*first, *(second[:1] if bounds.type == Bounds.TYPE_SPHERE else second)]
    if not all(abs(number) <= FARTHEST_M for number in used):
        raise FilterError("the points of the bounds", points, f"numbers within {FARTHEST_M:g} m")
    if bounds.type == Bounds.TYPE_SPHERE:
        if second[0] < 0.0:
            raise FilterError("the radius of the sphere", second[0], "0 or more, in m")
        return Sphere(first, second[0])
    if not all(low <= high for high, low in zip(first, second, strict=True)):
        raise FilterError("the points of the box", points, "the upper right corner first, then the lower left one")
    return Box(second, first)


def _motion(state: EntityState) -> Motion:
    pose, twist, acceleration = state.pose, state.twist, state.acceleration
    q = pose.orientation
    return Motion(
        _triple(pose.position),
        (q.x, q.y, q.z, q.w),
        _triple(twist.linear),
        _triple(twist.angular),
        _triple(acceleration.linear),
        _triple(acceleration.angular),
    )


def _triple(vector: Any) -> Vector:
    return vector.x, vector.y, vector.z
