"""The built-in tile: what the spec's examples say about the farm, of its raw files, for two seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tile_files import TileFiles, contains, first_round, first_triangle

GARAGE = (-38.71, -140.513)
STARTS = [GARAGE[0] + 6.0 * i for i in range(4)]


def test_the_garage_stands_on_the_plane_of_the_spec(tile: TileFiles) -> None:
    height, east, north = tile.plane(*GARAGE)
    assert height == pytest.approx(0.639, abs=1e-3)  # spec, FAcresTerrain
    assert 1.0 / math.sqrt(1.0 + east**2 + north**2) == pytest.approx(0.99976, abs=1e-5)
    assert abs(east) > 5.0 * abs(north)
    place = tile.places["spawn-icsc-garage"]
    assert (place["x"], place["y"], place["yaw_deg"]) == (*GARAGE, 90.0)


def test_the_lot_of_the_garage_is_one_plane_of_gravel_and_pads(tile: TileFiles) -> None:
    height, east, north = tile.plane(*GARAGE)
    for x in np.arange(-89.9, 40.0, 3.7):
        for y in np.arange(-189.9, -114.0, 3.7):
            plane = height + east * (x - GARAGE[0]) + north * (y - GARAGE[1])
            assert tile.plane(x, y) == pytest.approx((plane, east, north), abs=1e-5)
    assert set(np.unique(tile.surfaces_in(-90.0, -190.0, 40.0, -114.0))) == {2, 7}
    assert tile.surface_at(*GARAGE) == 2  # spec, FAcresWorld


def test_field_48_lies_north_of_the_lot(tile: TileFiles) -> None:
    assert tile.crops[48]["crop"] == tile.fields[48]["crop"] == "corn"
    assert np.all(tile.surfaces_in(-142.0, -110.0, 162.0, 100.0) == 5)
    assert set(np.unique(tile.surfaces_in(-90.0, -114.0, 40.0, -111.0))) <= {2, 3}
    x, y = tile.patches(48)
    assert x.min() <= -142 and x.max() >= 162 and y.min() == -110 and y.max() >= 100
    assert tile.field_at(-38.71, -60.0) == 48


def test_field_24_lies_north_of_a_mown_strip(tile: TileFiles) -> None:
    assert tile.field_at(195.0, 190.0) == 24  # spec, FAcresWorld
    assert tile.crops[24]["crop"] == "corn"
    assert np.all(tile.surfaces_in(150.0, 186.0, 265.0, 266.0) == 5)
    assert np.all(tile.surfaces_in(150.0, 128.0, 265.0, 184.0) == 3)
    corners = np.array(tile.fields[24]["polygon"])
    assert np.all(contains(corners, np.array([150.0, 265.0, 265.0, 150.0]), np.array([186.0, 186.0, 266.0, 266.0])))
    soils = {tile.soils[number]["texture"] for number in np.unique(tile.soil_raster[tile.field_raster == 24])}
    assert soils <= {"silty clay loam", "silt loam"}


@pytest.mark.parametrize(("x", "y"), [(195.0, 190.0), (220.0, 190.0), (203.32, 138.01), (210.31, -249.94)])
def test_starts_are_level(tile: TileFiles, x: float, y: float) -> None:
    for ahead in np.arange(0.0, 25.0, 0.7):
        _, east, north = tile.plane(x + ahead, y) if y == 190.0 else tile.plane(x, y + ahead)
        assert math.hypot(east, north) < 0.01


def test_the_way_north_from_the_starts_is_free(tile: TileFiles) -> None:
    # A body of 1.6 m on a sine of 10 m to both sides, as far as 150 m north; its rear is 0.46 m behind the place.
    ways = [
        (x, GARAGE[1] + step, 0.8 + min(max(step, 0.0), 10.0)) for x in STARTS for step in np.arange(-0.46, 150, 0.5)
    ]
    x, y, free = np.array(ways).T
    for east, north, radius in (o["circle"] for o in tile.scene["outlines"] if "circle" in o):
        assert np.all(np.hypot(x - east, y - north) > free + radius), (east, north)
    for outline in (o for o in tile.scene["outlines"] if "polygon" in o):
        corners = np.array(outline["polygon"])
        far = np.hypot(
            *(np.stack([x, y], axis=1) - np.clip(np.stack([x, y], axis=1), corners.min(0), corners.max(0))).T
        )
        assert np.all(far > free), outline["id"]


def test_the_grass_start_and_the_lot_are_free(tile: TileFiles) -> None:
    for ahead in (0.0, 15.0, 30.0, 45.0):
        assert tile.distances(203.32, 138.01 + ahead)[0][0] > 10.0
    assert tile.surface_at(210.31, -249.94) == 2
    near = tile.distances(210.31, -249.94)
    assert 10.0 < near[0][0] < 30.0
    assert sum(name.startswith("bin") for gap, name in near if gap < 60.0) >= 4


def test_obstacles_stand_where_the_spec_finds_them(tile: TileFiles) -> None:
    nearest, _ = tile.distances(*GARAGE)[0]
    assert nearest == pytest.approx(3.20, abs=0.005)  # spec, FAcresScene
    box = np.array([(-9.2, -162.8), (-5.4, -162.8), (-5.4, -161.2), (-9.2, -161.2)])
    touched = [o for o in tile.scene["outlines"] if "polygon" in o and _overlap(np.array(o["polygon"]), box)]
    ground = tile.plane(-7.3, -162.0)[0]
    assert touched and all(o["z_min"] < ground + 0.3 and o["z_max"] > ground + 2.0 for o in touched)


def _overlap(polygon: np.ndarray, box: np.ndarray) -> bool:
    return bool(contains(polygon, *box.T).any() or contains(box, *polygon.T).any())


def test_the_wall_of_the_garage_stands_where_the_spec_finds_it(tile: TileFiles) -> None:
    origin, direction = np.array([*GARAGE, 2.0]), np.array([0.82, -0.57, 0.0])
    t, material = first_triangle(tile.scene, origin, direction)
    assert t == pytest.approx(9.44, abs=0.005)  # spec, FAcresScene
    assert tile.scene["materials"][material]["name"] == "building"
    assert first_round(tile.scene, origin, direction) > t


def test_counts_are_those_of_the_surveyed_farm(tile: TileFiles) -> None:
    outlines = [o["id"].split("-")[0] for o in tile.scene["outlines"]]
    # Spec, build_scene.py and FAcresScene.
    assert {kind: outlines.count(kind) for kind in set(outlines)} == {"building": 63, "bin": 26, "tree": 6984}
    assert len(tile.scene["cylinders"]) == 7010 and len(tile.scene["ellipsoids"]) == 6984
    assert len(tile.scene["triangles"]) == pytest.approx(2182, rel=0.05)
    assert len(outlines) == pytest.approx(7100, rel=0.01)
    assert len(tile.places) == 7 and len(tile.site) == 25
    assert 25 <= len(tile.fields) <= 45 and set(tile.fields) <= set(range(60))
    assert sum(len(tile.patches(number)[0]) for number in tile.planted()) == pytest.approx(706_104, rel=0.02)


def test_the_tile_lies_at_the_agronomy_center(tile: TileFiles) -> None:
    # ACRE, 40.4784 N 86.9943 W: within the tile.
    north = (40.4784 - tile.site["latitude_deg"]) * 111_200.0
    east = (-86.9943 - tile.site["longitude_deg"]) * 111_320.0 * math.cos(math.radians(40.4784))
    assert max(abs(north), abs(east)) < 762.0
    assert tile.site["utm_zone"] == 16
    assert tile.site["altitude_m"] == pytest.approx(218.0 - 33.3, abs=3.0)  # 33.3 m: geoid below the ellipsoid there
    assert tile.site["grid_step_m"] == 1.524 and tile.site["surface_width"] == 1000


def test_both_lists_of_obstacles_are_the_same_ones(tile: TileFiles) -> None:
    assert [o["id"] for o in tile.obstacles] == [o["id"] for o in tile.scene["outlines"]]
    for scouted, outline in zip(tile.obstacles, tile.scene["outlines"], strict=True):
        assert scouted.get("circle") == outline.get("circle") and scouted.get("polygon") == outline.get("polygon")
        x, y = outline["circle"][:2] if "circle" in outline else np.mean(outline["polygon"], axis=0)
        top = tile.plane(x, y)[0] + scouted["height_m"]
        assert top == pytest.approx(outline["z_max"], abs=1.0), scouted["id"]
