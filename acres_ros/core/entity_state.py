"""What somebody wants the vehicle to do at once: checked whole before anything changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from acres_ros.core.vectors import added, turned
from acres_ros.errors import AcresError, shown

if TYPE_CHECKING:
    from acres_ros.core.entities import Motion
    from acres_ros.core.environment import Environment

UNIT_WITHIN = 1e-3
FASTEST = 25.0
FASTEST_TURN = 10.0
HIGHEST_M = 20.0


class PoseError(AcresError):
    """A pose that the vehicle cannot have."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


class TwistError(AcresError):
    """A twist that the vehicle cannot have."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


def check_pose(environment: Environment, motion: Motion) -> None:
    """Refuse a pose that no entity can have: not finite, no rotation, off the map."""
    for key, numbers in (("position", motion.position), ("orientation", motion.orientation)):
        if not all(map(math.isfinite, numbers)):
            raise PoseError(f"pose.{key}", numbers, "finite numbers")
    length = math.hypot(*motion.orientation)
    if abs(length - 1.0) > UNIT_WITHIN:
        wanted = f"a quaternion x, y, z, w of length 1 within {UNIT_WITHIN:g}, this one has {length:g}"
        raise PoseError("pose.orientation", motion.orientation, wanted)
    x, y, _ = motion.position
    if not environment.world.inside(x, y):
        west, south, east, north = environment.world.bounds
        wanted = f"a place on the map, x {west:g} to {east:g} m and y {south:g} to {north:g} m"
        raise PoseError("pose.position", motion.position, wanted)


def put_vehicle(environment: Environment, motion: Motion) -> None:
    """Give the vehicle pose and twist of `base_footprint`, in the axes of the world; accelerations do not count.

    Raises:
        PoseError: a pose off the map, below the ground or far above it, or none at all; nothing was changed.
        TwistError: a twist that is not finite or too fast; nothing was changed.
    """
    check_pose(environment, motion)
    geometry = environment.parameters[0]["geometry"]
    ahead, height, below = (float(geometry[key]) for key in ("mass_ahead_m", "mass_height_m", "body_below_m"))
    length = math.hypot(*motion.orientation)
    x, y, z, w = (part / length for part in motion.orientation)
    middle = added(motion.position, turned((x, y, z, w), (ahead, 0.0, height)))
    above = middle[2] - float(environment.world.terrain.height_at(middle[0], middle[1]))
    if not below <= above <= HIGHEST_M:
        wanted = f"the centre of mass {below:g} to {HIGHEST_M:g} m above the ground, it would be {above:.3f} m above it"
        raise PoseError("pose.position", motion.position, wanted)
    for key, numbers, most, unit in (
        ("twist.linear", motion.velocity, FASTEST, "m/s"),
        ("twist.angular", motion.angular_velocity, FASTEST_TURN, "rad/s"),
    ):
        if not math.hypot(*numbers) <= most:
            raise TwistError(key, numbers, f"finite numbers and {most:g} {unit} in all at most")
    environment.put((*motion.position, *motion.orientation), (*motion.velocity, *motion.angular_velocity))
