"""The built-in tile: relief, surfaces, crops, soils and trees fit together, of its raw files, for two seeds."""

from __future__ import annotations

import numpy as np
from tile_files import SOUTH, STEP, WEST, TileFiles, contains


def _slopes(tile: TileFiles) -> np.ndarray:
    h = tile.heights
    return np.hypot(h[:-1, 1:] - h[:-1, :-1], h[1:, :-1] - h[:-1, :-1]) / STEP


def test_heights_are_finite_whole_millimetres(tile: TileFiles) -> None:
    assert np.isfinite(tile.heights).all()
    millimetres = tile.heights * 1000.0
    assert np.abs(millimetres - np.round(millimetres)).max() < 1e-2  # float32 of a few metres


def test_the_relief_is_that_of_a_till_plain(tile: TileFiles) -> None:
    axis = WEST + STEP * np.arange(1001)
    columns = np.stack([np.ones(1001 * 1001), np.tile(axis, 1001), np.repeat(axis, 1001)], axis=1)
    (_, east, north), *_ = np.linalg.lstsq(columns, tile.heights.ravel(), rcond=None)
    rest = tile.heights.ravel() - columns @ np.linalg.lstsq(columns, tile.heights.ravel(), rcond=None)[0]
    assert 0.9 < rest.std() < 1.5
    assert 3.0 < 1524.0 * np.hypot(east, north) < 6.0 and east > 0.0 and north > 0.0  # falls to the south-west
    fields = np.isin(tile.surface, (4, 5))
    slopes = _slopes(tile)[fields]
    assert np.mean(slopes < 0.02) > 0.5
    assert np.quantile(slopes, 0.99) < 0.06 and slopes.max() < 0.12


def test_roads_have_a_crown_and_county_roads_have_ditches(tile: TileFiles) -> None:
    # County Road 500 West: its middle at x = 700 m, asphalt 6.8 m wide.
    crowns, ditches = [], []
    for y in np.arange(-740.0, 680.0, 11.3):
        if min(abs(y - road) for road in (-480.0, -345.0, -212.0, 112.0, 236.0, 360.0)) < 30.0:
            continue
        assert tile.surface_at(700.0, y) == 1
        line = [tile.plane(700.0 + aside, y)[0] for aside in (-6.4, -3.0, 0.0, 3.0, 6.4)]
        crowns.append(line[2] - 0.5 * (line[1] + line[3]))
        ditches.append(line[2] - 0.5 * (line[0] + line[4]))
    assert 0.04 < np.mean(crowns) < 0.08  # 2 % of 3 m
    assert np.mean(ditches) > 0.3


def test_every_patch_lies_on_field_soil(tile: TileFiles) -> None:
    seen = set()
    for number in tile.planted():
        x, y = tile.patches(number)
        column, row = np.floor((x - WEST) / STEP).astype(int), np.floor((y - SOUTH) / STEP).astype(int)
        assert np.all(tile.surface[row, column] == 5), number
        points = set(zip(x.tolist(), y.tolist(), strict=True))
        assert not points & seen
        seen |= points


def test_rasters_hold_known_numbers_and_agree_with_the_polygons(tile: TileFiles) -> None:
    assert set(np.unique(tile.field_raster)) == {*tile.fields, 255}
    assert tile.soil_raster.max() < len(tile.soils)
    assert set(np.unique(tile.zones)) == set(range(8))
    assert set(np.unique(tile.surface)) == set(range(1, 8))
    middle = WEST + 4.0 * (np.arange(381) + 0.5)
    x, y = (values.ravel() for values in np.meshgrid(middle, middle))
    for number, field in tile.fields.items():
        inside = contains(np.array(field["polygon"]), x, y).reshape(381, 381)
        assert np.mean(tile.field_raster[inside] == number) > 0.999, number
        assert tile.crops[number]["crop"] == field["crop"]
        zones = set(np.unique(tile.zones[inside]))
        assert zones <= ({1, 2} if number in tile.planted() else {0, 3, 6}), (number, zones)


