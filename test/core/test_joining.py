"""Vehicles that are spawned and deleted between two steps: the others keep their bits, and every run repeats."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fleet_rig import VELOCITY, Rig, assert_goes_on_alike, beside

from acres_ros.core import messages as m
from acres_ros.core.entities import Category, Filters, Info, Motion, UnknownEntityError, vehicle_motion
from acres_ros.core.entity_state import PoseError
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.joining import TooManyVehiclesError
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.simulation_state import BusyError, Scope, State
from acres_ros.core.spawnables import Resource, ResourceTextError
from acres_ros.core.spawned import VEHICLE_NUMBERS, Pose
from acres_ros.core.spawning import EntityNameError, NamespaceError, NameTakenError, delete
from acres_ros.core.start import Start
from acres_ros.core.step_commands import CommandStep
from acres_ros.errors import AcresError
from acres_ros.world import World

FIRST = Start(gear="L")


def at(x: float, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Motion:
    return Motion((x, y, z), (0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)))


def post(rig: Rig, speed: float, index: int = -1) -> None:
    """Command a vehicle, by default the one that came last."""
    for message in (m.Enable(), m.GearCmd(cmd=5), m.UlcCmd(cmd=speed, cmd_type=VELOCITY, enable=True)):
        rig.environments[index].post(message)


# -- steps ------------------------------------------------------------------------------------------------------------


def test_it_is_there_from_the_next_step_on_at_rest_where_it_was_put(
    make_fleet: Callable[..., Rig], flat: World
) -> None:
    rig = make_fleet(flat, FIRST)
    rig.drive(30, chunk=6)
    agent = rig.spawn("red", at(20.0, 5.0, 0.5, 1.0), '{"gear": "N", "drive_mode": "2wd"}')
    assert (agent.environment.start.gear, agent.environment.start.drive_mode) == ("N", "2wd")
    assert len(agent.output.greetings) == 1  # type: ignore[attr-defined]
    rig.step(5)
    samples = rig.logs[1].all
    assert samples["step"].tolist() == [31, 32, 33, 34, 35] and set(samples["epoch_step"].tolist()) == {30}
    motion = vehicle_motion(agent.environment)
    assert motion.position == pytest.approx((20.0, 5.0, 0.0), abs=0.02), "on the ground"
    assert motion.orientation[2:] == pytest.approx((math.sin(0.5), math.cos(0.5)), abs=1e-6)
    assert math.hypot(*motion.velocity) < 1e-2
    assert agent.environment.start.yaw == 1.0, "to a nano-radian"


def test_who_was_there_keeps_its_bits_while_another_comes_and_goes(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = beside(yard)[0]
    alone, rig = (make_fleet(yard, start, scanning=True) for _ in range(2))
    alone.drive(240)
    rig.drive(60)
    x, y, z = vehicle_motion(rig.environments[0]).position
    agent = rig.spawn("red", at(x + 250.0, y, float(yard.terrain.height_at(x + 250.0, y))))
    rig.drive(60, speeds=(2.0,))
    rig.remove(agent)
    assert rig.closed == ["red"] and rig.simulation.fleet.agents == (rig.simulation.first,)
    rig.environments.pop()
    rig.drive(120)
    assert rig.logs[0].bytes == alone.logs[0].bytes
    scans = [[sweep.points.tobytes() for sweep in each.logs[0].sweeps] for each in (rig, alone)]
    assert scans[0] == scans[1] and len(scans[0]) > 10
    assert len(rig.logs[1].all) == 60
    assert rig.environments[0].vehicles == ()


def test_a_run_with_a_vehicle_that_comes_repeats_whatever_the_chunks(
    make_fleet: Callable[..., Rig], corn: World
) -> None:
    runs = []
    for chunk in (12, 1):
        rig = make_fleet(corn, Start(x=-20.0, gear="L"), scanning=True)
        rig.drive(120, chunk)
        rig.spawn("red", at(-28.0, 0.3), '{"gear": "L"}')
        rig.drive(480, chunk, speeds=(1.0, 3.0))
        runs.append([(log.bytes, [sweep.points.tobytes() for sweep in log.sweeps]) for log in rig.logs])
    assert runs[0] == runs[1]
    assert len(runs[0][1][1]) > 10, "it scans too"
    way = rig.logs[1].all["vehicle"]["body"]["x"]
    assert way[-1] - way[0] > 1.0, "it drives"


def test_its_streams_are_those_of_the_lowest_number_that_is_free(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    red, blue = (rig.spawn(name, at(20.0, y)) for name, y in (("red", 0.0), ("blue", 10.0)))
    assert [agent.environment.agent for agent in rig.agents] == [0, 1, 2]
    rig.remove(red)
    assert rig.environments[0].vehicles == ("polaris", "", "blue")
    green = rig.spawn("green", at(20.0))
    assert [(agent.title, agent.slot, agent.environment.agent) for agent in rig.agents] == [
        ("polaris", 0, 0),
        ("blue", 2, 2),
        ("green", 1, 1),
    ]
    names = ("polaris", "green", "blue")
    assert {agent.environment.vehicles for agent in rig.agents} == {names}
    assert WorldFacts.of(green.environment).obstacles == names
    rig.step(12)
    first = rig.logs[3].all["navigation"].tobytes()
    other = make_fleet(flat, FIRST)
    other.spawn("red", at(20.0))
    other.step(12)
    assert other.logs[1].all["navigation"].tobytes() == first
    assert blue.environment.step_count == 12


def test_a_control_step_has_its_commands(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    agent = rig.spawn("red", at(20.0))
    request = rig.simulation.begin_steps(1, CommandStep((), 0.0, (("red", m.Enable()),)))
    rig.simulation.advance(0.0)
    assert request.error is None and [one.name for one in request.applied] == ["red/enable"]
    rig.remove(agent)
    with pytest.raises(AcresError, match="is no command"):
        rig.simulation.begin_steps(1, CommandStep((), 0.0, (("red", m.Enable()),)))


def test_nobody_comes_or_goes_while_a_step_request_runs(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    agent = rig.spawn("red", at(20.0))
    rig.simulation.begin_steps(100)
    with pytest.raises(BusyError):
        rig.remove(agent)
    with pytest.raises(BusyError):
        rig.spawn("blue", at(30.0))
    assert [each.title for each in rig.agents] == ["polaris", "red"] and rig.closed == []


# -- the world that they share ----------------------------------------------------------------------------------------


def test_marks_stay_and_go_with_a_reset(make_fleet: Callable[..., Rig], corn: World) -> None:
    rig = make_fleet(corn, Start(x=-40.0, y=-10.0, gear="P"))
    agent = rig.spawn("red", at(-20.0), '{"gear": "L"}')
    for _ in range(30):
        post(rig, 3.0)
        rig.step(12)
    crushed = rig.environments[0].farm.crushed_m2
    assert crushed > 1.0 and agent.environment.farm is rig.environments[0].farm
    rig.remove(agent)
    assert rig.environments[0].farm.crushed_m2 == crushed
    rig.simulation.reset(Scope.STATE)
    assert rig.environments[0].farm.crushed_m2 == 0.0


def nearest(points: np.ndarray, ahead: float) -> float:
    """Return the shortest distance straight ahead (1) or behind (-1) of the sensor, at the height of a body, m."""
    x, y, z, _ = points.T
    with np.errstate(invalid="ignore"):
        chosen = (ahead * x > 3.0) & (np.abs(y) < 0.3) & (z > -1.2) & (z < -0.2)
    return float(np.abs(x[chosen]).min()) if chosen.any() else math.inf


def test_each_is_a_box_in_the_scans_of_the_other(make_fleet: Callable[..., Rig], flat: World) -> None:
    pattern = LidarPattern.helios()
    rig = make_fleet(flat, Start(), scanning=True, pattern=pattern)
    rig.step(40)
    agent = rig.spawn("red", at(12.0))
    rig.step(48)
    rig.remove(agent)
    rig.step(40)
    mount = float(pattern.mount.xyz_m[0])
    seen = [nearest(sweep.points, 1.0) for sweep in rig.logs[0].sweeps]
    assert seen[1] > 12.0, "nothing is there yet"
    assert seen[4] == pytest.approx(12.0 - 0.457 - mount, abs=0.1)
    assert seen[-1] > 12.0, "nothing is there any more"
    theirs = nearest(rig.logs[1].sweeps[-1].points, -1.0)
    assert theirs == pytest.approx(12.0 + mount - 3.8 + 0.457, abs=0.2)


def test_a_touch_ends_with_the_vehicle(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="N", speed=3.0)
    rig = make_fleet(yard, start)
    ground = float(yard.terrain.height_at(start.x + 5.0, start.y))
    agent = rig.spawn("red", at(start.x + 5.0, start.y, ground))
    rig.step(60)
    first = rig.environments[0]
    assert first.vehicle["collision"] == 1 and first.collisions.last == "red"
    assert "touches red" in str(first.take_events())
    rig.remove(agent)
    assert first.vehicle["collision"] == -1
    assert "leaves red, which is removed" in str(first.take_events())
    snapshot = rig.simulation.snapshot()
    rig.step(120)
    assert first.collisions.spells.lasting == () and first.take_events() == []
    rig.simulation.restore(snapshot)
    other = rig.spawn("blue", at(start.x + 60.0, start.y, float(yard.terrain.height_at(start.x + 60.0, start.y))))
    rig.step(12)
    assert other.slot == 1 and first.take_events() == [], "nothing is told of who has its number now"


def test_what_was_spawned_before_is_there_for_it(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST, scanning=True, pattern=LidarPattern.helios())
    fleet, first = rig.simulation.fleet, rig.environments[0]
    box = Resource("box", (1.0, 1.0, 3.0), "building")
    fleet.set_spawned(first.spawned.with_one("wall", box, Pose((30.0, 0.0, 0.0), (0.0, 1.0))))
    with pytest.raises(PoseError, match="'wall' is there"):
        rig.spawn("red", at(29.0))
    agent = rig.spawn("red", at(20.0), '{"gear": "N"}')
    assert agent.environment.whole_world is first.whole_world
    assert rig.entities.names() == ["polaris", "red", "wall"]
    rig.step(48)
    reach = 30.0 - 0.5 - float(LidarPattern.helios().mount.xyz_m[0])
    assert nearest(rig.logs[1].sweeps[-1].points, 1.0) == pytest.approx(reach - 20.0, abs=0.3)
    rig.simulation.change("to delete", lambda: delete(first, rig.entities, "wall"))
    assert agent.environment.spawned.obstacles == ()


# -- entities ---------------------------------------------------------------------------------------------------------


def test_it_is_an_entity_until_it_is_deleted(make_fleet: Callable[..., Rig], farm: World) -> None:
    place = farm.places[0]
    rig = make_fleet(farm, Start(x=place.x, y=place.y, yaw=place.yaw))
    entities = rig.entities
    names = entities.names()
    entities.set_info("polaris", Info(Category.ROBOT, "the first", ("mine",)))
    entities.set_info(names[5], Info(Category.OBJECT, "a thing", ("thing",)))
    x, y = place.x, place.y + 20.0
    agent = rig.spawn("red", at(x, y, float(farm.terrain.height_at(x, y))))
    assert entities.names() == ["polaris", "red", *names[1:]]
    assert entities.chosen(Filters(tags=frozenset({"spawned"}))) == ["red"]
    assert entities.info("red").category is Category.ROBOT and not entities.is_static("red")
    assert entities.bounds("red") == entities.bounds("polaris")
    entities.set_info("red", Info(Category.ROBOT, "the second", ("mine",)))
    assert entities.chosen(Filters(tags=frozenset({"mine"}))) == ["polaris", "red"]
    assert entities.environment_of("red") is agent.environment
    rig.remove(agent)
    assert entities.names() == names
    with pytest.raises(UnknownEntityError):
        entities.info("red")
    assert [told.name for told in entities.snapshot()] == sorted(["polaris", names[5]])


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"name": ""}, EntityNameError, "allow_renaming"),
        ({"name": "2nd"}, EntityNameError, "topics are below its name"),
        ({"name": "a-b"}, EntityNameError, "letters, digits, _"),
        ({"name": "a" * 65}, EntityNameError, "64"),
        ({"name": "polaris"}, NameTakenError, "taken"),
        ({"name": "there"}, NameTakenError, "taken"),
        ({"namespace": "blue"}, NamespaceError, "wanted 'red'"),
        ({"namespace": "/red/"}, NamespaceError, "wanted 'red'"),
        ({"motion": at(1e6)}, PoseError, "on the map"),
        ({"motion": at(math.nan)}, PoseError, "finite"),
        ({"motion": at(20.0, z=2.1)}, PoseError, "within 2 m of the ground at 0.000 m"),
        ({"motion": at(20.0)._replace(orientation=(0.1, 0.0, 0.0, math.sqrt(0.99)))}, PoseError, "leans"),
        ({"motion": at(20.0)._replace(orientation=(0.0, 0.0, 0.0, 0.0))}, PoseError, "length 1"),
        ({"motion": at(3.7)}, PoseError, "'polaris' is there"),
        ({"motion": at(0.0, 10.0, 0.0, 2.0)}, PoseError, "'there' is there"),
        ({"text": '{"size": [1, 1, 1]}'}, ResourceTextError, "kind, gear, drive_mode, occupants"),
        ({"text": '{"gear": "D"}'}, ResourceTextError, "one of P, R, N, H, L"),
        ({"text": '{"gear": ["L"]}'}, ResourceTextError, "one of P, R, N, H, L"),
        ({"text": '{"drive_mode": "4wd"}'}, ResourceTextError, "2wd"),
        ({"text": '{"occupants": 1.0}'}, ResourceTextError, "persons"),
        ({"text": '{"occupants": 7}'}, ResourceTextError, "0 to 6"),
        ({"text": '{"kind": "box"}'}, ResourceTextError, "'polaris'"),
    ],
)
def test_what_cannot_be_spawned_is_refused_and_changes_nothing(
    make_fleet: Callable[..., Rig], flat: World, changes: dict, error: type[AcresError], words: str
) -> None:
    rig = make_fleet(flat, FIRST)
    rig.spawn("there", at(0.0, 10.0))
    good = {"name": "red", "motion": at(20.0), "text": ""}
    with pytest.raises(error, match=words):
        rig.spawn(**{**good, **changes})
    assert rig.entities.names() == ["polaris", "there"] and len(rig.agents) == 2
    rig.spawn(**good, namespace="/red")
    assert rig.entities.names() == ["polaris", "there", "red"]


def test_names_that_are_taken_or_empty_are_replaced_where_they_may_be(
    make_fleet: Callable[..., Rig], flat: World
) -> None:
    rig = make_fleet(flat, FIRST)
    wanted = ("", "red", "red", "")
    given = [rig.spawn(name, at(20.0, 6.0 * row), renaming=True).name for row, name in enumerate(wanted)]
    assert given == ["polaris_1", "red", "red_1", "polaris_2"]


def test_there_are_eight_at_most(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    spawned = [rig.spawn(f"v{row}", at(20.0, 6.0 * row)) for row in range(VEHICLE_NUMBERS - 1)]
    with pytest.raises(TooManyVehiclesError, match="8 vehicles"):
        rig.spawn("one_more", at(40.0))
    rig.remove(spawned[3])
    assert rig.spawn("one_more", at(40.0)).slot == 4


# -- resets, snapshots ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", [0, 4, 5, 6, 7, 255])
def test_resets_of_what_is_spawned_remove_it(make_fleet: Callable[..., Rig], flat: World, scope: int) -> None:
    rig = make_fleet(flat, FIRST)
    rig.spawn("red", at(20.0))
    rig.step(10)
    rig.simulation.reset(scope)
    assert rig.closed == ["red"] and rig.entities.names() == ["polaris"]
    assert rig.environments[0].vehicles == () and len(rig.agents) == 1
    rig.step(1)


def test_stopped_and_another_world_remove_it(make_fleet: Callable[..., Rig], flat: World, yard: World) -> None:
    rig = make_fleet(flat, FIRST)
    rig.spawn("red", at(20.0))
    rig.simulation.set_state(State.STOPPED)
    assert rig.closed == ["red"] and rig.entities.names() == ["polaris"]
    rig.simulation.set_state(State.PAUSED)
    rig.spawn("blue", at(20.0))
    rig.simulation.load_world(lambda: (yard, beside(yard)[0]))
    assert rig.closed == ["red", "blue"] and len(rig.agents) == 1
    assert rig.environments[0].world is yard


def test_a_reset_of_the_state_puts_it_where_it_was_spawned(make_fleet: Callable[..., Rig], flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    agent = rig.spawn("red", at(20.0), '{"gear": "L"}')
    for _ in range(20):
        post(rig, 3.0)
        rig.step(12)
    moved = vehicle_motion(agent.environment).position[0]
    assert moved > 20.2
    rig.simulation.reset(Scope.TIME)
    assert vehicle_motion(agent.environment).position[0] == moved and agent.environment.step_count == 0
    rig.simulation.reset(Scope.STATE)
    assert vehicle_motion(agent.environment).position[0] == pytest.approx(20.0, abs=1e-3)
    assert rig.closed == []


def test_a_restart_repeats_the_run_of_the_first_as_if_nobody_had_come(
    make_fleet: Callable[..., Rig], corn: World
) -> None:
    rig = make_fleet(corn, Start(x=-20.0, gear="L"))
    rig.drive(120)
    before = rig.logs[0].all
    rig.simulation.reset(0)
    rig.spawn("red", at(-28.0))
    rig.drive(60)
    rig.simulation.reset(0)
    rig.logs[0].samples.clear()
    del rig.environments[1:]
    rig.drive(120)
    for name in ("step", "vehicle", "gateway", "navigation"):
        assert before[name].tobytes() == rig.logs[0].all[name].tobytes()


def test_a_snapshot_goes_on_to_the_bit_where_the_same_vehicles_are(
    make_fleet: Callable[..., Rig], corn: World, tmp_path: Path
) -> None:
    rig, other = (make_fleet(corn, Start(x=-20.0, gear="L"), scanning=True) for _ in range(2))
    rig.drive(36)
    for each in (rig, other):
        each.spawn("red", at(-28.0), '{"gear": "L"}')
    rig.drive(101, chunk=101)
    assert_goes_on_alike(rig, other, tmp_path / "two.npz")
