"""Processes end when they are told to, and nothing survives; what dies is noticed and may return (B20, B21, J102)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from acres_interfaces.srv import StepWithCommands
from action_msgs.msg import GoalStatus
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import GetSimulationState, StepSimulation
from system_rig import OK, OWN_DOMAIN, PAUSED, QUITTING, SHARED_DOMAIN, START_S, Shared, User, joined, wait_for

from acres_ros import fence
from acres_ros._program import run_by
from acres_ros.cli.description import processes
from acres_ros.cli.up import StandIn, started, tied
from acres_ros.locations import shared_folder

pytestmark = pytest.mark.system

NOTICED_S = 1.0
SLACK_S = 4.0  # a busy machine
END_S = 60.0
HELD_S = 3.0
ROOT = Path(__file__).resolve().parents[2]


class Up:
    """`acres up` as a process, with the processes that it started."""

    def __init__(self, *options: str, domain: int = OWN_DOMAIN) -> None:
        environment = {**os.environ, "ACRES_DOMAIN_ID": str(domain)}
        self.process = subprocess.Popen(
            [sys.executable, "-u", *run_by("acres_ros.cli", "up", *options)],
            cwd=ROOT / "test" / "other_checkout",
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip())

    def wait_ready(self) -> None:
        wait_for(
            lambda: any("ready after" in line for line in self.lines), "\n".join(["readiness", *self.lines]), START_S
        )

    def children(self) -> list[int]:
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(number) for number in found]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(5.0)


def alive(number: int) -> bool:
    """Tell whether a process runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def up() -> Iterator[Up]:
    process = Up("--paused")
    yield process
    process.close()


def assert_all_gone(children: list[int]) -> None:
    assert len(children) == 2
    wait_for(lambda: not any(map(alive, children)), f"the end of {children}", END_S)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGKILL, -9)])
def test_a_signal_to_the_launcher_ends_everything(up: Up, number: int, code: int) -> None:
    up.wait_ready()
    children = up.children()
    up.process.send_signal(number)
    assert up.process.wait(END_S) == code
    assert_all_gone(children)
    assert not any("Traceback" in line for line in up.lines), "\n".join(up.lines)


def test_a_signal_during_the_start_ends_everything(up: Up) -> None:
    wait_for(lambda: len(up.children()) == 2, "two processes")
    children = up.children()
    up.process.send_signal(signal.SIGINT)
    up.process.wait(END_S)
    assert_all_gone(children)


def test_quitting_ends_both_processes_well(up: Up) -> None:
    up.wait_ready()
    children = up.children()
    with joined(OWN_DOMAIN) as ros:
        assert User(ros).set_state(QUITTING).result == OK
    assert up.process.wait(END_S) == 0
    assert_all_gone(children)
    assert not any("Traceback" in line for line in up.lines), "\n".join(up.lines)


def test_quitting_answers_the_request_that_it_cuts_short(up: Up) -> None:
    up.wait_ready()
    with joined(OWN_DOMAIN) as ros:
        user = User(ros)
        steps = user.ask(StepSimulation, "/step_simulation", steps=10**9)
        user.spin_until(lambda: len(user.recorder.rows["/clock"]) > 100, "the steps")
        assert user.state() == PAUSED, "other services are answered meanwhile"
        assert user.set_state(QUITTING).result == OK
        answer = user.wait(steps).result
    assert answer.result == Result.RESULT_OPERATION_FAILED and "cut short" in answer.error_message
    assert up.process.wait(END_S) == 0


def test_quitting_answers_the_request_that_waits_for_commands(up: Up) -> None:
    up.wait_ready()
    with joined(OWN_DOMAIN) as ros:
        user = User(ros)
        waits = user.ask(StepWithCommands, "/acres/step_with_commands", wait_for=["ulc"], timeout_s=600.0)
        assert "waits for ulc" in user.refused_reset()
        assert user.set_state(QUITTING).result == OK
        answer = user.wait(waits)
    assert not answer.success and "cut short after 0 of 12 steps" in answer.message and answer.state == QUITTING
    assert up.process.wait(END_S) == 0


def test_quitting_gives_the_goal_that_runs_a_result(up: Up) -> None:
    up.wait_ready()
    with joined(OWN_DOMAIN) as ros:
        user = User(ros)
        result = user.goal(10**9).get_result_async()
        user.spin_until(lambda: len(user.recorder.rows["/clock"]) > 100, "the steps")
        assert user.set_state(QUITTING).result == OK
        answer = user.wait(result)
    assert answer.status == GoalStatus.STATUS_ABORTED and "cut short" in answer.result.result.error_message
    assert up.process.wait(END_S) == 0


