"""Truth and INS: odometry, IMU and fix, all of one rigid body; the truth is exact, the INS has its errors.

Conventions of the NovAtel OEM7 driver: attitude in east-north-up with yaw 0 east, counter-clockwise; twist in the child
frame; position of the fix on the WGS 84 ellipsoid. Specific force and covariance flags: REP-145.
"""

from __future__ import annotations

from collections.abc import Iterator

from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, NavSatFix, NavSatStatus
from std_msgs.msg import Header

from acres_ros.core.measurement import TRUTH_VARIANCE
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NONE, SBAS, SINGLE
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import Context, Source
from acres_ros.world.georeference import Georeference

STATUS = {
    NONE: (NavSatStatus.STATUS_NO_FIX, 0),
    SINGLE: (NavSatStatus.STATUS_FIX, NavSatStatus.SERVICE_GPS),
    SBAS: (NavSatStatus.STATUS_SBAS_FIX, NavSatStatus.SERVICE_GPS),
    FLOAT: (NavSatStatus.STATUS_GBAS_FIX, NavSatStatus.SERVICE_GPS),
    FIXED: (NavSatStatus.STATUS_GBAS_FIX, NavSatStatus.SERVICE_GPS),
}
"""Status and service of a NavSatFix by the state of the position; without satellites no service is used."""


def navigation_sources(context: Context) -> Iterator[Source]:
    """Yield truth, INS odometry, INS IMU, its raw unit, and INS fix."""
    config, frames = context.config, context.config.frames
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
    blocks = {"twist.twist": "measured.twist.vx", "twist.covariance": "measured.twist_covariance"}
    blocks |= {"pose.covariance": "measured.pose_covariance"}
    if config.ins.odometry.utm:
        blocks |= {"pose.pose.orientation": "measured.pose.qx"}
        place = ("pose.pose.position",)
        yield Source("ins/odometry", odometry, place, lambda view: site.utm(*view.measured_link[:3]), blocks)
    else:
        yield Source("ins/odometry", odometry, blocks=blocks | {"pose.pose": "measured.pose.x"})

    yield Source(
        "ins/imu",
        Imu(header=Header(frame_id=frames.imu)),
        blocks={
            "orientation": "measured.imu.qx",
            "orientation_covariance": "measured.attitude_covariance",
            "angular_velocity": "measured.imu.wx",
            "angular_velocity_covariance": "measured.rate_covariance",
            "linear_acceleration": "measured.imu.fx",
            "linear_acceleration_covariance": "measured.force_covariance",
        },
    )
    raw = Imu(header=Header(frame_id=frames.imu))
    raw.orientation_covariance[0] = -1.0
    yield Source(
        "ins/imu_raw",
        raw,
        blocks={
            "angular_velocity": "measured.raw.wx",
            "angular_velocity_covariance": "measured.raw_rate_covariance",
            "linear_acceleration": "measured.raw.fx",
            "linear_acceleration_covariance": "measured.raw_force_covariance",
        },
    )

    fix = NavSatFix(header=Header(frame_id=frames.gnss))
    fix.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
    varying = ("status.status", "status.service", "latitude", "longitude", "altitude")

    def values(view: SampleView) -> tuple[float, ...]:
        return (*STATUS[view.fix_state.fix], *site.geodetic(*view.fix))

    yield Source("ins/fix", fix, varying, values, {"position_covariance": "measured.fix_covariance"})
