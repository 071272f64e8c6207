"""Compare the vehicle with the figures of the spec (rows D of the acceptance table)."""

from acres_ros.tools.validate.rows import ROWS, Figure, UnknownRowError, check_rows, validate

__all__ = ["ROWS", "Figure", "UnknownRowError", "check_rows", "validate"]
