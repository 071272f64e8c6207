"""A client that tries what a simulator answers by the standard `simulation_interfaces` 1.5.1, ours or any other.

The standard fixes no names: services are sought by the usual ones below a namespace. A row of the suite is a function
of the client: it returns notes on what the standard leaves open, raises `WrongError` for what the standard forbids, or
`NotOfferedError` for what the simulator does not say that it can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple

from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from acres_ros.errors import AcresError

OK, UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED = (
    Result.RESULT_OK,
    Result.RESULT_FEATURE_UNSUPPORTED,
    Result.RESULT_NOT_FOUND,
    Result.RESULT_INCORRECT_STATE,
    Result.RESULT_OPERATION_FAILED,
)
STOPPED, PLAYING, PAUSED, QUITTING, NO_WORLD = (
    SimulationState.STATE_STOPPED,
    SimulationState.STATE_PLAYING,
    SimulationState.STATE_PAUSED,
    SimulationState.STATE_QUITTING,
    SimulationState.STATE_NO_WORLD,
)
SERVICE_OF = {
    "SPAWNING": "spawn_entity",
    "DELETING": "delete_entity",
    "NAMED_POSES": "get_named_poses",
    "POSE_BOUNDS": "get_named_pose_bounds",
    "ENTITY_TAGS": "get_entities",
    "ENTITY_BOUNDS": "get_entity_bounds",
    "ENTITY_BOUNDS_BOX": "get_entities",
    "ENTITY_BOUNDS_CONVEX": "get_entities",
    "ENTITY_CATEGORIES": "get_entities",
    "SPAWNING_RESOURCE_STRING": "spawn_entity",
    "ENTITY_STATE_GETTING": "get_entity_state",
    "ENTITY_STATE_SETTING": "set_entity_state",
    "ENTITY_INFO_GETTING": "get_entity_info",
    "ENTITY_INFO_SETTING": "set_entity_info",
    "SPAWNABLES": "get_spawnables",
    "SIMULATION_RESET": "reset_simulation",
    "SIMULATION_RESET_TIME": "reset_simulation",
    "SIMULATION_RESET_STATE": "reset_simulation",
    "SIMULATION_RESET_SPAWNED": "reset_simulation",
    "SIMULATION_STATE_GETTING": "get_simulation_state",
    "SIMULATION_STATE_SETTING": "set_simulation_state",
    "SIMULATION_STATE_PAUSE": "set_simulation_state",
    "STEP_SIMULATION_SINGLE": "step_simulation",
    "STEP_SIMULATION_MULTIPLE": "step_simulation",
    "STEP_SIMULATION_ACTION": "simulate_steps/_action/send_goal",
    "WORLD_LOADING": "load_world",
    "WORLD_RESOURCE_STRING": "load_world",
    "WORLD_TAGS": "get_available_worlds",
    "WORLD_UNLOADING": "unload_world",
    "WORLD_INFO_GETTING": "get_current_world",
    "AVAILABLE_WORLDS": "get_available_worlds",
    "SPAWNING_ENTITIES": "spawn_entities",
}
"""The service that stands behind each feature, by the usual name."""
KNOWN = {getattr(SimulatorFeatures, name): name for name in SERVICE_OF if hasattr(SimulatorFeatures, name)}
"""Features of the installed package, which may be an older one, by code."""
DISCOVERY_S = 10.0
SETTLE_S = 0.2
FEEDBACK = "/_action/feedback"


class NoSimulatorError(AcresError):
    """Nobody answers at all."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(
            f"no {name} was seen within {seconds:g} s: wanted a simulator that speaks simulation_interfaces in this "
            "domain and fence; --namespace says below which name its services are"
        )


class WrongError(AcresError):
    """The simulator answers against the standard."""


class NotOfferedError(AcresError):
    """The simulator does not say that it can do this."""


