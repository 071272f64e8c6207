"""Gear, ULC, system, turn signal, drive mode and misc reports.

Values: spec, Drive-by-Wire and ULC, section Reports; the rest of the fields as in Dataspeed `ds_dbw_can` 2.3.11.
"""

from __future__ import annotations

from functools import cache

from ds_dbw_msgs.msg import DriveModeReport, GearReport, MiscReport, SystemReport, TurnSignalReport, UlcReport

from acres_ros.core.fault_table import DRIVEN_MODULES
from acres_ros.core.messages import AwdMode, DiffLock
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady, reason_text
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import NAN, Context, Source

# By the position of the switch (turf, 2wd, awd), and by whether the front axle is engaged.
_AWD_MODES = tuple(map(int, (AwdMode.TWO_HIGH, AwdMode.TWO_HIGH, AwdMode.FOUR_AUTO)))
_REAR_LOCKS = tuple(map(int, (DiffLock.UNLOCKED, DiffLock.LOCKED, DiffLock.LOCKED)))
_FRONT_LOCKS = tuple(map(int, (DiffLock.UNLOCKED, DiffLock.LOCKED)))


_reason = cache(reason_text)

_LOST_MODULES = ("degraded", "degraded_comms_dbw_steer", "degraded_comms_dbw_brake", "degraded_comms_dbw_thrtl")


def _lost_modules(view: SampleView) -> tuple[bool, ...]:
    """Return `_LOST_MODULES`: who misses the report of a module is degraded; for the gear's there is no flag."""
    missing = view.gateway.system_missing_reports
    lost = tuple(bool(missing >> module & 1) for module in range(len(DRIVEN_MODULES)))
    return any(lost), *lost


def gear_report() -> Source:
    """Return `gear/report`: engaged gear (neutral during a change), command that acts, lever."""
    return Source(
        "gear/report",
        GearReport(actuator_temp=NAN),
        (
            *("gear", "cmd", "driver", "reject", "ready", "override_active", "override_other"),
            *("fault", "bad_crc", "degraded"),
        ),
        lambda view: (
            view.gear.engaged,
            view.gear.command,
            view.gear.driver,
            view.gateway.gear_reject,
            not (view.gateway.gear_fault or view.gateway.gear_override_active),
            view.gateway.gear_override_active,
            view.gateway.gear_override_other,
            view.gateway.gear_fault,
            view.gateway.gear_bad_crc,
            view.gateway.gear_degraded,
        ),
    )


def ulc_report() -> Source:
    """Return `ulc/report`: references and measured speed and acceleration."""
    return Source(
        "ulc/report",
        UlcReport(),
        (
            *("cmd_type", "vel_ref", "vel_meas", "accel_ref", "accel_meas", "coast_decel", "ready", "enabled"),
            *("override_active", "override_latched", "preempted", "timeout", "bad_crc", "bad_rc"),
        ),
        lambda view: (
            view.ulc.type,
            view.ulc.speed_reference,
            view.dbw.wheel_speed,
            view.ulc.acceleration_reference,
            view.dbw.wheel_acceleration,
            view.ulc.coast_deceleration,
            view.gateway.ulc_ready,
            view.ulc.in_control,
            view.gateway.ulc_override_active,
            view.gateway.ulc_override_latched,
            view.ulc.preempted,
            view.ulc.timeout,
            view.gateway.ulc_bad_crc,
            view.gateway.ulc_bad_counter,
        ),
        resolution={"vel_ref": 0.02, "vel_meas": 0.02, "accel_ref": 0.05, "accel_meas": 0.05},
    )


def system_report() -> Source:
    """Return `system/report`: state, reason codes and their names."""
    return Source(
        "system/report",
        SystemReport(validate_cmd_crc_rc=True),
        (
            *("system_sync_mode", "state", "reason_disengage", "reason_not_ready", "btn_enable", "btn_disable"),
            *("override", "ready", "enabled", "fault"),
        ),
        lambda view: (
            view.gateway.system_sync_mode,
            view.gateway.system_state,
            view.gateway.system_reason_disengage,
            view.gateway.system_reason_not_ready,
            view.gateway.system_button_enable,
            view.gateway.system_button_disable,
            view.gateway.system_override,
            view.gateway.system_ready,
            view.gateway.system_enabled,
            view.gateway.system_fault,
        ),
        texts=("reason_disengage_str", "reason_not_ready_str"),
        text_values=_reasons,
    )


def _reasons(view: SampleView) -> tuple[str, str]:
    gateway = view.gateway
    return (
        _reason(ReasonDisengage, gateway.system_reason_disengage),
        _reason(ReasonNotReady, gateway.system_reason_not_ready),
    )


def turn_signal_report() -> Source:
    """Return `turn_signal/report`; the stalk of the driver has no model and stays at NONE."""
    return Source(
        "turn_signal/report",
        TurnSignalReport(ready=True),
        ("cmd", "output", "feedback", "timeout", *_LOST_MODULES),
        lambda view: (
            view.gateway.turn_signal_command,
            view.gateway.turn_signal_output,
            view.gateway.turn_signal_output,
            view.gateway.turn_signal_timeout,
            *_lost_modules(view),
        ),
    )


def drive_mode_report() -> Source:
    """Return `drive_mode/report`: turf is two-wheel drive with the rear differential open, awd engages on demand."""

    def degraded(view: SampleView) -> tuple[bool, ...]:
        any_lost, *lost = _lost_modules(view)
        cmd_type = bool(view.gateway.drive_mode_degraded_cmd_type)
        return cmd_type or any_lost, cmd_type, *lost

    return Source(
        "drive_mode/report",
        DriveModeReport(ready=True),
        (
            *("drive_mode_cmd", "suspension_mode_cmd", "awd_mode", "awd_mode_cmd", "rear_diff", "rear_diff_cmd"),
            *("front_diff", "front_diff_cmd", "degraded", "degraded_cmd_type", *_LOST_MODULES[1:]),
        ),
        lambda view: (
            view.gateway.drive_mode_drive_mode_command,
            view.gateway.drive_mode_suspension_mode_command,
            _AWD_MODES[view.vehicle.drive_mode],
            view.gateway.drive_mode_awd_mode_command,
            _REAR_LOCKS[view.vehicle.drive_mode],
            view.gateway.drive_mode_rear_diff_command,
            _FRONT_LOCKS[view.powertrain.front_engaged],
            view.gateway.drive_mode_front_diff_command,
            *degraded(view),
        ),
    )


def misc_report(context: Context) -> Source:
    """Return `misc/report`: belts and doors, everything without a model unknown or at rest.

    Who is on board is belted, and the doors are closed, but for what the driver's input says of the driver's own.
    """
    persons = int(context.parameters[0].mass.occupants)
    template = MiscReport(passenger_detect=persons > 1, buckle_passenger=persons > 1)
    for field in (
        *("outside_air_temp", "engine_coolant_temp", "engine_oil_temp", "trans_oil_temp", "trans_clutch_temp"),
        *("traction_motor_coil_temp", "traction_motor_elec_temp"),
    ):
        setattr(template, field, NAN)
    return Source(
        "misc/report",
        template,
        ("buckle_driver", "door_driver"),
        lambda view: (persons > 0 and not view.gateway.person_belt_open, view.gateway.person_door_open),
    )
