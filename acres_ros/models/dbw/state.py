"""State and outputs of the drive-by-wire (FDbwState). Spec: Drive-by-Wire and ULC, section Symbols."""

from acres_ros._record import Field, Record, part

DELAY_LENGTH = 64

DELAY_LINE = Record(
    "DELAY_LINE",
    (
        Field("value", "per use", 0.0, "ring of the stored values, one each step", float, DELAY_LENGTH),
        Field("head", "-", 0, "index of the newest value", int),
    ),
)

_WATCH = (
    Field("age", "s", 1.0e9, "age of the last message, a_i"),
    Field("in_control", "-", 0, "1 while the drive-by-wire controls the subsystem", int),
    Field("timeout", "-", 0, "1 while the age is above the time-out and below 1 s", int),
    Field("type", "-", 0, "cmd_type that acts, 0 when none does", int),
)

STEERING_STATE = Record(
    "STEERING_STATE",
    (
        *_WATCH,
        Field("reference_deg", "deg", 0.0, "steering reference theta_r"),
        Field("reference_rate_deg", "deg/s", 0.0, "rate of the reference"),
        Field("angle_deg", "deg", 0.0, "steering wheel angle theta_sw, positive left"),
        part("delay", DELAY_LINE, "transport delay of the servo, on the reference"),
    ),
)

THROTTLE_STATE = Record(
    "THROTTLE_STATE",
    (
        *_WATCH,
        Field("input_pct", "%", 0.0, "pedal of the driver"),
        Field("command_pct", "%", 0.0, "command after the rate limits, q_c"),
        Field("output_pct", "%", 0.0, "emulated pedal q"),
        part("delay", DELAY_LINE, "delay of the pedal emulation, on q_c"),
    ),
)

BRAKE_STATE = Record(
    "BRAKE_STATE",
    (
        *_WATCH,
        Field("input_bar", "bar", 0.0, "pressure of the driver"),
        Field("command_bar", "bar", 0.0, "pressure command P_c"),
        Field("line_bar", "bar", 0.0, "line pressure P"),
        Field("line_rate_bar", "bar/s", 0.0, "rate of the line pressure while it rises"),
        Field("output_bar", "bar", 0.0, "pressure at the wheels and in the report"),
        part("delay", DELAY_LINE, "delay of the brake actuator, on P_c"),
    ),
)

ULC_STATE = Record(
    "ULC_STATE",
    (
        *_WATCH,
        Field("preempted", "-", 0, "1 while a user throttle or brake command keeps it from control", int),
        Field("hold", "s", 0.0, "time left in which the pedals keep the last output; below 0 when it is over"),
        Field("speed_reference", "m/s", 0.0, "v_ref, negative in reverse"),
        Field("acceleration_reference", "m/s^2", 0.0, "a_ref, along the gear direction"),
        Field("error", "m/s", 0.0, "speed error e along the gear direction"),
        Field("demand", "m/s^2", 0.0, "acceleration demand a_d"),
        Field("integral", "m", 0.0, "integral of the error, I_e"),
        Field("pedal", "-", 0, "selected pedal: 0 none, 1 throttle, 2 brake", int),
        Field("stop_hold", "-", 0, "1 while the stop hold is active", int),
        Field("throttle_pct", "%", 0.0, "pedal request q_ulc"),
        Field("brake_bar", "bar", 0.0, "pressure request P_ulc"),
        Field("coast_deceleration", "-", 0, "coast_decel of the acting command", int),
        part("throttle_delay", DELAY_LINE, "output delay d_u of the pedal request"),
        part("brake_delay", DELAY_LINE, "output delay d_u of the pressure request"),
    ),
)

GEAR_STATE = Record(
    "GEAR_STATE",
    (
        Field("engaged", "-", 1, "engaged gear: 1 P, 2 R, 3 N, 4 H, 5 L; 3 during a change", int),
        Field("selected", "-", 1, "gear of the last accepted change", int),
        Field("command", "-", 0, "gear command that acts, 0 none", int),
        Field("driver", "-", 1, "gear lever of the driver", int),
        Field("shift_left", "s", 0.0, "time left of a change, 0 when none is in progress"),
        Field("refused", "-", 0, "1 while a wanted gear waits for a low speed", int),
    ),
)

DBW = Record(
    "DBW",
    (
        part("steering", STEERING_STATE, "steering actuator"),
        part("throttle", THROTTLE_STATE, "pedal emulation"),
        part("brake", BRAKE_STATE, "brake pressure"),
        part("ulc", ULC_STATE, "speed control"),
        part("gear", GEAR_STATE, "gear actuator"),
        Field("system_enable", "-", 0, "1 while the system is enabled", int),
        Field("age_step", "s", 0.0, "option: what a step adds to the ages of messages; 0 takes the step itself"),
        Field("wheel_speed", "m/s", 0.0, "v_w: scaled wheel speed of four wheels, negative in reverse"),
        Field("wheel_speed_rear", "m/s", 0.0, "the same of the two rear wheels"),
        Field("wheel_acceleration", "m/s^2", 0.0, "derivative of v_w after a lag of 0.1 s"),
    ),
)
