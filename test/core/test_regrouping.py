"""A restore makes and removes spawned vehicles until they are those of the snapshot, and what follows is equal."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fleet_rig import LOW, VELOCITY, Rig, beside
from snapshot_rig import changed_file
from test_joining import at

from acres_ros.core import messages as m
from acres_ros.core.agent import Agent
from acres_ros.core.entities import Category, Info
from acres_ros.core.environment import Environment
from acres_ros.core.gateway_policy import Verdict
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.simulation_state import BusyError, Scope, State, StoppedError
from acres_ros.core.snapshot import Member, Snapshot
from acres_ros.core.spawnables import Resource
from acres_ros.core.spawned import Pose
from acres_ros.core.start import Start
from acres_ros.core.step_commands import Came
from acres_ros.errors import AcresError
from acres_ros.world import World

WALL = Resource("box", (1.0, 4.0, 2.0), "building")
FIRST = Start(x=-20.0, gear="L")
Fleets = Callable[..., Rig]


def content(rig: Rig, folder: Path) -> bytes:
    """Return the whole state of a simulation: the bytes of its file."""
    rig.simulation.snapshot().save(folder / "content.npz")
    return (folder / "content.npz").read_bytes()


def three_came_and_one_went(rig: Rig) -> None:
    """Let the vehicles be polaris, blue (2), green (3), red (1), in motion and in the middle of sweeps."""
    old = rig.spawn("old", at(-40.0, -9.0))
    rig.spawn("blue", at(-28.0, 0.3), '{"gear": "L", "occupants": 0}')
    rig.step(7)
    rig.spawn("green", at(-34.0, -6.0), '{"gear": "N", "drive_mode": "2wd"}')
    rig.remove(old)
    rig.spawn("red", at(-40.0, -9.0), '{"gear": "L"}')
    rig.entities.set_info("blue", Info(Category.ROBOT, "the second", ("mine",)))
    drive(rig, 101)


def drive(rig: Rig, steps: int) -> None:
    """Drive each at a speed of its own."""
    for speed, agent in enumerate(rig.agents):
        for message in (m.Enable(), m.GearCmd(cmd=LOW), m.UlcCmd(cmd=1.0 + speed, cmd_type=VELOCITY, enable=True)):
            agent.environment.post(message)
    rig.step(steps)


def run_on(rig: Rig, steps: int = 70) -> list[tuple[Any, ...]]:
    """Drive on; return who is there, and the samples, scans and events of each."""
    logs: list[Any] = [agent.output for agent in rig.agents]
    for log in logs:
        log.samples.clear()
        log.sweeps.clear()
    drive(rig, steps)
    return [
        (agent.member, log.bytes, [each.points.tobytes() for each in log.sweeps], agent.environment.take_events())
        for agent, log in zip(rig.agents, logs, strict=True)
    ]


def test_a_new_simulation_makes_the_vehicles_of_a_file(make_fleet: Fleets, corn: World, tmp_path: Path) -> None:
    rig, other = (make_fleet(corn, FIRST, scanning=True) for _ in range(2))
    three_came_and_one_went(rig)
    rig.simulation.snapshot().save(tmp_path / "four.npz")
    other.step(5)
    other.simulation.restore(Snapshot.load(tmp_path / "four.npz"), other)
    assert [agent.member for agent in other.agents] == [
        Member("polaris", 0, False),
        Member("blue", 2, True),
        Member("green", 3, True),
        Member("red", 1, True),
    ]
    assert other.entities.names()[:4] == ["polaris", "blue", "green", "red"]
    assert other.entities.info("blue").tags == ("mine",) and other.entities.info("red").tags[0] == "spawned"
    assert [log.greetings for log in other.logs[1:]] == [[False]] * 3, "nothing of before goes on"
    assert content(other, tmp_path) == (tmp_path / "four.npz").read_bytes()
    first, again = run_on(rig), run_on(other)
    assert first == again
    assert all(len(sweeps) >= 5 for _, _, sweeps, _ in first), "each scans, and meets the boxes of the others"
    assert other.closed == []
    for each in (rig, other):
        each.simulation.reset(Scope.STATE)
    assert run_on(rig, 24) == run_on(other, 24), "the starts are theirs too"
    new = [each.spawn("new", at(-46.0, -9.0)).member for each in (rig, other)]
    assert new == [Member("new", 4, True)] * 2


def test_who_is_there_stays_and_the_others_go(make_fleet: Fleets, corn: World) -> None:
    rig = make_fleet(corn, FIRST, scanning=True)
    three_came_and_one_went(rig)
    snapshot = rig.simulation.snapshot()
    first = run_on(rig)
    polaris, blue, green, red = rig.agents
    rig.remove(green)
    rig.spawn("late", at(-52.0, 6.0))
    rig.closed.clear()
    rig.simulation.restore(snapshot, rig)
    assert rig.closed == ["late"] and "late" not in rig.entities.names()
    assert rig.agents[0] is polaris and rig.agents[1] is blue and rig.agents[3] is red
    assert rig.agents[2] is not green
    assert run_on(rig) == first


def test_one_of_the_same_name_becomes_that_of_the_snapshot(make_fleet: Fleets, corn: World) -> None:
    def with_two(rig: Rig) -> None:
        rig.spawn("blue", at(-28.0, 0.3))
        rig.spawn("red", at(-40.0, -9.0), '{"gear": "L", "occupants": 5}')
        drive(rig, 30)

    rig, other = (make_fleet(corn, FIRST) for _ in range(2))
    with_two(rig)
    snapshot = rig.simulation.snapshot()
    here = other.spawn("red", at(20.0))
    assert (here.slot, here.environment.agent) == (1, 1)
    drive(other, 10)
    other.simulation.restore(snapshot, other)
    assert other.agents[2] is here and other.closed == [], "its node stays"
    assert (here.slot, here.environment.agent) == (2, 2)
    assert run_on(other) == run_on(rig)
    assert here.environment.parameters.tobytes() == rig.agents[2].environment.parameters.tobytes()
    for each in (rig, other):  # another seed, so that the streams begin anew
        each.simulation.reset(Scope.STATE, seed=9)
        each.agents[2].environment.set_fault("command_loss", values=[0.5])
    for _ in range(8):
        assert run_on(other, 3) == run_on(rig, 3)


def test_all_of_them_share_one_world_with_what_is_spawned(make_fleet: Fleets, flat: World) -> None:
    rig, other = (make_fleet(flat, FIRST) for _ in range(2))
    rig.simulation.fleet.set_spawned(
        rig.environments[0].spawned.with_one("wall", WALL, Pose((30.0, 0.0, 0.0), (0.0, 1.0)))
    )
    rig.spawn("red", at(20.0, 5.0))
    drive(rig, 12)
    other.simulation.restore(rig.simulation.snapshot(), other)
    worlds = [agent.environment.whole_world for agent in other.agents]
    assert len(worlds) == 2 and worlds[0] is worlds[1] and worlds[0].scene is not None
    assert run_on(other) == run_on(rig)


def test_one_alone_is_alone_again(make_fleet: Fleets, corn: World, tmp_path: Path) -> None:
    rig = make_fleet(corn, FIRST, scanning=True)
    drive(rig, 33)
    snapshot = rig.simulation.snapshot()
    first, before = run_on(rig), content(rig, tmp_path)
    rig.spawn("red", at(-28.0, 0.3))
    drive(rig, 10)
    rig.simulation.restore(snapshot)
    assert rig.closed == ["red"] and rig.environments[0].vehicles == () and rig.entities.names() == ["polaris"]
    assert run_on(rig) == first and content(rig, tmp_path) == before


def test_a_touch_of_it_goes_on(make_fleet: Fleets, yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="N", speed=3.0)
    rig, other = (make_fleet(yard, start) for _ in range(2))
    ground = float(yard.terrain.height_at(start.x + 5.0, start.y))
    gone = rig.spawn("gone", at(start.x + 60.0, start.y, float(yard.terrain.height_at(start.x + 60.0, start.y))))
    rig.spawn("red", at(start.x + 5.0, start.y, ground))
    rig.remove(gone)
    rig.step(60)
    assert rig.environments[0].vehicle["collision"] == 2 and rig.environments[0].collisions.last == "red"
    other.simulation.restore(rig.simulation.snapshot(), other)
    for each in (rig, other):
        each.remove(each.agents[1])
    events = [str(each.environments[0].take_events()) for each in (rig, other)]
    assert "touches red" in events[0] and "leaves red, which is removed" in events[0] and events[0] == events[1]


def test_rounds_leave_no_vehicle_behind(make_fleet: Fleets, flat: World) -> None:
    rig = make_fleet(flat, FIRST)
    alone = rig.simulation.snapshot()
    rig.spawn("red", at(20.0))
    two = rig.simulation.snapshot()
    made: list[weakref.ref[Agent]] = []
    for _ in range(20):
        rig.simulation.restore(alone, rig)
        rig.simulation.restore(two, rig)
        made.append(weakref.ref(rig.agents[1]))
    gc.collect()
    assert rig.closed == ["red"] * 20 and [one() for one in made[:-1]] == [None] * 19
    assert rig.entities.environments == [agent.environment for agent in rig.agents]
    rig.step(1)


# -- refusals ---------------------------------------------------------------------------------------------------------


class Failing:
    """Makes vehicles of a rig, and fails at some."""

    def __init__(self, rig: Rig, *, at_agent: int = 100) -> None:
        self._rig = rig
        self._left = at_agent
        self.environments = self.agents = 0

    def environment(self, start: Start, number: int, occupants: object) -> Environment:
        self.environments += 1
        return self._rig.environment(start, number, occupants)

    def agent(self, name: str, environment: Environment) -> Agent:
        self._left -= 1
        if self._left < 0:
            raise AcresError(f"no topics for {name}")
        self.agents += 1
        return self._rig.agent(name, environment)


def refused(rig: Rig, snapshot: Snapshot, folder: Path, maker: Any) -> str:
    """Return why a snapshot is refused, after a look that nothing was touched."""
    before, agents, names = content(rig, folder), rig.agents, rig.entities.names()
    with pytest.raises(AcresError) as caught:
        rig.simulation.restore(snapshot, maker)
    assert content(rig, folder) == before and rig.agents == agents and rig.entities.names() == names
    return str(caught.value)


def test_where_one_cannot_be_made_all_is_as_it_was(make_fleet: Fleets, corn: World, tmp_path: Path) -> None:
    rig, other = (make_fleet(corn, FIRST) for _ in range(2))
    three_came_and_one_went(rig)
    snapshot = rig.simulation.snapshot()
    here = other.spawn("red", at(20.0), '{"gear": "N", "occupants": 4}')
    other.spawn("late", at(40.0))
    drive(other, 20)
    before = other.simulation.snapshot()
    assert refused(other, snapshot, tmp_path, Failing(other, at_agent=1)) == "no topics for green"
    assert other.closed == ["blue"], "what had been made of it is gone"
    assert (here.slot, here.environment.agent, here.environment.start.gear) == (1, 1, "N")
    first = run_on(other)
    other.simulation.restore(before, other)
    assert run_on(other) == first
    other.simulation.restore(snapshot, other)
    assert run_on(other) == run_on(rig)


Change = Callable[[Snapshot], Snapshot]


def members(*values: tuple[str, int, bool]) -> Change:
    return lambda snapshot: replace(snapshot, vehicles=tuple(Member(*each) for each in values))


def other_state(**changes: Any) -> Change:
    """Return a change of the state of the last vehicle."""

    def change(snapshot: Snapshot) -> Snapshot:
        *others, last = snapshot.others
        return replace(snapshot, others=(*others, replace(last, **changes)))

    return change


def last_environment(**changes: Any) -> Change:
    return lambda snapshot: other_state(environment=snapshot.others[-1].environment._replace(**changes))(snapshot)


def last_came(name: str) -> Change:
    def change(snapshot: Snapshot) -> Snapshot:
        state = snapshot.others[-1].simulation
        assert state is not None
        return other_state(simulation=state._replace(came=(Came(name, 1, 0, Verdict.ACCEPTED),)))(snapshot)

    return change


def last_parameters(parameters: object) -> Change:
    return lambda snapshot: other_state(origin={**snapshot.others[-1].origin, "parameters": parameters})(snapshot)


P, A, R = ("polaris", 0, False), ("agent_1", 1, False), ("red", 2, True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (members(P, A, ("a-b", 2, True)), r"vehicles = ['agent_1', 'a-b']: wanted names that vehicles can have"),
        (members(P, A, ("red\n", 2, True)), "wanted names that vehicles can have"),
        (members(P, A, ("", 2, True)), "wanted names that vehicles can have"),
        (members(P, A, ("a" * 65, 2, True)), "wanted names that vehicles can have"),
        (members(P, A, ("agent_1", 2, True)), "wanted each name once"),
        (members(P, A, ("polaris", 2, True)), "vehicles = 'polaris': wanted a name of its own"),
        (members(P, A, ("red", 1, True)), "vehicles = [0, 1, 1]: wanted numbers from 0 to 7, each once"),
        (members(P, A, ("red", 8, True)), "vehicles = [0, 1, 8]: wanted numbers from 0 to 7"),
        (members(P, A, ("red", -1, True)), "vehicles = [0, 1, -1]: wanted numbers from 0 to 7"),
        (members(P, A, ("red", 3, True)), "agent = 2: wanted 3"),
        (members(P, ("agent_1", 3, False), R), "vehicles = [0, 3, 2]: wanted numbers from 0 to 7, each once, those of"),
        (members(P, R, A), "vehicles = ['polaris', 'red', 'agent_1']: wanted those of the start before the others"),
        (members(P, ("agent_1", 1, True), R), "vehicles = ('polaris',): wanted ('polaris', 'agent_1'), by name"),
        (members(P, A, ("red", 2, False)), "vehicles = ('polaris', 'agent_1', 'red'): wanted ('polaris', 'agent_1')"),
        (members(("first", 0, False), A, R), "vehicles = ('first', 'agent_1'): wanted ('polaris', 'agent_1')"),
        (members(P, A), "others = 2: wanted 1, one state for each further vehicle"),
        (members(P, A, R, ("blue", 3, True)), "others = 2: wanted 3, one state for each further vehicle"),
        (members(), "vehicles = (): wanted those of a simulation, which has "),
        (lambda snapshot: replace(snapshot, others=snapshot.others[:1]), "others = 1: wanted 2"),
        (last_environment(start=Start(x=1e6)), "environment.start = Start("),
        (last_environment(step_count=41), "others.1.step_count = 41: wanted 40"),
        (last_came("horn"), "simulation.came = 'horn': wanted one of enable"),
        (last_parameters({"mass": {"occupants": 7}}), "others.1.origin.parameters = 7: wanted overrides: mass.occup"),
        (last_parameters({"mass": {"occupants": "nan"}}), "others.1.origin.parameters = 'nan': wanted"),
        (last_parameters({"mass": 3}), "parameters.mass = 3: wanted {"),
        (last_parameters([]), "parameters = []: wanted {"),
        (last_parameters({"mass": {"occupants": 3}}), "start one alike to take it up"),
        (other_state(origin=7), "the snapshot 7: wanted {"),
    ],
)
def test_vehicles_that_cannot_be_are_refused(
    make_fleet: Fleets, flat: World, tmp_path: Path, change: Change, words: str
) -> None:
    starts = Start(gear="L"), Start(y=5.0)
    rig, other = make_fleet(flat, *starts), make_fleet(flat, *starts)
    rig.spawn("red", at(20.0))
    rig.step(40)
    snapshot = rig.simulation.snapshot()
    assert snapshot.vehicles == tuple(Member(*each) for each in (P, A, R))
    maker = Failing(other)
    text = refused(other, change(snapshot), tmp_path, maker)
    assert words in text, text
    assert maker.agents == 0
    other.simulation.restore(snapshot, maker)
    assert maker.agents == 1
    assert words in refused(other, change(snapshot), tmp_path, maker), "where it is here too"
    assert maker.agents == 1 and run_on(other, 12) == run_on(rig, 12)


def test_the_names_of_obstacles_are_not_those_of_vehicles(make_fleet: Fleets, flat: World, tmp_path: Path) -> None:
    rig = make_fleet(flat, FIRST)
    rig.spawn("red", at(20.0))
    snapshot = rig.simulation.snapshot()
    wall = rig.environments[0].spawned.with_one("red", Resource("box", (1.0, 1.0, 1.0), "building"), at_pose(40.0))
    states = [
        replace(each, environment=each.environment._replace(spawned=wall)) for each in (snapshot, *snapshot.others)
    ]
    both = replace(states[0], others=tuple(states[1:]), vehicles=snapshot.vehicles)
    assert "environment.spawned.name = 'red': wanted a name of its own" in refused(rig, both, tmp_path, rig)
    alone = replace(states[0], others=(), vehicles=snapshot.vehicles[:1])
    rig.simulation.restore(alone, rig)
    assert rig.entities.names() == ["polaris", "red"] and rig.closed == ["red"], "now it is a box"
    rig.simulation.restore(snapshot, rig)
    assert [agent.title for agent in rig.agents] == ["polaris", "red"], "and a vehicle again"
    assert not rig.entities.is_static("red")


def at_pose(x: float) -> Pose:
    return Pose((x, 0.0, 0.0), (0.0, 1.0))


def test_without_a_maker_all_have_to_be_here(make_fleet: Fleets, flat: World, tmp_path: Path) -> None:
    rig = make_fleet(flat, FIRST)
    red = rig.spawn("red", at(20.0))
    rig.step(3)
    snapshot = rig.simulation.snapshot()
    rig.simulation.restore(snapshot)
    rig.remove(red)
    assert "vehicles = 'red': wanted a vehicle that is here" in refused(rig, snapshot, tmp_path, None)


@pytest.mark.parametrize("state", [State.STOPPED, State.PAUSED])
def test_the_state_of_the_simulation_decides_before_any_is_made(make_fleet: Fleets, flat: World, state: State) -> None:
    rig = make_fleet(flat, FIRST)
    red = rig.spawn("red", at(20.0))
    snapshot = rig.simulation.snapshot()
    rig.remove(red)
    rig.simulation.set_state(state)
    if state is State.PAUSED:
        rig.simulation.begin_steps(100)
    maker = Failing(rig)
    with pytest.raises(StoppedError if state is State.STOPPED else BusyError):
        rig.simulation.restore(snapshot, maker)
    assert (maker.environments, maker.agents) == (0, 0) and len(rig.agents) == 1


def changed(key: str, value: Any, manifest: dict[str, Any], _: dict[str, bytes]) -> None:
    manifest[key] = value(manifest) if callable(value) else value


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("version", 1, "version = 1: wanted 2"),
        ("vehicles", None, "vehicles = None: wanted a list"),
        ("vehicles", ["polaris", "red"], "vehicles.0 = 'polaris': wanted the keys name, number, spawned"),
        ("vehicles", [{"name": "polaris", "number": 0.0, "spawned": False}], "vehicles.0.number = 0.0: wanted a whole"),
        ("vehicles", [{"name": "polaris", "number": 0, "spawned": 0}], "vehicles.0.spawned = 0: wanted true or false"),
        ("others", lambda manifest: manifest["others"] * 8, "others = 8: wanted 7 further vehicles at most"),
        ("others", [3], "others = [3]: wanted the further vehicles, a list"),
    ],
)
def test_a_file_says_who_was_there(
    make_fleet: Fleets, flat: World, tmp_path: Path, key: str, value: Any, words: str
) -> None:
    rig = make_fleet(flat, FIRST)
    rig.spawn("red", at(20.0))
    path = tmp_path / "two.npz"
    rig.simulation.snapshot().save(path)
    wrong = changed_file(path, partial(changed, key, value))
    with pytest.raises(SnapshotError) as caught:
        Snapshot.load(wrong)
    assert words in str(caught.value)
