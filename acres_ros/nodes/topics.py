"""Every topic that the vehicle publishes: name, type, QoS, rate in both profiles, and what is in it.

Names, types, depths and CAN rates of the drive-by-wire: Dataspeed `ds_dbw_can` 2.3.11 as launched; every publisher
there is keep last, reliable, volatile. Profile `acres` has the grid of the spec: reports at 50 Hz (Drive-by-Wire and
ULC, section Reports), other CAN signals at 20 Hz (Time Stepping and Determinism, section Sensor Sample Times). Profile
`vehicle` has each topic at the period of its CAN frame.
"""

from __future__ import annotations

from typing import NamedTuple

from acres_interfaces.msg import FarmReport
from diagnostic_msgs.msg import DiagnosticArray
from ds_dbw_msgs.msg import (
    BrakeInfo,
    BrakeReport,
    DriveModeReport,
    FuelLevel,
    GearReport,
    MiscReport,
    PropulsionInfo,
    SteeringInfo,
    SteeringReport,
    SystemReport,
    ThrottleInfo,
    ThrottleReport,
    TirePressures,
    TurnSignalReport,
    UlcReport,
    VehicleVelocity,
    WheelPositions,
    WheelSpeeds,
)
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState, NavSatFix, PointCloud2
from std_msgs.msg import Bool, String
from tf2_msgs.msg import TFMessage

EVERY_STEP = 120.0
LATCHED = 0.0


class Topic(NamedTuple):
    """One published topic.

    Attributes:
        key: name in this package; below `vehicle/` it is the topic's name too.
        type: ROS type.
        depth: history depth; every publisher is keep last and reliable, so subscribers of both kinds match.
        acres_hz: rate in profile `acres`, Hz of simulation time; 0 is once, after the first `/clock`.
        vehicle_hz: rate in profile `vehicle`.
        description: what is in it, with units.
        latched: transient local, for who comes late.
        event_steps: in profile `vehicle` a change is sent at once, at least this number of steps after the last
            message; 0 is never.
        default_name: full name; empty for `/vehicle/<key>`.
    """

    key: str
    type: type
    depth: int
    acres_hz: float
    vehicle_hz: float
    description: str
    latched: bool = False
    event_steps: int = 0
    default_name: str = ""

    @property
    def qos(self) -> QoSProfile:
        """Return the QoS of the publisher."""
        return QoSProfile(
            history=HistoryPolicy.KEEP_LAST,
            depth=self.depth,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if self.latched else DurabilityPolicy.VOLATILE,
        )

    def rate_hz(self, profile: str) -> float:
        """Return the rate in a profile, `acres` or `vehicle`."""
        return self.vehicle_hz if profile == "vehicle" else self.acres_hz


