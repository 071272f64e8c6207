"""What each parameter of the vehicle may be; 0 is allowed where it has a meaning.

A number outside its range would divide by zero, turn an equation around, or describe nothing that exists.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from acres_ros.core.clock import STEP_S

MOST_OCCUPANTS = 6
LONGEST_TIMEOUT_S = 10.0


class Range(NamedTuple):
    """An interval of numbers.

    Attributes:
        low, high: its bounds.
        beyond: True where `low` itself is outside.
    """

    low: float = 0.0
    high: float = math.inf
    beyond: bool = False

    def holds(self, value: float) -> bool:
        """Tell whether a number is inside."""
        return (value > self.low if self.beyond else value >= self.low) and value <= self.high

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"a number of {self.high:g} or less"
        low = f"above {self.low:g}" if self.beyond else f"of {self.low:g} or more"
        return f"a number {low}" + (f" and at most {self.high:g}" if self.high < math.inf else "")


_POSITIVE = Range(beyond=True)
_NOT_NEGATIVE = Range()
_SHARE = Range(0.0, 1.0, beyond=True)

# Keys below a common prefix, which the empty one has not.
_KEYS: tuple[tuple[Range, str, str], ...] = (
    (Range(1.0, 1.0e5), "mass.", "kerb_kg roll_inertia pitch_inertia yaw_inertia"),
    (Range(0.0, 100.0, beyond=True), "mass.", "gravity"),
    (_NOT_NEGATIVE, "mass.", "occupant_kg angular_damping_per_s"),
    (Range(0.0, MOST_OCCUPANTS), "mass.", "occupants"),
    (_POSITIVE, "geometry.", "wheelbase_m mass_ahead_m mass_height_m half_track_m"),
    (_NOT_NEGATIVE, "geometry.", "body_front_m body_rear_m body_half_width_m body_below_m body_above_m"),
    (_POSITIVE, "suspension.", "front.rate rear.rate"),
    (_NOT_NEGATIVE, "suspension.front.", "damping static_load jounce_m droop_m"),
    (_NOT_NEGATIVE, "suspension.rear.", "damping static_load jounce_m droop_m"),
    (_NOT_NEGATIVE, "suspension.", "stop_rate"),
    (_POSITIVE, "tyre.", "radius_m rolling_factor rate spin_inertia lateral_factor cohesion_load minimum_speed"),
    (_POSITIVE, "tyre.", "spin_softness front_width_m rear_width_m"),
    (_NOT_NEGATIVE, "tyre.", "damping"),
    (_POSITIVE, "steering.", "ratio"),
    (Range(-math.inf), "steering.", "center_deg"),
    (_NOT_NEGATIVE, "steering.", "ackermann"),
    (_POSITIVE, "engine.", "inertia idle_rpm choke_rpm fuel_cut_band_rpm floor_rpm wot_step_rpm"),
    (_SHARE, "engine.", "indicated_efficiency"),
    (_NOT_NEGATIVE, "engine.", "friction_nm friction_nm_per_rpm full_pedal_air fuel_cut_rpm governor_per_rpm"),
    (_NOT_NEGATIVE, "engine.", "governor_limit air_lag_s wot_torque_nm"),
    (Range(0.0, 99.0), "engine.", "pedal_dead_band_pct"),
    (_NOT_NEGATIVE, "clutch.", "engage_rpm capacity"),
    (_POSITIVE, "clutch.", "slip_speed"),
    (_POSITIVE, "cvt.", "low_ratio high_ratio low_rpm high_rpm"),
    (_NOT_NEGATIVE, "cvt.", "lag_s"),
    (_SHARE, "", "cvt.efficiency gearbox.efficiency"),
    (_POSITIVE, "gearbox.", "low_ratio high_ratio reverse_ratio"),
    (_NOT_NEGATIVE, "awd.", "engage_spin engage_slip release_slip minimum_spin rest_s"),
    (_NOT_NEGATIVE, "brakes.", "front_nm_per_bar rear_nm_per_bar"),
    (Range(0.0, 100.0), "aero.", "air_density drag_area"),
    (_NOT_NEGATIVE, "bumper.", "rate damping friction"),
    (_POSITIVE, "bumper.", "slide_speed"),
    (Range(0.0, 1.0), "collision.", "stop"),
    (_NOT_NEGATIVE, "crop.", "work_j_per_m2"),
    (Range(STEP_S, LONGEST_TIMEOUT_S), "dbw.", "command_timeout_s"),
    (_NOT_NEGATIVE, "dbw.", "ulc_actuator_timeout_s"),
    (_POSITIVE, "dbw.", "speed_scale"),
    # A default limit of 0 is no limit, and a kinematic map of 0 is that of the vehicle (spec).
    (_NOT_NEGATIVE, "dbw.steering.", "default_rate_deg_s default_accel_deg_s2 delay_s tau_s"),
    (_NOT_NEGATIVE, "dbw.steering.", "kinematic_ratio kinematic_wheelbase_m"),
    (_POSITIVE, "dbw.steering.", "slew_deg_s lock_deg command_range_deg max_curvature_per_m max_yaw_rate_rad_s"),
    (_NOT_NEGATIVE, "dbw.throttle.", "delay_s default_rate_pct_s"),
    (_POSITIVE, "dbw.brake.", "max_bar apply_accel_bar_s2 slew_bar_s"),
    (_NOT_NEGATIVE, "dbw.brake.", "delay_s release_tau_s release_exponent"),
    (_NOT_NEGATIVE, "dbw.gear.", "shift_s max_speed_mps"),
    (_NOT_NEGATIVE, "dbw.ulc.", "default_accel_mps2 default_decel_mps2 default_jerk_throttle_mps3"),
    (_NOT_NEGATIVE, "dbw.ulc.", "default_jerk_brake_mps3 kp delay_s throttle_accel_pct throttle_speed_pct"),
    (_NOT_NEGATIVE, "dbw.ulc.", "throttle_integral_pct integral_limit_m launch_speed_mps stop_speed_mps"),
    (_NOT_NEGATIVE, "dbw.ulc.", "throttle_on_mps2"),
    (Range(-math.inf, 0.0), "dbw.ulc.", "brake_on_mps2"),
    (Range(0.0, 100.0), "dbw.ulc.", "throttle_offset_pct stop_brake_pct"),
    (_POSITIVE, "dbw.ulc.", "mass_kg"),
)

RANGES: dict[str, Range] = {prefix + name: span for span, prefix, names in _KEYS for name in names.split()}
"""The range of each parameter by its dotted key."""
