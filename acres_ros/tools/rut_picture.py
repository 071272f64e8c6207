"""What a drive leaves behind on the farm, as a PNG file: crushed crop and the depth of the ruts, seen from above."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters
from acres_ros.models.farm import RUT_CELL_M, SAMPLE_M
from acres_ros.tools.validate.drive import Trace, drive
from acres_ros.world import Place, World

SECONDS = 36.0
SPEED = 2.0
STRAIGHT_S = 7.0
TURN_DEG = 330.0
MARGIN_M = 4.0
COLOURS = {"standing": "#7fa650", "crushed": "#d9c07a", "soil": "#efe6d6"}


def drive_loop(world: World, start: Place) -> Trace:
    """Drive straight into a field, then round until the vehicle has crossed its own ruts."""
    parameters = load_parameters()
    center = float(parameters["steering"]["center_deg"][0])
    return drive(
        world,
        parameters,
        start,
        SECONDS,
        speed=SPEED,
        steering=lambda time: center if time < STRAIGHT_S else center + TURN_DEG,
    )


def squares(x: np.ndarray, y: np.ndarray, side: float) -> list[np.ndarray]:
    """Return the corners (4, 2) of each square about a point."""
    corners = 0.5 * side * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    return list(np.stack([x, y], axis=1)[:, None, :] + corners)


def _standing(world: World, farm: FarmState, box: tuple[float, float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of a box (west, south, east, north) that are not crushed, x and y."""
    west, south, east, north = box
    patches = world.ground.patches
    x, y = patches["x"].astype(float), patches["y"].astype(float)
    near = np.flatnonzero((x > west) & (x < east) & (y > south) & (y < north) & (patches["height"] > 0.0))
    offset = SAMPLE_M * (np.arange(9) % 3 - 1), SAMPLE_M * (np.arange(9) // 3 - 1)
    stands = (farm.farm.masks[near][:, None] >> np.arange(9) & 1) == 0
    return (x[near][:, None] + offset[0])[stands], (y[near][:, None] + offset[1])[stands]


def draw_ruts(world: World, trace: Trace, path: Path) -> None:
    """Draw the crop, crushed and standing, the path, and the ruts by their depth.

    Args:
        world: where the drive was.
        trace: the drive.
        path: file to write.
    """
    ruts, crushed = trace.farm.ruts(), trace.farm.crushed()
    box = (trace.x.min() - MARGIN_M, trace.y.min() - MARGIN_M, trace.x.max() + MARGIN_M, trace.y.max() + MARGIN_M)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13.0, 5.6), sharex=True, sharey=True, layout="constrained")
    for axes in (left, right):
        axes.set_facecolor(COLOURS["soil"])
        axes.set_aspect("equal")
        axes.set(xlim=(box[0], box[2]), ylim=(box[1], box[3]), xlabel="east (m)")
    _draw_crop(left, _standing(world, trace.farm, box), (crushed.x, crushed.y))
    left.plot(trace.x, trace.y, color="black", linewidth=1.2)
    left.set(ylabel="north (m)", title=f"crop: {trace.farm.crushed_m2:.1f} m² crushed")
    left.legend(
        handles=[
            Patch(color=COLOURS["standing"], label="standing"),
            Patch(color=COLOURS["crushed"], label="crushed, samples of 1/9 m²"),
            Line2D([], [], color="black", label="path of the rear axle"),
        ],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.12),
        ncols=3,
        frameon=False,
    )
    cells = PolyCollection(squares(ruts.x, ruts.y, RUT_CELL_M), cmap="YlOrBr", edgecolors="face", linewidths=0.3)
    cells.set_array(1000.0 * ruts.depth.astype(float))
    right.add_collection(cells)
    deepest = 1000.0 * float(ruts.depth.max(initial=0.0))
    right.set_title(f"ruts: {len(ruts.x)} cells of 25 cm, to {deepest:.1f} mm")
    figure.colorbar(cells, ax=right, label="depth (mm)", shrink=0.8)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_crop(axes: Axes, standing: tuple[np.ndarray, np.ndarray], crushed: tuple[np.ndarray, np.ndarray]) -> None:
    for name, (x, y) in (("standing", standing), ("crushed", crushed)):
        axes.add_collection(
            PolyCollection(squares(x, y, SAMPLE_M), facecolors=COLOURS[name], edgecolors="face", linewidths=0.3)
        )
