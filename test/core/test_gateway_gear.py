"""Gear, drive mode, hardware shifts, turn signal and the driver: what reaches the model, and what is refused."""

from __future__ import annotations

import pytest
from gateway_rig import Rig, steering

from acres_ros.core import messages
from acres_ros.core.messages import DriverInput, Enable, Gear, GearCmd, HardwareShifts

# -- gear, drive mode, shifts -----------------------------------------------------------------------------------------


def test_a_gear_command_acts_while_enabled_and_stays_until_the_next_one():
    rig = Rig()
    rig.step(GearCmd(Gear.LOW))
    assert rig.command("gear") == 0
    rig.step(Enable())
    assert rig.command("gear") == 5
    rig.run(200, GearCmd(Gear.NONE))
    assert rig.command("gear") == 5
    rig.step(GearCmd(Gear.REVERSE))
    assert rig.command("gear") == 2
    rig.step(messages.Disable())
    assert rig.command("gear") == 0


def test_a_gear_outside_the_enumeration_is_nothing_and_warns_once_a_second():
    rig = Rig()
    rig.step(Enable(), GearCmd(Gear.DRIVE))
    rig.codes()
    rig.run(240, GearCmd(99))
    assert rig.command("gear") == 4
    assert rig.codes() == ["UNKNOWN_GEAR"] * 2


def test_gear_rejections_have_their_codes_and_one_warning_each():
    rig = Rig()
    rig.step(Enable(), GearCmd(Gear.DRIVE))
    rig.set_vehicle(gear__refused=1)
    rig.run(5)
    assert rig.report("gear.reject") == 6  # VEHICLE_SPEED
    rig.set_vehicle(gear__refused=0, gear__shift_left=0.5, gear__selected=4)
    rig.step(GearCmd(Gear.REVERSE))
    assert rig.report("gear.reject") == 3  # SHIFT_IN_PROGRESS
    rig.set_vehicle(gear__shift_left=0.0, gear__selected=2)
    rig.step()
    assert rig.report("gear.reject") == 0
    rig.step(GearCmd(Gear.SPORT))
    assert (rig.report("gear.reject"), rig.report("gear.degraded_cmd_type")) == (2, 1)  # UNSUPPORTED
    assert rig.command("gear") == 2
    rig.step(GearCmd(Gear.DRIVE))
    assert rig.report("gear.reject") == 0
    texts = [text for code, text in rig.events() if code == "ACRES_DBW_GEAR_REJECTED"]
    assert texts == [f"Gear command rejected: {name}" for name in ("VEHICLE_SPEED", "SHIFT_IN_PROGRESS", "UNSUPPORTED")]


@pytest.mark.parametrize(("mode", "position"), [("turf", 0), ("2wd", 1), ("awd", 2)])
def test_the_awd_switch_acts_at_any_time(mode: str, position: int):
    rig = Rig()
    rig.step(messages.DriveMode(mode))
    assert rig.command("drive_mode") == position


def test_hardware_shifts_reach_the_model_and_end_with_a_reset():
    rig = Rig()
    rig.step(HardwareShifts(1.0, -0.2, 3.0, -4.0))
    names = ("steering_offset_deg", "ulc_speed_bias", "throttle_bias_pct", "brake_bias_bar")
    assert [rig.command(f"shift.{name}") for name in names] == [1.0, -0.2, 3.0, -4.0]
    rig.gateway.reset(gear=5, drive_mode=0)
    assert [rig.command(f"shift.{name}") for name in names] == [0.0] * 4
    assert (rig.command("driver.gear"), rig.command("drive_mode")) == (5, 0)


def test_the_driver_has_the_vehicle_while_the_system_is_not_enabled():
    rig = Rig()
    rig.step(DriverInput(True, 45.0, 140.0, -3.0, 5))
    names = ("steering_active", "steering_wheel_angle_deg", "throttle_pct", "brake_bar", "gear")
    assert [rig.command(f"driver.{name}") for name in names] == [1, 45.0, 100.0, 0.0, 5]
    rig.step(DriverInput())
    assert [rig.command(f"driver.{name}") for name in names] == [0, 0.0, 0.0, 0.0, 5]


# -- turn signal, drive mode and misc ---------------------------------------------------------------------------------


def test_the_turn_signal_follows_its_command_for_250_ms_while_enabled():
    rig = Rig()
    rig.step(messages.TurnSignalCmd(1))
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (0, 0)
    rig.step(Enable(), messages.TurnSignalCmd(2))
    assert rig.report("turn_signal.output") == 2
    rig.run(29)
    rig.step(steering())  # 0.25 s is not yet too old
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (2, 0)
    rig.step()
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (0, 1)


def test_where_the_firmware_decides_the_contents_pass_without_enable():
    rig = Rig(system_sync_mode="all_or_none")
    rig.step(messages.TurnSignalCmd(3))
    assert rig.report("turn_signal.output") == 3


def test_values_outside_their_enumerations_are_none_with_a_warning_each_second():
    rig = Rig()
    rig.step(Enable())
    rig.codes()
    rig.run(121, messages.DriveModeCmd(1, 200, 2, 0, 77))
    asked = ("drive_mode_command", "suspension_mode_command", "awd_mode_command", "rear_diff_command")
    assert [rig.report(f"drive_mode.{name}") for name in asked] == [1, 0, 2, 0]
    assert rig.report("drive_mode.degraded_cmd_type") == 1
    assert rig.codes() == ["UNKNOWN_DRIVE_MODE_CMD"] * 2
