"""Rows of the conformance suite: the state of an entity, got and set, and the names of entities."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from geometry_msgs.msg import Quaternion
from simulation_interfaces.msg import EntityCategory, EntityFilters, EntityState, SimulatorFeatures
from simulation_interfaces.srv import GetEntities, GetEntityState, SetEntityState

from acres_ros.core.vectors import Vector, turned
from acres_ros.nodes.conformance import (
    FAILED,
    NOT_FOUND,
    OK,
    ConformanceClient,
    NotOfferedError,
    Row,
    told,
    want,
)

GETTING, SETTING = SimulatorFeatures.ENTITY_STATE_GETTING, SimulatorFeatures.ENTITY_STATE_SETTING
INVALID_POSE = 101
"""The package 1.2.0 does not name it yet."""
FAR_M = 1e9
SAME = 1e-9
NOBODY = "no entity of this name"
LETTERS = "[A-Za-z]"


def robot(client: ConformanceClient) -> str:
    """Return the name of a robot, or of the first entity where categories are not told."""
    client.need(GETTING)
    filters = EntityFilters()
    if SimulatorFeatures.ENTITY_CATEGORIES in client.features:
        filters.categories = [EntityCategory(category=EntityCategory.CATEGORY_ROBOT)]
    answer = client.call(GetEntities, "get_entities", filters=filters)
    want(answer.result.result == OK, f"get_entities is answered {told(answer.result)}")
    if not answer.entities:
        raise NotOfferedError("there is no robot among the entities")
    return answer.entities[0]


def state_of(client: ConformanceClient, entity: str) -> EntityState:
    """Return the state of an entity."""
    answer = client.call(GetEntityState, "get_entity_state", entity=entity)
    want(answer.result.result == OK, f"get_entity_state is answered {told(answer.result)}")
    return answer.state


def numbers(state: EntityState) -> list[float]:
    """Return pose and twist as numbers."""
    p, q, v, w = state.pose.position, state.pose.orientation, state.twist.linear, state.twist.angular
    return [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]


def invalid_poses(client: ConformanceClient) -> str:
    """Row 12: a pose that cannot be is refused with 101, and the next steps are those of a run without the call."""
    client.need(GETTING, SETTING, SimulatorFeatures.SIMULATION_RESET, SimulatorFeatures.STEP_SIMULATION_SINGLE)
    entity, notes = robot(client), []

    def run(meanwhile: Callable[[EntityState], None]) -> list[float]:
        want(client.reset(0).result == OK, "a reset of all is refused")
        client.pause()
        for part in range(2):
            for _ in range(5):
                answer = client.step(1)
                want(answer.result == OK, f"a step is answered {told(answer)}")
            if part == 0:
                meanwhile(state_of(client, entity))
        return numbers(state_of(client, entity))

    def ask(name: str, state: EntityState, *, must: bool = True) -> None:
        before = numbers(state_of(client, entity))
        result = client.call(SetEntityState, "set_entity_state", entity=entity, state=state).result
        if result.result == OK and not must:
            notes.append(f"{name} is taken: the world has no bounds")
            return
        want(result.result == INVALID_POSE, f"{name} is answered {told(result)}, wanted 101")
        want(numbers(state_of(client, entity)) == before, f"{name} is refused, but the state has changed")

    def bad_states(state: EntityState) -> None:
        x, quaternion = state.pose.position.x, state.pose.orientation
        state.pose.position.x = math.nan
        ask("NaN in the position", state)
        state.pose.position.x = x
        state.pose.orientation = Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)
        ask("a quaternion of 0", state)
        state.pose.orientation = Quaternion(x=0.0, y=0.0, z=0.0, w=2.0)
        ask("a quaternion of length 2", state)
        state.pose.orientation = quaternion

    def far(state: EntityState) -> None:
        state.pose.position.x = FAR_M
        ask(f"a place {FAR_M:g} m away", state, must=False)

    plain, again = run(lambda state: None), run(lambda state: None)
    with_calls = run(bad_states)
    if plain == again:
        want(with_calls == plain, "after refused calls the steps are not those of a run without them")
    else:
        notes.append("two runs without any call differ, so the bits cannot be compared")
    run(far)
    return "; ".join(notes)


def unknown_entity(client: ConformanceClient) -> str:
    """Answer an unknown entity with 2, whatever is asked of it."""
    client.need(GETTING)
    result = client.call(GetEntityState, "get_entity_state", entity=NOBODY).result
    want(result.result == NOT_FOUND, f"get_entity_state of an unknown entity is answered {told(result)}, wanted 2")
    if SETTING in client.features:
        state = EntityState()
        result = client.call(SetEntityState, "set_entity_state", entity=NOBODY, state=state).result
        want(result.result == NOT_FOUND, f"set_entity_state of an unknown entity is answered {told(result)}, wanted 2")
    return ""


def odometry(client: ConformanceClient) -> str:
    """Row 13: the state is that of the odometry; its twist is the odometry's, turned from the body to the world."""
    client.need(GETTING, SimulatorFeatures.STEP_SIMULATION_SINGLE)
    entity = robot(client)
    client.pause()
    moving = SETTING in client.features
    if moving:
        state = state_of(client, entity)
        q = state.pose.orientation
        v, w = state.twist.linear, state.twist.angular
        state.pose.position.z += 0.5
        v.x, v.y, v.z = turned((q.x, q.y, q.z, q.w), (3.0, 0.5, 0.0))
        w.x, w.y, w.z = turned((q.x, q.y, q.z, q.w), (0.1, -0.1, 0.4))
        result = client.call(SetEntityState, "set_entity_state", entity=entity, state=state).result
        moving = result.result == OK
        want(result.result in (OK, FAILED), f"set_entity_state is answered {told(result)}")
    client.forget()
    want(client.step(1).result == OK, "a step is refused")
    if not client.spin_until(lambda: client.odometry, 3.0):
        raise NotOfferedError("nothing is published on the topic of --odometry")
    state = state_of(client, entity)
    if not client.spin_until(lambda: any(m.header.stamp == state.header.stamp for m in client.odometry), 3.0):
        raise NotOfferedError(f"no odometry has the stamp of the state, {state.header.stamp}")
    shown = next(message for message in client.odometry if message.header.stamp == state.header.stamp)
    p, q = shown.pose.pose.position, shown.pose.pose.orientation
    turn = (q.x, q.y, q.z, q.w)
    wanted = [p.x, p.y, p.z, *turn, *turned(turn, _triple(shown.twist.twist.linear))]
    wanted += turned(turn, _triple(shown.twist.twist.angular))
    names = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz")
    for name, given, told_there in zip(names, numbers(state), wanted, strict=True):
        same = abs(given - told_there) <= SAME * max(1.0, abs(told_there))
        want(same, f"{name} is {given!r} by get_entity_state, and {told_there!r} by the odometry, turned to the world")
    return "" if moving else "at rest: no twist could be given"


