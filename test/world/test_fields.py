"""Fields: polygons, rasters, and the rule of what is inside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from farm_folder import FIELDS, SQUARE, TRIANGLE, tables, write_json

from acres_ros.world import WorldFileError
from acres_ros.world.fields import field_polygon_at, load_field_raster, load_fields
from acres_ros.world.polygons import fill_polygon, grid_box, inside_polygon

BOUNDS = (-10.0, -10.0, 10.0, 10.0)


def test_fields_are_read_by_their_numbers(tmp_path: Path):
    fields = load_fields(write_json(tmp_path / "fields.json", FIELDS))
    assert list(fields) == [3, 7]
    assert (fields[3].name, fields[3].crop, fields[3].row_heading_deg) == ("south west", "potato", 90.0)
    assert (fields[7].name, fields[7].crop, fields[7].row_heading_deg) == ("field 7", "soybean", 0.0)
    assert fields[7].polygon.tolist() == TRIANGLE
    assert field_polygon_at(fields, -3.0, -9.5) == 3
    assert field_polygon_at(fields, 3.0, 4.5) == 7
    assert field_polygon_at(fields, 4.5, 4.5) == 255
    assert field_polygon_at({}, 0.0, 0.0) == 255


def test_a_polygon_may_say_its_first_corner_again(tmp_path: Path):
    content = tables()["fields.json"]
    content["fields"][0]["polygon"].append(SQUARE[0])
    polygon = load_fields(write_json(tmp_path / "fields.json", content))[3].polygon
    assert sorted(polygon.tolist()) == sorted(SQUARE)


@pytest.mark.parametrize(
    ("change", "key", "word"),
    [
        ({"number": 7}, "fields[1].number", "each field once"),
        ({"number": 60}, "fields[0].number", "from 0 to 59"),
        ({"number": 2.5}, "fields[0].number", "whole number"),
        ({"number": True}, "fields[0].number", "whole number"),
        ({"crop": "barley"}, "fields[0].crop", "one of corn, soybean, potato, sod, grass, none"),
        ({"polygon": [[0, 0], [1, 1]]}, "fields[0].polygon", "three corners"),
        ({"polygon": [[0, 0], [1, 1], [2, 2]]}, "fields[0].polygon", "enclose an area"),
        ({"polygon": [[0, 0], [1, 1], [2]]}, "fields[0].polygon[2]", "2 numbers: x, y"),
        ({"polygon": [[0, 0], [1, 1], [2, None]]}, "fields[0].polygon[2].y", "a finite number"),
        ({"polygon": [[0, 0], [1e9, 1], [2, 0]]}, "fields[0].polygon", "within 1e+07 m"),
        ({"name": ""}, "fields[0].name", "not empty"),
        ({"row_heading": 4}, "fields[0].row_heading", "the nearest is row_heading_deg"),
        ({"row_heading_deg": 400}, "fields[0].row_heading_deg", "from -360 to 360"),
    ],
)
def test_a_field_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, object], key: str, word: str):
    content = tables()["fields.json"]
    content["fields"][0].update(change)
    path = write_json(tmp_path / "fields.json", content)
    with pytest.raises(WorldFileError) as caught:
        load_fields(path)
    assert caught.value.key == key
    assert word in caught.value.wanted
    assert str(path) in str(caught.value)


def test_a_file_of_another_schema_is_refused(tmp_path: Path):
    path = write_json(tmp_path / "fields.json", {**FIELDS, "schema": "acres-fields-2"})
    with pytest.raises(WorldFileError, match="schema = 'acres-fields-2': wanted the text 'acres-fields-1'"):
        load_fields(path)
    with pytest.raises(WorldFileError, match="farms = 1: wanted a known name"):
        load_fields(write_json(path, {**FIELDS, "farms": 1}))
    with pytest.raises(WorldFileError, match="60 at most"):
        load_fields(write_json(path, {**FIELDS, "fields": FIELDS["fields"] * 31}))


def test_the_raster_names_fields_that_there_are(tmp_path: Path):
    fields = load_fields(write_json(tmp_path / "fields.json", FIELDS))
    path = tmp_path / "fields.u8"
    raster = np.array([[3, 255, 7], [255, 255, 3]], np.uint8)
    path.write_bytes(raster.tobytes())
    assert load_field_raster(path, 2, 3, fields).tolist() == raster.tolist()  # row 0 first
    with pytest.raises(WorldFileError, match="has 6 bytes: wanted 2 rows of 4"):
        load_field_raster(path, 2, 4, fields)
    with pytest.raises(WorldFileError, match="larger than 5 bytes"):
        load_field_raster(path, 1, 5, fields)
    path.write_bytes(bytes([255, 3, 24, 255, 255, 3]))
    with pytest.raises(WorldFileError, match=r"\[0, 2\] = 24: wanted 255 or a field: 3, 7"):
        load_field_raster(path, 2, 3, fields)
    with pytest.raises(WorldFileError, match="no such file"):
        load_field_raster(tmp_path / "none.u8", 2, 3, fields)


def test_a_polygon_is_filled_point_by_point():
    # corners at whole metres: the west and south edge belong to the polygon, the east and north edge do not
    square = np.array([[-2.0, -1.0], [2.0, -1.0], [2.0, 2.0], [-2.0, 2.0]])
    assert fill_polygon(square, -3, -2, 6, 5).astype(int).tolist() == [
        [0, 0, 0, 0, 0, 0],
        [0, 1, 1, 1, 1, 0],
        [0, 1, 1, 1, 1, 0],
        [0, 1, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    # x + y < 4 in the first quadrant: 4 + 3 + 2 + 1 points
    triangle = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    assert fill_polygon(triangle, 0, 0, 5, 5).sum() == 10
    # the grid may cut the polygon, or miss it
    assert fill_polygon(triangle, 2, -1, 3, 3).astype(int).tolist() == [[0, 0, 0], [1, 1, 0], [1, 0, 0]]
    assert not fill_polygon(triangle, 10, 10, 3, 3).any()


def test_filling_and_asking_are_one_rule():
    random = np.random.default_rng(5)
    for corners in (3, 4, 7, 40):  # crossing itself too: the even-odd rule holds for that
        polygon = random.uniform(-9.0, 9.0, (corners, 2))
        polygon[: corners // 2] = np.round(polygon[: corners // 2])
        west, south, columns, rows = grid_box(polygon, BOUNDS)
        filled = fill_polygon(polygon, west, south, columns, rows)
        asked = [[inside_polygon(polygon, west + c, south + r) for c in range(columns)] for r in range(rows)]
        assert filled.tolist() == asked
        assert filled.any()
        around = fill_polygon(polygon, -20, -20, 40, 40)
        assert around.sum() == filled.sum()


def test_neighbours_share_an_edge_and_no_point():
    random = np.random.default_rng(6)
    for _ in range(20):
        a, b = random.uniform(-9.0, 9.0, (2, 2))
        west, east = np.array([-20.3, 0.0]), np.array([20.7, 0.1])
        parts = [np.array([a, b, west]), np.array([b, a, east])]
        whole = np.array([a, east, b, west])
        one, two, both = (fill_polygon(p, -25, -25, 50, 50).astype(int) for p in (*parts, whole))
        assert ((one + two) % 2 == both).all()


def test_a_box_stays_within_its_bounds():
    far = np.array([[-50.0, -3.5], [4.2, -3.5], [4.2, 2.0]])
    assert grid_box(far, BOUNDS) == (-10, -3, 15, 5)
    assert grid_box(far + 100.0, BOUNDS)[2:] == (0, 0)
