"""A request for steps, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from acres_ros.core.step_commands import NO_COMMANDS, Applied, CommandStep
from acres_ros.errors import AcresError


@dataclass
class StepRequest:
    """A request for a number of steps, and how far it is.

    Attributes:
        total: steps that are asked for.
        commands: what has to have come before its first step, and what it brings.
        completed: steps that are over.
        cancelled: it was cut short.
        error: why it failed.
        deadline: wall time until which it waits for its commands, s; set when it first looks.
        missing: commands that had not come when it last looked.
        patience_s: how long it goes on waiting for them from then on, s of wall time.
        applied: what became of the commands, when it has begun to move.
        begun: whether its commands are there and it moves.
    """

    total: int
    commands: CommandStep = NO_COMMANDS
    completed: int = 0
    cancelled: bool = False
    error: AcresError | None = None
    deadline: float | None = None
    applied: tuple[Applied, ...] = ()
    begun: bool = False
    missing: Sequence[str] = field(init=False)
    patience_s: float = field(init=False)

    def __post_init__(self) -> None:
        """Wait for everything at first."""
        self.missing, self.patience_s = self.commands.wait_for, self.commands.timeout_s

    @property
    def left(self) -> int:
        """Return the number of steps that are still to run."""
        return self.total - self.completed

    @property
    def done(self) -> bool:
        """Tell whether the request has ended, for whatever reason."""
        return self.cancelled or self.error is not None or self.left == 0

    @property
    def failure(self) -> str:
        """Return why a request that has ended did not run all its steps; empty if it did."""
        if self.error is not None:
            return str(self.error)
        return f"cut short after {self.completed} of {self.total} steps" if self.cancelled else ""
