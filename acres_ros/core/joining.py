"""A vehicle that a client asks to be spawned: checked whole before anything is made."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from acres_ros.core.agent_names import AGENT_NAME
from acres_ros.core.entities import Entities, Motion, body_box
from acres_ros.core.entity_state import PoseError
from acres_ros.core.environment import Environment
from acres_ros.core.fleet import Fleet
from acres_ros.core.outline import level_outline, outlines_meet
from acres_ros.core.spawnables import VEHICLE, VehicleResource
from acres_ros.core.spawned import VEHICLE_NUMBERS
from acres_ros.core.spawning import EntityNameError, NamespaceError, SpawnRequest, checked_pose, free_name
from acres_ros.core.start import Start
from acres_ros.errors import AcresError, shown

NEAR_M = 2.0
"""Of the given height from the ground, up or down: the vehicle is put on it."""
YAW_DIGITS = 9
"""Of the heading, rad: the last bits of an arc tangent differ between machines."""


class TooManyVehiclesError(AcresError):
    """There is no room in the simulation for one more vehicle."""

    def __init__(self) -> None:
        super().__init__(f"there are {VEHICLE_NUMBERS} vehicles, and no more can be: delete one that was spawned first")


class VehicleWanted(NamedTuple):
    """A vehicle that can be made.

    Attributes:
        name: below which its topics and services are.
        start: where and how it starts, and where resets put it.
        occupants: persons on board; None: as at the start of the program.
    """

    name: str
    start: Start
    occupants: int | None


def checked_vehicle(
    fleet: Fleet,
    entities: Entities,
    request: SpawnRequest,
    resource: VehicleResource,
    *,
    like: Start,
    parameters: np.ndarray,
) -> VehicleWanted:
    """Return the vehicle that is asked for.

    Args:
        fleet: the vehicles by now.
        entities: those of the simulation.
        request: what is asked for.
        resource: its resource, as `read_resource` has it.
        like: the start of the first vehicle: its gear and drive mode where none is asked for.
        parameters: of the vehicle, one record.

    Raises:
        EntityNameError, NameTakenError, NamespaceError, TooManyVehiclesError: no such name, or no more room.
        PoseError: a pose that it cannot have, or one in an obstacle or another vehicle.
    """
    environment = fleet.agents[0].environment
    if not (re.fullmatch(AGENT_NAME, request.name) or (not request.name and request.allow_renaming)):
        wanted = "for a vehicle, whose topics are below its name, a letter or _, then letters, digits, _ (64 at most)"
        raise EntityNameError(request.name, wanted)
    start = _checked_start(environment, request.motion, resource, like)
    name = free_name(entities, environment.spawned, request, VEHICLE, "_")
    if request.namespace.removeprefix("/") not in ("", name):
        raise NamespaceError(request.namespace, f"{shown(name)}, below which the topics of the vehicle are, or none")
    if len(fleet.agents) >= VEHICLE_NUMBERS:
        raise TooManyVehiclesError
    taken = _who_is_there(fleet, parameters, start)
    if taken:
        raise PoseError("pose.position", request.motion.position, f"a place where nothing is: {shown(taken)} is there")
    return VehicleWanted(name, start, resource.occupants)


def _checked_start(environment: Environment, motion: Motion, resource: VehicleResource, like: Start) -> Start:
    """Return where a vehicle starts: at a place and with a heading, on the ground."""
    pose = checked_pose(environment, motion, NEAR_M)
    x, y, _ = pose.position
    return Start(
        x=x,
        y=y,
        yaw=round(2.0 * math.atan2(*pose.turn), YAW_DIGITS),
        gear=resource.gear or like.gear,
        drive_mode=resource.drive_mode or like.drive_mode,
    )


def _who_is_there(fleet: Fleet, parameters: np.ndarray, start: Start) -> str:
    """Return the name of what a vehicle would touch where it starts: an obstacle, as collisions have it, or another."""
    environment, geometry = fleet.agents[0].environment, parameters[0]["geometry"]
    ground = float(environment.world.terrain.height_at(start.x, start.y))
    forward = math.cos(start.yaw), math.sin(start.yaw)
    own = level_outline(body_box(parameters), start.x, start.y, ground, forward)
    for agent in fleet.agents:
        if outlines_meet(own, agent.outline.now()):
            return agent.title
    scene = environment.whole_world.scene
    if scene is None:
        return ""
    middle = ground + float(geometry["mass_height_m"])
    low, high = middle - float(geometry["body_below_m"]), middle + float(geometry["body_above_m"])
    number = scene.overlaps((own.x, own.y), start.yaw, own.length, own.width, low, high)
    return scene.obstacle_name(number) if number >= 0 else ""
