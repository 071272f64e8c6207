"""The joints of the wheels, which the URDF, `/tf` and `/joint_states` share.

A wheel hangs in base_link by three joints at most, from the body outwards: the travel of the suspension (prismatic,
along z, positive up), the steering of a front wheel (revolute, about z, positive left) and the spin (continuous, about
y, positive forward). The frames between are `<wheel>_hub`, and `<wheel>_knuckle` in front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sensor_msgs.msg import JointState

from acres_ros.nodes.sample_view import JOINT_FIELDS, SampleView
from acres_ros.nodes.source import NAN, Context, Source
from acres_ros.nodes.topics_config import Frames

PRISMATIC, REVOLUTE, CONTINUOUS = "prismatic", "revolute", "continuous"


class WheelJoint(NamedTuple):
    """One movable joint.

    Attributes:
        name: in the URDF and in `/joint_states`.
        kind: type in the URDF.
        axis: unit vector in the frame of the parent.
        parent, child: frames.
        wheel: 0 to 3, in the order of the configuration.
        pose: key of its transform in the `MOTION` record.
    """

    name: str
    kind: str
    axis: tuple[int, int, int]
    parent: str
    child: str
    wheel: int
    pose: str


def wheel_joints(frames: Frames) -> Iterator[WheelJoint]:
    """Yield the joints wheel by wheel, each from the body outwards."""
    for index, (wheel, hub) in enumerate(zip(frames.wheels, frames.hubs, strict=True)):
        yield WheelJoint(f"{wheel}_travel_joint", PRISMATIC, (0, 0, 1), frames.base_link, hub, index, f"hub.{index}.x")
        carrier = hub
        if index < len(frames.knuckles):
            carrier = frames.knuckles[index]
            yield WheelJoint(f"{wheel}_steer_joint", REVOLUTE, (0, 0, 1), hub, carrier, index, f"knuckle.{index}.x")
        yield WheelJoint(f"{wheel}_spin_joint", CONTINUOUS, (0, 1, 0), carrier, wheel, index, f"spun.{index}.x")


def joint_states_source(context: Context) -> Source:
    """Return the content of `/joint_states`: m and m/s of the travel, rad and rad/s of steering and spin.

    The spin is the whole angle turned since the reset, without a wrap. The rate of the steering is that over the last
    step; it is NaN in the first step after a start. Efforts have no model and are left out.
    """
    joints = tuple(wheel_joints(context.config.frames))
    count = len(joints)
    template = JointState(name=[joint.name for joint in joints], position=[0.0] * count, velocity=[0.0] * count)

    def values(view: SampleView) -> Sequence[float]:
        steer_rates = (
            (view.rates.steer_rate_left, view.rates.steer_rate_right) if view.rates.rates_known else (NAN, NAN)
        )
        positions, velocities = [], []
        for _, kind, _, _, _, wheel, _ in joints:
            spin, rotation, turns, travel, travel_rate, steer = view.joints[6 * wheel : 6 * wheel + 6]
            if kind == PRISMATIC:
                position, velocity = travel, travel_rate
            elif kind == REVOLUTE:
                position, velocity = steer, steer_rates[wheel]
            else:
                position, velocity = rotation + math.tau * turns, spin
            positions.append(position)
            velocities.append(velocity)
        return positions + velocities

    return Source("joint_states", template, ("position", "velocity"), values)


if JOINT_FIELDS != ("spin", "rotation", "turns", "travel", "travel_rate", "steer"):
    raise TypeError(f"the joints of a wheel are read as spin, rotation, ... from {JOINT_FIELDS}")