def test_planted_fields_have_headlands(tile: TileFiles) -> None:
    for number in tile.planted():
        zones = tile.zones[tile.field_raster == number]
        assert 0.0 < np.mean(zones == 2) < 0.95, number
    assert tile.zone_at(-38.71, -107.0) == 2 and tile.zone_at(-38.71, -60.0) == 1


def test_soils_follow_the_height(tile: TileFiles) -> None:
    names = [unit["symbol"] for unit in tile.soils]
    shares = np.bincount(tile.soil_raster.ravel(), minlength=len(names)) / tile.soil_raster.size
    low = shares[names.index("Cm")] + shares[names.index("Du")]
    assert abs(low - 0.30) < 0.02 and abs(shares[names.index("RtB")] - 0.25) < 0.02
    corner = np.round((4.0 * (np.arange(381) + 0.5)) / STEP).astype(int)
    ground = tile.heights[np.ix_(corner, corner)]
    wet = np.isin(tile.soil_raster, (names.index("Cm"), names.index("Du")))
    dry = tile.soil_raster == names.index("RtB")
    assert ground[dry].mean() > ground[wet].mean() + 0.5
    for unit in tile.soils:
        assert abs(unit["sand_pct"] + unit["silt_pct"] + unit["clay_pct"] - 100.0) < 1e-9
        assert unit["theta_wp"] < unit["theta_fc"] < unit["theta_s"] and unit["source"]


def test_trees_stand_on_grass_outside_fields_and_walls(tile: TileFiles) -> None:
    trunks = np.array([row[1:] for row in tile.scene["cylinders"] if row[0] == 6])
    x, y = trunks[:, 0], trunks[:, 1]
    classes = tile.surface[np.floor((y - SOUTH) / STEP).astype(int), np.floor((x - WEST) / STEP).astype(int)]
    assert set(np.unique(classes)) == {3}
    for field in tile.fields.values():
        assert not contains(np.array(field["polygon"]), x, y).any()
    for outline in tile.scene["outlines"]:
        if "polygon" in outline:
            corners = np.array(outline["polygon"])
            centre = corners.mean(axis=0)
            assert not contains(centre + 1.05 * (corners - centre), x, y).any(), outline["id"]
    for _, bin_x, bin_y, _, radius, _ in (row for row in tile.scene["cylinders"] if row[0] == 5):
        assert np.hypot(x - bin_x, y - bin_y).min() > radius + 1.0
    ground = np.array([tile.plane(a, b)[0] for a, b in zip(x, y, strict=True)])
    assert np.abs(trunks[:, 2] - ground).max() < 0.1


def test_buildings_and_bins_stand_apart_on_the_ground(tile: TileFiles) -> None:
    buildings = [np.array(o["polygon"]) for o in tile.scene["outlines"] if "polygon" in o]
    boxes = np.array([(*b.min(axis=0), *b.max(axis=0)) for b in buildings])
    bins = np.array([row[1:] for row in tile.scene["cylinders"] if row[0] == 5])
    round_boxes = np.stack([bins[:, 0] - bins[:, 3], bins[:, 1] - bins[:, 3], bins[:, 0] + bins[:, 3]], axis=1)
    boxes = np.concatenate([boxes, np.column_stack([round_boxes, bins[:, 1] + bins[:, 3]])])
    for k, (west, south, east, north) in enumerate(boxes):
        rest = np.delete(boxes, k, axis=0)
        apart = (rest[:, 0] > east) | (rest[:, 2] < west) | (rest[:, 1] > north) | (rest[:, 3] < south)
        assert apart.all(), k
        assert tile.surface_at(0.5 * (west + east), 0.5 * (south + north)) in ((7,) if k < 63 else (2, 3))
    for outline in tile.scene["outlines"]:
        if "polygon" in outline:
            for x, y in outline["polygon"]:
                assert outline["z_min"] < tile.plane(x, y)[0] < outline["z_min"] + 1.6
