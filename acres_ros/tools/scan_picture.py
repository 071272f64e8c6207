"""A scan of the LiDAR as a picture: its points from above, and the image of its distances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot

from acres_ros.core.lidar import Scan
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.world.scene_file import Material

COLOURS = {
    "grass": "#5f9e4a", "soil": "#8a6136", "asphalt": "#3d4148", "gravel": "#8d8d86", "building": "#a8443a",
    "bin": "#4f7fa8", "trunk": "#4a3423", "foliage": "#1f5c2e", "crop": "#d09a1d", "vehicle": "#7b3fa0",
    "water": "#2f8fd0", "rain": "#00a5cf", "dust": "#b9a06b",
}  # fmt: skip
OTHER = "#c2185b"


def draw_scan(scan: Scan, pattern: LidarPattern, materials: Sequence[Material], title: str, path: Path) -> None:
    """Draw a scan: the view from above by material, the distances by column and ring.

    Args:
        scan: the scan.
        pattern: of its beams.
        materials: what its codes mean.
        title: what is written above.
        path: file to write, a PNG.
    """
    figure = pyplot.figure(figsize=(12.0, 11.0), layout="constrained")
    grid = figure.add_gridspec(2, 1, height_ratios=(3.4, 1.0))
    plan = figure.add_subplot(grid[0])
    hit = np.isfinite(scan.ranges)
    for code in np.unique(scan.materials[hit]):
        name = materials[code].name
        some = scan.points[scan.materials == code]
        plan.scatter(some[:, 0], some[:, 1], s=1.5, linewidths=0, color=COLOURS.get(name, OTHER),
                     label=f"{name}, {len(some)}")  # fmt: skip
    plan.plot(0.0, 0.0, "+", color="black", markersize=10)
    reach = max(10.0, float(np.percentile(scan.ranges[hit], 99.0))) if hit.any() else 10.0
    plan.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="ahead (m)", ylabel="left (m)", title=title)
    plan.set_aspect("equal")
    plan.grid(alpha=0.3)
    if hit.any():
        plan.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), markerscale=5.0, frameon=False)
    image = figure.add_subplot(grid[1])
    order = np.argsort(pattern.vertical_deg)
    # Behind is at both ends and left is on the left, as one looks ahead.
    distances = np.roll(scan.ranges.reshape(scan.columns, scan.rings).T[order], scan.columns // 2, axis=1)
    picture = image.imshow(
        np.where(np.isfinite(distances), distances, np.nan),
        aspect="auto", origin="lower", cmap="viridis_r", norm="log", interpolation="nearest",
        extent=(180.0, -180.0, -0.5, scan.rings - 0.5),
    )  # fmt: skip
    rings = range(0, scan.rings, max(1, scan.rings // 8))
    image.set_yticks(list(rings), [f"{np.array(pattern.vertical_deg)[order][ring]:g}" for ring in rings])
    image.set(xlabel="to the left of ahead (deg)", ylabel="elevation (deg)")
    image.set_title(
        "distance of each beam; white: no return (the sky, out of range, too weak, or lost)", fontsize="medium"
    )
    figure.colorbar(picture, ax=image, label="distance (m)")
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
