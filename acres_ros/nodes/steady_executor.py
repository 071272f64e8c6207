"""An executor for nodes whose publishers, subscriptions and services stay.

rclpy's own executor collects every entity anew for every wait, and waits once more after each callback: with the two
nodes of the stand-in that costs more than a physics step with all its messages. This one keeps the collection until an
entity is made or destroyed, runs all that is ready after one wait, and looks at the events of QoS (a client with other
settings) a few times a second only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor, timeout_sec_to_nsec
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities

EVENTS_PERIOD_S = 0.2

Take = Callable[[Any], Callable[[], Any] | None]


class _Group:
    """The entities of one callback group.

    Args:
        group: the group.
        member: one of its entities; rclpy asks for one before it answers for the group.
    """

    def __init__(self, group: CallbackGroup, member: Any) -> None:
        self._group = group
        self._member = member
        self.timers: list[Any] = []
        self.subscriptions: list[Any] = []
        self.clients: list[Any] = []
        self.services: list[Any] = []
        self.waitables: list[Any] = []
        self.events: list[EventHandler] = []

    @property
    def free(self) -> bool:
        """Tell whether its callbacks may run."""
        return self._group.can_execute(self._member)

    def count(self, events: bool) -> NumberOfEntities:
        """Return how many places in a wait set they need."""
        numbers = NumberOfEntities(
            len(self.subscriptions), 0, len(self.timers), len(self.clients), len(self.services), 0
        )
        for waitable in self.waitables + (self.events if events else []):
            numbers += waitable.get_num_entities()
        return numbers


class SteadyExecutor(SingleThreadedExecutor):
    """Spin nodes in one thread; callbacks of one pass run in the order timers, subscriptions, clients, services.

    A callback group that runs one callback at a time is held by a coroutine that waits, as with rclpy's executor.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        self._stale = True
        self._groups: list[_Group] = []
        self._wait_sets: dict[bool, Any] = {}
        self._next_events = 0.0
        super().__init__(context=context)

    def add_node(self, node: Node) -> bool:
        """Add a node."""
        self._stale = True
        return super().add_node(node)

    def remove_node(self, node: Node) -> None:
        """Remove a node."""
        self._stale = True
        super().remove_node(node)

    def wake(self) -> None:
        """Collect the entities anew at the next wait: one was made or destroyed."""
        self._stale = True
        super().wake()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Go on with what waits for a result, wait for something to be ready, and run all that is.

        Args:
            timeout_sec: longest wait, s; None waits for ever.

        Raises:
            ExternalShutdownException: the context was shut down.
        """
        if self._resume_tasks():
            timeout_sec = 0.0
        if not self._context.ok():
            raise ExternalShutdownException
        if self._stale:
            self._collect()
        now = time.monotonic()
        events = now >= self._next_events
        if events:
            self._next_events = now + EVENTS_PERIOD_S
        groups = [group for group in self._groups if group.free]
        wait_set = self._wait(groups, events, timeout_sec)
        if not self._context.ok():
            raise ExternalShutdownException
        for entity, take in self._ready(wait_set, groups, events):
            self._run(entity, take)

    def _resume_tasks(self) -> bool:
        """Go on with coroutines; return whether one is still on its way."""
        if not self._tasks:
            return False
        with self._tasks_lock:
            tasks, self._tasks = self._tasks, []
        unfinished = []
        for entry in tasks:
            task = entry[0]
            task()
            if task.done():
                _raise_failure(task)
            elif not task.cancelled():
                unfinished.append(entry)
        with self._tasks_lock:
            self._tasks = unfinished + self._tasks
        return bool(self._tasks)

    def _collect(self) -> None:
        self._stale = False
        groups: dict[CallbackGroup, _Group] = {}

        def group_of(entity: Any) -> _Group:
            return groups.setdefault(entity.callback_group, _Group(entity.callback_group, entity))

        for node in self.get_nodes():
            for kind in ("timers", "subscriptions", "clients", "services"):
                for entity in getattr(node, kind):
                    getattr(group_of(entity), kind).append(entity)
            for waitable in node.waitables:
                group = group_of(waitable)
                (group.events if isinstance(waitable, EventHandler) else group.waitables).append(waitable)
        self._groups = list(groups.values())
        self._wait_sets = {events: self._new_wait_set(events) for events in (False, True)}

    def _new_wait_set(self, events: bool) -> Any:
        numbers = NumberOfEntities(0, 2, 0, 0, 0, 0)
        for group in self._groups:
            numbers += group.count(events)
        with self._context.handle:
            return rclpy_implementation.WaitSet(
                numbers.num_subscriptions,
                numbers.num_guard_conditions,
                numbers.num_timers,
                numbers.num_clients,
                numbers.num_services,
                numbers.num_events,
                self._context.handle,
            )

    def _wait(self, groups: list[_Group], events: bool, timeout_sec: float | None) -> Any:
        wait_set = self._wait_sets[events]
        wait_set.clear_entities()
        for group in groups:
            for subscription in group.subscriptions:
                wait_set.add_subscription(subscription.handle)
            for timer in group.timers:
                wait_set.add_timer(timer.handle)
            for client in group.clients:
                wait_set.add_client(client.handle)
            for service in group.services:
                wait_set.add_service(service.handle)
            for waitable in group.waitables:
                waitable.add_to_wait_set(wait_set)
            if events:
                for event in group.events:
                    event.add_to_wait_set(wait_set)
        for guard in (self._guard, self._sigint_gc):
            wait_set.add_guard_condition(guard.handle)
        wait_set.wait(timeout_sec_to_nsec(timeout_sec))
        return wait_set

    def _ready(self, wait_set: Any, groups: list[_Group], events: bool) -> list[tuple[Any, Take]]:
        """Return what is ready, with the function that takes its data."""
        found: list[tuple[Any, Take]] = []
        pointers = {kind: wait_set.get_ready_entities(kind) for kind in ("timer", "subscription", "client", "service")}
        for group in groups:
            for kind, entities, take in (
                ("timer", group.timers, self._take_timer),
                ("subscription", group.subscriptions, self._take_subscription),
                ("client", group.clients, self._take_client),
                ("service", group.services, self._take_service),
            ):
                if ready := pointers[kind]:
                    found += [(entity, take) for entity in entities if entity.handle.pointer in ready]
            waitables = group.waitables + group.events if events else group.waitables
            found += [(waitable, self._take_waitable) for waitable in waitables if waitable.is_ready(wait_set)]
        return found

    def _run(self, entity: Any, take: Take) -> None:
        group = entity.callback_group
        if not group.can_execute(entity):
            return  # a callback before it in this pass holds the group; it stays ready
        group.beginning_execution(entity)

        async def handle() -> None:
            try:
                call = take(entity)
                if call is not None:
                    await call()
            finally:
                group.ending_execution(entity)

        task = Task(handle, executor=self)
        task()
        if task.done():
            _raise_failure(task)
        else:
            with self._tasks_lock:
                self._tasks.append((task, entity, None))


def _raise_failure(task: Task) -> None:
    """Raise what a callback raised."""
    error = task.exception()
    if error is not None:
        raise error
