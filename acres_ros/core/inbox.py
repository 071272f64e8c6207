"""The inbox: the last message of each kind, numbered; immutable, so the timed queue can carry it.

Source: spec, Drive-by-Wire and ULC, section Timestamped Command Queue. A later message of the same kind replaces an
earlier one that no step has taken. What must not be lost in that is counted (`Slot.clears`) or noted (`Notice`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acres_ros.core.gateway_policy import RefusedMessageError, Verdict, judge
from acres_ros.core.messages import (
    BadFrame,
    BrakeCmd,
    ClientLost,
    Disable,
    DriveMode,
    DriveModeCmd,
    DriverInput,
    Enable,
    GearCmd,
    HardwareShifts,
    Message,
    MiscCmd,
    SteeringCmd,
    ThrottleCmd,
    TurnSignalCmd,
    UlcCmd,
)
from acres_ros.errors import AcresError

NOTICES_KEPT = 64
"""Notices that an inbox carries; older ones have been taken, or a step has missed more messages than anyone reads."""

_STORED = frozenset({Verdict.ACCEPTED, Verdict.UNKNOWN_TYPE, Verdict.NOT_FINITE})


class NotAMessageError(AcresError):
    """Something that the vehicle does not know was posted."""

    def __init__(self, given: object) -> None:
        super().__init__(f"{given!r} is no message of acres_ros.core.messages; post one of those")
        self.given = given


class Arrival(NamedTuple):
    """A message that has come.

    Attributes:
        wall: when it came, s, on a clock that never goes back.
        message: the message.
        sent: what orders messages of different reads by when they were sent.
    """

    wall: float
    message: Message
    sent: tuple[int, int] = (0, 0)


class Slot(NamedTuple):
    """The last message of one kind.

    Attributes:
        message: None before the first one.
        sequence: number of messages of this kind so far; a new number marks the message as fresh.
        order: number of the post among all posts of the inbox.
        clears: number of messages so far that had `clear` set.
    """

    message: Message | None = None
    sequence: int = 0
    order: int = 0
    clears: int = 0


class Notice(NamedTuple):
    """A message that was not simply accepted; it has to be told, even if a later one replaced it.

    Attributes:
        order: number of the post among all posts of the inbox.
        verdict: what was wrong.
        message: the message.
    """

    order: int
    verdict: Verdict
    message: Message


class Inbox(NamedTuple):
    """The last message of each kind."""

    steering: Slot = Slot()
    brake: Slot = Slot()
    throttle: Slot = Slot()
    ulc: Slot = Slot()
    gear: Slot = Slot()
    turn_signal: Slot = Slot()
    drive_mode_cmd: Slot = Slot()
    misc: Slot = Slot()
    enable: Slot = Slot()
    disable: Slot = Slot()
    client_lost: Slot = Slot()
    driver: Slot = Slot()
    drive_mode: Slot = Slot()
    shifts: Slot = Slot()
    order: int = 0
    notices: tuple[Notice, ...] = ()

    def post(self, message: Message) -> Inbox:
        """Return the inbox after one more message.

        A rejected type, a gear that is none, a driver input that makes no sense and a damaged frame leave the earlier
        message in place.

        Args:
            message: one of `acres_ros.core.messages`.

        Raises:
            NotAMessageError: the message is of no known kind.
            RefusedMessageError: a service's message with a value that the vehicle cannot have.
        """
        name = _SLOT_OF.get(type(message), "")
        if not name and type(message) is not BadFrame:
            raise NotAMessageError(message)
        verdict = judge(message)
        order = self.order + 1
        changes: dict[str, Any] = {"order": order}
        if verdict in _STORED:
            slot = getattr(self, name)
            changes[name] = Slot(
                message, slot.sequence + 1, order, slot.clears + (1 if getattr(message, "clear", False) else 0)
            )
        if verdict is not Verdict.ACCEPTED and verdict is not Verdict.NO_COMMAND:
            changes["notices"] = (*self.notices[1 - NOTICES_KEPT :], Notice(order, verdict, message))
        return self._replace(**changes)


_SLOT_OF: dict[type, str] = {
    SteeringCmd: "steering",
    BrakeCmd: "brake",
    ThrottleCmd: "throttle",
    UlcCmd: "ulc",
    GearCmd: "gear",
    TurnSignalCmd: "turn_signal",
    DriveModeCmd: "drive_mode_cmd",
    MiscCmd: "misc",
    Enable: "enable",
    Disable: "disable",
    ClientLost: "client_lost",
    DriverInput: "driver",
    DriveMode: "drive_mode",
    HardwareShifts: "shifts",
}
SLOTS = tuple(_SLOT_OF.values())


def holds_its_kinds(inbox: Inbox) -> bool:
    """Tell whether the slots of an inbox hold messages of their kind that `post` would have stored, or none.

    The notices have to be those that it would have made.
    """
    try:
        for name in SLOTS:
            message = getattr(inbox, name).message
            if message is not None and (_SLOT_OF.get(type(message)) != name or judge(message) not in _STORED):
                return False
        return all(judge(notice.message) is notice.verdict for notice in inbox.notices)
    except RefusedMessageError:
        return False
