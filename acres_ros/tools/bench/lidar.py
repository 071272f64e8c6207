"""Row G3: rays of the Helios in a second on the farm, of one thread and of all, beside Embree on the same scene."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.models.lidar_beams import VIEW, fill_views
from acres_ros.tools.bench.all_threads import all_thread_figures, thread_count
from acres_ros.tools.bench.embree import EmbreePeer, find_embree
from acres_ros.tools.bench.figures import Bar, Figure
from acres_ros.tools.bench.times import Times
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
        repeats: measurements at each place, of one thread and of all, in turn with Embree; the best count.
    """
    lidar, pattern, threads = Lidar.of(world), LidarPattern.helios(), thread_count()
    peer = EmbreePeer(world.terrain, world.scene) if find_embree() and world.scene else None
    ours, ours_all, noisy, theirs, theirs_all = (Times() for _ in range(5))
    for name, pose in place_poses(world).items():
        rays = rays_of(pattern, pose)
        # Every ray is cast and every crown solid, as for Embree; the hits become points besides.
        scan = partial(lidar.scan, pattern, pose, self_returns=False, foliage=False, crops=False)
        for repeat in range(repeats + 1):
            ours.take(name, scan, repeat)
            ours_all.take(name, partial(scan, threads=threads), repeat)
            noisy.take(name, partial(lidar.scan, pattern, pose, noise=True), repeat)
            if peer:
                cast = partial(peer.cast, *rays, pattern.farthest_m)
                theirs.take(name, cast, repeat)
                theirs_all.take(name, partial(cast, threads=threads), repeat)
    count = pattern.beam_count * len(ours.cpu)
    yield from _one_thread(count, repeats, ours, noisy, theirs)
    yield from _all_threads(count, threads, ours, ours_all)
    yield _beside_embree_all(count, threads, ours_all, theirs, theirs_all)


def _one_thread(count: int, repeats: int, ours: Times, noisy: Times, theirs: Times) -> Iterator[Figure]:
    """Yield the figures of one thread for a count of rays; the times of Embree are empty where it is not there."""
    slowest = max(ours.cpu, key=lambda place: ours.cpu[place])
    beside = f"{len(ours.cpu)} places, best of {repeats} each; {1e3 * ours.cpu[slowest]:.1f} ms a scan at {slowest}"
    yield Figure("G3", "Helios rays of one thread in a second of CPU time", count / ours.cpu_s, "rays/s",
                 Bar(RAYS_BAR, least=True), beside)  # fmt: skip
    yield Figure("G3", "the same with own body, leaves, crops and noise", count / noisy.cpu_s, "rays/s", None,
                 f"{1e3 * noisy.cpu_s / len(noisy.cpu):.1f} ms a scan")  # fmt: skip
    name = "rays, over those of Embree on the same scene"
    if theirs.cpu:
        beside = f"Embree {count / theirs.cpu_s:,.0f} rays/s in turns; "
        beside += ", ".join(f"{place} {theirs.cpu[place] / ours.cpu[place]:.2f}" for place in ours.cpu)
        yield Figure("G3", name, theirs.cpu_s / ours.cpu_s, "x", Bar(EMBREE_BAR, True), beside)
    else:
        yield Figure("G3", name, float("nan"), "x", None, NOT_INSTALLED)


def _all_threads(count: int, threads: int, ours: Times, ours_all: Times) -> Iterator[Figure]:
    """Yield the figures of all threads, which share each scan."""
    yield from all_thread_figures(
        "G3",
        "Helios rays",
        "rays/s",
        one=count / ours.wall_s,
        together=count / ours_all.wall_s,
        threads=threads,
        beside=f"which share each scan; {1e3 * ours_all.wall_s / len(ours_all.wall):.1f} ms a scan",
    )


def _beside_embree_all(count: int, threads: int, ours_all: Times, theirs: Times, theirs_all: Times) -> Figure:
    """Return the figure of all threads over as many threads of Embree."""
    name = "rays of all threads, over those of Embree"
    if not theirs_all.wall:
        return Figure("G3", name, float("nan"), "x", None, NOT_INSTALLED)
    beside = f"Embree {count / theirs_all.wall_s:,.0f} rays/s of {threads} threads in turns, "
    beside += f"{theirs.wall_s / theirs_all.wall_s:.2f} times its one thread"
    return Figure("G3", name, theirs_all.wall_s / ours_all.wall_s, "x", None, beside)
