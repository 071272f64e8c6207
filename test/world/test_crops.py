"""Crops: plans of seasons, patches on the grid of whole metres, land cells, growth."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from farm_folder import CROPS, tables, write_json

from acres_ros.models.ground import PATCH
from acres_ros.world import UnknownNameError, WorldError, WorldFileError
from acres_ros.world.crops import Planting, field_growth, load_plan, plant, seasons, sort_patches
from acres_ros.world.fields import Field, load_fields

BOUNDS = (-10.0, -10.0, 10.0, 10.0)


@pytest.fixture
def fields(tmp_path: Path) -> dict[int, Field]:
    return load_fields(write_json(tmp_path / "fields.json", tables()["fields.json"]))


def points(patches: np.ndarray, field: int) -> set[tuple[float, float]]:
    mine = patches[patches["field"] == field]
    return set(zip(mine["x"].tolist(), mine["y"].tolist(), strict=True))


def test_a_plan_says_what_stands_where(tmp_path: Path, fields: dict[int, Field]):
    write_json(tmp_path / "crops_2026.json", CROPS)
    plan = load_plan(tmp_path, "2026", fields, BOUNDS)
    assert {n: (p.crop, p.growth, p.row_spacing_m, p.patches) for n, p in plan.items()} == {
        3: ("corn", 0.5, 0.762, None),
        7: ("soybean", 1.0, 0.0, None),
    }


def test_the_season_legacy_takes_the_crops_of_the_fields(tmp_path: Path, fields: dict[int, Field]):
    plan = load_plan(tmp_path, "legacy", fields, BOUNDS)
    assert {number: (planting.crop, planting.growth) for number, planting in plan.items()} == {
        3: ("potato", 1.0),
        7: ("soybean", 1.0),
    }


def test_a_season_that_is_not_there_lists_those_that_are(tmp_path: Path, fields: dict[int, Field]):
    for season in ("2026", "2025"):
        write_json(tmp_path / f"crops_{season}.json", {**CROPS, "season": season})
    assert seasons(tmp_path) == ["2025", "2026", "legacy"]
    with pytest.raises(UnknownNameError, match="'1999': the names are 2025, 2026, legacy"):
        load_plan(tmp_path, "1999", fields, BOUNDS)
    with pytest.raises(UnknownNameError, match="season"):
        load_plan(tmp_path, "../ACRE/crops_2026", fields, BOUNDS)


@pytest.mark.parametrize(
    ("change", "key", "word"),
    [
        ({"number": 7}, "fields[1].number", "each field once"),
        ({"number": 5}, "fields[0].number", "a field: 3, 7"),
        ({"crop": "wheat"}, "fields[0].crop", "one of corn"),
        ({"growth": 1.5}, "fields[0].growth", "from 0 to 1"),
        ({"growth": "0.5"}, "fields[0].growth", "from 0 to 1"),
        ({"row_spacing_m": -1}, "fields[0].row_spacing_m", "from 0 to 10"),
        ({"patches": [[0, 0], [0, "1"]]}, "fields[0].patches[1].y", "finite number"),
        ({"patches": [[0, 0, 0]]}, "fields[0].patches[0]", "2 numbers"),
        ({"patches": 5}, "fields[0].patches", "a list"),
        ({"patches": [[0, 0], [10, 0]]}, "fields[0].patches[1]", "from (-10, -10) to (10, 10)"),
        ({"crop": "sod", "patches": [[0, 0]]}, "fields[0].patches", "none for sod"),
        ({"grow": 1}, "fields[0].grow", "the nearest is growth"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    tmp_path: Path, fields: dict[int, Field], change: dict[str, object], key: str, word: str
):
    content = tables()["crops_2026.json"]
    content["fields"][0].update(change)
    write_json(tmp_path / "crops_2026.json", content)
    with pytest.raises(WorldFileError) as caught:
        load_plan(tmp_path, "2026", fields, BOUNDS)
    assert caught.value.key == key
    assert word in caught.value.wanted


def test_a_plan_of_another_season_or_schema_is_refused(tmp_path: Path, fields: dict[int, Field]):
    write_json(tmp_path / "crops_2026.json", {**CROPS, "season": "2025"})
    with pytest.raises(WorldFileError, match="season = '2025': wanted '2026'"):
        load_plan(tmp_path, "2026", fields, BOUNDS)
    write_json(tmp_path / "crops_2026.json", {**CROPS, "schema": "acres-fields-1"})
    with pytest.raises(WorldFileError, match="wanted the text 'acres-crops-1'"):
        load_plan(tmp_path, "2026", fields, BOUNDS)


def test_fields_are_planted_on_whole_metres(tmp_path: Path, fields: dict[int, Field]):
    write_json(tmp_path / "crops_2026.json", CROPS)
    plan = load_plan(tmp_path, "2026", fields, BOUNDS)
    patches = plant(plan, fields, BOUNDS, field_growth(plan))
    # the square holds 8 x 8 points; of the triangle x + y < 8 there are 8 + 7 + .. + 1
    assert points(patches, 3) == {(x, y) for x in range(-10, -2) for y in range(-10, -2)}
    assert points(patches, 7) == {(x, y) for x in range(8) for y in range(8) if x + y < 8}
    corn, soybean = patches[patches["field"] == 3][0], patches[patches["field"] == 7][0]
    assert (corn["crop"], corn["growth"]) == (1, 0.5)
    assert corn["height"] == pytest.approx(1.2)  # half grown, of 2.4 m
    assert (soybean["crop"], soybean["growth"], soybean["height"]) == (2, 1.0, 0.5)
    low = plant(plan, fields, BOUNDS, field_growth(plan, 0.5), heights=(2.0, 0.6, 0.5))
    assert np.unique(low["height"]).tolist() == pytest.approx([0.25 * 2.0, 0.5 * 0.6][::-1])


def test_the_potato_has_its_number_and_height(tmp_path: Path, fields: dict[int, Field]):
    plan = load_plan(tmp_path, "legacy", fields, BOUNDS)
    patches = plant(plan, fields, BOUNDS, field_growth(plan))
    potato = patches[patches["field"] == 3][0]
    assert potato["crop"] == 3
    assert potato["height"] == pytest.approx(0.55)


def test_surveyed_patches_stand_in_for_generated_ones(fields: dict[int, Field]):
    surveyed = np.array([[-3.5, 4.25], [-9.0, -9.0]], np.float32)
    plan = {3: Planting(3, "corn", patches=surveyed), 7: Planting(7, "soybean")}
    patches = plant(plan, fields, BOUNDS, field_growth(plan))
    assert points(patches, 3) == {(-3.5, 4.25), (-9.0, -9.0)}
    assert len(points(patches, 7)) == 36
    only = plant(plan, fields, BOUNDS, field_growth(plan), generated=False)
    assert only["field"].tolist() == [3, 3]
    none = {3: Planting(3, "corn", patches=np.zeros((0, 2), np.float32))}
    assert len(plant(none, fields, BOUNDS, field_growth(none))) == 0


def test_fields_without_a_patch_crop_stay_bare(fields: dict[int, Field]):
    plan = {3: Planting(3, "sod"), 7: Planting(7, "none")}
    assert len(plant(plan, fields, BOUNDS, field_growth(plan))) == 0
    assert len(plant({}, {}, BOUNDS, field_growth({}))) == 0


def test_where_fields_overlap_the_first_one_counts():
    square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    fields = {9: Field(9, "", "corn", square, 0.0), 2: Field(2, "", "corn", square + 2.0, 0.0)}
    plan = {n: Planting(n, "corn") for n in fields}
    patches = plant(plan, fields, BOUNDS, field_growth(plan))
    assert len(patches) == 16 + 16 - 4
    assert len(points(patches, 9)) == 16
    bare = plant({2: plan[2]}, fields, BOUNDS, field_growth(plan))
    assert len(bare) == 12 and set(bare["field"]) == {2}


def test_patches_end_at_the_edge_of_the_map():
    wide = np.array([[-50.0, 8.0], [50.0, 8.0], [50.0, 50.0], [-50.0, 50.0]])
    plan = {0: Planting(0, "corn")}
    patches = plant(plan, {0: Field(0, "", "corn", wide, 0.0)}, BOUNDS, field_growth(plan))
    assert points(patches, 0) == {(x, y) for x in range(-10, 10) for y in (8, 9)}
    far = {0: Field(0, "", "corn", wide + 500.0, 0.0)}
    assert len(plant(plan, far, BOUNDS, field_growth(plan))) == 0


def test_growth_is_that_of_the_plan_times_that_of_all():
    plan = {3: Planting(3, "corn", growth=0.5), 7: Planting(7, "soybean"), 8: Planting(8, "grass", growth=0.7)}
    table = field_growth(plan, 0.8)
    assert table.shape == (60,)
    assert {number: table[number] for number in np.flatnonzero(table)} == pytest.approx({3: 0.4, 7: 0.8})
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(WorldError, match="growth is"):
            field_growth(plan, wrong)


@pytest.mark.parametrize("heights", [(2.4, 0.5), (2.4, 0.0, 0.5), (2.4, 0.5, np.nan), (24.0, 0.5, 0.5)])
def test_heights_that_cannot_be_are_refused(heights: tuple[float, float, float]):
    with pytest.raises(WorldError, match="the crop heights"):
        plant({}, {}, BOUNDS, np.zeros(60), heights=heights)


def test_a_farm_without_an_end_is_refused():
    huge = np.array([[0.0, 0.0], [1e6, 0.0], [1e6, 1e6], [0.0, 1e6]])
    with pytest.raises(WorldError, match="area round the fields"):
        plant({0: Planting(0, "corn")}, {0: Field(0, "", "corn", huge, 0.0)}, (0.0, 0.0, 1e6, 1e6), np.zeros(60))


def test_patches_are_sorted_into_land_cells():
    patches = np.zeros(5, PATCH)
    patches["x"] = [5.0, -10.0, 3.0, 2.0, -9.0]
    patches["y"] = [-10.0, -10.0, -7.0, -6.0, -6.1]
    patches["field"] = range(5)
    found, bins = sort_patches(patches, -10.0, -10.0, 4.0, 5, 5)
    # columns 3, 0, 3, 3, 0 and rows 0, 0, 0, 1, 0
    assert found["field"].tolist() == [1, 4, 0, 2, 3]
    assert bins.dtype == np.int32
    assert bins[[0, 1, 3, 4, 8, 9, 25]].tolist() == [0, 2, 2, 4, 4, 5, 5]
    empty, none = sort_patches(patches[:0], -10.0, -10.0, 4.0, 5, 5)
    assert len(empty) == 0 and none.tolist() == [0] * 26


def test_a_whole_farm_is_planted_in_a_moment():
    side = np.array([[0.0, 0.0], [118.0, 0.0], [118.0, 118.0], [0.0, 118.0]])
    fields = {n: Field(n, "", "corn", side + [-700 + 130 * (n % 10), -700 + 130 * (n // 10)], 0.0) for n in range(50)}
    plan = {n: Planting(n, "corn") for n in fields}
    start = time.process_time()
    patches = plant(plan, fields, (-762.0, -762.0, 762.0, 762.0), field_growth(plan))
    patches, bins = sort_patches(patches, -762.0, -762.0, 4.0, 381, 381)
    assert time.process_time() - start < 2.0  # a quarter of a second; a loop over patches takes many
    assert len(patches) == bins[-1] == 50 * 118 * 118
