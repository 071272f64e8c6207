"""What one physics step asks of the drive-by-wire (FDbwCommand): messages, driver, hardware shifts, and faults.

Command types, units and ranges: spec, Drive-by-Wire and ULC, section Command Types. All values are finite; the door
(`acres_ros.core`) lets nothing else in.
"""

from acres_ros._record import Field, Record, part

PEDAL_COMMAND = Record(
    "PEDAL_COMMAND",
    (
        Field("fresh", "-", 0, "1 in the step at which a message of this subsystem arrives", int),
        Field("enable", "-", 0, "enable flag of the message", int),
        Field("type", "-", 0, "cmd_type of the message, 0: no command", int),
        Field("value", "per type", 0.0, "cmd of the message"),
        Field("rate_increase", "value/s", 0.0, "rate_inc; 0 default, inf no limit"),
        Field("rate_decrease", "value/s", 0.0, "rate_dec; 0 default, inf no limit"),
    ),
)

STEERING_COMMAND = Record(
    "STEERING_COMMAND",
    (
        Field("fresh", "-", 0, "1 in the step at which a message of this subsystem arrives", int),
        Field("enable", "-", 0, "enable flag of the message", int),
        Field("type", "-", 0, "cmd_type: 2 angle, 3 curvature, 4 yaw rate, 14 percent, 0 no command", int),
        Field("value", "deg, 1/m, rad/s or %", 0.0, "cmd of the message, positive left"),
        Field("rate_deg", "deg/s", 0.0, "cmd_rate; 0 default, inf no limit"),
        Field("acceleration_deg", "deg/s^2", 0.0, "cmd_accel; 0 default, inf no limit"),
    ),
)

ULC_COMMAND = Record(
    "ULC_COMMAND",
    (
        Field("fresh", "-", 0, "1 in the step at which a message of this subsystem arrives", int),
        Field("enable", "-", 0, "enable flag of the message", int),
        Field("type", "-", 0, "cmd_type: 1 velocity, 2 acceleration, 0 no command", int),
        Field("value", "m/s or m/s^2", 0.0, "cmd of the message"),
        Field("limit_acceleration", "m/s^2", 0.0, "limit_accel; 0 default, inf no limit"),
        Field("limit_deceleration", "m/s^2", 0.0, "limit_decel, a positive number; 0 default, inf no limit"),
        Field("limit_jerk_throttle", "m/s^3", 0.0, "limit_jerk_throttle; 0 default, inf no limit"),
        Field("limit_jerk_brake", "m/s^3", 0.0, "limit_jerk_brake; 0 default, inf no limit"),
        Field("coast_deceleration", "-", 0, "coast_decel: no brake below the threshold", int),
    ),
)

DRIVER_COMMAND = Record(
    "DRIVER_COMMAND",
    (
        Field("steering_active", "-", 0, "1: the driver holds the wheel at steering_wheel_angle_deg", int),
        Field("steering_wheel_angle_deg", "deg", 0.0, "where the driver holds the wheel, positive left"),
        Field("throttle_pct", "%", 0.0, "pedal of the driver"),
        Field("brake_bar", "bar", 0.0, "line pressure of the driver's foot"),
        Field("gear", "-", 1, "gear lever: 1 P, 2 R, 3 N, 4 H, 5 L", int),
    ),
)

SHIFTS = Record(
    "SHIFTS",
    (
        Field("steering_offset_deg", "deg", 0.0, "subtracted from the steering centre"),
        Field("ulc_speed_bias", "m/s", 0.0, "added to the speed that the ULC measures"),
        Field("throttle_bias_pct", "%", 0.0, "added to the pedal by the pedal emulation"),
        Field("brake_bias_bar", "bar", 0.0, "added to the line pressure at the wheels and in the report"),
    ),
)

NO_LIMIT = 1.0e9
"""A rate without effect; a finite number, because an infinite one times a zero error is no number."""

FAULTS = Record(
    "FAULTS",
    (
        Field("steering_rate_deg", "deg/s", NO_LIMIT, "largest rate of the steering motor; 0: it stands still"),
        Field("throttle_rate_pct", "%/s", NO_LIMIT, "largest rate of the emulated pedal; 0: it stands still"),
        Field("throttle_share", "-", 1.0, "share of the pedal command that the emulation gives"),
        Field("brake_rate_bar", "bar/s", NO_LIMIT, "largest rate of the brake actuator; 0: it stands still"),
        Field("brake_share", "-", 1.0, "share of the pressure command that the actuator gives"),
        Field("gear_stuck", "-", 0, "1: the gear actuator stands still, also in the middle of a change", int),
        Field("gear_delay", "s", 0.0, "time that a gear change takes longer"),
    ),
)

COMMAND = Record(
    "COMMAND",
    (
        Field("system_enable", "-", 0, "1 while the drive-by-wire system is enabled", int),
        Field("drive_mode", "-", 2, "AWD switch: 0 turf, 1 2wd, 2 awd", int),
        Field("gear", "-", 0, "gear command: 0 none, 1 P, 2 R, 3 N, 4 H, 5 L", int),
        part("steering", STEERING_COMMAND, "last steering message"),
        part("throttle", PEDAL_COMMAND, "last throttle message: 14 percent, 13 raw pedal"),
        part("brake", PEDAL_COMMAND, "last brake message: 14 percent, 1 pressure"),
        part("ulc", ULC_COMMAND, "last ULC message"),
        part("driver", DRIVER_COMMAND, "the person in the seat"),
        part("shift", SHIFTS, "hardware shifts of this session"),
        part("fault", FAULTS, "faults of the actuators, none by default"),
    ),
)
