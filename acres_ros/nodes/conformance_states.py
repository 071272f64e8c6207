"""Rows of the conformance suite: features, results, states, resets, clients of an older package."""

from __future__ import annotations

import json
from typing import Any

from simulation_interfaces.msg import EntityFilters, SimulatorFeatures
from simulation_interfaces.srv import (
    GetAvailableWorlds,
    GetCurrentWorld,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoseBounds,
    GetNamedPoses,
    GetSimulationState,
    GetSpawnables,
    SetSimulationState,
)

from acres_ros.nodes.conformance import (
    KNOWN,
    NO_WORLD,
    OK,
    PAUSED,
    QUITTING,
    SERVICE_OF,
    STOPPED,
    UNSUPPORTED,
    ConformanceClient,
    Row,
    told,
    want,
)

ALREADY = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
INCORRECT_TRANSITION = SetSimulationState.Response.INCORRECT_TRANSITION
UNKNOWN_STATE = 200
SCOPES = {
    SimulatorFeatures.SIMULATION_RESET_TIME: 1,
    SimulatorFeatures.SIMULATION_RESET_STATE: 2,
    SimulatorFeatures.SIMULATION_RESET_SPAWNED: 4,
}
GONE_S = 15.0
SINCE_1_2 = ("SPAWNING_ENTITIES",)


def features(client: ConformanceClient) -> str:
    """Row 1: the announced features are known, and each has its service."""
    want(client.features, "no feature at all is announced")
    unknown = sorted(client.features - set(KNOWN))
    want(not unknown, f"the features {unknown} are none of the standard")
    for code in sorted(client.features):
        # Several steps may also be had by the action alone.
        names = [SERVICE_OF[KNOWN[code]]]
        if code == SimulatorFeatures.STEP_SIMULATION_MULTIPLE:
            names.append(SERVICE_OF["STEP_SIMULATION_ACTION"])
        found = any(map(client.offers, names))
        want(found, f"{KNOWN[code]} is announced, but there is no {client.name(names[0])}")
    try:
        info = json.loads(client.custom_info)
    except ValueError:
        info = None
    tells = isinstance(info, dict) and {"version", "step_s"} <= info.keys()
    return f"{len(client.features)} features" + ("" if tells else "; custom_info tells no version and step size")


def results(client: ConformanceClient) -> str:
    """Row 2: what is announced is answered with RESULT_OK."""
    filters = EntityFilters()
    questions: list[tuple[int | None, Any, str, dict[str, Any]]] = [
        (SimulatorFeatures.SIMULATION_STATE_GETTING, GetSimulationState, "get_simulation_state", {}),
        (SimulatorFeatures.NAMED_POSES, GetNamedPoses, "get_named_poses", {}),
        (SimulatorFeatures.SPAWNABLES, GetSpawnables, "get_spawnables", {}),
        (SimulatorFeatures.WORLD_INFO_GETTING, GetCurrentWorld, "get_current_world", {}),
        (SimulatorFeatures.AVAILABLE_WORLDS, GetAvailableWorlds, "get_available_worlds", {"offline_only": True}),
    ]
    if client.offers("get_entities"):
        names = client.call(GetEntities, "get_entities", filters=filters).entities
        questions.append((None, GetEntities, "get_entities", {"filters": filters}))
        if names:
            one, only = {"entity": names[0]}, {"filters": EntityFilters(filter="^" + _literal(names[0]) + "$")}
            questions += [
                (SimulatorFeatures.ENTITY_STATE_GETTING, GetEntityState, "get_entity_state", one),
                (SimulatorFeatures.ENTITY_STATE_GETTING, GetEntitiesStates, "get_entities_states", only),
                (SimulatorFeatures.ENTITY_INFO_GETTING, GetEntityInfo, "get_entity_info", one),
                (SimulatorFeatures.ENTITY_BOUNDS, GetEntityBounds, "get_entity_bounds", one),
            ]
    if SimulatorFeatures.POSE_BOUNDS in client.features and SimulatorFeatures.NAMED_POSES in client.features:
        poses = client.call(GetNamedPoses, "get_named_poses").poses
        fields = [{"name": pose.name} for pose in poses[:1]]
        questions += [(None, GetNamedPoseBounds, "get_named_pose_bounds", field) for field in fields]
    asked = [question for question in questions if question[0] is None or question[0] in client.features]
    for _, kind, service, words in asked:
        result = client.call(kind, service, **words).result
        want(result.result != UNSUPPORTED, f"{service} answers 0, as if nobody had filled in the result")
        want(result.result == OK, f"{service} answers {told(result)}")
    return f"{len(asked)} services"


def _literal(text: str) -> str:
    """Return an expression that finds a text and nothing else."""
    return "".join(f"\\{character}" if character in "^.[$()|*+?{\\" else character for character in text)


