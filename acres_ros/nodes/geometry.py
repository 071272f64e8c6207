"""Plain triples and quaternions as messages of `geometry_msgs`."""

from __future__ import annotations

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3

from acres_ros.core.vectors import Quaternion as Turn
from acres_ros.core.vectors import Vector


def vector_message(triple: Vector) -> Vector3:
    """Return three numbers as a vector."""
    x, y, z = triple
    return Vector3(x=x, y=y, z=z)


def pose_message(position: Vector, orientation: Turn) -> Pose:
    """Return a position, m, and a quaternion x, y, z, w as a pose."""
    x, y, z = position
    qx, qy, qz, qw = orientation
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))
