"""Steps that wait for their commands: when they move, in which order commands act, and what the answer says of them."""

from __future__ import annotations

import math

import pytest
from simulation_rig import finish, simulation

from acres_ros.core.agent import MOST_HELD
from acres_ros.core.gateway_policy import Verdict
from acres_ros.core.inbox import Arrival
from acres_ros.core.messages import Disable, DriverInput, Enable, GearCmd, SteeringCmd, UlcCmd
from acres_ros.core.simulation import COMMAND_POLL_S, Simulation
from acres_ros.core.simulation_state import BusyError, Scope, State
from acres_ros.core.start import Start
from acres_ros.core.step_commands import (
    COMMANDS,
    MOST_CARRIED,
    Applied,
    CarriedTwiceError,
    CommandNameError,
    CommandsMissingError,
    CommandStep,
    WaitTimeError,
)
from acres_ros.core.streams import SeedRefusedError
from acres_ros.errors import AcresError
from acres_ros.world import World

STEERING = SteeringCmd(cmd_type=2, cmd=10.0, enable=True)
ULC = UlcCmd(cmd_type=1, cmd=2.0, enable=True)
BOTH = CommandStep(("steering", "ulc"), timeout_s=5.0)


@pytest.fixture
def paused() -> Simulation:
    return simulation(State.PAUSED)


def come(simulation: Simulation, *messages: object, sent: int = 0) -> None:
    """Let messages come, sent one after the other from a time on."""
    simulation.arrivals += [Arrival(0.0, message, (sent + index, 0)) for index, message in enumerate(messages)]


def posted(simulation: Simulation) -> list[object]:
    return [message for message, _ in simulation.environment.posted]


def test_it_moves_when_each_command_has_come_and_not_before(paused: Simulation) -> None:
    request = paused.begin_steps(12, BOTH)
    come(paused, STEERING)
    for wall in (0.0, 1.0, 4.9):
        assert paused.advance(wall) == 0
        assert paused.environment.step_count == 0 and not request.done
    come(paused, ULC, sent=5)
    assert paused.advance(4.95) == 12
    assert request.done and request.error is None
    assert request.applied == (
        Applied("steering", 1, 1, 0, Verdict.ACCEPTED),
        Applied("ulc", 1, 1, 0, Verdict.ACCEPTED),
    )
    assert posted(paused) == [STEERING, ULC]


@pytest.mark.parametrize("first_look", [True, False])
def test_it_moves_at_once_when_they_came_before(paused: Simulation, first_look: bool) -> None:
    come(paused, ULC, STEERING)
    if first_look:
        paused.post(Enable(), "an enable")  # a service has let what came apply already; no step has taken it
    paused.begin_steps(3, BOTH)
    assert paused.advance(0.0) == 3


def test_what_a_step_has_taken_does_not_count_again(paused: Simulation) -> None:
    come(paused, STEERING, ULC)
    paused.begin_steps(1, BOTH)
    finish(paused)
    request = paused.begin_steps(1, BOTH)
    assert paused.advance(0.0) == 0
    assert paused.advance(5.0) == 0
    assert isinstance(request.error, CommandsMissingError) and "steering, ulc had not come" in str(request.error)


@pytest.mark.parametrize(
    "forget", [lambda s: s.reset(0), lambda s: s.reset(Scope.STATE), lambda s: s.set_state(State.STOPPED)]
)
def test_what_came_before_a_reset_does_not_count(paused: Simulation, forget) -> None:
    come(paused, STEERING, ULC)
    forget(paused)
    paused.set_state(State.PAUSED)
    request = paused.begin_steps(1, BOTH)
    paused.advance(0.0)
    paused.advance(6.0)
    assert isinstance(request.error, CommandsMissingError)


