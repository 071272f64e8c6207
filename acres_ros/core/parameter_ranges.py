"""What each parameter of the vehicle may be: what such a vehicle can be, and far beyond; 0 where it has a meaning.

A number outside its range would divide by zero, turn an equation around, be more than the steps of 1/120 s can follow,
or describe nothing that exists.
"""

from __future__ import annotations

from typing import NamedTuple

from acres_ros.core.clock import STEP_S

MOST_OCCUPANTS = 6
LONGEST_TIMEOUT_S = 10.0


class Range(NamedTuple):
    """A closed interval of numbers.

    Attributes:
        low, high: its bounds.
    """

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Tell whether a number is inside."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"a number of {self.low:g} to {self.high:g}"


# Keys below a common prefix, which the empty one has not.
_KEYS: tuple[tuple[Range, str, str], ...] = (
    (Range(50.0, 2.0e4), "mass.", "kerb_kg roll_inertia pitch_inertia yaw_inertia"),
    (Range(0.1, 30.0), "mass.", "gravity"),
    (Range(0.0, 300.0), "mass.", "occupant_kg"),
    (Range(0.0, 10.0), "mass.", "angular_damping_per_s"),
    (Range(0.0, MOST_OCCUPANTS), "mass.", "occupants"),
    (Range(0.5, 10.0), "geometry.", "wheelbase_m"),
    (Range(0.05, 5.0), "geometry.", "mass_ahead_m mass_height_m half_track_m"),
    (Range(0.0, 10.0), "geometry.", "body_front_m body_rear_m body_half_width_m body_below_m body_above_m"),
    (Range(1.0e3, 3.0e5), "suspension.", "front.rate rear.rate"),
    (Range(0.0, 2.0e4), "suspension.", "front.damping rear.damping front.static_load rear.static_load"),
    (Range(0.0, 1.0), "suspension.", "front.jounce_m front.droop_m rear.jounce_m rear.droop_m"),
    (Range(0.0, 1.0e6), "suspension.", "stop_rate"),
    (Range(0.05, 2.0), "tyre.", "radius_m rolling_factor front_width_m rear_width_m"),
    (Range(1.0e4, 1.0e6), "tyre.", "rate"),
    (Range(0.0, 2.0e4), "tyre.", "damping"),
    (Range(0.05, 100.0), "tyre.", "spin_inertia lateral_factor"),
    (Range(1.0, 1.0e5), "tyre.", "cohesion_load"),
    (Range(1.0e-3, 10.0), "tyre.", "minimum_speed spin_softness"),
    (Range(1.0, 100.0), "steering.", "ratio"),
    (Range(-1.0e3, 1.0e3), "steering.", "center_deg"),
    (Range(0.0, 2.0), "steering.", "ackermann"),
    (Range(0.01, 10.0), "engine.", "inertia"),
    (Range(100.0, 2.0e4), "engine.", "idle_rpm choke_rpm wot_step_rpm floor_rpm"),
    (Range(1.0, 2.0e4), "engine.", "fuel_cut_band_rpm"),
    (Range(0.0, 2.0e4), "engine.", "fuel_cut_rpm"),
    (Range(0.05, 1.0), "engine.", "indicated_efficiency"),
    (Range(0.0, 1.0e3), "engine.", "friction_nm wot_torque_nm"),
    (Range(0.0, 1.0), "engine.", "friction_nm_per_rpm governor_per_rpm governor_limit"),
    (Range(0.0, 100.0), "engine.", "full_pedal_air air_lag_s"),
    (Range(0.0, 99.0), "engine.", "pedal_dead_band_pct"),
    (Range(0.0, 2.0e4), "clutch.", "engage_rpm"),
    (Range(0.0, 1.0), "clutch.", "capacity"),
    (Range(0.1, 100.0), "clutch.", "slip_speed"),
    (Range(0.1, 20.0), "cvt.", "low_ratio high_ratio"),
    (Range(100.0, 2.0e4), "cvt.", "low_rpm high_rpm"),
    (Range(0.0, 100.0), "cvt.", "lag_s"),
    (Range(0.05, 1.0), "", "cvt.efficiency gearbox.efficiency"),
    (Range(0.1, 200.0), "gearbox.", "low_ratio high_ratio reverse_ratio"),
    (Range(0.0, 100.0), "awd.", "engage_spin engage_slip release_slip minimum_spin rest_s"),
    (Range(0.0, 1.0e3), "brakes.", "front_nm_per_bar rear_nm_per_bar"),
    (Range(0.0, 2.0), "aero.", "air_density"),
    (Range(0.0, 50.0), "aero.", "drag_area"),
    (Range(0.0, 1.0e6), "bumper.", "rate"),
    (Range(0.0, 2.0e4), "bumper.", "damping"),
    (Range(0.0, 10.0), "bumper.", "friction"),
    (Range(0.01, 100.0), "bumper.", "slide_speed"),
    (Range(0.0, 1.0), "collision.", "stop"),
    (Range(0.0, 1.0e5), "crop.", "work_j_per_m2"),
    (Range(STEP_S, LONGEST_TIMEOUT_S), "dbw.", "command_timeout_s"),
    (Range(0.0, LONGEST_TIMEOUT_S), "dbw.", "ulc_actuator_timeout_s"),
    (Range(0.1, 10.0), "dbw.", "speed_scale"),
    # A default limit of 0 is no limit, and a kinematic map of 0 is that of the vehicle (spec).
    (Range(0.0, 1.0e6), "dbw.steering.", "default_rate_deg_s default_accel_deg_s2"),
    (Range(0.0, 10.0), "dbw.steering.", "tau_s"),
    (Range(0.0, 1.0e3), "dbw.steering.", "kinematic_ratio kinematic_wheelbase_m"),
    (Range(1.0, 1.0e5), "dbw.steering.", "slew_deg_s"),
    (Range(1.0, 1.0e4), "dbw.steering.", "lock_deg command_range_deg"),
    (Range(1.0e-3, 100.0), "dbw.steering.", "max_curvature_per_m max_yaw_rate_rad_s"),
    (Range(0.0, 0.5), "dbw.", "steering.delay_s throttle.delay_s brake.delay_s ulc.delay_s"),
    (Range(0.0, 1.0e6), "dbw.throttle.", "default_rate_pct_s"),
    (Range(1.0, 1.0e3), "dbw.brake.", "max_bar"),
    (Range(1.0, 1.0e6), "dbw.brake.", "apply_accel_bar_s2 slew_bar_s"),
    (Range(0.0, 10.0), "dbw.brake.", "release_tau_s release_exponent"),
    (Range(0.0, 100.0), "dbw.gear.", "shift_s max_speed_mps"),
    (Range(0.0, 1.0e3), "dbw.ulc.", "default_accel_mps2 default_decel_mps2 throttle_on_mps2"),
    (Range(0.0, 1.0e4), "dbw.ulc.", "default_jerk_throttle_mps3 default_jerk_brake_mps3"),
    (Range(0.0, 1.0e4), "dbw.ulc.", "throttle_accel_pct throttle_speed_pct throttle_integral_pct integral_limit_m"),
    (Range(0.0, 100.0), "dbw.ulc.", "kp launch_speed_mps stop_speed_mps throttle_offset_pct stop_brake_pct"),
    (Range(-1.0e3, 0.0), "dbw.ulc.", "brake_on_mps2"),
    (Range(1.0, 1.0e5), "dbw.ulc.", "mass_kg"),
)

RANGES: dict[str, Range] = {prefix + name: span for span, prefix, names in _KEYS for name in names.split()}
"""The range of each parameter by its dotted key."""
