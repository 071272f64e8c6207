"""The reason codes of `SystemReport` in `ds_dbw_msgs` 2.3.11, by the names that the real node prints."""

from __future__ import annotations

from enum import IntEnum


class ReasonNotReady(IntEnum):
    """Why the system is not ready to be enabled (`SystemReport.reason_not_ready`)."""

    Nothing = 0x00
    MissingReportSteer = 0x10
    MissingReportBrake = 0x11
    MissingReportThrtl = 0x12
    MissingReportGear = 0x13
    FaultSteer = 0x18
    FaultBrake = 0x19
    FaultThrtl = 0x1A
    FaultGear = 0x1B
    BadCrcRcCmdSteer = 0x1C
    BadCrcRcCmdBrake = 0x1D
    BadCrcRcCmdThrtl = 0x1E
    BadCrcCmdGear = 0x1F
    OverrideActiveSteer = 0x20
    OverrideActiveBrake = 0x21
    OverrideActiveThrtl = 0x22
    OverrideActiveGear = 0x23
    OverrideLatchedSteer = 0x24
    OverrideLatchedBrake = 0x25
    OverrideLatchedThrtl = 0x26
    OverrideOtherSteer = 0x28
    OverrideOtherBrake = 0x29
    OverrideOtherThrtl = 0x2A
    OverrideOtherGear = 0x2B
    HardwareDisableSteer = 0x2C
    HardwareDisableBrake = 0x2D
    HardwareDisableThrtl = 0x2E
    NotReadySteer = 0x30
    NotReadyBrake = 0x31
    NotReadyThrtl = 0x32
    MissingCmdAll = 0x37
    MissingCmdSteer = 0x38
    MissingCmdBrake = 0x39
    MissingCmdThrtl = 0x3A
    LockoutVehicleVelocity = 0xA0
    LockoutVehicleAccel = 0xA1
    LockoutGearReverse = 0xA2
    NotEnableCmdSteer = 0xC0
    NotEnableCmdBrake = 0xC1
    NotEnableCmdThrtl = 0xC2
    DriverSeatBelt = 0xE0
    DriverDoor = 0xE1
    SystemReengageDelay = 0xF8
    SystemLockout = 0xFA
    SystemDisabled = 0xFE
    Unknown = 0xFF


class ReasonDisengage(IntEnum):
    """Why the system was last disengaged (`SystemReport.reason_disengage`)."""

    Nothing = 0x00
    PowerCycle = 0x01
    LockoutVehicleVelocity = 0x10
    LockoutVehicleAccel = 0x11
    LockoutGearReverse = 0x12
    SteerCmdDisengage = 0x21
    SteerCmdInvalidCrc = 0x22
    SteerCmdInvalidRc = 0x23
    SteerCmdTimeout = 0x24
    SteerRptFault = 0x25
    SteerRptOverride = 0x26
    SteerRptDisengage = 0x27
    SteerRptHwDisable = 0x28
    SteerRptTimeout = 0x29
    BrakeCmdDisengage = 0x41
    BrakeCmdInvalidCrc = 0x42
    BrakeCmdInvalidRc = 0x43
    BrakeCmdTimeout = 0x44
    BrakeRptFault = 0x45
    BrakeRptOverride = 0x46
    BrakeRptDisengage = 0x47
    BrakeRptHwDisable = 0x48
    BrakeRptTimeout = 0x49
    ThrtlCmdDisengage = 0x61
    ThrtlCmdInvalidCrc = 0x62
    ThrtlCmdInvalidRc = 0x63
    ThrtlCmdTimeout = 0x64
    ThrtlRptFault = 0x65
    ThrtlRptOverride = 0x66
    ThrtlRptDisengage = 0x67
    ThrtlRptHwDisable = 0x68
    ThrtlRptTimeout = 0x69
    GearRptFault = 0x85
    GearRptOverride = 0x86
    GearRptTimeout = 0x89
    ExternalBrake = 0xA0
    DriverSeatBelt = 0xB0
    DriverDoor = 0xB1
    SystemDisableCmd = 0xC0
    SystemDisableBtn = 0xC1
    SystemEngageTimeout = 0xC4
    Unknown = 0xFF


def reason_text(table: type[ReasonNotReady] | type[ReasonDisengage], code: int) -> str:
    """Return the name of a code as the report carries it: empty for 0, `Unknown` for a code without a name.

    Args:
        table: the enumeration that the code belongs to.
        code: raw code, uint8.
    """
    if code == 0:
        return ""
    try:
        return table(code).name
    except ValueError:
        return table.Unknown.name
