"""A closed path of straights and arcs, and where a vehicle is along it. No ROS."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """A straight (curvature 0) or an arc; positive curvature turns left."""

    x: float
    y: float
    heading: float
    length: float
    curvature: float

    def pose(self, s: float) -> tuple[float, float, float]:
        """Return x, y (m) and heading (rad) after `s` metres of the segment."""
        if self.curvature == 0.0:
            return self.x + s * math.cos(self.heading), self.y + s * math.sin(self.heading), self.heading
        heading = self.heading + s * self.curvature
        return (
            self.x + (math.sin(heading) - math.sin(self.heading)) / self.curvature,
            self.y - (math.cos(heading) - math.cos(self.heading)) / self.curvature,
            heading,
        )


class ClosedPath:
    """A rounded rectangle, driven counter-clockwise from the middle of its first straight.

    Args:
        x, y, heading: start pose, m and rad.
        length: length of one lap, m.
        width: distance of the two long straights, m.
        radius: radius of the four arcs, m.
    """

    def __init__(self, x: float, y: float, heading: float, *, length: float, width: float, radius: float) -> None:
        cross = width - 2.0 * radius
        along = 0.5 * (length - 2.0 * math.pi * radius) - cross
        pieces = [(0.5 * along, 0.0)]
        for straight in (cross, along, cross, 0.5 * along):
            pieces += [(0.5 * math.pi * radius, 1.0 / radius), (straight, 0.0)]
        self.length = length
        self.segments: list[Segment] = []
        for piece, curvature in pieces:
            self.segments.append(Segment(x, y, heading, piece, curvature))
            x, y, heading = self.segments[-1].pose(piece)

    def pose(self, s: float) -> tuple[float, float, float]:
        """Return x, y and heading at `s` metres from the start; beyond a lap it goes on from the start."""
        s %= self.length
        for segment in self.segments:
            if s <= segment.length:
                return segment.pose(s)
            s -= segment.length
        return self.segments[-1].pose(self.segments[-1].length)

    def curvature(self, s: float) -> float:
        """Return the curvature at `s` metres from the start, 1/m, positive left."""
        s %= self.length
        for segment in self.segments:
            if s <= segment.length:
                return segment.curvature
            s -= segment.length
        return 0.0

    def project(self, x: float, y: float, guess: float) -> tuple[float, float]:
        """Return the path coordinate next to a point and the distance to its left, m.

        Args:
            x, y: the point.
            guess: a coordinate nearby; the last one.
        """
        s = guess
        for _ in range(4):
            px, py, heading = self.pose(s)
            s += (x - px) * math.cos(heading) + (y - py) * math.sin(heading)
        px, py, heading = self.pose(s)
        return s, -(x - px) * math.sin(heading) + (y - py) * math.cos(heading)
