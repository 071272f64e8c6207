"""Truth and INS: odometry, IMU and fix, all of one rigid body, without errors.

Conventions of the NovAtel OEM7 driver: attitude in east-north-up with yaw 0 east, counter-clockwise; twist in the child
frame; position of the fix on the WGS 84 ellipsoid. Specific force and covariance flags: REP-145.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nav_msgs.msg import Odometry
from pyproj import Proj
from sensor_msgs.msg import Imu, NavSatFix, NavSatStatus
from std_msgs.msg import Header

from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import STAMP, Context, Source
from acres_ros.nodes.topics_config import Origin

TRUTH_VARIANCE = 1.0e-12
"""Variance of what is exact; not zero, because consumers take zero as unknown or as a fault."""

_ODOMETRY = (STAMP, "pose.pose", "twist.twist")
_IMU = (STAMP, "orientation", "angular_velocity", "linear_acceleration")


class Grid:
    """Places of the world as UTM coordinates and as latitude and longitude.

    Args:
        origin: the point of the Earth at world (0, 0, 0).
    """

    def __init__(self, origin: Origin) -> None:
        self._utm = Proj(proj="utm", zone=origin.utm_zone, ellps="WGS84")
        self.easting, self.northing = self._utm(origin.longitude_deg, origin.latitude_deg)
        self.altitude = origin.altitude_m

    def geodetic(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Return latitude (deg), longitude (deg) and height above the ellipsoid (m) of a place of the world (m)."""
        longitude, latitude = self._utm(self.easting + x, self.northing + y, inverse=True)
        return latitude, longitude, self.altitude + z


def navigation_sources(context: Context) -> Iterator[Source]:
    """Yield truth, INS odometry, INS IMU and INS fix."""
    config, frames, variance = context.config, context.config.frames, context.config.ins.variance
    grid = Grid(config.origin)
    truth = Odometry(header=Header(frame_id=frames.map), child_frame_id=frames.base_footprint)
    for index in range(0, 36, 7):
        truth.pose.covariance[index] = truth.twist.covariance[index] = TRUTH_VARIANCE
    yield Source("ground_truth/odometry", truth, _ODOMETRY, lambda view: view.stamp + view.base)

    odometry = Odometry(header=Header(frame_id=frames.odom), child_frame_id=frames.base_link)
    for index in range(3):
        odometry.pose.covariance[7 * index] = variance.position_m2[index]
        odometry.pose.covariance[21 + 7 * index] = variance.attitude_rad2[index]
        odometry.twist.covariance[7 * index] = variance.velocity_m2_s2[index]
        odometry.twist.covariance[21 + 7 * index] = variance.angular_rate_rad2_s2[index]
    offset = (grid.easting, grid.northing, grid.altitude) if config.ins.odometry.utm else (0.0, 0.0, 0.0)
    yield Source("ins/odometry", odometry, _ODOMETRY, _moved(offset))

    imu = Imu(header=Header(frame_id=frames.imu))
    for index in range(3):
        imu.orientation_covariance[4 * index] = variance.attitude_rad2[index]
        imu.angular_velocity_covariance[4 * index] = variance.angular_rate_rad2_s2[index]
        imu.linear_acceleration_covariance[4 * index] = variance.acceleration_m2_s4[index]
    yield Source("ins/imu", imu, _IMU, lambda view: view.stamp + view.imu)

    fix = NavSatFix(header=Header(frame_id=frames.gnss))
    fix.status = NavSatStatus(status=NavSatStatus.STATUS_GBAS_FIX, service=NavSatStatus.SERVICE_GPS)
    fix.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
    for index in range(3):
        fix.position_covariance[4 * index] = variance.position_m2[index]
    varying = (STAMP, "latitude", "longitude", "altitude")
    yield Source("ins/fix", fix, varying, lambda view: view.stamp + grid.geodetic(*view.gnss))


def _moved(offset: tuple[float, float, float]) -> Callable[[SampleView], tuple[float, ...]]:
    """Return the numbers of an odometry of base_link whose position has its zero elsewhere."""
    if not any(offset):
        return lambda view: view.stamp + view.link
    east, north, up = offset

    def values(view: SampleView) -> tuple[float, ...]:
        link = view.link
        return view.stamp + (link.x + east, link.y + north, link.z + up) + link[3:]

    return values
