"""Turn signal, drive mode and misc commands: a value each, with a time-out of 250 ms and no enable flag.

Rules: Dataspeed `ds_dbw_can` 2.3.11. Where the node decides the enable state, it sends empty contents while the system
is not enabled; a value outside its enumeration is sent as none, with a warning at most once a second.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_options import SLOW_TIMEOUT_STEPS
from acres_ros.core.gateway_streams import NEVER
from acres_ros.core.messages import (
    AwdMode,
    DiffLock,
    DoorCmd,
    DoorSelect,
    DriveModeCmd,
    DriveModeSetting,
    MiscCmd,
    PrkBrkCmd,
    TurnSignal,
    TurnSignalCmd,
)

_TABLES: dict[str, tuple[tuple[str, ...], tuple[type[IntEnum], ...]]] = {
    "turn_signal": (TurnSignalCmd._fields, (TurnSignal,)),
    "drive_mode_cmd": (DriveModeCmd._fields, (DriveModeSetting, DriveModeSetting, AwdMode, DiffLock, DiffLock)),
    "misc": (MiscCmd._fields, (PrkBrkCmd, DoorSelect, DoorCmd)),
}


class AuxiliaryState(NamedTuple):
    """Step of the last message, and what it commands."""

    arrival: int
    values: tuple[int, ...]


class Auxiliary:
    """The last command of one of these topics.

    Args:
        name: slot of the inbox.
        log: takes the warnings.

    Attributes:
        arrival: step of the last message.
    """

    def __init__(self, name: str, log: EventLog) -> None:
        self._name = name
        self._log = log
        self._fields, enumerations = _TABLES[name]
        self._allowed = [frozenset(map(int, enumeration)) for enumeration in enumerations]
        self._nothing = (0,) * len(enumerations)
        self._values = self._nothing
        self.arrival = NEVER

    def take(self, message: TurnSignalCmd | DriveModeCmd | MiscCmd, step: int, passed_on: bool) -> None:
        """Take a message.

        Args:
            message: the message of this topic.
            step: count of physics steps now.
            passed_on: False where the node sends empty contents instead.
        """
        self.arrival = step
        values = []
        for name, value, allowed in zip(self._fields, message, self._allowed, strict=True):
            if value not in allowed:
                self._log.warning_throttled(
                    step, f"ACRES_DBW_UNKNOWN_{self._name.upper()}", f"Unknown {self._name} command: {name} {value}"
                )
            values.append(int(value) if value in allowed else 0)
        self._values = tuple(values) if passed_on else self._nothing

    def timeout(self, step: int) -> bool:
        """Tell whether the last message is too old, and there was one."""
        return self.arrival != NEVER and step - self.arrival > SLOW_TIMEOUT_STEPS

    def values(self, step: int) -> tuple[int, ...]:
        """Return what is commanded, in the order of the message; zeros once it is too old."""
        return self._nothing if step - self.arrival > SLOW_TIMEOUT_STEPS else self._values

    def next_change(self, step: int) -> int:
        """Return the step at which the last message becomes too old, or a step that never comes."""
        change = self.arrival + SLOW_TIMEOUT_STEPS + 1
        return change if change > step else 10**12

    def snapshot(self) -> AuxiliaryState:
        """Return the state."""
        return AuxiliaryState(self.arrival, self._values)

    def fits(self, state: AuxiliaryState) -> bool:
        """Tell whether a state is one of this topic."""
        return len(state.values) == len(self._allowed) and all(map(frozenset.__contains__, self._allowed, state.values))

    def restore(self, state: AuxiliaryState) -> None:
        """Take up a state that fits."""
        self.arrival, self._values = state
