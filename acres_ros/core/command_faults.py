"""Faults of the way of the commands: some are lost, all come later, some change places, some arrive damaged.

What is on its way when a fault ends arrives at the step at which it ends. Every command topic is concerned, the enable
and the disable too; the person in the seat and the services are not.
"""

from __future__ import annotations

from collections import deque
from typing import Annotated, NamedTuple

import numpy as np

from acres_ros.core.clock import STEP_S
from acres_ros.core.command_timing import DUE_TOLERANCE_S
from acres_ros.core.fault_table import FRAMES
from acres_ros.core.messages import (
    GEAR_FRAME,
    BadFrame,
    BrakeCmd,
    Disable,
    DriveModeCmd,
    Enable,
    GearCmd,
    Message,
    MiscCmd,
    SteeringCmd,
    Subsystem,
    ThrottleCmd,
    TurnSignalCmd,
    UlcCmd,
)
from acres_ros.core.plain_state import Rows
from acres_ros.core.streams import stream

COMMAND_KINDS = frozenset(
    {
        Enable,
        Disable,
        SteeringCmd,
        BrakeCmd,
        ThrottleCmd,
        UlcCmd,
        GearCmd,
        TurnSignalCmd,
        DriveModeCmd,
        MiscCmd,
    }
)
_TARGETS: dict[type, int] = {
    SteeringCmd: Subsystem.STEERING,
    BrakeCmd: Subsystem.BRAKE,
    ThrottleCmd: Subsystem.THROTTLE,
    UlcCmd: Subsystem.ULC,
    GearCmd: GEAR_FRAME,
}
"""The commands whose frames can be damaged."""
STREAM = "command_faults"


def on_its_way(message: Message) -> bool:
    """Tell whether a message can be on the way of the commands."""
    if isinstance(message, BadFrame):
        return 0 <= message.target <= GEAR_FRAME
    return type(message) in COMMAND_KINDS


class Waiting(NamedTuple):
    """A command on its way: the solver time at which it is due, s."""

    due: float
    message: Message


class CommandFaultsState(NamedTuple):
    """What the way of the commands remembers: words of its generator, and the commands that are on it."""

    words: Annotated[np.ndarray, Rows(np.dtype(np.uint64), (2,))]
    overtaken: Message | None
    waiting: tuple[Waiting, ...]


class CommandFaults:
    """The way of the commands of one vehicle.

    Args:
        seed: of the run.
        agent: index of the vehicle.

    Attributes:
        loss, reorder: shares of the commands, 0 for a healthy way.
        delay: steps, 0 for a healthy way.
        bad_crc, bad_counter: shares of the frames that arrive damaged, by `BadFrame.target`.
    """

    def __init__(self, seed: int, agent: int) -> None:
        self._seed = seed
        self.loss = self.reorder = 0.0
        self.delay = 0
        self.bad_crc = self.bad_counter = (0.0,) * len(FRAMES)
        self._overtaken: Message | None = None
        self._waiting: deque[Waiting] = deque()
        self.begin_stream(agent)

    def begin_stream(self, agent: int) -> None:
        """Let the random numbers begin anew, as those of an agent."""
        self._random = stream(STREAM, self._seed, agent=agent)

    @property
    def busy(self) -> bool:
        """Tell whether a command is on its way."""
        return bool(self._waiting) or self._overtaken is not None

    def pass_on(self, message: Message, apply_at: float | None, step: int) -> list[Message]:
        """Return what arrives instead of a message, in order; what is late comes by `arriving`.

        Each random fault draws once for each command that it may hit.

        Args:
            message: any message; one that is no command passes.
            apply_at: solver time at which it would act, s; None for the next step.
            step: steps that are over.
        """
        if type(message) not in COMMAND_KINDS:
            return [message]
        if self.loss > 0.0 and self._random.uniform() < self.loss:
            return []
        message = self._damaged(message)
        messages = [message]
        if self._overtaken is not None:
            messages.append(self._overtaken)
            self._overtaken = None
        elif self.reorder > 0.0 and self._random.uniform() < self.reorder:
            self._overtaken = message
            return []
        if self.delay == 0 and not self._waiting:
            return messages
        due = (step * STEP_S if apply_at is None else apply_at) + self.delay * STEP_S
        if self._waiting:
            due = max(due, self._waiting[-1].due)
        self._waiting.extend(Waiting(due, late) for late in messages)
        return []

    def _damaged(self, message: Message) -> Message:
        """Return a command, or what arrives of it."""
        target = _TARGETS.get(type(message))
        if target is None:
            return message
        crc, counter = (
            share > 0.0 and self._random.uniform() < share for share in (self.bad_crc[target], self.bad_counter[target])
        )
        return BadFrame(target, crc, counter) if crc or counter else message

    def arriving(self, step: int) -> list[Message]:
        """Return the commands that arrive for the step that is about to run, in order.

        Args:
            step: steps that are over.
        """
        limit = step * STEP_S + DUE_TOLERANCE_S
        messages = []
        while self._waiting and (self.delay == 0 or self._waiting[0].due <= limit):
            messages.append(self._waiting.popleft().message)
        if self.reorder == 0.0 and self._overtaken is not None:
            messages.append(self._overtaken)
            self._overtaken = None
        return messages

    def snapshot(self) -> CommandFaultsState:
        """Return the state."""
        return CommandFaultsState(self._random.state.copy(), self._overtaken, tuple(self._waiting))

    def restore(self, state: CommandFaultsState) -> None:
        """Take up a state; loss, delay and reorder are the owner's."""
        self._random.state[:] = state.words
        self._overtaken, self._waiting = state.overtaken, deque(state.waiting)
