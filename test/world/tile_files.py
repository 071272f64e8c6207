"""The files of a tile, read and searched without the readers and the generator of the package."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

STEP = 1.524
WEST = SOUTH = -762.0
PLANTED = ("corn", "soybean", "potato")


class TileFiles:
    """Arrays and documents of a tile, and what they say at a point."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        acre = folder / "ACRE"
        self.heights = np.fromfile(acre / "heights.f32", "<f4").reshape(1001, 1001).astype(float)
        self.surface = np.fromfile(acre / "surface.u8", np.uint8).reshape(1000, 1000)
        self.field_raster = np.fromfile(acre / "fields.u8", np.uint8).reshape(381, 381)
        self.soil_raster = np.fromfile(acre / "soils.u8", np.uint8).reshape(381, 381)
        self.zones = np.fromfile(acre / "Scouting" / "ground_classes.u8", np.uint8).reshape(381, 381)
        self.site = self.document("ACRE/site.json")
        self.fields = {f["number"]: f for f in self.document("ACRE/fields.json")["fields"]}
        self.soils = self.document("ACRE/soils.json")["units"]
        self.crops = {f["number"]: f for f in self.document("ACRE/crops_2026.json")["fields"]}
        self.places = {p["id"]: p for p in self.document("ACRE/places.json")["places"]}
        self.obstacles = self.document("ACRE/Scouting/obstacles.json")["obstacles"]
        self.scene = self.document("acre_scene.json")

    def document(self, name: str) -> dict[str, Any]:
        return json.loads((self.folder / name).read_text())

    def plane(self, x: float, y: float) -> tuple[float, float, float]:
        """Return height (m) and slopes to the east and north on the triangle below a point."""
        column, row = math.floor((x - WEST) / STEP), math.floor((y - SOUTH) / STEP)
        u, v = (x - WEST) / STEP - column, (y - SOUTH) / STEP - row
        south_west, south_east = self.heights[row, column], self.heights[row, column + 1]
        north_west, north_east = self.heights[row + 1, column], self.heights[row + 1, column + 1]
        if u >= v:  # the diagonal runs from south-west to north-east; this is the triangle below it
            east, north = south_east - south_west, north_east - south_east
        else:
            east, north = north_east - north_west, north_west - south_west
        return south_west + u * east + v * north, east / STEP, north / STEP

    def surface_at(self, x: float, y: float) -> int:
        return int(self.surface[math.floor((y - SOUTH) / STEP), math.floor((x - WEST) / STEP)])

    def zone_at(self, x: float, y: float) -> int:
        return int(self.zones[math.floor((y - SOUTH) / 4.0), math.floor((x - WEST) / 4.0)])

    def field_at(self, x: float, y: float) -> int:
        return int(self.field_raster[math.floor((y - SOUTH) / 4.0), math.floor((x - WEST) / 4.0)])

    def surfaces_in(self, west: float, south: float, east: float, north: float) -> np.ndarray:
        """Return the classes of the surface cells whose middles lie in a rectangle."""
        middle = WEST + STEP * (np.arange(1000) + 0.5)
        rows, columns = (middle > south) & (middle < north), (middle > west) & (middle < east)
        return self.surface[np.ix_(rows, columns)]

    def patches(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the crop patches (x, y) of a field: every whole metre inside its polygon."""
        corners = np.array(self.fields[number]["polygon"])
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        x, y = np.meshgrid(np.arange(math.ceil(west), east), np.arange(math.ceil(south), north))
        inside = contains(corners, x.ravel(), y.ravel())
        return x.ravel()[inside], y.ravel()[inside]

    def planted(self) -> list[int]:
        return [number for number, crop in self.crops.items() if crop["crop"] in PLANTED]

    def distances(self, x: float, y: float) -> list[tuple[float, str]]:
        """Return the horizontal distance of each outline from a point, m, the nearest first; 0 inside."""
        return sorted((distance(outline, x, y), outline["id"]) for outline in self.scene["outlines"])


def contains(corners: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return which points lie inside a polygon, by counting the edges north of each."""
    crossings = np.zeros(x.shape, int)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if x1 != x2:
            spans = (x1 > x) != (x2 > x)
            crossings += spans & (y1 + (x - x1) * (y2 - y1) / (x2 - x1) > y)
    return crossings % 2 == 1


def distance(outline: dict[str, Any], x: float, y: float) -> float:
    """Return the horizontal distance of an outline from a point, m; 0 inside."""
    if "circle" in outline:
        east, north, radius = outline["circle"]
        return max(math.hypot(x - east, y - north) - radius, 0.0)
    corners = np.array(outline["polygon"])
    if contains(corners, np.array([x]), np.array([y]))[0]:
        return 0.0
    return min(
        _from_segment(a, b, np.array([x, y])) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    )


def _from_segment(a: np.ndarray, b: np.ndarray, point: np.ndarray) -> float:
    along = np.clip(np.dot(point - a, b - a) / np.dot(b - a, b - a), 0.0, 1.0)
    return float(np.linalg.norm(a + along * (b - a) - point))


def first_triangle(scene: dict[str, Any], origin: np.ndarray, direction: np.ndarray) -> tuple[float, int]:
    """Return the smallest ray parameter at which a triangle is hit, and its material (Cramer's rule)."""
    rows = np.array(scene["triangles"])
    a, b, c = rows[:, 1:4], rows[:, 4:7], rows[:, 7:10]
    matrix = np.stack([b - a, c - a, np.broadcast_to(-direction, a.shape)], axis=2)
    solvable = np.abs(np.linalg.det(matrix)) > 1e-9
    u, v, t = np.linalg.solve(matrix[solvable], (origin - a[solvable])[:, :, None])[:, :, 0].T
    hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)
    best = np.flatnonzero(hit)[np.argmin(t[hit])]
    return float(t[best]), int(rows[solvable][best, 0])


def first_round(scene: dict[str, Any], origin: np.ndarray, direction: np.ndarray) -> float:
    """Return the smallest ray parameter of a level ray at which it enters a cylinder or an ellipsoid; inf for none."""
    found = [math.inf]
    for _, x, y, base, radius, height in scene["cylinders"]:
        if base <= origin[2] <= base + height:
            found.append(_circle(origin - (x, y, 0.0), direction, radius))
    for _, x, y, z, rx, ry, rz in scene["ellipsoids"]:
        rest = 1.0 - ((origin[2] - z) / rz) ** 2
        if rest > 0.0:
            scale = np.array([1.0 / rx, 1.0 / ry, 0.0])
            found.append(_circle((origin - (x, y, 0.0)) * scale, direction * scale, math.sqrt(rest)))
    return min(found)


def _circle(start: np.ndarray, direction: np.ndarray, radius: float) -> float:
    a = direction[0] ** 2 + direction[1] ** 2
    b = start[0] * direction[0] + start[1] * direction[1]
    c = start[0] ** 2 + start[1] ** 2 - radius**2
    root = b * b - a * c
    if root < 0.0:
        return math.inf
    near, far = (-b - math.sqrt(root)) / a, (-b + math.sqrt(root)) / a
    return near if near > 0.0 else far if far > 0.0 else math.inf
