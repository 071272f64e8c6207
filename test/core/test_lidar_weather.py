"""Rain and dust before the LiDAR: what they take and add by closed forms, and that all of it repeats."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from lidar_rig import TILTED, hills, on, scene_of, woods, world_beams

from acres_ros.core.lidar import NOTHING, Lidar, LidarPattern, Scan, Weather, WeatherError
from acres_ros.world.scene_file import Material
from acres_ros.world.terrain import Terrain

DEEP = Terrain.flat(-500.0)  # out of range below everything
AT_REST = (0, 0, 0, 0, 0, 0, 1)
WATER, THICK_DUST = 0.02, 0.03
LIMIT = 0.1 / 90.0**2  # strength that is just seen, over the square of the distance


@pytest.fixture(scope="module")
def helios() -> LidarPattern:
    return LidarPattern.helios()


@pytest.fixture(scope="module")
def silent(helios: LidarPattern) -> LidarPattern:
    """Return the Helios in air that dims and gives no echo itself."""
    air = helios.air.copy()
    air["drops_per_m3_mm"] = 0.0
    kept = tuple(material for material in helios.materials if material.name != "dust")
    return replace(helios, air=air, materials=(*kept, Material("dust", 0.0, 0.0)))


def outputs(scan: Scan) -> tuple[bytes, bytes, bytes, int]:
    return scan.ranges.tobytes(), scan.points.tobytes(), scan.materials.tobytes(), scan.returns


def extinction(weather: Weather) -> float:
    return 3.65e-4 * weather.rain_mm_per_h**0.63 + weather.dust_per_m


def code(lidar: Lidar, pattern: LidarPattern, name: str) -> int:
    return [material.name for material in lidar.materials(pattern)].index(name)


DISTANCES = np.linspace(1.5, 150.0, 300_001)


def seen_by(weather: Weather, kind: str) -> np.ndarray:
    """Return how many drops or puffs a beam meets that are seen, from 1.5 m up to each distance."""
    r = DISTANCES
    needed = LIMIT * r * r * np.exp(2.0 * extinction(weather) * r)
    if kind == "rain":
        slope, width = 4.1 * weather.rain_mm_per_h**-0.21, 0.01 + 0.003 * r
        least = 1000.0 * width * np.sqrt(needed / WATER)
        rate = np.where(needed < WATER, 0.25 * np.pi * width**2 * 8000.0 / slope * np.exp(-slope * least), 0.0)
    else:
        rate = weather.dust_per_m * np.exp(-needed / (THICK_DUST * (1.0 - math.exp(-1.5 * weather.dust_per_m))))
    return np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(r))])


def test_the_extinction_of_rain_is_that_of_the_drops_of_marshall_and_palmer(helios: LidarPattern):
    air = helios.air[0]
    # pi N0 / L^3 with lengths in mm, so by 1e-6 per m; the exponent of L^-3 is three times that of L.
    assert air["rain_extinction_per_m"] == pytest.approx(1e-6 * math.pi * 8000.0 / 4.1**3, rel=2e-3)
    assert air["rain_exponent"] == pytest.approx(3 * 0.21)


@pytest.mark.parametrize("weather", [Weather(5.0), Weather(100.0), Weather(0.0, 0.02), Weather(30.0, 0.01)])
@pytest.mark.parametrize("index", [True, False])
def test_an_echo_is_lost_beyond_the_range_that_the_air_leaves(silent: LidarPattern, weather: Weather, index: bool):
    starts, along = world_beams(silent, TILTED)
    with np.errstate(divide="ignore"):
        t = np.where(along[:, 2] < 0.0, (1.0 - starts[:, 2]) / along[:, 2], np.inf)
    bright = 0.48 * np.abs(along[:, 2]) * np.exp(-2.0 * extinction(weather) * np.minimum(t, 1e3))
    scan = Lidar(Terrain.flat(1.0)).scan(silent, TILTED, self_returns=False, weather=weather, index=index)
    with np.errstate(invalid="ignore"):
        margin = bright / (LIMIT * t * t)
    seen = (margin >= 1.0) & (t <= 150.0)
    clear = np.abs(margin - 1.0) > 1e-6
    np.testing.assert_array_equal(np.isfinite(scan.ranges)[clear], seen[clear])
    np.testing.assert_allclose(scan.ranges[seen & clear], t[seen & clear], rtol=2e-7, atol=1e-6)
    np.testing.assert_allclose(scan.points[seen & clear, 3], 255.0 * bright[seen & clear], rtol=1e-5)
    assert 5000 < seen.sum() < Lidar(Terrain.flat(1.0)).scan(silent, TILTED, self_returns=False).returns


@pytest.mark.parametrize(
    ("weather", "kind"), [(Weather(4.0), "rain"), (Weather(60.0), "rain"), (Weather(0.0, 0.01), "dust"),
                          (Weather(0.0, 0.3), "dust")],
)  # fmt: skip
def test_false_echoes_are_as_many_and_as_far_as_the_law_says(helios: LidarPattern, weather: Weather, kind: str):
    lidar = Lidar(DEEP)
    scans = [lidar.scan(helios, AT_REST, self_returns=False, weather=weather, step=step) for step in range(2)]
    ranges = np.concatenate([scan.ranges for scan in scans]).astype(float)
    hit, expected = np.isfinite(ranges), seen_by(weather, kind)
    share = 1.0 - math.exp(-expected[-1])
    assert abs(hit.mean() - share) < 4.0 * math.sqrt(share * (1.0 - share) / len(ranges))
    found = np.sort(ranges[hit])
    law = (1.0 - np.exp(-np.interp(found, DISTANCES, expected))) / share
    steps = np.arange(len(found) + 1) / len(found)
    distance = max(np.abs(law - steps[1:]).max(), np.abs(law - steps[:-1]).max())
    assert distance < 1.95 / math.sqrt(len(found))  # Kolmogorov and Smirnov, one in a thousand
    assert len(found) > 500 and found[0] >= 1.5
    assert set(scans[0].materials) == {code(lidar, helios, kind), NOTHING}


def test_the_drops_that_are_seen_have_the_sizes_of_rain(helios: LidarPattern):
    weather = Weather(20.0)
    scan = Lidar(DEEP).scan(helios, AT_REST, self_returns=False, weather=weather)
    hit = np.isfinite(scan.ranges)
    r, strength = scan.ranges[hit].astype(float), scan.points[hit, 3].astype(float) / 255.0
    back = np.exp(2.0 * extinction(weather) * r)
    size = 1000.0 * (0.01 + 0.003 * r) * np.sqrt(strength * back / WATER)
    least = 1000.0 * (0.01 + 0.003 * r) * np.sqrt(LIMIT * r * r * back / WATER)
    beyond = (size - least) * 4.1 * 20.0**-0.21  # exponential, of mean 1
    assert beyond.min() > -1e-4
    assert abs(beyond.mean() - 1.0) < 4.0 / math.sqrt(len(beyond))
    assert abs((beyond > 1.0).mean() - math.exp(-1.0)) < 2.0 / math.sqrt(len(beyond))
    assert scan.points[hit, 3].max() <= 255.0 * WATER


def test_more_rain_gives_more_false_echoes_and_less_range(helios: LidarPattern, silent: LidarPattern):
    rates = (0.0, 0.5, 2.0, 10.0, 50.0, 150.0)
    empty, plane = Lidar(DEEP), Lidar(Terrain.flat(1.0))
    false = [empty.scan(helios, AT_REST, self_returns=False, weather=Weather(rate)).returns for rate in rates]
    true = [plane.scan(silent, TILTED, self_returns=False, weather=Weather(rate)).returns for rate in rates]
    assert false[0] == 0 and all(a < b for a, b in zip(false, false[1:], strict=False))
    assert all(a > b for a, b in zip(true, true[1:], strict=False))


def wall_at(x: float) -> Lidar:
    rows = [[0, x, -900, -900, x, 900, 900, x, 900, -900], [0, x, -900, -900, x, 900, 900, x, -900, 900]]
    return Lidar(DEEP, scene_of(rows))


def test_the_stronger_echo_counts_and_nothing_is_seen_behind_a_hit(helios: LidarPattern):
    weather = Weather(80.0, 0.02)
    lidar = wall_at(60.0)
    clear = lidar.scan(helios, AT_REST)
    scan = lidar.scan(helios, AT_REST, weather=weather)
    false = (scan.materials == code(lidar, helios, "rain")) | (scan.materials == code(lidar, helios, "dust"))
    assert false.sum() > 2000
    wall = false & np.isfinite(clear.ranges) & (clear.ranges > 10.0)
    r, t = scan.ranges[wall].astype(float), clear.ranges[wall].astype(float)
    power = clear.points[wall, 3] * np.exp(-2.0 * extinction(weather) * t) / t**2
    assert wall.sum() > 100 and (r < t).all()
    assert (scan.points[wall, 3] / r**2 > power * (1.0 - 1e-5)).all()
    body = np.isfinite(helios.body_hits[:, 0])  # before the nearest drop that is seen, or without an echo
    assert not false[body & (helios.body_hits[:, 0] < 1.5)].any()
    # A wall of reflectivity 1 at 4 m outshines every drop, which is 0.02 at most, and 0.01 in the least of a beam.
    near = wall_at(4.0)
    bright = near.scan(helios, AT_REST, weather=Weather(150.0), self_returns=False)
    direct = np.isfinite(near.scan(helios, AT_REST, self_returns=False).ranges) & (bright.points[:, 3] > 128.0)
    assert (bright.materials[direct] == 0).all() and direct.sum() > 5000


def test_weak_echoes_are_off_by_more(silent: LidarPattern):
    quiet = replace(silent, optics=silent.optics.copy(), axis_offset_m=0.0)
    for key in ("sigma_m", "signal_sigma", "drop_out", "step_m"):
        quiet.optics[key] = 0.0
    lidar, weather = wall_at(61.6), Weather(0.0, 0.02)
    clear = lidar.scan(quiet, AT_REST, self_returns=False)
    scan = lidar.scan(quiet, AT_REST, self_returns=False, noise=True, weather=weather, seed=5)
    both = np.isfinite(scan.ranges)
    t = clear.ranges[both].astype(float)
    through = np.exp(-0.04 * t)
    above = clear.points[both, 3] / 255.0 * through / (LIMIT * t * t)
    spread = (scan.ranges[both] - t) / (0.09 * np.sqrt(0.5 * (1.0 - through) / above))
    assert len(t) > 1000
    assert abs(spread.mean()) < 4.0 / math.sqrt(len(t)) and abs(spread.std() - 1.0) < 4.0 / math.sqrt(2 * len(t))


def test_clear_weather_changes_no_bit_and_any_weather_repeats(helios: LidarPattern):
    terrain = hills()
    lidar, pose = Lidar(terrain, woods(terrain)), on(terrain, 3.0, 4.0, 0.4)
    options = {"noise": True, "seed": 3, "step": 24}
    clear = outputs(lidar.scan(helios, pose, **options))
    assert outputs(lidar.scan(helios, pose, weather=Weather(), **options)) == clear
    weather = Weather(20.0, 0.01)
    rainy = outputs(lidar.scan(helios, pose, weather=weather, **options))
    assert outputs(lidar.scan(helios, pose, weather=weather, index=False, **options)) == rainy
    assert outputs(lidar.scan(helios, pose, weather=weather, threads=3, **options)) == rainy
    others = [{"seed": 4}, {"environment": 1}, {"step": 36}, {"weather": Weather(21.0, 0.01)}]
    scans = {outputs(lidar.scan(helios, pose, **{**options, "weather": weather, **other})) for other in others}
    assert len(scans | {rainy, clear}) == 6


@pytest.mark.parametrize("weather", [Weather(150.0, 1.0), Weather(1e-300, 1e-300), Weather(0.0, 1.0), Weather(150)])
def test_any_weather_gives_a_scan(helios: LidarPattern, weather: Weather):
    lidar = wall_at(20.0)
    scan = lidar.scan(helios, AT_REST, weather=weather, noise=True)
    hit = np.isfinite(scan.ranges)
    assert hit.sum() == scan.returns and (scan.ranges[hit] >= 0.1).all() and (scan.ranges[hit] < 151.0).all()
    assert np.isfinite(scan.points[hit]).all() and (scan.materials[hit] < len(lidar.materials(helios))).all()


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((-1.0, 0.0), "rain_mm_per_h = -1.0 is refused: wanted 0 to 150 mm/h"),
        ((151.0, 0.0), "0 to 150 mm/h"),
        ((math.nan, 0.0), "0 to 150 mm/h"),
        ((0.0, math.inf), "dust_per_m = inf is refused: wanted 0 to 1 1/m"),
        ((0.0, "much"), "0 to 1 1/m"),
        ((True, 0.0), "0 to 150 mm/h"),
    ],
)
def test_weather_that_cannot_be_is_refused(numbers: tuple, words: str):
    with pytest.raises(WeatherError, match=words):
        Weather(*numbers)