# Order of this table is the order on the wire within a step: time first, then frames, truth, navigation, drive-by-wire.
# The event periods are the shortest periods of the frames: gear 20 ms, system 10 ms.
TOPICS = (
    Topic("clock", Clock, 100, EVERY_STEP, EVERY_STEP, "simulation time of the step", default_name="/clock"),
    Topic("tf_static", TFMessage, 1, LATCHED, LATCHED, "fixed frames", latched=True, default_name="/tf_static"),
    Topic(
        "robot_description",
        String,
        1,
        LATCHED,
        LATCHED,
        "URDF of the vehicle",
        latched=True,
        default_name="/robot_description",
    ),
    Topic(
        "tf",
        TFMessage,
        100,
        EVERY_STEP,
        EVERY_STEP,
        "odom to base_footprint, and the joints of the four wheels",
        default_name="/tf",
    ),
    Topic(
        "joint_states",
        JointState,
        10,
        50.0,
        50.0,
        "joints of the URDF: suspension travel (m, m/s), steering and spin of the wheels (rad, rad/s)",
        default_name="/joint_states",
    ),
    Topic(
        "ground_truth/odometry",
        Odometry,
        100,
        EVERY_STEP,
        EVERY_STEP,
        "exact pose (m) and velocity (m/s, rad/s) of base_footprint; twist in the child frame",
        default_name="/ground_truth/odometry",
    ),
    Topic(
        "ins/odometry",
        Odometry,
        100,
        100.0,
        100.0,
        "pose and velocity of base_link; twist in the child frame",
        default_name="/novatel/oem7/odom",
    ),
    Topic(
        "ins/imu",
        Imu,
        100,
        100.0,
        100.0,
        "attitude in east-north-up, angular rate (rad/s), specific force (m/s^2)",
        default_name="/novatel/oem7/imu/data",
    ),
    Topic(
        "ins/imu_raw",
        Imu,
        100,
        100.0,
        100.0,
        "angular rate (rad/s) and specific force (m/s^2) of the INS's unit as they are, no attitude",
        default_name="/novatel/oem7/imu/data_raw",
    ),
    Topic(
        "ins/fix",
        NavSatFix,
        100,
        10.0,
        10.0,
        "latitude and longitude (deg, WGS 84), height above the ellipsoid (m) of the antenna",
        default_name="/novatel/oem7/fix",
    ),
    Topic("steering/report", SteeringReport, 2, 50.0, 100.0, "steering wheel angle and command, deg"),
    Topic("throttle/report", ThrottleReport, 2, 50.0, 50.0, "driver's pedal, command and emulated pedal, %"),
    Topic("brake/report", BrakeReport, 2, 50.0, 50.0, "driver's brake, command and output, bar or % by cmd_type"),
    Topic("gear/report", GearReport, 2, 50.0, 10.0, "engaged gear, command, lever, reject", event_steps=3),
    Topic("ulc/report", UlcReport, 2, 50.0, 50.0, "speed (m/s) and acceleration (m/s^2), reference and measured"),
    Topic("vehicle_velocity", VehicleVelocity, 2, 50.0, 50.0, "wheel speed of all wheels and of the rear axle, m/s"),
    Topic("system/report", SystemReport, 2, 50.0, 10.0, "state of the system and its reasons", event_steps=2),
    Topic("misc/report", MiscReport, 2, 20.0, 20.0, "parking brake, doors, belts, lights, temperatures"),
    Topic("turn_signal/report", TurnSignalReport, 2, 20.0, 10.0, "turn signal: input, command, output"),
    Topic("drive_mode/report", DriveModeReport, 2, 20.0, 10.0, "AWD mode and differential lock"),
    Topic("wheel_speeds", WheelSpeeds, 2, 20.0, 100.0, "spin of the wheels, rad/s"),
    Topic("wheel_positions", WheelPositions, 2, 20.0, 50.0, "angle turned by the wheels, counts that wrap at 16 bits"),
    Topic("steering/info", SteeringInfo, 2, 20.0, 2.0, "steering wheel rate and commanded rate, deg/s"),
    Topic("throttle/info", ThrottleInfo, 2, 20.0, 100.0, "pedal that the engine sees, %; engine speed, rpm"),
    Topic("brake/info", BrakeInfo, 2, 20.0, 100.0, "brake torque at the wheels, N m: driver, request, actual"),
    Topic("propulsion/info", PropulsionInfo, 2, 20.0, 50.0, "engine torque, N m; belt ratio"),
    Topic("fuel_level", FuelLevel, 2, 2.0, 2.0, "fuel left, %"),
    Topic("tire_pressures", TirePressures, 2, 2.0, 2.0, "tyre pressures, kPa"),
    Topic("imu/data_raw", Imu, 10, 100.0, 100.0, "specific force (m/s^2) and angular rate (rad/s), no attitude"),
    Topic("gps/fix", NavSatFix, 10, 1.0, 1.0, "position of the vehicle's own receiver"),
    Topic("dbw_enabled", Bool, 2, 20.0, 20.0, "drive-by-wire enabled; also on every change"),
    Topic(
        "farm_report",
        FarmReport,
        10,
        10.0,
        10.0,
        "surface, sinkage (m), rut (m) and soil of each wheel; crushed crop (m^2), crop force (N); collision, off map",
        default_name="/acres/farm_report",
    ),
    Topic(
        "lidar/points",
        PointCloud2,
        10,
        10.0,
        10.0,
        "scan of the LiDAR: x, y, z (m), intensity (0 to 255), ring, timestamp (s); behind all else of its step",
        default_name="/rslidar_points",
    ),
    Topic(
        "diagnostics",
        DiagnosticArray,
        10,
        1.0,
        1.0,
        "step, rate achieved, link, drive-by-wire, INS, world and collisions; each second of wall time",
        default_name="/diagnostics",
    ),
)

BY_KEY = {topic.key: topic for topic in TOPICS}

GLOBAL_NAMES = frozenset({"clock", "tf", "tf_static", "diagnostics"})
"""Topics that all agents share: their names never get the agent in front."""

APART = frozenset({"diagnostics", "lidar/points"})
"""Topics that are no function of one sample."""

OPEN_NAMES = GLOBAL_NAMES - {"clock"}
"""Topics that other programs publish too."""


def full_name(topic: Topic, agent: str, configured: str = "") -> str:
    """Return the name on the wire.

    Args:
        topic: row of the table.
        agent: empty for the first vehicle, which has the real names; another lives below `/<agent>`.
        configured: name from the configuration, for the topics that differ from car to car.
    """
    name = configured or topic.default_name or f"/vehicle/{topic.key}"
    return name if not agent or topic.key in GLOBAL_NAMES else f"/{agent}{name}"
