"""The standard for simulators, as a client sees it (`simulation_interfaces` 1.5.1; our choices: docs/decisions.md)."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from simulation_interfaces.srv import GetSimulationState, GetSimulatorFeatures, StepSimulation
from system_rig import FAILED, OK, PAUSED, PLAYING, STOPPED, Shared, User, stamp_ns

from acres_ros.tools.bench.processes import ProcessGroup

pytestmark = pytest.mark.system

ALREADY, TRANSITION_ERROR, INCORRECT_TRANSITION = 101, 102, 103
UNSUPPORTED = 0
# Codes of SimulatorFeatures: reset (all, time, state), state (get, set, pause), steps (single, multiple, action),
# entities (named poses and their bounds, tags, bounds, boxes, categories, state and info to get and to set),
# worlds (load, choose by tags, tell of the present one, list).
FEATURES = {
    2: "/get_named_poses",
    3: "/get_named_pose_bounds",
    4: "/get_entities",
    5: "/get_entity_bounds",
    6: "/get_entities",
    8: "/get_entities",
    10: "/get_entities_states",
    11: "/set_entity_state",
    12: "/get_entity_info",
    13: "/set_entity_info",
    0: "/spawn_entity",
    1: "/delete_entity",
    9: "/spawn_entity",
    14: "/get_spawnables",
    50: "/spawn_entities",
    20: "/reset_simulation",
    23: "/reset_simulation",
    21: "/reset_simulation",
    22: "/reset_simulation",
    24: "/get_simulation_state",
    25: "/set_simulation_state",
    26: "/set_simulation_state",
    31: "/step_simulation",
    32: "/step_simulation",
    33: "/simulate_steps/_action/send_goal",
    40: "/load_world",
    42: "/get_available_worlds",
    44: "/get_current_world",
    45: "/get_available_worlds",
}


def outcome(user: User, handle: Any) -> tuple[int, Any]:
    answer = user.wait(handle.get_result_async())
    return answer.status, answer.result.result


# -- features ---------------------------------------------------------------------------------------------------------


def test_every_feature_has_its_service_and_the_info_tells_what_the_standard_leaves_open(user: User) -> None:
    features = user.call(GetSimulatorFeatures, "/get_simulator_features").features
    assert sorted(features.features) == sorted(FEATURES)
    services = dict(user.node.get_service_names_and_types_by_node("acres_physics", "/"))
    assert set(FEATURES.values()) <= set(services)
    assert list(features.spawn_formats) == ["acres"]
    info = json.loads(features.custom_info)
    assert info["step_s"] == 1 / 120
    assert info["simulation_interfaces"] == "1.5.1"
    assert {"version", "stopped_to_paused", "output_before_reply"} <= set(info)


# -- cold start and states --------------------------------------------------------------------------------------------


def test_nothing_is_published_before_the_first_step(shared: Shared) -> None:
    assert len(shared.early) == 32
    assert set(shared.early.values()) == {0}


def test_from_stopped_over_paused_to_the_first_step(user: User) -> None:
    assert user.set_state(STOPPED).result == OK
    assert user.step_result(1).result == FAILED
    assert user.set_state(PAUSED).result == OK
    user.forget()
    user.step(3)
    assert user.ticks() == [stamp_ns(k) for k in (1, 2, 3)]


@pytest.mark.parametrize("state", [STOPPED, PLAYING, PAUSED])
def test_setting_the_state_that_it_is_in(user: User, state: int) -> None:
    if state != PAUSED:
        assert user.set_state(state).result == OK
    answer = user.set_state(state)
    assert answer.result == ALREADY and answer.error_message
    assert user.state() == state


@pytest.mark.parametrize("state", [4, 5, 6, 255])
def test_a_state_that_nobody_can_ask_for(user: User, state: int) -> None:
    user.step(5)
    answer = user.set_state(state)
    assert answer.result == INCORRECT_TRANSITION and str(state) in answer.error_message
    assert user.state() == PAUSED
    user.step(1)
    assert user.ticks()[-1] == stamp_ns(6)


def test_stopped_resets_all_and_comes_back_at_once(user: User) -> None:
    user.start_driving(3.0, 3.0)
    moved = user.last("/ground_truth/odometry").pose.pose.position.y
    for state in (STOPPED, PLAYING, STOPPED, PAUSED):
        assert user.set_state(state).result == OK
        assert user.state() == state
    user.forget()
    user.step(1)
    assert user.ticks() == [stamp_ns(1)]
    odometry = user.last("/ground_truth/odometry")
    assert odometry.pose.pose.position.y == pytest.approx(-140.513, abs=1e-3) and moved > -139.5
    assert abs(odometry.twist.twist.linear.x) < 1e-2


# -- steps by service -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 11, 12, 13, 120])
def test_a_step_request_advances_the_clock_by_exactly_its_steps(user: User, steps: int) -> None:
    user.step(5)
    user.step(steps)
    assert user.ticks() == [stamp_ns(k) for k in range(1, 6 + steps)]
    assert user.state() == PAUSED
    time.sleep(0.1)
    user.settle()
    assert len(user.ticks()) == 5 + steps, "time went on after the answer"


def test_the_request_without_a_count_is_one_step(user: User) -> None:
    assert StepSimulation.Request().steps == 1
    assert user.call(StepSimulation, "/step_simulation").result.result == OK
    user.settle()
    assert user.ticks() == [stamp_ns(1)]


def test_the_outputs_are_out_before_the_answer(user: User) -> None:
    """The bytes lie in the socket of this process when the answer comes; only taking them is left."""
    late = 0
    for step in range(1, 101):
        user.call(StepSimulation, "/step_simulation", steps=1)
        user.recorder.take()
        late += len(user.recorder.rows["/ground_truth/odometry"]) < step
    assert late <= 5


@pytest.mark.parametrize("steps", [0, 10**9 + 1, 2**63, 2**64 - 1])
def test_counts_that_cannot_be_run(user: User, steps: int) -> None:
    for answer in (user.step_result(steps), outcome(user, user.goal(steps))[1]):
        assert answer.result == FAILED and f"steps = {steps}" in answer.error_message
    user.step(1)
    assert user.ticks() == [stamp_ns(1)]


def test_steps_while_playing_are_refused_by_service_and_action_and_time_goes_on_as_before(user: User) -> None:
    assert user.set_state(PLAYING).result == OK
    answer = user.step_result(1000)
    assert answer.result == FAILED and "PLAYING" in answer.error_message
    handle = user.goal(1000)
    assert handle.accepted, "only an accepted goal can say why it failed"
    status, result = outcome(user, handle)
    assert (status, result.result) == (GoalStatus.STATUS_ABORTED, FAILED) and "PLAYING" in result.error_message
    assert user.state() == PLAYING
    assert user.set_state(PAUSED).result == OK
    user.settle()
    ticks = user.ticks()
    assert ticks == [stamp_ns(k) for k in range(1, len(ticks) + 1)]
    assert len(ticks) < 1000


# -- steps by action --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 7, 100])
def test_the_action_reports_every_step(user: User, steps: int) -> None:
    status, result = outcome(user, user.goal(steps))
    assert (status, result.result) == (GoalStatus.STATUS_SUCCEEDED, OK)
    assert user.take_feedback(steps) == [(k, steps - k) for k in range(1, steps + 1)]
    user.settle()
    assert user.state() == PAUSED
    assert user.ticks() == [stamp_ns(k) for k in range(1, steps + 1)]


def test_many_short_goals_all_have_their_result(user: User) -> None:
    for _ in range(100):
        status, result = outcome(user, user.goal(1))
        assert (status, result.result) == (GoalStatus.STATUS_SUCCEEDED, OK)
    user.settle()
    assert len(user.ticks()) == 100


def test_a_cancelled_goal_stops_soon_and_says_how_far_it_came(user: User) -> None:
    handle = user.goal(10**9)
    later = handle.get_result_async()
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) >= 50, "50 steps")
    user.wait(handle.cancel_goal_async())
    answer = user.wait(later)
    assert (answer.status, answer.result.result.result) == (GoalStatus.STATUS_CANCELED, OK)
    assert user.state() == PAUSED
    completed = int(re.fullmatch(r"cancelled after (\d+) of 1000000000 steps", answer.result.result.error_message)[1])
    user.forget()
    time.sleep(0.1)
    user.step(1)
    assert user.ticks() == [stamp_ns(completed + 1)]
    status, result = outcome(user, user.goal(2))
    assert (status, result.result) == (GoalStatus.STATUS_SUCCEEDED, OK)


def test_while_a_goal_runs_everything_that_would_disturb_it_is_refused(user: User) -> None:
    handle = user.goal(10**9)
    second = user.goal(1)
    assert not second.accepted
    for answer in (user.step_result(1), user.reset(), user.reset(1), user.reset(2)):
        assert answer.result == FAILED and "step request is running" in answer.error_message
    answer = user.set_state(PLAYING)
    assert answer.result == TRANSITION_ERROR and "step request is running" in answer.error_message
    assert user.call(GetSimulationState, "/get_simulation_state").state.state == PAUSED
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    assert user.wait(result).status == GoalStatus.STATUS_CANCELED
    user.settle()
    ticks = user.ticks()
    assert ticks[0] == stamp_ns(1) and ticks == sorted(set(ticks)), "something was interleaved"


def test_stopping_cuts_a_goal_short_and_its_client_is_told(user: User) -> None:
    handle = user.goal(10**9)
    result = handle.get_result_async()
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) > 50, "the steps")
    assert user.set_state(STOPPED).result == OK
    answer = user.wait(result)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.result.result == FAILED and "cut short" in answer.result.result.error_message
    assert user.set_state(PAUSED).result == OK
    user.forget()
    user.step(3)
    assert user.ticks() == [stamp_ns(k) for k in (1, 2, 3)]


# -- reset ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "time_restarts", "state_restarts"),
    [(0, True, True), (1, True, False), (2, False, True), (3, True, True), (255, True, True)],
)
def test_a_reset_does_what_its_scope_says(user: User, scope: int, time_restarts: bool, state_restarts: bool) -> None:
    user.start_driving(3.0, 3.0)
    before = user.last("/ground_truth/odometry")
    ticks = len(user.ticks())
    assert before.twist.twist.linear.x > 0.5
    assert user.reset(scope).result == OK
    assert user.state() == PAUSED
    user.forget()
    user.step(1)
    assert user.ticks() == [stamp_ns(1 if time_restarts else ticks + 1)]
    after = user.last("/ground_truth/odometry")
    if state_restarts:
        assert after.pose.pose.position.y == pytest.approx(-140.513, abs=1e-3)
        assert abs(after.twist.twist.linear.x) < 1e-2
        user.step(12)
        assert not user.last("/vehicle/dbw_enabled").data
        assert user.last("/vehicle/gear/report").gear.value == 1
        assert user.last("/vehicle/wheel_speeds").rear_left == pytest.approx(0.0, abs=1e-3)
    else:
        moved = after.pose.pose.position.y - before.pose.pose.position.y
        assert moved == pytest.approx(before.twist.twist.linear.x / 120, rel=0.1)


@pytest.mark.parametrize("scope", [8, 9, 12, 128, 254])
def test_an_unsupported_scope_changes_nothing(user: User, scope: int) -> None:
    user.step(5)
    answer = user.reset(scope)
    assert answer.result == UNSUPPORTED and answer.error_message
    user.step(1)
    assert user.ticks()[-1] == stamp_ns(6)


def test_a_reset_while_playing_goes_on_playing_from_the_first_stamp(user: User) -> None:
    assert user.set_state(PLAYING).result == OK
    user.spin_until(lambda: user.recorder.rows["/clock"], "time going on")
    assert user.reset().result == OK
    assert user.state() == PLAYING
    count = len(user.recorder.rows["/clock"])
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) > count + 36, "time going on")
    assert user.set_state(PAUSED).result == OK
    user.settle()
    ticks = user.ticks()
    restart = ticks.index(stamp_ns(1), 1)
    assert ticks[:restart] == [stamp_ns(k) for k in range(1, restart + 1)]
    assert ticks[restart:] == [stamp_ns(k) for k in range(1, len(ticks) - restart + 1)]
    stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in user.messages("/ground_truth/odometry")]
    assert stamps == ticks, "a message from before the reset came after it"


def test_a_hundred_resets_are_all_alike(shared: Shared, user: User) -> None:
    nodes = ProcessGroup(process.pid for process in shared.stand_in.processes.values())
    times = [nodes.cpu_s()]
    for _ in range(2):
        for _ in range(50):
            assert user.reset().result == OK
            user.call(StepSimulation, "/step_simulation", steps=3)
        times.append(nodes.cpu_s())
    user.settle()
    assert user.ticks() == [stamp_ns(k) for _ in range(100) for k in (1, 2, 3)]
    # Of the processes alone: other programs may have the processors for a while.
    assert times[2] - times[1] < 2.0 * (times[1] - times[0]), "later resets take longer"
