"""The ray-cast LiDAR: scans of a world from the poses of a vehicle."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from acres_ros.core.lidar_job import Box, Scan, ScanJob, Scenery, checked_boxes, checked_crushed, checked_poses
from acres_ros.core.lidar_pattern import LidarError, LidarPattern
from acres_ros.core.streams import DEFAULT_SEED, checked_seed
from acres_ros.core.weather import Weather, WeatherError
from acres_ros.models.ground import Ground
from acres_ros.models.lidar import NOTHING, Sight
from acres_ros.models.lidar_crops import Crops, crop_relief, crops_of
from acres_ros.models.lidar_index import Relief, relief_of, shape_bounds
from acres_ros.models.lidar_light import fill_densities
from acres_ros.models.scene_ray import SceneShapes, scene_shapes
from acres_ros.models.streams import scan_key
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material
from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.terrain import Terrain
from acres_ros.world.world import World

FEW_BEAMS = 4096
"""Patterns of fewer beams are scanned without an index: making it would take longer."""
VEHICLE, CROP, RAIN, DUST = "vehicle", "crop", "rain", "dust"
CLEAR = Weather()
_NO_CROPS = crops_of(np.zeros(0), np.zeros(0), np.zeros(0))


class Lidar:
    """A LiDAR in a world, read only: many threads may scan at once.

    Args:
        terrain: the ground.
        scene: the obstacles; None for none.
        ground: its surface classes give the material of the terrain, and its crops stand on it; None: grass everywhere.
    """

    def __init__(self, terrain: Terrain, scene: Scene | None = None, ground: Ground | None = None) -> None:
        self._field = terrain.field
        self._scene = scene
        self._shapes: SceneShapes = _no_shapes() if scene is None else scene.shapes
        self._bounds = shape_bounds(self._shapes)
        self._classes = _class_raster(ground)
        self._crops = _NO_CROPS if ground is None else _crops(terrain, ground)
        self._reliefs: dict[float, Relief] = {}
        self._crop_reliefs: dict[float, Relief] = {}
        self._sceneries: dict[tuple[Any, ...], Scenery] = {}

    @classmethod
    def of(cls, world: World) -> Lidar:
        """Return the LiDAR of a world."""
        return cls(world.terrain, world.scene, world.ground)

    def with_scene(self, scene: Scene) -> Lidar:
        """Return the LiDAR with other obstacles over the same ground; it takes some ten milliseconds on the farm."""
        other = copy(self)
        other._scene, other._shapes, other._bounds = scene, scene.shapes, shape_bounds(scene.shapes)
        other._sceneries = {}
        return other

    def materials(self, pattern: LidarPattern) -> tuple[Material, ...]:
        """Return what the material codes of a scan mean: the scene's materials, then those of the pattern alone."""
        own = () if self._scene is None else self._scene.materials
        names = {material.name for material in own}
        return (*own, *(material for material in pattern.materials if material.name not in names))

    def prepare(
        self,
        pattern: LidarPattern,
        poses: Any,
        *,
        boxes: Sequence[Box] = (),
        crops: bool = True,
        crushed: np.ndarray | None = None,
        noise: bool = False,
        seed: int = DEFAULT_SEED,
        environment: int = 0,
        step: int = 0,
        foliage: bool = True,
        self_returns: bool = True,
        ground_material: str | None = None,
        index: bool | None = None,
        weather: Weather | None = None,
    ) -> ScanJob:
        """Return one sweep as a job, which does not see what changes from now on.

        It takes a fifth of a millisecond, so that a simulation can go on while another thread runs the job. The first
        one of a pattern takes longer.

        Args:
            pattern: the beams and the optics.
            poses: of `base_footprint` in the world: x, y, z (m), qx, qy, qz, qw; one, or rows evenly spaced in time
                from the first column to the end of the sweep. Between them the pose is interpolated; a pattern that is
                not rolling uses the first.
            boxes: other vehicles, at rest or on their tracks.
            crops: whether the crops of the ground stand in the way.
            crushed: mask of each crop patch as `acres_ros.models.farm.Farm` has them; None: nothing is crushed.
            noise: whether distance and intensity have noise, echoes are lost, and distances have their resolution.
            seed: of the noise, of what leaves let through, and of the returns from the body, 0 to 2**64 - 1.
            environment: index of the environment, 0 or more.
            step: step count of the scan, 0 or more.
            foliage: whether leaves, also of crops, let a part of the beams through; else they are solid.
            self_returns: whether the vehicle's own body is there.
            ground_material: name of the material of all terrain; None: by the surface class, or grass.
            index: whether to use an index made for this scan; None: for patterns of many beams. The result is the same.
            weather: rain and dust; None: clear air.

        Raises:
            LidarError: poses, boxes or a material that cannot be.
            SeedRefusedError: seed, environment or step is not a word of 64 bits.
        """
        track = checked_poses(poses)
        words = (
            checked_seed("the seed", seed),
            checked_seed("the environment", environment),
            checked_seed("the step", step),
        )
        use = pattern.beam_count >= FEW_BEAMS if index is None else bool(index)
        scenery = self._scenery(pattern, foliage, ground_material, crops, use)
        return ScanJob(
            pattern,
            scenery,
            track,
            checked_boxes(boxes),
            checked_crushed(crushed if crops else None, scenery.sight.crops),
            pattern.body_hits if self_returns else np.zeros((0, 2)),
            np.uint64(scan_key(*map(np.uint64, words))),
            bool(noise),
            weather or CLEAR,
        )

    def scan(self, pattern: LidarPattern, poses: Any, *, threads: int = 1, **options: Any) -> Scan:
        """Return one sweep: `prepare(pattern, poses, **options).run(threads)`, with their arguments and errors."""
        return self.prepare(pattern, poses, **options).run(threads)

    def _scenery(self, *key: Any) -> Scenery:
        if key not in self._sceneries:
            self._sceneries[key] = self._make_scenery(*key)
        return self._sceneries[key]

    def _make_scenery(
        self, pattern: LidarPattern, foliage: bool, ground_material: str | None, crops: bool, index: bool
    ) -> Scenery:
        names = [material.name for material in self.materials(pattern)]
        standing = crops and len(self._crops.tops) > 0
        return Scenery(
            self._sight(pattern, foliage, ground_material, self._crops if standing else _NO_CROPS),
            self._bounds,
            names.index(VEHICLE),
            names.index(RAIN),
            names.index(DUST),
            self._relief(pattern.farthest_m) if index else None,
            self._crop_relief(pattern.farthest_m) if index and standing else None,
        )

    def _relief(self, most: float) -> Relief:
        if most not in self._reliefs:
            self._reliefs[most] = relief_of(self._field, most)
        return self._reliefs[most]

    def _crop_relief(self, most: float) -> Relief:
        if most not in self._crop_reliefs:
            self._crop_reliefs[most] = crop_relief(self._crops, most)
        return self._crop_reliefs[most]

    def _sight(self, pattern: LidarPattern, foliage: bool, ground_material: str | None, crops: Crops) -> Sight:
        materials = self.materials(pattern)
        names = [material.name for material in materials]
        ground = pattern.ground if ground_material is None else (ground_material,) * len(pattern.ground)
        if ground_material is not None and ground_material not in names:
            raise LidarError("the material of the ground", ground_material, f"one of {', '.join(names)}")
        through = np.array([material.transmission_per_m for material in materials])
        densities = np.empty(len(through))
        fill_densities(through, densities)
        densities[~(foliage & (through > 0.0))] = np.inf
        return Sight(
            self._field,
            self._shapes,
            *self._classes,
            np.array([names.index(name) for name in ground], np.uint8),
            crops,
            names.index(CROP),
            np.array([material.reflectivity for material in materials]),
            densities,
        )


def _crops(terrain: Terrain, ground: Ground) -> Crops:
    """Return the crops of the ground, which stand on the terrain below the middle of each patch."""
    x, y = ground.patches["x"].astype(np.float64), ground.patches["y"].astype(np.float64)
    tops = terrain.height_at(x, y) + ground.patches["height"] if len(x) else np.zeros(0)
    return crops_of(np.floor(x + 0.5), np.floor(y + 0.5), tops)


def _class_raster(ground: Ground | None) -> tuple[np.ndarray, float, float, float]:
    """Return surface classes, the south-west corner of their raster (m), and one over the size of its cells (1/m)."""
    if ground is None:
        return np.full((1, 1), SurfaceClass.GRASS, np.uint8), 0.0, 0.0, 1.0
    grid = ground.grid[0]
    return ground.classes, float(grid["class_x0"]), float(grid["class_y0"]), 1.0 / float(grid["class_cell"])


def _no_shapes() -> SceneShapes:
    return scene_shapes(np.zeros((0, 9)), np.zeros((0, 5)), np.zeros((0, 6)), np.zeros(0))


__all__ = ["NOTHING", "Box", "Lidar", "LidarError", "LidarPattern", "Scan", "ScanJob", "Weather", "WeatherError"]
