"""Who asks for steps, and how.

Two clients at once, a client whose clock is the simulation's, one that stops again and again, one that asks from a
second thread: complaints C34, C35, C36 and C45 about other simulators (docs/validation.md).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from acres_interfaces.srv import GetFarm
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.srv import GetSimulationState, StepSimulation
from system_rig import ANSWER_S, FAILED, OK, PAUSED, PLAYING, STOPPED, User, stamp_ns, wait_for


class Client:
    """Another program: a node of its own that a thread of its own spins.

    Args:
        user: of the shared stand-in.
        use_sim_time: whether its clock is `/clock`.
    """

    def __init__(self, user: User, name: str, *, use_sim_time: bool = False) -> None:
        overrides = [Parameter("use_sim_time", value=use_sim_time)]
        self.node = Node(name, context=user.ros, parameter_overrides=overrides)
        self.steps = self.node.create_client(StepSimulation, "/step_simulation")
        self._executor = SingleThreadedExecutor(context=user.ros)
        self._executor.add_node(self.node)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        wait_for(self.steps.service_is_ready, "the service")

    def _spin(self) -> None:
        while not self._ending.is_set():
            self._executor.spin_once(0.05)

    def step(self, count: int) -> StepSimulation.Response:
        """Ask for steps and wait for the answer in wall time, while the thread spins."""
        return answer_of(self.steps.call_async(StepSimulation.Request(steps=count))).result

    def close(self) -> None:
        """End the thread and the node; rclpy's shutdown takes away what an executor that still spins waits for."""
        self._ending.set()
        self._thread.join(ANSWER_S)
        self._executor.shutdown()
        self.node.destroy_node()


def answer_of(future):  # type: ignore[no-untyped-def]  # the futures of rclpy have no type
    """Return the result of a future that another thread completes, with a wait in wall time."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(ANSWER_S), "no answer"
    return future.result()


@pytest.fixture
def clients(user: User) -> Iterator[list[Client]]:
    made = [Client(user, f"client_{number}", use_sim_time=number == 0) for number in range(2)]
    yield made
    for client in made:
        client.close()


@pytest.mark.parametrize("state", [PLAYING, PAUSED])
def test_stopping_again_and_again_is_answered_each_time(user: User, state: int) -> None:
    for _ in range(25):
        if user.state() != state:
            assert user.set_state(state).result == OK
        assert user.set_state(STOPPED).result == OK
        assert user.state() == STOPPED
    assert user.set_state(PAUSED).result == OK
    user.forget()
    user.step(2)
    assert user.ticks() == [stamp_ns(1), stamp_ns(2)]


def test_a_client_with_simulation_time_steps_and_sees_its_clock_where_the_steps_end(
    user: User, clients: list[Client]
) -> None:
    client = clients[0]
    for number in range(1, 21):
        assert client.step(6).result == OK
        wanted = stamp_ns(6 * number)
        wait_for(lambda wanted=wanted: client.node.get_clock().now().nanoseconds == wanted, f"the time {wanted} ns")


def test_steps_of_two_clients_move_the_world_once_each(user: User, clients: list[Client]) -> None:
    for number in range(20):
        assert clients[number % 2].step(3).result == OK
    user.recorder.take_until("/clock", 60)
    assert user.ticks() == [stamp_ns(k) for k in range(1, 61)]


def test_of_two_requests_at_once_each_is_run_whole_or_refused(user: User, clients: list[Client]) -> None:
    results: list[list[StepSimulation.Response]] = [[], []]

    def ask(number: int) -> None:
        for _ in range(30):
            results[number].append(clients[number].step(5))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(ANSWER_S)
    answers = results[0] + results[1]
    assert len(answers) == 60 and {answer.result for answer in answers} <= {OK, FAILED}
    refused = [answer.error_message for answer in answers if answer.result == FAILED]
    assert all("step request is running" in text for text in refused)
    ran = 60 - len(refused)
    assert ran >= 30
    user.recorder.take_until("/clock", 5 * ran)
    user.settle()
    assert user.ticks() == [stamp_ns(k) for k in range(1, 5 * ran + 1)]


@pytest.mark.parametrize(
    ("kind", "name"),
    [(StepSimulation, "/step_simulation"), (GetSimulationState, "/get_simulation_state"), (GetFarm, "/acres/get_farm")],
)
def test_of_many_requests_at_once_each_is_answered(user: User, kind: Any, name: str) -> None:
    """More than the 10 that the middleware keeps for a service unless told otherwise; none may wait for ever."""
    asking = [user.node.create_client(kind, name, qos_profile=QoSProfile(depth=1000)) for _ in range(4)]
    for client in asking:
        wait_for(client.service_is_ready, "the service")
    futures = [client.call_async(kind.Request()) for _ in range(25) for client in asking]
    user.spin_until(lambda: all(future.done() for future in futures), "the answer to each of 100 requests")
    for client in asking:
        user.node.destroy_client(client)


def test_of_many_goals_at_once_each_is_taken_or_rejected(user: User) -> None:
    client = ActionClient(user.node, SimulateSteps, "/simulate_steps", goal_service_qos_profile=QoSProfile(depth=1000))
    wait_for(client.server_is_ready, "the action")
    futures = [client.send_goal_async(SimulateSteps.Goal(steps=12)) for _ in range(100)]
    user.spin_until(lambda: all(future.done() for future in futures), "the answer to each of 100 goals")
    assert any(future.result().accepted for future in futures)
    client.destroy()


def test_the_service_answers_whoever_asks_from_another_thread_than_the_one_that_spins(
    user: User, clients: list[Client]
) -> None:
    """What stands in for the action there: rclpy's action client loses an answer that comes too soon (C45)."""
    for _ in range(300):
        assert clients[1].step(1).result == OK
    user.recorder.take_until("/clock", 300)
    assert user.ticks() == [stamp_ns(k) for k in range(1, 301)]
