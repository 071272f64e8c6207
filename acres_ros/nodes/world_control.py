"""Worlds by ROS: the four world services of the standard `simulation_interfaces` 1.5.1.

A world is named, or is a folder of files. There always is one, so none is ever unloaded: another one is loaded in its
place.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rclpy.node import Node
from simulation_interfaces.msg import Resource, Result, TagsFilter, WorldResource
from simulation_interfaces.srv import GetAvailableWorlds, GetCurrentWorld, LoadWorld, UnloadWorld

from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import BusyError, WorldInUseError
from acres_ros.core.start import Start
from acres_ros.core.world_catalog import (
    WorldAddressError,
    WorldCatalog,
    WorldEntry,
    WorldSourceError,
    chosen,
    worlds_in,
)
from acres_ros.errors import AcresError
from acres_ros.nodes.service import Service, served
from acres_ros.world import UnknownNameError, World, WorldFileError

SERVICES = (
    Service(LoadWorld, "/load_world", "replace the world by one of a name or a folder, while stopped or paused"),
    Service(UnloadWorld, "/unload_world", "always refused: there is always a world; load another one"),
    Service(GetAvailableWorlds, "/get_available_worlds", "worlds that can be loaded, by tags, also those of folders"),
    Service(GetCurrentWorld, "/get_current_world", "the world that is loaded"),
)


class WorldControl:
    """The world services of one simulation.

    Args:
        node: the node that serves them.
        simulation: gets the worlds.
        catalog: finds and loads them.
        entry: the world that the simulation has now.
        start: how the vehicle starts: gear and drive mode; in a new world it is put at the first place.
    """

    def __init__(
        self, node: Node, simulation: Simulation, catalog: WorldCatalog, entry: WorldEntry, start: Start
    ) -> None:
        self._node = node
        self._simulation = simulation
        self._catalog = catalog
        self._entry = entry
        self._start = start
        callbacks = {
            "/load_world": self._load,
            "/unload_world": self._unload,
            "/get_available_worlds": self._available,
            "/get_current_world": self._current,
        }
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    def _load(self, request: LoadWorld.Request, response: LoadWorld.Response) -> LoadWorld.Response:
        if not request.uri:
            response.result = _without_uri(request)
            return response
        loaded: list[WorldEntry] = []

        def make() -> tuple[World, Start]:
            world, entry = self._catalog.load(request.uri)
            loaded.append(entry)
            return world, first_start(world, self._start)

        try:
            self._simulation.load_world(make)
        except AcresError as error:
            response.result = Result(result=_code(error), error_message=str(error))
            return response
        self._entry = loaded[0]
        self._node.get_logger().info(f"loaded world {self._entry.name} ({self._entry.uri}): STOPPED at step 0")
        response.result = Result(result=Result.RESULT_OK)
        response.world = _resource(self._entry)
        return response

    def _unload(self, _: UnloadWorld.Request, response: UnloadWorld.Response) -> UnloadWorld.Response:
        response.result = Result(
            result=Result.RESULT_FEATURE_UNSUPPORTED,
            error_message="a world is never unloaded without another one: call /load_world",
        )
        return response

    def _available(
        self, request: GetAvailableWorlds.Request, response: GetAvailableWorlds.Response
    ) -> GetAvailableWorlds.Response:
        mode = request.filter.filter_mode
        if mode not in (TagsFilter.FILTER_MODE_ANY, TagsFilter.FILTER_MODE_ALL):
            response.result = Result(
                result=Result.RESULT_OPERATION_FAILED,
                error_message=f"filter_mode {mode} is refused: wanted 0 (any of the tags) or 1 (all of them)",
            )
            return response
        entries, failures = self._catalog.entries(), []
        for source in request.additional_sources:
            try:
                entries += worlds_in(source)
            except (WorldAddressError, WorldSourceError) as error:
                failures.append(str(error))
        text = "; ".join(failures)
        if failures and not request.continue_on_error:
            response.result = Result(result=Result.RESULT_NOT_FOUND, error_message=text)
            return response
        every = mode == TagsFilter.FILTER_MODE_ALL
        response.worlds = [_resource(entry) for entry in chosen(entries, request.filter.tags, every=every)]
        response.result = Result(result=Result.RESULT_OK, error_message=text)
        return response

    def _current(self, _: GetCurrentWorld.Request, response: GetCurrentWorld.Response) -> GetCurrentWorld.Response:
        response.result = Result(result=Result.RESULT_OK)
        response.world = _resource(self._entry)
        return response


def first_start(world: World, start: Start) -> Start:
    """Return a start with its gear and drive mode at the first place of a world, at rest."""
    place = world.places[0]
    return replace(start, x=place.x, y=place.y, yaw=place.yaw, speed=0.0, settled=True)


def _without_uri(request: LoadWorld.Request) -> Result:
    if request.resource_string:
        return Result(
            result=Result.RESULT_FEATURE_UNSUPPORTED,
            error_message="a world as text is not supported: give uri, a name of /get_available_worlds or a folder",
        )
    return Result(
        result=LoadWorld.Response.NO_RESOURCE,
        error_message="uri is empty: wanted a name of /get_available_worlds, or a folder",
    )


def _code(error: AcresError) -> int:
    """Return the result code of the standard for an error of loading."""
    if isinstance(error, BusyError | WorldInUseError):
        return Result.RESULT_INCORRECT_STATE
    if isinstance(error, UnknownNameError):
        return Result.RESULT_NOT_FOUND
    if isinstance(error, WorldAddressError):
        return LoadWorld.Response.UNSUPPORTED_FORMAT
    if isinstance(error, WorldFileError):
        there = Path(str(error.file)).exists()
        return LoadWorld.Response.RESOURCE_PARSE_ERROR if there else LoadWorld.Response.MISSING_ASSETS
    return Result.RESULT_OPERATION_FAILED


def _resource(entry: WorldEntry) -> WorldResource:
    return WorldResource(
        name=entry.name,
        world_resource=Resource(uri=entry.uri),
        description=entry.description,
        tags=list(entry.tags),
    )