class Verdict(Enum):
    """How a row ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_OFFERED = "not offered"


class Outcome(NamedTuple):
    """One row of the table.

    Attributes:
        number: of the row.
        tried: what was tried.
        verdict: how it ended.
        text: what was wrong or is not offered; of a row that passed, what the standard leaves open.
    """

    number: int
    tried: str
    verdict: Verdict
    text: str


class Row(NamedTuple):
    """One check.

    Attributes:
        number: of the row.
        tried: what is tried, in words.
        run: returns notes.
    """

    number: int
    tried: str
    run: Callable[[ConformanceClient], str]

    def outcome(self, client: ConformanceClient) -> Outcome:
        """Run the check and return how it ended."""
        try:
            return Outcome(self.number, self.tried, Verdict.PASSED, self.run(client))
        except WrongError as error:
            return Outcome(self.number, self.tried, Verdict.FAILED, str(error))
        except NotOfferedError as error:
            return Outcome(self.number, self.tried, Verdict.NOT_OFFERED, str(error))


def want(condition: object, text: str) -> None:
    """Raise `WrongError` with a text unless a condition holds."""
    if not condition:
        raise WrongError(text)


class ConformanceClient:
    """A client of one simulator.

    Args:
        node: a node of the client's own process; nobody else spins it.
        namespace: what the names of the services begin with, such as /gzserver; empty for the root.
        odometry: topic of the truth of the vehicle.
        answer_s: how long an answer may take.

    Attributes:
        ticks: stamps of `/clock` since `forget`, ns.
        features: codes that the simulator announces.

    Raises:
        NoSimulatorError: no simulator is there.
    """

    def __init__(
        self, node: Node, namespace: str = "", odometry: str = "/ground_truth/odometry", answer_s: float = 20.0
    ):
        self._node = node
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self.namespace = "/".join(["", *filter(None, namespace.split("/"))]).rstrip("/")
        self._answer_s = answer_s
        self._clients: dict[str, Any] = {}
        self.ticks: list[int] = []
        self.odometry: list[Odometry] = []
        self._feedback: dict[bytes, list[tuple[int, int]]] = {}
        every = QoSProfile(history=HistoryPolicy.KEEP_ALL)
        lossy = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.BEST_EFFORT)
        node.create_subscription(Clock, "/clock", self._on_clock, lossy)
        node.create_subscription(Odometry, odometry, self.odometry.append, lossy)
        self.action = ActionClient(node, SimulateSteps, self.name("simulate_steps"))
        # The action client of rclpy keeps ten messages and forgets a goal that has ended.
        node.create_subscription(
            SimulateSteps.Impl.FeedbackMessage, self.name("simulate_steps") + FEEDBACK, self._on_feedback, every
        )
        first = self.name("get_simulator_features")
        end = time.monotonic() + DISCOVERY_S
        while not self.offers("get_simulator_features"):
            if time.monotonic() > end:
                raise NoSimulatorError(first, DISCOVERY_S)
            self.spin(0.05)
        self.spin(SETTLE_S)
        answer = self.call(GetSimulatorFeatures, "get_simulator_features")
        self.custom_info: str = answer.features.custom_info
        self.features = frozenset(answer.features.features)

    def _on_clock(self, message: Clock) -> None:
        self.ticks.append(message.clock.sec * 10**9 + message.clock.nanosec)

    def _on_feedback(self, message: Any) -> None:
        feedback = message.feedback
        counts = self._feedback.setdefault(bytes(message.goal_id.uuid), [])
        counts.append((feedback.completed_steps, feedback.remaining_steps))

    def counts(self, handle: Any) -> list[tuple[int, int]]:
        """Return the completed and the remaining steps that a goal has told of."""
        return self._feedback.get(bytes(handle.goal_id.uuid), [])

    def name(self, service: str) -> str:
        """Return the full name of a service."""
        return f"{self.namespace}/{service}"

    def types(self) -> dict[str, list[str]]:
        """Return the types of all services and clients that are seen, by name."""
        return dict(self._node.get_service_names_and_types())

    def offers(self, service: str) -> bool:
        """Return whether somebody serves a service."""
        return self._node.count_services(self.name(service)) > 0

    def need(self, *features: int) -> None:
        """Raise `NotOfferedError` unless every feature is announced."""
        missing = [KNOWN.get(code, str(code)) for code in features if code not in self.features]
        if missing:
            raise NotOfferedError(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not announced")

    # -- waiting ------------------------------------------------------------------------------------------------------

    def spin(self, seconds: float) -> None:
        """Take what comes for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(left)

    def spin_until(self, condition: Callable[[], object], seconds: float) -> bool:
        """Take what comes until a condition holds; return whether it does."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            self._executor.spin_once(0.05)
        return bool(condition())

    def wait(self, future: Any, what: str) -> Any:
        """Return what a future brings; raise `WrongError` when it takes too long."""
        want(self.spin_until(future.done, self._answer_s), f"{what} was not answered within {self._answer_s:g} s")
        return future.result()

    def settle(self) -> None:
        """Take until nothing more has come on /clock for a moment."""
        count = -1
        while count != len(self.ticks):
            count = len(self.ticks)
            self.spin(SETTLE_S)

    def forget(self) -> None:
        """Take what is on its way, and forget it."""
        self.settle()
        self.ticks.clear()
        self.odometry.clear()

    # -- asking -------------------------------------------------------------------------------------------------------

    def call(self, kind: Any, service: str, /, **fields: Any) -> Any:
        """Call a service and return its answer; raise `WrongError` when there is none."""
        name = self.name(service)
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, name)
        client = self._clients[name]
        want(self.spin_until(client.service_is_ready, DISCOVERY_S), f"there is no service {name}")
        return self.wait(client.call_async(kind.Request(**fields)), name)

    def state(self) -> int:
        """Return the state of the simulation."""
        return int(self.call(GetSimulationState, "get_simulation_state").state.state)

    def set_state(self, state: int) -> Result:
        """Ask for a state and return the result."""
        wanted = SimulationState(state=state)
        return self.call(SetSimulationState, "set_simulation_state", state=wanted).result

    def pause(self) -> None:
        """Pause the simulation, by way of playing where it does not do so at once."""
        good = (OK, SetSimulationState.Response.ALREADY_IN_TARGET_STATE)
        if self.set_state(PAUSED).result not in good:
            self.set_state(PLAYING)
            answer = self.set_state(PAUSED)
            want(answer.result in good, f"PAUSED is answered {told(answer)}")

    def reset(self, scope: int) -> Result:
        """Ask for a reset and return the result."""
        return self.call(ResetSimulation, "reset_simulation", scope=scope).result

    def step(self, steps: int) -> Result:
        """Ask for steps and return the result."""
        return self.call(StepSimulation, "step_simulation", steps=steps).result

    def goal(self, steps: int) -> Any:
        """Send a goal and return its handle, accepted or not."""
        want(self.spin_until(self.action.server_is_ready, DISCOVERY_S), "there is no action simulate_steps")
        return self.wait(self.action.send_goal_async(SimulateSteps.Goal(steps=steps)), "a goal")

    def outcome(self, handle: Any) -> tuple[int, Result]:
        """Return the status of a goal and its result."""
        answer = self.wait(handle.get_result_async(), "the result of a goal")
        return answer.status, answer.result.result

    @contextmanager
    def running(self, steps: int) -> Iterator[Any]:
        """Give the handle of an accepted goal that has begun; cancel it at the end."""
        self.forget()
        handle = self.goal(steps)
        want(handle.accepted, f"a goal of {steps} steps is rejected while PAUSED")
        result = handle.get_result_async()
        try:
            begun = self.spin_until(lambda: len(self.counts(handle)) >= 5, self._answer_s)
            want(begun, "the goal does not tell of its steps")
            yield handle
        finally:
            if not result.done():
                self.wait(handle.cancel_goal_async(), "a cancel")
                self.wait(result, "the result of a cancelled goal")


def told(result: Result) -> str:
    """Return a result in words."""
    return f"{result.result} ({result.error_message})" if result.error_message else str(result.result)