def resets(client: ConformanceClient) -> str:
    """Row 9: the scopes of a reset are bits; what is not announced is refused with 0, and TIME begins anew."""
    client.need(SimulatorFeatures.SIMULATION_RESET)
    notes = []
    supported = sum(bit for code, bit in SCOPES.items() if code in client.features)
    for scope in (1, 2, 4, 3, 0, 255):
        client.pause()
        _some_steps(client)
        before = max(client.ticks, default=0)
        answer = client.reset(scope)
        if scope in (0, 255) or not scope & ~supported:
            want(answer.result == OK, f"scope {scope} is answered {told(answer)}, and its features are announced")
            if client.state() != PAUSED:
                notes.append("PAUSED does not outlast a reset")
                client.pause()
            client.forget()
            _some_steps(client)
            if client.ticks and scope != 2 and scope != 4:
                step = client.ticks[1] - client.ticks[0] if len(client.ticks) > 1 else client.ticks[0]
                want(client.ticks[0] <= 2 * step, f"after scope {scope} the first stamp is {client.ticks[0]} ns")
            elif client.ticks and scope == 2:
                want(client.ticks[0] > before, "after scope 2 (state alone) time went back")
        elif supported:
            want(
                answer.result == UNSUPPORTED, f"scope {scope} is not announced and is answered {told(answer)}, wanted 0"
            )
        else:
            notes.append(f"scope {scope}: {answer.result}")
    return "; ".join(dict.fromkeys(notes))


def _some_steps(client: ConformanceClient) -> None:
    if SimulatorFeatures.STEP_SIMULATION_SINGLE in client.features:
        for _ in range(3):
            client.step(1)
        client.settle()


def cold_start(client: ConformanceClient) -> str:
    """Row 10: from STOPPED over PAUSED to the first step, with nothing on /clock before it."""
    client.need(
        SimulatorFeatures.SIMULATION_STATE_SETTING,
        SimulatorFeatures.SIMULATION_STATE_PAUSE,
        SimulatorFeatures.STEP_SIMULATION_SINGLE,
    )
    answer = client.set_state(STOPPED)
    want(answer.result in (OK, ALREADY), f"STOPPED is answered {told(answer)}")
    want(client.state() == STOPPED, "STOPPED was reached, and get_simulation_state tells another state")
    client.forget()
    answer = client.set_state(PAUSED)
    if answer.result == INCORRECT_TRANSITION:
        client.pause()
        return "STOPPED to PAUSED is refused (103), which the note of the service has; the state message allows it"
    want(answer.result == OK, f"STOPPED to PAUSED is answered {told(answer)}")
    client.settle()
    want(not client.ticks, f"/clock ticks {len(client.ticks)} times before the first step")
    answer = client.step(1)
    want(answer.result == OK, f"the first step is answered {told(answer)}")
    want(client.spin_until(lambda: client.ticks, 5.0), "/clock does not tick in the first step")
    return ""


def transitions(client: ConformanceClient) -> str:
    """Row 11: 101 for the state that it is in, 103 for what nobody can ask for."""
    client.need(SimulatorFeatures.SIMULATION_STATE_SETTING, SimulatorFeatures.SIMULATION_STATE_GETTING)
    client.pause()
    answer = client.set_state(PAUSED)
    want(answer.result == ALREADY, f"PAUSED while PAUSED is answered {told(answer)}, wanted 101")
    notes = []
    for state in (NO_WORLD, UNKNOWN_STATE):
        answer = client.set_state(state)
        want(answer.result != OK, f"the state {state}, which nobody can ask for, is answered OK")
        if answer.result != INCORRECT_TRANSITION:
            notes.append(f"the state {state} is answered {answer.result}, not 103")
        want(client.state() == PAUSED, f"the refused state {state} changed the state")
    return "; ".join(notes)


def quits(client: ConformanceClient) -> str:
    """Row 11, at the very end: QUITTING is accepted, and the services vanish."""
    client.need(SimulatorFeatures.SIMULATION_STATE_SETTING)
    answer = client.set_state(QUITTING)
    want(answer.result == OK, f"QUITTING is answered {told(answer)}")
    gone = client.spin_until(lambda: not client.offers("get_simulator_features"), GONE_S)
    want(gone, f"get_simulator_features is still there {GONE_S:g} s after QUITTING")
    return ""


def older_clients(client: ConformanceClient) -> str:
    """Row 15: what a client of the package 1.2.0 knows is there by its types, whether or not there is more."""
    there = client.types()
    known = [code for code in client.features if code in KNOWN and KNOWN[code] not in SINCE_1_2]
    wrong = []
    for code in sorted(known):
        name = client.name(SERVICE_OF[KNOWN[code]])
        types = there.get(name, [])
        package = {kind.split("/")[0] for kind in types}
        if types and package != {"simulation_interfaces"}:
            wrong.append(f"{name} is a {' and a '.join(types)}")
    want(not wrong, "; ".join(wrong))
    has = client.offers(SERVICE_OF["SPAWNING_ENTITIES"])
    return "" if not has else "spawn_entities is there too, which such a client does not see"


ROWS = (
    Row(1, "features: some, known ones, each with its service", features),
    Row(2, "results: what is announced is answered with 1", results),
)
LATER_ROWS = (
    Row(9, "resets by scope: the bits that are announced, and no others", resets),
    Row(10, "STOPPED, PAUSED, first step; no /clock before it", cold_start),
    Row(11, "states: 101 for the present one, 103 for impossible ones", transitions),
)
LAST_ROWS = (Row(15, "types that a client of 1.2.0 knows", older_clients),)
QUIT_ROW = Row(11, "QUITTING: accepted, then the services vanish", quits)
