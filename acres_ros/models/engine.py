"""Engine: air from the pedal, torque from air and speed, fuel from the indicated work.

The fuel follows a line of constant indicated efficiency (Willans line); what the intake can swallow bends the load as
x / sqrt(1 + x^2), x being the air charge times the choke speed over the engine speed.
"""

from acres_ros._compile import kernel
from acres_ros.models.maths import PI, clamp, lag, sqrt
from acres_ros.models.parameters import WOT_POINTS

RPM = 30.0 / PI
LOWEST_RPM = 300.0  # below it the load curve is held


@kernel
def wot_torque(p, rpm):
    """Return the brake torque (N m) at full load."""
    place = clamp(rpm / p.engine.wot_step_rpm, 0.0, WOT_POINTS - 1.0)
    index = max(0, min(int(place), WOT_POINTS - 2))  # what is not a number is no index
    low = p.engine.wot_torque_nm[index]
    return low + (place - index) * (p.engine.wot_torque_nm[index + 1] - low)


@kernel
def engine_torque(p, air, speed):
    """Return brake torque and indicated torque (N m) at an air charge and an engine speed (rad/s)."""
    rpm = speed * RPM
    friction = p.engine.friction_nm + p.engine.friction_nm_per_rpm * rpm
    x = air * p.engine.choke_rpm / max(rpm, LOWEST_RPM)
    indicated = x / sqrt(1.0 + x * x) * (wot_torque(p, rpm) + friction)
    return indicated - friction, indicated


@kernel
def idle_air(p):
    """Return the air charge at which the engine idles without load."""
    rpm = p.engine.idle_rpm
    friction = p.engine.friction_nm + p.engine.friction_nm_per_rpm * rpm
    load = friction / (wot_torque(p, rpm) + friction)
    return load / sqrt(1.0 - load * load) * rpm / p.engine.choke_rpm


@kernel
def step_air(h, p, pedal_pct, engine):
    """Advance the air charge by one step.

    Args:
        h: step, s.
        p: PARAMETERS record.
        pedal_pct: emulated pedal, %.
        engine: POWERTRAIN record, changed in place.
    """
    dead_band = p.engine.pedal_dead_band_pct
    opening = clamp((pedal_pct - dead_band) / (100.0 - dead_band), 0.0, 1.0)
    rpm = engine.engine_speed * RPM
    idle = idle_air(p)
    bypass = idle
    if opening <= 0.0:
        bypass *= clamp(
            (p.engine.idle_rpm + p.engine.fuel_cut_rpm - rpm) / p.engine.fuel_cut_band_rpm,
            0.0,
            1.0,
        )
    square = opening * opening
    target = bypass + (1.0 - idle) * opening + p.engine.full_pedal_air * square * square * opening
    if rpm < p.engine.idle_rpm + 300.0:
        target += clamp(
            p.engine.governor_per_rpm * (p.engine.idle_rpm - rpm),
            -0.3 * idle,
            p.engine.governor_limit,
        )
    engine.air = max(0.0, lag(engine.air, target, p.engine.air_lag_s, h))
