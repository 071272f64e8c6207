"""The executor that never waits, which says whether it has tasks, of which no wait set tells; and the wait itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.context import Context
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Empty

from acres_ros.nodes.waiting import MOST_CALLBACKS, ReadyExecutor, RequestWait

LOGGER = RcutilsLogger("test_waiting")


@pytest.fixture
def executor() -> Iterator[ReadyExecutor]:
    context = Context()
    rclpy.init(context=context)
    made = ReadyExecutor(context=context)
    yield made
    made.shutdown(0.0)
    context.try_shutdown()


def test_it_is_busy_while_a_task_is_not_done(executor: ReadyExecutor) -> None:
    assert not executor.busy
    awaited, done = Future(executor=executor), []

    async def goal() -> None:
        await awaited
        done.append("goal")

    executor.create_task(goal)
    executor.run_ready(LOGGER)
    assert executor.busy and not done
    awaited.set_result(None)
    executor.run_ready(LOGGER)
    assert done == ["goal"] and not executor.busy


def test_what_follows_from_the_end_of_a_task_makes_it_busy_too(executor: ReadyExecutor) -> None:
    """As the answer to who asked for the result of a goal before it ended."""
    result, answers = Future(executor=executor), []
    result.add_done_callback(lambda future: answers.append(future.result()))
    result.set_result(7)
    assert executor.busy and not answers
    executor.run_ready(LOGGER)
    assert answers == [7] and not executor.busy


def test_a_task_that_fails_is_said_and_ends(executor: ReadyExecutor) -> None:
    said: list[str] = []

    class Listener:
        def error(self, text: str) -> None:
            said.append(text)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError("of a request")

    executor.create_task(fail)
    executor.run_ready(Listener())  # type: ignore[arg-type]
    assert len(said) == 1 and "of a request" in said[0] and not executor.busy


def test_tasks_run_without_a_look_at_anything_else(ros: Context) -> None:
    """A goal is a task as long as its steps run, and a look for each chunk of them would take longer than they do."""
    executor, node = ReadyExecutor(context=ros), Node("ticks", context=ros)
    executor.add_node(node)
    awaited, ran, said = Future(executor=executor), [], []

    class Listener:
        error = said.append

    async def goal() -> None:
        await awaited
        ran.append("goal")
        raise ZeroDivisionError("of a goal")

    node.create_timer(0.0, lambda: ran.append("timer"))
    executor.create_task(goal)
    for _ in range(3):
        executor.run_tasks(Listener())  # type: ignore[arg-type]
    assert executor.busy and not ran
    awaited.set_result(None)
    for _ in range(2):
        executor.run_tasks(Listener())  # type: ignore[arg-type]
    assert ran == ["goal"] and not executor.busy
    assert len(said) == 1 and "of a goal" in said[0]
    executor.run_ready(LOGGER)
    assert ran == ["goal", "timer"], "the look leaves out what is done"
    executor.shutdown(0.0)
    node.destroy_node()


def test_of_many_callbacks_some_run_at_a_time_and_none_is_lost(executor: ReadyExecutor) -> None:
    """So that steps are run between them."""
    ran: list[int] = []
    count = 2 * MOST_CALLBACKS + 50
    for number in range(count):
        executor.create_task(ran.append, number)
    for wanted in (MOST_CALLBACKS, 2 * MOST_CALLBACKS, count):
        assert executor.busy
        assert executor.run_ready(LOGGER)
        assert len(ran) == wanted
    assert sorted(ran) == list(range(count)) and not executor.busy
    assert not executor.run_ready(LOGGER), "nothing was ready"


def test_a_task_that_another_one_adds_is_run_by_the_next_call(executor: ReadyExecutor) -> None:
    ran: list[str] = []

    def first() -> None:
        ran.append("first")
        executor.create_task(ran.append, "second")

    executor.create_task(first)
    executor.run_ready(LOGGER)
    assert ran == ["first"] and executor.busy
    executor.run_ready(LOGGER)
    assert ran == ["first", "second"] and not executor.busy


def test_what_is_always_ready_runs_once_in_each_call(ros: Context) -> None:
    """A look at all that may be ready costs as much as several steps, so a call looks once."""
    executor, node = ReadyExecutor(context=ros), Node("ticks", context=ros)
    executor.add_node(node)
    ran: list[str] = []
    for name in ("one", "other"):
        node.create_timer(0.0, lambda name=name: ran.append(name))
    for calls in (1, 2, 3):
        executor.run_ready(LOGGER)
        assert ran == ["one", "other"] * calls
    executor.shutdown(0.0)
    node.destroy_node()


def test_a_wait_that_is_renewed_has_the_services_of_now(ros: Context) -> None:
    node, other = Node("serves", context=ros), Node("asks", context=ros)
    wait = RequestWait(node, [], [])
    service = node.create_service(Empty, "/late", lambda request, response: response)
    client = other.create_client(Empty, "/late")
    assert client.wait_for_service(60.0)
    client.call_async(Empty.Request())
    assert wait.sleep(0.3) == (False, False)
    wait.renew()
    assert wait.sleep(60.0) == (False, True)
    node.destroy_service(service)
    wait.renew()
    assert wait.sleep(0.0) == (False, False)
    node.destroy_node()
    other.destroy_node()
