"""Belt transmission: ratio, clutch capacity."""

from acres_ros._compile import kernel
from acres_ros.models.engine import RPM
from acres_ros.models.maths import clamp, lag


@kernel
def cvt_target(p, pedal_pct, secondary_speed):
    """Return the belt ratio that holds the engine speed of a pedal at a secondary speed (rad/s, without sign)."""
    share = clamp(pedal_pct / 100.0, 0.0, 1.0)
    engine_speed = (p.cvt.low_rpm + (p.cvt.high_rpm - p.cvt.low_rpm) * share * share) / RPM
    return clamp(engine_speed / max(1.0, secondary_speed), p.cvt.high_ratio, p.cvt.low_ratio)


@kernel
def step_cvt(h, p, pedal_pct, secondary_speed, powertrain):
    """Advance the belt ratio by one step, an exact lag."""
    target = cvt_target(p, pedal_pct, secondary_speed)
    powertrain.cvt_ratio = lag(powertrain.cvt_ratio, target, p.cvt.lag_s, h)


@kernel
def clutch_capacity(p, engine_speed):
    """Return the torque (N m) that the centrifugal clutch can carry at an engine speed (rad/s)."""
    engage = p.clutch.engage_rpm / RPM
    return p.clutch.capacity * max(0.0, engine_speed * engine_speed - engage * engage)
