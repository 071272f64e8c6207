"""Simple obstacles spawned and deleted by ROS: that part of the standard `simulation_interfaces` 1.5.1.

Messages become plain values here, and errors become the codes of the standard.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from simulation_interfaces.msg import Bounds, Result, SimulatorFeatures, Spawnable, SpawnResult
from simulation_interfaces.srv import DeleteEntity, GetSpawnables, SpawnEntities, SpawnEntity

from acres_ros.core.entities import Entities, Motion, UnknownEntityError
from acres_ros.core.entity_state import PoseError
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import BusyError
from acres_ros.core.spawnables import (
    SCHEME,
    SPAWNABLES,
    FormatError,
    NoResourceError,
    ResourceTextError,
    UnknownSpawnableError,
    VehicleResourceError,
)
from acres_ros.core.spawned import box_of, set_spawned
from acres_ros.core.spawning import (
    EntityNameError,
    NamespaceError,
    NameTakenError,
    SpawnRequest,
    delete,
    with_spawned,
)
from acres_ros.errors import AcresError, shown
from acres_ros.nodes.geometry import vector_message
from acres_ros.nodes.service import Service, served
from acres_ros.nodes.world_frames import FrameError, checked_frame

FEATURES = (
    SimulatorFeatures.SPAWNING,
    SimulatorFeatures.DELETING,
    SimulatorFeatures.SPAWNING_RESOURCE_STRING,
    SimulatorFeatures.SPAWNABLES,
    SimulatorFeatures.SIMULATION_RESET_SPAWNED,
    SimulatorFeatures.SPAWNING_ENTITIES,
)
FORMATS = ("acres",)
SERVICES = (
    Service(GetSpawnables, "/get_spawnables", "simple obstacles that can be spawned, with their usual sizes"),
    Service(SpawnEntity, "/spawn_entity", "put an obstacle into the world: it is seen, touched and listed"),
    Service(SpawnEntities, "/spawn_entities", "several of them"),
    Service(DeleteEntity, "/delete_entity", "remove what was spawned"),
)
CODES = (
    (NameTakenError, SpawnResult.NAME_NOT_UNIQUE),
    (EntityNameError, SpawnResult.NAME_INVALID),
    (FormatError, SpawnResult.UNSUPPORTED_FORMAT),
    (NoResourceError, SpawnResult.NO_RESOURCE),
    (NamespaceError, SpawnResult.NAMESPACE_INVALID),
    (ResourceTextError, SpawnResult.RESOURCE_PARSE_ERROR),
    (VehicleResourceError, SpawnResult.UNSUPPORTED_ASSETS),
    (PoseError, SpawnResult.INVALID_POSE),
    (UnknownSpawnableError, Result.RESULT_NOT_FOUND),
    (UnknownEntityError, Result.RESULT_NOT_FOUND),
    (FrameError, Result.RESULT_FEATURE_UNSUPPORTED),
    (BusyError, Result.RESULT_INCORRECT_STATE),
)


class _Wanted(NamedTuple):
    """What is to be spawned, and the frame of its pose."""

    frame: str
    request: SpawnRequest


class SpawnControl:
    """The services that spawn and delete in one simulation.

    Args:
        node: the node that serves them.
        simulation: what they change.
        entities: of its environment.
    """

    def __init__(self, node: Node, simulation: Simulation, entities: Entities) -> None:
        self._simulation = simulation
        self._entities = entities
        callbacks = {
            "/get_spawnables": self._get_spawnables,
            "/spawn_entity": self._spawn_one,
            "/spawn_entities": self._spawn_many,
            "/delete_entity": self._delete,
        }
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    def _get_spawnables(self, request: GetSpawnables.Request, response: GetSpawnables.Response) -> Any:
        response.spawnables = [
            Spawnable(uri=SCHEME + name, description=spawnable.description, spawn_bounds=_bounds(name))
            for name, spawnable in SPAWNABLES.items()
        ]
        response.result = Result(result=Result.RESULT_OK)
        if request.sources:
            text = f"no source beside our own is searched: {shown(list(request.sources))} has none that we know"
            response.result = Result(result=Result.RESULT_NOT_FOUND, error_message=text)
        return response

    def _spawn_one(self, request: SpawnEntity.Request, response: SpawnEntity.Response) -> SpawnEntity.Response:
        outcome = self._spawn([_wanted(request, request.uri, request.resource_string)])[0]
        response.result, response.entity_name = outcome.result, outcome.entity_name
        return response

    def _spawn_many(self, request: SpawnEntities.Request, response: SpawnEntities.Response) -> SpawnEntities.Response:
        response.results = self._spawn(
            [
                _wanted(one, one.entity_resource.uri, one.entity_resource.resource_string)
                for one in request.spawn_requests
            ]
        )
        failed = [number for number, one in enumerate(response.results) if one.result.result != Result.RESULT_OK]
        response.result = Result(result=Result.RESULT_OK)
        if failed:
            text = f"{len(failed)} of {len(response.results)} failed, the first is number {failed[0]}: see results"
            response.result = Result(result=SpawnEntities.Response.ENTITIES_SPAWN_FAILED, error_message=text)
        return response

    def _spawn(self, wanted: list[_Wanted]) -> list[SpawnResult]:
        """Spawn what can be, in order, as one change; return how each ended."""
        environment, results = self._simulation.environment, []

        def act() -> None:
            spawned = environment.spawned
            for frame, request in wanted:
                try:
                    checked_frame(frame)
                    spawned, name = with_spawned(environment, self._entities, spawned, request)
                    results.append(SpawnResult(result=Result(result=Result.RESULT_OK), entity_name=name))
                except AcresError as error:
                    results.append(SpawnResult(result=_failed(error)))
            set_spawned(self._entities.environments, spawned)

        try:
            self._simulation.change("to spawn", act)
        except BusyError as error:
            return [SpawnResult(result=_failed(error)) for _ in wanted]
        return results

    def _delete(self, request: DeleteEntity.Request, response: DeleteEntity.Response) -> DeleteEntity.Response:
        environment = self._simulation.environment
        try:
            self._simulation.change("to delete", lambda: delete(environment, self._entities, request.entity))
            response.result = Result(result=Result.RESULT_OK)
        except AcresError as error:
            response.result = _failed(error)
        return response


def _wanted(request: Any, uri: str, text: str) -> _Wanted:
    """Return a request of either form as plain values."""
    stamped: PoseStamped = request.initial_pose
    p, q = stamped.pose.position, stamped.pose.orientation
    motion = Motion((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))
    plain = SpawnRequest(request.name, request.allow_renaming, uri, text, request.entity_namespace, motion)
    return _Wanted(stamped.header.frame_id, plain)


def _bounds(kind: str) -> Bounds:
    box = box_of(SPAWNABLES[kind].size)
    return Bounds(type=Bounds.TYPE_BOX, points=[vector_message(box.high), vector_message(box.low)])


def _failed(error: AcresError) -> Result:
    code = next((code for kind, code in CODES if isinstance(error, kind)), Result.RESULT_OPERATION_FAILED)
    return Result(result=code, error_message=str(error))
