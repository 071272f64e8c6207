"""Crops in the way of the LiDAR: their outline in closed form, the law of Beer and Lambert, what is crushed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lidar_rig import hills, world_beams

from acres_ros.core.lidar import Lidar, LidarError, LidarPattern, Scan
from acres_ros.models.ground import PATCH
from acres_ros.world import World
from acres_ros.world.terrain import Terrain

HEIGHT = 1.25
POSE = (-14.0, 1.0, 0.2, 0.02, -0.03, 0.1, 0.99)


def patches(x: np.ndarray, y: np.ndarray, height: float = HEIGHT) -> np.ndarray:
    rows = np.zeros(x.size, PATCH)
    rows["x"], rows["y"], rows["height"], rows["growth"], rows["crop"] = x.ravel(), y.ravel(), height, 1.0, 1
    return rows


def lidar_of(terrain: Terrain, rows: np.ndarray) -> Lidar:
    return Lidar(terrain, None, World.flat().ground._replace(patches=rows))


@pytest.fixture(scope="module")
def helios() -> LidarPattern:
    return LidarPattern.helios()


@pytest.fixture(scope="module")
def field() -> Lidar:
    """Return a level field of 60 m by 50 m: x from -0.5 to 59.5, y from -25.5 to 24.5."""
    return lidar_of(Terrain.flat(), patches(*np.meshgrid(np.arange(60), np.arange(-25, 25))))


def into_box(pattern: LidarPattern, low, high) -> tuple[np.ndarray, np.ndarray]:
    """Return where each beam comes into a box on the plane z = 0, and where it leaves it or meets the plane."""
    starts, along = world_beams(pattern, POSE)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort([((*low, -1e9) - starts) / along, ((*high, HEIGHT) - starts) / along], axis=0)
        ground = np.where(along[:, 2] < 0.0, -starts[:, 2] / along[:, 2], np.inf)
    enter, leave = np.maximum(ends[0].max(axis=1), 0.0), np.minimum(ends[1].min(axis=1), ground)
    enter[enter >= leave] = np.inf
    return enter, leave


def crop_code(lidar: Lidar, pattern: LidarPattern) -> int:
    return [material.name for material in lidar.materials(pattern)].index("crop")


def check(scan: Scan, lidar: Lidar, pattern: LidarPattern, enter: np.ndarray) -> None:
    """Compare with where the beams come into a solid crop; it is seen up to 90 sqrt(0.46 * 0.5 / 0.1) = 136 m."""
    crop = crop_code(lidar, pattern)
    seen = enter < 130.0
    assert seen.sum() > 300
    assert (scan.materials[seen] == crop).all()
    assert (scan.materials[np.isinf(enter)] != crop).all()
    np.testing.assert_allclose(scan.ranges[seen], enter[seen], rtol=1e-6, atol=1e-5)
    assert (scan.points[seen, 3] == np.float32(255.0 * 0.46 * 0.5)).all()


@pytest.mark.parametrize("index", [True, False])
def test_a_solid_field_is_met_where_its_outline_is(field: Lidar, helios: LidarPattern, index: bool):
    scan = field.scan(helios, POSE, self_returns=False, foliage=False, index=index)
    enter, leave = into_box(helios, (-0.5, -25.5), (59.5, 24.5))
    touched = (leave - enter < 1e-6) & np.isfinite(enter)  # rounding decides
    enter[touched] = np.inf
    scan.materials[touched] = 255
    check(scan, field, helios, enter)


def test_a_beam_gets_into_a_field_by_the_law_of_beer_and_lambert(field: Lidar, helios: LidarPattern):
    enter, leave = into_box(helios, (-0.5, -25.5), (59.5, 24.5))
    crop, density = crop_code(field, helios), -math.log(0.4)
    for deep in (0.3, 1.0, 2.0):
        stopped = total = 0
        long = (leave - enter > deep + 1e-6) & (enter < 100.0)
        for step in range(4):
            scan = field.scan(helios, POSE, self_returns=False, step=step)
            stopped += ((scan.materials == crop) & (scan.ranges < enter + deep))[long].sum()
            total += long.sum()
        share = 1.0 - math.exp(-density * deep)
        assert total > 500
        assert abs(stopped / total - share) < 4.0 * math.sqrt(share * (1.0 - share) / total) + 1e-5


@pytest.mark.parametrize("foliage", [True, False])
def test_a_crushed_lane_is_open(field: Lidar, helios: LidarPattern, foliage: bool):
    x, y = np.meshgrid(np.arange(60), np.arange(-25, 25))
    lane = (y.ravel() >= 0) & (y.ravel() < 3)
    crushed = np.where(lane, 0b111_111_111, 0).astype(np.uint16)
    without = lidar_of(Terrain.flat(), patches(x.ravel()[~lane], y.ravel()[~lane]))
    options = {"self_returns": False, "foliage": foliage}
    scan, open_ = field.scan(helios, POSE, crushed=crushed, **options), without.scan(helios, POSE, **options)
    # The rasters begin at the same corner, so not even rounding differs.
    np.testing.assert_array_equal(scan.ranges, open_.ranges)
    np.testing.assert_array_equal(scan.materials, open_.materials)
    assert (scan.ranges != field.scan(helios, POSE, **options).ranges).sum() > 200


@pytest.mark.parametrize(
    ("standing", "low", "high"),
    [
        (0b001_001_001, (-0.5, -3.5), (-0.5 + 1 / 3, 3.5)),  # the western samples
        (0b100_100_100, (0.5 - 1 / 3, -3.5), (0.5, 3.5)),  # the eastern ones
    ],
)
def test_each_bit_is_its_sample(helios: LidarPattern, standing: int, low: tuple, high: tuple):
    lidar = lidar_of(Terrain.flat(), patches(np.zeros(7), np.arange(-3.0, 4.0)))
    crushed = np.full(7, 0b111_111_111 & ~standing, np.uint16)
    scan = lidar.scan(helios, POSE, crushed=crushed, self_returns=False, foliage=False)
    enter, leave = into_box(helios, low, high)
    touched = (leave - enter < 1e-6) & np.isfinite(enter)
    enter[touched] = np.inf
    scan.materials[touched] = 255
    check(scan, lidar, helios, enter)


def test_the_index_changes_no_bit_in_crops(helios: LidarPattern):
    terrain = hills()
    random = np.random.default_rng(4)
    x, y = np.meshgrid(np.arange(-150, 150), np.arange(-140, 130))
    some = random.uniform(size=x.shape) < 0.7
    rows = patches(x[some], y[some])
    rows["height"] = random.uniform(0.1, 2.6, some.sum())
    lidar, crop = lidar_of(terrain, rows), 4
    crushed = (random.integers(0, 512, len(rows)) * (random.uniform(size=len(rows)) < 0.5)).astype(np.uint16)
    for x0, y0 in ((0.0, 0.0), (140.0, -100.0), (-165.0, 20.0)):
        track = np.array([[x0, y0, terrain.height_at(x0, y0), 0.02, 0.03, 0.4, 0.9]] * 2)
        track[1, 0] += 1.0
        scans = [lidar.scan(helios, track, crushed=crushed, noise=True, index=index) for index in (True, False)]
        assert scans[0].ranges.tobytes() == scans[1].ranges.tobytes()
        assert scans[0].materials.tobytes() == scans[1].materials.tobytes()
        assert (scans[0].materials == crop).sum() > 500


def test_crops_can_be_left_out(field: Lidar, helios: LidarPattern):
    bare = Lidar(Terrain.flat(), None, World.flat().ground)
    left_out = field.scan(helios, POSE, crops=False)
    np.testing.assert_array_equal(left_out.ranges, bare.scan(helios, POSE).ranges)


@pytest.mark.parametrize("crushed", [np.zeros(5, np.uint16), np.zeros(3000)])
def test_masks_that_are_not_of_these_crops_are_refused(field: Lidar, helios: LidarPattern, crushed: np.ndarray):
    with pytest.raises(LidarError, match="a mask of 16 bits for each of the 3000 crop patches"):
        field.scan(helios, POSE, crushed=crushed)


def test_nothing_stands_where_the_vehicle_is(helios: LidarPattern):
    # Corn above the sensor, all round: each beam gets out of the outline of the body before it can end.
    lidar = lidar_of(Terrain.flat(), patches(*np.meshgrid(np.arange(-30, 30), np.arange(-30, 30)), height=3.0))
    pose = np.array([0.3, -0.2, 0.0, 0.0, 0.0, math.sin(0.4), math.cos(0.4)])
    scan = lidar.scan(helios, pose, self_returns=False, foliage=False)
    starts, along = world_beams(helios, pose)
    forward = np.array([math.cos(0.8), math.sin(0.8)])
    axes = np.stack([forward, [-forward[1], forward[0]]])
    at, toward = (starts[:, :2] - pose[:2]) @ axes.T, along[:, :2] @ axes.T
    low, high = helios.body[:, :2].min(axis=0), helios.body[:, 3:5].max(axis=0)
    leaves = np.max([(low - at) / toward, (high - at) / toward], axis=0).min(axis=1)
    crop = scan.materials == crop_code(lidar, helios)
    assert crop.sum() > 20_000
    level = np.hypot(along[:, 0], along[:, 1])
    # Samples are a third of a metre wide: half their diagonal is 0.24 m.
    assert (np.abs(scan.ranges - leaves)[crop] * level[crop]).mean() < 0.24
    assert (scan.ranges[crop] * level[crop] > 0.4).all()
    again = lidar.scan(helios, pose, self_returns=False, foliage=False, crushed=np.zeros(3600, np.uint16))
    assert again.ranges.tobytes() == scan.ranges.tobytes()
