"""The rules of stepping, pausing and resetting, on a stand-in for the environment that only counts."""

from __future__ import annotations

import pytest
from simulation_rig import STEP, finish, simulation

from acres_ros.core.inbox import Arrival
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import (
    BusyError,
    NoOutputError,
    NotPausedError,
    NotPlayingError,
    State,
    StepCountError,
    TransitionError,
    WorldInUseError,
)
from acres_ros.core.start import Start
from acres_ros.errors import AcresError
from acres_ros.world import World


@pytest.fixture
def paused() -> Simulation:
    return simulation(State.PAUSED)


@pytest.fixture
def playing() -> Simulation:
    return simulation(State.PLAYING)


def test_a_request_runs_exactly_its_steps_and_ends_behind_a_barrier(paused: Simulation) -> None:
    request = paused.begin_steps(30)
    finish(paused)
    assert request.done and request.completed == 30 and request.error is None
    assert paused.first.output.log == [*range(1, 31), "barrier"]
    assert paused.state is State.PAUSED


def test_steps_are_refused_unless_paused(playing: Simulation) -> None:
    with pytest.raises(NotPausedError, match="PLAYING"):
        playing.begin_steps(1)
    assert playing.environment.step_count == 0


@pytest.mark.parametrize("steps", [0, -1, 2**63, Simulation.MAX_STEPS + 1])
def test_counts_that_cannot_run_are_refused(paused: Simulation, steps: int) -> None:
    with pytest.raises(StepCountError, match=str(steps)):
        paused.begin_steps(steps)
    assert paused.request is None


def test_steps_need_somebody_who_publishes(paused: Simulation) -> None:
    paused.first.output.connected = False
    with pytest.raises(NoOutputError):
        paused.begin_steps(1)


def test_a_second_request_a_reset_and_a_transition_wait_for_the_first(paused: Simulation) -> None:
    paused.begin_steps(100)
    paused.advance(0.0)
    for refused in (
        lambda: paused.begin_steps(1),
        lambda: paused.reset(0),
        lambda: paused.set_state(State.PLAYING),
    ):
        with pytest.raises(BusyError, match="88 steps left"):
            refused()
    finish(paused)
    assert paused.environment.step_count == 100


def test_a_cancelled_request_ends_at_a_whole_chunk_behind_a_barrier(paused: Simulation) -> None:
    request = paused.begin_steps(100)
    paused.advance(0.0)
    request.cancelled = True
    finish(paused)
    assert request.completed == paused.environment.step_count == 12
    assert paused.first.output.log[-1] == "barrier"
    assert paused.begin_steps(1).total == 1


def test_a_lost_output_ends_the_request_with_its_error(paused: Simulation) -> None:
    request = paused.begin_steps(100)
    paused.first.output.failure = AcresError("gone")
    paused.advance(0.0)
    assert request.done and str(request.error) == "gone" and paused.request is None


def test_quitting_ends_a_running_request_and_is_final(paused: Simulation) -> None:
    request = paused.begin_steps(100)
    paused.set_state(State.QUITTING)
    assert request.done and request.cancelled
    with pytest.raises(TransitionError, match="QUITTING"):
        paused.set_state(State.PLAYING)


def test_stopping_cuts_a_running_request_short_and_then_steps_again(paused: Simulation) -> None:
    request = paused.begin_steps(10**9)
    paused.advance(0.0)
    paused.set_state(State.STOPPED)
    assert request.cancelled and request.completed == 12 and paused.environment.restarts == 1
    paused.set_state(State.PAUSED)
    assert paused.begin_steps(1).left == 1


def test_stopping_resets_time_and_state_and_pausing_from_there_is_allowed(playing: Simulation) -> None:
    playing.advance(0.0)
    playing.advance(0.1)
    playing.set_state(State.STOPPED)
    assert playing.environment.restarts == 1 and playing.environment.step_count == 0
    playing.set_state(State.PAUSED)
    playing.begin_steps(1)


@pytest.mark.parametrize(
    ("scope", "resets", "time_restarts", "restarts"),
    [(0, [], 0, 1), (255, [], 0, 1), (3, [(None, True)], 0, 0), (2, [(None, False)], 0, 0), (1, [], 1, 0)],
)
def test_each_bit_of_a_reset_does_its_part(
    paused: Simulation, scope: int, resets: list, time_restarts: int, restarts: int
) -> None:
    paused.reset(scope)
    environment = paused.environment
    assert (environment.resets, environment.time_restarts, environment.restarts) == (resets, time_restarts, restarts)
    assert paused.state is State.PAUSED


