"""Rows of the conformance suite: steps by service and by action."""

from __future__ import annotations

import time

from action_msgs.msg import GoalStatus
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import SimulatorFeatures
from simulation_interfaces.srv import StepSimulation

from acres_ros.nodes.conformance import (
    FAILED,
    INCORRECT_STATE,
    OK,
    PAUSED,
    PLAYING,
    ConformanceClient,
    Row,
    told,
    want,
)

SERVICE = SimulatorFeatures.STEP_SIMULATION_SINGLE
MULTIPLE = SimulatorFeatures.STEP_SIMULATION_MULTIPLE
ACTION = SimulatorFeatures.STEP_SIMULATION_ACTION
SETTING = SimulatorFeatures.SIMULATION_STATE_SETTING
SOME, MANY, HUGE = 5, 10**6, 2**63
WHILE_PLAYING = (FAILED, INCORRECT_STATE)
"""What the text of the services asks for, and what the meaning of the codes would allow."""
ROUNDING_NS = 2
ANSWER_S = 5.0


def while_playing(client: ConformanceClient) -> str:
    """Row 3: steps while PLAYING are refused with 4, by service and action, and it goes on playing."""
    client.need(SERVICE, SETTING)
    client.pause()
    client.set_state(PLAYING)
    answer, notes = client.step(1), []
    want(answer.result in WHILE_PLAYING, f"a step while PLAYING is answered {told(answer)}, wanted 4")
    if answer.result != FAILED:
        notes.append(f"step_simulation answers {answer.result} where its text asks for 4")
    if ACTION in client.features:
        handle = client.goal(1)
        if handle.accepted:
            status, result = client.outcome(handle)
            want(status == GoalStatus.STATUS_ABORTED, f"a goal while PLAYING ends with the status {status}, wanted 6")
            want(result.result in WHILE_PLAYING, f"a goal while PLAYING is answered {told(result)}, wanted 4")
            if result.result != FAILED:
                notes.append(f"the action answers {result.result} where its text asks for 4")
        else:
            notes.append("the goal is rejected")
    want(client.state() == PLAYING, "a refused step changed the state")
    client.pause()
    return "; ".join(notes)


def _duration(client: ConformanceClient) -> int:
    """Return the length of a step by /clock, ns: the difference of two steps of one."""
    stamps = []
    for _ in range(2):
        client.forget()
        answer = client.step(1)
        want(answer.result == OK, f"one step while PAUSED is answered {told(answer)}")
        want(client.spin_until(lambda: client.ticks, ANSWER_S), "/clock does not tick in a step")
        client.settle()
        stamps.append(client.ticks[-1])
    want(stamps[1] > stamps[0], f"/clock goes from {stamps[0]} to {stamps[1]} ns in a step")
    return stamps[1] - stamps[0]


def by_service(client: ConformanceClient) -> str:
    """Row 4: n steps by service move the clock by n steps and no more, and it is PAUSED again."""
    client.need(SERVICE, MULTIPLE)
    client.pause()
    step = _duration(client)
    last = client.ticks[-1]
    client.forget()
    answer = client.step(SOME)
    begin = time.monotonic()
    want(answer.result == OK, f"{SOME} steps are answered {told(answer)}")
    wanted = last + SOME * step
    client.spin_until(lambda: client.ticks and client.ticks[-1] >= wanted - SOME * ROUNDING_NS, ANSWER_S)
    late = time.monotonic() - begin
    client.settle()
    moved = (client.ticks[-1] if client.ticks else last) - last
    want(abs(moved - SOME * step) <= SOME * ROUNDING_NS, f"{SOME} steps of {step} ns move /clock by {moved} ns")
    want(client.state() == PAUSED, "after the steps it is not PAUSED")
    notes = [f"a step is {step} ns"]
    if len(client.ticks) != SOME:
        notes.append(f"/clock ticks {len(client.ticks)} times in {SOME} steps")
    if late > 0.1:
        notes.append(f"the last of /clock came {late:.2f} s after the answer")
    return "; ".join(notes)