def test_a_reset_that_is_refused_forgets_nothing_that_has_come(paused: Simulation, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SeedRefusedError("the seed", -5)

    come(paused, STEERING, ULC)
    monkeypatch.setattr(paused.environment, "reset", refuse)
    monkeypatch.setattr(paused.environment, "load_world", refuse)
    for act in (lambda: paused.reset(Scope.STATE, seed=-5), lambda: paused.load_world(lambda: (World.flat(), Start()))):
        with pytest.raises(SeedRefusedError):
            act()
    paused.begin_steps(1, BOTH)
    assert paused.advance(0.0) == 1


def test_after_the_time_out_nothing_has_moved_and_what_came_is_still_there(paused: Simulation) -> None:
    carried = CommandStep(("steering",), 0.5, (("", ULC),))
    request = paused.begin_steps(12, carried)
    come(paused, Enable())
    paused.advance(10.0)
    assert paused.wait_s(10.0, 1.0) == COMMAND_POLL_S, "it looks again soon"
    paused.advance(10.5)
    assert request.done and request.completed == 0 and "0.5 s" in str(request.error)
    assert paused.request is None and paused.environment.step_count == 0
    assert ULC not in posted(paused), "what it carried is not taken"
    paused.begin_steps(1)
    assert posted(paused) == [Enable()], "what came by topic acts at the next step"


def test_no_time_is_now_or_never(paused: Simulation) -> None:
    request = paused.begin_steps(1, CommandStep(("ulc",), 0.0))
    paused.advance(3.0)
    assert isinstance(request.error, CommandsMissingError)


def test_they_act_in_the_order_in_which_they_were_sent_however_they_come(paused: Simulation) -> None:
    """An enable and a disable must not swap because one was seen a moment earlier."""
    paused.begin_steps(1, CommandStep(("enable", "disable"), 5.0))
    come(paused, Disable(), sent=20)
    paused.advance(0.0)
    come(paused, Enable(), sent=10)
    paused.advance(0.1)
    assert posted(paused) == [Enable(), Disable()]


def test_carried_commands_act_behind_those_that_came(paused: Simulation) -> None:
    come(paused, ULC)
    request = paused.begin_steps(2, CommandStep(carried=(("", Enable()), ("", STEERING))))
    assert posted(paused) == [ULC, Enable(), STEERING]
    assert paused.advance(0.0) == 2
    assert [applied.name for applied in request.applied] == ["enable", "steering", "ulc"]


def test_each_message_is_counted_and_the_refused_ones_are_told(paused: Simulation) -> None:
    bad = SteeringCmd(cmd_type=2, cmd=math.nan, enable=True)
    come(paused, STEERING, bad, STEERING, GearCmd(cmd=99), DriverInput(throttle_pct=math.nan))
    paused.environment.step_count = 40
    request = paused.begin_steps(1, CommandStep(("steering",), 1.0))
    paused.advance(0.0)
    assert request.applied == (
        Applied("steering", 41, 3, 1, Verdict.ACCEPTED),
        Applied("gear", 41, 1, 1, Verdict.UNKNOWN_VALUE),
        Applied("driver_input", 41, 1, 1, Verdict.REFUSED),
    )


def test_a_flood_while_it_waits_is_kept_in_order_and_within_bounds(paused: Simulation) -> None:
    paused.begin_steps(1, CommandStep(("gear",), 60.0))
    sent = [SteeringCmd(cmd_type=2, cmd=float(number), enable=True) for number in range(5 * MOST_HELD)]
    for start in range(0, len(sent), 500):
        come(paused, *sent[start : start + 500], sent=start)
        paused.advance(0.0)
        assert len(paused.first.held) <= MOST_HELD
    come(paused, GearCmd(cmd=5), sent=len(sent))
    paused.advance(1.0)
    assert posted(paused) == [*sent, GearCmd(cmd=5)]


def test_while_it_waits_other_requests_are_refused_and_stop_ends_it(paused: Simulation) -> None:
    request = paused.begin_steps(12, BOTH)
    with pytest.raises(BusyError, match="waits for steering, ulc, at most 5.0 s"):
        paused.begin_steps(1)
    come(paused, STEERING)
    paused.advance(10.0)
    paused.advance(12.0)
    with pytest.raises(BusyError, match="a reset is refused: .* waits for ulc, at most 3.0 s .* state 0 .*STOPPED"):
        paused.reset(0)
    paused.set_state(State.STOPPED)
    assert request.cancelled and request.completed == 0 and paused.request is None


def test_one_that_is_given_up_has_run_nothing_and_the_next_one_is_taken(paused: Simulation) -> None:
    request = paused.begin_steps(12, BOTH)
    come(paused, STEERING)
    paused.advance(0.0)
    assert paused.waiting is request
    paused.give_up(request, AcresError("nobody waits for it"))
    assert request.done and request.failure == "nobody waits for it" and paused.waiting is None
    paused.begin_steps(1)
    assert paused.waiting is None and posted(paused) == [STEERING]
    assert paused.advance(0.0) == 1


@pytest.mark.parametrize(
    ("commands", "error", "words"),
    [
        (CommandStep(("steering", "wheels"), 1.0), CommandNameError, "'wheels'"),
        (CommandStep(("steering",), math.nan), WaitTimeError, "nan"),
        (CommandStep(("steering",), -1.0), WaitTimeError, "-1.0"),
        (CommandStep(("steering",), 601.0), WaitTimeError, "601"),
        (CommandStep(("ulc",), 1.0, (("", ULC),)), CarriedTwiceError, "ulc"),
        (CommandStep(carried=(("", ULC),) * (MOST_CARRIED + 1)), CarriedTwiceError, "101"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_read(paused: Simulation, commands, error, words) -> None:
    come(paused, STEERING)
    with pytest.raises(error, match=words):
        paused.begin_steps(1, commands)
    assert paused.request is None and len(paused.arrivals) == 1 and not paused.environment.posted


def test_every_command_of_the_vehicle_has_a_name() -> None:
    from acres_ros.core.inbox import SLOTS

    # The client that left, the AWD switch and the shifts are no commands of a controller.
    assert len(COMMANDS) == len(SLOTS) - 3
