"""Steering, throttle and brake reports (`steering/report`, `throttle/report`, `brake/report`).

Values: spec, Drive-by-Wire and ULC, section Reports. Field rules: Dataspeed `ds_dbw_can` 2.3.11, where a field that
does not belong to the reported `cmd_type` is NaN and what only the 5 Hz diagnostic frame carries is NaN without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ds_dbw_msgs.msg import BrakeReport, SteeringReport, ThrottleReport

from acres_ros.core.messages import BrakeType, SteeringType, ThrottleType
from acres_ros.models.dbw.throttle import RAW_PEDAL_FLOORED, RAW_PEDAL_RELEASED
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import NAN, Context, Source

_RATE_TOLERANCE = 1.0e-9
_FLAGS = (
    *("ready", "enabled", "override_active", "override_other", "override_latched", "timeout", "fault"),
    *("bad_crc", "bad_rc", "degraded", "hardware_disable"),
)


def _flags(name: str) -> Callable[[SampleView], tuple[Any, ...]]:
    """Return the function that gives `_FLAGS` of a subsystem, then `cmd_src`."""
    fields = (
        *("ready", "override_active", "override_other", "override_latched", "fault", "bad_crc", "bad_counter"),
        *("degraded", "hardware_disable", "source"),
    )
    read = attrgetter(*(f"{name}_{field}" for field in fields))
    state = attrgetter(name)

    def flags(view: SampleView) -> tuple[Any, ...]:
        ready, active, other, latched, *rest = read(view.gateway)
        actuator = state(view)
        return ready, actuator.in_control, active, other, latched, actuator.timeout, *rest

    return flags


def steering_report(context: Context) -> Source:
    """Return `steering/report`; every accepted type is reported as an angle, its `cmd` is the reference in degrees."""
    servo = context.parameters[0].dbw.steering
    ranges = {
        int(SteeringType.ANGLE): float(servo.command_range_deg),
        int(SteeringType.PERCENT): 100.0,
        int(SteeringType.CURVATURE): float(servo.max_curvature_per_m),
        int(SteeringType.YAW_RATE): float(servo.max_yaw_rate_rad_s),
    }
    angle = int(SteeringType.ANGLE)
    by_type = context.nan_by_type
    template = SteeringReport(
        steering_column_torque=NAN,
        actuator_temp=NAN,
        limit_rate=servo.slew_deg_s,
        limit_value=servo.command_range_deg,
    )
    flags = _flags("steering")

    def values(view: SampleView) -> tuple[Any, ...]:
        steering, gateway = view.steering, view.gateway
        acts = steering.type != 0
        limited = acts and abs(gateway.steering_command_value) > ranges.get(gateway.steering_command_type, math.inf)
        return (
            steering.angle_deg,
            steering.reference_deg if acts or not by_type else NAN,
            angle if acts else 0,
            limited,
            acts and steering.reference_rate_deg != 0.0,
            *flags(view),
        )

    varying = ("steering_wheel_angle", "cmd", "cmd_type", "limiting_value", "limiting_rate")
    return Source(
        "steering/report",
        template,
        (*varying, *_FLAGS, "cmd_src"),
        values,
        resolution={"steering_wheel_angle": 0.1, "cmd": 0.1},
    )


def throttle_report(context: Context) -> Source:
    """Return `throttle/report`; while the ULC drives the pedal the type is 14."""
    by_type = context.nan_by_type
    flags = _flags("throttle")

    def values(view: SampleView) -> tuple[Any, ...]:
        throttle, gateway = view.throttle, view.gateway
        kind, command = throttle.type, throttle.command_pct
        percents = _BLANK
        if kind != 0 or not by_type:
            percents = (throttle.input_pct, command, throttle.output_pct)
        limited = slow = False
        if kind != 0 and gateway.throttle_source == 0:
            wanted = _pedal_wanted(gateway.throttle_command_type, gateway.throttle_command_value)
            limited = not 0.0 <= wanted <= 100.0
            slow = abs(min(max(wanted, 0.0), 100.0) - command) > _RATE_TOLERANCE
        return (kind, *percents, limited, slow, *flags(view))

    percents = ("percent_input", "percent_cmd", "percent_output")
    return Source(
        "throttle/report",
        ThrottleReport(limit_value=100.0),
        ("cmd_type", *percents, "limiting_value", "limiting_rate", *_FLAGS, "cmd_src"),
        values,
        resolution=dict.fromkeys(percents, 0.025),
    )


def brake_report(context: Context) -> Source:
    """Return `brake/report`; while the ULC drives the brake the type is 1, pressure."""
    full = float(context.parameters[0].dbw.brake.max_bar)
    percent = 100.0 / full
    in_bar, in_percent = int(BrakeType.PRESSURE), int(BrakeType.PERCENT)
    by_type = context.nan_by_type
    flags = _flags("brake")

    def values(view: SampleView) -> tuple[Any, ...]:
        brake, gateway = view.brake, view.gateway
        kind, driver, command, output = brake.type, brake.input_bar, brake.command_bar, brake.output_bar
        bars = percents = _BLANK
        if kind == in_bar or not by_type:
            bars = (driver, command, output)
        if kind == in_percent or not by_type:
            percents = (driver * percent, command * percent, output * percent)
        limited = slow = False
        if kind != 0 and gateway.brake_source == 0:
            unit = full / 100.0 if gateway.brake_command_type == in_percent else 1.0
            wanted = gateway.brake_command_value * unit
            limited = not 0.0 <= wanted <= full
            slow = abs(min(max(wanted, driver, 0.0), full) - command) > _RATE_TOLERANCE
        return (kind, *bars, *percents, limited, slow, *flags(view))

    pressures = ("pressure_input", "pressure_cmd", "pressure_output")
    fractions = ("percent_input", "percent_cmd", "percent_output")
    template = BrakeReport(limit_value=NAN, brake_available_duration=math.inf, brake_available_full=True)
    for field in ("torque_input", "torque_cmd", "torque_output", "accel_cmd", "accel_output"):
        setattr(template, field, NAN)
    return Source(
        "brake/report",
        template,
        ("cmd_type", *pressures, *fractions, "limiting_value", "limiting_rate", *_FLAGS, "cmd_src"),
        values,
        resolution=dict.fromkeys(pressures, 0.05) | dict.fromkeys(fractions, 0.025),
    )


_BLANK = (NAN, NAN, NAN)


def _pedal_wanted(kind: int, value: float) -> float:
    """Return the pedal in % that a throttle command asks for; the raw type has the sensor's range (spec)."""
    if kind == ThrottleType.PEDAL_RAW:
        return (value - RAW_PEDAL_RELEASED) / (RAW_PEDAL_FLOORED - RAW_PEDAL_RELEASED) * 100.0
    return value
