"""Boxes that move during a sweep: each column meets them where they are by then, by closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lidar_rig import TILTED, hills, matrix, on, woods, world_beams

from acres_ros.core.lidar import Box, Lidar, LidarError, LidarPattern, Scan
from acres_ros.world.terrain import Terrain

DEEP = Terrain.flat(-500.0)
SIZE = (4.0, 1.8, 2.2)
FIRST = np.array([10.0, -9.0, 1.5, 0.05, 0.1, 0.3, 0.9])
LAST = np.array([8.0, 7.0, 2.0, 0.0, 0.1, 0.7, 0.7])
AT_REST = (0, 0, 0, 0, 0, 0, 1)


@pytest.fixture(scope="module")
def helios() -> LidarPattern:
    return LidarPattern.helios()


def outputs(scan: Scan) -> tuple[bytes, bytes, bytes, int]:
    return scan.ranges.tobytes(), scan.points.tobytes(), scan.materials.tobytes(), scan.returns


def slabs(starts: np.ndarray, along: np.ndarray, poses: np.ndarray, size) -> tuple[np.ndarray, np.ndarray]:
    """Return where each beam meets a box that has a pose for each beam, and the cosine of the incidence."""
    axes = np.array([matrix(pose[3:]) for pose in poses])
    s = np.einsum("nij,ni->nj", axes, starts - poses[:, :3])
    d = np.einsum("nij,ni->nj", axes, along)
    half = 0.5 * np.array(size)
    enter, leave = np.sort([(-half - s) / d, (half - s) / d], axis=0)
    t = np.where((enter.max(1) <= leave.min(1)) & (enter.max(1) > 0.0), enter.max(1), np.inf)
    return t, np.abs(d[np.arange(len(d)), enter.argmax(axis=1)])


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("steps", [1, 12])
def test_a_box_that_crosses_the_sweep_is_met_where_it_is_by_then(helios: LidarPattern, index: bool, steps: int):
    # The head turns to the right, and so does it: from the right end of the view over 16 m to the left.
    far = replace(helios, optics=helios.optics.copy())
    far.optics["limit_m"] = 1e4
    share = np.repeat(np.arange(1800) / 1800.0, 32)[:, None]
    ends = [poses * [1, 1, 1, *[1 / np.linalg.norm(poses[3:])] * 4] for poses in (FIRST, LAST)]
    knots = ends[0] + np.linspace(0.0, 1.0, steps + 1)[:, None] * (ends[1] - ends[0])
    place = share[:, 0] * steps
    low = place.astype(int)
    units = knots / np.hstack(
        [np.ones((steps + 1, 3)), np.linalg.norm(knots[:, 3:], axis=1)[:, None] * np.ones((1, 4))]
    )
    poses = units[low] + (place - low)[:, None] * (units[np.minimum(low + 1, steps)] - units[low])
    starts, along = world_beams(helios, TILTED)
    t, cosine = slabs(starts, along, poses, SIZE)
    scan = Lidar(DEEP).scan(far, TILTED, self_returns=False, boxes=[Box.moving(knots, SIZE)], index=index)
    seen = np.isfinite(t)
    assert seen.sum() > 600
    np.testing.assert_array_equal(np.isfinite(scan.ranges), seen)
    np.testing.assert_allclose(scan.ranges[seen], t[seen], rtol=2e-7, atol=1e-6)
    np.testing.assert_allclose(scan.points[seen, 3], 255.0 * 0.4 * cosine[seen], rtol=1e-5)
    still = Lidar(DEEP).scan(far, TILTED, self_returns=False, boxes=[Box.moving(FIRST, SIZE)])
    assert (np.isfinite(still.ranges) != seen).sum() > 300


def test_a_car_that_comes_at_20_m_s_is_nearer_when_the_head_comes_round(helios: LidarPattern):
    # Its front is at 11 m when the sweep begins and at 9 m when it ends; both ends of the sweep look ahead.
    track = [(13.0, 0, 2.0, 0, 0, 0, 1), (11.0, 0, 2.0, 0, 0, 0, 1)]
    scan = Lidar(DEEP).scan(helios, AT_REST, self_returns=False, boxes=[Box.moving(track, (4.0, 6.0, 4.0))])
    level, sensor = 9, 1.6 + 0.03498
    assert scan.ranges[level] == pytest.approx(11.0 - sensor, abs=1e-4)
    assert scan.ranges[1799 * 32 + level] == pytest.approx(9.0 + 2.0 / 1800.0 - sensor, abs=1e-3)


def test_a_track_at_rest_is_a_box_at_rest(helios: LidarPattern):
    box = Box(tuple(FIRST[:3]), SIZE, tuple(FIRST[3:]))
    lidar = Lidar(Terrain.flat())
    wanted = outputs(lidar.scan(helios, AT_REST, boxes=[box], noise=True))
    for track in (FIRST, [FIRST], [FIRST] * 13):
        assert outputs(lidar.scan(helios, AT_REST, boxes=[Box.moving(track, SIZE)], noise=True)) == wanted
    frozen = replace(helios, rolling=False)
    assert outputs(lidar.scan(frozen, AT_REST, boxes=[Box.moving([FIRST, LAST], SIZE)], noise=True)) == wanted
    # Beside one that moves, out of range, it is the same too.
    away = Box.moving([(900.0, 0, 0, 0, 0, 0, 1), (905.0, 0, 0, 0, 0, 0, 1)], SIZE)
    assert outputs(lidar.scan(helios, AT_REST, boxes=[away, box], noise=True)) == wanted


def test_neither_index_nor_threads_change_a_bit(helios: LidarPattern):
    terrain = hills()
    lidar = Lidar(terrain, woods(terrain))
    pose = on(terrain, 3.0, 4.0, 0.4)
    track = [pose, pose + (1.2, 0.5, 0.1, 0.0, 0.01, 0.1, 0.0)]
    z = pose[2]
    boxes = [
        Box.moving([pose + (9.0, -12.0, 1.0, 0, 0, 0, 0), pose + (9.0, 12.0, 1.0, 0, 0, 0.5, 0.3)], SIZE),
        Box((-8.0, 3.0, z), (3.0, 2.0, 2.0)),
        Box.moving([(30.0, 30.0, z, 0, 0, 0, 1), (29.0, 3.0, z, 0, 0, 1, 1), (-60.0, 2.0, z, 0, 0, 1, 0)], (9, 3, 4)),
        Box.moving([pose + (-1.0, 4.0, 1.0, 0, 0, 0, 0), pose + (6.0, 0.5, 1.0, 0, 0, 0, 0)], (2.0, 1.0, 3.0)),
    ]
    alone = lidar.scan(helios, track, boxes=boxes, noise=True, step=7)
    assert outputs(lidar.scan(helios, track, boxes=boxes, noise=True, step=7, index=False)) == outputs(alone)
    assert outputs(lidar.scan(helios, track, boxes=boxes, noise=True, step=7, threads=3)) == outputs(alone)
    vehicle = [material.name for material in lidar.materials(helios)].index("vehicle")
    assert (alone.materials == vehicle).sum() > 2000


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ([(0, 0, 0, 0, 0, 1)], "x, y, z, qx, qy, qz, qw"),
        ([(0, 0, float("nan"), 0, 0, 0, 1)], "finite"),
        ([AT_REST, (0, 0, 0, 0, 0, 0, 0)], "a length of 1"),
    ],
)
def test_a_track_that_cannot_be_is_refused(helios: LidarPattern, track: list, words: str):
    with pytest.raises(LidarError, match=words):
        Lidar(DEEP).prepare(helios, AT_REST, boxes=[Box((9.0, 0, 0), SIZE, track=track)])
