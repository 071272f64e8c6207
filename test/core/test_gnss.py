"""The receiver's state as it is asked for, its way back after a loss, and what the environment makes of both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from navigation_rig import run, settings

from acres_ros.core.environment import Environment
from acres_ros.core.gnss import GnssError
from acres_ros.core.navigation import Navigation
from acres_ros.core.parameters import load_parameters
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NONE, SBAS, SINGLE
from acres_ros.world import World


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment(World.flat(), load_parameters())


@pytest.fixture(autouse=True)
def begin(request: pytest.FixtureRequest) -> None:
    if "environment" in request.fixturenames:
        environment = request.getfixturevalue("environment")
        environment.restart()
        environment.take_events()


def changes(samples: np.ndarray) -> list[tuple[int, int]]:
    """Return the step and the new state of each change of the fix."""
    fixes = samples["navigation"]["ins"]["fix"]
    at = np.flatnonzero(np.diff(fixes, prepend=FIXED))
    return [(int(samples["step"][index]), int(fixes[index])) for index in at]


def said(environment: Environment) -> list[str]:
    return [event.text for event in environment.take_events() if event.code == "ACRES_GNSS"]


def test_a_loss_ends_after_its_time_and_the_fix_comes_back_by_single_and_float(environment: Environment) -> None:
    environment.step(12)
    environment.set_gnss("none", duration_s=3.0)
    # 100 Hz has a sample in each of the steps 13, 373 and 613, but not in those before multiples of 6 plus 1
    wanted = [(14, NONE), (374, SINGLE), (614, FLOAT), (1814, FIXED)]
    assert changes(environment.step(2000)) == wanted
    states = ("none", "single", "float", "fixed")
    assert said(environment) == [f"the INS position is {state}" for state in states]


def test_a_loss_without_an_end_lasts_until_something_else_is_asked_for(environment: Environment) -> None:
    environment.set_gnss("none")
    assert changes(environment.step(1200)) == [(2, NONE)]
    environment.set_gnss("sbas")
    found = environment.step(600)["navigation"]["ins"]["fix"]
    assert (found[1], found[-1]) == (SINGLE, SBAS)
    environment.set_gnss("fixed")  # the corrections of a base need no search for satellites
    assert environment.step(2)["navigation"]["ins"]["fix"][1] == FLOAT  # resolved 12 s after the return
    assert environment.step(1000)["navigation"]["ins"]["fix"][-1] == FIXED


def test_other_changes_act_at_once(environment: Environment) -> None:
    environment.set_gnss("sbas")
    environment.step(12)
    environment.set_gnss("float", duration_s=0.1)
    assert changes(environment.step(60))[1:] == [(14, FLOAT), (26, SBAS)]


def test_the_shortest_time_is_a_step_and_not_for_ever(environment: Environment) -> None:
    environment.step(1)
    environment.set_gnss("sbas", duration_s=1e-9)
    assert changes(environment.step(12)) == [(2, SBAS), (3, FIXED)]


def test_a_jump_is_an_offset_that_no_variance_tells_of(environment: Environment) -> None:
    before = environment.step(2)["navigation"]["ins"][-1]
    environment.set_gnss("fixed", duration_s=0.5, jump_m=(1.0, -2.0, 0.5))
    during = environment.step(60)["navigation"]["ins"]
    assert during["position"][30] - before["position"] == pytest.approx([1.0, -2.0, 0.5], abs=0.05)
    assert during["position_variance"][30].tolist() == before["position_variance"].tolist()
    after = environment.step(6)["navigation"]["ins"][-1]
    assert np.abs(after["position"]).max() < 0.1
    assert said(environment) == [
        "the INS position is fixed with an offset of 1, -2, 0.5 m", "the INS position is fixed"
    ]  # fmt: skip


def test_a_reset_ends_what_was_asked_for_and_repeats_every_bit(environment: Environment) -> None:
    first = environment.step(240)["navigation"].copy()
    environment.set_gnss("none", jump_m=(1.0, 1.0, 1.0))
    environment.step(7)
    for again in (environment.reset, environment.restart):
        again()
        assert environment.step(240)["navigation"].tobytes() == first.tobytes(), again.__name__
    environment.set_gnss("none")
    environment.restart_time()  # the vehicle goes on, and with it what shakes the units
    samples = environment.step(240)
    for key in ("position", "velocity", "attitude", "rate", "lever_arm"):
        assert samples["navigation"]["ins"][key].tobytes() == first["ins"][key].tobytes()
    assert changes(samples) == []


def test_what_changes_at_a_step_does_not_depend_on_how_steps_are_asked_for(environment: Environment) -> None:
    def episode(*counts: int) -> bytes:
        environment.reset()
        environment.set_gnss("none", duration_s=0.5)
        return b"".join(environment.step(count)["navigation"].tobytes() for count in counts)

    assert episode(600) == episode(59, 1, 1, 239, 300)


def test_the_environment_has_the_streams_of_its_seed_and_agent() -> None:
    world, parameters = World.flat(), load_parameters()
    errors = [
        Environment(world, parameters, seed=seed, agent=agent).step(12)["navigation"]["ins"]["position"][-1].tolist()
        for seed, agent in ((42, 0), (43, 0), (42, 1))
    ]
    assert len({tuple(error) for error in errors}) == 3
    (alone,) = run(Navigation(settings(), 43), 12, "ins.position")
    assert errors[1] == alone[-1].tolist()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"state": "rtk"}, "state = 'rtk' is refused: wanted one of none, single, sbas, float, fixed"),
        ({"state": "none", "duration_s": -1.0}, "duration_s = -1.0 is refused: wanted a number from 0 to 1e"),
        ({"state": "none", "duration_s": math.nan}, "duration_s = nan is refused"),
        ({"state": "fixed", "jump_m": (1.0, 2.0)}, "jump_m = .* is refused: wanted 3 numbers: east, north, up"),
        ({"state": "fixed", "jump_m": (1.0, math.inf, 0.0)}, "jump_m = inf is refused"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(environment: Environment, given: dict, words: str) -> None:
    state = given.pop("state")
    with pytest.raises(GnssError, match=words):
        environment.set_gnss(state, **given)
    assert changes(environment.step(12)) == []


def test_times_of_the_way_back_are_of_the_file() -> None:
    quick = settings(ins__outage__single_s=0.0, ins__outage__float_s=0.5, ins__start="none")
    navigation = Navigation(quick, 42)
    assert navigation.receiver.fix == NONE
    navigation.receiver.request(10, "fixed", None, (0.0, 0.0, 0.0))
    assert (navigation.receiver.fix, navigation.receiver.next_step) == (FLOAT, 70)
    navigation.receiver.advance(70)
    assert navigation.receiver.fix == FIXED
