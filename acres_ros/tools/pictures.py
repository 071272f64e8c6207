"""Pictures of drives, as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.collections import LineCollection


def draw_lap(rows: Sequence[Mapping[str, float]], path: Path) -> None:
    """Draw a lap: the path coloured by speed, the speeds, and the cross-track error.

    Args:
        rows: one mapping for each odometry message: time (s), s (m), across (m), x, y (m), speed, wheel_speed and
            command (m/s).
        path: file to write.
    """
    column = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    figure = pyplot.figure(figsize=(12.0, 6.5), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 1.35))
    plan = figure.add_subplot(grid[:, 0])
    points = np.stack([column["x"], column["y"]], axis=1)
    line = LineCollection(np.stack([points[:-1], points[1:]], axis=1), cmap="viridis", linewidth=3.0)
    line.set_array(column["speed"][:-1])
    plan.add_collection(line)
    plan.plot(*points[0], "o", color="black", markersize=7)
    plan.annotate("start", points[0], xytext=(-10, 0), textcoords="offset points", ha="right", va="center")
    plan.set_aspect("equal")
    plan.autoscale_view()
    plan.set(xlabel="east (m)", ylabel="north (m)", title=f"path, {column['s'][-1]:.0f} m")
    figure.colorbar(line, ax=plan, orientation="horizontal", label="speed (m/s)", shrink=0.8)
    speeds = figure.add_subplot(grid[0, 1])
    speeds.plot(column["s"], column["command"], color="black", linewidth=1.0, label="ULC command")
    speeds.plot(column["s"], column["wheel_speed"], color="tab:orange", linewidth=1.0, label="wheel speed, reported")
    speeds.plot(column["s"], column["speed"], color="tab:blue", linewidth=1.0, label="speed, INS")
    speeds.set(ylabel="m/s", title="speeds")
    speeds.legend(loc="lower right", ncols=3)
    across = figure.add_subplot(grid[1, 1], sharex=speeds)
    across.plot(column["s"], column["across"], color="tab:red", linewidth=1.0)
    across.axhline(0.0, color="black", linewidth=0.5)
    across.set(xlabel="along the path (m)", ylabel="m, left positive", title="cross-track error")
    for axes in (speeds, across):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
