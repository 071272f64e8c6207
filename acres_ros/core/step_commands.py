"""Commands of one control step: which have come since the last step, and what became of them.

A controller in another process publishes its commands and asks for steps on two ways, of which either may be the
faster. A step request that names its commands moves when they are there, so the step at which each applies does not
hang on which way was faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acres_ros.core.gateway_policy import Verdict, judge
from acres_ros.core.messages import (
    BrakeCmd,
    Disable,
    DriveModeCmd,
    DriverInput,
    Enable,
    GearCmd,
    Message,
    MiscCmd,
    SteeringCmd,
    ThrottleCmd,
    TurnSignalCmd,
    UlcCmd,
)
from acres_ros.errors import AcresError

COMMANDS: dict[str, type] = {
    "enable": Enable,
    "disable": Disable,
    "steering": SteeringCmd,
    "brake": BrakeCmd,
    "throttle": ThrottleCmd,
    "ulc": UlcCmd,
    "gear": GearCmd,
    "turn_signal": TurnSignalCmd,
    "drive_mode": DriveModeCmd,
    "misc": MiscCmd,
    "driver_input": DriverInput,
}
"""What a step can wait for or carry, by the name of its topic."""

LONGEST_WAIT_S = 600.0
MOST_CARRIED = 100
_NAME_OF = {kind: name for name, kind in COMMANDS.items()}
_TAKEN = frozenset({Verdict.ACCEPTED, Verdict.NO_COMMAND})


class CommandNameError(AcresError):
    """A step is to wait for, or carries, something that is no command."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} is no command: wanted {', '.join(COMMANDS)}, with the name of a further vehicle before it, "
            "as in agent_1/ulc"
        )


class WaitTimeError(AcresError):
    """A step is to wait for a time that is none."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"timeout_s = {timeout_s!r}: wanted 0 to {LONGEST_WAIT_S:g} s of wall time")


class CarriedTwiceError(AcresError):
    """A step carries what it also waits for, or more than it may."""


class CommandsMissingError(AcresError):
    """The commands of a step have not come in time."""

    def __init__(self, missing: Sequence[str], timeout_s: float) -> None:
        super().__init__(
            f"no step was run: after {timeout_s:g} s of wall time {', '.join(missing)} had not come; is the controller "
            "alive, and does it publish on these topics?"
        )


class Applied(NamedTuple):
    """What became of the messages of one command since the step before.

    Attributes:
        name: of `COMMANDS`.
        step: the first step that the last accepted one acts on: its outputs have the stamp of this step.
        messages: how many came.
        refused: how many of them the gateway refused.
        verdict: what the gateway's door said of the last one.
    """

    name: str
    step: int
    messages: int
    refused: int
    verdict: Verdict


def command_name(agent: str, name: str) -> str:
    """Return what a step request calls a command of a vehicle.

    Args:
        agent: name of the vehicle, empty for the first.
        name: of `COMMANDS`.
    """
    return f"{agent}/{name}" if agent else name


class CommandStep(NamedTuple):
    """The commands of a step request.

    Attributes:
        wait_for: names of which a message has to have come since the last step; of a further vehicle `<agent>/<name>`.
        timeout_s: how long to wait for them, s of wall time.
        carried: messages that apply at its first step, behind those that have come; each with the name of its vehicle,
            empty for the first.
    """

    wait_for: tuple[str, ...] = ()
    timeout_s: float = 0.0
    carried: tuple[tuple[str, Message], ...] = ()

    def check(self, agents: Sequence[str] = ()) -> None:
        """Raise `CommandNameError`, `WaitTimeError` or `CarriedTwiceError` where this cannot be done.

        Args:
            agents: names of the further vehicles.
        """
        if self == NO_COMMANDS:
            return
        known = {command_name(agent, name) for agent in ("", *agents) for name in COMMANDS}
        carried = [command_name(agent, _NAME_OF[type(message)]) for agent, message in self.carried]
        for name in (*self.wait_for, *carried):
            if name not in known:
                raise CommandNameError(name)
        if not 0.0 <= self.timeout_s <= LONGEST_WAIT_S:
            raise WaitTimeError(self.timeout_s)
        if len(carried) > MOST_CARRIED:
            raise CarriedTwiceError(f"the request carries {len(carried)} commands: wanted {MOST_CARRIED} at most")
        for name in carried:
            if name in self.wait_for:
                raise CarriedTwiceError(f"{name} is waited for and carried: wanted one of both")


NO_COMMANDS = CommandStep()


class Came(NamedTuple):
    """What has come of one command: its name in `COMMANDS`, how many, how many refused, the verdict of the last one."""

    name: str
    messages: int
    refused: int
    verdict: Verdict


class Arrived:
    """The commands that have come since the last step."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int, Verdict]] = {}

    def note(self, message: Message) -> None:
        """Count a message that was posted; what is no command is left out."""
        name = _NAME_OF.get(type(message))
        if name is not None:
            messages, refused, _ = self._counts.get(name, (0, 0, Verdict.ACCEPTED))
            verdict = judge(message)
            self._counts[name] = messages + 1, refused + (verdict not in _TAKEN), verdict

    def missing(self, names: Sequence[str], waiting: Sequence[Message]) -> list[str]:
        """Return the names of which nothing has come.

        Args:
            names: of `COMMANDS`.
            waiting: messages that have come and are not posted yet.
        """
        there = {_NAME_OF.get(type(message)) for message in waiting}
        return [name for name in names if name not in self._counts and name not in there]

    def applied(self, step: int) -> tuple[Applied, ...]:
        """Return what has come, in the order of `COMMANDS`, for the step at which it applies."""
        return tuple(Applied(name, step, *self._counts[name]) for name in COMMANDS if name in self._counts)

    def clear(self) -> None:
        """Forget everything: a step has taken it, or a reset has."""
        self._counts.clear()

    def snapshot(self) -> tuple[Came, ...]:
        """Return the state."""
        return tuple(Came(name, *counts) for name, counts in self._counts.items())

    def restore(self, state: Sequence[Came]) -> None:
        """Take up a state."""
        self._counts = {name: (messages, refused, verdict) for name, messages, refused, verdict in state}
