"""The record of what the sensors of position and motion tell of one step, in the order of their messages."""

from acres_ros._record import Field, Record, part


def _row(names: str, unit: str, description: str) -> tuple[Field, ...]:
    return tuple(Field(name, unit, 0.0, description) for name in names.split())


_PLACE = _row("x y z", "m", "position in the world")
_ATTITUDE = _row("qx qy qz qw", "-", "orientation quaternion in the world")
_VELOCITY = _row("vx vy vz", "m/s", "velocity in the frame of the place")
_RATE = _row("wx wy wz", "rad/s", "angular velocity")
_FORCE = _row("fx fy fz", "m/s^2", "specific force")

MEASURED = Record(
    "MEASURED",
    (
        part("pose", Record("POSE", _PLACE + _ATTITUDE), "base_link by the INS"),
        Field("pose_covariance", "m^2, rad^2", 0.0, "x, y, z, roll, pitch, yaw; row by row", count=36),
        part("twist", Record("TWIST", _VELOCITY + _RATE), "base_link by the INS, in its own estimate of the frame"),
        Field("twist_covariance", "m^2/s^2, rad^2/s^2", 0.0, "velocity, angular velocity; row by row", count=36),
        part("imu", Record("CORRECTED", _ATTITUDE + _RATE + _FORCE), "unit of the INS, corrected"),
        Field("attitude_covariance", "rad^2", 0.0, "roll, pitch, yaw; row by row", count=9),
        Field("rate_covariance", "rad^2/s^2", 0.0, "of the corrected rate, row by row", count=9),
        Field("force_covariance", "m^2/s^4", 0.0, "of the corrected force, row by row", count=9),
        part("raw", Record("RAW", _RATE + _FORCE), "unit of the INS, raw"),
        Field("raw_rate_covariance", "rad^2/s^2", 0.0, "row by row", count=9),
        Field("raw_force_covariance", "m^2/s^4", 0.0, "row by row", count=9),
        part("vehicle_imu", Record("RAW", _RATE + _FORCE), "unit of the vehicle"),
        part("fix", Record("POINT", _PLACE), "antenna of the INS"),
        Field("fix_covariance", "m^2", 0.0, "east, north, up; row by row", count=9),
        part("vehicle_fix", Record("POINT", _PLACE), "antenna of the vehicle"),
    ),
)
