"""Embree as a peer of row G3: the same terrain and shapes as triangles, the same rays.

The package `embreex` (requirements/bench.txt) is wanted for this alone, and the row does without.
"""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import ModuleType

import numpy as np

from acres_ros.models.scene_shape import CYLINDER, ELLIPSOID, TRIANGLE
from acres_ros.world.scene import Scene
from acres_ros.world.terrain import Terrain

SIDES = 8
"""Sides of a cylinder, which has no ends here; an ellipsoid has 128 triangles."""
SLICES = 4
"""Slices of the rays for each thread, as many as a scan of ours has."""


class EmbreePeer:
    """A scene of Embree.

    Args:
        terrain: the ground.
        scene: the obstacles.
    """

    def __init__(self, terrain: Terrain, scene: Scene) -> None:
        core = importlib.import_module("embreex.rtcore_scene")
        mesh = importlib.import_module("embreex.mesh_construction")
        self._scene = core.EmbreeScene()
        self._meshes = [mesh.TriangleMesh(self._scene, *_terrain_mesh(terrain))]
        shapes, kinds = scene.shapes.shapes, scene.shapes.kinds
        flat = shapes[kinds == TRIANGLE]
        corners = flat[:, None, :3] + np.stack([0.0 * flat[:, 3:6], flat[:, 3:6], flat[:, 6:]], axis=1)
        for part in (corners, _prisms(shapes[kinds == CYLINDER]), _spheres(shapes[kinds == ELLIPSOID])):
            if len(part):
                self._meshes.append(mesh.TriangleMesh(self._scene, part.astype(np.float32)))

    def cast(self, origins: np.ndarray, directions: np.ndarray, most: float, *, threads: int = 1) -> np.ndarray:
        """Return the number of the triangle that each ray meets, -1 for none.

        Args:
            origins, directions: float32 (n, 3).
            most: distance to which rays go, m.
            threads: that share the rays; the package holds no lock of the interpreter while it casts.
        """
        if threads == 1:
            return self._run(origins, directions, most)
        cuts = np.linspace(0, len(origins), threads * SLICES + 1).astype(int)
        parts = [slice(*ends) for ends in zip(cuts[:-1], cuts[1:], strict=True)]
        return np.concatenate(list(_pool(threads).map(lambda p: self._run(origins[p], directions[p], most), parts)))

    def _run(self, origins: np.ndarray, directions: np.ndarray, most: float) -> np.ndarray:
        # The distances are overwritten with those of the hits, so each run needs new ones.
        distances = np.full(len(origins), most, np.float32)
        return self._scene.run(origins, directions, distances, query="INTERSECT")


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return the threads that share rays."""
    return ThreadPoolExecutor(threads, thread_name_prefix="embree")


def find_embree() -> ModuleType | None:
    """Return the package, None if it is not installed."""
    try:
        return importlib.import_module("embreex")
    except ImportError:
        return None


def _terrain_mesh(terrain: Terrain) -> tuple[np.ndarray, np.ndarray]:
    """Return corners and triangles of the terrain."""
    rows, columns = terrain.heights.shape
    east, north = np.meshgrid(
        terrain.x0 + terrain.cell * np.arange(columns), terrain.y0 + terrain.cell * np.arange(rows)
    )
    corners = np.stack([east, north, terrain.heights], axis=-1).reshape(-1, 3).astype(np.float32)
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.stack([first, first + 1, first + columns + 1], axis=1)
    upper = np.stack([first, first + columns + 1, first + columns], axis=1)
    return corners, np.concatenate([lower, upper]).astype(np.int32)


def _prisms(cylinders: np.ndarray) -> np.ndarray:
    """Return the triangles (n, 3, 3) of the sides of cylinders."""
    turn = 2.0 * np.pi * np.arange(SIDES + 1) / SIDES
    rim = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    low = cylinders[:, None, :3] + cylinders[:, None, 3:4] * rim
    high = low + cylinders[:, None, 4:5] * (0.0, 0.0, 1.0)
    one, two, three, four = low[:, :-1], low[:, 1:], high[:, 1:], high[:, :-1]
    triangles = np.concatenate([np.stack([one, two, three], axis=2), np.stack([one, three, four], axis=2)])
    return triangles.reshape(-1, 3, 3)


def _spheres(ellipsoids: np.ndarray) -> np.ndarray:
    """Return the triangles (n, 3, 3) of ellipsoids: an octahedron whose faces are cut in four, twice."""
    signs = np.array([(x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1)], float)
    faces = signs[:, None, :] * np.eye(3)
    for _ in range(2):
        a, b, c = faces[:, 0], faces[:, 1], faces[:, 2]
        ab, bc, ca = (_unit(p + q) for p, q in ((a, b), (b, c), (c, a)))
        faces = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return (ellipsoids[:, None, None, :3] + faces * ellipsoids[:, None, None, 3:6]).reshape(-1, 3, 3)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
