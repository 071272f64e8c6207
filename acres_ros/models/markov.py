"""First-order Gauss-Markov processes with their exact step, and the due times of a stream of samples.

A process has a standard deviation of one: x' = x e^(-dt/tau) + sqrt(1 - e^(-2 dt/tau)) xi (spec, Time Stepping and
Determinism, section Weather Noise, with sigma left to the caller).
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import kernel
from acres_ros.models.maths import exp, sqrt
from acres_ros.models.streams import pcg32_normals


class Noise(NamedTuple):
    """The random streams of the navigation sensors, and room for what a sample draws.

    Attributes:
        ins, imu, gnss: u8 (2,), words of a PCG32.
        deviates, radii: f8 (MOST_DRAWS,).
    """

    ins: np.ndarray
    imu: np.ndarray
    gnss: np.ndarray
    deviates: np.ndarray
    radii: np.ndarray


MOST_DRAWS = 34


@kernel
def draw(noise, words, count):
    """Put the next `count` standard normal deviates of a stream into `noise.deviates`."""
    pcg32_normals(words, count, noise.deviates, noise.radii)


@kernel
def decay_and_drive(dt, tau):
    """Return what is left of a process after dt, and the standard deviation of what is new."""
    decay = exp(-dt / tau)
    return decay, sqrt(1.0 - decay * decay)


@kernel
def due(clock, grid, step):
    """Return the steps since the last sample if one is due at a step, else 0; count the sample.

    Source: spec, Time Stepping and Determinism, section Sensor Sample Times; whole ticks as in
    `acres_ros.core.schedule`.
    """
    if step * grid.step + grid.tolerance < clock.due:
        return 0
    clock.due += grid.period
    since = step - clock.last
    clock.last = step
    return since


@kernel
def start_clock(clock, grid):
    """Begin a grid: its first sample is that of the reset."""
    clock.last = 0
    clock.due = grid.period
