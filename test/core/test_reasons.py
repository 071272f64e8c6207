"""The reason codes of the system report, against the table of `ds_dbw_can` 2.3.11."""

from __future__ import annotations

import pytest

from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady, reason_text

NOT_READY = """
0:None 16:MissingReportSteer 17:MissingReportBrake 18:MissingReportThrtl 19:MissingReportGear 24:FaultSteer
25:FaultBrake 26:FaultThrtl 27:FaultGear 28:BadCrcRcCmdSteer 29:BadCrcRcCmdBrake 30:BadCrcRcCmdThrtl
31:BadCrcCmdGear 32:OverrideActiveSteer 33:OverrideActiveBrake 34:OverrideActiveThrtl 35:OverrideActiveGear
36:OverrideLatchedSteer 37:OverrideLatchedBrake 38:OverrideLatchedThrtl 40:OverrideOtherSteer 41:OverrideOtherBrake
42:OverrideOtherThrtl 43:OverrideOtherGear 44:HardwareDisableSteer 45:HardwareDisableBrake 46:HardwareDisableThrtl
48:NotReadySteer 49:NotReadyBrake 50:NotReadyThrtl 55:MissingCmdAll 56:MissingCmdSteer 57:MissingCmdBrake
58:MissingCmdThrtl 160:LockoutVehicleVelocity 161:LockoutVehicleAccel 162:LockoutGearReverse 192:NotEnableCmdSteer
193:NotEnableCmdBrake 194:NotEnableCmdThrtl 224:DriverSeatBelt 225:DriverDoor 248:SystemReengageDelay
250:SystemLockout 254:SystemDisabled 255:Unknown
"""
DISENGAGE = """
0:None 1:PowerCycle 16:LockoutVehicleVelocity 17:LockoutVehicleAccel 18:LockoutGearReverse 33:SteerCmdDisengage
34:SteerCmdInvalidCrc 35:SteerCmdInvalidRc 36:SteerCmdTimeout 37:SteerRptFault 38:SteerRptOverride
39:SteerRptDisengage 40:SteerRptHwDisable 41:SteerRptTimeout 65:BrakeCmdDisengage 66:BrakeCmdInvalidCrc
67:BrakeCmdInvalidRc 68:BrakeCmdTimeout 69:BrakeRptFault 70:BrakeRptOverride 71:BrakeRptDisengage
72:BrakeRptHwDisable 73:BrakeRptTimeout 97:ThrtlCmdDisengage 98:ThrtlCmdInvalidCrc 99:ThrtlCmdInvalidRc
100:ThrtlCmdTimeout 101:ThrtlRptFault 102:ThrtlRptOverride 103:ThrtlRptDisengage 104:ThrtlRptHwDisable
105:ThrtlRptTimeout 133:GearRptFault 134:GearRptOverride 137:GearRptTimeout 160:ExternalBrake 176:DriverSeatBelt
177:DriverDoor 192:SystemDisableCmd 193:SystemDisableBtn 196:SystemEngageTimeout 255:Unknown
"""


@pytest.mark.parametrize(("table", "text"), [(ReasonNotReady, NOT_READY), (ReasonDisengage, DISENGAGE)])
def test_every_code_has_the_name_that_the_real_node_prints(table, text: str):
    wanted = {int(code): name for code, name in (entry.split(":") for entry in text.split())}
    for code in range(256):
        name = wanted.get(code, "Unknown")
        assert reason_text(table, code) == ("" if code == 0 else name)
    assert {int(member) for member in table} == set(wanted)
