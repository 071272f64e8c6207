"""The messages that the vehicle accepts, as plain values, and the enumerations of `ds_dbw_msgs` 2.3.11.

Names, order and units of the fields are those of the ROS messages; headers are left out because the vehicle reads none.
Enumerated fields hold any uint8: what a value means is decided by the gateway, not by the type.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from acres_ros.models.awd import AWD, TURF, TWO_WHEEL_DRIVE


class Subsystem(IntEnum):
    """The four subsystems that have a watchdog; used as an index."""

    STEERING = 0
    BRAKE = 1
    THROTTLE = 2
    ULC = 3


class SteeringType(IntEnum):
    """`SteeringCmd.cmd_type`."""

    NONE = 0
    TORQUE = 1
    ANGLE = 2
    CURVATURE = 3
    YAW_RATE = 4
    SET_OFFSET = 13
    PERCENT = 14
    CALIBRATE = 15


class BrakeType(IntEnum):
    """`BrakeCmd.cmd_type`."""

    NONE = 0
    PRESSURE = 1
    TORQUE = 2
    ACCEL = 8
    ACCEL_ACC = 9
    ACCEL_AEB = 10
    PEDAL_RAW = 13
    PERCENT = 14


class ThrottleType(IntEnum):
    """`ThrottleCmd.cmd_type`."""

    NONE = 0
    PEDAL_RAW = 13
    PERCENT = 14


class UlcType(IntEnum):
    """`UlcCmd.cmd_type`."""

    NONE = 0
    VELOCITY = 1
    ACCEL = 2


class Gear(IntEnum):
    """`Gear`; on the Polaris DRIVE is H and LOW is L."""

    NONE = 0
    PARK = 1
    REVERSE = 2
    NEUTRAL = 3
    DRIVE = 4
    LOW = 5
    MANUAL = 6
    SPORT = 7
    CALIBRATE = 15


class GearReject(IntEnum):
    """`GearReject`: why a gear command is not carried out."""

    NONE = 0
    FAULT = 1
    UNSUPPORTED = 2
    SHIFT_IN_PROGRESS = 3
    OVERRIDE = 4
    BRAKE_HOLD = 5
    VEHICLE_SPEED = 6
    VEHICLE = 7


class SystemState(IntEnum):
    """`SystemState`."""

    MANUAL = 0
    READY = 1
    ACTIVE = 2
    FAULT = 7


class SystemSyncMode(IntEnum):
    """`SystemSyncMode`: who decides that the system is enabled, and with which subsystems."""

    NONE = 0
    DISENGAGES = 1
    ALL_OR_NONE = 2
    ALL_OR_NONE_WITH_BTN = 3
    PARTIAL = 4
    PARTIAL_WITH_BTN = 5


class CmdSrc(IntEnum):
    """`CmdSrc`: where the command of an actuator comes from; the sources that this vehicle has."""

    USER = 0
    ULC = 1


class TurnSignal(IntEnum):
    """`TurnSignal`."""

    NONE = 0
    LEFT = 1
    RIGHT = 2
    HAZARD = 3


class DriveModeSetting(IntEnum):
    """`DriveMode` of `ds_dbw_msgs`: the character of engine or suspension, not the AWD switch."""

    UNKNOWN = 0
    NORMAL = 1
    ECONOMY = 2
    COMFORT = 3
    SPORT = 4
    TOW_HAUL = 5
    SNOW = 6
    SAND = 7
    MUD = 8
    ROCK = 9
    BAJA = 10
    TRACK = 11


class AwdMode(IntEnum):
    """`AwdMode`."""

    UNKNOWN = 0
    TWO_HIGH = 1
    FOUR_AUTO = 2
    FOUR_HIGH = 3
    FOUR_LOW = 4


class DiffLock(IntEnum):
    """`DiffLock`."""

    UNKNOWN = 0
    UNLOCKED = 1
    LOCKED = 2


class PrkBrkCmd(IntEnum):
    """`PrkBrkCmd`."""

    NONE = 0
    ON = 1
    OFF = 2


class DoorSelect(IntEnum):
    """`DoorSelect`."""

    NONE = 0
    DRIVER = 1
    PASSENGER = 2
    REAR_LEFT = 3
    REAR_RIGHT = 4
    TRUNK = 14
    FRUNK = 15


class DoorCmd(IntEnum):
    """`DoorCmd`."""

    NONE = 0
    OPEN = 1
    CLOSE = 2


DRIVE_MODES = {"turf": TURF, "2wd": TWO_WHEEL_DRIVE, "awd": AWD}
"""Positions of the AWD switch, as the command record counts them."""


class Enable(NamedTuple):
    """Request to enable the drive-by-wire system (`/vehicle/enable`)."""


class Disable(NamedTuple):
    """Request to disable it (`/vehicle/disable`)."""


class ClientLost(NamedTuple):
    """The command client disconnected, which disables the system (spec, Enable, Disable and Override)."""


class SteeringCmd(NamedTuple):
    """`SteeringCmd`: `cmd` in deg at the steering wheel, 1/m, rad/s or % by type, positive left."""

    cmd: float = 0.0
    cmd_rate: float = 0.0
    cmd_accel: float = 0.0
    cmd_type: int = 0
    enable: bool = False
    clear: bool = False
    ignore: bool = False


class BrakeCmd(NamedTuple):
    """`BrakeCmd`: `cmd` in % or bar by type, rates in the same unit per second."""

    cmd: float = 0.0
    rate_inc: float = 0.0
    rate_dec: float = 0.0
    cmd_type: int = 0
    enable: bool = False
    clear: bool = False
    ignore: bool = False
    precharge_aeb: int = 0


class ThrottleCmd(NamedTuple):
    """`ThrottleCmd`: `cmd` in % of the pedal or of the sensor range, rates in %/s."""

    cmd: float = 0.0
    rate_inc: float = 0.0
    rate_dec: float = 0.0
    cmd_type: int = 0
    enable: bool = False
    clear: bool = False
    ignore: bool = False


class UlcCmd(NamedTuple):
    """`UlcCmd`: `cmd` in m/s or m/s^2 by type; all limits are positive numbers."""

    cmd: float = 0.0
    limit_accel: float = 0.0
    limit_decel: float = 0.0
    limit_jerk_throttle: float = 0.0
    limit_jerk_brake: float = 0.0
    cmd_type: int = 0
    enable: bool = False
    clear: bool = False
    enable_shift: bool = False
    enable_shift_park: bool = False
    coast_decel: bool = False


class BadFrame(NamedTuple):
    """A command frame that arrives damaged; no topic sends it, a fault makes it of a command.

    Attributes:
        target: a `Subsystem`, or `GEAR_FRAME`.
        crc: its checksum is wrong.
        counter: its rolling counter is wrong.
    """

    target: int
    crc: bool
    counter: bool


GEAR_FRAME = 4
"""The frame of the gear command, behind those of the subsystems."""


class GearCmd(NamedTuple):
    """`GearCmd`: a wish that stays until the next one; `Gear.NONE` is no wish."""

    cmd: int = 0
    cmd_manual: int = 0
    return_to_park: bool = False


class TurnSignalCmd(NamedTuple):
    """`TurnSignalCmd`."""

    cmd: int = 0


class DriveModeCmd(NamedTuple):
    """`DriveModeCmd`; the Ranger's AWD switch is not in it (spec, Command Types), see `DriveMode`."""

    drive_mode_cmd: int = 0
    suspension_mode_cmd: int = 0
    awd_mode_cmd: int = 0
    rear_diff_cmd: int = 0
    front_diff_cmd: int = 0


