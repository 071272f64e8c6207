"""Wheel brakes: torque from line pressure."""

from acres_ros._compile import kernel


@kernel
def brake_torque(p, index, line_pressure_bar):
    """Return the brake torque (N m) that one wheel can hold at a line pressure."""
    gain = p.brakes.front_nm_per_bar if index < 2 else p.brakes.rear_nm_per_bar
    return gain * line_pressure_bar
