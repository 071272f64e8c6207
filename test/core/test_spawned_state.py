"""Spawned obstacles: in the state, in snapshots and forks, and without a trace where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from snapshot_rig import corn_with_a_post, environment, reloaded, start_driving, whole
from spawned_rig import WALL, at, rolling, spawn

from acres_ros.core.entities import Entities, Filters
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.spawned import MOST_SPAWNED, Spawned
from acres_ros.core.spawning import delete, put_spawned
from acres_ros.core.start import Start
from acres_ros.world import World


def test_resets_put_back_or_remove(flat: World) -> None:
    vehicle = rolling(flat)
    entities = Entities(vehicle)
    spawn(vehicle, "it", "acres://box", at(10.0))
    put_spawned(vehicle, Entities(vehicle), "it", at(20.0))
    vehicle.restart_time()
    assert entities.motion("it").position == (20.0, 0.0, 0.0)
    vehicle.reset()
    assert entities.motion("it").position == (10.0, 0.0, 0.0)
    vehicle.restart()
    assert vehicle.spawned == Spawned() and vehicle.whole_world is flat
    spawn(vehicle, "it", "acres://box", at(10.0))
    vehicle.load_world(flat, Start())
    assert vehicle.spawned == Spawned() and entities.chosen(Filters()) == ["polaris"]


def test_nothing_spawned_is_a_run_without(flat: World) -> None:
    plain, other = rolling(flat), rolling(flat)
    spawn(other, "it", "acres://box", at(50.0))
    delete(other, Entities(other), "it")
    assert plain.step(120).tobytes() == other.step(120).tobytes()


def test_a_snapshot_has_it_and_forks_share_it(tmp_path: Path) -> None:
    world = corn_with_a_post()
    vehicle = environment(world)
    start_driving(vehicle)
    x = float(vehicle.vehicle["body"]["x"])
    spawn(vehicle, "wall", "acres://box", at(x + 4.0), WALL)
    spawn(vehicle, "gone", "acres://cone", at(x + 20.0))
    put_spawned(vehicle, Entities(vehicle), "gone", at(x + 21.0))
    vehicle.take_events()
    snapshot, state = vehicle.snapshot(), whole(vehicle)
    first = vehicle.step(240).tobytes()
    assert "touches wall" in str(vehicle.take_events())
    delete(vehicle, Entities(vehicle), "wall")
    vehicle.restore(snapshot)
    assert whole(vehicle) == state and vehicle.step(240).tobytes() == first
    fresh = environment(world)
    fresh.restore(reloaded(snapshot, tmp_path / "state"))
    (fork,) = fresh.fork(1)
    assert whole(fork) == whole(fresh) == state
    delete(fresh, Entities(fresh), "wall")
    assert fork.step(240).tobytes() == first
    assert fresh.step(240).tobytes() != first


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("used", lambda s: s._replace(used=0)),
        ("used", lambda s: s._replace(used=MOST_SPAWNED + 1)),
        ("slot", lambda s: s._replace(obstacles=(s.obstacles[0], s.obstacles[0]._replace(name="b")))),
        ("name", lambda s: s._replace(obstacles=(s.obstacles[0], s.obstacles[1]._replace(name="a")))),
        ("kind", lambda s: _changed(s, kind="tank")),
        ("size", lambda s: _changed(s, size=(1.0, 1.0, 500.0))),
        ("material", lambda s: _changed(s, material="air")),
        ("position", lambda s: _placed(s, position=(1e6, 0.0, 0.0))),
        ("turn", lambda s: _placed(s, turn=(1.0, 1.0))),
    ],
)
def test_a_snapshot_of_what_cannot_be_is_refused(flat: World, key: str, change) -> None:
    vehicle = rolling(flat)
    for name, x in (("a", 10.0), ("b", 20.0)):
        spawn(vehicle, name, "acres://box", at(x))
    snapshot, state = vehicle.snapshot(), whole(vehicle)
    wrong = snapshot.environment._replace(spawned=change(snapshot.environment.spawned))
    with pytest.raises(SnapshotError, match="spawned") as error:
        vehicle.restore(type(snapshot)(snapshot.origin, wrong))
    assert error.value.key in (f"environment.spawned.{key}", "environment.spawned.slot")
    assert whole(vehicle) == state


def _changed(spawned: Spawned, **changes: object) -> Spawned:
    one = spawned.obstacles[0]
    return spawned._replace(obstacles=(one._replace(resource=one.resource._replace(**changes)), spawned.obstacles[1]))


def _placed(spawned: Spawned, **changes: object) -> Spawned:
    one = spawned.obstacles[0]
    return spawned._replace(obstacles=(one._replace(home=one.home._replace(**changes)), spawned.obstacles[1]))
