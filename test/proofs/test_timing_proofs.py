"""Proofs about the way of a command (spec, Time Stepping and Determinism: Command Timing, Watchdog, Free Run).

They hold for all times, in exact arithmetic; what rounding adds is checked in test_float_facts.py.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import z3
from symbolic import Run, Unknown, prove, term_of

from acres_ros.core.clock import STEP_S, stamp_ns
from acres_ros.core.command_timing import DUE_TOLERANCE_S, NEXT_STEP, CommandClock, TimedQueue
from acres_ros.core.pacing import MOST_STEPS_IN_A_PASS, FreeRun
from acres_ros.core.schedule import TOLERANCE_S, Schedule
from acres_ros.models.dbw.watchdog import watch

TIMEOUT_S = 0.1


def a_read(run: Run) -> tuple[CommandClock, Any, Any, Any, Any]:
    """Return a command clock in a read, and its P, L, S, F as terms: any times with P < L and F >= 0."""
    previous, last, solver, added = (run.real(name) for name in ("P", "L", "S", "F"))
    run.assume(previous.term < last.term, added.term >= 0)
    clock: Any = CommandClock()
    clock.begin_read(previous, run.real("S0"), 0.0)
    clock.begin_read(last, solver, added)
    return clock, previous.term, last.term, solver.term, added.term


# -- the command clock ------------------------------------------------------------------------------------------------


def test_a_command_applies_within_the_interval_of_its_read() -> None:
    def claim(run: Run) -> Any:
        clock, _, _, solver, added = a_read(run)
        applies = term_of(clock.apply_at(run.real("a")))
        return z3.And(solver <= applies, applies <= solver + added)

    assert prove(claim) == 3  # before, in and after the interval of the reads


def test_a_command_that_arrived_later_never_applies_earlier() -> None:
    def claim(run: Run) -> Any:
        clock, *_ = a_read(run)
        early, late = run.real("a"), run.real("b")
        run.assume(early.term <= late.term)
        return term_of(clock.apply_at(early)) <= term_of(clock.apply_at(late))

    assert prove(claim) == 6


def test_the_spacing_grows_at_most_by_the_time_of_the_pass_over_that_of_the_reads() -> None:
    def claim(run: Run) -> Any:
        clock, previous, last, _, added = a_read(run)
        early, late = run.real("a"), run.real("b")
        run.assume(early.term <= late.term)
        spacing = term_of(clock.apply_at(late)) - term_of(clock.apply_at(early))
        return spacing * (last - previous) <= (late.term - early.term) * added

    prove(claim)


def test_where_there_is_no_interval_a_command_applies_at_the_next_step() -> None:
    def claim(run: Run) -> Any:
        clock: Any = CommandClock()
        first, second, arrival = (run.real(name) for name in ("P", "L", "a"))
        clock.begin_read(first, run.real("S"), run_added(run))
        only_one = clock.apply_at(arrival) is NEXT_STEP
        run.assume(second.term <= first.term)
        clock.begin_read(second, run.real("S"), run_added(run))
        return z3.BoolVal(only_one and clock.apply_at(arrival) is NEXT_STEP)

    prove(claim)


def run_added(run: Run) -> Unknown:
    """Return a time that a pass adds."""
    added = run.real("F")
    run.assume(added.term >= 0)
    return added


# -- the queue --------------------------------------------------------------------------------------------------------


def a_queue(run: Run, entries: int) -> tuple[TimedQueue[int], list[Any]]:
    """Return a queue with some snapshots, whose times may be any that grow from one to the next."""
    queue: Any = TimedQueue()
    times = [run.real(f"t{number}") for number in range(entries)]
    run.assume(*(a.term < b.term for a, b in zip(times, times[1:], strict=False)))
    for number, time in enumerate(times):
        queue.push(time, number)
    assert len(queue) == entries
    return queue, [time.term for time in times]


def times_of(queue: Any) -> list[Any]:
    return [term_of(time) for time, _ in queue._entries if not isinstance(time, float)]


@pytest.mark.parametrize("entries", [0, 1, 2, 3])
def test_a_push_keeps_the_order_and_its_snapshot_is_last(entries: int) -> None:
    """With what a take leaves, which is the end of the row, this is the step of an induction over all pushes and takes.

    A push looks at the last snapshot only, so what holds for three holds for more.
    """

    def claim(run: Run) -> Any:
        queue, _ = a_queue(run, entries)
        queue.push(run.real("t"), entries)
        times, items = times_of(queue), [item for _, item in queue._entries]
        grow = z3.And(*(a < b for a, b in zip(times, times[1:], strict=False)))
        return z3.And(grow, z3.BoolVal(items == sorted(items) and items[-1] == entries))

    prove(claim)


@pytest.mark.parametrize("entries", [1, 2, 3])
def test_a_take_returns_the_last_that_is_due_and_leaves_the_later_ones(entries: int) -> None:
    def claim(run: Run) -> Any:
        queue, times = a_queue(run, entries)
        step = run.real("s")
        taken = queue.take(step)  # type: ignore[arg-type]
        limit = step.term + term_of(DUE_TOLERANCE_S)
        due = 0 if taken is None else taken + 1
        left = [item for _, item in queue._entries] == list(range(due, entries))
        return z3.And(z3.BoolVal(left), *(t <= limit for t in times[:due]), *(t > limit for t in times[due:]))

    assert prove(claim) == entries + 1


@pytest.mark.parametrize("first_read", [True, False])
def test_while_the_world_is_paused_the_queue_gets_two_entries_at_most(first_read: bool) -> None:
    def claim(run: Run) -> Any:
        clock, queue = CommandClock(), TimedQueue[int]()
        unknown: Any = [run.real(f"w{number}") for number in range(3)]
        solver: Any = run.real("S")
        run.assume(*(a.term < b.term for a, b in zip(unknown, unknown[1:], strict=False)))
        if not first_read:
            clock.begin_read(unknown[0], solver, 0.0)
        lengths = []
        for number, wall in enumerate(unknown[1:]):
            clock.begin_read(wall, solver, 0.0)
            for command in range(2):
                arrival: Any = run.real(f"a{number}{command}")
                queue.push(clock.apply_at(arrival), 2 * number + command)
                lengths.append(len(queue))
        # In the second read nothing changes any more: each later command takes the place of the one ahead.
        return z3.BoolVal(max(lengths) <= 2 and lengths[2:] == lengths[2:3] * 2)

    prove(claim)


# -- the watchdog -----------------------------------------------------------------------------------------------------


def first_step(run: Run, name: str, due: Unknown) -> Unknown:
    """Return the step that takes a command: the first k with due <= k h + tolerance."""
    k = run.whole(name)
    start, limit = z3.ToReal(k.term) * term_of(STEP_S), due.term - term_of(DUE_TOLERANCE_S)
    run.assume(start >= limit, start - term_of(STEP_S) < limit)
    return k


def test_commands_that_come_due_a_timeout_apart_leave_12_silent_steps_at_most() -> None:
    """12 silent steps are no timeout (test_float_facts.py), so such a controller keeps control, whatever its phase."""

    def claim(run: Run) -> Any:
        one, next_ = run.real("t"), run.real("u")
        run.assume(one.term < next_.term, next_.term - one.term <= term_of(TIMEOUT_S))
        silent = first_step(run, "m", next_).term - first_step(run, "k", one).term - 1
        return silent <= 12

    prove(claim)


@pytest.mark.parametrize("fresh", [0, 1])
def test_a_message_makes_the_age_0_a_silent_step_adds_one_and_control_ends_above_the_timeout(fresh: int) -> None:
    """The step of an induction over all steps: the age may be any, and so may the timeout and the step."""

    def claim(run: Run) -> Any:
        timeout, step, age = run.real("T"), run.real("h"), run.real("A")
        run.assume(timeout.term > 0, step.term > 0, age.term >= 0)
        state, command = SimpleNamespace(age=age, timeout=0), SimpleNamespace(fresh=fresh, enable=1)
        control = watch.py_func(step, 1, True, command, timeout, state)  # type: ignore[attr-defined]
        wanted = z3.RealVal(0) if fresh else age.term + step.term
        return z3.And(term_of(state.age) == wanted, (wanted <= timeout.term) == z3.BoolVal(bool(control)))

    prove(claim)


# -- the stamps and the schedules -------------------------------------------------------------------------------------


def test_the_stamp_of_every_step_is_the_nearest_whole_nanosecond() -> None:
    k = z3.Int("k")
    solver = z3.Solver()
    stamp = (k * 25_000_000 + 1) / 3  # division of whole numbers, rounded down
    solver.add(k >= 0, z3.Or(2 * (3 * stamp - 25_000_000 * k) > 3, 2 * (25_000_000 * k - 3 * stamp) > 3))
    assert solver.check() == z3.unsat
    assert all(stamp_ns(k) == (k * 25_000_000 + 1) // 3 for k in (0, 1, 2, 3, 10**8))


@pytest.mark.parametrize("rate_hz", [1.0, 2.0, 10.0, 20.0, 30.0, 50.0, 97.0, 100.0, 120.0])
def test_a_stream_is_due_at_the_first_step_that_reaches_its_time(rate_hz: float) -> None:
    """The formula of the next due step, for every sample that a stream can ever have."""
    schedule = Schedule(rate_hz)
    step, period, tolerance = schedule._step, schedule._period, schedule._tolerance
    assert tolerance == step * 120 * TOLERANCE_S
    n, k = z3.Ints("n k")
    solver = z3.Solver()
    due = n * period
    solver.add(n >= 0, k == -((tolerance - due) / step))
    reaches, one_before = k * step + tolerance >= due, (k - 1) * step + tolerance >= due
    solver.add(z3.Not(z3.And(reaches, z3.Not(one_before))))
    assert solver.check() == z3.unsat


# -- the free run -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.1, 1.0, 5.0, 1000.0])
def test_a_pass_runs_0_to_12_steps_and_never_catches_up_more(rate: float) -> None:
    def claim(run: Run) -> Any:
        pace: Any = FreeRun(rate)
        start, wall, done = run.real("w0"), run.real("w"), run.whole("k")
        run.assume(wall.term >= start.term, done.term >= 0)
        pace.anchor(start, 0)
        count = term_of(pace.steps_due(wall, done))
        after = term_of(pace.steps_due(wall, Unknown(done.term + z3.ToInt(count), run)))
        return z3.And(count >= 0, count <= MOST_STEPS_IN_A_PASS, after == 0)

    prove(claim)
