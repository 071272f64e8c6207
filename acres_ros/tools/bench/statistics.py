"""Percentiles, and lateness against a grid."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least a share of the values does not exceed.

    Args:
        values: at least one.
        share: 0 to 1.
    """
    ordered = sorted(values)
    # The tolerance keeps a product such as 0.07 * 100 = 7.000000000000001 at its seventh value.
    rank = -int(-(share * len(ordered) - 1e-9) // 1)
    return ordered[max(rank, 1) - 1]


def grid_lateness(times: Sequence[float], numbers: Sequence[int], period: float) -> list[float]:
    """Return how far each event is from its place on a grid; the grid lies so that the median event is on it.

    Args:
        times: wall times of the events, s.
        numbers: places of the events on the grid, counted in periods.
        period: s.
    """
    offsets = [time - period * (place - numbers[0]) for time, place in zip(times, numbers, strict=True)]
    middle = percentile(offsets, 0.5)
    return [offset - middle for offset in offsets]
