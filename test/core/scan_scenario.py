"""Scan hills, woods and crops from a vehicle that moves, in clear air and in rain, and print a hash of each scan."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from lidar_rig import hills, on, woods

from acres_ros.core.lidar import Box, Lidar, LidarPattern, Weather
from acres_ros.models.ground import PATCH
from acres_ros.world import World


def main() -> None:
    terrain = hills()
    x, y = np.meshgrid(np.arange(-60, 60), np.arange(5, 60))
    crop = np.zeros(x.size, PATCH)
    crop["x"], crop["y"], crop["height"], crop["growth"], crop["crop"] = x.ravel(), y.ravel(), 1.3, 1.0, 1
    lidar = Lidar(terrain, woods(terrain), World.flat().ground._replace(patches=crop))
    crushed = np.random.default_rng(8).integers(0, 512, crop.size).astype(np.uint16)
    pattern = replace(LidarPattern.helios(), columns=20)
    for place, weather in (((1.0, -3.0, 0.4, 0.01), None), ((-20.0, 12.0, 2.0, 0.03), Weather(30.0, 0.02))):
        pose = on(terrain, *place)
        track = [pose, pose + (0.5, -0.2, 0.02, 0.0, 0.01, 0.02, 0.0)]
        box = Box((place[0] + 6.0, place[1] + 4.0, 1.0), (4.0, 2.0, 3.0), (0.0, 0.0, 0.4, 0.9))
        scan = lidar.scan(
            pattern, track, boxes=[box], crushed=crushed, noise=True, seed=3, step=24, index=True, weather=weather
        )
        parts = scan.ranges, np.nan_to_num(scan.points, nan=-1.0), scan.materials
        digest = hashlib.sha256(b"".join(part.tobytes() for part in parts))
        print(digest.hexdigest(), scan.returns, *np.unique(scan.materials))


if __name__ == "__main__":
    main()
