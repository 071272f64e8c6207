"""Several vehicles in one world: one clock, one farm, each at its own start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from fleet_rig import LOW, VELOCITY, Rig, beside

from acres_ros.core import messages as m
from acres_ros.core.entities import vehicle_motion
from acres_ros.core.environment import Environment
from acres_ros.core.fleet import NoRoomError, starts_beside
from acres_ros.core.inbox import Arrival
from acres_ros.core.parameters import load_parameters
from acres_ros.core.simulation_state import NoOutputError, Scope, State
from acres_ros.core.start import Start
from acres_ros.core.step_commands import CommandNameError, CommandsMissingError, CommandStep
from acres_ros.errors import AcresError
from acres_ros.world import World, load_world

# -- steps ------------------------------------------------------------------------------------------------------------


def test_one_request_moves_every_vehicle_exactly_once(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard, 3))
    rig.step(7)
    assert [log.all["step"].tolist() for log in rig.logs] == [list(range(1, 8))] * 3
    assert [log.barriers for log in rig.logs] == [1, 1, 1]
    assert {environment.step_count for environment in rig.environments} == {7}


def test_chunks_of_steps_give_the_bits_of_single_steps_where_marks_are_crossed(
    make_fleet: Callable[..., Rig], corn: World
) -> None:
    starts = Start(x=-20.0, y=0.0, gear="L"), Start(x=-26.0, y=0.2, gear="L")
    runs = []
    for chunk in (12, 1, 5):
        rig = make_fleet(corn, *starts, scanning=True)
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


def test_a_vehicle_far_away_changes_no_bit_of_the_first(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = beside(yard)[0]
    alone, two = make_fleet(yard, start), make_fleet(yard, start, replace(start, x=start.x + 300.0))
    for rig in (alone, two):
        rig.drive(240)
    assert alone.logs[0].bytes == two.logs[0].bytes


def test_nothing_moves_while_a_vehicle_has_no_output(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard))
    rig.logs[1].connected = False
    with pytest.raises(NoOutputError):
        rig.simulation.begin_steps(1)
    rig.simulation.set_state(State.PLAYING)
    rig.simulation.advance(0.0)
    assert rig.simulation.advance(1.0) == 0


def test_a_step_waits_for_the_commands_of_each_and_carries_some(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard))
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
    make_fleet: Callable[..., Rig], yard: World, name: str
) -> None:
    rig = make_fleet(yard, *beside(yard))
    with pytest.raises(CommandNameError, match="is no command: .* as in agent_1/ulc"):
        rig.simulation.begin_steps(1, CommandStep((name,), 1.0))
    with pytest.raises(CommandNameError):
        rig.simulation.begin_steps(1, CommandStep((), 0.0, (("agent_2", m.Enable()),)))


def test_in_free_run_all_move_by_one_clock(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard))
    rig.simulation.set_state(State.PLAYING)
    rig.simulation.advance(0.0)
    for tick in range(1, 11):
        rig.simulation.advance(0.05 * tick)
    assert [environment.step_count for environment in rig.environments] == [60, 60]


def test_the_errors_of_the_sensors_differ(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard))
    rig.step(12)
    first, second = (log.all["navigation"]["ins"]["position"][-1] for log in rig.logs)
    assert np.abs(first - second).max() > 1e-6
    own = Environment(yard, load_parameters(), beside(yard)[1], agent=1).step(12)
    assert second.tolist() == own["navigation"]["ins"]["position"][-1].tolist()


# -- farm -------------------------------------------------------------------------------------------------------------


def test_the_marks_of_one_are_felt_by_the_other(make_fleet: Callable[..., Rig], corn: World) -> None:
    starts = Start(x=-20.0, gear="L"), Start(x=-30.0, gear="L")
    rig = make_fleet(corn, *starts)
    rig.drive(1200, speeds=(3.0, 2.0))
    alone = make_fleet(corn, starts[1])
    alone.drive(1200, speeds=(2.0,))
    behind, undisturbed = (log.all["vehicle"]["crushed_total"][-1] for log in (rig.logs[1], alone.logs[0]))
    assert 0.0 <= behind < 0.8 * undisturbed
    farm = rig.environments[0].farm
    assert farm is rig.environments[1].farm
    total = sum(log.all["vehicle"]["crushed_total"][-1] for log in rig.logs)
    assert farm.crushed_m2 == pytest.approx(total)


def test_a_reset_of_one_leaves_the_marks_of_all_and_a_reset_of_all_removes_them(
    make_fleet: Callable[..., Rig], corn: World
) -> None:
    rig = make_fleet(corn, Start(x=-20.0, gear="L"), Start(x=-20.0, y=5.0, gear="L"))
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


def test_the_time_that_one_reset_restarts_is_that_of_all(make_fleet: Callable[..., Rig], yard: World) -> None:
    rig = make_fleet(yard, *beside(yard))
    rig.drive(60)
    place = vehicle_motion(rig.environments[0]).position
    rig.simulation.reset(Scope.STATE | Scope.TIME, agent=rig.agents[1])
    assert [environment.step_count for environment in rig.environments] == [0, 0]
    assert vehicle_motion(rig.environments[0]).position == place
    rig.step(1)
    assert [log.samples[-1]["step"][-1] for log in rig.logs] == [1, 1]


@pytest.mark.parametrize("scope", [0, 255])
def test_a_restart_repeats_the_run_of_all(make_fleet: Callable[..., Rig], corn: World, scope: int) -> None:
    rig = make_fleet(corn, Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L"))
    rig.drive(240)
    before = [log.all for log in rig.logs]
    rig.simulation.reset(scope)
    for log in rig.logs:
        log.samples.clear()
    rig.drive(240)
    for first, second in zip(before, (log.all for log in rig.logs), strict=True):
        for name in ("step", "vehicle", "gateway", "navigation"):
            assert first[name].tobytes() == second[name].tobytes()


def test_another_world_takes_all_vehicles_and_one_farm(
    make_fleet: Callable[..., Rig], yard: World, corn: World
) -> None:
    rig = make_fleet(corn, Start(x=-20.0, gear="L"), Start(x=-26.0, gear="L"))
    rig.drive(60)
    start = beside(yard)[0]
    greetings = [len(log.greetings) for log in rig.logs]
    rig.simulation.load_world(lambda: (yard, start))
    assert [environment.world for environment in rig.environments] == [yard, yard]
    assert rig.environments[0].farm is rig.environments[1].farm
    assert [len(log.greetings) for log in rig.logs] == [count + 1 for count in greetings]
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


def test_a_vehicle_whose_output_is_lost_keeps_nobody_from_waiting_for_the_others(
    make_fleet: Callable[..., Rig], yard: World
) -> None:
    rig = make_fleet(yard, *beside(yard)[:2])
    rig.logs[0].failure = AcresError("acres_vehicle is gone")
    request = rig.simulation.begin_steps(12)
    while not request.done:
        rig.simulation.advance(0.0)
    assert request.failure == "acres_vehicle is gone"
    assert [log.barriers for log in rig.logs] == [1, 1]
