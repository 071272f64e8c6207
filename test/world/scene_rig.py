"""Scenes of a few shapes."""

from __future__ import annotations

import numpy as np

from acres_ros.world.scene import Scene, SceneHit
from acres_ros.world.scene_file import Material, SceneFile

MATERIALS = (Material("building", 0.55, 0.0), Material("trunk", 0.32, 0.0), Material("foliage", 0.5, 0.45))
WALL = [(0, 10, -5, 0, 10, 5, 0, 10, 5, 4), (0, 10, -5, 0, 10, 5, 4, 10, -5, 4)]  # x = 10
TRUNK = (1, 0, 20, -1, 0.5, 6)  # at (0, 20), radius 0.5, from z = -1 to 5
CROWN = (2, -20, 0, 8, 3, 4, 5)


def build(triangles=(), cylinders=(), ellipsoids=()) -> Scene:
    tables = [np.array(rows, float).reshape(-1, width) for rows, width in ((triangles, 10), (cylinders, 6))]
    return Scene.build(SceneFile(MATERIALS, *tables, np.array(ellipsoids, float).reshape(-1, 7), ()))


def met(hit: SceneHit | None) -> SceneHit:
    assert hit is not None
    return hit
