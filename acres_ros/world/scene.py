"""The obstacles of a world: shapes that rays meet, with their materials, and outlines that a vehicle touches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from acres_ros.models.obstacles import Obstacles, find_nearest, find_overlap
from acres_ros.models.scene_bvh import build_tree
from acres_ros.models.scene_ray import (
    CYLINDER,
    ELLIPSOID,
    TRIANGLE,
    SceneShapes,
    cast_scene_ray,
    cast_scene_rays,
    cast_shadow_ray,
    new_scratch,
    scene_shapes,
)
from acres_ros.world.errors import UnknownNameError, WorldError
from acres_ros.world.outlines import Outline, obstacle_arrays, with_outlines
from acres_ros.world.rays import Vector, hit_point, one_ray, ray_arrays, ray_limit, ray_limits
from acres_ros.world.scene_file import Material, SceneFile, read_obstacles, read_scene
from acres_ros.world.terrain import Terrain

NONE = -1


class ShapeKind(IntEnum):
    """What kind of shape a ray meets."""

    TRIANGLE = TRIANGLE
    CYLINDER = CYLINDER
    ELLIPSOID = ELLIPSOID


class SceneHit(NamedTuple):
    """Where a ray meets a shape.

    Attributes:
        t: the hit is origin + t direction; a distance in m if the direction has the length 1.
        point: the hit, m.
        normal: unit normal out of the shape; of a triangle, towards where the ray comes from.
        material: number of the material.
        kind: triangle, cylinder or ellipsoid.
        shape: which of its kind, in the order of the file.
        chord: how much of the ray from min_t on lies in the solid, in the unit of t; 0 for a triangle.
    """

    t: float
    point: Vector
    normal: Vector
    material: int
    kind: ShapeKind
    shape: int
    chord: float


class SceneHits(NamedTuple):
    """Where many rays meet shapes, one row for each ray; as `SceneHit`.

    Attributes:
        t: infinity for no hit.
        normals: (n, 3).
        materials: -1 for no hit.
        kinds: -1 for no hit.
        shapes: -1 for no hit.
        chords: 0 for no hit.
    """

    t: np.ndarray
    normals: np.ndarray
    materials: np.ndarray
    kinds: np.ndarray
    shapes: np.ndarray
    chords: np.ndarray


@dataclass(frozen=True, eq=False)
class Scene:
    """The obstacles of a world, read only; many threads may ask at once.

    Attributes:
        materials: what rays meet.
        shapes: the shapes and their tree, as the kernels take them.
        counts: number of triangles, cylinders and ellipsoids.
        outlines: collision outlines; the id of an obstacle is its place here.
        obstacles: the outlines, as the kernels take them.
    """

    materials: tuple[Material, ...]
    shapes: SceneShapes
    counts: tuple[int, int, int]
    outlines: tuple[Outline, ...]
    obstacles: Obstacles

    @classmethod
    def load(cls, path: str | Path) -> Scene:
        """Return the scene of a file, schema `acres-core-scene-1`.

        Raises:
            WorldFileError: a file that is missing or not right.
        """
        return cls.build(read_scene(path))

    @classmethod
    def build(cls, content: SceneFile) -> Scene:
        """Return the scene of what a file holds."""
        parts = (content.triangles, content.cylinders, content.ellipsoids)
        materials = np.concatenate([part[:, 0] for part in parts])
        triangles, cylinders, ellipsoids = (np.ascontiguousarray(part[:, 1:]) for part in parts)
        shapes = scene_shapes(triangles, cylinders, ellipsoids, materials)
        counts = (len(triangles), len(cylinders), len(ellipsoids))
        return cls(content.materials, shapes, counts, content.outlines, obstacle_arrays(content.outlines))

    def with_obstacles(self, path: str | Path, terrain: Terrain) -> Scene:
        """Return the scene with the obstacles of a scouting map in place of its outlines.

        Args:
            path: the file, schema `acres-obstacles-1`.
            terrain: the ground that its heights are above.

        Raises:
            WorldFileError: a file that is missing or not right.
        """
        outlines = read_obstacles(path, terrain)
        return replace(self, outlines=outlines, obstacles=obstacle_arrays(outlines))

    def extended(self, content: SceneFile) -> Scene:
        """Return the scene with more in it; materials, obstacles and shapes that were there keep their numbers.

        Args:
            content: what is added; the numbers of its materials are places in its own materials, and those whose names
                are there already are the ones that are there. Its shapes are numbered behind all others, whatever they
                are; `SceneHit.shape` of a shape of a lower kind then counts those before it too.
        """
        names = [material.name for material in self.materials]
        new = tuple(material for material in content.materials if material.name not in names)
        names += [material.name for material in new]
        places = np.array([names.index(material.name) for material in content.materials], np.int32)
        added = Scene.build(content).shapes
        shapes = _joined(self.shapes, added._replace(materials=places[added.materials]))
        return replace(
            self,
            materials=(*self.materials, *new),
            shapes=shapes,
            outlines=(*self.outlines, *content.outlines),
            obstacles=with_outlines(self.obstacles, content.outlines),
        )

    @property
    def triangle_count(self) -> int:
        """Return the number of triangles."""
        return self.counts[0]

    @property
    def cylinder_count(self) -> int:
        """Return the number of cylinders."""
        return self.counts[1]

    @property
    def ellipsoid_count(self) -> int:
        """Return the number of ellipsoids."""
        return self.counts[2]

    @property
    def obstacle_count(self) -> int:
        """Return the number of collision outlines."""
        return len(self.outlines)

    @property
    def node_count(self) -> int:
        """Return the number of nodes of the tree over the shapes."""
        return len(self.shapes.links)

    def ray_cast(
        self, origin: Sequence[float], direction: Sequence[float], max_t: float = np.inf, min_t: float = 0.0
    ) -> SceneHit | None:
        """Return the first hit of a ray on the shapes, None if there is none. The terrain is not one of them.

        A ray that starts in a cylinder or an ellipsoid meets the inside of it.

        Args:
            origin: x, y, z, m.
            direction: x, y, z; any length above 0.
            max_t: farthest hit, in units of the direction: m if its length is 1.
            min_t: nearest hit.

        Raises:
            WorldError: a number that is not finite, a direction of 0, a negative limit.
        """
        start, along = one_ray(origin, direction)
        least, most = ray_limit("min_t", min_t), ray_limit("max_t", max_t)
        t, item, nx, ny, nz, chord = cast_scene_ray(self.shapes, *start, *along, least, most)
        if item < 0:
            return None
        kind = ShapeKind(int(self.shapes.kinds[item]))
        return SceneHit(
            t,
            hit_point(start, along, t),
            (nx, ny, nz),
            int(self.shapes.materials[item]),
            kind,
            int(self.shapes.numbers[item]) - sum(self.counts[:kind]),
            chord,
        )

    def ray_casts(self, origins: Any, directions: Any, max_t: Any = np.inf, min_t: Any = 0.0) -> SceneHits:
        """Return the first hit of each of many rays; (n, 3) or one for all, limits of all or of each."""
        starts, along = ray_arrays(origins, directions)
        count = len(starts)
        least, most = ray_limits("min_t", min_t, count), ray_limits("max_t", max_t, count)
        t, items, chords, normals = np.empty(count), np.empty(count, np.int64), np.empty(count), np.empty((count, 3))
        cast_scene_rays(self.shapes, new_scratch(), starts, along, least, most, t, items, normals, chords)
        materials, kinds, numbers = np.full((3, count), NONE)
        hit = items >= 0
        met = items[hit]
        kinds[hit] = self.shapes.kinds[met]
        materials[hit] = self.shapes.materials[met]
        numbers[hit] = self.shapes.numbers[met] - np.cumsum([0, *self.counts])[kinds[hit]]
        return SceneHits(t, normals, materials, kinds, numbers, chords)

    def occluded(self, origin: Sequence[float], direction: Sequence[float], max_t: float = np.inf) -> bool:
        """Return whether a shape blocks a ray within max_t; args and errors as `ray_cast`."""
        start, along = one_ray(origin, direction)
        return bool(cast_shadow_ray(self.shapes, *start, *along, 0.0, ray_limit("max_t", max_t)))

    def overlaps(
        self,
        centre: Sequence[float],
        yaw: float,
        half_length: float,
        half_width: float,
        z_min: float,
        z_max: float,
    ) -> int:
        """Return the lowest id of the obstacles that a box touches, -1 for none.

        Args:
            centre: x and y of its centre, m, and the height that its own heights are above (0 if left out).
            yaw: its heading, rad; 0 is east.
            half_length: half its length, m.
            half_width: half its width, m.
            z_min: its bottom above the height of the centre, m.
            z_max: its top above the height of the centre, m.
        """
        if len(centre) not in (2, 3):
            raise WorldError("the centre of a box", centre, "x and y, or x, y and z")
        x, y, z = (*centre, 0.0)[:3]
        numbers = [x, y, z, yaw, half_length, half_width, z_min, z_max]
        if not (all(map(math.isfinite, numbers)) and half_length >= 0.0 and half_width >= 0.0 and z_min <= z_max):
            raise WorldError("the box (centre, yaw, half sizes, z)", tuple(numbers), "finite numbers, z_min <= z_max")
        number, _, _ = find_overlap(
            self.obstacles,
            float(x),
            float(y),
            float(yaw),
            float(half_length),
            float(half_width),
            float(z + z_min),
            float(z + z_max),
        )
        return int(number)

    def nearest_obstacle(self, x: float, y: float, max_m: float) -> float:
        """Return the horizontal distance (m) to the nearest obstacle: 0 inside, infinity if none is within max_m."""
        if not (math.isfinite(x) and math.isfinite(y) and max_m >= 0.0):
            raise WorldError("a search (x, y, max_m)", (x, y, max_m), "finite numbers, max_m of 0 or more")
        _, distance = find_nearest(self.obstacles, float(x), float(y), float(max_m))
        return float(distance)

    def obstacle_name(self, obstacle: int) -> str:
        """Return what an obstacle is called; raise `WorldError` for an id that is none."""
        if not 0 <= obstacle < len(self.outlines):
            raise WorldError("an obstacle id", obstacle, f"0 to {len(self.outlines) - 1}")
        return self.outlines[obstacle].name

    def material(self, index: int) -> Material:
        """Return a material by its number; raise `WorldError`."""
        if not 0 <= index < len(self.materials):
            raise WorldError("a material", index, f"0 to {len(self.materials) - 1}")
        return self.materials[index]

    def find_material(self, name: str) -> int:
        """Return the number of a material by its name; raise `UnknownNameError`."""
        for index, material in enumerate(self.materials):
            if material.name == name:
                return index
        raise UnknownNameError("material", name, (material.name for material in self.materials))


def _joined(first: SceneShapes, second: SceneShapes) -> SceneShapes:
    """Return two sets of shapes as one, with a tree over all; the numbers of the second follow those of the first."""
    count = len(first.numbers)
    numbers = np.concatenate([first.numbers, second.numbers + count])
    back = np.argsort(numbers, kind="stable")
    table, kinds, materials = (
        np.concatenate([one, other])[back]
        for one, other in (
            (first.shapes, second.shapes),
            (first.kinds, second.kinds),
            (first.materials, second.materials),
        )
    )
    low, high = _shape_ends(table, kinds)
    boxes, links, order = build_tree(low, high)
    return SceneShapes(table[order], kinds[order], materials[order], order, boxes, links)


def _shape_ends(table: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest coordinates of shapes (n, 3), m."""
    start = table[:, :3]
    corners = np.stack([start, start + table[:, 3:6], start + table[:, 6:9]])
    low, high = corners.min(axis=0), corners.max(axis=0)
    upright, round_ = kinds == CYLINDER, kinds == ELLIPSOID
    reach = np.stack([table[:, 3], table[:, 3], np.zeros(len(table))], axis=1)[upright]
    low[upright], high[upright] = start[upright] - reach, start[upright] + reach
    high[upright, 2] += table[upright, 4]
    low[round_], high[round_] = (start - table[:, 3:6])[round_], (start + table[:, 3:6])[round_]
    return low, high
