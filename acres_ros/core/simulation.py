"""What the simulator does with time: stopped, playing, paused; free run, step requests, reset.

The states and their rules are those of the ROS standard for simulators (`simulation_interfaces` 1.5.1, messages
SimulationState and ResetSimulation). Wall time enters as an argument only, so a test plays any schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple, Protocol

import numpy as np

from acres_ros.core.clock import STEP_S
from acres_ros.core.command_timing import CommandClock
from acres_ros.core.environment import Environment
from acres_ros.core.messages import Message
from acres_ros.core.pacing import FreeRun
from acres_ros.core.sample import Sweep
from acres_ros.core.start import Start
from acres_ros.core.sweeps import Sweeps
from acres_ros.errors import AcresError
from acres_ros.world import World

CHUNK_STEPS = 12
BARRIER_TIMEOUT_S = 5.0


class State(IntEnum):
    """States of `simulation_interfaces/msg/SimulationState`."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2
    QUITTING = 3


class Scope(IntFlag):
    """Scopes of `simulation_interfaces/srv/ResetSimulation`; a bit field."""

    TIME = 1
    STATE = 2
    SPAWNED = 4


class NotPausedError(AcresError):
    """A step request while the simulation is not paused."""

    def __init__(self, state: State) -> None:
        super().__init__(f"the simulation is {state.name}: steps need it PAUSED; set that state first")


class BusyError(AcresError):
    """A request while a step request is running."""

    def __init__(self, wanted: str, left: int) -> None:
        super().__init__(
            f"{wanted} is refused: a step request is running with {left} steps left; wait, cancel the action, or set "
            "STOPPED"
        )


class NoOutputError(AcresError):
    """A step request while nobody publishes the steps."""

    def __init__(self) -> None:
        super().__init__("acres_vehicle has not joined, so the steps would not be published; start it first")


class StepCountError(AcresError):
    """A step count that cannot be run."""

    def __init__(self, steps: int, most: int) -> None:
        super().__init__(f"steps = {steps}: wanted 1 to {most}; send several requests for more")


class WorldInUseError(AcresError):
    """Another world is asked for while the simulation is playing."""

    def __init__(self, state: State) -> None:
        super().__init__(
            f"the simulation is {state.name}: another world is loaded while STOPPED or PAUSED; set that state first"
        )


class TransitionError(AcresError):
    """A change of state that the rules do not allow."""

    def __init__(self, now: State, wanted: State) -> None:
        super().__init__(f"{now.name} to {wanted.name} is not a transition that this simulator has")


class Arrival(NamedTuple):
    """A message and the wall time of its arrival, s, on a clock that never goes back."""

    wall: float
    message: Message


class Output(Protocol):
    """Where samples go: the vehicle node in this process or in another."""

    @property
    def connected(self) -> bool:
        """Tell whether somebody takes the samples."""

    def send(self, samples: np.ndarray) -> None:
        """Hand over samples, in order; raises `LinkLostError` when nobody takes them any more."""

    def send_scan(self, sweep: Sweep) -> None:
        """Hand over a scan, behind all that was sent; errors as `send`."""

    def ask(self) -> None:
        """Ask for the answer of the next `barrier`, so that it is there before it is wanted; errors as `send`."""

    def barrier(self, timeout_s: float) -> None:
        """Wait until all that was sent has been published."""

    def greet(self) -> None:
        """Say anew what is simulated, behind all that was sent; who joins later is told anyway."""


@dataclass
class StepRequest:
    """A request for a number of steps, and how far it is."""

    total: int
    completed: int = 0
    cancelled: bool = False
    error: AcresError | None = None

    @property
    def left(self) -> int:
        """Return the number of steps that are still to run."""
        return self.total - self.completed

    @property
    def done(self) -> bool:
        """Tell whether the request has ended, for whatever reason."""
        return self.cancelled or self.error is not None or self.left == 0


