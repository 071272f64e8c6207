"""Row G3: rays of the Helios in a second of one thread on the farm, beside Embree on the same scene."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.models.lidar_beams import VIEW, fill_views
from acres_ros.tools.bench.embree import EmbreePeer, find_embree
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.world import World

RAYS_BAR = 10e6
EMBREE_BAR = 2.0
NOT_INSTALLED = "Embree is not installed: pip install -r requirements/bench.txt"


def place_poses(world: World) -> dict[str, np.ndarray]:
    """Return the pose of `base_footprint` on the ground at each place of a world."""
    poses = {}
    for place in world.places:
        half = 0.5 * place.yaw
        z = float(world.terrain.height_at(place.x, place.y))
        poses[place.id] = np.array([place.x, place.y, z, 0.0, 0.0, np.sin(half), np.cos(half)])
    return poses


def rays_of(pattern: LidarPattern, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return origins and directions, float32 (beams, 3), of the rays of a sweep from a pose at rest."""
    views = np.empty((1, VIEW))
    fill_views(pose[None], pattern.mount.pose, views)
    origin, axes = views[0, :3], views[0, 3:].reshape(3, 3)
    cosine, sine = pattern.beams.columns[:, :1], pattern.beams.columns[:, 1:]
    forward, left, up = pattern.beams.rings.T
    along = np.stack([forward * cosine - left * sine, forward * sine + left * cosine, up + 0.0 * cosine], axis=-1)
    head = np.stack([cosine, sine, 0.0 * cosine], axis=-1) * pattern.axis_offset_m + 0.0 * along
    starts = origin + head.reshape(-1, 3) @ axes.T
    return starts.astype(np.float32), np.ascontiguousarray(along.reshape(-1, 3) @ axes.T, np.float32)


def lidar_figures(world: World, *, repeats: int = 20) -> Iterator[Figure]:
    """Yield the figures of row G3.

    Args:
        world: where it scans, from each of its places; it has a scene.
        repeats: measurements at each place, in turn with Embree; the best count.
    """
    lidar, pattern = Lidar.of(world), LidarPattern.helios()
    peer = EmbreePeer(world.terrain, world.scene) if find_embree() and world.scene else None
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    noisy: dict[str, float] = {}
    for name, pose in place_poses(world).items():
        rays = rays_of(pattern, pose)
        for repeat in range(repeats + 1):
            # Every ray is cast and every crown solid, as for Embree; the hits become points besides.
            _best(
                ours, name, partial(lidar.scan, pattern, pose, self_returns=False, foliage=False, crops=False), repeat
            )
            _best(noisy, name, partial(lidar.scan, pattern, pose, noise=True), repeat)
            if peer:
                _best(theirs, name, partial(peer.cast, *rays, pattern.farthest_m), repeat)
    count = pattern.beam_count * len(ours)
    slowest = max(ours, key=lambda name: ours[name])
    beside = f"{len(ours)} places, best of {repeats} each; {1e3 * ours[slowest]:.1f} ms a scan at {slowest}"
    yield Figure("G3", "Helios rays of one thread in a second of CPU time", count / sum(ours.values()), "rays/s",
                 Bar(RAYS_BAR, least=True), beside)  # fmt: skip
    yield Figure("G3", "the same with own body, leaves, crops and noise", count / sum(noisy.values()), "rays/s", None,
                 f"{1e3 * sum(noisy.values()) / len(noisy):.1f} ms a scan")  # fmt: skip
    if peer:
        ratio = sum(theirs.values()) / sum(ours.values())
        beside = f"Embree {count / sum(theirs.values()):,.0f} rays/s in turns; " + ", ".join(
            f"{name} {theirs[name] / ours[name]:.2f}" for name in ours
        )
        yield Figure("G3", "rays, over those of Embree on the same scene", ratio, "x", Bar(EMBREE_BAR, True), beside)
    else:
        yield Figure("G3", "rays, over those of Embree on the same scene", float("nan"), "x", None, NOT_INSTALLED)


def _best(times: dict[str, float], name: str, act: Callable[[], object], repeat: int) -> None:
    """Keep the shortest CPU time of an act; the first run, which compiles or loads, does not count."""
    begin = time.thread_time()
    act()
    if repeat > 0:
        times[name] = min(times.get(name, float("inf")), time.thread_time() - begin)