@pytest.mark.parametrize("restart", [lambda s: s.reset(0), lambda s: s.set_state(State.STOPPED)])
def test_a_restart_brings_the_first_rate_back_and_a_reset_of_the_state_does_not(paused: Simulation, restart) -> None:
    paused.set_rate(3.0)
    paused.reset(2)
    assert paused.rate == 3.0
    restart(paused)
    assert paused.rate == 1.0


def test_free_run_follows_the_wall_and_holds_while_paused(playing: Simulation) -> None:
    playing.advance(10.0)
    assert playing.advance(10.0 + 5.5 * STEP) == 5
    playing.set_state(State.PAUSED)
    assert playing.advance(20.0) == 0
    playing.set_state(State.PLAYING)
    assert playing.advance(30.0) == 0, "the time of the pause is not caught up"
    assert playing.advance(30.0 + 2.5 * STEP) == 2


def test_a_pause_of_the_free_run_is_reached_when_all_is_out(playing: Simulation, paused: Simulation) -> None:
    playing.advance(0.0)
    playing.advance(5.5 * STEP)
    playing.set_state(State.PAUSED)
    assert playing.first.output.log[-3:] == [5, "asked", "barrier"]
    paused.set_state(State.STOPPED)
    paused.set_state(State.PAUSED)
    assert paused.first.output.log == [], "nothing was run"


def test_what_was_run_of_a_request_that_is_stopped_is_out(paused: Simulation) -> None:
    paused.begin_steps(1000)
    paused.advance(0.0)
    paused.set_state(State.STOPPED)
    assert paused.first.output.log[-2:] == [12, "barrier"]
    paused.set_state(State.PAUSED)
    paused.begin_steps(1000)
    paused.advance(0.0)
    paused.first.output.log.clear()
    paused.set_state(State.QUITTING)
    assert paused.first.output.log == [], "the end waits for nobody"


def test_a_free_run_whose_output_is_lost_is_paused_all_the_same(playing: Simulation) -> None:
    def lost(timeout_s: float) -> None:
        raise NoOutputError

    playing.first.output.barrier = lost
    playing.set_state(State.PAUSED)
    assert playing.state is State.PAUSED


def test_free_run_holds_while_nobody_publishes(playing: Simulation) -> None:
    playing.first.output.connected = False
    playing.arrivals.append(Arrival(0.0, "held"))
    assert playing.advance(0.0) == 0 and playing.advance(5.0) == 0
    playing.first.output.connected = True
    assert playing.advance(10.0) == 0
    assert playing.advance(10.0 + 1.5 * STEP) == 1
    assert ("held", None) in playing.environment.posted, "a command of the pause applies at the next step"


def test_commands_of_a_free_run_apply_at_their_arrival(playing: Simulation) -> None:
    playing.advance(0.0)
    playing.advance(6.01 * STEP)
    begin = playing.environment.time_s
    playing.arrivals.append(Arrival(9.01 * STEP, "command"))
    playing.advance(12.01 * STEP)
    (_, apply_at) = playing.environment.posted[-1]
    assert apply_at == pytest.approx(begin + 3 * STEP, abs=1e-9)


@pytest.mark.parametrize(
    "act",
    [
        lambda simulation: simulation.begin_steps(1),
        lambda simulation: simulation.set_state(State.PLAYING),
        lambda simulation: simulation.post("of a service", "it"),
    ],
)
def test_commands_of_a_pause_are_read_in_their_order_when_something_is_asked(paused: Simulation, act) -> None:
    paused.arrivals += [Arrival(123.0, "first"), Arrival(122.0, "second")]
    paused.advance(124.0)
    assert paused.environment.posted == [], "nothing is read while nothing happens"
    act(paused)
    assert paused.environment.posted[:2] == [("first", None), ("second", None)]


def test_a_message_of_a_service_is_refused_while_steps_run_and_what_has_come_stays(paused: Simulation) -> None:
    """Wall time would choose the step at which it acts, and let what came behind the request act there too."""
    paused.begin_steps(100)
    paused.advance(0.0)
    paused.arrivals.append(Arrival(0.0, "for the next request"))
    with pytest.raises(BusyError, match="another drive mode is refused: a step request is running"):
        paused.post("of a service", "another drive mode")
    finish(paused)
    assert paused.environment.posted == []


def test_commands_that_came_before_a_reset_do_not_outlive_it(paused: Simulation) -> None:
    paused.arrivals.append(Arrival(0.0, "old"))
    paused.reset(0)
    assert not paused.arrivals and paused.environment.posted == [("old", None)]
    assert paused.environment.restarts, "the reset came after"


def test_steps_whose_samples_are_late_are_counted(paused: Simulation) -> None:
    request = paused.begin_steps(12)
    paused.first.output.failure = AcresError("slow")
    paused.advance(0.0)
    assert request.completed == paused.environment.step_count == 12


