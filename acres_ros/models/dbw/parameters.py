"""Parameters of the drive-by-wire under the keys of the spec (Drive-by-Wire and ULC, section Parameters).

A few values are fits to recorded logs of the real vehicle; the spec gives their standard errors.
"""

from acres_ros._record import Field, Record, part

STEERING_PARAMETERS = Record(
    "steering",
    (
        Field("default_rate_deg_s", "deg/s", 100.0, "rate limit of the reference for a command that leaves it at 0"),
        Field("default_accel_deg_s2", "deg/s^2", 500.0, "acceleration limit of it for a command that leaves it at 0"),
        Field("delay_s", "s", 0.0205, "transport delay between the reference and the servo"),
        Field("tau_s", "s", 0.1323, "time constant of the servo"),
        Field("slew_deg_s", "deg/s", 500.0, "fastest turn of the column motor"),
        Field("lock_deg", "deg", 487.0, "end stop of the steering wheel, to each side"),
        Field("command_range_deg", "deg", 280.0, "largest angle of an angle command; 100 % of a percent command"),
        Field("max_curvature_per_m", "1/m", 0.2, "largest curvature of a curvature command"),
        Field("max_yaw_rate_rad_s", "rad/s", 8.5, "largest yaw rate of a yaw rate command"),
        Field("kinematic_ratio", "-", 0.0, "steering ratio of the curvature map; 0 takes `steering.ratio`"),
        Field("kinematic_wheelbase_m", "m", 0.0, "wheelbase of the curvature map; 0 takes `geometry.wheelbase_m`"),
    ),
)

THROTTLE_PARAMETERS = Record(
    "throttle",
    (
        Field("delay_s", "s", 0.0, "delay of the pedal emulation"),
        Field("default_rate_pct_s", "%/s", 0.0, "rate limit of the pedal for a command that leaves it at 0; 0: none"),
    ),
)

BRAKE_PARAMETERS = Record(
    "brake",
    (
        Field("max_bar", "bar", 80.0, "line pressure at 100 %"),
        Field("delay_s", "s", 0.0333, "delay between the pressure command and the actuator"),
        Field("apply_accel_bar_s2", "bar/s^2", 690.2405, "acceleration limit while the pressure rises"),
        Field("slew_bar_s", "bar/s", 200.0, "rate limit while the pressure rises"),
        Field("release_tau_s", "s", 0.0415, "time constant of the release at 10 bar"),
        Field("release_exponent", "-", 0.695, "how steeply the release slows down below 10 bar"),
    ),
)

GEAR_PARAMETERS = Record(
    "gear",
    (
        Field("shift_s", "s", 1.0, "time in neutral during a gear change"),
        Field("max_speed_mps", "m/s", 0.3, "fastest wheel speed at which a gear change may start"),
    ),
)

ULC_PARAMETERS = Record(
    "ulc",
    (
        Field("default_accel_mps2", "m/s^2", 1.2, "acceleration limit for a command that leaves it at 0"),
        Field("default_decel_mps2", "m/s^2", 1.5, "deceleration limit for a command that leaves it at 0"),
        Field("default_jerk_throttle_mps3", "m/s^3", 1.0, "upward jerk limit for a command that leaves it at 0"),
        Field("default_jerk_brake_mps3", "m/s^3", 1.0, "downward jerk limit for a command that leaves it at 0"),
        Field("kp", "1/s", 1.0, "acceleration demand per speed error, K_p"),
        Field("delay_s", "s", 0.03, "delay of both pedal requests, d_u"),
        Field("throttle_offset_pct", "%", 13.2426, "pedal at zero demand, q_0"),
        Field("throttle_accel_pct", "%/(m/s^2)", 0.7056, "pedal per acceleration reference, g_a"),
        Field("throttle_speed_pct", "%/(m/s)", 27.2515, "pedal per speed error, g_v"),
        Field("throttle_integral_pct", "%/m", 5.8321, "pedal per integral of the speed error, g_i"),
        Field("integral_limit_m", "m", 5.0, "bound of the integral to both sides, I_max"),
        Field("launch_speed_mps", "m/s", 0.5, "speed at which the speed error acts in full, v_l"),
        Field("throttle_on_mps2", "m/s^2", 0.35, "demand above which the throttle takes over"),
        Field("brake_on_mps2", "m/s^2", -0.3, "demand below which the brake takes over"),
        Field("mass_kg", "kg", 1250.0, "mass that the brake law assumes, m_u"),
        Field("stop_brake_pct", "%", 20.0, "brake of the stop hold, of the full-scale pressure"),
        Field("stop_speed_mps", "m/s", 0.1, "speed below which the vehicle counts as standing, v_stop"),
    ),
)

DBW_PARAMETERS = Record(
    "dbw",
    (
        Field("command_timeout_s", "s", 0.1, "age above which a message no longer controls its subsystem, T_out"),
        Field("ulc_actuator_timeout_s", "s", 0.087, "time for which the pedals keep the last output of a lost ULC"),
        Field("speed_scale", "-", 0.9304, "reported wheel speed over spin times unloaded tyre radius, kappa_v"),
        part("steering", STEERING_PARAMETERS, "steering actuator"),
        part("throttle", THROTTLE_PARAMETERS, "pedal emulation"),
        part("brake", BRAKE_PARAMETERS, "brake pressure"),
        part("gear", GEAR_PARAMETERS, "gear actuator"),
        part("ulc", ULC_PARAMETERS, "speed control"),
    ),
)
