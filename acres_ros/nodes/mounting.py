"""Where the places of the configuration lie on a vehicle, seen from its centre of mass."""

from __future__ import annotations

import numpy as np

from acres_ros.core.kinematics import MOUNTING, quaternion
from acres_ros.nodes.topics_config import Mount, Mounts


def mounting(mounts: Mounts, parameters: np.ndarray) -> np.recarray:
    """Return one `MOUNTING` record for a vehicle.

    Args:
        mounts: places from the configuration, from `base_footprint`.
        parameters: one record of `acres_ros.models.parameters.PARAMETERS`.
    """
    rows = MOUNTING.new(1)
    row, vehicle = rows[0], parameters[0]
    geometry, tyre, mass = vehicle.geometry, vehicle.tyre, vehicle.mass
    row.gravity = mass.gravity
    center = (geometry.mass_ahead_m, 0.0, geometry.mass_height_m)
    level = (0.0, 0.0, 0.0)
    places = {"footprint": Mount(level, level), "link": Mount(mounts.base_link.xyz_m, level)}
    places |= {name: getattr(mounts, name) for name in ("imu", "vehicle_imu", "gnss", "vehicle_gnss")}
    for name, place in places.items():
        pose = row[name]
        pose.x, pose.y, pose.z = (float(a - b) for a, b in zip(place.xyz_m, center, strict=True))
        pose.qx, pose.qy, pose.qz, pose.qw = quaternion(place.rpy_deg)
    for index, pose in enumerate(row.wheel):
        axle = vehicle.suspension.front if index < 2 else vehicle.suspension.rear
        pose.x = (geometry.wheelbase_m if index < 2 else 0.0) - center[0]
        pose.y = geometry.half_track_m if index % 2 == 0 else -geometry.half_track_m
        pose.z = tyre.radius_m - axle.static_load / tyre.rate - center[2]
    return rows