def _triple(vector: object) -> Vector:
    return vector.x, vector.y, vector.z  # type: ignore[attr-defined]


def expressions(client: ConformanceClient) -> str:
    """Row 14: the filter of names is a POSIX extended regular expression."""
    client.need(GETTING)
    names = _names(client, "")
    if not names:
        raise NotOfferedError("there is no entity")
    # Each with what it means in the syntax of Python, whose classes have other names.
    for posix, python in (
        ("[[:alpha:]]", LETTERS),
        ("[[:digit:]]+$", "[0-9]+$"),
        ("^[[:lower:]]{1,3}[^[:space:]]*$", "^[a-z]{1,3}[^ \t\n\v\f\r]*$"),
        ("^(" + "|".join([names[0][:1].replace("\\", "") or "x", "[[:punct:]]"]) + ")", None),
        ("[]_-]", "[]_-]"),
        ("^$", "^$"),
    ):
        if python is None:
            found = set(_names(client, posix))
            want(names[0] in found, f"the filter {posix!r} does not find {names[0]!r}")
            continue
        wanted = [name for name in names if re.search(python, name)]
        found_names = _names(client, posix)
        text = f"the filter {posix!r} finds {len(found_names)} of {len(names)} names, wanted {len(wanted)}"
        want(sorted(found_names) == sorted(wanted), text)
    answer = client.call(GetEntities, "get_entities", filters=EntityFilters(filter="["))
    wrong = answer.result.result == OK and answer.entities
    want(not wrong, "the filter '[', which is no expression, finds something")
    return f"{len(names)} names" + (
        "; a filter that is no expression is answered OK" if answer.result.result == OK else ""
    )


def _names(client: ConformanceClient, pattern: str) -> list[str]:
    answer = client.call(GetEntities, "get_entities", filters=EntityFilters(filter=pattern))
    want(answer.result.result == OK, f"the filter {pattern!r} is answered {told(answer.result)}")
    return list(answer.entities)


ROWS = (
    Row(12, "impossible poses: 101, and not a bit changes", invalid_poses),
    Row(12, "unknown entities: 2", unknown_entity),
    Row(13, "the state is that of the odometry, its twist in the world", odometry),
    Row(14, "filters of names are POSIX expressions", expressions),
)
