"""The clock and the stamps, stepped and in free run (rows A9 and A8; trials B14 to B29, C38, D48)."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from acres_interfaces.srv import SetRate
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from system_rig import ANSWER_S, OK, OWN_DOMAIN, PAUSED, PLAYING, START_S, User, joined, ns, stamp_ns

from acres_ros.cli.up import started

pytestmark = pytest.mark.system

# Rates of the specification: reports 50, other CAN signals 20, INS 100 Hz; and of the real car where it is silent.
RATES = {
    120: ("/clock", "/tf", "/ground_truth/odometry"),
    100: ("/novatel/oem7/odom", "/novatel/oem7/imu/data", "/vehicle/imu/data_raw"),
    50: tuple(f"/vehicle/{name}/report" for name in ("steering", "brake", "throttle", "gear", "ulc", "system"))
    + ("/vehicle/vehicle_velocity", "/joint_states"),
    20: tuple(f"/vehicle/{name}/report" for name in ("misc", "turn_signal", "drive_mode"))
    + tuple(f"/vehicle/{name}/info" for name in ("steering", "throttle", "brake", "propulsion"))
    + ("/vehicle/wheel_speeds", "/vehicle/wheel_positions"),
    10: ("/novatel/oem7/fix",),
    2: ("/vehicle/fuel_level", "/vehicle/tire_pressures"),
    1: ("/vehicle/gps/fix",),
}
STEPS = 240


def stamps(user: User, topic: str) -> list[int]:
    """Return the stamps of a topic, ns; a transform message has one in each of its transforms."""
    found = []
    for message in user.messages(topic):
        if topic == "/clock":
            found.append(ns(message.clock))
        elif topic == "/tf":
            (stamp,) = {ns(transform.header.stamp) for transform in message.transforms}
            found.append(stamp)
        else:
            found.append(ns(message.header.stamp))
    return found


def test_every_stamp_is_the_integer_of_its_step_and_every_topic_comes_at_its_steps(user: User) -> None:
    for _ in range(STEPS // 12):
        user.step_result(12)
        user.recorder.take()
    user.settle()
    for rate, topics in RATES.items():
        # Sample j is due at j / rate, thus in the first step that is not before it; sample 0 is the initial state.
        due = [stamp_ns(-(-120 * j // rate)) for j in range(1, STEPS * rate // 120 + 1)]
        for topic in topics:
            # Those of the INS come 6 steps after their sample: the last 5 of 100 Hz, the last of 10 are on their way.
            late = max(1, rate // 20) if topic.startswith("/novatel") else 0
            assert stamps(user, topic) == due[: len(due) - late], topic


def test_the_stamps_of_the_first_steps_are_these_numbers(user: User) -> None:
    user.step(6)
    assert user.ticks() == [8333333, 16666667, 25000000, 33333333, 41666667, 50000000]


def test_static_frames_and_the_description_come_once_with_the_first_step(user: User) -> None:
    user.step(30)
    assert len(user.messages("/tf_static")) == len(user.messages("/robot_description")) == 1
    assert {ns(t.header.stamp) for t in user.last("/tf_static").transforms} <= {0, stamp_ns(1)}


def play(user: User, until: Callable[[], bool]) -> float:
    """Play until a condition holds; return the wall time in which all that came was run, s, at the most."""
    user.forget()
    begin = time.monotonic()
    assert user.set_state(PLAYING).result == OK
    user.spin_until(until, "what the free run was to bring")
    assert user.set_state(PAUSED).result == OK
    wall = time.monotonic() - begin
    user.settle()
    return wall


def ticked(user: User, count: int) -> Callable[[], bool]:
    """Return whether a number of steps has come."""
    return lambda: len(user.recorder.rows["/clock"]) >= count


def a_second_within(user: User, seconds: float) -> Callable[[], bool]:
    """Return whether 120 steps, any of those that have come, were sent within a wall time.

    A busy machine may hold up a free run now and then; one that is too slow never does that.
    """

    def found() -> bool:
        sent = user.recorder.sent("/clock")
        return any(last - first <= 1e9 * seconds for first, last in zip(sent, sent[120:], strict=False))

    return found


def test_a_free_run_follows_the_wall_clock_with_one_tick_for_each_step(user: User) -> None:
    wall = play(user, lambda: ticked(user, 240)() and a_second_within(user, 2.0)())
    ticks = user.ticks()
    # It never runs ahead; on a busy machine it falls behind, and says so by its clock.
    assert len(ticks) <= 120 * wall + 1
    assert ticks == [stamp_ns(k) for k in range(1, len(ticks) + 1)]
    assert stamps(user, "/ground_truth/odometry") == ticks


def test_the_rate_changes_the_speed_of_time_and_not_its_steps(user: User) -> None:
    # At rate 1 a second takes 0.9 s at the least, where the 12 steps of one pass come at once.
    for rate, enough in ((0.5, ticked(user, 60)), (2.0, a_second_within(user, 0.8))):
        assert user.reset().result == OK
        assert user.call(SetRate, "/acres/set_rate", rate=rate).success
        wall = play(user, enough)
        ticks = user.ticks()
        assert ticks == [stamp_ns(k) for k in range(1, len(ticks) + 1)]
        assert len(ticks) <= 120 * rate * wall + 1


def test_rate_0_runs_without_waiting(user: User) -> None:
    assert user.call(SetRate, "/acres/set_rate", rate=0.0).success
    play(user, a_second_within(user, 0.4))


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf"), 1e9, 1e-9])
def test_a_rate_that_cannot_be_is_refused_in_words(user: User, rate: float) -> None:
    answer = user.call(SetRate, "/acres/set_rate", rate=rate)
    assert not answer.success and "rate" in answer.message
    wall = play(user, ticked(user, 60))
    assert len(user.ticks()) <= 120 * wall + 1, "the rate did not stay"


def test_a_pause_freezes_the_clock_and_the_state_and_goes_on_with_the_next_step(user: User) -> None:
    user.start_driving(3.0, 3.0)
    driven = len(user.ticks())
    assert user.set_state(PLAYING).result == OK
    user.spin_until(ticked(user, driven + 36), "time going on")
    assert user.set_state(PAUSED).result == OK
    user.recorder.take()
    counts = {topic: len(rows) for topic, rows in user.recorder.rows.items()}
    last_tick, before = user.ticks()[-1], user.last("/ground_truth/odometry")
    time.sleep(1.0)
    user.settle()
    assert {topic: len(rows) for topic, rows in user.recorder.rows.items()} == counts
    user.step(1)
    step = round(last_tick * 120 / 1e9)
    assert user.ticks()[-1] == stamp_ns(step + 1)
    after = user.last("/ground_truth/odometry")
    moved = after.pose.pose.position.y - before.pose.pose.position.y
    assert moved == pytest.approx(before.twist.twist.linear.x / 120, rel=0.1, abs=1e-5)


def test_time_goes_on_from_where_it_stood_without_catching_up(user: User) -> None:
    play(user, ticked(user, 36))
    stood = user.ticks()[-1]
    time.sleep(0.7)
    wall = play(user, ticked(user, 36))
    assert user.ticks()[0] == stamp_ns(round(stood * 120 / 1e9) + 1)
    assert len(user.ticks()) <= 120 * wall + 1


@pytest.mark.parametrize("composed", [False, True])
def test_who_joins_in_a_pause_gets_the_present_time(composed: bool) -> None:
    with started({"paused": True, "world": "yard", "composed": composed}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros)
            user.step(36)
            user.forget()
            late = Node("late", context=ros, parameter_overrides=[Parameter("use_sim_time", value=True)])
            executor = SingleThreadedExecutor(context=ros)
            executor.add_node(late)
            deadline = time.monotonic() + ANSWER_S
            while late.get_clock().now().nanoseconds == 0:
                executor.spin_once(0.1)
                assert time.monotonic() < deadline, "it has no time"
            assert late.get_clock().now().nanoseconds == stamp_ns(36)
            user.settle()
            assert user.ticks() == [stamp_ns(36)], "who was there is told once what it knows"
            user.forget()
            user.step(1)
            assert user.ticks() == [stamp_ns(37)], "and the time goes on from there"
