"""The messages of the drive-by-wire, one function each: from a step sample to the fields of a report."""

from collections.abc import Iterator

from acres_ros.nodes.reports import actuators, system, vehicle
from acres_ros.nodes.source import Context, Source

__all__ = ["report_sources"]


def report_sources(context: Context) -> Iterator[Source]:
    """Yield the content of every drive-by-wire topic but `dbw_enabled`, which has no header."""
    yield actuators.steering_report(context)
    yield actuators.throttle_report(context)
    yield actuators.brake_report(context)
    yield system.gear_report()
    yield system.ulc_report()
    yield vehicle.vehicle_velocity()
    yield system.system_report()
    yield system.misc_report(context)
    yield system.turn_signal_report()
    yield system.drive_mode_report()
    yield vehicle.wheel_speeds()
    yield vehicle.wheel_positions(context)
    yield vehicle.steering_info()
    yield vehicle.throttle_info()
    yield vehicle.brake_info(context)
    yield vehicle.propulsion_info()
    yield vehicle.fuel_level(context)
    yield vehicle.tire_pressures(context)
    yield vehicle.imu_data_raw(context)
    yield vehicle.gps_fix(context)
