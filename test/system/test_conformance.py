"""`acres check interfaces`: it passes on ours, and it sees what a simulator answers wrongly."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures, Spawnable
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    GetSpawnables,
    SetSimulationState,
    SpawnEntity,
    StepSimulation,
)
from system_rig import OK, OWN_DOMAIN, PAUSED, PLAYING, SHARED_DOMAIN, User, joined

from acres_ros.nodes import conformance
from acres_ros.nodes.conformance import ConformanceClient, NoSimulatorError, Verdict
from acres_ros.nodes.conformance_suite import ROWS

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
F = SimulatorFeatures


def check(*words: str, domain: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acres_ros.cli", "check", "interfaces", "--attach", *words]
    environment = {**os.environ, "ACRES_DOMAIN_ID": str(domain)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200, check=False)


def test_ours_passes_every_row(user: User) -> None:
    result = check(domain=SHARED_DOMAIN)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [str(row.number) for row in ROWS]
    assert all("  passed" in line for line in lines[:-1]), result.stdout
    assert sorted({row.number for row in ROWS}) == list(range(1, 19))
    assert lines[-1].startswith(f"PASSED: {len(ROWS)} passed")
    assert user.state() == PAUSED


# -- simulators that are wrong ----------------------------------------------------------------------------------------


class Fake:
    """A simulator below /fake that answers as it is told; by default it is small and right."""

    def __init__(self, node: Node) -> None:
        self.features = [F.SIMULATION_STATE_GETTING, F.SIMULATION_STATE_SETTING, F.SIMULATION_STATE_PAUSE]
        self.features += [F.STEP_SIMULATION_SINGLE]
        self.state = PLAYING
        self.while_playing = self.same = self.getting = None
        for kind, name, answer in (
            (GetSimulatorFeatures, "get_simulator_features", self._features),
            (GetSimulationState, "get_simulation_state", self._state),
            (SetSimulationState, "set_simulation_state", self._set),
            (StepSimulation, "step_simulation", self._step),
            (GetEntities, "get_entities", self._entities),
            (GetEntityState, "get_entity_state", self._entity),
            (GetSpawnables, "get_spawnables", self._spawnables),
            (SpawnEntity, "spawn_entity", self._entity),
            (DeleteEntity, "delete_entity", self._entity),
        ):
            node.create_service(kind, f"/fake/{name}", answer)

    def _features(self, _: Any, response: Any) -> Any:
        response.features.features = self.features
        return response

    def _state(self, _: Any, response: Any) -> Any:
        response.state = SimulationState(state=self.state)
        response.result.result = OK if self.getting is None else self.getting
        return response

    def _set(self, request: Any, response: Any) -> Any:
        wanted = request.state.state
        if wanted == self.state:
            response.result.result = (
                SetSimulationState.Response.ALREADY_IN_TARGET_STATE if self.same is None else self.same
            )
        elif wanted > 3:
            response.result.result = SetSimulationState.Response.INCORRECT_TRANSITION
        else:
            self.state, response.result.result = wanted, OK
        return response

    def _step(self, _: Any, response: Any) -> Any:
        refused = Result.RESULT_OPERATION_FAILED if self.while_playing is None else self.while_playing
        response.result.result = refused if self.state == PLAYING else OK
        return response

    def _entities(self, request: Any, response: Any) -> Any:
        """Take any expression for a plain text."""
        response.result.result = OK
        response.entities = [name for name in ("box", "box-1") if request.filters.filter in name]
        return response

    def _spawnables(self, _: Any, response: Any) -> Any:
        response.result.result = OK
        response.spawnables = [Spawnable(uri="fake://box")]
        return response

    def _entity(self, request: Any, response: Any) -> Any:
        """Agree to everything; what is spawned has the name that it was given, and is nowhere."""
        if isinstance(request, SpawnEntity.Request):
            response.entity_name = request.name
        response.result.result = OK
        return response


@contextmanager
def _served() -> Iterator[tuple[Fake, Any]]:
    with joined(OWN_DOMAIN) as ros:
        node = Node("fake", context=ros)
        fake, executor = Fake(node), SingleThreadedExecutor(context=ros)
        executor.add_node(node)
        ending = threading.Event()

        def serve() -> None:
            while not ending.is_set():
                executor.spin_once(0.02)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield fake, ros
        finally:
            ending.set()
            thread.join()


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Fake, Any]]:
    with _served() as fake_and_context:
        yield fake_and_context


def verdicts(ros: Any, *numbers: int) -> dict[int, tuple[Verdict, str]]:
    node = Node("conformance", context=ros)
    try:
        client = ConformanceClient(node, "fake")
        outcomes = [row.outcome(client) for row in ROWS if row.number in numbers]
    finally:
        node.destroy_node()
    return {outcome.number: (outcome.verdict, outcome.text) for outcome in outcomes}


def test_a_small_simulator_passes_what_it_offers(served: tuple[Fake, Any]) -> None:
    fake, ros = served
    fake.__dict__.update(while_playing=None, same=None, getting=None)
    found = verdicts(ros, 1, 2, 3, 5, 9, 11, 13, 15)
    offered = {number for number, (verdict, _) in found.items() if verdict is Verdict.PASSED}
    assert offered == {1, 2, 3, 11, 15}, found
    assert all(verdict is not Verdict.FAILED for verdict, _ in found.values())


@pytest.mark.parametrize(
    ("wrong", "number", "words"),
    [
        ({"features": []}, 1, "no feature"),
        ({"features": [24, 25, 26, 31, 99]}, 1, "[99]"),
        ({"features": [24, 25, 26, 31, 20]}, 1, "SIMULATION_RESET"),
        ({"getting": 0}, 2, "nobody had filled in"),
        ({"while_playing": 1}, 3, "while PLAYING is answered 1"),
        ({"same": 1}, 11, "wanted 101"),
        ({"features": [24, 25, 26, 31, 10]}, 12, "wanted 2"),
        ({"features": [24, 25, 26, 31, 10]}, 14, "[[:alpha:]]"),
        ({"features": [24, 25, 26, 31, 10, 0, 1, 14]}, 16, "does not list what was spawned"),
        ({"features": [24, 25, 26, 31, 10, 0, 1, 14]}, 17, "an empty name is answered 1"),
    ],
)
def test_what_is_wrong_is_seen(
    served: tuple[Fake, Any], wrong: dict[str, Any], number: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, ros = served
    for key, value in wrong.items():
        monkeypatch.setattr(fake, key, value)
    verdict, text = verdicts(ros, number)[number]
    assert verdict is Verdict.FAILED and words in text, text


def test_where_nobody_is_nothing_is_checked(monkeypatch: pytest.MonkeyPatch, served: tuple[Fake, Any]) -> None:
    monkeypatch.setattr(conformance, "DISCOVERY_S", 0.3)
    with pytest.raises(NoSimulatorError, match="/nowhere/get_simulator_features"):
        ConformanceClient(Node("conformance", context=served[1]), "/nowhere/")
