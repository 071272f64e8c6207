"""Several vehicles in one world: one clock, one farm, and each sees and touches the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from crop_worlds import crop_world

from acres_ros.core import messages as m
from acres_ros.core.agent import Agent
from acres_ros.core.entities import Entities, Filters, Motion, vehicle_motion
from acres_ros.core.entity_state import PoseError, put_vehicle
from acres_ros.core.environment import Environment
from acres_ros.core.fleet import NoRoomError, starts_beside
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.inbox import Arrival
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.outline import Outline, outlines_meet
from acres_ros.core.parameters import load_parameters
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import Sweep
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import NoOutputError, Scope, State
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned
from acres_ros.core.spawning import SpawnRequest, put_spawned, with_spawned
from acres_ros.core.start import Start
from acres_ros.core.step_commands import CommandNameError, CommandsMissingError, CommandStep
from acres_ros.core.sweeps import Sweeps
from acres_ros.world import World, load_world

ANGLE, VELOCITY, LOW = 2, 1, 5


class Log:
    """An output that keeps the bytes of samples and scans, in order."""

    def __init__(self) -> None:
        self.connected = True
        self.samples: list[np.ndarray] = []
        self.sweeps: list[Sweep] = []
        self.barriers = self.greetings = 0

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        self.samples.append(samples)

    def send_scan(self, sweep: Sweep) -> None:
        self.sweeps.append(sweep)

    def ask(self) -> None:
        """Nothing waits."""

    def barrier(self, timeout_s: float) -> None:
        self.barriers += 1

    def greet(self) -> None:
        self.greetings += 1

    def recall(self, samples: np.ndarray) -> None:
        """Nothing was on its way."""

    @property
    def all(self) -> np.ndarray:
        return np.concatenate(self.samples)

    @property
    def bytes(self) -> bytes:
        return b"".join(samples.tobytes() for samples in self.samples)


class Rig:
    """A simulation of some vehicles, in lockstep."""

    def __init__(
        self, world: World, *starts: Start, scanning: bool = False, pattern: LidarPattern | None = None
    ) -> None:
        self.logs = [Log() for _ in starts]
        self.come: list[list[Arrival]] = [[] for _ in starts]
        self.environments = [
            Environment(world, load_parameters(), start, agent=index) for index, start in enumerate(starts)
        ]
        pattern = pattern or replace(LidarPattern.helios(), columns=180)
        self.sweeps = [Sweeps(each, pattern, lambda: True) if scanning else None for each in self.environments]
        first, *others = self.environments
        self.entities = Entities(first, "", [(f"agent_{index + 1}", each) for index, each in enumerate(others)])
        self.simulation = Simulation(
            first,
            self.logs[0],
            partial(self._take, 0),
            state=State.PAUSED,
            sweeps=self.sweeps[0],
            entities=self.entities,
            others=[
                Agent(
                    each, self.logs[index], partial(self._take, index), sweeps=self.sweeps[index], name=f"agent_{index}"
                )
                for index, each in enumerate(self.environments)
                if index
            ],
        )

    def _take(self, index: int) -> list[Arrival]:
        come, self.come[index] = self.come[index], []
        return come

    @property
    def agents(self) -> tuple[Agent, ...]:
        return self.simulation.fleet.agents

    def step(self, steps: int) -> None:
        request = self.simulation.begin_steps(steps)
        while not request.done:
            self.simulation.advance(0.0)
        assert request.error is None

    def drive(self, steps: int, chunk: int = 12, speeds: tuple[float, ...] = (2.0, 3.0, 1.0)) -> None:
        """Let each drive at a speed of its own; commands come each 12 steps, whatever the chunk."""
        for begin in range(0, steps, chunk):
            if begin % 12 == 0:
                for environment, speed in zip(self.environments, speeds, strict=False):
                    environment.post(m.Enable())
                    environment.post(m.GearCmd(cmd=LOW))
                    environment.post(m.UlcCmd(cmd=speed, cmd_type=VELOCITY, enable=True))
                    environment.post(m.SteeringCmd(cmd=0.0, cmd_type=ANGLE, enable=True))
            self.step(chunk)

    def close(self) -> None:
        for sweeps in self.sweeps:
            if sweeps is not None:
                sweeps.close()


@pytest.fixture(scope="module")
def yard() -> World:
    return load_world("yard")


@pytest.fixture(scope="module")
def corn() -> World:
    return crop_world()


@pytest.fixture
def make() -> Iterator[Callable[..., Rig]]:
    made: list[Rig] = []

    def rig(*arguments: object, **options: object) -> Rig:
        made.append(Rig(*arguments, **options))  # type: ignore[arg-type]
        return made[-1]

    yield rig
    for each in made:
        each.close()


def beside(world: World, count: int = 2, **changes: object) -> list[Start]:
    place = world.places[0]
    return starts_beside(world, Start(x=place.x, y=place.y, yaw=place.yaw, gear="L", **changes), count)  # type: ignore[arg-type]


# -- steps ------------------------------------------------------------------------------------------------------------


def test_one_request_moves_every_vehicle_exactly_once(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard, 3))
    rig.step(7)
    assert [log.all["step"].tolist() for log in rig.logs] == [list(range(1, 8))] * 3
    assert [log.barriers for log in rig.logs] == [1, 1, 1]
    assert {environment.step_count for environment in rig.environments} == {7}


def test_chunks_of_steps_give_the_bits_of_single_steps_where_marks_are_crossed(
    make: Callable[..., Rig], corn: World
) -> None:
    starts = Start(x=-20.0, y=0.0, gear="L"), Start(x=-26.0, y=0.2, gear="L")
    runs = []
    for chunk in (12, 1, 5):
        rig = make(corn, *starts, scanning=True)
        if chunk == 5:
            for _ in range(2):
                rig.drive(180, 60)
        else:
            rig.drive(360, chunk)
        runs.append([(log.bytes, [sweep.points.tobytes() for sweep in log.sweeps]) for log in rig.logs])
    assert runs[0] == runs[1]
    assert [len(content) for content, _ in runs[2]] == [len(content) for content, _ in runs[0]]
    assert runs[0][1][0] != runs[2][1][0], "commands that come at other times make another drive"
    assert len(runs[0][0][1]) > 20


def test_a_vehicle_far_away_changes_no_bit_of_the_first(make: Callable[..., Rig], yard: World) -> None:
    start = beside(yard)[0]
    alone, two = make(yard, start), make(yard, start, replace(start, x=start.x + 300.0))
    for rig in (alone, two):
        rig.drive(240)
    assert alone.logs[0].bytes == two.logs[0].bytes


def test_nothing_moves_while_a_vehicle_has_no_output(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard))
    rig.logs[1].connected = False
    with pytest.raises(NoOutputError):
        rig.simulation.begin_steps(1)
    rig.simulation.set_state(State.PLAYING)
    rig.simulation.advance(0.0)
    assert rig.simulation.advance(1.0) == 0


def test_a_step_waits_for_the_commands_of_each_and_carries_some(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard))
    simulation = rig.simulation
    carried = (("agent_1", m.GearCmd(cmd=LOW)), ("", m.Enable()))
    request = simulation.begin_steps(1, CommandStep(("ulc", "agent_1/ulc"), 5.0, carried))
    ulc = m.UlcCmd(cmd=1.0, cmd_type=VELOCITY, enable=True)
    rig.come[0].append(Arrival(0.0, ulc))
    assert simulation.advance(0.0) == 0 and not request.begun
    rig.come[1].append(Arrival(0.1, ulc))
    simulation.advance(0.1)
    assert request.done and request.error is None
    assert [applied.name for applied in request.applied] == ["enable", "ulc", "agent_1/ulc", "agent_1/gear"]
    late = simulation.begin_steps(1, CommandStep(("agent_1/ulc",), 1.0))
    simulation.advance(1.0)
    simulation.advance(2.5)
    assert isinstance(late.error, CommandsMissingError) and "agent_1/ulc had not come" in str(late.error)


@pytest.mark.parametrize("name", ["agent_2/ulc", "/ulc", "agent_1/", "polaris/ulc", "agent_1/agent_1/ulc"])
def test_a_step_for_what_is_no_command_of_a_vehicle_is_refused(
    make: Callable[..., Rig], yard: World, name: str
) -> None:
    rig = make(yard, *beside(yard))
    with pytest.raises(CommandNameError, match="is no command: .* as in agent_1/ulc"):
        rig.simulation.begin_steps(1, CommandStep((name,), 1.0))
    with pytest.raises(CommandNameError):
        rig.simulation.begin_steps(1, CommandStep((), 0.0, (("agent_2", m.Enable()),)))


def test_in_free_run_all_move_by_one_clock(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard))
    rig.simulation.set_state(State.PLAYING)
    rig.simulation.advance(0.0)
    for tick in range(1, 11):
        rig.simulation.advance(0.05 * tick)
    assert [environment.step_count for environment in rig.environments] == [60, 60]


def test_the_errors_of_the_sensors_differ(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard))
    rig.step(12)
    first, second = (log.all["navigation"]["ins"]["position"][-1] for log in rig.logs)
    assert np.abs(first - second).max() > 1e-6
    own = Environment(yard, load_parameters(), beside(yard)[1], agent=1).step(12)
    assert second.tolist() == own["navigation"]["ins"]["position"][-1].tolist()


# -- farm -------------------------------------------------------------------------------------------------------------


def test_the_marks_of_one_are_felt_by_the_other(make: Callable[..., Rig], corn: World) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-30.0, gear="L")
    rig = make(corn, *starts)
    rig.drive(1200, speeds=(3.0, 2.0))
    alone = make(corn, starts[1])
    alone.drive(1200, speeds=(2.0,))
    behind, undisturbed = (log.all["vehicle"]["crushed_total"][-1] for log in (rig.logs[1], alone.logs[0]))
    assert 0.0 <= behind < 0.8 * undisturbed
    farm = rig.environments[0].farm
    assert farm is rig.environments[1].farm
    total = sum(log.all["vehicle"]["crushed_total"][-1] for log in rig.logs)
    assert farm.crushed_m2 == pytest.approx(total)


def test_a_reset_of_one_leaves_the_marks_of_all_and_a_reset_of_all_removes_them(
    make: Callable[..., Rig], corn: World
) -> None:
    rig = make(corn, Start(x=-20.0, gear="L"), Start(x=-20.0, y=5.0, gear="L"))
    rig.drive(360)
    crushed = rig.environments[0].farm.crushed_m2
    assert crushed > 1.0
    place = vehicle_motion(rig.environments[0]).position
    rig.simulation.reset(Scope.STATE, agent=rig.agents[1])
    assert rig.environments[0].farm.crushed_m2 == crushed
    assert vehicle_motion(rig.environments[0]).position == place
    assert vehicle_motion(rig.environments[1]).position[0] == pytest.approx(-20.0)
    assert [environment.epoch for environment in rig.environments] == [0, 1]
    rig.simulation.reset(Scope.STATE)
    assert rig.environments[0].farm.crushed_m2 == 0.0
    assert [environment.epoch for environment in rig.environments] == [1, 2]
    assert vehicle_motion(rig.environments[0]).position[0] == pytest.approx(-20.0)


# -- time, worlds -----------------------------------------------------------------------------------------------------


def test_the_time_that_one_reset_restarts_is_that_of_all(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard))
    rig.drive(60)
    place = vehicle_motion(rig.environments[0]).position
    rig.simulation.reset(Scope.STATE | Scope.TIME, agent=rig.agents[1])
    assert [environment.step_count for environment in rig.environments] == [0, 0]
    assert vehicle_motion(rig.environments[0]).position == place
    rig.step(1)
    assert [log.samples[-1]["step"][-1] for log in rig.logs] == [1, 1]


@pytest.mark.parametrize("scope", [0, 255])
def test_a_restart_repeats_the_run_of_all(make: Callable[..., Rig], corn: World, scope: int) -> None:
    rig = make(corn, Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L"))
    rig.drive(240)
    before = [log.all for log in rig.logs]
    rig.simulation.reset(scope)
    for log in rig.logs:
        log.samples.clear()
    rig.drive(240)
    for first, second in zip(before, (log.all for log in rig.logs), strict=True):
        for name in ("step", "vehicle", "gateway", "navigation"):
            assert first[name].tobytes() == second[name].tobytes()


def test_another_world_takes_all_vehicles_and_one_farm(make: Callable[..., Rig], yard: World, corn: World) -> None:
    rig = make(corn, Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L"))
    rig.drive(60)
    start = beside(yard)[0]
    greetings = [log.greetings for log in rig.logs]
    rig.simulation.load_world(lambda: (yard, start))
    assert [environment.world for environment in rig.environments] == [yard, yard]
    assert rig.environments[0].farm is rig.environments[1].farm
    assert [log.greetings for log in rig.logs] == [count + 1 for count in greetings]
    places = [vehicle_motion(environment).position[:2] for environment in rig.environments]
    assert math.dist(*places) == pytest.approx(4.0)


def test_starts_are_free_apart_and_on_the_map() -> None:
    farm = load_world("farm")
    for place in farm.places:
        starts = starts_beside(farm, Start(x=place.x, y=place.y, yaw=place.yaw, gear="N", speed=3.0), 8)
        assert starts[0].speed == 3.0
        for index, start in enumerate(starts[1:], 1):
            assert (start.yaw, start.gear, start.speed) == (starts[0].yaw, "N", 0.0)
            assert farm.inside(start.x, start.y, 2.6)
            assert farm.scene is not None and farm.scene.nearest_obstacle(start.x, start.y, 9.0) >= 2.6
            assert min(math.dist((start.x, start.y), (other.x, other.y)) for other in starts[:index]) > 3.9


def test_no_room_is_said_in_words(yard: World) -> None:
    west, south, east, north = yard.bounds
    with pytest.raises(NoRoomError, match="8 vehicles do not find room here: .* room for 0 more"):
        starts_beside(yard, Start(x=west + 1.0, y=south + 1.0, yaw=0.25 * math.pi), 8)


# -- each sees and touches the others ---------------------------------------------------------------------------------


def nearest_ahead(sweep: Sweep) -> float:
    """Return the shortest distance straight ahead of the sensor, at the height of a body, m."""
    x, y, z, _ = sweep.points.T
    with np.errstate(invalid="ignore"):
        chosen = (x > 3.0) & (np.abs(y) < 0.3) & (z > -1.2) & (z < -0.2)
    return float(x[chosen].min()) if chosen.any() else math.inf


def test_a_scan_has_the_other_vehicle_at_its_range(make: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="P")
    pattern = LidarPattern.helios()
    rig = make(yard, start, replace(start, x=start.x + 12.0), scanning=True, pattern=pattern)
    alone = make(yard, start, scanning=True, pattern=pattern)
    for each in (rig, alone):
        each.step(40)
    # The rear of the other is 0.457 m behind its base_footprint.
    expected = 12.0 - 0.457 - float(pattern.mount.xyz_m[0])
    assert nearest_ahead(rig.logs[0].sweeps[0]) == pytest.approx(expected, abs=0.1)
    assert nearest_ahead(alone.logs[0].sweeps[0]) > expected + 1.0


def test_a_moving_vehicle_is_met_where_it_is_when_the_beam_looks(make: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0)
    pattern = LidarPattern.helios()
    starts = replace(start, gear="P"), replace(start, x=start.x + 12.0, speed=5.0, gear="N")
    rig = make(yard, *starts, scanning=True, pattern=pattern)
    rig.step(40)
    sweep = rig.logs[0].sweeps[0]
    begin = sweep.step
    track = rig.logs[1].all
    x, y, *_ = sweep.points.T
    ring_count = pattern.rings
    chosen = int(np.nanargmin(np.where((np.abs(y) < 0.3) & (x > 3.0) & (sweep.points[:, 2] > -1.2), x, np.inf)))
    share = (chosen // ring_count) / pattern.columns
    at = begin + share * 12.0
    ahead = float(load_parameters()[0]["geometry"]["mass_ahead_m"])
    places = track["vehicle"]["body"]["x"] - ahead
    expected = float(np.interp(at, track["step"], places)) - 0.457 - start.x - float(pattern.mount.xyz_m[0])
    assert places[begin + 11] - places[begin - 1] > 0.4, "it moves half a metre in a sweep"
    assert x[chosen] == pytest.approx(expected, abs=0.1)


def test_a_vehicle_that_is_put_elsewhere_has_been_there_throughout(make: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="P")
    rig = make(yard, start, replace(start, x=start.x + 12.0), scanning=True, pattern=LidarPattern.helios())
    rig.step(18)
    motion = vehicle_motion(rig.environments[1])
    x, y, z = motion.position
    put_vehicle(rig.environments[1], motion._replace(position=(x + 5.0, y, z + 0.05)))
    rig.step(22)
    sweep = rig.logs[0].sweeps[0]
    assert sweep.step < 18 < sweep.step + 12
    assert nearest_ahead(sweep) == pytest.approx(17.0 - 0.457 - 1.6, abs=0.1)


def test_vehicles_that_touch_name_each_other(make: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="N")
    rig = make(yard, replace(start, speed=3.0), replace(start, x=start.x + 4.5), replace(start, y=start.y + 9.0))
    rig.step(60)
    touched = [log.all["vehicle"]["collision"] for log in rig.logs]
    assert touched[0][0] == touched[1][0] == -1
    assert touched[0][-1] == 1 and touched[1][-1] == 0 and (touched[2] == -1).all()
    begin = int(np.argmax(touched[0] >= 0))
    assert begin == int(np.argmax(touched[1] >= 0))
    gap = np.subtract(*(log.all["vehicle"]["body"]["x"][[begin - 1, begin]] for log in (rig.logs[1], rig.logs[0])))
    assert gap[1] <= 3.8 < gap[0]
    names = [[e.text for e in each.take_events() if e.code == "ACRES_COLLISION"] for each in rig.environments]
    assert names[0][0].startswith("touches agent_1 ") and names[1][0].startswith("touches polaris ")
    assert names[2] == []
    assert WorldFacts.of(rig.environments[0]).obstacle(1) == "agent_1"


def test_outlines_meet_where_no_axis_keeps_them_apart() -> None:
    flat = Outline(0.0, 0.0, (1.0, 0.0), 2.0, 1.0, 0.0, 2.0)
    turn = (math.sqrt(0.5), math.sqrt(0.5))
    reach = 1.0 + 3.0 * math.sqrt(0.5)
    for y, expected in ((reach - 1e-6, True), (reach + 1e-6, False)):
        assert outlines_meet(flat, flat._replace(y=y, forward=turn)) is expected
        assert outlines_meet(flat._replace(y=y, forward=turn), flat) is expected
    assert not outlines_meet(flat, flat._replace(low=2.1, high=4.0))
    assert outlines_meet(flat, flat._replace(low=1.9, high=4.0))


# -- entities, snapshots ----------------------------------------------------------------------------------------------


def test_all_vehicles_are_entities_that_can_be_put(make: Callable[..., Rig], yard: World) -> None:
    rig = make(yard, *beside(yard, 3))
    assert rig.entities.chosen(Filters(pattern="^(polaris|agent_.)$")) == ["polaris", "agent_1", "agent_2"]
    assert not rig.entities.is_static("agent_2")
    assert rig.entities.bounds("agent_1") == rig.entities.bounds("polaris")
    other = rig.entities.environment_of("agent_1")
    assert other is rig.environments[1]
    motion = rig.entities.motion("agent_1")
    x, y, z = motion.position
    put_vehicle(other, motion._replace(position=(x, y + 2.0, z)))
    assert rig.entities.motion("agent_1").position[1] == pytest.approx(y + 2.0)


def test_a_snapshot_of_all_goes_on_to_the_bit(make: Callable[..., Rig], corn: World, tmp_path: Path) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L")
    rig, other = make(corn, *starts, scanning=True), make(corn, *starts, scanning=True)
    rig.drive(132)
    rig.step(5)
    rig.simulation.snapshot().save(tmp_path / "two.npz")
    for log in rig.logs:
        log.samples.clear()
        log.sweeps.clear()
    other.simulation.restore(Snapshot.load(tmp_path / "two.npz"))
    for each in (rig, other):
        each.drive(120)
    for own, same in zip(rig.logs, other.logs, strict=True):
        assert own.bytes == same.bytes
        assert [s.points.tobytes() for s in own.sweeps] == [s.points.tobytes() for s in same.sweeps]
        assert len(own.sweeps) >= 9


def test_a_snapshot_of_other_vehicles_is_refused(make: Callable[..., Rig], corn: World, yard: World) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L")
    two, one = make(corn, *starts), make(corn, starts[0])
    two.drive(24)
    one.step(24)
    snapshot = two.simulation.snapshot()
    with pytest.raises(SnapshotError, match="others = 1: wanted 0 further vehicles"):
        one.simulation.restore(snapshot)
    with pytest.raises(SnapshotError, match="others = 0: wanted 1 further vehicles"):
        two.simulation.restore(one.simulation.snapshot())
    later = replace(snapshot.others[0], environment=snapshot.others[0].environment._replace(step_count=25))
    with pytest.raises(SnapshotError):
        two.simulation.restore(replace(snapshot, others=(later,)))
    two.step(1)
    assert two.environments[0].step_count == 25, "nothing was changed"


# -- spawned obstacles ------------------------------------------------------------------------------------------------


def spawned_at(rig: Rig, name: str, x: float, y: float) -> Spawned:
    request = SpawnRequest(name, False, "acres://box", "", "", Motion((x, y, 0.0)))
    first = rig.environments[0]
    return with_spawned(first, rig.entities, first.spawned, request)[0]


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
