"""`farm_report`: what the wheels meet, what the vehicle leaves, what it touches."""

from __future__ import annotations

from typing import Any

from acres_interfaces.msg import FarmReport

from acres_ros.nodes.sample_view import SOIL_FIELDS, SampleView
from acres_ros.nodes.source import Context, Source

_CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
_WHEEL = ("surface", "sinkage_m", "rut_depth_m", "moisture", "cone_index_kpa", "water_drag_n")
"""Fields of the message, in the order of `SOIL_FIELDS`."""
if len(_WHEEL) != len(SOIL_FIELDS):
    raise TypeError(f"a wheel of the report has {_WHEEL}, the sample {SOIL_FIELDS}")


def farm_report(context: Context) -> Source:
    """Return `farm_report`; its numbers are those of the step, the crushed area that since the last reset."""
    world = context.world

    def values(view: SampleView) -> tuple[Any, ...]:
        vehicle = view.vehicle
        obstacle = vehicle.collision
        return (*view.soil, vehicle.crushed_total, vehicle.crop_force, obstacle >= 0, obstacle, bool(vehicle.off_map))

    wheels = tuple(f"{corner}.{name}" for corner in _CORNERS for name in _WHEEL)
    return Source(
        "farm_report",
        FarmReport(),
        (*wheels, "crushed_m2", "crop_force_n", "collision", "obstacle", "off_map"),
        values,
        texts=("obstacle_name",),
        text_values=lambda view: (world.obstacle(view.vehicle.collision),),
    )
