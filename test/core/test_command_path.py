"""A controller, slow frames and the watchdog: the queue against reading at the frame (acceptance A7).

The loop follows the spec (Time Stepping and Determinism, sections Physics Step of the Game, Command Timing, Watchdog):
frames of 0.03 to 0.14 s, a controller at 50 Hz of wall time, a subsystem that has control while its command is not
older than 0.1 s. The frames are drawn once from a seeded stream.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from acres_ros.core.clock import STEP_S
from acres_ros.core.command_timing import NEXT_STEP, CommandClock, TimedQueue
from acres_ros.core.streams import Pcg32

DURATION_S = 60.0
TIMEOUT_S = 0.1
PERIOD_S = 0.02
FIRST_COMMAND_S = 1.0


@dataclass
class Outcome:
    """What the watchdog saw from the first command on."""

    steps_without_control: int
    oldest: float
    oldest_in_control: float
    release_after: float | None


def run(*, queued: bool, longest_frame: float, last_command: float = math.inf) -> Outcome:
    frames = Pcg32(42, 54)
    clock = CommandClock()
    queue: TimedQueue[int] = TimedQueue()
    wall, remainder, k, sent = 0.0, 0.0, 0, 0
    age = math.inf
    last_applied, released = None, None
    outcome = Outcome(0, 0.0, 0.0, None)
    while wall < DURATION_S:
        frame = frames.uniform(0.03, 0.14)
        wall += frame
        added = min(frame, longest_frame)
        clock.begin_read(wall, k * STEP_S + remainder, added)
        while (arrival := FIRST_COMMAND_S + sent * PERIOD_S) <= min(wall, last_command):
            queue.push(clock.apply_at(arrival) if queued else NEXT_STEP, sent)
            sent += 1
        steps = math.floor((remainder + added) / STEP_S + 1e-9)
        remainder += added - steps * STEP_S
        for _ in range(steps):
            if queue.take(k * STEP_S) is not None:
                age, last_applied, released = 0.0, k, None
            else:
                age += STEP_S
            if age > TIMEOUT_S:
                if last_applied is not None:
                    outcome.steps_without_control += 1
                    released = released or k
            else:
                outcome.oldest_in_control = max(outcome.oldest_in_control, age)
            if last_applied is not None:
                outcome.oldest = max(outcome.oldest, age)
            k += 1
    if released is not None and last_applied is not None:
        outcome.release_after = (released - last_applied) * STEP_S
    return outcome


@pytest.mark.parametrize("longest_frame", [0.1, 1.0], ids=["limited to 0.1 s", "not limited"])
def test_with_the_queue_no_step_is_without_control(longest_frame: float):
    outcome = run(queued=True, longest_frame=longest_frame)
    assert outcome.steps_without_control == 0
    assert round(outcome.oldest, 3) == 0.017


def test_with_all_commands_at_the_first_step_of_a_frame_hundreds_of_steps_are():
    outcome = run(queued=False, longest_frame=1.0)
    assert 200 <= outcome.steps_without_control <= 700
    assert round(outcome.oldest_in_control, 3) == 0.100


@pytest.mark.parametrize("queued", [True, False])
def test_a_controller_that_stops_is_released_13_steps_after_its_last_command(queued: bool):
    outcome = run(queued=queued, longest_frame=0.1, last_command=30.0)
    assert outcome.release_after is not None
    assert round(outcome.release_after, 4) == 0.1083
