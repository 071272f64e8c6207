"""What the gateway says of messages that it did not simply take."""

from __future__ import annotations

import math

from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_policy import Verdict, subsystem_of, type_text
from acres_ros.core.gateway_streams import NAMES, Streams
from acres_ros.core.inbox import Notice
from acres_ros.core.messages import (
    GEAR_FRAME,
    BadFrame,
    BrakeCmd,
    Gear,
    GearCmd,
    SteeringCmd,
    SubsystemCmd,
    ThrottleCmd,
    UlcCmd,
)

_FRAMES = ("Steer", "Brake", "Throttle", "ULC", "Gear")


def tell(notice: Notice, step: int, streams: Streams, log: EventLog) -> bool:
    """Say what was wrong with a message, and note a type that the vehicle does not have, or a damaged frame.

    Args:
        notice: the message and the verdict.
        step: count of physics steps now.
        streams: takes the note.
        log: takes what is said.

    Returns:
        Whether it was a gear that the vehicle does not have.
    """
    message, verdict = notice.message, notice.verdict
    if isinstance(message, BadFrame):
        streams.damage(message, step)
        wrong = " and ".join(["CRC"] * message.crc + ["rolling counter"] * message.counter)
        name = _FRAMES[message.target]
        log.warning_throttled(step, f"ACRES_DBW_BAD_FRAME_{name.upper()}", f"{name} command ignored with bad {wrong}")
        return False
    if isinstance(message, GearCmd):
        streams.mend(GEAR_FRAME)
        if verdict is Verdict.UNKNOWN_VALUE:
            text = f"Unknown gear command: {int(message.cmd)}"
            log.warning_throttled(step, "ACRES_DBW_UNKNOWN_GEAR", text)
            return False
        _reject(log, "Gear", f"{int(message.cmd)} {Gear(message.cmd).name}")
        return True
    if isinstance(message, SteeringCmd | BrakeCmd | ThrottleCmd | UlcCmd):
        _tell_command(message, verdict, streams, log)
    else:
        log.warning_throttled(step, "ACRES_DBW_DRIVER_REFUSED", f"driver input refused: {message!r}")
    return False


def _tell_command(message: SubsystemCmd, verdict: Verdict, streams: Streams, log: EventLog) -> None:
    subsystem = subsystem_of(message)
    streams.mend(subsystem)
    name = NAMES[subsystem]
    if verdict is Verdict.NOT_FINITE:
        what = "NaN" if math.isnan(message.cmd) else "Infinite"
        log.warning("ACRES_DBW_NOT_FINITE", f"{what} {name} command")
    elif verdict is Verdict.UNKNOWN_TYPE:
        log.warning("ACRES_DBW_UNKNOWN_TYPE", f"Unknown {name} command type: {int(message.cmd_type)}")
        _reject(log, name[0].upper() + name[1:], f"type {int(message.cmd_type)}")
    else:
        streams.unsupported[subsystem] = True
        _reject(log, name[0].upper() + name[1:], f"type {type_text(message)}")


def _reject(log: EventLog, name: str, kind: str) -> None:
    text = f"{name} command {kind} is rejected: this vehicle does not have it"
    log.warning_once("ACRES_DBW_REJECTED", text)
