"""The errors of the INS on a drive that loses the satellites in the middle, as a PNG file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot

from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.environment import Environment
from acres_ros.core.messages import Enable, Gear, GearCmd, SteeringCmd, SteeringType, UlcCmd, UlcType
from acres_ros.core.parameters import load_parameters
from acres_ros.models.navigation_parameters import FIXED, FLOAT, NONE, SBAS, SINGLE
from acres_ros.world import World

BEFORE_S, LOST_S, AFTER_S = 40.0, 20.0, 40.0
SPEED = 2.5
SWING_DEG, SWING_S = 200.0, 25.0
COMMAND_STEPS = 6
COLOURS = {NONE: "#c62828", SINGLE: "#ef6c00", SBAS: "#f9a825", FLOAT: "#9e9d24", FIXED: "#2e7d32"}
NAMES = {NONE: "no satellites", SINGLE: "single", SBAS: "SBAS", FLOAT: "RTK float", FIXED: "RTK fixed"}
PANELS = (("east", "m"), ("north", "m"), ("up", "m"), ("heading", "deg"))
LINEAR_M = 0.05
"""Error up to which the scale of a position is linear; beyond it is logarithmic."""
TICKS_M = (-1.0, -0.1, 0.0, 0.1, 1.0)
MINOR_M = tuple(sign * digit * tens for sign in (-1.0, 1.0) for tens in (0.1, 1.0) for digit in range(2, 10))


@dataclass(frozen=True)
class InsDrive:
    """A drive, one row for each step.

    Attributes:
        fix: state of the position (n,).
        error: east, north, up of the antenna, m, and heading, deg (n, 4).
        sigma: their stated standard deviations (n, 4).
    """

    fix: np.ndarray
    error: np.ndarray
    sigma: np.ndarray

    @property
    def time(self) -> np.ndarray:
        """Return the time of each row, s."""
        return np.arange(1, len(self.fix) + 1) / STEPS_PER_SECOND

    @property
    def worst_m(self) -> float:
        """Return the largest horizontal error without satellites, m."""
        lost = self.error[self.fix == NONE]
        return float(np.hypot(lost[:, 0], lost[:, 1]).max(initial=0.0))


def drive_without_satellites(seed: int) -> InsDrive:
    """Drive slow curves, lose the satellites for a while, and go on until RTK is resolved again."""
    environment = Environment(World.flat(), load_parameters(), seed=seed)
    settings = environment.navigation
    environment.post(Enable())
    environment.post(GearCmd(cmd=Gear.LOW))
    samples = []
    for step in range(0, round((BEFORE_S + LOST_S + AFTER_S) * STEPS_PER_SECOND), COMMAND_STEPS):
        if step == round(BEFORE_S * STEPS_PER_SECOND):
            environment.set_gnss("none", duration_s=LOST_S)
        angle = SWING_DEG * math.sin(2.0 * math.pi * step / STEPS_PER_SECOND / SWING_S)
        environment.post(SteeringCmd(cmd=angle, cmd_type=SteeringType.ANGLE, enable=True))
        environment.post(UlcCmd(cmd=SPEED, cmd_type=UlcType.VELOCITY, enable=True))
        samples.append(environment.step(COMMAND_STEPS))
    rows = np.concatenate(samples)["navigation"]["ins"]
    p = settings.parameters["ins"][0]
    heading = math.sqrt(p["heading"] ** 2 + p["heading_white"] ** 2 + p["mounting"] ** 2)
    error = np.column_stack([rows["position"], np.degrees(rows["attitude"][:, 2])])
    sigma = np.column_stack([np.sqrt(rows["position_variance"]), np.full(len(rows), math.degrees(heading))])
    return InsDrive(rows["fix"], error, sigma)


def draw_ins(drive: InsDrive, path: Path) -> None:
    """Draw the errors of a drive and what the INS says of them.

    Args:
        drive: the drive.
        path: file to write.
    """
    figure, panels = pyplot.subplots(4, 1, figsize=(11.0, 10.0), sharex=True, layout="constrained")
    time, known = drive.time, drive.sigma[:, 0] > 0.0
    for index, (axes, (name, unit)) in enumerate(zip(panels, PANELS, strict=True)):
        sigma, error = drive.sigma[known, index], drive.error[known, index]
        for times, colour in ((2, "#e6eaec"), (1, "#c4ced3")):
            share = {1: 68, 2: 95}[times]
            text = f"within {times} sigma, as stated: {share} % of errors"
            axes.fill_between(time[known], -times * sigma, times * sigma, color=colour, linewidth=0, label=text)
        axes.plot(time[known], error, color="black", linewidth=0.7, label="error")
        for state, colour in COLOURS.items():
            for number, (first, last) in enumerate(_spans(time, drive.fix == state)):
                shown = NAMES[state] if number == 0 else None
                axes.axvspan(first, last, ymax=0.03, color=colour, linewidth=0, label=shown)
        if unit == "m":
            axes.set_yscale("symlog", linthresh=LINEAR_M)
            axes.set_yticks(TICKS_M, [f"{tick:g}" for tick in TICKS_M])
            axes.set_yticks(MINOR_M, minor=True)
        axes.set(ylabel=f"{name} ({unit})")
        axes.grid(alpha=0.3)
    panels[0].set_title(f"error of the INS, {drive.worst_m:.2f} m at most in {LOST_S:g} s without satellites")
    panels[-1].set(xlabel="time (s)", xlim=(0.0, time[-1]))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize="small")
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def _spans(time: np.ndarray, here: np.ndarray) -> list[tuple[float, float]]:
    """Return first and last time of each run of rows."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], here, [False]]).astype(int)))
    return [(float(time[first]), float(time[last - 1])) for first, last in edges.reshape(-1, 2)]
