"""Polygons and lines on rasters: what lies inside, and how far away a line is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

Point = tuple[float, float]
Polygon = tuple[Point, ...]


def rectangle(west: float, south: float, east: float, north: float) -> Polygon:
    """Return a rectangle, counter-clockwise."""
    return ((west, south), (east, south), (east, north), (west, north))


def rounded(points: Sequence[Point]) -> Polygon:
    """Return the points to the millimetre."""
    return tuple((round(float(x), 3), round(float(y), 3)) for x, y in points)


def area(polygon: Sequence[Point]) -> float:
    """Return the area of a simple polygon, m2."""
    following = [*polygon[1:], polygon[0]]
    return 0.5 * abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, following, strict=True)))


def bounds(polygon: Sequence[Point]) -> tuple[float, float, float, float]:
    """Return the west, south, east and north edge, m."""
    east, north = [p[0] for p in polygon], [p[1] for p in polygon]
    return min(east), min(north), max(east), max(north)


def edges(polygon: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Yield the edges of a closed polygon."""
    yield from zip(polygon, [*polygon[1:], polygon[0]], strict=True)


def window(x: np.ndarray, y: np.ndarray, box: tuple[float, float, float, float], margin: float = 0.0):
    """Return the slices (rows, columns) of two rising axes that lie within a box and a margin."""
    west, south, east, north = box
    rows = slice(int(np.searchsorted(y, south - margin)), int(np.searchsorted(y, north + margin, "right")))
    columns = slice(int(np.searchsorted(x, west - margin)), int(np.searchsorted(x, east + margin, "right")))
    return rows, columns


def inside(polygon: Sequence[Point], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return which points of a raster lie inside a polygon, by the even-odd rule.

    Args:
        polygon: corners, m.
        x: rising axis of the columns, m.
        y: rising axis of the rows, m.
    """
    mask = np.zeros((len(y), len(x)), bool)
    for (x1, y1), (x2, y2) in edges(polygon):
        if y1 == y2:
            continue
        rows = slice(int(np.searchsorted(y, min(y1, y2))), int(np.searchsorted(y, max(y1, y2))))
        crossing = x1 + (y[rows] - y1) * ((x2 - x1) / (y2 - y1))
        mask[rows] ^= x[None, :] < crossing[:, None]
    return mask


def paint(raster: np.ndarray, value: int, polygon: Sequence[Point], x: np.ndarray, y: np.ndarray) -> None:
    """Write a value into the cells whose middles lie inside a polygon."""
    rows, columns = window(x, y, bounds(polygon))
    raster[rows, columns][inside(polygon, x[columns], y[rows])] = value


def segment_distance(a: Point, b: Point, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the distance (rows, columns) of raster points from a segment, m."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    east, north = x[None, :] - a[0], y[:, None] - a[1]
    along = np.clip((east * dx + north * dy) / (dx * dx + dy * dy), 0.0, 1.0)
    return np.sqrt((east - along * dx) ** 2 + (north - along * dy) ** 2)


def line_distance(points: Sequence[Point], x: np.ndarray, y: np.ndarray, reach: float) -> np.ndarray:
    """Return the distance (rows, columns) of raster points from a line of segments, m; `reach` where it is farther."""
    distance = np.full((len(y), len(x)), reach)
    for a, b in zip(points[:-1], points[1:], strict=True):
        rows, columns = window(x, y, bounds((a, b)), reach)
        near = segment_distance(a, b, x[columns], y[rows])
        np.minimum(distance[rows, columns], near, out=distance[rows, columns])
    return distance


def box_distance(box: tuple[float, float, float, float], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the distance (rows, columns) of raster points from a rectangle, 0 inside, m."""
    west, south, east, north = box
    east_of = np.maximum(np.maximum(west - x, x - east), 0.0)[None, :]
    north_of = np.maximum(np.maximum(south - y, y - north), 0.0)[:, None]
    return np.sqrt(east_of**2 + north_of**2)


def west_of(polygon: Sequence[Point], x: float) -> Polygon:
    """Return the part of a polygon west of a meridian."""
    return _half(polygon, lambda p: p[0] - x, x)


def east_of(polygon: Sequence[Point], x: float) -> Polygon:
    """Return the part of a polygon east of a meridian."""
    return _half(polygon, lambda p: x - p[0], x)


def _half(polygon: Sequence[Point], outside, x: float) -> Polygon:
    kept: list[Point] = []
    for a, b in edges(polygon):
        if outside(a) <= 0.0:
            kept.append(a)
        if (outside(a) < 0.0 < outside(b)) or (outside(b) < 0.0 < outside(a)):
            kept.append((x, a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])))
    return rounded(kept)


def smoothstep(value: np.ndarray) -> np.ndarray:
    """Return 0 below 0, 1 above 1 and a smooth step between."""
    t = np.clip(value, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
