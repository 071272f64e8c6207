"""Truth and INS: odometry, IMU and fix, all of one rigid body, without errors.

Conventions of the NovAtel OEM7 driver: attitude in east-north-up with yaw 0 east, counter-clockwise; twist in the child
frame; position of the fix on the WGS 84 ellipsoid. Specific force and covariance flags: REP-145.
"""

from __future__ import annotations

from collections.abc import Iterator

from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, NavSatFix, NavSatStatus
from std_msgs.msg import Header

from acres_ros.nodes.source import Context, Source
from acres_ros.world.georeference import Georeference

TRUTH_VARIANCE = 1.0e-12
"""Variance of what is exact; not zero, because consumers take zero as unknown or as a fault."""

_IMU = {"orientation": "imu.qx", "angular_velocity": "imu.wx", "linear_acceleration": "imu.fx"}


def navigation_sources(context: Context) -> Iterator[Source]:
    """Yield truth, INS odometry, INS IMU and INS fix."""
    config, frames, variance = context.config, context.config.frames, context.config.ins.variance
    site = Georeference(config.origin)
    truth = Odometry(header=Header(frame_id=frames.map), child_frame_id=frames.base_footprint)
    for index in range(0, 36, 7):
        truth.pose.covariance[index] = truth.twist.covariance[index] = TRUTH_VARIANCE
    yield Source(
        "ground_truth/odometry",
        truth,
        blocks={"pose.pose": "footprint.x", "twist.twist": "footprint.vx"},
    )

    odometry = Odometry(header=Header(frame_id=frames.odom), child_frame_id=frames.base_link)
    for index in range(3):
        odometry.pose.covariance[7 * index] = variance.position_m2[index]
        odometry.pose.covariance[21 + 7 * index] = variance.attitude_rad2[index]
        odometry.twist.covariance[7 * index] = variance.velocity_m2_s2[index]
        odometry.twist.covariance[21 + 7 * index] = variance.angular_rate_rad2_s2[index]
    blocks = {"twist.twist": "link.vx"}
    if config.ins.odometry.utm:
        blocks |= {"pose.pose.orientation": "link.qx"}
        yield Source("ins/odometry", odometry, ("pose.pose.position",), lambda view: site.utm(*view.link[:3]), blocks)
    else:
        yield Source("ins/odometry", odometry, blocks=blocks | {"pose.pose": "link.x"})

    imu = Imu(header=Header(frame_id=frames.imu))
    for index in range(3):
        imu.orientation_covariance[4 * index] = variance.attitude_rad2[index]
        imu.angular_velocity_covariance[4 * index] = variance.angular_rate_rad2_s2[index]
        imu.linear_acceleration_covariance[4 * index] = variance.acceleration_m2_s4[index]
    yield Source("ins/imu", imu, blocks=_IMU)

    fix = NavSatFix(header=Header(frame_id=frames.gnss))
    fix.status = NavSatStatus(status=NavSatStatus.STATUS_GBAS_FIX, service=NavSatStatus.SERVICE_GPS)
    fix.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
    for index in range(3):
        fix.position_covariance[4 * index] = variance.position_m2[index]
    varying = ("latitude", "longitude", "altitude")
    yield Source("ins/fix", fix, varying, lambda view: site.geodetic(*view.gnss))
