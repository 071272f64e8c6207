"""The command clock and the timed queue (acceptance A6)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core.command_timing import NEXT_STEP, CommandClock, TimedQueue, TimeRefusedError

WALL = st.floats(0.0, 1e5)
SPAN = st.floats(1e-4, 10.0)
SHARE = st.floats(-0.5, 1.5)


def clock_with(previous: float, last: float, solver_time: float, added: float) -> CommandClock:
    clock = CommandClock()
    clock.begin_read(previous, 0.0, 0.0)
    clock.begin_read(last, solver_time, added)
    return clock


@pytest.mark.parametrize(
    ("arrival", "applies"),
    [(10.0, 5.0), (10.05, 5.025), (10.1, 5.05), (10.2, 5.1), (9.0, 5.0), (11.0, 5.1)],
)
def test_an_arrival_maps_linearly_into_the_pass_and_is_clamped(arrival: float, applies: float):
    clock = clock_with(10.0, 10.2, 5.0, 0.1)
    assert clock.apply_at(arrival) == pytest.approx(applies, abs=1e-12)


def test_the_commands_of_the_first_read_apply_at_the_next_step():
    clock = CommandClock()
    clock.begin_read(10.0, 5.0, 0.1)
    assert clock.apply_at(9.9) is NEXT_STEP


def test_before_any_read_a_command_applies_at_the_next_step():
    clock = CommandClock()
    assert clock.apply_at(1.0) is NEXT_STEP
    clock.begin_read(10.0, 5.0, 0.1)
    assert clock.apply_at(9.95) is NEXT_STEP
    clock.begin_read(10.1, 5.1, 0.1)
    assert clock.apply_at(10.05) is not NEXT_STEP


@pytest.mark.parametrize("last", [10.0, 9.0])
def test_reads_without_an_interval_give_the_next_step(last: float):
    assert clock_with(10.0, last, 5.0, 0.1).apply_at(10.0) is NEXT_STEP


@settings(deadline=None)
@given(WALL, SPAN, WALL, st.floats(0.0, 0.1), SHARE, SHARE)
def test_a_later_arrival_never_applies_earlier_and_all_stay_in_the_pass(p, span, s, f, first, second):
    clock = clock_with(p, p + span, s, f)
    early, late = sorted((p + first * span, p + second * span))
    assert s <= clock.apply_at(early) <= clock.apply_at(late) <= s + f


@settings(deadline=None)
@given(WALL, SPAN, WALL, st.floats(0.0, 1.0), SHARE, SHARE)
def test_spacing_never_grows_when_the_pass_keeps_real_time(p, span, s, part, first, second):
    added = part * span
    clock = clock_with(p, p + span, s, added)
    early, late = sorted((p + first * span, p + second * span))
    spacing = clock.apply_at(late) - clock.apply_at(early)
    # the reads carry the rounding of the wall clock, the result that of the solver time
    rounding = 4 * (math.ulp(p + 20.0) + math.ulp(s + 20.0))
    assert spacing <= (late - early) * part + rounding


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_times_that_are_not_finite_are_refused(bad: float):
    clock = clock_with(10.0, 10.1, 5.0, 0.1)
    for call in (
        lambda: clock.apply_at(bad),
        lambda: clock.begin_read(bad, 5.0, 0.1),
        lambda: clock.begin_read(10.0, bad, 0.1),
        lambda: clock.begin_read(10.0, 5.0, bad),
        lambda: TimedQueue().push(bad, "item"),
    ):
        with pytest.raises(TimeRefusedError, match="has to be"):
            call()
    assert clock.apply_at(10.05) == pytest.approx(5.05), "a refused read leaves the clock as it was"


def test_a_pass_cannot_add_negative_time():
    with pytest.raises(TimeRefusedError, match="0 or more"):
        CommandClock().begin_read(10.0, 5.0, -0.01)


def test_a_step_takes_what_is_due_within_2_ms_and_uses_the_last():
    queue: TimedQueue[str] = TimedQueue()
    for time, item in [(1.0, "a"), (1.001, "b"), (1.002, "c"), (1.0021, "d")]:
        queue.push(time, item)
    assert queue.take(0.99) is None
    assert queue.take(1.0) == "c"
    assert queue.take(1.0) is None
    assert queue.take(1.0083) == "d"
    assert len(queue) == 0


def test_the_next_step_is_whichever_comes():
    queue: TimedQueue[str] = TimedQueue()
    queue.push(NEXT_STEP, "now")
    assert queue.take(-1e9) == "now"


@pytest.mark.parametrize("time", [1.0, 0.5, NEXT_STEP])
def test_a_snapshot_that_is_not_later_replaces_the_one_ahead_at_its_time(time):
    queue: TimedQueue[str] = TimedQueue()
    queue.push(0.9, "first")
    queue.push(1.0, "ahead")
    queue.push(time, "new")
    assert len(queue) == 2
    assert queue.take(0.99) == "first", "the time of the one ahead stays"
    assert queue.take(1.0) == "new"


@settings(deadline=None)
@given(st.integers(1, 50), st.booleans())
def test_a_pause_adds_at_most_two_entries(commands: int, first_read: bool):
    clock = CommandClock()
    queue: TimedQueue[int] = TimedQueue()
    if not first_read:
        clock.begin_read(9.0, 5.0, 0.0)
    for frame in range(20):
        wall = 10.0 + 0.1 * frame
        clock.begin_read(wall, 5.0, 0.0)
        for i in range(commands):
            queue.push(clock.apply_at(wall - 0.1 + 0.1 * i / commands), frame * commands + i)
    assert len(queue) <= 2
    assert queue.take(5.0) == 20 * commands - 1, "the newest command counts"


@settings(deadline=None)
@given(st.data())
def test_commands_are_taken_in_the_order_of_their_arrival_and_none_is_stuck(data: st.DataObject):
    clock = CommandClock()
    queue: TimedQueue[int] = TimedQueue()
    wall, k, sent = 0.0, 0, 0
    taken: list[int] = []
    for _ in range(data.draw(st.integers(1, 12))):
        previous, wall = wall, wall + data.draw(st.floats(0.001, 0.3))
        steps = data.draw(st.integers(0, 12))
        clock.begin_read(wall, k / 120, steps / 120)
        for share in sorted(data.draw(st.lists(st.floats(0.0, 1.0), max_size=8))):
            queue.push(clock.apply_at(previous + share * (wall - previous)), sent)
            sent += 1
        for _ in range(steps):
            item = queue.take(k / 120)
            if item is not None:
                taken.append(item)
            k += 1
    final = queue.take(k / 120)
    if final is not None:
        taken.append(final)
    assert taken == sorted(set(taken))
    assert len(queue) == 0, "nothing lies beyond the step after the last pass"
    if sent:
        assert taken[-1] == sent - 1
