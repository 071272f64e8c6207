"""How the physics waits for requests: cheaper than rclpy's executor, which collects every entity anew for each wait.

That costs more than twelve steps of the physics. Here one wait set is kept; what it finds ready is served by the
executor, but for the requests that are taken by hand. Events of QoS are in no wait: the executor looks at them now and
then.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities, Waitable

MOST_CALLBACKS = 100
"""Callbacks in one go; those of clients that ask for much at once must not keep the steps from running."""


class TakenByHand(CallbackGroup):
    """A group whose messages and requests no executor takes.

    Attributes:
        open: whether an executor sees the events of their QoS. Each subscription has several, and collecting them for
            every wait would cost more than a step.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open = False

    def can_execute(self, entity: object) -> bool:
        """Tell whether an executor may run a callback of the entity."""
        return self.open and not isinstance(entity, Subscription | Service)

    def beginning_execution(self, entity: object) -> bool:
        """Agree to every callback."""
        return True

    def ending_execution(self, entity: object) -> None:
        """Take note of nothing."""


def never_called(*_: object) -> None:
    """Stand for the callback of what is taken by hand."""
    raise AssertionError("an executor took what is taken by hand")


class ReadyExecutor(SingleThreadedExecutor):
    """An executor that runs what is ready and never waits.

    Args:
        context: of rclpy.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._created: list[Task] = []

    def create_task(self, callback: Callable[..., Any] | Coroutine[Any, Any, Any], *args: Any, **kwargs: Any) -> Task:
        """Add a callback or coroutine to what is run, as the executors of rclpy do."""
        task = super().create_task(callback, *args, **kwargs)
        self._created.append(task)
        return task

    @property
    def busy(self) -> bool:
        """Tell whether a task is not done: no wait set tells of those, so there is nothing to wait for meanwhile."""
        self._created = [task for task in self._created if not task.done()]
        return bool(self._created)

    def run_ready(self, logger: RcutilsLogger) -> bool:
        """Run what one look finds ready: the tasks that are there, and one callback of each entity.

        What comes meanwhile, and the second of two messages or requests, is for the next call: another look would cost
        as much as several steps each time. What is over `MOST_CALLBACKS` is for the next call too, which goes on with
        the same look.

        Args:
            logger: gets what a callback raises; a client's request must not end the simulation.

        Returns:
            Whether something was ready, so that more may be by now.
        """
        for count in range(MOST_CALLBACKS):
            try:
                callback, _, _ = self.wait_for_ready_callbacks(timeout_sec=0.0)
            except TimeoutException:  # raised when all that the look has found was given, or nothing
                return count > 0
            _run(callback, logger)
        return True

    def run_tasks(self, logger: RcutilsLogger) -> None:
        """Run the tasks that are not done, and look for nothing else.

        A goal is such a task while its steps run, and a look for each chunk of them would take longer than they do.

        Args:
            logger: as for `run_ready`.
        """
        for task in [task for task in self._created if not task.done()][:MOST_CALLBACKS]:
            _run(task, logger)


def _run(callback: Task, logger: RcutilsLogger) -> None:
    """Run a callback, or let it go on, and say what it raises."""
    callback()
    if callback.done() and callback.exception() is not None:
        error = "".join(traceback.format_exception(callback.exception()))
        logger.error(f"a request was not served:\n{error}")


class RequestWait:
    """Sleep until a request comes to a node.

    Args:
        node: all its services are waited for.
        by_hand: those that are taken by hand.
        actions: servers of actions, which are waited for too.
    """

    def __init__(self, node: Node, by_hand: Sequence[Service], actions: Sequence[Waitable]) -> None:
        self._node = node
        self._by_hand = {service.handle.pointer for service in by_hand}
        self._actions = tuple(actions)
        self.renew()

    def renew(self) -> None:
        """Wait for the services that the node has now; call it whenever it gets or loses one, before the next sleep."""
        self._services = [service.handle for service in self._node.services]
        count = sum((action.get_num_entities() for action in self._actions), NumberOfEntities())
        self._set = _rclpy.WaitSet(
            count.num_subscriptions,
            count.num_guard_conditions,
            count.num_timers,
            count.num_clients,
            count.num_services + len(self._services),
            count.num_events,
            self._node.context.handle,
        )

    def sleep(self, timeout_s: float) -> tuple[bool, bool]:
        """Return whether a request has come that is taken by hand, and whether the executor has something to do.

        Args:
            timeout_s: longest sleep, s.
        """
        found = self._set
        found.clear_entities()
        for service in self._services:
            found.add_service(service)
        for action in self._actions:
            action.add_to_wait_set(found)
        found.wait(int(timeout_s * 1e9))
        ready = found.get_ready_entities("service")
        by_hand = len(self._by_hand.intersection(ready))
        return by_hand > 0, len(ready) > by_hand or bool(found.get_ready_entities("timer"))
