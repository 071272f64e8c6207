"""The pattern of the Helios: its numbers, the level pattern, and what a sensor file may not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acres_ros.core.lidar_pattern import LidarError, LidarPattern, default_path
from acres_ros.world.errors import WorldFileError


def test_the_helios_has_the_numbers_of_its_manual():
    pattern = LidarPattern.helios()
    assert (pattern.columns, pattern.rings, pattern.beam_count, pattern.hz) == (1800, 32, 57600, 10.0)
    assert pattern.vertical_deg[0] == 15.0 and pattern.vertical_deg[-1] == -55.0
    assert list(pattern.vertical_deg) == sorted(pattern.vertical_deg, reverse=True)
    assert pattern.column_s == pytest.approx(55.56e-6, rel=1e-4)
    np.testing.assert_allclose(pattern.firing_us, 1.73 * np.arange(32), atol=1e-9)
    assert pattern.times_s[0] == 0.0 and pattern.times_s[33] == pytest.approx(1e-4 / 1.8 + 1.73e-6)
    assert pattern.times_s[-1] < 0.1
    assert pattern.farthest_m == 150.0
    assert pattern.delay_s == 0.01


def test_columns_go_clockwise_from_ahead():
    columns = LidarPattern.helios().beams.columns
    np.testing.assert_allclose(columns[[0, 450, 900, 1350]], [(1, 0), (0, -1), (-1, 0), (0, 1)], atol=1e-12)


def test_a_level_pattern_has_its_beams_and_range():
    pattern = LidarPattern.planar(720, 80.0)
    assert (pattern.beam_count, pattern.rings, pattern.farthest_m) == (720, 1, 80.0)
    assert pattern.mount == LidarPattern.helios().mount
    np.testing.assert_array_equal(pattern.beams.rings, [(1.0, 0.0, 0.0)])


@pytest.mark.parametrize(
    "arguments", [(0, 30.0), (1.5, 30.0), (True, 30.0), (360, 0.0), (360, 1e9), (360, float("nan"))]
)
def test_a_level_pattern_that_cannot_be_is_refused(arguments: tuple):
    with pytest.raises(LidarError):
        LidarPattern.planar(*arguments)


VEHICLE = {"name": "vehicle", "reflectivity": 0.4, "transmission_per_m": 0.0}


def content(**changes: Any) -> dict[str, Any]:
    """Return the file of the package with other values; a key is dotted, and None takes it out."""
    tree = json.loads(default_path().read_text())
    for key, value in changes.items():
        *groups, name = key.split("__")
        branch = tree["lidar"]
        for group in groups:
            branch = branch[group]
        if value is None:
            del branch[name]
        else:
            branch[name] = value
    return tree


def test_other_blocks_of_the_file_are_not_the_lidars(tmp_path: Path):
    file = tmp_path / "sensors.json"
    file.write_text(json.dumps({**content(hz=20, columns=900), "ins": {"hz": 100}, "seed": 1}))
    pattern = LidarPattern.helios(file)
    assert (pattern.hz, pattern.columns) == (20.0, 900)


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"hz": 0.5}, "lidar.hz", "from 1 to 120"),
        ({"hz": 121}, "lidar.hz", "from 1 to 120"),
        ({"hz": None}, "lidar.hz", "missing"),
        ({"rate": 3}, "lidar.rate", "a known name"),
        ({"columns": 0}, "lidar.columns", "a whole number"),
        ({"vertical_deg": []}, "lidar.vertical_deg", "one angle"),
        ({"vertical_deg": [95.0] * 32}, "lidar.vertical_deg", "from -90 to 90"),
        ({"firing_us": [0.0]}, "lidar.firing_us", "32 times"),
        ({"firing_us": [60.0] * 32}, "lidar.firing_us", "from 0 to 55"),
        ({"rolling": 1}, "lidar.rolling", "true or false"),
        ({"mount__z_m": 40.0}, "lidar.mount.z_m", "from -10 to 10"),
        ({"mount__x": 1.0}, "lidar.mount.x", "a known name"),
        ({"range__farthest_m": 0.05}, "lidar.range.farthest_m", "above 0.1"),
        ({"range__limit_reflectivity": 0.0}, "lidar.range.limit_reflectivity", "above 0"),
        ({"noise__sigma_m": [0.1, 0.1]}, "lidar.noise.sigma_m", "3 numbers"),
        ({"noise__sigma_to_m": [3, 2, 5]}, "lidar.noise.sigma_to_m", "that rise"),
        ({"noise__drop_out": 1.5}, "lidar.noise.drop_out", "from 0 to 1"),
        ({"self_returns__boxes": [[0, 0, 0, 1, 1, 0]]}, "lidar.self_returns.boxes", "low corner below"),
        ({"self_returns__share": -0.1}, "lidar.self_returns.share", "from 0 to 1"),
        ({"materials": []}, "lidar.materials", "vehicle"),
        ({"delay_s": 1.5}, "lidar.delay_s", "from 0 to 1"),
        ({"delay_s": -0.01}, "lidar.delay_s", "from 0 to 1"),
        ({"delay_s": None}, "lidar.delay_s", "missing"),
        ({"weather": None}, "lidar.weather", "missing"),
        ({"weather__pulse_m": 0}, "lidar.weather.pulse_m", "above 0"),
        ({"weather__nearest_m": 0.0}, "lidar.weather.nearest_m", "from 0.1 to 10"),
        ({"weather__fog": 0.0}, "lidar.weather.fog", "a known name"),
        ({"weather__rain__exponent": 2}, "lidar.weather.rain.exponent", "from 0 to 1"),
        ({"weather__rain__slope_per_mm": 0}, "lidar.weather.rain.slope_per_mm", "from 0.1"),
        ({"materials": [VEHICLE]}, "lidar.materials", "crop"),
        ({"materials": [VEHICLE, {**VEHICLE, "name": "crop"}]}, "lidar.materials", "rain"),
        ({"materials": [VEHICLE, VEHICLE]}, "lidar.materials", "each name once"),
        ({"ground__grass": "lava"}, "lidar.ground.grass", "one of"),
        ({"ground__ice": "grass"}, "lidar.ground.ice", "a known name"),
    ],
)
def test_a_wrong_file_is_refused_by_key_and_value(tmp_path: Path, changes: dict, key: str, words: str):
    file = tmp_path / "sensors.json"
    file.write_text(json.dumps(content(**changes)))
    with pytest.raises(WorldFileError, match=words) as refusal:
        LidarPattern.helios(file)
    assert key in str(refusal.value) and str(file) in str(refusal.value)
