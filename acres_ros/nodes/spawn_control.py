"""Vehicles and simple obstacles spawned and deleted by ROS: that part of the standard `simulation_interfaces` 1.5.1.

Messages become plain values here, and errors become the codes of the standard.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from simulation_interfaces.msg import Bounds, Result, SimulatorFeatures, Spawnable, SpawnResult
from simulation_interfaces.srv import DeleteEntity, GetSpawnables, SpawnEntities, SpawnEntity

from acres_ros.core.bounds import Box
from acres_ros.core.entities import Motion, UnknownEntityError, body_box
from acres_ros.core.entity_state import PoseError
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import BusyError
from acres_ros.core.spawnables import (
    SCHEME,
    SPAWNABLES,
    VEHICLE,
    VEHICLE_DESCRIPTION,
    FormatError,
    NoResourceError,
    ResourceTextError,
    UnknownSpawnableError,
    VehicleResource,
    read_resource,
)
from acres_ros.core.spawned import Spawned, box_of
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
from acres_ros.nodes.vehicles import Vehicles
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
    Service(
        GetSpawnables, "/get_spawnables", "what can be spawned: a vehicle, and simple obstacles with their usual sizes"
    ),
    Service(SpawnEntity, "/spawn_entity", "put an obstacle or a vehicle into the world: it is seen, touched, listed"),
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
    (PoseError, SpawnResult.INVALID_POSE),
    (UnknownSpawnableError, Result.RESULT_NOT_FOUND),
    (UnknownEntityError, Result.RESULT_NOT_FOUND),
    (FrameError, Result.RESULT_FEATURE_UNSUPPORTED),
    (BusyError, Result.RESULT_INCORRECT_STATE),
)


class _Wanted(NamedTuple):
    """What is to be spawned, how, and the frame of its pose."""

    uri: str
    text: str
    frame: str
    request: SpawnRequest


class SpawnControl:
    """The services that spawn and delete in one simulation.

    Args:
        node: the node that serves them.
        simulation: what they change.
        vehicles: its vehicles.
    """

    def __init__(self, node: Node, simulation: Simulation, vehicles: Vehicles) -> None:
        self._simulation = simulation
        self._vehicles = vehicles
        self._entities = vehicles.entities
        callbacks = {
            "/get_spawnables": self._get_spawnables,
            "/spawn_entity": self._spawn_one,
            "/spawn_entities": self._spawn_many,
            "/delete_entity": self._delete,
        }
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    def _get_spawnables(self, request: GetSpawnables.Request, response: GetSpawnables.Response) -> Any:
        found = [(name, kind.description, box_of(kind.size)) for name, kind in SPAWNABLES.items()]
        found.append((VEHICLE, VEHICLE_DESCRIPTION, body_box(self._vehicles.parameters)))
        response.spawnables = [
            Spawnable(uri=SCHEME + name, description=description, spawn_bounds=_bounds(box))
            for name, description, box in found
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
        environment, fleet, results = self._simulation.environment, self._simulation.fleet, []

        def spawn(spawned: Spawned, one: _Wanted) -> tuple[Spawned, str]:
            checked_frame(one.frame)
            resource, request = read_resource(one.uri, one.text), one.request
            if isinstance(resource, VehicleResource):
                fleet.set_spawned(spawned)  # it must not stand in any of these
                return spawned, self._vehicles.spawn(request, resource)
            return with_spawned(environment, self._entities, spawned, request, resource)

        def act() -> None:
            spawned = environment.spawned
            for one in wanted:
                try:
                    spawned, name = spawn(spawned, one)
                    results.append(SpawnResult(result=Result(result=Result.RESULT_OK), entity_name=name))
                except AcresError as error:
                    results.append(SpawnResult(result=_failed(error)))
            fleet.set_spawned(spawned)

        try:
            self._simulation.change("to spawn", act)
        except BusyError as error:
            return [SpawnResult(result=_failed(error)) for _ in wanted]
        return results

    def _delete(self, request: DeleteEntity.Request, response: DeleteEntity.Response) -> DeleteEntity.Response:
        environment, fleet, name = self._simulation.environment, self._simulation.fleet, request.entity

        def act() -> None:
            vehicle = next((agent for agent in fleet.agents if agent.spawned and agent.name == name), None)
            if vehicle is not None:
                fleet.remove(vehicle)
            else:
                delete(environment, self._entities, name)

        try:
            self._simulation.change("to delete", act)
            response.result = Result(result=Result.RESULT_OK)
        except AcresError as error:
            response.result = _failed(error)
        return response


def _wanted(request: Any, uri: str, text: str) -> _Wanted:
    """Return a request of either form as plain values."""
    stamped: PoseStamped = request.initial_pose
    p, q = stamped.pose.position, stamped.pose.orientation
    motion = Motion((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))
    plain = SpawnRequest(request.name, request.allow_renaming, request.entity_namespace, motion)
    return _Wanted(uri, text, stamped.header.frame_id, plain)


def _bounds(box: Box) -> Bounds:
    return Bounds(type=Bounds.TYPE_BOX, points=[vector_message(box.high), vector_message(box.low)])


def _failed(error: AcresError) -> Result:
    code = next((code for kind, code in CODES if isinstance(error, kind)), Result.RESULT_OPERATION_FAILED)
    return Result(result=code, error_message=str(error))
