"""Several vehicles in one world: they are entities, in one snapshot, and what is spawned is there for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_rig import Rig, assert_goes_on_alike, beside

from acres_ros.core.entities import Filters, Motion
from acres_ros.core.entity_state import PoseError, put_vehicle
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.simulation_state import Scope
from acres_ros.core.spawnables import Resource
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned
from acres_ros.core.spawning import SpawnRequest, put_spawned, with_spawned
from acres_ros.core.start import Start
from acres_ros.world import World

BOX = Resource("box", (1.0, 1.0, 1.0), "building")

# -- entities, snapshots ----------------------------------------------------------------------------------------------


def test_all_vehicles_are_entities_that_can_be_put(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard, 3))
    assert rig.entities.chosen(Filters(pattern="^(polaris|agent_.)$")) == ["polaris", "agent_1", "agent_2"]
    assert not rig.entities.is_static("agent_2")
    assert rig.entities.bounds("agent_1") == rig.entities.bounds("polaris")
    other = rig.entities.environment_of("agent_1")
    assert other is rig.environments[1]
    motion = rig.entities.motion("agent_1")
    x, y, z = motion.position
    put_vehicle(other, motion._replace(position=(x, y + 2.0, z)))
    assert rig.entities.motion("agent_1").position[1] == pytest.approx(y + 2.0)


def test_a_snapshot_of_all_goes_on_to_the_bit(make_fleet: Callable[..., Rig], corn: World, tmp_path: Path) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L")
    rig, other = make_fleet(corn, *starts, scanning=True), make_fleet(corn, *starts, scanning=True)
    rig.drive(132)
    rig.step(5)
    assert_goes_on_alike(rig, other, tmp_path / "two.npz")


def test_a_snapshot_of_other_vehicles_is_refused(make_fleet: Callable[..., Rig], corn: World, yard: World) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L")
    two, one = make_fleet(corn, *starts), make_fleet(corn, starts[0])
    two.drive(24)
    one.step(24)
    snapshot = two.simulation.snapshot()
    with pytest.raises(
        SnapshotError, match=r"vehicles = \('polaris', 'agent_1'\): wanted \('polaris',\), by name and in this order"
    ):
        one.simulation.restore(snapshot)
    with pytest.raises(SnapshotError, match=r"vehicles = \('polaris',\): wanted \('polaris', 'agent_1'\), by name"):
        two.simulation.restore(one.simulation.snapshot())
    later = replace(snapshot.others[0], environment=snapshot.others[0].environment._replace(step_count=25))
    with pytest.raises(SnapshotError, match=r"others\.0\.step_count = 25: wanted 24, as the first"):
        two.simulation.restore(replace(snapshot, others=(later,)))
    two.step(1)
    assert two.environments[0].step_count == 25, "nothing was changed"


# -- spawned obstacles ------------------------------------------------------------------------------------------------


def spawned_at(rig: Rig, name: str, x: float, y: float) -> Spawned:
    request = SpawnRequest(name, False, "", Motion((x, y, 0.0)))
    first = rig.environments[0]
    return with_spawned(first, rig.entities, first.spawned, request, BOX)[0]


def test_what_is_spawned_is_there_for_every_vehicle() -> None:
    rig = Rig(World.flat(), Start(speed=5.0, gear="N"), Start(y=8.0, speed=5.0, gear="N"))
    for y in (0.0, 8.0):
        with pytest.raises(PoseError, match="no vehicle"):
            spawned_at(rig, "wall", 1.0, y)
    rig.simulation.change("to spawn", lambda: rig.simulation.fleet.set_spawned(spawned_at(rig, "wall", 6.0, 8.0)))
    assert rig.environments[0].whole_world is rig.environments[1].whole_world
    rig.step(120)
    first, second = (log.all["vehicle"]["collision"] for log in rig.logs)
    assert set(first.tolist()) == {-1} and set(second.tolist()) == {-1, VEHICLE_NUMBERS}
    assert WorldFacts.of(rig.environments[1]).obstacle(VEHICLE_NUMBERS) == "wall"
    assert rig.environments[1].collisions.last == "wall"
    snapshot = rig.simulation.snapshot()
    put_spawned(rig.environments[0], rig.entities, "wall", Motion((50.0, 0.0, 0.0)))
    rig.simulation.reset(int(Scope.STATE), agent=rig.agents[1])
    assert [each.spawned.obstacles[0].pose.position[0] for each in rig.environments] == [50.0, 50.0]
    rig.simulation.reset(int(Scope.STATE))
    assert [each.spawned.obstacles[0].pose.position[0] for each in rig.environments] == [6.0, 6.0]
    rig.simulation.reset(int(Scope.SPAWNED))
    assert [each.spawned.obstacles for each in rig.environments] == [(), ()]
    rig.simulation.restore(snapshot)
    assert all(each.spawned.named("wall") for each in rig.environments)
    own = snapshot.others[0].environment
    wrong = replace(snapshot.others[0], environment=own._replace(spawned=own.spawned.emptied()))
    with pytest.raises(SnapshotError, match=r"others\.0\.spawned"):
        rig.simulation.restore(replace(snapshot, others=(wrong,)))
