"""Rows of the conformance suite: entities that are spawned and deleted."""

from __future__ import annotations

import math
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped, Quaternion
from simulation_interfaces.msg import EntityFilters, Result, SimulatorFeatures
from simulation_interfaces.srv import DeleteEntity, GetEntities, GetSpawnables, SpawnEntity

from acres_ros.nodes.conformance import (
    NOT_FOUND,
    OK,
    ConformanceClient,
    NotOfferedError,
    Row,
    told,
    want,
)
from acres_ros.nodes.conformance_entities import NOBODY, robot, state_of

SPAWNING, DELETING, SPAWNABLES = (
    SimulatorFeatures.SPAWNING,
    SimulatorFeatures.DELETING,
    SimulatorFeatures.SPAWNABLES,
)
NAME = "conformance_entity"
AWAY_M = 12.0
"""How far from the robot something is spawned."""
SPAWNED = 4
NAME_NOT_UNIQUE, NAME_INVALID, NO_RESOURCE = (
    SpawnEntity.Response.NAME_NOT_UNIQUE,
    SpawnEntity.Response.NAME_INVALID,
    SpawnEntity.Response.NO_RESOURCE,
)
INVALID_POSE = 109


def _first(client: ConformanceClient) -> str:
    """Return the address of the first spawnable."""
    client.need(SPAWNING, DELETING, SPAWNABLES, SimulatorFeatures.ENTITY_STATE_GETTING)
    answer = client.call(GetSpawnables, "get_spawnables")
    if not answer.spawnables:
        raise NotOfferedError("there is no spawnable")
    return str(answer.spawnables[0].uri)


def _place(client: ConformanceClient) -> PoseStamped:
    """Return a pose beside the robot."""
    position = state_of(client, robot(client)).pose.position
    position.x += AWAY_M
    return PoseStamped(pose=Pose(position=position, orientation=Quaternion(w=1.0)))


def _spawn(client: ConformanceClient, uri: str, pose: PoseStamped, **fields: Any) -> Any:
    wanted = {"name": NAME, "uri": uri, "initial_pose": pose, **fields}
    return client.call(SpawnEntity, "spawn_entity", **wanted)


def _delete(client: ConformanceClient, name: str) -> Result:
    return client.call(DeleteEntity, "delete_entity", entity=name).result


def _names(client: ConformanceClient) -> set[str]:
    return set(client.call(GetEntities, "get_entities", filters=EntityFilters()).entities)


def spawned_and_deleted(client: ConformanceClient) -> str:
    """Row 16: an entity is spawned under its name, found where it was put, and deleted."""
    uri, before = _first(client), _names(client)
    client.pause()
    pose = _place(client)
    answer = _spawn(client, uri, pose)
    want(answer.result.result == OK, f"spawn_entity of {uri} is answered {told(answer.result)}")
    try:
        want(answer.entity_name == NAME, f"the entity is called {answer.entity_name!r}, wanted {NAME!r}")
        want(_names(client) - before == {NAME}, "get_entities does not list what was spawned, or lists more")
        given, wanted = state_of(client, NAME).pose.position, pose.pose.position
        near = math.hypot(given.x - wanted.x, given.y - wanted.y) < 1e-3
        want(near, f"it stands at ({given.x}, {given.y}), wanted ({wanted.x}, {wanted.y})")
        again = _spawn(client, uri, pose)
        want(
            again.result.result == NAME_NOT_UNIQUE, f"the same name again is answered {told(again.result)}, wanted 101"
        )
        other = _spawn(client, uri, pose, allow_renaming=True)
        want(other.result.result == OK, f"the same name with allow_renaming is answered {told(other.result)}")
        want(other.entity_name not in ("", NAME), f"allow_renaming gives the name {other.entity_name!r}")
        want(_delete(client, other.entity_name).result == OK, "delete_entity of the renamed one is refused")
    finally:
        result = _delete(client, NAME)
    want(result.result == OK, f"delete_entity is answered {told(result)}")
    want(_names(client) == before, "after delete_entity there are not the entities of before")
    gone = _delete(client, NAME)
    want(gone.result == NOT_FOUND, f"delete_entity of what is gone is answered {told(gone)}, wanted 2")
    return ""


def refusals(client: ConformanceClient) -> str:
    """Row 17: what cannot be spawned is refused with its code, and no entity changes."""
    uri, before = _first(client), _names(client)
    pose = _place(client)
    bent = PoseStamped(pose=Pose(position=pose.pose.position, orientation=Quaternion(w=0.0)))
    nowhere = PoseStamped(pose=Pose(orientation=Quaternion(w=1.0)))
    nowhere.pose.position.x = math.nan
    for what, code, fields in (
        ("an empty name", NAME_INVALID, {"name": ""}),
        ("no resource", NO_RESOURCE, {"uri": ""}),
        ("a quaternion of 0", INVALID_POSE, {"pose": bent}),
        ("NaN in the position", INVALID_POSE, {"pose": nowhere}),
    ):
        answer = _spawn(client, **{"uri": uri, "pose": pose, **fields})
        want(answer.result.result == code, f"{what} is answered {told(answer.result)}, wanted {code}")
    missing = _delete(client, NOBODY)
    want(missing.result == NOT_FOUND, f"delete_entity of an unknown entity is answered {told(missing)}, wanted 2")
    want(_names(client) == before, "a refused call has changed the entities")
    return ""


def reset_spawned(client: ConformanceClient) -> str:
    """Row 18: a reset of SPAWNED removes what was spawned, and leaves the time alone."""
    client.need(SimulatorFeatures.SIMULATION_RESET_SPAWNED, SimulatorFeatures.STEP_SIMULATION_SINGLE)
    uri, before = _first(client), _names(client)
    client.pause()
    want(_spawn(client, uri, _place(client)).result.result == OK, f"spawn_entity of {uri} is refused")
    client.forget()
    want(client.step(1).result == OK, "a step is refused")
    client.settle()
    last = max(client.ticks, default=0)
    result = client.reset(SPAWNED)
    want(result.result == OK, f"scope 4 is answered {told(result)}")
    want(_names(client) == before, "after scope 4 there are not the entities of before")
    client.pause()
    client.forget()
    want(client.step(1).result == OK, "a step after scope 4 is refused")
    client.settle()
    want(not client.ticks or client.ticks[0] > last, "after scope 4 (spawned alone) time went back")
    return ""


ROWS = (
    Row(16, "spawn, find, rename and delete an entity", spawned_and_deleted),
    Row(17, "what cannot be spawned or deleted: its code, and no change", refusals),
    Row(18, "a reset of SPAWNED removes what was spawned", reset_spawned),
)