class MiscCmd(NamedTuple):
    """`MiscCmd`."""

    parking_brake: int = 0
    door_select: int = 0
    door_cmd: int = 0


class DriveMode(NamedTuple):
    """Position of the AWD switch: `awd`, `2wd` or `turf`."""

    mode: str


class DriverInput(NamedTuple):
    """What the person in the seat does; it holds until the next one. Gear 0 leaves the lever where it is.

    The buttons are those of the vehicle that enable and disable the system; True while one is held. Belt and door are
    the driver's; both are closed while nobody says otherwise.
    """

    hands_on_wheel: bool = False
    steering_wheel_angle_deg: float = 0.0
    throttle_pct: float = 0.0
    brake_bar: float = 0.0
    gear: int = 0
    button_enable: bool = False
    button_disable: bool = False
    seat_belt_open: bool = False
    door_open: bool = False


class HardwareShifts(NamedTuple):
    """Deviations of this vehicle's hardware from the calibrated one (spec, Hardware Shifts)."""

    steering_offset_deg: float = 0.0
    ulc_speed_bias_mps: float = 0.0
    throttle_bias_pct: float = 0.0
    brake_bias_bar: float = 0.0


SubsystemCmd = SteeringCmd | BrakeCmd | ThrottleCmd | UlcCmd
"""A command with a type, an enable flag and a watchdog."""

Message = (
    SubsystemCmd
    | BadFrame
    | Enable
    | Disable
    | ClientLost
    | GearCmd
    | TurnSignalCmd
    | DriveModeCmd
    | MiscCmd
    | DriveMode
    | DriverInput
    | HardwareShifts
)
"""All that an inbox takes."""
