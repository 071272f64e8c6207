"""Where and how the vehicle starts, and where a reset puts it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acres_ros.core.messages import DRIVE_MODES
from acres_ros.errors import AcresError, shown
from acres_ros.models.dbw.codes import GEAR_HIGH, GEAR_LOW, GEAR_NEUTRAL, GEAR_PARK, GEAR_REVERSE
from acres_ros.world import World

GEARS = {"P": GEAR_PARK, "R": GEAR_REVERSE, "N": GEAR_NEUTRAL, "H": GEAR_HIGH, "L": GEAR_LOW}


class StartError(AcresError):
    """A start that the vehicle cannot have."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"start {key} = {shown(given)} is not possible: wanted {wanted}")


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where and how the vehicle starts.

    Attributes:
        x, y: position of `base_footprint`, m, world east and north.
        yaw: heading, rad, 0 east, counter-clockwise; kept within half a turn.
        speed: forward speed, m/s.
        settled: on the ground at static ride height; else dropped from 0.2 m (spec, Parity: Start of an episode).
        gear: engaged gear and lever, one of P R N H L. The server starts in P (spec, Enable, Disable and Override).
        drive_mode: awd, 2wd or turf.
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    speed: float = 0.0
    settled: bool = True
    gear: str = "P"
    drive_mode: str = "awd"

    def __post_init__(self) -> None:
        """Refuse what is not finite or not known."""
        for key in ("x", "y", "yaw", "speed"):
            if not math.isfinite(getattr(self, key)):
                raise StartError(key, getattr(self, key), "a finite number")
        # The sine of the model is made for angles of the vehicle, and the remainder of a division is exact.
        object.__setattr__(self, "yaw", math.remainder(self.yaw, 2.0 * math.pi))
        if abs(self.speed) > 25.0:
            raise StartError("speed", self.speed, "-25 to 25 m/s")
        if self.gear not in GEARS:
            raise StartError("gear", self.gear, f"one of {' '.join(GEARS)}")
        if self.drive_mode not in DRIVE_MODES:
            raise StartError("drive_mode", self.drive_mode, f"one of {' '.join(DRIVE_MODES)}")


def require_inside(world: World, start: Start) -> None:
    """Refuse a start that is not inside a world: raises `StartError`."""
    if not world.inside(start.x, start.y):
        raise StartError("position", (start.x, start.y), "a place inside the world")
