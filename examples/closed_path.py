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
    """A rounded rectangle, driven counter-clockwise from the beginning of a straight, with a straight that leads to it.

    Coordinates along the path count from where the lap begins: they are negative before.

    Args:
        x, y, heading: start pose, m and rad.
        lead: length of the straight from the start pose to the lap, m.
        length: length of one lap, m.
        width: how far the lap reaches to the left, m.
        radius: radius of the four arcs, m.
    """

    def __init__(
        self, x: float, y: float, heading: float, *, lead: float, length: float, width: float, radius: float
    ) -> None:
        cross = width - 2.0 * radius
        along = 0.5 * (length - 2.0 * math.pi * radius) - cross
        self.lead, self.length = lead, length
        self._lead = Segment(x, y, heading, lead, 0.0)
        x, y, heading = self._lead.pose(lead)
        self.segments: list[Segment] = []
        for straight in (along, cross, along, cross):
            for piece, curvature in ((straight, 0.0), (0.5 * math.pi * radius, 1.0 / radius)):
                self.segments.append(Segment(x, y, heading, piece, curvature))
                x, y, heading = self.segments[-1].pose(piece)

    def pose(self, s: float) -> tuple[float, float, float]:
        """Return x, y and heading at a coordinate; beyond a lap it goes on from the beginning of the lap."""
        segment, s = self._at(s)
        return segment.pose(s)

    def curvature(self, s: float) -> float:
        """Return the curvature at a coordinate, 1/m, positive left."""
        segment, _ = self._at(s)
        return segment.curvature

    def _at(self, s: float) -> tuple[Segment, float]:
        """Return the segment of a coordinate, and how far along it the coordinate is, m."""
        if s < 0.0:
            return self._lead, self.lead + s
        s %= self.length
        for segment in self.segments:
            if s <= segment.length:
                return segment, s
            s -= segment.length
        return self.segments[-1], self.segments[-1].length

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
