"""The block `dbw` has the keys and defaults of the spec's table."""

from __future__ import annotations

import pytest

from acres_ros.models.dbw.parameters import DBW_PARAMETERS

TABLE = """
command_timeout_s 0.1
ulc_actuator_timeout_s 0.087
speed_scale 0.9304
steering.default_rate_deg_s 100
steering.default_accel_deg_s2 500
steering.delay_s 0.0205
steering.tau_s 0.1323
steering.slew_deg_s 500
steering.lock_deg 487
steering.command_range_deg 280
steering.max_curvature_per_m 0.2
steering.max_yaw_rate_rad_s 8.5
steering.kinematic_ratio 0
steering.kinematic_wheelbase_m 0
throttle.delay_s 0.0
throttle.default_rate_pct_s 0
brake.max_bar 80
brake.delay_s 0.0333
brake.apply_accel_bar_s2 690.2405
brake.slew_bar_s 200
brake.release_tau_s 0.0415
brake.release_exponent 0.695
gear.shift_s 1.0
gear.max_speed_mps 0.3
ulc.default_accel_mps2 1.2
ulc.default_decel_mps2 1.5
ulc.default_jerk_throttle_mps3 1.0
ulc.default_jerk_brake_mps3 1.0
ulc.kp 1.0
ulc.delay_s 0.03
ulc.throttle_offset_pct 13.2426
ulc.throttle_accel_pct 0.7056
ulc.throttle_speed_pct 27.2515
ulc.throttle_integral_pct 5.8321
ulc.integral_limit_m 5
ulc.launch_speed_mps 0.5
ulc.throttle_on_mps2 0.35
ulc.brake_on_mps2 -0.3
ulc.mass_kg 1250
ulc.stop_brake_pct 20
ulc.stop_speed_mps 0.1
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def test_the_keys_are_those_of_the_table_in_its_order() -> None:
    assert [key for key, _ in DBW_PARAMETERS.leaves()] == [key for key, _ in ROWS]


@pytest.mark.parametrize(("key", "value"), ROWS)
def test_the_defaults_are_those_of_the_table(key: str, value: str) -> None:
    assert dict(DBW_PARAMETERS.leaves())[key].default == float(value)
