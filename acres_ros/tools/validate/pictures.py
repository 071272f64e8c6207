"""A picture of each row of drives: what the model does, and where the spec has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot

from acres_ros.tools.validate.drive import Trace
from acres_ros.tools.validate.rows import Figure

MODEL, WHEEL, SPEC, BRAKE = "tab:blue", "tab:orange", "black", "tab:red"
FIGURES_OF_A_CURVATURE = 4


def draw_rows(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Draw each row of drives that the figures hold; return the files.

    Args:
        figures: figures of rows, with their drives.
        folder: where the PNG files go; it is made when it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for row, (name, draw) in PICTURES.items():
        own = [figure for figure in figures if figure.row == row and figure.trace is not None]
        if own:
            picture = draw(own)
            paths.append(folder / f"{name}.png")
            picture.savefig(paths[-1], dpi=110)
            pyplot.close(picture)
    return paths


def _trace(figures: Sequence[Figure]) -> Trace:
    trace = figures[0].trace
    assert trace is not None
    return trace


def _panels(count: int, height: float, **options: Any) -> tuple[Any, Any]:
    picture, axes = pyplot.subplots(count, 1, figsize=(10.0, height), sharex=True, layout="constrained", **options)
    for panel in np.atleast_1d(axes):
        panel.grid(alpha=0.3)
    return picture, axes


def _speeds(axes: Any, trace: Trace) -> None:
    axes.axhline(trace.command, color=SPEC, linewidth=1.0, label="ULC command")
    axes.plot(trace.time, trace.wheel_speed, color=WHEEL, linewidth=1.2, label="wheel speed, reported")
    axes.plot(trace.time, trace.speed, color=MODEL, linewidth=1.2, label="speed of the body")
    axes.set_ylabel("m/s")


def _pedals(axes: Any, trace: Trace) -> None:
    axes.plot(trace.time, trace.throttle, color=MODEL, linewidth=1.0, label="throttle pedal")
    axes.set(ylabel="throttle (%)", ylim=(0.0, 1.4 * trace.throttle.max()), xlabel="time (s)")
    right = axes.twinx()
    right.plot(trace.time, trace.brake, color=BRAKE, linewidth=1.0, label="brake")
    right.set(ylabel="brake (bar)", ylim=(0.0, max(1.0, 1.4 * trace.brake.max())))
    lines = [*axes.get_lines(), *right.get_lines()]
    axes.legend(lines, [line.get_label() for line in lines], loc="upper right", ncols=2)


def _band(axes: Any, time: float, figure: Figure) -> None:
    """Mark a target and its band at a time."""
    axes.errorbar(
        time,
        figure.target,
        [[figure.target - figure.low], [figure.high - figure.target]],
        fmt="s",
        color=SPEC,
        markersize=5,
        capsize=4,
        zorder=5,
        label="spec, with its band",
    )


def _curvatures(figures: Sequence[Figure]) -> Any:
    picture = pyplot.figure(figsize=(12.0, 6.5), layout="constrained")
    grid = picture.add_gridspec(2, 2, width_ratios=(1.1, 1.0))
    plan, speed, fuel = (
        picture.add_subplot(grid[:, 0]),
        picture.add_subplot(grid[0, 1]),
        picture.add_subplot(grid[1, 1]),
    )
    for first in range(0, len(figures), FIGURES_OF_A_CURVATURE):
        north, yaw, end_speed, end_fuel = figures[first : first + FIGURES_OF_A_CURVATURE]
        trace = _trace([north])
        colour = f"C{first // FIGURES_OF_A_CURVATURE}"
        east, along = trace.x[-1], trace.y[0] + north.target
        plan.plot(
            trace.x, trace.y, color=colour, linewidth=1.5, label=f"curvature {north.name.split()[-2].rstrip(',')}"
        )
        plan.plot(east, along, "s", color=colour, markeredgecolor=SPEC, zorder=5)
        tip = (east + 2.5 * np.cos(yaw.target), along + 2.5 * np.sin(yaw.target))
        plan.annotate("", tip, (east, along), arrowprops={"arrowstyle": "->", "color": SPEC})
        speed.plot(trace.time, trace.speed, color=colour, linewidth=1.0)
        fuel.plot(trace.time, trace.fuel / 1e3, color=colour, linewidth=1.0)
        for axes, target in ((speed, end_speed), (fuel, end_fuel)):
            axes.plot(trace.time[-1], target.target, "s", color=colour, markeredgecolor=SPEC, zorder=5)
    plan.set(
        xlabel="east (m)", ylabel="north (m)", title="paths; squares and arrows: north and yaw of the spec at 10 s"
    )
    plan.set_aspect("equal")
    plan.margins(0.05, 0.12)
    plan.legend(loc="upper right")
    speed.set(ylabel="m/s", title="speed, and the spec's at 10 s")
    fuel.set(ylabel="kJ", xlabel="time (s)", title="fuel energy, and the spec's at 10 s")
    for axes in (plan, speed, fuel):
        axes.grid(alpha=0.3)
    return picture


def _launch(figures: Sequence[Figure]) -> Any:
    trace = _trace(figures)
    picture, (speed, pedals) = _panels(2, 6.0, height_ratios=(2.0, 1.0))
    _speeds(speed, trace)
    _band(speed, trace.time[-1], figures[0])
    speed.set_title("ULC 2 m/s from rest on firm ground")
    speed.legend(loc="lower right")
    _pedals(pedals, trace)
    return picture


def _field(figures: Sequence[Figure]) -> Any:
    trace = _trace(figures)
    picture, (distance, speed, pedals) = _panels(3, 8.0, height_ratios=(1.0, 1.4, 1.0))
    driven, end_speed = figures[:2]
    distance.plot(trace.time, trace.path, color=MODEL)
    _band(distance, trace.time[-1], driven)
    distance.set(ylabel="distance (m)", title="ULC 2 m/s from rest in the crop of field 24")
    _speeds(speed, trace)
    _band(speed, trace.time[-1], end_speed)
    speed.legend(loc="lower right")
    _pedals(pedals, trace)
    return picture


def _cycle(figures: Sequence[Figure]) -> Any:
    trace = _trace(figures)
    picture, (speed, pedals) = _panels(2, 6.0, height_ratios=(1.6, 1.0))
    for figure in figures:
        speed.axhspan(figure.low, figure.high, color=WHEEL, alpha=0.12, linewidth=0.0)
        speed.axhline(figure.target, color=WHEEL, linewidth=1.0, linestyle="--")
    _speeds(speed, trace)
    low, high = (figure.target for figure in figures)
    speed.set_title(
        f"ULC {trace.command:g} m/s on firm ground; the spec's wheel speed swings from {low:g} to {high:g} m/s"
    )
    speed.legend(loc="upper right", ncols=3)
    speed.set(xlim=(0.0, 30.0), ylim=(0.0, 3.2))
    _pedals(pedals, trace)
    return picture


def _grass(figures: Sequence[Figure]) -> Any:
    trace = _trace(figures)
    picture, (speed, pedals) = _panels(2, 6.0, height_ratios=(1.6, 1.0))
    mean, ratio = figures[:2]
    speed.axhspan(
        ratio.low * trace.command, ratio.high * trace.command, color=MODEL, alpha=0.12, linewidth=0.0,
        label="settled speed, 3 to 8 % above the command",
    )  # fmt: skip
    speed.axhline(
        mean.target, color=SPEC, linewidth=1.0, linestyle="--", label=f"mean of the spec, {mean.target:g} m/s"
    )
    _speeds(speed, trace)
    speed.set_title(f"ULC {trace.command:g} m/s from 0.785 m/s on grass; mean of the model {mean.got:.3f} m/s")
    speed.legend(loc="lower right", ncols=2)
    _pedals(pedals, trace)
    return picture


def _program(figures: Sequence[Figure]) -> Any:
    trace, distance = _trace(figures), figures[0]
    picture, (plan, speed) = pyplot.subplots(1, 2, figsize=(12.0, 5.5), layout="constrained")
    plan.plot(trace.x, trace.y, color=MODEL)
    plan.plot(trace.x[0], trace.y[0], "o", color=SPEC)
    plan.set(xlabel="east (m)", ylabel="north (m)")
    plan.set_title(f"lockstep program: {distance.got:.1f} m in 60 s, spec {distance.target:.1f} m")
    plan.set_aspect("equal")
    _speeds(speed, trace)
    speed.set(xlabel="time (s)", title="speeds")
    speed.legend(loc="lower right")
    for axes in (plan, speed):
        axes.grid(alpha=0.3)
    return picture


PICTURES: dict[str, tuple[str, Callable[[Sequence[Figure]], Any]]] = {
    "D3": ("curvatures", _curvatures),
    "D4": ("launch", _launch),
    "D5": ("field", _field),
    "D6": ("limit_cycle", _cycle),
    "D7": ("grass_log", _grass),
    "D8": ("lockstep_program", _program),
}