def test_the_loop_sleeps_until_the_next_step_and_not_during_a_request(playing: Simulation) -> None:
    playing.advance(0.0)
    assert playing.wait_s(0.4 * STEP, 1.0) == pytest.approx(0.6 * STEP)
    playing.set_state(State.PAUSED)
    assert playing.wait_s(0.0, 0.05) == 0.05
    playing.begin_steps(100)
    assert playing.wait_s(0.0, 0.05) == 0.0


# -- worlds and greetings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [State.STOPPED, State.PAUSED])
def test_a_world_is_loaded_while_nothing_runs_and_the_simulation_is_stopped_then(state: State) -> None:
    loading = simulation(state)
    loading.environment.step(7)
    loading.set_rate(4.0)
    loading.arrivals.append(Arrival(0.0, "old"))
    world, start = World.flat(), Start()
    loading.load_world(lambda: (world, start))
    assert loading.environment.worlds == [(world, start)]
    assert (loading.state, loading.environment.step_count, loading.rate) == (State.STOPPED, 0, 1.0)
    assert loading.environment.posted[0][0] == "old", "what came before belongs to the old world"
    assert loading.first.output.log == ["greeting"]


def test_no_world_is_loaded_while_playing_or_during_a_step_request(playing: Simulation, paused: Simulation) -> None:
    def never() -> tuple[object, object]:
        raise AssertionError("the files were read for nothing")

    with pytest.raises(WorldInUseError, match="PLAYING.*STOPPED or PAUSED"):
        playing.load_world(never)
    paused.begin_steps(100)
    with pytest.raises(BusyError, match="another world"):
        paused.load_world(never)
    assert (playing.state, paused.state) == (State.PLAYING, State.PAUSED)


def test_a_world_that_cannot_be_loaded_changes_nothing(paused: Simulation) -> None:
    def broken() -> tuple[object, object]:
        raise AcresError("no such folder")

    paused.environment.step(3)
    with pytest.raises(AcresError, match="no such folder"):
        paused.load_world(broken)
    assert (paused.state, paused.environment.step_count, paused.first.output.log) == (State.PAUSED, 3, [])


def test_the_output_is_greeted_when_what_is_simulated_has_changed_and_only_then(paused: Simulation) -> None:
    paused.reset(2)
    paused.reset(0)
    paused.set_state(State.STOPPED)
    assert paused.first.output.log == []
    paused.reset(2, occupants=3)
    paused.reset(2)
    assert paused.first.output.log == ["greeting"]
    paused.environment.revision += 1  # as when a restart brings the first parameters back
    paused.set_state(State.PAUSED)
    paused.set_state(State.STOPPED)
    assert paused.first.output.log == ["greeting"] * 2


def run_freely(simulation: Simulation, begin: float, end: float) -> int:
    """Advance every 10 ms of wall time; return how many steps were run."""
    before = simulation.environment.step_count
    for tick in range(round((end - begin) * 100.0)):
        simulation.advance(begin + 0.01 * tick)
    return simulation.environment.step_count - before


def test_a_halt_of_the_clock_holds_the_free_run_for_its_time(playing: Simulation) -> None:
    assert 58 <= run_freely(playing, 0.0, 0.5) <= 60
    playing.halt(2.0)
    assert run_freely(playing, 0.5, 2.5) == 0 and playing.halt_left(2.0) == pytest.approx(0.5)
    assert 58 <= run_freely(playing, 2.5, 3.0) <= 60, "nothing is caught up"
    assert playing.halt_left(3.0) == 0.0


@pytest.mark.parametrize(
    "end",
    [
        lambda simulation: simulation.halt(0.0),
        lambda simulation: simulation.set_rate(1.0),
        lambda simulation: simulation.reset(0),
        lambda simulation: (simulation.set_state(State.PAUSED), simulation.set_state(State.PLAYING)),
    ],
    ids=["zero", "rate", "reset", "state"],
)
def test_what_ends_a_halt_before_its_time(playing: Simulation, end) -> None:
    run_freely(playing, 0.0, 0.1)
    playing.halt(600.0)
    run_freely(playing, 0.1, 0.2)
    end(playing)
    assert playing.halt_left(0.2) == 0.0
    assert run_freely(playing, 0.2, 0.7) >= 57


@pytest.mark.parametrize("state", [State.PAUSED, State.STOPPED])
def test_a_clock_that_stands_anyway_cannot_halt(paused: Simulation, state: State) -> None:
    paused.set_state(state)
    with pytest.raises(NotPlayingError, match=f"{state.name}.*PLAYING"):
        paused.halt(1.0)
    assert paused.halt_left(0.0) == 0.0
