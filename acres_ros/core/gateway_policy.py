"""Which messages the vehicle takes, and how their numbers are made safe for the model.

Accepted types: spec, Drive-by-Wire and ULC, section Command Types. Ranges of the wire and the meaning of limits: frame
definitions of Dataspeed `ds_dbw_can` 2.3.11. The ranges of the spec are parameters and are clamped by the model; the
ranges here are what a frame can carry, so they only keep absurd numbers out.
"""

from __future__ import annotations

import math
from enum import IntEnum

from acres_ros.core.messages import (
    DRIVE_MODES,
    GEAR_FRAME,
    BadFrame,
    BrakeCmd,
    BrakeType,
    DriveMode,
    DriverInput,
    Gear,
    GearCmd,
    HardwareShifts,
    Message,
    SteeringCmd,
    SteeringType,
    Subsystem,
    SubsystemCmd,
    ThrottleCmd,
    ThrottleType,
    UlcCmd,
    UlcType,
)
from acres_ros.errors import AcresError, shown
from acres_ros.models.dbw.command import NO_LIMIT

LARGEST_INPUT = 1.0e6
"""Largest hardware shift and driver input, in its own unit; the model clamps what they act on."""


class Verdict(IntEnum):
    """What the door says about a message."""

    ACCEPTED = 0
    REJECTED = 1
    UNKNOWN_TYPE = 2
    NOT_FINITE = 3
    UNKNOWN_VALUE = 4
    NO_COMMAND = 5
    REFUSED = 6
    BAD_FRAME = 7


class RefusedMessageError(AcresError):
    """A message of a service with a value that the vehicle cannot have."""

    def __init__(self, message: Message, wanted: str) -> None:
        fields = ", ".join(f"{name}={shown(value)}" for name, value in message._asdict().items())
        super().__init__(
            f"{type(message).__name__}({fields}) is refused: wanted {wanted}; nothing was changed, send it again with "
            "such a value"
        )
        self.message = message


# Per message: the subsystem, its types, and for each type that the vehicle has the range of `cmd`.
_TYPES: dict[type, tuple[Subsystem, type[IntEnum], dict[int, tuple[float, float]]]] = {
    SteeringCmd: (
        Subsystem.STEERING,
        SteeringType,
        {
            SteeringType.ANGLE: (-3276.7, 3276.7),
            SteeringType.CURVATURE: (-0.2, 0.2),
            SteeringType.YAW_RATE: (-8.578, 8.578),
            SteeringType.PERCENT: (-327.67, 327.67),
        },
    ),
    BrakeCmd: (
        Subsystem.BRAKE,
        BrakeType,
        {BrakeType.PRESSURE: (0.0, 655.35), BrakeType.PERCENT: (0.0, 655.35)},
    ),
    ThrottleCmd: (
        Subsystem.THROTTLE,
        ThrottleType,
        {ThrottleType.PEDAL_RAW: (0.0, 1638.375), ThrottleType.PERCENT: (0.0, 1638.375)},
    ),
    UlcCmd: (
        Subsystem.ULC,
        UlcType,
        {UlcType.VELOCITY: (-81.9, 81.9), UlcType.ACCEL: (-16.38, 16.38)},
    ),
}

_ALL_TYPES = {cls: frozenset(map(int, types)) for cls, (_, types, _) in _TYPES.items()}
_GEARS = frozenset({Gear.PARK, Gear.REVERSE, Gear.NEUTRAL, Gear.DRIVE, Gear.LOW})
_ALL_GEARS = frozenset(map(int, Gear))


def subsystem_of(message: SubsystemCmd) -> Subsystem:
    """Return the subsystem that a command is for."""
    return _TYPES[type(message)][0]


def type_text(message: SubsystemCmd) -> str:
    """Return the type of a command as number and name, for texts; the type is one of the enumeration."""
    enumeration = _TYPES[type(message)][1]
    return f"{int(message.cmd_type)} {enumeration(message.cmd_type).name}"


def judge(message: Message) -> Verdict:
    """Return what the door says about a message.

    Raises:
        RefusedMessageError: a `DriveMode`, `HardwareShifts` or `BadFrame` with a value that the vehicle cannot have.
            These come from a service, which can answer; a topic cannot, so its messages get a verdict.
    """
    if isinstance(message, SteeringCmd | BrakeCmd | ThrottleCmd | UlcCmd):
        return _judge_command(message)
    if isinstance(message, BadFrame):
        if not 0 <= message.target <= GEAR_FRAME:
            raise RefusedMessageError(message, f"a target from 0 to {GEAR_FRAME}")
        return Verdict.BAD_FRAME
    if isinstance(message, GearCmd):
        if message.cmd == Gear.NONE:
            return Verdict.NO_COMMAND
        if message.cmd in _GEARS:
            return Verdict.ACCEPTED
        return Verdict.REJECTED if message.cmd in _ALL_GEARS else Verdict.UNKNOWN_VALUE
    if isinstance(message, DriverInput):
        numbers = (message.steering_wheel_angle_deg, message.throttle_pct, message.brake_bar)
        if not all(map(math.isfinite, numbers)) or message.gear not in _GEARS | {Gear.NONE}:
            return Verdict.REFUSED
        return Verdict.ACCEPTED
    if isinstance(message, HardwareShifts) and not all(abs(shift) <= LARGEST_INPUT for shift in message):
        raise RefusedMessageError(message, f"finite shifts within +-{LARGEST_INPUT:g}")
    if isinstance(message, DriveMode) and message.mode not in DRIVE_MODES:
        raise RefusedMessageError(message, f"one of {', '.join(DRIVE_MODES)}")
    return Verdict.ACCEPTED


def _judge_command(message: SubsystemCmd) -> Verdict:
    cls = type(message)
    if message.cmd_type == 0:
        return Verdict.ACCEPTED
    if message.cmd_type not in _TYPES[cls][2]:
        return Verdict.REJECTED if message.cmd_type in _ALL_TYPES[cls] else Verdict.UNKNOWN_TYPE
    return Verdict.ACCEPTED if math.isfinite(message.cmd) else Verdict.NOT_FINITE


def value_of(message: SubsystemCmd) -> float:
    """Return `cmd` of an accepted type within the range of the wire; a number that is not finite is 0."""
    if not math.isfinite(message.cmd):
        return 0.0
    low, high = _TYPES[type(message)][2][message.cmd_type]
    return min(max(float(message.cmd), low), high)


def limit_of(limit: float) -> float:
    """Return a rate or limit for the model: 0 for the default, `NO_LIMIT` for none, always finite.

    NaN selects the default. A negative or infinite limit is no limit; so is one that is larger than `NO_LIMIT`. A limit
    so small that it is no number of the wire's type (below the smallest normal single) is 0.
    """
    if limit != limit:
        return 0.0
    if limit < 0.0 or limit > NO_LIMIT:
        return NO_LIMIT
    return float(limit) if limit >= 1.1754943508222875e-38 else 0.0


def driver_value(value: float) -> float:
    """Return a finite number of the driver within `LARGEST_INPUT`."""
    return min(max(float(value), -LARGEST_INPUT), LARGEST_INPUT)
