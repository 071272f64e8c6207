"""A client that runs many steps as a goal of `/simulate_steps`: it tells how far they are, and can end them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result

from acres_ros.errors import AcresError
from acres_ros.nodes.lockstep_client import RequestFailedError, StepClient

LOOK_S = 0.01
"""Between two looks at what has come. There is a feedback for each step, and to take every one would slow the steps."""


class StandInGoneError(AcresError):
    """The stand-in has ended while its steps were waited for."""

    def __init__(self, steps: int, done: int) -> None:
        super().__init__(f"the stand-in has gone while it ran {steps} steps; {done} were over when it last told")


class StepGoal:
    """Run steps as goals.

    Args:
        client: of the same stand-in.
    """

    def __init__(self, client: StepClient) -> None:
        self._client = client
        # Of the feedback the last one is enough, and the steps need not wait until it has come.
        last = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._action = ActionClient(client.node, SimulateSteps, "/simulate_steps", feedback_sub_qos_profile=last)
        client.wait_until(self._action.server_is_ready, "no /simulate_steps was seen")
        self._done = 0

    def run(self, steps: int, *, tell: Callable[[int], None], stop: Callable[[], bool]) -> str:
        """Run steps; return an empty text when they are over, or how many were run where it was told to stop.

        Args:
            steps: how many.
            tell: called at each look with the steps that are over.
            stop: says at each look whether to cancel the goal.

        Raises:
            NotYetAnsweredError: no answer came.
            RequestFailedError: the steps were refused, or failed.
            StandInGoneError: the stand-in has ended.
        """
        what = f"a request of {steps} steps"
        handle = self._accepted(steps, what)
        ended = handle.get_result_async()
        cancelled = False
        while not ended.done():
            time.sleep(LOOK_S)
            self._client.spin(0.0)
            tell(self._done)
            if stop() and not cancelled:
                cancelled = True
                handle.cancel_goal_async()
            if not self._action.server_is_ready():
                raise StandInGoneError(steps, self._done)
        result = ended.result().result.result
        if result.result != Result.RESULT_OK:
            raise RequestFailedError(what, result.error_message)
        return str(result.error_message)

    def _accepted(self, steps: int, what: str) -> ClientGoalHandle:
        """Send a goal and return its handle."""
        while True:
            handle = self._client.wait(self._send(steps), what)
            if handle.accepted:
                return handle
            # The action does not tell why. A request of no steps is refused in words; where what was in the way has
            # ended meanwhile it is refused for its number, and the goal is sent again.
            reason = self._client.refusal()
            if not reason.startswith("steps = 0:"):
                raise RequestFailedError(what, reason)

    def _send(self, steps: int) -> Future:
        return self._action.send_goal_async(SimulateSteps.Goal(steps=steps), feedback_callback=self._take)

    def _take(self, message: Any) -> None:
        self._done = message.feedback.completed_steps
