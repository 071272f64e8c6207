"""On a prepared machine no service and no verb compiles anything: a user would wait, and the clock with him."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import precompiled_cache
import pytest
from geometry_msgs.msg import Pose, PoseStamped
from simulation_interfaces.msg import EntityFilters, EntityInfo, EntityState, Resource, SimulationState
from simulation_interfaces.msg import SpawnEntity as SpawnWanted
from simulation_interfaces.srv import GetEntityState
from system_rig import OK, OWN_DOMAIN, START_S, User, joined

from acres_ros.cli.up import started
from acres_ros.core.fault_table import FAULTS
from acres_ros.nodes.interface_tables import SERVICES

pytestmark = [pytest.mark.system, pytest.mark.slow]

ACTION = "/simulate_steps"
REFUSED = "/unload_world"
STEPS = 48
"""Four sweeps of the LiDAR."""
FAULT = next(fault.name for fault in FAULTS if not fault.values)
VERBS = {
    "map": ("world", "show", "--world", "yard", "--picture", "map.png"),
    "ruts": ("world", "ruts", "--picture", "ruts.png"),
    "scan": ("show", "scan", "--world", "yard", "--rain", "20", "--dust", "0.01", "--picture", "scan.png"),
    "ins": ("show", "ins", "--picture", "ins.png"),
    "figures": ("validate", "D3"),
    "interfaces": ("check", "interfaces"),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    precompiled_cache.make(folder)
    assert len(precompiled_cache.compiled(folder)) > 30
    return folder


def requests(user: User, folder: Path) -> dict[str, dict[str, Any]]:
    """Return a valid request of every service, in an order in which all of them can be met."""
    state = user.call(GetEntityState, "/get_entity_state", entity="polaris").state
    ahead = EntityState(pose=Pose(position=state.pose.position, orientation=state.pose.orientation))
    ahead.pose.position.y += 20.0
    return {
        "/get_simulator_features": {},
        "/get_simulation_state": {},
        "/get_available_worlds": {},
        "/get_current_world": {},
        "/unload_world": {},
        "/load_world": {"uri": "farm"},
        "/set_simulation_state": {"state": SimulationState(state=SimulationState.STATE_PAUSED)},
        "/acres/set_rate": {"rate": 0.0},
        "/acres/set_hardware_shifts": {"steering_offset_deg": 1.0},
        "/acres/set_parameters": {"keys": ["mass.kerb_kg"], "values": [900.0]},
        "/acres/reset_vehicle": {"place": "spawn-icsc-garage", "occupants": 1},
        "/acres/set_drive_mode": {"drive_mode": "2wd"},
        "/acres/set_conditions": {"global_fraction": 0.9, "surface_film": 0.5, "rain_mm_per_h": 9.0, "dust_per_m": 0.1},
        "/acres/get_farm": {},
        "/acres/set_gnss": {"state": "sbas", "duration_s": 1.0},
        "/acres/set_fault": {"name": FAULT, "on": True},
        "/acres/get_faults": {},
        "/get_spawnables": {},
        "/spawn_entity": {"name": "one", "uri": "acres://box", "initial_pose": PoseStamped(pose=ahead.pose)},
        "/spawn_entities": {
            "spawn_requests": [
                SpawnWanted(
                    name="two", entity_resource=Resource(uri="acres://cone"), initial_pose=PoseStamped(pose=ahead.pose)
                )
            ],
        },
        "/get_entities": {"filters": EntityFilters()},
        "/get_entities_states": {"filters": EntityFilters()},
        "/get_entity_state": {"entity": "one"},
        "/set_entity_state": {"entity": "polaris", "state": ahead},
        "/get_entity_info": {"entity": "one"},
        "/set_entity_info": {"entity": "one", "info": EntityInfo(description="a box")},
        "/get_entity_bounds": {"entity": "one"},
        "/get_named_poses": {},
        "/get_named_pose_bounds": {"name": "spawn-icsc-garage"},
        "/step_simulation": {"steps": STEPS},
        "/acres/step_with_commands": {"steps": 12},
        "/acres/save_snapshot": {"file": str(folder / "state.npz")},
        "/acres/restore_snapshot": {"file": str(folder / "state.npz")},
        "/delete_entity": {"entity": "one"},
        "/reset_simulation": {},
    }


def test_no_service_compiles_anything_at_its_first_call(cache: Path, tmp_path: Path) -> None:
    """One that did would stop the clock for as long."""
    types = {service.name: service.type for service in SERVICES if service.name != ACTION}
    values = {"paused": True, "world": "yard", "agents": 2}
    known = precompiled_cache.compiled(cache)
    with started(values, domain=OWN_DOMAIN, environment=precompiled_cache.environment(cache)) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros, exclude=())
            user.start_driving(seconds=1.0)
            assert precompiled_cache.compiled(cache) == known, "to start, to drive and to scan"
            wanted = requests(user, tmp_path)
            assert wanted.keys() == types.keys(), "every service has a request here"
            for name, fields in wanted.items():
                answer = user.call(types[name], name, **fields)
                assert precompiled_cache.compiled(cache) == known, f"{name} compiled"
                assert succeeded(answer) == (name != REFUSED), f"{name}: {answer}"
            assert user.wait(user.goal(STEPS).get_result_async()).result.result.result == OK
            user.recorder.take_until("/rslidar_points", 3)
            assert precompiled_cache.compiled(cache) == known, "steps in another world"


def succeeded(answer: Any) -> bool:
    if hasattr(answer, "result"):
        return bool(answer.result.result == OK)
    return bool(getattr(answer, "success", True))


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS)
def test_no_verb_compiles_anything(cache: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    known = precompiled_cache.compiled(cache)
    command = [sys.executable, "-m", "acres_ros.cli", *words]
    environment = {
        **precompiled_cache.environment(cache),
        "ACRES_DOMAIN_ID": str(OWN_DOMAIN),
        "PYTHONPATH": str(precompiled_cache.ROOT),
    }
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=START_S, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert precompiled_cache.compiled(cache) == known
