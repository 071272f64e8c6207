"""Fill the report record of the gateway from its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acres_ros.core.gateway_modules import GEAR
from acres_ros.core.gateway_records import ReportWriter
from acres_ros.core.gateway_streams import DRIVEN, PEDALS
from acres_ros.core.messages import GEAR_FRAME, CmdSrc, Subsystem, SystemState

if TYPE_CHECKING:
    from acres_ros.core.gateway import DbwGateway

_PREFIXES = ("steering.", "brake.", "throttle.", "ulc.")


def write_report(report: ReportWriter, gateway: DbwGateway) -> None:
    """Write what the reports of this step show.

    Args:
        report: takes the numbers.
        gateway: after its decisions of the step.
    """
    step, enable, overrides, modules = gateway.steps, gateway.enable, gateway.overrides, gateway.modules
    state = enable.state(step)
    report.write("", dbw_enabled=enable.enabled)
    report.write(
        "system.",
        sync_mode=gateway.options.sync_mode,
        state=state,
        reason_disengage=enable.disengaged(step),
        reason_not_ready=enable.not_ready(step),
        button_enable=gateway.driver.button_enable,
        button_disable=gateway.driver.button_disable,
        override=overrides.any or modules.lever(step),
        ready=state in (SystemState.READY, SystemState.ACTIVE),
        enabled=enable.active(step),
        fault=modules.faulty(step),
        missing_reports=sum(1 << module for module in range(GEAR + 1) if modules.missing(module, step)),
    )
    for subsystem in Subsystem:
        _write_subsystem(report, gateway, subsystem)
    report.write(
        "gear.",
        reject=gateway.gear_reject,
        override_active=modules.told.lever,
        override_other=any(map(overrides.active, DRIVEN)),
        fault=modules.told.fault[GEAR],
        bad_crc=gateway.streams.bad_frame(GEAR_FRAME, step)[0],
        degraded=gateway.gear_unsupported or modules.told.degraded[GEAR],
        degraded_cmd_type=gateway.gear_unsupported,
    )
    report.write("person.", belt_open=modules.belt_open, door_open=modules.door_open)
    _write_auxiliaries(report, gateway)


def _write_subsystem(report: ReportWriter, gateway: DbwGateway, subsystem: Subsystem) -> None:
    step, streams, overrides, modules = gateway.steps, gateway.streams, gateway.overrides, gateway.modules
    fault, lost = modules.fault_of(subsystem), modules.lost(subsystem, step)
    bad_crc, bad_counter = streams.bad_frame(subsystem, step)
    active, latched = overrides.active(subsystem), overrides.latched(subsystem)
    report.write(
        _PREFIXES[subsystem],
        ready=not (active or latched or fault or lost),
        override_active=active,
        override_other=overrides.other(subsystem) or modules.lever(step),
        override_latched=latched,
        fault=fault,
        bad_crc=bad_crc,
        bad_counter=bad_counter,
        hardware_disable=subsystem in DRIVEN and modules.told.disabled[subsystem],
        degraded=streams.refused[subsystem] or streams.unsupported[subsystem] or modules.degraded_of(subsystem),
        degraded_cmd_type=streams.unsupported[subsystem],
        command_type=streams.type[subsystem],
        command_value=streams.value[subsystem],
        source=CmdSrc.ULC if subsystem in PEDALS and gateway.ulc_drives(subsystem, step) else CmdSrc.USER,
    )


def _write_auxiliaries(report: ReportWriter, gateway: DbwGateway) -> None:
    step = gateway.steps
    lamps = gateway.auxiliaries["turn_signal"]
    (signal,) = lamps.values(step)
    report.write("turn_signal.", command=signal, output=signal, timeout=lamps.timeout(step))
    drive, suspension, awd, rear, front = asked = gateway.auxiliaries["drive_mode_cmd"].values(step)
    report.write(
        "drive_mode.",
        drive_mode_command=drive,
        suspension_mode_command=suspension,
        awd_mode_command=awd,
        rear_diff_command=rear,
        front_diff_command=front,
        degraded_cmd_type=any(asked),
    )
