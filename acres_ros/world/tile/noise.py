"""Random surfaces and smoothing, made of additions and products only.

No FFT and no sine: their last bits differ between processors. A surface is a sum of cubic B-spline surfaces over random
lattices, each half as wide as the one before; its spectrum falls like that of a filtered random field.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acres_ros.world.tile.frame import HALF_M

_SPLINE_MEAN_SQUARE = 151.0 / 315.0
"""Mean over a cell of the sum of the squared weights of the cubic B-spline, in one dimension."""


def lattice_surface(random: np.random.Generator, axis: np.ndarray, spacing: float) -> np.ndarray:
    """Return a smooth random surface of about unit variance.

    Args:
        random: the random numbers.
        axis: coordinates along both sides, m.
        spacing: spacing of the lattice, m.
    """
    count = int(2.0 * HALF_M / spacing) + 5
    # The sum of three uniform numbers in -1..1 has variance 1 and looks like a normal one.
    lattice = np.zeros((count, count))
    for _ in range(3):
        lattice += 2.0 * random.random((count, count)) - 1.0
    place = (axis + HALF_M) / spacing
    cell = np.floor(place).astype(int)
    t = place - cell
    weights = (
        (1.0 - t) * (1.0 - t) * (1.0 - t) / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (-3.0 * t * t * t + 3.0 * t * t + 3.0 * t + 1.0) / 6.0,
        t * t * t / 6.0,
    )
    rows, surface = np.zeros((len(axis), count)), np.zeros((len(axis), len(axis)))
    for k, weight in enumerate(weights):
        rows += weight[:, None] * lattice[cell + k]
    for k, weight in enumerate(weights):
        surface += weight[None, :] * rows[:, cell + k]
    return surface / _SPLINE_MEAN_SQUARE


def relief_surface(
    random: np.random.Generator, axis: np.ndarray, spacings: Sequence[float], roughness: float
) -> np.ndarray:
    """Return a sum of lattice surfaces with amplitudes spacing^roughness, of unit rms and without a tilt.

    Args:
        random: the random numbers.
        axis: coordinates along both sides, m.
        spacings: spacing of each lattice, m; each is half the one before.
        roughness: exponent of the amplitude, of a spectrum k^-(2 roughness + 2).
    """
    total = np.zeros((len(axis), len(axis)))
    for spacing in spacings:
        total += (spacing / spacings[0]) ** roughness * lattice_surface(random, axis, spacing)
    total -= total.mean()
    along = axis / np.sqrt((axis * axis).mean())
    east, north = (total * along[None, :]).mean(), (total * along[:, None]).mean()
    total -= east * along[None, :] + north * along[:, None]
    return total / np.sqrt((total * total).mean())


def smoothed(surface: np.ndarray, half: int) -> np.ndarray:
    """Return a surface after three moving means over 2 half + 1 points in both directions; the edges are repeated."""
    for axis in (0, 1):
        for _ in range(3):
            padding = [(0, 0), (0, 0)]
            padding[axis] = (half + 1, half)
            total = np.cumsum(np.pad(surface, padding, mode="edge"), axis=axis)
            width = 2 * half + 1
            upper = np.take(total, range(width, total.shape[axis]), axis=axis)
            lower = np.take(total, range(total.shape[axis] - width), axis=axis)
            surface = (upper - lower) / width
    return surface
