"""The control of the simulation by ROS: the standard `simulation_interfaces`, and what it lacks under `/acres`.

Result codes and transitions follow `simulation_interfaces` 1.5.1; where its text leaves a choice, `docs/decisions.md`
has ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from acres_interfaces.srv import SetRate
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

import acres_ros
from acres_ros.core.clock import STEP_S
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import BusyError, Scope, State, TransitionError
from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError
from acres_ros.nodes import entity_control, spawn_control
from acres_ros.nodes.service import SERVICE_QOS, Service, answered, served
from acres_ros.nodes.step_control import StepControl
from acres_ros.nodes.step_feedback import StepFeedback
from acres_ros.nodes.step_service import StepService
from acres_ros.nodes.waiting import TakenByHand

FEATURES = (
    *entity_control.FEATURES,
    *spawn_control.FEATURES,
    SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_TIME,
    SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_SETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
    SimulatorFeatures.STEP_SIMULATION_ACTION,
    SimulatorFeatures.WORLD_LOADING,
    SimulatorFeatures.WORLD_TAGS,
    SimulatorFeatures.WORLD_INFO_GETTING,
    SimulatorFeatures.AVAILABLE_WORLDS,
)


STEP = Service(StepSimulation, "/step_simulation", "run steps while paused; answered when their outputs are out")
ACTION = Service(SimulateSteps, "/simulate_steps", "run steps while paused, with feedback for each; can be cancelled")
SERVICES = (
    Service(GetSimulatorFeatures, "/get_simulator_features", "what of the standard is there; step size and version"),
    Service(GetSimulationState, "/get_simulation_state", "stopped, playing, paused"),
    Service(SetSimulationState, "/set_simulation_state", "stop (and reset), play, pause, quit"),
    Service(ResetSimulation, "/reset_simulation", "scope 0 or 255: all; else a sum of 1: time, 2: state, 4: spawned"),
    STEP,
    Service(SetRate, "/acres/set_rate", "seconds of simulation for a second of wall time; 0: no waiting"),
)
SUPPORTED_SCOPES = Scope.TIME | Scope.STATE | Scope.SPAWNED
RESULT_TIMEOUT_S = 1


class SimulationControl:
    """Services and the action of one simulation.

    Args:
        node: the node that serves them.
        executor: spins the node; goals are awaited in it.
        simulation: what is controlled.

    Attributes:
        step_services: the services whose requests `take_step_requests` takes; no executor does.
        action: the server of the action.
    """

    def __init__(self, node: Node, executor: Executor, simulation: Simulation) -> None:
        self._executor = executor
        self._simulation = simulation
        self._waiting: list[tuple[StepRequest, Callable[[], None]]] = []
        self._goal: tuple[StepRequest, ServerGoalHandle] | None = None
        self._reported = 0
        callbacks = {
            "/get_simulator_features": self._get_features,
            "/get_simulation_state": self._get_state,
            "/set_simulation_state": self._set_state,
            "/reset_simulation": self._reset,
            "/acres/set_rate": self._set_rate,
        }
        # A goal is awaited; requests are answered meanwhile, and a second one to step is refused.
        group = ReentrantCallbackGroup()
        for service in SERVICES:
            if service.name in callbacks:
                served(node, service, callbacks[service.name], group)
        by_hand = TakenByHand()
        self._step_control = StepControl(node, simulation, by_hand)
        self._step_services = (
            StepService(node, STEP, by_hand, lambda request: simulation.begin_steps(request.steps), _tell),
            self._step_control.service,
        )
        self.step_services = tuple(service.ros for service in self._step_services)
        # The status topic repeats every goal of the last result_timeout; a long one makes each goal slower than the
        # one before.
        self.action = ActionServer(
            node,
            ACTION.type,
            ACTION.name,
            self._execute_goal,
            goal_callback=self._accept_goal,
            cancel_callback=self._accept_cancel,
            callback_group=group,
            goal_service_qos_profile=SERVICE_QOS,
            result_service_qos_profile=SERVICE_QOS,
            cancel_service_qos_profile=SERVICE_QOS,
            result_timeout=RESULT_TIMEOUT_S,
        )
        self._feedback = StepFeedback(node, ACTION.name)

    # -- called by the loop of the node -------------------------------------------------------------------------------

    @property
    def answering(self) -> bool:
        """Tell whether a step request has not been answered yet."""
        return bool(self._waiting) or self._goal is not None

    def take_step_requests(self) -> None:
        """Take one request to step of each service, if there is one; it is answered when its steps are done."""
        for service in self._step_services:
            taken = service.take()
            if taken is not None:
                self._waiting.append(taken)

    def look(self) -> None:
        """Look now and then whether who asked is still there."""
        self._step_control.look()

    def after_advance(self) -> None:
        """Report the progress of the action and answer the requests that have ended."""
        if self._goal is not None:
            request, handle = self._goal
            if handle.is_cancel_requested and not request.done:  # in the last pass it is too late
                request.cancelled = True
            while self._reported < request.completed:
                self._reported += 1
                self._feedback.tell(self._reported, request.total - self._reported)
        if self._waiting:
            # One that was cancelled is over when its outputs are out, which the simulation sees to.
            over = [request.done and request is not self._simulation.request for request, _ in self._waiting]
            ended = [answer for (_, answer), is_over in zip(self._waiting, over, strict=True) if is_over]
            self._waiting = [entry for entry, is_over in zip(self._waiting, over, strict=True) if not is_over]
            for answer in ended:
                answer()

    # -- standard -----------------------------------------------------------------------------------------------------

    def _get_features(
        self, _: GetSimulatorFeatures.Request, response: GetSimulatorFeatures.Response
    ) -> GetSimulatorFeatures.Response:
        response.features.features = list(FEATURES)
        response.features.spawn_formats = list(spawn_control.FORMATS)
        response.features.custom_info = json.dumps(
            {
                "simulator": "acres_ros",
                "version": acres_ros.__version__,
                "simulation_interfaces": "1.5.1",
                "step_s": STEP_S,
                "stamp_ns": "(k * 25000000 + 1) // 3",
                "stopped_to_paused": "allowed",
                "output_before_reply": True,
                "most_steps": Simulation.MAX_STEPS,
            }
        )
        return response

    def _get_state(
        self, _: GetSimulationState.Request, response: GetSimulationState.Response
    ) -> GetSimulationState.Response:
        response.state.state = int(self._simulation.state)
        response.result = _ok()
        return response

    def _set_state(
        self, request: SetSimulationState.Request, response: SetSimulationState.Response
    ) -> SetSimulationState.Response:
        wanted = request.state.state
        if wanted == int(self._simulation.state):
            response.result = _result(
                SetSimulationState.Response.ALREADY_IN_TARGET_STATE, f"already {self._simulation.state.name}"
            )
        elif wanted not in (
            SimulationState.STATE_STOPPED,
            SimulationState.STATE_PLAYING,
            SimulationState.STATE_PAUSED,
            SimulationState.STATE_QUITTING,
        ):
            response.result = _result(
                SetSimulationState.Response.INCORRECT_TRANSITION,
                f"state {wanted} cannot be asked for: wanted 0 STOPPED, 1 PLAYING, 2 PAUSED or 3 QUITTING",
            )
        else:
            try:
                self._simulation.set_state(State(wanted))
                response.result = _ok()
            except TransitionError as error:
                response.result = _result(SetSimulationState.Response.INCORRECT_TRANSITION, str(error))
            except BusyError as error:
                response.result = _result(SetSimulationState.Response.STATE_TRANSITION_ERROR, str(error))
        return response

    def _reset(self, request: ResetSimulation.Request, response: ResetSimulation.Response) -> ResetSimulation.Response:
        scope = request.scope
        if scope not in (ResetSimulation.Request.SCOPE_DEFAULT, ResetSimulation.Request.SCOPE_ALL) and (
            scope & ~int(SUPPORTED_SCOPES)
        ):
            response.result = _result(
                Result.RESULT_FEATURE_UNSUPPORTED,
                f"scope {scope}: wanted 0 or 255 (all), or a sum of 1 (time), 2 (state) and 4 (spawned)",
            )
            return response
        try:
            self._simulation.reset(scope)
            response.result = _ok()
        except AcresError as error:
            response.result = _failed(error)
        return response

    def _accept_goal(self, _: SimulateSteps.Goal) -> GoalResponse:
        """Accept every goal but one while another runs: only an accepted goal can be told why it failed."""
        return GoalResponse.REJECT if self._simulation.request is not None else GoalResponse.ACCEPT

    def _accept_cancel(self, _: ServerGoalHandle) -> CancelResponse:
        return CancelResponse.ACCEPT

    async def _execute_goal(self, handle: ServerGoalHandle) -> SimulateSteps.Result:
        result = SimulateSteps.Result()
        try:
            request = self._simulation.begin_steps(handle.request.steps)
        except AcresError as error:
            result.result = _failed(error)
            handle.abort()
            return result
        self._goal, self._reported = (request, handle), 0
        self._feedback.begin(handle.goal_id)
        ended = Future(executor=self._executor)
        self._waiting.append((request, lambda: ended.set_result(None)))
        await ended
        if self._goal == (request, handle):  # another one may have begun since
            self._goal = None
        result.result = _outcome(request.failure)
        if request.error is not None or (request.cancelled and not handle.is_cancel_requested):
            handle.abort()
        elif request.cancelled:
            result.result = _result(Result.RESULT_OK, f"cancelled after {request.completed} of {request.total} steps")
            handle.canceled()
        else:
            handle.succeed()
        return result

    # -- ours ---------------------------------------------------------------------------------------------------------

    def _set_rate(self, request: SetRate.Request, response: SetRate.Response) -> SetRate.Response:
        return answered(lambda: self._simulation.set_rate(request.rate), response)


def _ok() -> Result:
    return Result(result=Result.RESULT_OK)


def _result(code: int, text: str) -> Result:
    return Result(result=code, error_message=text)


def _failed(error: AcresError) -> Result:
    """Return the code that the standard asks for when steps or resets are refused or do not work."""
    return _outcome(str(error))


def _outcome(failure: str) -> Result:
    """Return the result of steps: why they failed, empty if they did not."""
    return _result(Result.RESULT_OPERATION_FAILED, failure) if failure else _ok()


def _tell(response: StepSimulation.Response, failure: str, _: StepRequest | None) -> None:
    response.result = _outcome(failure)
