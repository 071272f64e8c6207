"""One sweep of a LiDAR as a job: what it needs is fixed when it is made, and another thread may do it later."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core.lidar_pattern import LidarError, LidarPattern
from acres_ros.core.weather import Weather
from acres_ros.models.lidar import Echoes, Index, Sight, new_room, scan_columns
from acres_ros.models.lidar_beams import POSE, VIEW, fill_views, part_of
from acres_ros.models.lidar_box import BOX, Boxes, box_bounds, fill_box
from acres_ros.models.lidar_crops import CLEARING, Crops, highest_top, open_outline
from acres_ros.models.lidar_index import SECTORS, WIDEST, Bounds, Lists, Relief, fill_skyline, list_shapes, new_skyline
from acres_ros.models.lidar_weather import KNOTS, Air, fill_clutter

CHUNKS = 4
"""Parts of a scan for each thread."""
MOST_THREADS = 256
_NO_LISTS = Lists(np.zeros(SECTORS + 1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3)))
_NO_SLOPES = np.zeros((0, SECTORS), np.float32)
_NO_CLEARINGS = np.zeros((0, CLEARING))
_CLEAR_AIR = Air(0, 0.0, 1.0, 0.0, np.zeros(KNOTS), np.zeros(KNOTS), 0.0, 0, 0)
_NO_INDEX = Index(0, 1.0, _NO_SLOPES, 1.0, _NO_SLOPES, 0.0, _NO_CLEARINGS, _NO_LISTS)


class Box(NamedTuple):
    """A box that beams meet, such as another vehicle.

    Attributes:
        centre: x, y, z of its middle, m.
        size: lengths along its own axes, m.
        orientation: quaternion x, y, z, w.
        track: where it is instead while it moves: rows x, y, z, qx, qy, qz, qw of its middle, evenly spaced in time
            from the first column to the end of the sweep, as those of the vehicle; empty: it is at rest.
    """

    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    track: Any = ()

    @classmethod
    def moving(cls, track: Any, size: tuple[float, float, float]) -> Box:
        """Return a box of a size (m) that moves along a track."""
        poses = checked_poses(track)
        first = poses[0].tolist()
        return cls(tuple(first[:3]), size, tuple(first[3:]), poses)


class BoxTrack(NamedTuple):
    """A box that was checked.

    Attributes:
        track: poses of its middle (n, POSE), with quaternions of length 1; one: it is at rest.
        half: half its lengths (3,), m.
    """

    track: np.ndarray
    half: np.ndarray


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


class Scenery(NamedTuple):
    """What the beams of a pattern can meet in a world, and what speeds up the search.

    Attributes:
        sight: what does not move.
        bounds: of the shapes.
        vehicle: material of boxes and of the own body.
        rain, dust: materials of what is in the air.
        relief, crop_relief: of terrain and crops, for an index; None: no index is made, or there are no crops.
    """

    sight: Sight
    bounds: Bounds
    vehicle: int
    rain: int
    dust: int
    relief: Relief | None
    crop_relief: Relief | None


@dataclass(frozen=True, eq=False)
class ScanJob:
    """A sweep that can be run, on any thread; it repeats to the bit. `Lidar.prepare` makes it.

    Attributes:
        pattern: the beams and the optics.
        scenery: of the world.
        track: poses of `base_footprint`, (n, POSE).
        boxes: of other vehicles.
        crushed: mask of each crop patch, the job's own, in which a run clears the place of the vehicle; empty: nothing
            is crushed.
        body: where each beam meets the own body, (beams, 2), or (0, 2).
        key: of the scan, from `scan_key`.
        noise: whether there is noise.
        weather: rain and dust.
    """

    pattern: LidarPattern
    scenery: Scenery
    track: np.ndarray
    boxes: tuple[BoxTrack, ...]
    crushed: np.ndarray
    body: np.ndarray
    key: np.uint64
    noise: bool
    weather: Weather

    def run(self, threads: int = 1) -> Scan:
        """Return the sweep.

        Args:
            threads: over which the columns are spread, this one among them; the result is the same.

        Raises:
            LidarError: a number of threads that cannot be.
        """
        if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
            raise LidarError("threads", threads, f"a whole number from 1 to {MOST_THREADS}")
        pattern, sight = self.pattern, self.scenery.sight
        (masks, clearings), boxes, air = self._masks(), self._boxes(), self._air()
        views = np.empty((pattern.columns, VIEW))
        fill_views(self.track if pattern.rolling else self.track[:1], pattern.mount.pose, views)
        count = pattern.beam_count
        echoes = Echoes(np.empty(count, np.float32), np.empty((count, 4), np.float32), np.empty(count, np.uint8))
        tasks: deque[tuple[Index, int, int]] = deque()
        for found, first, last in self._parts(views, boxes, clearings):
            step = max(1, -(-(last - first) // (threads * CHUNKS if threads > 1 else 1)))
            tasks.extend((found, start, min(start + step, last)) for start in range(first, last, step))

        def act() -> int:
            """Scan parts until none is left, and return the number of echoes."""
            room, returns = new_room(), 0
            while True:
                try:
                    found, start, end = tasks.popleft()
                except IndexError:
                    return returns
                returns += scan_columns(
                    sight, masks, pattern.beams, views, boxes, found, self.body, self.scenery.vehicle,
                    pattern.optics, pattern.air, air, self.key, self.noise, start, end, room, echoes,
                )  # fmt: skip

        # This thread scans too instead of waiting for parts one by one, which costs a change of threads each.
        helpers = [_pool(threads - 1).submit(act) for _ in range(threads - 1)]
        returns = act() + sum(helper.result() for helper in helpers if not helper.cancel())
        return Scan(pattern.columns, pattern.rings, *echoes, int(returns))

    def _masks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the masks of the crops without what stands where the vehicle is at the first and the last pose.

        And the clearings there (n, CLEARING).
        """
        crops, body, masks = self.scenery.sight.crops, self.pattern.body, self.crushed
        if len(crops.tops) == 0 or len(body) == 0:
            return masks, _NO_CLEARINGS
        if len(masks) == 0:
            masks = np.zeros(len(crops.tops), np.uint16)
        outline = np.concatenate([body[:, :2].min(axis=0), body[:, 3:5].max(axis=0)])
        clearings = np.empty((2, CLEARING))
        for pose, clearing in zip(self.track[[0, -1]], clearings, strict=True):
            open_outline(crops, masks, outline, pose, clearing)
        return masks, clearings

    def _air(self) -> Air:
        """Return the air, with its tables if there is anything in it."""
        weather, scenery, pattern = self.weather, self.scenery, self.pattern
        if weather.is_clear:
            return _CLEAR_AIR
        drops, puffs = np.empty(KNOTS), np.empty(KNOTS)
        drop, dust = (float(scenery.sight.reflectivities[code]) for code in (scenery.rain, scenery.dust))
        rates = float(weather.rain_mm_per_h), float(weather.dust_per_m)
        extinction, slope, puff = fill_clutter(pattern.optics, pattern.air, *rates, drop, dust, drops, puffs)
        return Air(1, extinction, slope, puff, drops, puffs, drop, scenery.rain, scenery.dust)

    def _boxes(self) -> Boxes:
        """Return the boxes, where they are in each column if one of them moves."""
        count, pattern = len(self.boxes), self.pattern
        moving = pattern.rolling and any(len(box.track) > 1 for box in self.boxes)
        rows = np.empty(((pattern.columns if moving else 1) * count, BOX))
        for number, box in enumerate(self.boxes):
            fill_box(box.track if moving else box.track[:1], box.half, number, count, rows)
        return Boxes(rows, count, pattern.rings if moving else 0)

    def _parts(self, views: np.ndarray, boxes: Boxes, clearings: np.ndarray) -> Iterator[tuple[Index, int, int]]:
        """Yield ranges of columns, each with the index of the places from which they are fired."""
        scenery, most = self.scenery, self.pattern.farthest_m
        if scenery.relief is None:
            yield _NO_INDEX, 0, len(views)
            return
        relief, bounds = scenery.relief, box_bounds(boxes)
        offset, first = self.pattern.axis_offset_m, 0
        while first < len(views):
            last, x, y, z, slack, rise = part_of(views, offset, first, WIDEST[1] * relief.block - offset)
            slopes = new_skyline(relief)
            fill_skyline(relief, x, y, z, slack, rise, slopes)
            lists = Lists(*list_shapes(scenery.sight.scene, scenery.bounds, bounds, x, y, z, slack, rise, most))
            crop_block, crop_slopes, crop_top = 1.0, _NO_SLOPES, 0.0
            if scenery.crop_relief is not None:
                crop_block, crop_slopes = scenery.crop_relief.block, new_skyline(scenery.crop_relief)
                fill_skyline(scenery.crop_relief, x, y, z, slack, rise, crop_slopes)
                crop_top = highest_top(scenery.sight.crops, x, y, most + slack)
            yield Index(1, relief.block, slopes, crop_block, crop_slopes, crop_top, clearings, lists), first, last
            first = last


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return the threads that help with the columns of scans."""
    return ThreadPoolExecutor(threads, thread_name_prefix="lidar")


def checked_crushed(crushed: np.ndarray | None, crops: Crops) -> np.ndarray:
    """Return a copy of the masks of crushed crop; empty for None.

    Raises:
        LidarError: masks that are not of these crops.
    """
    if crushed is None:
        return np.zeros(0, np.uint16)
    if np.shape(crushed) != (len(crops.tops),) or crushed.dtype != np.uint16:
        wanted = f"a mask of 16 bits for each of the {len(crops.tops)} crop patches"
        raise LidarError("the crushed crop", (np.shape(crushed), str(crushed.dtype)), wanted)
    return crushed.copy()


def checked_poses(given: Any, what: str = "a pose") -> np.ndarray:
    """Return poses as an array of its own (n, POSE)."""
    try:
        poses = np.atleast_2d(np.array(given, np.float64, order="C"))
    except (TypeError, ValueError):
        raise LidarError(what, given, "x, y, z, qx, qy, qz, qw, or rows of these") from None
    if poses.ndim != 2 or poses.shape[1] != POSE or len(poses) == 0:
        raise LidarError(f"the shape of {what}", poses.shape, "x, y, z, qx, qy, qz, qw, or rows of these")
    if not (np.isfinite(poses).all() and (np.abs(poses[:, :3]) <= 1e7).all()):
        raise LidarError(what, poses.tolist(), "finite numbers, within 10,000 km of the origin")
    size = np.linalg.norm(poses[:, 3:], axis=1)
    if not ((size > 0.5) & (size < 2.0)).all():
        raise LidarError(f"the quaternion of {what}", poses[:, 3:].tolist(), "a length of 1")
    return poses


def checked_boxes(boxes: Sequence[Box]) -> tuple[BoxTrack, ...]:
    """Return boxes as a job takes them."""
    return tuple(_checked_box(box) for box in boxes)


def _checked_box(box: Box) -> BoxTrack:
    at_rest = len(box.track) == 0
    try:
        size = np.array(box.size, float)
        given = [*box.centre, *box.orientation] if at_rest else box.track
    except (TypeError, ValueError):
        size, given = np.zeros(0), ()
    if size.shape != (3,) or not (np.isfinite(size) & (size > 0.0)).all() or (at_rest and len(given) != POSE):
        raise LidarError("a box", tuple(box), "a centre, lengths above 0, and a quaternion")
    track = checked_poses(given, "a box")
    if (track == track[0]).all():
        track = track[:1]
    for row in track:
        row[3:] /= float(np.linalg.norm(row[3:]))
    return BoxTrack(track, 0.5 * size)
