"""Parameters of the errors of INS, IMU and GNSS as the models take them, in SI units.

`acres_ros.core.navigation_settings` fills them from `config/sensors_polaris.json`, which has the units of the sheets.
"""

from acres_ros._record import Field, Record, part

NONE, SINGLE, SBAS, FLOAT, FIXED = range(5)
"""States of a GNSS position: no satellites, code only, code with corrections, RTK not resolved, RTK resolved."""

GRID = Record(
    "GRID",
    (
        Field("step", "ticks", 1, "a physics step; all three are whole numbers of the same tick", int),
        Field("period", "ticks", 1, "time between two samples", int),
        Field("tolerance", "ticks", 0, "how much before its due time a sample may be taken", int),
    ),
)
TRIAD = Record(
    "TRIAD",
    (
        Field("bias", "of the axis", 0.0, "standard deviation of the bias of a run"),
        Field("instability", "of the axis", 0.0, "standard deviation of the part of the bias that wanders"),
        Field("tau", "s", 1.0, "its correlation time"),
        Field("white", "of the axis", 0.0, "standard deviation of the white part of a sample"),
        Field("scale", "-", 0.0, "standard deviation of the scale factor error of a run"),
        Field("range", "of the axis", 0.0, "largest value that is measured; 0 is no limit"),
        Field("step", "of the axis", 0.0, "resolution; 0 is none"),
    ),
)
VIBRATION = Record(
    "VIBRATION",
    (
        Field("idle", "m/s^2", 0.0, "rms on each axis at a standstill, from the engine"),
        Field("moving", "m/s^2", 0.0, "rms of a slow drive off the road"),
        Field("per_speed", "1/s", 0.0, "more of it for each m/s"),
        Field("paved", "-", 0.0, "share of what driving adds that is left on asphalt and concrete"),
    ),
)
UNIT = Record(
    "UNIT",
    (
        part("gyro", TRIAD, "gyroscopes, rad/s"),
        part("accelerometer", TRIAD, "accelerometers, m/s^2"),
        part("vibration", VIBRATION, "what shakes the unit"),
    ),
)
MODE = Record(
    "MODE",
    (
        Field("horizontal", "m", 0.0, "standard deviation of the correlated error, east and north"),
        Field("up", "m", 0.0, "standard deviation of the correlated error, up"),
        Field("tau", "s", 1.0, "correlation time"),
        Field("horizontal_white", "m", 0.0, "standard deviation of the white part of a sample, east and north"),
        Field("up_white", "m", 0.0, "standard deviation of the white part of a sample, up"),
    ),
)
INS = Record(
    "INS",
    (
        part("grid", GRID, "when samples are taken"),
        part("mode", MODE, "position error in each state", 5),
        Field("speed_horizontal", "m/s", 0.0, "standard deviation of the correlated velocity error, east and north"),
        Field("speed_up", "m/s", 0.0, "standard deviation of the correlated velocity error, up"),
        Field("speed_tau", "s", 1.0, "its correlation time"),
        Field("speed_white", "m/s", 0.0, "standard deviation of the white part of a sample"),
        Field("tilt", "rad", 0.0, "standard deviation of the correlated error of roll and pitch"),
        Field("tilt_tau", "s", 1.0, "its correlation time"),
        Field("tilt_white", "rad", 0.0, "standard deviation of the white part of a sample"),
        Field("heading", "rad", 0.0, "standard deviation of the correlated error of the heading"),
        Field("heading_tau", "s", 1.0, "its correlation time"),
        Field("heading_white", "rad", 0.0, "standard deviation of the white part of a sample"),
        Field("mounting", "rad", 0.0, "standard deviation of the heading error of the installation, one for a run"),
        Field("lever_arm", "m", 0.0, "standard deviation of the error of the lever arm on each axis, one for a run"),
        Field("walk", "m/s^1.5", 0.0, "random walk of the velocity error without satellites, for the root of a second"),
        Field("bias_left", "-", 0.0, "share of the bias that is left in the corrected rate and force"),
        part("unit", UNIT, "the inertial unit"),
    ),
)
RECEIVER = Record(
    "RECEIVER",
    (
        part("grid", GRID, "when samples are taken"),
        part("mode", MODE, "position error"),
    ),
)
VEHICLE_IMU = Record(
    "VEHICLE_IMU",
    (
        part("grid", GRID, "when samples are taken"),
        part("unit", UNIT, "the inertial unit"),
    ),
)
NAVIGATION_PARAMETERS = Record(
    "NAVIGATION_PARAMETERS",
    (
        part("ins", INS, "the INS and its receiver"),
        part("vehicle_imu", VEHICLE_IMU, "the vehicle's own inertial unit"),
        part("vehicle_gnss", RECEIVER, "the vehicle's own receiver"),
    ),
)
