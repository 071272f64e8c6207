"""Fit parameters of the vehicle and the ground to the figures of the spec (rows D3 to D8 of the acceptance table)."""

from acres_ros.tools.calibrate.fit import Fit, calibrate
from acres_ros.tools.calibrate.problem import FREE, Free, Problem, UnknownFreeError
from acres_ros.tools.calibrate.residuals import FITTED_ROWS, UnfittedRowError

__all__ = ["FITTED_ROWS", "FREE", "Fit", "Free", "Problem", "UnfittedRowError", "UnknownFreeError", "calibrate"]
