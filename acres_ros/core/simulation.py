"""What the simulator does with time: stopped, playing, paused; free run, step requests, reset.

The states and their rules are those of the ROS standard for simulators (`simulation_interfaces` 1.5.1, messages
SimulationState and ResetSimulation). Wall time enters as an argument only, so a test plays any schedule.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from acres_ros.core.agent import Agent
from acres_ros.core.clock import STEP_S
from acres_ros.core.command_timing import CommandClock
from acres_ros.core.entities import Entities
from acres_ros.core.environment import Environment
from acres_ros.core.fleet import Fleet
from acres_ros.core.inbox import Arrival
from acres_ros.core.messages import Message
from acres_ros.core.output import Output
from acres_ros.core.pacing import FreeRun
from acres_ros.core.regrouping import Maker
from acres_ros.core.simulation_state import (
    BusyError,
    NoOutputError,
    NotPausedError,
    NotPlayingError,
    Scope,
    State,
    StepCountError,
    StoppedError,
    TransitionError,
    WorldInUseError,
)
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.start import Start
from acres_ros.core.step_commands import NO_COMMANDS, CommandsMissingError, CommandStep
from acres_ros.core.step_request import StepRequest
from acres_ros.core.sweeps import Sweeps
from acres_ros.errors import AcresError
from acres_ros.world import World

CHUNK_STEPS = 12
BARRIER_TIMEOUT_S = 5.0
COMMAND_POLL_S = 0.0005
"""How often a step request that waits for commands looks for them, s of wall time."""


class Simulation:
    """Run the vehicles of a world by wall time or by request.

    Args:
        environment: the first vehicle.
        output: who publishes its samples.
        take: returns its messages that came since its last call, in the order in which they were sent.
        rate: seconds of simulation for a second of wall time in free run; 0 runs without waiting.
        state: PLAYING or PAUSED at the start.
        sweeps: the scans of the LiDAR; None for none.
        entities: what clients tell of the entities; None where nobody can.
        others: the further vehicles.
        title: what the first vehicle is called among the entities; empty where it has no name of its own.
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
        entities: Entities | None = None,
        others: Sequence[Agent] = (),
        title: str = "",
    ) -> None:
        self.environment = environment
        self.state = state
        self.request: StepRequest | None = None
        self.first = Agent(environment, output, take, sweeps=sweeps, entities=entities, title=title)
        self.fleet = Fleet([self.first, *others], entities)
        self._clock = CommandClock()
        self._first_rate = rate
        self._pace = FreeRun(rate, max_steps=CHUNK_STEPS)
        self._anchored = False

    # -- commands -----------------------------------------------------------------------------------------------------

    def post(self, message: Message, wanted: str, agent: Agent | None = None) -> None:
        """Take a message of a service: it applies at the next step, behind the commands that have come before.

        Drive mode and shifts do not use the timed queue (spec, Time Stepping and Determinism, section Command Timing).

        Args:
            message: the message.
            wanted: what it changes, in words.
            agent: for which vehicle; None is the first.

        Raises:
            BusyError: a step request is running, so wall time would choose the step; nothing was done.
        """
        self._refuse_while_stepping(wanted)
        agent = agent or self.first
        agent.read()
        agent.environment.post(message)

    def _read(self) -> None:
        """Let every command that has come apply at the next step."""
        for agent in self.fleet.agents:
            agent.read()

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

    def halt(self, seconds: float) -> None:
        """Let the free run stand still for a wall time (s; 0 ends it), which is not caught up.

        A change of state or rate and a reset end it too. Raises `NotPlayingError` where no wall time drives the steps.
        """
        if not self.running_free:
            raise NotPlayingError(self.state)
        self._pace.halt(seconds)
        self._clock = CommandClock()
        self._anchored = True

    def halt_left(self, wall: float) -> float:
        """Return how long the free run still stands still, s of wall time; 0 without a halt."""
        return self._pace.halt_left(wall) if self.running_free and self._anchored else 0.0

    def set_state(self, wanted: State) -> None:
        """Change the state; STOPPED restarts everything. STOPPED and QUITTING cut a step request short.

        What has been run is out when this returns, but for QUITTING, which waits for nobody. STOPPED to PAUSED is
        allowed: the state message of the standard says so, and a lockstep user needs a frozen start. Raises
        `TransitionError` and `BusyError`.
        """
        if self.state is State.QUITTING:
            raise TransitionError(self.state, wanted)
        moving = self.running_free or self.request is not None
        if wanted not in (State.STOPPED, State.QUITTING):
            self._refuse_while_stepping(f"{self.state.name} to {wanted.name}")
        elif self.request is not None:
            self.request.cancelled = True
            self.request = None
        if moving and wanted is not State.QUITTING:
            # Where nobody publishes there is nothing to wait for, and the next pass or request says so.
            with contextlib.suppress(AcresError):
                self.fleet.barrier(BARRIER_TIMEOUT_S)
        self._read()
        if wanted is State.STOPPED:
            self._restart()
            self._greet()
        self.state = wanted
        self._anchored = False

    def reset(self, scope: int, *, agent: Agent | None = None, **changes: Any) -> None:
        """Reset by scope; the state stays as it is.

        Args:
            scope: 0 and 255 restart everything as if the program had been started anew, else the bits of `Scope`.
            agent: whose state is reset, and nothing of the others but the time that they share; None for all.
            changes: what a reset of the state changes beside it, as for `Environment.reset`.
        """
        self._refuse_while_stepping("a reset")
        self._read()
        if scope in (0, 255):
            self._restart()
        else:
            self._reset_parts(Scope(scope), agent, changes)
        self._greet(goes_on=scope == Scope.SPAWNED)
        self._anchored = False

    def _reset_parts(self, scope: Scope, agent: Agent | None, changes: dict[str, Any]) -> None:
        if Scope.SPAWNED in scope:
            self.fleet.remove_spawned()
        if Scope.STATE in scope:
            self.fleet.reset(agent, restart_time=Scope.TIME in scope, **changes)
        elif Scope.TIME in scope:
            self.fleet.restart_time()

    def load_world(self, make: Callable[[], tuple[World, Start]]) -> None:
        """Replace the world and restart everything in it; the state is STOPPED then.

        Args:
            make: loads the world and says where the vehicle starts; called when the state allows it.

        Raises `WorldInUseError` while the simulation is playing, and `BusyError` while a step request is running.
        """
        self._refuse_while_stepping("another world")
        if self.state not in (State.STOPPED, State.PAUSED):
            raise WorldInUseError(self.state)
        world, start = make()
        self._read()
        self.fleet.load_world(world, start)
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
        self._greet(goes_on=True)

    def snapshot(self) -> Snapshot:
        """Return the whole state; the run goes on as without it.

        Commands that have come are in it, as a step request would read them; in free run the next pass gives them their
        times. Raises `BusyError` while a step request is running.
        """
        self._refuse_while_stepping("a snapshot")
        if not self.running_free:
            self._read()
        return self.fleet.snapshot()

    def restore(self, snapshot: Snapshot, maker: Maker | None = None) -> None:
        """Take up a state, its time included; PLAYING or PAUSED stays as it is. Commands that have come are forgotten.

        Nothing is published before the next step, whose stamp follows that of the snapshot. After one of an environment
        alone nothing is on its way, and no sweep has begun.

        Args:
            snapshot: of a simulation that was started like this one.
            maker: makes the spawned vehicles that are not here; None: all of them have to be here.

        Raises:
            StoppedError, BusyError: the state of the simulation; nothing was changed.
            SnapshotError: a snapshot of something else, or a state that cannot be; nothing was changed.
            AcresError: a vehicle cannot be made; nothing was changed.
        """
        self._refuse_while_stepping("a restore")
        if self.state is State.STOPPED:
            raise StoppedError
        self.fleet.restore(snapshot, maker)
        self._anchored = False

    def _greet(self, *, goes_on: bool = False) -> None:
        """Tell the outputs when what is simulated has changed.

        Args:
            goes_on: the epoch does, so what is on its way there stays so.
        """
        for agent in self.fleet.agents:
            agent.greet(goes_on=goes_on)

    def _restart(self) -> None:
        self.fleet.restart()
        self.set_rate(self._first_rate)

    # -- steps --------------------------------------------------------------------------------------------------------

    def begin_steps(self, steps: int, commands: CommandStep = NO_COMMANDS) -> StepRequest:
        """Start a step request; `advance` runs it in chunks.

        Args:
            steps: how many.
            commands: what it waits for before its first step, and what it brings.

        Raises:
            NotPausedError, BusyError, StepCountError, NoOutputError: it cannot be run now.
            CommandNameError, WaitTimeError, CarriedTwiceError: its commands are none.
        """
        if self.state is not State.PAUSED:
            raise NotPausedError(self.state)
        self._refuse_while_stepping("another step request")
        if not 1 <= steps <= self.MAX_STEPS:
            raise StepCountError(steps, self.MAX_STEPS)
        if not self.fleet.connected:
            raise NoOutputError
        commands.check([agent.name for agent in self.fleet.agents[1:]])
        self.request = request = StepRequest(steps, commands)
        if not commands.wait_for:
            self._move(request)
        return request

    @property
    def waiting(self) -> StepRequest | None:
        """Return the step request that waits for its commands, if there is one."""
        return self.request if self.request is not None and not self.request.begun else None

    def give_up(self, request: StepRequest, reason: AcresError) -> None:
        """End a step request that waits for its commands, as if its time were over: nothing was run."""
        request.error = reason
        self.request = None

    def advance(self, wall: float) -> int:
        """Run what is due now: one chunk of the step request, or one pass of the free run.

        Args:
            wall: wall time from a clock that never goes back, s.

        Returns:
            The number of steps that were run.
        """
        if self.request is not None:
            return self._advance_request(self.request, wall)
        if self.running_free:
            return self._pass(wall)
        return 0

    def wait_s(self, wall: float, longest: float) -> float:
        """Return how long the caller may sleep before the next `advance`, at most `longest` seconds."""
        if self.request is not None:
            return 0.0 if self.request.begun else min(longest, COMMAND_POLL_S)
        if self.running_free and self._anchored:
            return min(longest, max(0.0, self._pace.seconds_until_next(wall, self.environment.step_count)))
        return longest

    def _look_for_commands(self, request: StepRequest, wall: float) -> None:
        """Let a request move if the commands that it waits for are there, or end it if its time is over."""
        commands = request.commands
        missing: list[str] = []
        for agent in self.fleet.agents:
            agent.hold()
            missing += agent.missing(commands.wait_for)
        if request.deadline is None:
            request.deadline = wall + commands.timeout_s
        request.missing, request.patience_s = missing, request.deadline - wall
        if not missing:
            self._move(request)
        elif wall >= request.deadline:
            self.give_up(request, CommandsMissingError(missing, commands.timeout_s))

    def _move(self, request: StepRequest) -> None:
        """Let every command that has come or is carried apply at the next step, and the request run."""
        self._read()
        for agent, message in request.commands.carried:
            self.fleet.named(agent).post(message)
        request.applied = tuple(applied for agent in self.fleet.agents for applied in agent.applied())
        request.begun = True

    def _advance_request(self, request: StepRequest, wall: float) -> int:
        if not request.begun:
            self._look_for_commands(request, wall)
            if not request.begun:
                return 0
        count = 0 if request.done else min(CHUNK_STEPS, request.left)
        before = self.environment.step_count
        try:
            self.fleet.run(count, wait=True, last=count == request.left)
            if request.done or count == request.left:
                self.fleet.barrier(BARRIER_TIMEOUT_S)
        except AcresError as error:
            request.error = error
        request.completed += self.environment.step_count - before
        if request.done:
            self.request = None
        return count

    def _pass(self, wall: float) -> int:
        if not self.fleet.connected:
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
        for agent in self.fleet.agents:
            for arrival in agent.take():
                agent.environment.post(arrival.message, self._clock.apply_at(arrival.wall))
        self.fleet.barrier(BARRIER_TIMEOUT_S)
        self.fleet.run(count, wait=False, last=True)
        self.fleet.ask()
        return count

    def _refuse_while_stepping(self, wanted: str) -> None:
        if self.request is not None:
            raise BusyError(wanted, self.request)