def by_action(client: ConformanceClient) -> str:
    """Row 5: n steps by action give n feedbacks that count up and down, and it is PAUSED again."""
    client.need(ACTION)
    client.pause()
    client.forget()
    handle = client.goal(SOME)
    want(handle.accepted, f"a goal of {SOME} steps is rejected while PAUSED")
    status, result = client.outcome(handle)
    want(status == GoalStatus.STATUS_SUCCEEDED, f"the goal ends with the status {status}, wanted 4")
    want(result.result == OK, f"the goal is answered {told(result)}")
    client.spin_until(lambda: len(client.counts(handle)) >= SOME, ANSWER_S)
    counts = client.counts(handle)
    want(counts == [(k, SOME - k) for k in range(1, SOME + 1)], f"the feedback counts (completed, remaining) {counts}")
    want(client.state() == PAUSED, "after the goal it is not PAUSED")
    return ""


def cancelled(client: ConformanceClient) -> str:
    """Row 6: a cancelled goal leaves it PAUSED at the step that its feedback tells, ready for the next one."""
    client.need(ACTION)
    client.pause()
    with client.running(MANY) as handle:
        later = handle.get_result_async()
        client.wait(handle.cancel_goal_async(), "a cancel")
        answer = client.wait(later, "the result of a cancelled goal")
    want(answer.status == GoalStatus.STATUS_CANCELED, f"it ends with the status {answer.status}, wanted 5 (canceled)")
    want(client.state() == PAUSED, "after the cancel it is not PAUSED")
    client.settle()
    # Feedback may come later than the result.
    client.spin_until(lambda: len(client.counts(handle)) >= len(client.ticks), ANSWER_S)
    completed, ticks, notes = client.counts(handle)[-1][0], len(client.ticks), []
    if ticks == completed:
        notes.append(f"{completed} steps")
    else:
        notes.append(f"{completed} steps by the feedback, {ticks} ticks of /clock")
    client.forget()
    client.spin(0.2)
    want(not client.ticks, "time goes on after the cancel")
    handle = client.goal(1)
    want(handle.accepted, "the next goal is rejected")
    want(client.outcome(handle)[1].result == OK, "the next goal does not succeed")
    return "; ".join([*notes, f"the result is {answer.result.result.result}"])


def second_goal(client: ConformanceClient) -> str:
    """Row 7: a second goal during the first is rejected or waits; the two are never interleaved."""
    client.need(ACTION)
    client.pause()
    with client.running(MANY):
        second: Future = client.action.send_goal_async(SimulateSteps.Goal(steps=1))
        client.spin_until(second.done, ANSWER_S)
        handle = second.result() if second.done() else None
        client.spin(0.3)
        interleaved = handle is not None and handle.accepted and client.counts(handle)
        want(not interleaved, "both goals tell of steps at once")
    if handle is None:
        return "the second goal is answered when the first has ended"
    if not handle.accepted:
        return "the second goal is rejected"
    _, result = client.outcome(handle)
    return f"the second goal is accepted, and answered {result.result}"


def odd_counts(client: ConformanceClient) -> str:
    """Row 8: 0 and 2^63 steps have an answer, soon, and it is PAUSED after it."""
    client.need(SERVICE)
    client.pause()
    notes = []
    for steps in (0, HUGE):
        client.forget()
        answer = client.call(StepSimulation, "step_simulation", steps=steps).result
        notes.append(f"{'2^63' if steps else 0} steps: {answer.result}")
        client.settle()
        want(steps or answer.result != OK or not client.ticks, "0 steps are answered OK and move /clock")
        want(client.state() == PAUSED, f"after {steps} steps it is not PAUSED")
    return "; ".join(notes)


ROWS = (
    Row(3, "steps while PLAYING are refused with 4; it goes on playing", while_playing),
    Row(4, "n steps by service: /clock moves by n steps", by_service),
    Row(5, "n steps by action: n feedbacks, 1 to n; PAUSED again", by_action),
    Row(6, "cancel: canceled, PAUSED, time stands, the next goal runs", cancelled),
    Row(7, "a second goal during the first is never interleaved", second_goal),
    Row(8, "0 and 2^63 steps are answered", odd_counts),
)
