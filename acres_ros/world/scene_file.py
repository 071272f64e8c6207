"""Read the obstacle scene of a world, and the obstacles of a scouting map."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acres_ros.world.errors import WorldFileError
from acres_ros.world.json_file import FARTHEST_M, Entry, read_json
from acres_ros.world.outlines import Outline, read_shape
from acres_ros.world.terrain import Terrain

SCENE_SCHEMA = "acres-core-scene-1"
OBSTACLES_SCHEMA = "acres-obstacles-1"
TRIANGLE = ("material", "x1", "y1", "z1", "x2", "y2", "z2", "x3", "y3", "z3")
CYLINDER = ("material", "x", "y", "z_base", "radius", "height")
ELLIPSOID = ("material", "x", "y", "z", "rx", "ry", "rz")
LENGTHS = ("radius", "height", "rx", "ry", "rz")
ROUND = np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])


@dataclass(frozen=True)
class Material:
    """What a ray of light meets.

    Attributes:
        name: what it is called, such as `building` or `foliage`.
        reflectivity: share of the light that comes back, 0 to 1.
        transmission_per_m: share of the light that a metre of it lets through, 0 (solid) to 1.
    """

    name: str
    reflectivity: float
    transmission_per_m: float


@dataclass(frozen=True, eq=False)
class SceneFile:
    """The content of a scene file.

    Attributes:
        materials: materials in the order of the file.
        triangles: (n, 10), material and three corners, m.
        cylinders: (n, 6), material, x, y, z of the lower end, radius, height, m.
        ellipsoids: (n, 7), material, x, y, z of the centre, half axes along x, y, z, m.
        outlines: collision outlines.
    """

    materials: tuple[Material, ...]
    triangles: np.ndarray
    cylinders: np.ndarray
    ellipsoids: np.ndarray
    outlines: tuple[Outline, ...]


def read_scene(path: str | Path) -> SceneFile:
    """Return what a scene file holds; raise `WorldFileError` for what is missing or not right."""
    scene = read_json(path, SCENE_SCHEMA)
    materials = tuple(_material(entry) for entry in scene.member("materials").elements("a list of materials", most=256))
    names = [material.name for material in materials]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise scene.member("materials").elements()[index].member("name").refuse("each name once")
    return SceneFile(
        materials,
        _shapes(scene.member("triangles"), TRIANGLE, len(materials)),
        _shapes(scene.member("cylinders"), CYLINDER, len(materials)),
        _shapes(scene.member("ellipsoids"), ELLIPSOID, len(materials)),
        tuple(_outline(entry) for entry in scene.member("outlines").elements("a list of outlines")),
    )


def read_obstacles(path: str | Path, terrain: Terrain) -> tuple[Outline, ...]:
    """Return the obstacles of a scouting map, which gives their heights above the ground.

    An obstacle reaches from the lowest ground along its outline to its height above the highest.

    Args:
        path: the file, schema `acres-obstacles-1`.
        terrain: the ground that they stand on.

    Raises:
        WorldFileError: a file that is missing or not right.
    """
    entries = read_json(path, OBSTACLES_SCHEMA).member("obstacles").elements("a list of obstacles")
    shapes, rims = [], []
    for entry in entries:
        polygon, circle = read_shape(entry)
        entry.member("kind").text()
        name, height = entry.member("id").text(), entry.member("height_m").number(above=0.0, high=1e4)
        shapes.append((name, height, polygon, circle))
        if circle is not None:
            rims.append(np.array(circle[:2]) + circle[2] * ROUND)
        elif polygon is not None:
            change = np.roll(polygon, -1, axis=0) - polygon
            rims.append(np.concatenate([polygon + share * change for share in (0.0, 0.25, 0.5, 0.75)]))
    if not shapes:
        return ()
    x, y = np.concatenate(rims).T
    first = np.cumsum([0, *(len(rim) for rim in rims[:-1])])
    ground = terrain.height_at(x, y)
    bottoms, tops = np.minimum.reduceat(ground, first), np.maximum.reduceat(ground, first)
    return tuple(
        Outline(name, float(bottom), float(top) + height, polygon=polygon, circle=circle)
        for (name, height, polygon, circle), bottom, top in zip(shapes, bottoms, tops, strict=True)
    )


def _material(entry: Entry) -> Material:
    return Material(
        entry.member("name").text(),
        entry.member("reflectivity").number(0.0, 1.0),
        entry.member("transmission_per_m").number(0.0, 1.0),
    )


def _outline(entry: Entry) -> Outline:
    polygon, circle = read_shape(entry)
    bottom = entry.member("z_min").number(-FARTHEST_M, FARTHEST_M)
    top = entry.member("z_max").number(bottom, FARTHEST_M)
    return Outline(entry.member("id").text(), bottom, top, polygon=polygon, circle=circle)


def _shapes(entry: Entry, columns: tuple[str, ...], materials: int) -> np.ndarray:
    """Return rows of a material and the numbers of a shape, in their ranges."""
    rows = entry.rows(columns)
    _check(entry, columns, rows, 0, (rows[:, 0] < 0) | (rows[:, 0] >= materials) | (rows[:, 0] % 1.0 != 0.0),
           f"the number of a material, 0 to {materials - 1}")  # fmt: skip
    for column, name in enumerate(columns[1:], 1):
        wrong = np.abs(rows[:, column]) > FARTHEST_M
        _check(entry, columns, rows, column, wrong, f"a number within {FARTHEST_M:g} m of the origin")
        if name in LENGTHS:
            _check(entry, columns, rows, column, rows[:, column] < 1e-6, "a length above 0, in m")
    return rows


def _check(
    entry: Entry, columns: tuple[str, ...], rows: np.ndarray, column: int, wrong: np.ndarray, wanted: str
) -> None:
    """Refuse the first row whose number in a column is wrong."""
    if wrong.any():
        index = int(np.argmax(wrong))
        key = f"{entry.key}[{index}].{columns[column]}"
        raise WorldFileError(entry.file, key, float(rows[index, column]), wanted)