class Simulation:
    """Run an environment by wall time or by request.

    Args:
        environment: what is stepped.
        output: who publishes the samples.
        take: returns the messages that came since its last call, in the order in which they were sent.
        rate: seconds of simulation for a second of wall time in free run; 0 runs without waiting.
        state: PLAYING or PAUSED at the start.
        sweeps: the scans of the LiDAR; None for none.
    """

    MAX_STEPS = 10**9

    def __init__(
        self,
        environment: Environment,
        output: Output,
        take: Callable[[], Iterable[Arrival]],
        *,
        rate: float = 1.0,
        state: State = State.PLAYING,
        sweeps: Sweeps | None = None,
    ) -> None:
        self.environment = environment
        self.output = output
        self.state = state
        self.request: StepRequest | None = None
        self._take = take
        self._sweeps = sweeps
        self._clock = CommandClock()
        self._greeted = environment.revision
        self._first_rate = rate
        self._pace = FreeRun(rate, max_steps=CHUNK_STEPS)
        self._anchored = False

    # -- commands -----------------------------------------------------------------------------------------------------

    def post(self, message: Message) -> None:
        """Take a message of a service: it applies at the next step, behind the commands that have come before.

        Drive mode and shifts do not use the timed queue (spec, Time Stepping and Determinism, section Command Timing).
        """
        self._read()
        self.environment.post(message)

    def _read(self) -> None:
        """Let every command that has come apply at the next step."""
        for arrival in self._take():
            self.environment.post(arrival.message)

    # -- state --------------------------------------------------------------------------------------------------------

    @property
    def running_free(self) -> bool:
        """Tell whether wall time drives the steps."""
        return self.state is State.PLAYING

    @property
    def rate(self) -> float:
        """Return the rate factor R of the free run."""
        return self._pace.rate

    def set_rate(self, rate: float) -> None:
        """Change the rate factor; the free run is anchored anew."""
        self._pace = FreeRun(rate, max_steps=CHUNK_STEPS)
        self._anchored = False

    def set_state(self, wanted: State) -> None:
        """Change the state; STOPPED restarts everything. STOPPED and QUITTING cut a step request short.

        STOPPED to PAUSED is allowed: the state message of the standard says so, and a lockstep user needs a frozen
        start. Raises `TransitionError` and `BusyError`.
        """
        if self.state is State.QUITTING:
            raise TransitionError(self.state, wanted)
        if wanted not in (State.STOPPED, State.QUITTING):
            self._refuse_while_stepping(f"{self.state.name} to {wanted.name}")
        elif self.request is not None:
            self.request.cancelled = True
            self.request = None
        self._read()
        if wanted is State.STOPPED:
            self._restart()
            self._greet()
        self.state = wanted
        self._anchored = False

    def reset(self, scope: int, *, start: Start | None = None, occupants: int | None = None) -> None:
        """Reset by scope; the state stays as it is.

        Args:
            scope: 0 and 255 restart everything as if the program had been started anew, else the bits of `Scope`.
            start: a new start, which later resets of the state keep.
            occupants: persons on board, with the state; None leaves them.
        """
        self._refuse_while_stepping("a reset")
        self._read()
        if scope in (0, 255):
            self._restart()
        elif Scope.STATE in Scope(scope):
            self.environment.reset(start=start, restart_time=Scope.TIME in Scope(scope), occupants=occupants)
        elif Scope.TIME in Scope(scope):
            self.environment.restart_time()
        self._greet()
        self._anchored = False

    def load_world(self, make: Callable[[], tuple[World, Start]]) -> None:
        """Replace the world and restart everything in it; the state is STOPPED then.

        Args:
            make: loads the world and says where the vehicle starts; called when the state allows it.

        Raises:
            WorldInUseError: the simulation is playing.
            BusyError: a step request is running.
        """
        self._refuse_while_stepping("another world")
        if self.state not in (State.STOPPED, State.PAUSED):
            raise WorldInUseError(self.state)
        world, start = make()
        self._read()
        self.environment.load_world(world, start)
        self.set_rate(self._first_rate)
        self.state = State.STOPPED
        self._greet()

    def change(self, wanted: str, act: Callable[[], None]) -> None:
        """Change something between two steps, in any state; no step request may be running.

        Args:
            wanted: what is to change, in words.
            act: changes it.

        Raises:
            BusyError: a step request is running; nothing was done.
        """
        self._refuse_while_stepping(wanted)
        act()

    def _greet(self) -> None:
        """Tell the output when what is simulated has changed."""
        if self.environment.revision != self._greeted:
            self._greeted = self.environment.revision
            self.output.greet()

    def _restart(self) -> None:
        self.environment.restart()
        self.set_rate(self._first_rate)

    # -- steps --------------------------------------------------------------------------------------------------------

    def begin_steps(self, steps: int) -> StepRequest:
        """Start a step request; `advance` runs it in chunks."""
        if self.state is not State.PAUSED:
            raise NotPausedError(self.state)
        self._refuse_while_stepping("another step request")
        if not 1 <= steps <= self.MAX_STEPS:
            raise StepCountError(steps, self.MAX_STEPS)
        if not self.output.connected:
            raise NoOutputError
        self._read()
        self.request = StepRequest(steps)
        return self.request

    def advance(self, wall: float) -> int:
        """Run what is due now: one chunk of the step request, or one pass of the free run.

        Args:
            wall: wall time from a clock that never goes back, s.

        Returns:
            The number of steps that were run.
        """
        if self.request is not None:
            return self._advance_request(self.request)
        if self.running_free:
            return self._pass(wall)
        return 0

    def wait_s(self, wall: float, longest: float) -> float:
        """Return how long the caller may sleep before the next `advance`, at most `longest` seconds."""
        if self.request is not None:
            return 0.0
        if self.running_free and self._anchored:
            return min(longest, max(0.0, self._pace.seconds_until_next(wall, self.environment.step_count)))
        return longest

    def _advance_request(self, request: StepRequest) -> int:
        count = 0 if request.done else min(CHUNK_STEPS, request.left)
        before = self.environment.step_count
        try:
            self._run(count, wait=True)
            if request.done or count == request.left:
                self.output.barrier(BARRIER_TIMEOUT_S)
        except AcresError as error:
            request.error = error
        request.completed += self.environment.step_count - before
        if request.done:
            self.request = None
        return count

    def _pass(self, wall: float) -> int:
        if not self.output.connected:
            self._anchored = False
            self._read()
            return 0
        step_count = self.environment.step_count
        if not self._anchored:
            self._pace.anchor(wall, step_count)
            self._clock = CommandClock()
            self._anchored = True
        count = self._pace.steps_due(wall, step_count)
        if count <= 0:
            return 0
        self._clock.begin_read(wall, self.environment.time_s, count * STEP_S)
        for arrival in self._take():
            self.environment.post(arrival.message, self._clock.apply_at(arrival.wall))
        self.output.barrier(BARRIER_TIMEOUT_S)
        self._run(count, wait=False)
        self.output.ask()
        return count

    def _run(self, count: int, *, wait: bool) -> None:
        """Run steps and hand over what they give: the scans of a step behind its sample and before the next one.

        Args:
            count: number of steps.
            wait: wait for a scan at the step at which it leaves.
        """
        while count > 0:
            steps = count if self._sweeps is None else min(count, self._sweeps.steps_ahead())
            samples = self.environment.step(steps)
            try:
                if self._sweeps is not None:
                    self._sweeps.take(samples, wait=wait)
            finally:
                # The steps were run, so whatever becomes of the scans, their samples leave.
                self.output.send(samples)
            if self._sweeps is not None:
                for sweep in self._sweeps.leaving(wait=wait):
                    self.output.send_scan(sweep)
            count -= steps

    def _refuse_while_stepping(self, wanted: str) -> None:
        if self.request is not None:
            raise BusyError(wanted, self.request.left)
