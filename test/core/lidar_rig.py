"""What the LiDAR tests share: beams by their angles, worked out without the models, and small worlds."""

from __future__ import annotations

import numpy as np

from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material, SceneFile
from acres_ros.world.terrain import Terrain

MATERIALS = (Material("building", 1.0, 0.0), Material("trunk", 0.9, 0.0), Material("foliage", 0.9, 0.6))
TILTED = (3.0, -2.0, 0.4, 0.03, -0.05, 0.6, 0.797)
"""A pose that leans to all sides; the quaternion has not quite the length 1."""
NO_TRIANGLES, NO_CYLINDERS, NO_ELLIPSOIDS = np.zeros((0, 10)), np.zeros((0, 6)), np.zeros((0, 7))


def matrix(quaternion) -> np.ndarray:
    """Return the matrix of a quaternion x, y, z, w."""
    x, y, z, w = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def local_beams(pattern: LidarPattern) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and directions (beams, 3) in the frame of the sensor, from the angles of the pattern."""
    column = np.repeat(np.arange(pattern.columns), pattern.rings)
    elevation = np.radians(np.tile(pattern.vertical_deg, pattern.columns))
    head = -2.0 * np.pi * column / pattern.columns
    azimuth = head - 2.0 * np.pi * pattern.hz * 1e-6 * np.tile(pattern.firing_us, pattern.columns)
    starts = pattern.axis_offset_m * np.stack([np.cos(head), np.sin(head), 0.0 * head], axis=1)
    level = np.cos(elevation)
    return starts, np.stack([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)], axis=1)


def world_beams(pattern: LidarPattern, poses) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and directions (beams, 3) in the world; poses of base_footprint: one, or one for each beam."""
    starts, along = local_beams(pattern)
    poses = np.atleast_2d(np.asarray(poses, float))
    roll, pitch, yaw = np.radians(pattern.mount.rpy_deg)
    turns = []
    for axis, angle in ((2, yaw), (1, pitch), (0, roll)):
        turns.append(matrix([*np.eye(3)[axis] * np.sin(angle / 2.0), np.cos(angle / 2.0)]))
    mount = turns[0] @ turns[1] @ turns[2]
    if len(poses) == 1:
        base = matrix(poses[0, 3:])
        origin = poses[0, :3] + base @ np.array(pattern.mount.xyz_m)
        return origin + starts @ (base @ mount).T, along @ (base @ mount).T
    base = np.array([matrix(pose[3:]) for pose in poses])
    origin = poses[:, :3] + base @ np.array(pattern.mount.xyz_m)
    turn = base @ mount
    return origin + np.einsum("nij,nj->ni", turn, starts), np.einsum("nij,nj->ni", turn, along)


def scene_of(triangles=NO_TRIANGLES, cylinders=NO_CYLINDERS, ellipsoids=NO_ELLIPSOIDS) -> Scene:
    """Return a scene; each row begins with the number of a material."""
    tables = (np.array(triangles, float), np.array(cylinders, float), np.array(ellipsoids, float))
    return Scene.build(SceneFile(MATERIALS, *tables, ()))


def hills(cells: int = 240, cell: float = 1.524, relief: float = 1.5, seed: int = 5) -> Terrain:
    """Return rough terrain round the origin."""
    random = np.random.default_rng(seed)
    place = cell * np.arange(cells + 1) - 0.5 * cells * cell
    east, north = np.meshgrid(place, place)
    heights = relief * (np.sin(east / 17.0) + np.cos(north / 23.0)) + random.uniform(-0.1, 0.1, east.shape)
    return Terrain(heights, place[0], place[0], cell)


def woods(terrain: Terrain, count: int = 250, spread: float = 170.0, seed: int = 7) -> Scene:
    """Return buildings, trunks and crowns on terrain."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(-spread, spread, (2, count))
    z = terrain.height_at(x, y)
    trunks = np.c_[np.ones(count), x, y, z - 0.5, random.uniform(0.1, 0.4, count), random.uniform(2.0, 5.0, count)]
    axes = random.uniform(1.0, 4.0, (count, 3))
    crowns = np.c_[np.full(count, 2.0), x, y, z + 5.0, axes]
    corner = np.c_[random.uniform(-spread, spread, (count, 2)), random.uniform(-3.0, 3.0, count)]
    walls = [np.zeros((count, 1)), corner, corner + random.uniform(-15.0, 15.0, (count, 3)) * (1.0, 1.0, 0.4)]
    return scene_of(np.hstack([*walls, corner + (0.0, 0.0, 6.0)]), trunks, crowns)


def on(terrain: Terrain, x: float, y: float, yaw: float, lean: float = 0.0) -> np.ndarray:
    """Return a pose of base_footprint on terrain."""
    turn = np.array([lean, -0.7 * lean, np.sin(yaw / 2.0), np.cos(yaw / 2.0)])
    return np.array([x, y, terrain.height_at(x, y), *turn / np.linalg.norm(turn)])
