"""The obstacles of the tile as simple shapes: triangles, cylinders, ellipsoids and outlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from acres_ros.world.tile.buildings import Bin, Building, Farmstead
from acres_ros.world.tile.frame import height_at
from acres_ros.world.tile.trees import Trees

# Reflectivity at 905 nm and share of the light that a metre lets through. Foliage: 0.3 to 0.6 a metre in leaf.
MATERIALS = (
    ("grass", 0.48, 0.0),
    ("soil", 0.22, 0.0),
    ("asphalt", 0.15, 0.0),
    ("gravel", 0.30, 0.0),
    ("building", 0.55, 0.0),
    ("bin", 0.62, 0.0),
    ("trunk", 0.32, 0.0),
    ("foliage", 0.50, 0.45),
    ("crop", 0.46, 0.40),
    ("vehicle", 0.40, 0.0),
    ("water", 0.04, 0.0),
)
BUILDING, BIN, TRUNK, FOLIAGE = 4, 5, 6, 7
OVERHANG_M = 0.45
ROOF_M = 0.22
ROOF_SIDES = 12
FOUNDATION_M = 0.3
"""How far walls reach below the lowest ground beside them."""

Vector = np.ndarray


def scene_document(heights: np.ndarray, farms: Sequence[Farmstead], trees: Trees) -> dict[str, Any]:
    """Return the obstacle scene, schema `acres-core-scene-1`.

    Args:
        heights: corner heights, m.
        farms: farmsteads.
        trees: trees.
    """
    triangles: list[list[float]] = []
    cylinders: list[list[float]] = []
    outlines: list[dict[str, Any]] = []
    for number, building in enumerate((b for farm in farms for b in farm.buildings), 1):
        low, high = ground_range(heights, building)
        wall = high + building.eave
        triangles += (_triangle(BUILDING, t) for t in _house(building, low - FOUNDATION_M, wall))
        outlines.append(
            {
                "id": f"building-{number:03d}",
                "polygon": [list(p) for p in building.outline],
                "z_min": _mm(low - FOUNDATION_M),
                "z_max": _mm(wall + building.ridge),
            }
        )
    for number, silo in enumerate((b for farm in farms for b in farm.bins), 1):
        base = _bin_base(heights, silo)
        cylinders.append([BIN, silo.x, silo.y, _mm(base), silo.radius, _mm(silo.eave)])
        triangles += (_triangle(BIN, t) for t in _cone(silo, base + silo.eave))
        outlines.append(
            {
                "id": f"bin-{number:02d}",
                "circle": [silo.x, silo.y, silo.radius],
                "z_min": _mm(base),
                "z_max": _mm(base + silo.eave + _cone_height(silo)),
            }
        )
    foot = np.round(height_at(heights, trees.x, trees.y) - 0.05, 3)
    trunk = np.round(0.5 * (trees.clear + trees.height), 3)
    half = np.round(0.5 * (trees.height - trees.clear), 3)
    stems = np.stack([trees.x, trees.y, foot, trees.radius, trunk], axis=1)
    cylinders += ([TRUNK, *row] for row in stems.tolist())
    middle = np.round(foot + trees.height - half, 3)
    crowns = np.stack([trees.x, trees.y, middle, trees.crown, trees.crown, half], axis=1)
    ellipsoids = [[FOLIAGE, *row] for row in crowns.tolist()]
    top = np.round(foot + trees.height, 3)
    rows = np.stack([trees.x, trees.y, trees.radius, foot, top], axis=1).tolist()
    for number, (x, y, r, low, high) in enumerate(rows, 1):
        outlines.append({"id": f"tree-{number:04d}", "circle": [x, y, r], "z_min": low, "z_max": high})
    return {
        "schema": "acres-core-scene-1",
        "materials": [
            {"name": name, "reflectivity": reflectivity, "transmission_per_m": through}
            for name, reflectivity, through in MATERIALS
        ],
        "triangles": triangles,
        "cylinders": cylinders,
        "ellipsoids": ellipsoids,
        "outlines": outlines,
    }


def obstacle_document(farms: Sequence[Farmstead], trees: Trees) -> dict[str, Any]:
    """Return the obstacles of the scouting map with their heights over the ground, schema `acres-obstacles-1`."""
    found: list[dict[str, Any]] = []
    for number, building in enumerate((b for farm in farms for b in farm.buildings), 1):
        found.append(
            {
                "id": f"building-{number:03d}",
                "kind": building.kind,
                "polygon": [list(p) for p in building.outline],
                "height_m": _mm(building.eave + building.ridge),
            }
        )
    for number, silo in enumerate((b for farm in farms for b in farm.bins), 1):
        circle = [silo.x, silo.y, silo.radius]
        height = _mm(silo.eave + _cone_height(silo))
        found.append({"id": f"bin-{number:02d}", "kind": "bin", "circle": circle, "height_m": height})
    for number, (x, y, r, height) in enumerate(zip(trees.x, trees.y, trees.radius, trees.height, strict=True), 1):
        circle = [float(x), float(y), float(r)]
        found.append({"id": f"tree-{number:04d}", "kind": "tree", "circle": circle, "height_m": float(height)})
    return {"schema": "acres-obstacles-1", "obstacles": found}


def ground_range(heights: np.ndarray, building: Building) -> tuple[float, float]:
    """Return the lowest and the highest ground along the walls of a building, m."""
    corners = np.array(building.outline)
    following = np.roll(corners, -1, axis=0)
    line = np.concatenate([corners + share * (following - corners) for share in (0.0, 0.25, 0.5, 0.75)])
    z = height_at(heights, line[:, 0], line[:, 1])
    return float(z.min()), float(z.max())


def _bin_base(heights: np.ndarray, silo: Bin) -> float:
    side = silo.radius * np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])
    return float(height_at(heights, silo.x + side[:, 0], silo.y + side[:, 1]).min()) - 0.05


def _cone_height(silo: Bin) -> float:
    return 0.5 * silo.radius


def _house(building: Building, base: float, wall: float) -> Iterator[tuple[Vector, Vector, Vector]]:
    """Yield the triangles of a box with a gable roof: 10 of the walls, 20 of the roof, outward counter-clockwise."""
    corners = [np.array(p) for p in building.outline]
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        yield from _quad(_at(a, base), _at(b, base), _at(b, wall), _at(a, wall))
    ridge = wall + building.ridge
    ends = 0.5 * (corners[3] + corners[0]), 0.5 * (corners[1] + corners[2])
    yield _at(corners[1], wall), _at(corners[2], wall), _at(ends[1], ridge)
    yield _at(corners[3], wall), _at(corners[0], wall), _at(ends[0], ridge)
    along = (corners[1] - corners[0]) / _length(corners[1] - corners[0])
    for near, far in ((0, 1), (2, 3)):
        outward = corners[near] - (ends[0] if near == 0 else ends[1])
        half = _length(outward)
        drop = building.ridge * OVERHANG_M / half
        over = outward / half * OVERHANG_M
        reach = along * OVERHANG_M * (1.0 if near == 0 else -1.0)
        start, end = (ends[0], ends[1]) if near == 0 else (ends[1], ends[0])
        eave = (_at(corners[near] + over - reach, wall - drop), _at(corners[far] + over + reach, wall - drop))
        top = (_at(start - reach, ridge), _at(end + reach, ridge))
        yield from _slab((eave[0], eave[1], top[1], top[0]))


def _slab(lower: tuple[Vector, Vector, Vector, Vector]) -> Iterator[tuple[Vector, Vector, Vector]]:
    """Yield the triangles of one half of a roof: top, underside, edge at the eave and both ends."""
    a, b, c, d = lower
    lift = np.array([0.0, 0.0, ROOF_M])
    yield from _quad(a + lift, b + lift, c + lift, d + lift)
    yield from _quad(d, c, b, a)
    yield from _quad(a, b, b + lift, a + lift)
    yield from _quad(b, c, c + lift, b + lift)
    yield from _quad(d, a, a + lift, d + lift)


def _cone(silo: Bin, eave: float) -> Iterator[tuple[Vector, Vector, Vector]]:
    tip = np.array([silo.x, silo.y, eave + _cone_height(silo)])
    angles = 2.0 * np.pi * np.arange(ROOF_SIDES + 1) / ROOF_SIDES
    ring = np.stack([silo.x + silo.radius * np.cos(angles), silo.y + silo.radius * np.sin(angles)], axis=1)
    for a, b in zip(ring[:-1], ring[1:], strict=True):
        yield _at(a, eave), _at(b, eave), tip


def _quad(a: Vector, b: Vector, c: Vector, d: Vector) -> Iterator[tuple[Vector, Vector, Vector]]:
    yield a, b, c
    yield a, c, d


def _at(point: Vector, z: float) -> Vector:
    return np.array([point[0], point[1], z])


def _length(vector: Vector) -> float:
    return float(np.sqrt(vector[0] * vector[0] + vector[1] * vector[1]))


def _triangle(material: int, corners: tuple[Vector, Vector, Vector]) -> list[float]:
    return [material, *(_mm(value) for corner in corners for value in corner)]


def _mm(value: float) -> float:
    return round(float(value), 3)
