"""Soil units: what a file may say of them, and what the kernels get."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from farm_folder import SOILS, tables, write_json

from acres_ros.models.ground import SOIL
from acres_ros.world import TextureGroup, World, WorldFileError
from acres_ros.world.soils import load_soil_raster, load_soils, soil_records


def test_units_are_read(tmp_path: Path):
    chalmers, raub = load_soils(write_json(tmp_path / "soils.json", SOILS))
    assert (chalmers.symbol, chalmers.texture, chalmers.drainage) == ("Cm", "silty clay loam", "poor")
    assert (chalmers.group, raub.group) == (TextureGroup.MODERATELY_FINE, TextureGroup.MEDIUM)
    assert raub.organic_pct == 0.0
    records = soil_records((chalmers, raub))
    assert records.dtype == SOIL.dtype
    assert records["clay_pct"].tolist() == [31.0, 24.0]
    assert records["bulk_density"].tolist() == [1.3, 1.37]
    assert [records[name][1] for name in ("theta_wp", "theta_fc", "theta_s")] == [0.15, 0.33, 0.47]


@pytest.mark.parametrize(
    ("change", "key", "word"),
    [
        ({"symbol": "Rd"}, "units[1].symbol", "each symbol once"),
        ({"symbol": ""}, "units[0].symbol", "not empty"),
        ({"texture": "mud"}, "units[0].texture", "one of sand, loamy sand"),
        ({"clay_pct": 35}, "units[0].clay_pct", "they make 104"),
        ({"clay_pct": -31}, "units[0].clay_pct", "from 0 to 100"),
        ({"bulk_density": 0}, "units[0].bulk_density", "from 0.1 to 2.6"),
        ({"bulk_density": 1300}, "units[0].bulk_density", "from 0.1 to 2.6"),
        ({"theta_wp": 0.37}, "units[0].theta_fc", "between theta_wp, 0.37, and theta_s, 0.5"),
        ({"theta_s": 0.3}, "units[0].theta_fc", "between theta_wp, 0.19, and theta_s, 0.3"),
        ({"theta_s": 37}, "units[0].theta_s", "above 0, 1 at most"),
        ({"theta_wp": 0}, "units[0].theta_wp", "above 0"),
        ({"organic_pct": None}, "units[0].organic_pct", "from 0 to 100"),
        ({"colour": "black"}, "units[0].colour", "a known name"),
    ],
)
def test_a_unit_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, object], key: str, word: str):
    content = tables()["soils.json"]
    content["units"][0].update(change)
    with pytest.raises(WorldFileError) as caught:
        load_soils(write_json(tmp_path / "soils.json", content))
    assert caught.value.key == key
    assert word in caught.value.wanted


@pytest.mark.parametrize("name", ["sand_pct", "theta_fc", "texture", "symbol"])
def test_what_a_unit_must_say(tmp_path: Path, name: str):
    content = tables()["soils.json"]
    del content["units"][1][name]
    with pytest.raises(WorldFileError, match=rf"units\[1\]\.{name} = \(missing\)"):
        load_soils(write_json(tmp_path / "soils.json", content))


def test_a_farm_has_a_soil(tmp_path: Path):
    with pytest.raises(WorldFileError, match="one soil unit at least"):
        load_soils(write_json(tmp_path / "soils.json", {**SOILS, "units": []}))
    with pytest.raises(WorldFileError, match="wanted the text 'acres-soils-1'"):
        load_soils(write_json(tmp_path / "soils.json", {**SOILS, "schema": "soils"}))


def test_the_raster_names_units_that_there_are(tmp_path: Path):
    path = tmp_path / "soils.u8"
    path.write_bytes(bytes([0, 1, 0, 1, 1, 0]))
    assert load_soil_raster(path, 2, 3, 2).tolist() == [[0, 1, 0], [1, 1, 0]]
    with pytest.raises(WorldFileError, match=r"\[0, 1\] = 1: wanted the index of a soil unit, below 1"):
        load_soil_raster(path, 2, 3, 1)
    with pytest.raises(WorldFileError, match="has 6 bytes: wanted 3 rows of 3"):
        load_soil_raster(path, 3, 3, 2)


def test_a_world_that_says_nothing_has_the_soil_of_the_defaults():
    world = World.flat()
    assert np.array_equal(world.ground.soils, SOIL.new(1).view(np.ndarray))
    assert world.soil_texture_at(3.0, 4.0) is TextureGroup.MEDIUM
