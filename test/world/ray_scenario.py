"""Cast rays on a rough terrain and on a scene of 300 shapes, look for obstacles, and print a hash of each answer."""

from __future__ import annotations

import hashlib

import numpy as np

from acres_ros.models.obstacles import find_nearest, overlap_after
from acres_ros.world.outlines import Outline, obstacle_arrays
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material, SceneFile
from acres_ros.world.terrain import Terrain


def main() -> None:
    random = np.random.default_rng(12)
    terrain = Terrain(random.uniform(-1.0, 1.0, (60, 50)), -40.0, -45.0, 1.524)
    origins, directions = random.uniform((-60, -60, -2), (60, 60, 4), (300, 3)), random.normal(size=(300, 3))
    directions[:, 2] *= 0.2
    place = random.uniform((-50, -50, -2), (50, 50, 6), (300, 3))
    corners = (place[:100, None] + random.uniform(-4, 4, (100, 3, 3))).reshape(100, 9)
    cylinders = np.c_[np.ones(100), place[100:200], random.uniform(0.1, 3, (100, 2))]
    ellipsoids = np.c_[np.zeros(100), place[200:], random.uniform(0.5, 4, (100, 3))]
    outlines = [Outline("trunk", 0.0, 3.0, circle=(x, y, r)) for _, x, y, _, r, _ in cylinders]
    outlines += [Outline("shed", 0.0, 3.0, polygon=corner.reshape(3, 3)[:, :2]) for corner in corners]
    materials = (Material("wood", 0.3, 0.0), Material("leaf", 0.5, 0.4))
    scene = Scene.build(SceneFile(materials, np.c_[np.zeros(100), corners], cylinders, ellipsoids, tuple(outlines)))
    obstacles = obstacle_arrays(outlines)
    touched = [overlap_after(obstacles, -1, x, y, 0.8, 0.6, 1.9, 0.8, 0.3, 2.0) for x, y, _ in origins.tolist()]
    near = [find_nearest(obstacles, x, y, 30.0) for x, y, _ in origins.tolist()]
    answers = (
        np.concatenate([part.ravel() for part in terrain.field[4:]]),
        np.concatenate([part.ravel() for part in terrain.ray_casts(origins, directions)]),
        np.concatenate([part.ravel() for part in scene.shapes]),
        np.concatenate([part.ravel() for part in scene.ray_casts(origins, directions, 60.0, 0.5)]),
        np.array([scene.occluded(*ray, 9.0) for ray in zip(origins, directions, strict=True)], float),
        np.array(touched, float),
        np.array(near, float),
    )
    for answer in answers:
        print(hashlib.sha256(answer.astype(np.float64).tobytes()).hexdigest(), len(np.unique(answer)))


if __name__ == "__main__":
    main()
