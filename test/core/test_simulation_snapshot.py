"""A snapshot of a simulation: with the sweeps of the LiDAR, what was told of entities, and the samples of a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from snapshot_rig import LOW, at, changed_file, reloaded, speed, steer, whole

from acres_ros._record import column
from acres_ros.core import messages as m
from acres_ros.core.entities import FIRST_VEHICLE, Category, Entities, Info, Motion
from acres_ros.core.environment import Environment
from acres_ros.core.history import MOST_STEPS, steps_recalled
from acres_ros.core.inbox import Arrival
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import SAMPLE, Sweep
from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import BusyError, Simulation, State, StoppedError
from acres_ros.core.simulation_state import Scope
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.spawnables import Resource
from acres_ros.core.spawning import SpawnRequest, with_spawned
from acres_ros.core.start import Start
from acres_ros.core.sweeps import Sweeps
from acres_ros.world import World, load_world

TREE = "tree-0001"


class Listener:
    """An output that keeps the bytes of all that it gets, in order."""

    def __init__(self) -> None:
        self.connected = True
        self.items: list[bytes] = []
        self.told: list[str] = []
        self.recalled = np.zeros(0, SAMPLE)

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        self.items += [row.tobytes() for row in samples]

    def send_scan(self, sweep: Sweep) -> None:
        self.items.append(f"scan {sweep[:-1]}".encode() + sweep.points.tobytes())

    def ask(self) -> None:
        """Nothing is asked."""

    def barrier(self, timeout_s: float) -> None:
        """Nothing waits."""

    def greet(self, *, goes_on: bool = False) -> None:
        self.told.append("greeting")

    def recall(self, samples: np.ndarray) -> None:
        self.told.append("recall")
        self.recalled = samples


class Rig:
    """A simulation on the yard with a small LiDAR, and what comes of it."""

    def __init__(self, world: World, **changes: Any) -> None:
        pattern = changes.pop("pattern", replace(LidarPattern.helios(), columns=60))
        state = changes.pop("state", State.PAUSED)
        scanning = changes.pop("scanning", True)
        self.environment = Environment(world, load_parameters(), Start(speed=4.0, gear="L"), **changes)
        self.sweeps = Sweeps(self.environment, pattern, lambda: True)
        self.entities = Entities(self.environment)
        self.output = Listener()
        self.arrivals: list[Arrival] = []
        self.simulation = Simulation(
            self.environment,
            self.output,
            self._take,
            rate=0.0,
            state=state,
            sweeps=self.sweeps if scanning else None,
            entities=self.entities,
        )

    def _take(self) -> list[Arrival]:
        taken, self.arrivals = self.arrivals, []
        return taken

    def send(self, *messages: m.Message) -> None:
        self.arrivals += [Arrival(0.0, message) for message in messages]

    def run(self, steps: int, chunk: int = 5) -> list[bytes]:
        """Drive on, and return what leaves meanwhile."""
        start = len(self.output.items)
        while steps > 0:
            count = self.environment.step_count
            self.send(steer(12.5 + (11 * count) % 60), speed(2.0))
            request = self.simulation.begin_steps(min(chunk, steps))
            while not request.done:
                self.simulation.advance(0.0)
            assert request.error is None
            self.output.items.append(f"applied {request.applied}".encode())
            steps -= request.total
        return self.output.items[start:]


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("yard")


@pytest.fixture
def make(world: World) -> Iterator[Callable[..., Rig]]:
    made: list[Rig] = []

    def rig(**changes: Any) -> Rig:
        made.append(Rig(world, **changes))
        return made[-1]

    yield rig
    for each in made:
        each.sweeps.close()


def started(rig: Rig, steps: int) -> Rig:
    rig.send(m.Enable(), m.GearCmd(cmd=LOW))
    rig.run(steps)
    return rig


# At 10 Hz and 2 steps of delay: 125 is in the middle of a sweep, at 133 one has ended and not left, at 12 one begins.
@pytest.mark.parametrize("steps", [125, 133, 12, 7, 300])
def test_scans_and_samples_repeat_from_the_middle_of_a_sweep(
    steps: int, make: Callable[..., Rig], tmp_path: Path
) -> None:
    rig = started(make(), steps)
    rig.send(m.DriverInput(brake_bar=2.0))  # has come, and no step has read it
    snapshot = rig.simulation.snapshot()
    first = rig.run(150)
    scans = [item for item in first if item.startswith(b"scan")]
    assert len(scans) >= 10, "they are among what is compared"
    rig.simulation.restore(snapshot)
    assert rig.run(150) == first
    other = started(make(), 31)
    other.simulation.restore(reloaded(snapshot, tmp_path / "state"))
    assert other.run(150) == first


def test_a_run_with_snapshots_is_the_run_without(make: Callable[..., Rig]) -> None:
    plain, taken = started(make(), 5), started(make(), 5)
    for _ in range(20):
        taken.simulation.snapshot()
        assert taken.run(7) == plain.run(7)


def test_the_output_is_greeted_and_recalls_the_last_second_of_the_epoch(make: Callable[..., Rig]) -> None:
    rig = started(make(), 300)
    snapshot = rig.simulation.snapshot()
    published = [item for item in rig.output.items if not item.startswith((b"scan", b"applied"))]
    rig.run(40)
    rig.simulation.restore(snapshot)
    assert rig.output.told == ["greeting", "recall"]
    assert [row.tobytes() for row in rig.output.recalled] == published[-121:]
    rig.simulation.reset(2)
    rig.run(10)
    assert rig.simulation.snapshot().simulation.history["step"].tolist() == list(range(301, 311))
    rig.simulation.restore(snapshot)
    assert rig.simulation.snapshot().simulation.history.tobytes() == snapshot.simulation.history.tobytes()


def test_a_sensor_with_a_long_way_needs_more_samples() -> None:
    tree = dict(Sensors.from_file().tree)
    assert steps_recalled(Sensors.from_tree(tree).navigation) == 121
    tree["vehicle_imu"] = {**tree["vehicle_imu"], "delay_s": 1.5}
    assert steps_recalled(Sensors.from_tree(tree).navigation) == 181
    tree["ins"] = {**tree["ins"], "delay_s": 2.0}
    assert steps_recalled(Sensors.from_tree(tree).navigation) == MOST_STEPS


def test_what_was_told_of_entities_comes_back(make: Callable[..., Rig], tmp_path: Path) -> None:
    rig = make()
    names = ["polaris"]
    info = Info(Category.HUMAN, "a person who looks like a car", ("odd", "über"))
    rig.entities.set_info(names[0], info)
    snapshot = reloaded(rig.simulation.snapshot(), tmp_path / "state")
    before = rig.entities.info(names[0])
    rig.simulation.reset(0)
    assert rig.entities.info(names[0]) != before
    rig.entities.set_info(names[0], Info(Category.OBJECT, "a thing", ()))
    rig.simulation.restore(snapshot)
    assert rig.entities.info(names[0]) == info
    rig.simulation.reset(0)
    assert rig.entities.info(names[0]).category is Category.ROBOT


def test_what_came_before_a_restore_does_not_act_after_it(make: Callable[..., Rig]) -> None:
    rig = started(make(), 60)
    snapshot = rig.simulation.snapshot()
    first = rig.run(30)
    rig.send(m.Disable())
    rig.simulation.restore(snapshot)
    assert rig.run(30) == first


def test_in_free_run_time_goes_on_from_the_snapshot(make: Callable[..., Rig]) -> None:
    rig = make(state=State.PLAYING, scanning=False)
    for _ in range(10):
        rig.simulation.advance(0.0)
    rig.send(m.Enable())
    snapshot = rig.simulation.snapshot()
    assert rig.arrivals, "the next pass gives it its time"
    step = rig.environment.step_count
    for _ in range(5):
        rig.simulation.advance(0.0)
    rig.simulation.restore(snapshot)
    assert rig.environment.step_count == step and rig.simulation.state is State.PLAYING
    assert rig.simulation.advance(0.0) == 12


def test_the_state_decides_whether_a_snapshot_is_taken_or_restored(make: Callable[..., Rig]) -> None:
    rig = started(make(), 12)
    snapshot = rig.simulation.snapshot()
    rig.simulation.begin_steps(100)
    for act in (rig.simulation.snapshot, lambda: rig.simulation.restore(snapshot)):
        with pytest.raises(BusyError, match="with 100 steps left"):
            act()
    rig.simulation.set_state(State.STOPPED)
    with pytest.raises(StoppedError, match="set it PAUSED or PLAYING"):
        rig.simulation.restore(snapshot)
    assert rig.environment.step_count == 0
    assert rig.simulation.snapshot().environment.step_count == 0, "to look at a beginning is no change of it"


def test_a_state_of_an_environment_alone_is_taken_up_with_nothing_on_its_way(make: Callable[..., Rig]) -> None:
    rig = started(make(), 127)
    snapshot = rig.environment.snapshot()
    rig.run(30)
    rig.simulation.restore(snapshot)
    assert whole(rig.environment) == whole(rig.environment.fork(1)[0])
    assert len(rig.output.recalled) == 0
    scans = [item for item in rig.run(60) if item.startswith(b"scan")]
    assert scans[0].startswith(b"scan (132, ") and len(scans) == 4, "the first one begins at the next step of the grid"


def test_a_simulation_without_a_lidar_takes_up_the_rest(make: Callable[..., Rig]) -> None:
    rig = started(make(), 127)
    snapshot = rig.simulation.snapshot()
    first = [item for item in rig.run(60) if not item.startswith(b"scan")]
    blind = make(scanning=False)
    blind.simulation.restore(snapshot)
    assert blind.run(60) == first


def at_key(key: str, value: Any) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(manifest: dict[str, Any], _: dict[str, bytes]) -> None:
        holder, name = at(manifest, key)
        holder[name] = value

    return change


def history_field(name: str, value: int) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        rows = np.frombuffer(bytearray(arrays["arrays/simulation.history"]), SAMPLE)
        column(rows, name)[5] = value
        arrays["arrays/simulation.history"] = rows.tobytes()

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (at_key("simulation.sweeps.pattern", "0"), "simulation.sweeps.pattern = '0': wanted"),
        (at_key("simulation.sweeps.begun", [121]), "simulation.sweeps.begun = (121,): wanted steps above 121"),
        (at_key("simulation.sweeps.begun", [134]), "simulation.sweeps.begun = (134,)"),
        (at_key("simulation.sweeps.begun", [132, 132]), "simulation.sweeps.begun = (132, 132)"),
        (at_key("simulation.sweeps.pending.0.begin", 122), "simulation.sweeps.pending.begin = 122"),
        (at_key("simulation.sweeps.pending.0.leaves", 135), "simulation.sweeps.pending.leaves = 135: wanted 134"),
        (at_key("simulation.told", [{"name": "x", "category": 1, "description": "", "tags": []}]), "simulation.told"),
        (
            at_key("simulation.told", [{"name": "polaris", "category": 9, "description": "", "tags": []}]),
            "simulation.told = ('polaris', 9)",
        ),
        (history_field("step", 1), "simulation.history.step = "),
        (history_field("epoch", 3), "simulation.history.epoch = "),
        (history_field("gateway.system.state", 300), "simulation.history.gateway.system.state = [2, 2, "),
        (history_field("vehicle.drive_mode", 3), "simulation.history.vehicle.drive_mode = ["),
        (history_field("navigation.ins.fix", 9), "simulation.history.navigation.ins.fix = ["),
        (history_field("epoch_step", 3), "simulation.history.epoch_step = "),
        (
            at_key("simulation.came", [{"name": "honk", "messages": 1, "refused": 0, "verdict": 0}]),
            "simulation.came = 'honk': wanted one of enable, ",
        ),
        (at_key("simulation.dropped", 0), "simulation = {"),
        (at_key("simulation", 1), "simulation = 1"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_in_one_place_is_refused(
    change: Callable[[dict[str, Any], dict[str, bytes]], None], words: str, make: Callable[..., Rig], tmp_path: Path
) -> None:
    rig = started(make(), 133)
    path = tmp_path / "state"
    rig.simulation.snapshot().save(path)
    rig.run(20)
    before = whole(rig.environment)
    rig.send(m.Disable())
    with pytest.raises(SnapshotError) as caught:
        rig.simulation.restore(Snapshot.load(changed_file(path, change)))
    assert words in str(caught.value)
    assert whole(rig.environment) == before and rig.arrivals and rig.output.told == []


# -- spawned obstacles ------------------------------------------------------------------------------------------------


def spawn_ahead(rig: Rig, name: str = "wall", metres: float = 12.0) -> None:
    motion = rig.entities.motion(FIRST_VEHICLE)
    x, y, z = motion.position
    request = SpawnRequest(name, False, "", Motion((x + metres, y, z)))
    wall = Resource("box", (1.0, 6.0, 4.0), "building")

    def act() -> None:
        spawned, _ = with_spawned(rig.environment, rig.entities, rig.environment.spawned, request, wall)
        rig.environment.set_spawned(spawned)

    rig.simulation.change("to spawn", act)


def test_a_spawned_obstacle_is_scanned_told_and_in_the_snapshot(make: Callable[..., Rig], tmp_path: Path) -> None:
    rig = started(make(), 125)
    spawn_ahead(rig)
    assert rig.output.told == ["greeting", "recall"]
    assert len(rig.output.recalled) == 121, "what is on its way goes on"
    info = Info(Category.OBJECT, "a wall", ("wall",))
    rig.entities.set_info("wall", info)
    snapshot = rig.simulation.snapshot()
    first = rig.run(150)
    plain = started(make(), 125).run(150)
    scans = [(one, other) for one, other in zip(first, plain, strict=True) if one.startswith(b"scan")]
    assert scans and all(one != other for one, other in scans[1:])
    assert any(one == other for one, other in zip(first, plain, strict=True) if not one.startswith(b"scan"))
    rig.simulation.reset(int(Scope.SPAWNED))
    assert rig.output.told == ["greeting", "recall"] * 2
    assert not rig.entities.is_known("wall")
    for other in (rig, started(make(), 31)):
        other.simulation.restore(reloaded(snapshot, tmp_path / "state"))
        assert other.entities.info("wall") == info
        assert other.run(150) == first


def test_a_snapshot_whose_obstacle_has_the_name_of_another_entity_is_refused(make: Callable[..., Rig]) -> None:
    rig = started(make(), 12)
    spawn_ahead(rig)
    snapshot = rig.simulation.snapshot()
    spawned = snapshot.environment.spawned
    wrong = spawned._replace(obstacles=(spawned.obstacles[0]._replace(name=FIRST_VEHICLE),))
    wrong_snapshot = replace(snapshot, environment=snapshot.environment._replace(spawned=wrong))
    with pytest.raises(SnapshotError, match="a name of its own"):
        rig.simulation.restore(wrong_snapshot)


def test_nothing_is_spawned_while_a_step_request_runs(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.simulation.begin_steps(10)
    with pytest.raises(BusyError):
        spawn_ahead(rig)
    assert not rig.environment.spawned.obstacles