@pytest.mark.parametrize("composed", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_steps_ends_a_node_well(composed: bool, number: int) -> None:
    with started({"composed": composed, "rate": 0.0}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        for process in stand_in.processes.values():
            process.send_signal(number)
        assert [process.wait(END_S) for process in stand_in.processes.values()] == [0] * len(stand_in.processes)
    assert not any("Traceback" in line for line in stand_in.output), "\n".join(stand_in.output)


# -- one of the two dies ----------------------------------------------------------------------------------------------


def says(stand_in: StandIn, words: str, begin: int) -> float:
    """Return how long it takes until a line with these words, one of several, comes."""
    start = time.monotonic()
    wait_for(
        lambda: any(word in line for line in stand_in.output[begin:] for word in words.split("|")),
        f"{words!r} after {stand_in.output[-5:]}",
    )
    return time.monotonic() - start


def restarted(stand_in: StandIn, name: str) -> StandIn:
    """Start one node of a stand-in again."""
    (description,) = [item for item in processes({"paused": True}) if item.executable == name]
    environment = fence.environment(os.environ, domain=OWN_DOMAIN)
    return StandIn([description], environment, echo=False)


def test_each_node_notices_the_death_of_the_other_and_takes_a_new_one() -> None:
    with started({"paused": True}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros)
            user.start_driving(2.0, 3.0)
            tick = user.ticks()[-1]

            begin = len(stand_in.output)
            stand_in.processes["acres_vehicle"].kill()
            assert says(stand_in, "left|link to acres_vehicle is lost", begin) < NOTICED_S + SLACK_S
            answer = user.step_result(1)
            assert answer.result == 4 and "acres_vehicle" in answer.error_message
            vehicle = restarted(stand_in, "acres_vehicle")
            try:
                says(stand_in, "joined", begin)
                says(vehicle, "joined acres_physics at step", 0)
                user.forget()
                wait_for(lambda: user.step_result(1).result == OK, "a step")
                # The new publishers find the subscriptions of this process while the steps go on.
                wait_for(
                    lambda: (user.step_result(12), user.recorder.take(), user.recorder.rows["/clock"])[2], "a tick"
                )
                assert user.ticks()[0] > tick, "time went back"

                begin, old = len(vehicle.output), stand_in.processes["acres_physics"]
                old.kill()
                assert says(vehicle, "acres_physics is gone", begin) < NOTICED_S + SLACK_S
                physics = restarted(stand_in, "acres_physics")
                try:
                    physics.wait_ready(START_S)
                    says(vehicle, "joined acres_physics at step 0", begin)
                    user.forget()
                    wait_for(lambda: user.step_result(12).result == OK, "a step")
                    user.settle()
                    assert user.ticks()[0] == 8333333
                finally:
                    physics.end()
            finally:
                vehicle.end()


def test_a_free_run_holds_its_time_while_nobody_publishes() -> None:
    with started({}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros)
            wait_for(lambda: user.recorder.take() or len(user.recorder.rows["/clock"]) > 12, "time going on")
            begin = len(stand_in.output)
            stand_in.processes["acres_vehicle"].kill()
            says(stand_in, "left|link to acres_vehicle is lost", begin)
            user.settle()
            last = user.ticks()[-1]
            user.forget()
            time.sleep(HELD_S)
            begin_s = time.monotonic()
            vehicle = restarted(stand_in, "acres_vehicle")
            try:
                wait_for(lambda: user.recorder.take() or user.recorder.rows["/clock"], "time going on")
                # What was on its way when the node died is lost, and the ticks until the new one was matched: at the
                # most those of the time since its start, and not those of the time before.
                run = time.monotonic() - begin_s
                assert last < user.ticks()[0] < last + (run + 0.5 * HELD_S) * 1e9
                assert user.call(GetSimulationState, "/get_simulation_state").state.state == 1
            finally:
                vehicle.end()


def test_a_program_ends_with_the_one_that_it_is_tied_to() -> None:
    script = (
        "import subprocess, sys, time; from acres_ros.cli.up import tied;"
        "child = subprocess.Popen(tied(['sleep', '60'])); print(child.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        wait_for(lambda: b"sleep" in Path(f"/proc/{child}/cmdline").read_bytes(), "the program")
        parent.kill()
    wait_for(lambda: not alive(child), "its end")


def test_a_program_that_comes_too_late_is_not_started() -> None:
    command = tied(["echo", "started"])
    command[4] = "1"
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and result.stdout == ""


# -- a second one -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--agent", "other"), ("--composed",)])
def test_a_second_stand_in_in_the_domain_refuses_and_the_first_goes_on(
    shared: Shared, user: User, options: tuple[str, ...]
) -> None:
    user.step(5)
    second = Up("--paused", *options, domain=SHARED_DOMAIN)
    try:
        assert second.process.wait(END_S) == 1
    finally:
        second.close()
    text = "\n".join(second.lines)
    assert "Traceback" not in text
    assert "already" in text or "acres_physics" in text
    user.step(5)
    assert len(user.ticks()) == 10
    assert user.state() == PAUSED


def test_a_second_vehicle_node_refuses_and_the_first_goes_on(shared: Shared, user: User) -> None:
    command = [sys.executable, "-m", "acres_ros.nodes.vehicle_program", "--ros-args", "--params-file"]
    command += [str(shared_folder("config") / "acres.yaml")]
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=fence.environment(os.environ, domain=SHARED_DOMAIN),
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )
    assert result.returncode == 1
    assert "already has a publisher" in result.stderr and "/clock" in result.stderr
    assert "Traceback" not in result.stderr
    user.step(5)
    assert len(user.ticks()) == 5
