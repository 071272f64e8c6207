"""The sweeps: when they begin, end and leave, from where they are fired, and what a reset or a slow thread does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from crop_worlds import crop_world

from acres_ros.core.entities import vehicle_motion
from acres_ros.core.entity_state import put_vehicle
from acres_ros.core.environment import Environment
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_job import ScanJob
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.parameters import load_parameters
from acres_ros.core.sample import Sweep
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import State
from acres_ros.core.start import Start
from acres_ros.core.sweeps import Sweeps, delay_steps, sweep_steps
from acres_ros.core.weather import Weather
from acres_ros.errors import AcresError
from acres_ros.world import World


class Log:
    """An output that keeps the order of samples (their steps) and scans."""

    def __init__(self) -> None:
        self.connected = True
        self.items: list[int | Sweep] = []
        self.fails_at = 0

    def send(self, samples: np.ndarray, *, more: bool = False) -> None:
        if samples["step"][-1] == self.fails_at:
            raise AcresError("acres_vehicle is gone")
        self.items += samples["step"].tolist()

    def send_scan(self, sweep: Sweep) -> None:
        self.items.append(sweep)

    def ask(self) -> None:
        """Nothing waits."""

    def barrier(self, timeout_s: float) -> None:
        """Nothing waits."""

    def greet(self, *, goes_on: bool = False) -> None:
        """Nobody is told."""

    def clouds(self) -> list[tuple[int, int, bytes]]:
        """Return the step behind which each scan left, the step of its begin, and its points."""
        found, last = [], 0
        for item in self.items:
            if isinstance(item, Sweep):
                found.append((last, item.step, item.points.tobytes()))
            else:
                last = item
        return found

    def steps(self) -> list[tuple[int, int]]:
        """Return the first two of `clouds`."""
        return [(left, begin) for left, begin, _ in self.clouds()]


def small(**changes: object) -> LidarPattern:
    """Return the Helios with a tenth of its columns."""
    return replace(LidarPattern.helios(), columns=180, **changes)  # type: ignore[arg-type]


@pytest.fixture
def environment(yard: World) -> Environment:
    return Environment(yard, load_parameters(), Start(speed=5.0, gear="N"))


@pytest.fixture
def make(environment: Environment) -> Iterator[Callable[..., Simulation]]:
    made: list[Sweeps] = []

    def simulation(
        pattern: LidarPattern | None = None, wanted: Callable[[], bool] = lambda: True, state: State = State.PAUSED
    ) -> Simulation:
        made.append(Sweeps(environment, pattern or small(), wanted))
        return Simulation(environment, Log(), list, rate=0.0, state=state, sweeps=made[-1])

    yield simulation
    for sweeps in made:
        sweeps.close()


def run(simulation: Simulation, *requests: int) -> Log:
    for steps in requests:
        request = simulation.begin_steps(steps)
        while not request.done:
            simulation.advance(0.0)
        assert request.error is None and request.completed == steps
    log = simulation.first.output
    assert isinstance(log, Log)
    return log


def test_a_sweep_leaves_two_steps_behind_its_end_between_two_samples(make: Callable[..., Simulation]) -> None:
    log = run(make(), 60)
    # 10 Hz: due at 12, 24, ..., ends 12 later; 0.01 s are 1.2 steps.
    assert log.steps() == [(26, 12), (38, 24), (50, 36)]
    assert [item for item in log.items if not isinstance(item, Sweep)] == list(range(1, 61))


@pytest.mark.parametrize(
    ("hz", "delay", "length", "steps"),
    [
        (10.0, 0.0, 12, [(24, 12), (36, 24), (48, 36), (60, 48)]),
        (10.0, 0.1, 12, [(36, 12), (48, 24), (60, 36)]),
        (20.0, 1.0 / 120.0, 6, [(13 + 6 * n, 6 + 6 * n) for n in range(8)]),
        # 50 Hz: due at 0, 2.4, 4.8, 7.2, 9.6, 12, ...: first steps 3, 5, 8, 10, 12; a sweep is 2.4 steps: 2.
        (50.0, 0.0, 2, [(5, 3), (7, 5), (10, 8), (12, 10), (14, 12)]),
        # 7 Hz: a sweep is 17.14 steps: 17; due at 17.14, 34.29, 51.4: 18, 35, 52.
        (7.0, 0.0, 17, [(35, 18), (52, 35)]),
    ],
)
def test_every_rate_has_its_grid_and_its_length(
    make: Callable[..., Simulation], hz: float, delay: float, length: int, steps: list[tuple[int, int]]
) -> None:
    pattern = replace(small(), columns=12, firing_us=(0.0,) * 32, hz=hz, delay_s=delay)
    assert sweep_steps(pattern) == length
    log = run(make(pattern), 60)
    assert log.steps()[: len(steps)] == steps


def test_a_delay_ends_at_the_first_step_that_is_not_earlier() -> None:
    pattern = LidarPattern.helios()
    assert pattern.delay_s == 0.01
    for delay, steps in ((0.0, 0), (1e-9, 0), (1e-7, 1), (1 / 120, 1), (2 / 120, 2), (0.017, 3), (1.0, 120)):
        assert delay_steps(replace(pattern, delay_s=delay)) == steps


def test_requests_of_other_sizes_give_the_same_clouds(
    make: Callable[..., Simulation], environment: Environment
) -> None:
    wanted = run(make(), 60).clouds()
    for requests in ([12] * 5, [1] * 60, [7] * 8 + [4], [26, 34], [25, 1, 34]):
        environment.restart()
        assert run(make(), *requests).clouds() == wanted


def footprint(body: np.ndarray, ahead: float, height: float) -> list[float]:
    """Return the pose of base_footprint from that of the centre of mass, by a matrix."""
    x, y, z, w = (body[name] for name in ("qx", "qy", "qz", "qw"))
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return [*(np.array([body["x"], body["y"], body["z"]]) - matrix @ [ahead, 0.0, height]), x, y, z, w]


def test_a_column_is_fired_from_where_the_vehicle_is_and_sees_what_is_crushed(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = load_parameters()
    environment = Environment(
        crop_world(half=20, height=0.8), parameters, Start(x=-5.0, yaw=0.4, speed=5.0, gear="N"), agent=2
    )
    prepare, prepared = Lidar.prepare, []

    def spy(self: Lidar, pattern: LidarPattern, poses: Any, **options: Any) -> ScanJob:
        if options:
            prepared.append((environment.step_count, poses.copy(), {**options, "crushed": options["crushed"].copy()}))
        return prepare(self, pattern, poses, **options)

    monkeypatch.setattr(Lidar, "prepare", spy)
    environment.set_conditions(rain_mm_per_h=4.0)
    sweeps = Sweeps(environment, small(), lambda: True)
    log = Log()
    rows, masks = [], {}
    while environment.step_count < 26:
        rows.append(environment.step(min(1, sweeps.steps_ahead())))
        masks[environment.step_count] = environment.farm.farm.masks.copy()
        sweeps.take(rows[-1], wait=True)
        log.items += sweeps.leaving(wait=True)
    sweeps.close()
    ((at, poses, options),) = prepared
    body = np.concatenate(rows)["vehicle"]["body"][11:24]  # of steps 12 to 24
    assert body["x"][-1] - body["x"][0] > 0.3, "it moves"
    geometry = parameters[0].geometry
    wanted = [footprint(row, geometry.mass_ahead_m, geometry.mass_height_m) for row in body]
    np.testing.assert_allclose(poses, wanted, atol=1e-12)
    assert at == 24
    np.testing.assert_array_equal(options["crushed"], masks[24])
    assert (masks[24] != masks[12]).any()
    assert [options[key] for key in ("noise", "seed", "environment", "step")] == [True, 42, 2, 12]
    options = {"noise": True, "seed": 42, "environment": 2, "step": 12, "weather": Weather(4.0)}
    scan = Lidar.of(environment.world).scan(small(), poses, crushed=masks[24], **options)
    assert isinstance(log.items[0], Sweep) and log.items[0].points.tobytes() == scan.points.tobytes()


def test_nobody_wants_it_and_nothing_is_scanned(
    make: Callable[..., Simulation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lidar, "of", lambda world: pytest.fail("a LiDAR was made"))
    assert run(make(wanted=lambda: False), 60).steps() == []


def test_it_is_asked_at_the_end_of_each_sweep(make: Callable[..., Simulation], environment: Environment) -> None:
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(environment.step_count)
        return environment.step_count == 36

    assert run(make(wanted=wanted), 60).steps() == [(38, 24)]
    assert asked == [24, 36, 48, 60]


@pytest.mark.parametrize("restart", ["state", "time", "all", "world"])
def test_a_reset_drops_what_is_pending(
    make: Callable[..., Simulation], environment: Environment, yard: World, restart: str
) -> None:
    simulation = make()
    log = run(simulation, 60)
    first = log.clouds()
    assert [begin for _, begin, _ in first] == [12, 24, 36], "that of step 48 has ended and has not left"
    log.items.clear()
    if restart == "state":
        simulation.reset(2)
    elif restart == "time":
        simulation.reset(1)
    elif restart == "all":
        simulation.reset(0)
    else:
        simulation.load_world(lambda: (yard, Start(speed=5.0, gear="N")))
        simulation.set_state(State.PAUSED)
    again = run(simulation, 30)
    start = 60 if restart == "state" else 0
    assert again.steps() == [(start + 26, start + 12)]
    if restart != "time":
        assert again.clouds()[0][2] == first[0][2], "the episode repeats"
    sweep = next(item for item in again.items if isinstance(item, Sweep))
    assert (sweep.epoch, sweep.epoch_step) == (environment.epoch, start)


def test_free_run_never_waits_and_lockstep_does(
    make: Callable[..., Simulation], environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    scan = ScanJob.run
    monkeypatch.setattr(ScanJob, "run", lambda job, threads=1: (go.wait(10.0), scan(job, threads))[1])
    simulation = make(state=State.PLAYING)
    log = simulation.first.output
    go.set()
    hung = time.monotonic() + 300.0
    while not log.clouds():  # the LiDAR is made in the thread, and sweeps that end before are left out
        simulation.advance(0.0)
        assert time.monotonic() < hung
    earliest = next(item for item in log.items if isinstance(item, Sweep))
    assert earliest.dropped >= earliest.step // 12 - 1, "each one before it is counted, though there was no LiDAR yet"
    go.clear()
    first = environment.step_count
    for _ in range(20):
        assert simulation.advance(0.0) == 12
    assert environment.step_count == first + 240, "20 sweeps ended, and none held the steps"
    left = len(log.clouds())
    go.set()
    simulation.set_state(State.PAUSED)
    run(simulation, 1)
    late = log.clouds()[left:]
    assert [at for at, _, _ in late] == [first + 241] * len(late), "what is late leaves at the first step of a request"
    assert 1 <= len(late) <= 3
    begins = [begin for _, begin, _ in log.clouds()]
    assert begins == sorted(begins)
    after = len(log.clouds())
    run(simulation, 120)
    sweeps = [item for item in log.items if isinstance(item, Sweep)]
    assert sweeps[-1].dropped >= 17
    assert [left - begin for left, begin, _ in log.clouds()[after + 1 :]] == [14] * (len(sweeps) - after - 1)


def test_a_vehicle_that_is_put_elsewhere_fires_the_whole_sweep_from_there(
    make: Callable[..., Simulation], environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracks: list[np.ndarray] = []
    prepare = Lidar.prepare

    def noted(lidar: Lidar, pattern: LidarPattern, track: np.ndarray, **options: Any) -> ScanJob:
        tracks.append(track)
        return prepare(lidar, pattern, track, **options)

    monkeypatch.setattr(Lidar, "prepare", noted)
    simulation = make()
    run(simulation, 17)
    here = vehicle_motion(environment)
    put_vehicle(environment, here._replace(position=(here.position[0] - 40.0, *here.position[1:])))
    run(simulation, 31)
    put, after = tracks[1:3]  # behind the first scan, with which the LiDAR is made
    assert len(set(put[:6, 0].tolist())) == 1, "steps 12 to 17 stand at the place of step 18"
    assert put[6, 0] == put[0, 0] and put[7, 0] > put[6, 0]
    assert np.abs(np.diff(put[:, 0])).max() < 0.1 and np.abs(np.diff(after[:, 0])).max() < 0.1
    assert after[0, 0] == put[-1, 0]


@pytest.mark.parametrize("state", [State.PLAYING, State.PAUSED])
def test_the_samples_of_a_step_leave_before_the_scan_that_ends_with_it_is_begun(
    make: Callable[..., Simulation], monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    simulation = make(state=state)
    log = simulation.first.output
    sent: list[int] = []
    prepare = Lidar.prepare

    def noting(*arguments: Any, **options: Any) -> ScanJob:
        if threading.current_thread() is threading.main_thread():  # the other one warms the LiDAR
            newest = next(item for item in reversed(log.items) if not isinstance(item, Sweep))
            sent.append(simulation.environment.step_count - newest)
        return prepare(*arguments, **options)

    monkeypatch.setattr(Lidar, "prepare", noting)
    hung = time.monotonic() + 300.0
    while not log.clouds():
        if state is State.PAUSED and simulation.request is None:
            simulation.begin_steps(60)
        simulation.advance(0.0)
        assert time.monotonic() < hung
    assert sent and set(sent) == {0}


@pytest.mark.parametrize("wanted", [False, True])
def test_steps_whose_samples_nobody_took_at_the_end_of_a_sweep_are_in_the_sweeps_all_the_same(
    make: Callable[..., Simulation], environment: Environment, wanted: bool
) -> None:
    """The death of a vehicle node is noticed there first: in lockstep by 12 steps each request ends with a sweep."""
    simulation = make(wanted=lambda: wanted)
    log = run(simulation, 12, 12)
    log.fails_at = 36
    request = simulation.begin_steps(12)
    while not request.done:
        simulation.advance(0.0)
    assert (request.failure, request.completed) == ("acres_vehicle is gone", 12)
    clouds = run(simulation, 12, 12).clouds()
    assert [begin for _, begin, _ in clouds] == ([12, 24, 36] if wanted else [])
    # What nobody took is missing before the scans, not in them.
    environment.restart()
    whole = {begin: points for _, begin, points in run(make(), 60).clouds()}
    assert [points for _, begin, points in clouds] == ([whole[begin] for begin in (12, 24, 36)] if wanted else [])
