"""The ray-cast LiDAR: scans of a world from the poses of a vehicle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core.lidar_pattern import LidarError, LidarPattern
from acres_ros.core.streams import DEFAULT_SEED, checked_seed
from acres_ros.models.body import rotation_matrix
from acres_ros.models.ground import Ground
from acres_ros.models.lidar import NOTHING, Echoes, Index, Sight, new_room, scan_columns
from acres_ros.models.lidar_beams import POSE, VIEW, Turn, fill_views, part_of
from acres_ros.models.lidar_box import BOX, box_bounds
from acres_ros.models.lidar_crops import Crops, crop_relief, crops_of
from acres_ros.models.lidar_index import (
    SECTORS,
    WIDEST,
    Lists,
    Relief,
    fill_skyline,
    list_shapes,
    relief_of,
    shape_bounds,
)
from acres_ros.models.maths import log
from acres_ros.models.scene_ray import SceneShapes, scene_shapes
from acres_ros.models.streams import scan_key
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material
from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.terrain import Terrain
from acres_ros.world.world import World

FEW_BEAMS = 4096
"""Patterns of fewer beams are scanned without an index: making it would take longer."""
CHUNKS = 4
"""Parts of a scan for each thread."""
MOST_THREADS = 256
VEHICLE, CROP = "vehicle", "crop"
_NO_LISTS = Lists(np.zeros(SECTORS + 1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3)))
_NO_CROPS = crops_of(np.zeros(0), np.zeros(0), np.zeros(0))
_NO_SLOPES = np.zeros((SECTORS, 0))
_NO_INDEX = Index(0, 1.0, _NO_SLOPES, 1.0, _NO_SLOPES, _NO_LISTS)


class Box(NamedTuple):
    """A box that beams meet, such as another vehicle.

    Attributes:
        centre: x, y, z of its middle, m.
        size: lengths along its own axes, m.
        orientation: quaternion x, y, z, w.
    """

    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Scan:
    """One sweep. Beam number: column * rings + ring.

    Attributes:
        columns: number of columns.
        rings: number of rings.
        ranges: f4 (beams,), m; infinity for no echo.
        points: f4 (beams, 4): x, y, z (m) in the frame of the sensor, intensity; NaN and 0 for no echo.
        materials: u1 (beams,): place in the materials of the LiDAR, 255 for no echo.
        returns: number of echoes.
    """

    columns: int
    rings: int
    ranges: np.ndarray
    points: np.ndarray
    materials: np.ndarray
    returns: int


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
        self._sights: dict[tuple[LidarPattern, bool, str | None], Sight] = {}
        self._pools: dict[int, ThreadPoolExecutor] = {}

    @classmethod
    def of(cls, world: World) -> Lidar:
        """Return the LiDAR of a world."""
        return cls(world.terrain, world.scene, world.ground)

    def materials(self, pattern: LidarPattern) -> tuple[Material, ...]:
        """Return what the material codes of a scan mean: the scene's materials, then those of the pattern alone."""
        own = () if self._scene is None else self._scene.materials
        names = {material.name for material in own}
        return (*own, *(material for material in pattern.materials if material.name not in names))

    def scan(
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
        threads: int = 1,
    ) -> Scan:
        """Return one sweep.

        Args:
            pattern: the beams and the optics.
            poses: of `base_footprint` in the world: x, y, z (m), qx, qy, qz, qw; one, or rows evenly spaced in time
                from the first column to the end of the sweep. Between them the pose is interpolated; a pattern that is
                not rolling uses the first.
            boxes: other vehicles, where they are during the whole sweep.
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
            threads: over which the columns are spread; the result is the same.

        Raises:
            LidarError: poses, boxes, a material or a number of threads that cannot be.
            SeedRefusedError: seed, environment or step is not a word of 64 bits.
        """
        track = _poses(poses)
        if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
            raise LidarError("threads", threads, f"a whole number from 1 to {MOST_THREADS}")
        words = (
            checked_seed("the seed", seed),
            checked_seed("the environment", environment),
            checked_seed("the step", step),
        )
        key = np.uint64(scan_key(*map(np.uint64, words)))
        sight = self._sight(pattern, foliage, ground_material)
        masks = np.zeros(0, np.uint16)
        if not crops:
            sight = sight._replace(crops=_NO_CROPS)
        elif crushed is not None:
            if np.shape(crushed) != (len(sight.crops.tops),) or crushed.dtype != np.uint16:
                wanted = f"a mask of 16 bits for each of the {len(sight.crops.tops)} crop patches"
                raise LidarError("the crushed crop", (np.shape(crushed), str(crushed.dtype)), wanted)
            masks = crushed
        if crops and len(sight.crops.tops):
            masks = _without_vehicle(sight.crops, masks, track, pattern)
        views = np.empty((pattern.columns, VIEW))
        fill_views(track if pattern.rolling else track[:1], pattern.mount.pose, views)
        others = _boxes(boxes)
        body = pattern.body_hits if self_returns else np.zeros((0, 2))
        count = pattern.beam_count
        echoes = Echoes(np.empty(count, np.float32), np.empty((count, 4), np.float32), np.empty(count, np.uint8))
        vehicle = [material.name for material in self.materials(pattern)].index(VEHICLE)
        use = count >= FEW_BEAMS if index is None else index
        tasks = []
        whole = [(_NO_INDEX, 0, pattern.columns)]
        for found, first, last in self._parts(views, others, pattern, sight.crops) if use else whole:
            step_ = max(1, -(-(last - first) // (threads * CHUNKS if threads > 1 else 1)))
            for start in range(first, last, step_):
                tasks.append((found, start, min(start + step_, last)))

        def act(task: tuple[Index, int, int]) -> int:
            found, start, end = task
            return scan_columns(
                sight, masks, pattern.beams, views, others, found, body, vehicle, pattern.optics, key, noise,
                start, end, new_room(), echoes,
            )  # fmt: skip

        returns = sum(self._pool(threads).map(act, tasks) if threads > 1 else map(act, tasks))
        return Scan(pattern.columns, pattern.rings, *echoes, int(returns))

    def _pool(self, threads: int) -> ThreadPoolExecutor:
        if threads not in self._pools:
            self._pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="lidar")
        return self._pools[threads]

    def _relief(self, most: float) -> Relief:
        if most not in self._reliefs:
            self._reliefs[most] = relief_of(self._field, most)
        return self._reliefs[most]

    def _crop_relief(self, most: float) -> Relief:
        if most not in self._crop_reliefs:
            self._crop_reliefs[most] = crop_relief(self._crops, most)
        return self._crop_reliefs[most]

    def _sight(self, pattern: LidarPattern, foliage: bool, ground_material: str | None) -> Sight:
        key = (pattern, foliage, ground_material)
        if key not in self._sights:
            self._sights[key] = self._make_sight(*key)
        return self._sights[key]

    def _make_sight(self, pattern: LidarPattern, foliage: bool, ground_material: str | None) -> Sight:
        materials = self.materials(pattern)
        names = [material.name for material in materials]
        ground = pattern.ground if ground_material is None else (ground_material,) * len(pattern.ground)
        if ground_material is not None and ground_material not in names:
            raise LidarError("the material of the ground", ground_material, f"one of {', '.join(names)}")
        through = np.array([material.transmission_per_m for material in materials])
        with np.errstate(divide="ignore"):
            densities = np.where(foliage & (through > 0.0), _densities(through), np.inf)
        return Sight(
            self._field,
            self._shapes,
            *self._classes,
            np.array([names.index(name) for name in ground], np.uint8),
            self._crops,
            names.index(CROP),
            np.array([material.reflectivity for material in materials]),
            densities,
        )

    def _parts(
        self, views: np.ndarray, boxes: np.ndarray, pattern: LidarPattern, crops: Crops
    ) -> Iterator[tuple[Index, int, int]]:
        """Yield ranges of columns, each with the index of the places from which they are fired."""
        most = pattern.farthest_m
        relief, bounds = self._relief(most), box_bounds(boxes)
        room, first = WIDEST[1] * relief.block - pattern.axis_offset_m, 0
        while first < len(views):
            last, x, y, z, slack = part_of(views, first, room)
            slack += pattern.axis_offset_m
            slopes = np.empty((SECTORS, relief.bins))
            fill_skyline(relief, x, y, z, slack, slopes)
            lists = Lists(*list_shapes(self._shapes, self._bounds, bounds, x, y, z, slack, most))
            crop_block, crop_slopes = 1.0, _NO_SLOPES
            if len(crops.tops):
                high = self._crop_relief(most)
                crop_block, crop_slopes = high.block, np.empty((SECTORS, high.bins))
                fill_skyline(high, x, y, z, slack, crop_slopes)
            yield Index(1, relief.block, slopes, crop_block, crop_slopes, lists), first, last
            first = last


def _densities(through: np.ndarray) -> np.ndarray:
    """Return the hits per metre in materials that let a part of the light through a metre: Beer and Lambert."""
    return np.array([-log(max(part, 1e-300)) for part in through.tolist()])


def _crops(terrain: Terrain, ground: Ground) -> Crops:
    """Return the crops of the ground, which stand on the terrain below the middle of each patch."""
    x, y = ground.patches["x"].astype(np.float64), ground.patches["y"].astype(np.float64)
    tops = terrain.height_at(x, y) + ground.patches["height"] if len(x) else np.zeros(0)
    return crops_of(np.floor(x + 0.5), np.floor(y + 0.5), tops)


def _without_vehicle(crops: Crops, masks: np.ndarray, track: np.ndarray, pattern: LidarPattern) -> np.ndarray:
    """Return the masks of crops with all that stands where the vehicle is at the first and at the last pose."""
    masks = masks.copy() if len(masks) else np.zeros(len(crops.tops), np.uint16)
    if len(pattern.body) == 0:
        return masks
    low, high = pattern.body[:, :2].min(axis=0), pattern.body[:, 3:5].max(axis=0)
    reach = int(np.abs([low, high]).max()) + 3
    for pose in track[[0, -1]]:
        (ahead_x, ahead_y), along = _heading(pose), pose[:2]
        row, column = (int(np.floor(value)) for value in (along[1] - crops.y0, along[0] - crops.x0))
        window = slice(max(row - reach, 0), max(row + reach, 0)), slice(max(column - reach, 0), max(column + reach, 0))
        near = crops.patches[window]
        at_row, at_column = np.nonzero(near >= 0)
        patches = near[at_row, at_column]
        for bit in range(9):
            x = crops.x0 + window[1].start + at_column + (bit % 3 + 0.5) / 3.0 - along[0]
            y = crops.y0 + window[0].start + at_row + (bit // 3 + 0.5) / 3.0 - along[1]
            forward, left = x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y
            inside = (forward >= low[0]) & (forward <= high[0]) & (left >= low[1]) & (left <= high[1])
            masks[patches[inside]] |= np.uint16(1 << bit)
    return masks


def _heading(pose: np.ndarray) -> tuple[float, float]:
    """Return the level unit vector that a pose looks along; east where it looks up or down."""
    axes = rotation_matrix(Turn(pose[6], pose[3], pose[4], pose[5]))
    size = float(np.hypot(axes[0], axes[3]))
    return (axes[0] / size, axes[3] / size) if size > 1e-9 else (1.0, 0.0)


def _class_raster(ground: Ground | None) -> tuple[np.ndarray, float, float, float]:
    """Return surface classes, the south-west corner of their raster (m), and one over the size of its cells (1/m)."""
    if ground is None:
        return np.full((1, 1), SurfaceClass.GRASS, np.uint8), 0.0, 0.0, 1.0
    grid = ground.grid[0]
    return ground.classes, float(grid["class_x0"]), float(grid["class_y0"]), 1.0 / float(grid["class_cell"])


def _no_shapes() -> SceneShapes:
    return scene_shapes(np.zeros((0, 9)), np.zeros((0, 5)), np.zeros((0, 6)), np.zeros(0))


def _poses(given: Any) -> np.ndarray:
    """Return poses as an array (n, POSE)."""
    try:
        poses = np.atleast_2d(np.asarray(given, np.float64))
    except (TypeError, ValueError):
        raise LidarError("a pose", given, "x, y, z, qx, qy, qz, qw, or rows of these") from None
    if poses.ndim != 2 or poses.shape[1] != POSE or len(poses) == 0:
        raise LidarError("the shape of the poses", poses.shape, "x, y, z, qx, qy, qz, qw, or rows of these")
    if not (np.isfinite(poses).all() and (np.abs(poses[:, :3]) <= 1e7).all()):
        raise LidarError("a pose", poses.tolist(), "finite numbers, within 10,000 km of the origin")
    size = np.linalg.norm(poses[:, 3:], axis=1)
    if not ((size > 0.5) & (size < 2.0)).all():
        raise LidarError("a quaternion", poses[:, 3:].tolist(), "a length of 1")
    return np.ascontiguousarray(poses)


def _boxes(boxes: Sequence[Box]) -> np.ndarray:
    """Return boxes as the kernels take them, (n, BOX)."""
    rows = np.zeros((len(boxes), BOX))
    for row, box in zip(rows, boxes, strict=True):
        try:
            numbers = np.array([*box.centre, *box.size, *box.orientation], float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if len(numbers) != 10 or not np.isfinite(numbers).all() or not (numbers[3:6] > 0.0).all():
            raise LidarError("a box", tuple(box), "a centre, lengths above 0, and a quaternion")
        size = float(np.linalg.norm(numbers[6:]))
        if not 0.5 < size < 2.0:
            raise LidarError("the quaternion of a box", box.orientation, "a length of 1")
        qx, qy, qz, qw = numbers[6:] / size
        row[:3], row[3:6], row[6:] = numbers[:3], 0.5 * numbers[3:6], rotation_matrix(Turn(qw, qx, qy, qz))
    return rows


__all__ = ["NOTHING", "Box", "Lidar", "LidarError", "LidarPattern", "Scan"]
