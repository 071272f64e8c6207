"""What the errors of INS, IMU and GNSS remember, and what of them leaves with the sample of a step.

A Gauss-Markov state is kept at a standard deviation of one: what it stands for is that times the sigma of the moment,
so a change of the fix moves sigma and correlation time exactly. Frames: east, north, up; body forward, left, up.
"""

from acres_ros._record import Field, Record, part
from acres_ros.models.navigation_parameters import FIXED, SINGLE

AXES = 3

CLOCK = Record(
    "CLOCK",
    (
        Field("due", "ticks", 0, "when the next sample is due", int),
        Field("last", "-", 0, "step of the last sample, from the reset on", int),
    ),
)
UNIT_STATE = Record(
    "UNIT_STATE",
    (
        Field("rate_bias", "rad/s", 0.0, "bias of the run", count=AXES),
        Field("force_bias", "m/s^2", 0.0, "bias of the run", count=AXES),
        Field("rate_wander", "-", 0.0, "Gauss-Markov state", count=AXES),
        Field("force_wander", "-", 0.0, "Gauss-Markov state", count=AXES),
        Field("shake", "-", 0.0, "vibration of the last sample over its rms", count=AXES),
    ),
)
INS_STATE = Record(
    "INS_STATE",
    (
        part("clock", CLOCK, "when samples are taken"),
        Field("fix", "-", FIXED, "state that the receiver has now", int),
        Field("jump", "m", 0.0, "offset that was asked for: east, north, up", count=AXES),
        Field("mounting", "rad", 0.0, "heading error of the installation"),
        Field("position", "-", 0.0, "Gauss-Markov states: east, north, up", count=AXES),
        Field("velocity", "-", 0.0, "Gauss-Markov states: east, north, up", count=AXES),
        Field("attitude", "-", 0.0, "Gauss-Markov states: roll, pitch, heading", count=AXES),
        Field("drift", "m", 0.0, "position error of the dead reckoning", count=AXES),
        Field("drift_rate", "m/s", 0.0, "velocity error of the dead reckoning", count=AXES),
        Field("drift_variance", "m^2", 0.0, "variance of its position error", count=AXES),
        Field("drift_covariance", "m^2/s", 0.0, "covariance of its position and velocity errors", count=AXES),
        Field("rate_variance", "m^2/s^2", 0.0, "variance of its velocity error", count=AXES),
        part("unit", UNIT_STATE, "the inertial unit"),
    ),
)
NAVIGATION_STATE = Record(
    "NAVIGATION_STATE",
    (
        Field("step", "-", 0, "steps since the reset", int),
        part("ins", INS_STATE, "the INS and its receiver"),
        part("imu_clock", CLOCK, "when the vehicle's own unit is sampled"),
        part("imu", UNIT_STATE, "the vehicle's own inertial unit"),
        part("gnss_clock", CLOCK, "when the vehicle's own receiver is sampled"),
        Field("gnss_position", "-", 0.0, "Gauss-Markov states: east, north, up", count=AXES),
    ),
)

UNIT_ERRORS = Record(
    "UNIT_ERRORS",
    (
        Field("rate", "rad/s", 0.0, "error of the raw angular rate, in the unit's frame", count=AXES),
        Field("force", "m/s^2", 0.0, "error of the raw specific force, vibration included", count=AXES),
        Field("rate_scale", "-", 0.0, "scale factor error of the gyroscopes", count=AXES),
        Field("force_scale", "-", 0.0, "scale factor error of the accelerometers", count=AXES),
        Field("shaking", "m/s^2", 0.0, "rms of the vibration"),
    ),
)
INS_ERRORS = Record(
    "INS_ERRORS",
    (
        Field("fix", "-", FIXED, "0 none, 1 single, 2 SBAS, 3 RTK float, 4 RTK fixed", int),
        Field("position", "m", 0.0, "error at the antenna: east, north, up", count=AXES),
        Field("velocity", "m/s", 0.0, "error: east, north, up", count=AXES),
        Field("attitude", "rad", 0.0, "error of roll, pitch and heading, with that of the installation", count=AXES),
        Field("rate", "rad/s", 0.0, "error of the corrected angular rate, in the unit's frame", count=AXES),
        Field("force", "m/s^2", 0.0, "error of the corrected specific force, in the unit's frame", count=AXES),
        Field("lever_arm", "m", 0.0, "error of the lever arm to the antenna, body", count=AXES),
        Field("position_variance", "m^2", 0.0, "variance of the position error", count=AXES),
        Field("velocity_variance", "m^2/s^2", 0.0, "variance of the velocity error", count=AXES),
        part("raw", UNIT_ERRORS, "errors of the inertial unit"),
    ),
)
GNSS_ERRORS = Record(
    "GNSS_ERRORS",
    (
        Field("fix", "-", SINGLE, "0 none, 1 single", int),
        Field("position", "m", 0.0, "error: east, north, up", count=AXES),
    ),
)
NAVIGATION = Record(
    "NAVIGATION",
    (
        part("ins", INS_ERRORS, "errors of the last sample of the INS"),
        part("vehicle_imu", UNIT_ERRORS, "errors of the last sample of the vehicle's own inertial unit"),
        part("vehicle_gnss", GNSS_ERRORS, "errors of the last sample of the vehicle's own receiver"),
    ),
)
