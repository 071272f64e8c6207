"""Coordinate frames: `/clock`, `/tf` and `/tf_static`.

map -> odom (identity) -> base_footprint (every step) -> base_link -> imu, gnss, lidar, and by their joints the wheels
(every step).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from acres_ros.core.kinematics import quaternion
from acres_ros.nodes.source import Context, Source
from acres_ros.nodes.wheel_joints import wheel_joints

_LEVEL = (0.0, 0.0, 0.0)


def clock_source() -> Source:
    """Return the content of `/clock`."""
    return Source("clock", Clock(), blocks={"clock": "stamp"})


def tf_source(context: Context) -> Source:
    """Return the content of `/tf`: the body, and the joints of its wheels."""
    frames = context.config.frames
    joints = tuple(wheel_joints(frames))
    moving = [_transform(frames.odom, frames.base_footprint)]
    moving += [_transform(joint.parent, joint.child) for joint in joints]
    poses = ("footprint.x", *(joint.pose for joint in joints))
    blocks = {f"transforms[{index}].transform": pose for index, pose in enumerate(poses)}
    stamps = {f"transforms[{index}].header.stamp": "stamp" for index in range(len(poses))}
    return Source("tf", TFMessage(transforms=moving), blocks=blocks | stamps)


def static_source(context: Context) -> Source:
    """Return the content of `/tf_static`; only its stamps vary."""
    fixed = [_transform(*frame) for frame in static_frames(context)]
    stamps = {f"transforms[{index}].header.stamp": "stamp" for index in range(len(fixed))}
    return Source("tf_static", TFMessage(transforms=fixed), blocks=stamps)


def static_frames(context: Context) -> Iterator[tuple[str, str, Sequence[float], Sequence[float]]]:
    """Yield parent, child, position (m) and roll, pitch, yaw (deg) of the fixed frames."""
    frames, mounts = context.config.frames, context.config.mounts
    link = mounts.base_link.xyz_m
    yield frames.map, frames.odom, _LEVEL, _LEVEL
    yield frames.base_footprint, frames.base_link, link, _LEVEL
    lidar = context.sensors.lidar.mount
    for child, mount in ((frames.imu, mounts.imu), (frames.gnss, mounts.gnss), (frames.lidar, lidar)):
        xyz = [round(a - b, 12) for a, b in zip(mount.xyz_m, link, strict=True)]
        yield frames.base_link, child, xyz, mount.rpy_deg


def _transform(
    parent: str, child: str, xyz: Sequence[float] = _LEVEL, rpy_deg: Sequence[float] = _LEVEL
) -> TransformStamped:
    x, y, z = xyz
    qx, qy, qz, qw = quaternion((rpy_deg[0], rpy_deg[1], rpy_deg[2]))
    return TransformStamped(
        header=Header(frame_id=parent),
        child_frame_id=child,
        transform=Transform(translation=Vector3(x=x, y=y, z=z), rotation=Quaternion(x=qx, y=qy, z=qz, w=qw)),
    )
