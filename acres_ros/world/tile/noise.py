"""Random surfaces and smoothing, made of additions and products only.

No FFT and no sine: their last bits differ between processors. A surface is a sum of cubic B-spline surfaces over random
lattices, each finer than the one before; its spectrum falls like that of a filtered random field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    count = int(2.0 * HALF_M / spacing) + 6
    total = np.zeros((len(axis), len(axis)))
    # Two lattices with origins of their own, so that neither shows.
    for _ in range(2):
        # The sum of three uniform numbers in -1..1 has variance 1 and looks like a normal one.
        lattice = np.zeros((count, count))
        for _ in range(3):
            lattice += 2.0 * random.random((count, count)) - 1.0
        east, north = ((axis + HALF_M) / spacing + share for share in random.random(2).tolist())
        rows = np.zeros((len(axis), count))
        for cell, weight in _spline(north):
            rows += weight[:, None] * lattice[cell]
        for cell, weight in _spline(east):
            total += weight[None, :] * rows[:, cell]
    return total / (np.sqrt(2.0) * _SPLINE_MEAN_SQUARE)


def _spline(place: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the four lattice points that a cubic B-spline takes at each place, and their weights."""
    cell = np.floor(place).astype(int)
    t = place - cell
    yield cell, (1.0 - t) * (1.0 - t) * (1.0 - t) / 6.0
    yield cell + 1, (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0
    yield cell + 2, (-3.0 * t * t * t + 3.0 * t * t + 3.0 * t + 1.0) / 6.0
    yield cell + 3, t * t * t / 6.0


def relief_surface(
    random: np.random.Generator, axis: np.ndarray, spacings: Sequence[float], roughness: float
) -> np.ndarray:
    """Return a sum of lattice surfaces with amplitudes spacing^roughness, of unit rms and without a tilt.

    Args:
        random: the random numbers.
        axis: coordinates along both sides, m.
        spacings: spacings of the lattices, m; each about half the one before.
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
