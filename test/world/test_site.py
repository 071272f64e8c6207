"""The site file of a tile: defaults, own members, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from acres_ros.world.errors import WorldFileError
from acres_ros.world.json_file import Entry, polygon_area, read_json
from acres_ros.world.site import load_site

LEAST = {"grid_step_m": 1.524, "surface_width": 1000}


def site_file(folder: Path, members: object) -> Path:
    path = folder / "site.json"
    path.write_text(members if isinstance(members, str) else json.dumps(members))
    return path


def test_the_two_members_that_must_be_there_give_the_tile_of_the_spec(tmp_path: Path):
    site_file(tmp_path, LEAST)
    site = load_site(tmp_path)
    assert (site.x0_m, site.y0_m) == (-762.0, -762.0)  # 1000 cells of 1.524 m round the origin
    assert (site.surface_height, site.width_m, site.height_m) == (1000, 1524.0, 1524.0)
    assert (site.land_cell_m, site.off_map_margin_m, site.utm_zone, site.name) == (4.0, 10.0, 16, tmp_path.name)


def test_a_surveyed_file_keeps_what_it_says_besides(tmp_path: Path):
    path = site_file(tmp_path, {**LEAST, "surface_height": 500, "y0_m": 7, "datum": "NAVD88", "name": "ACRE"})
    site = load_site(path)
    assert (site.y0_m, site.height_m, site.name) == (7.0, 762.0, "ACRE")
    assert site.members["datum"] == "NAVD88"


@pytest.mark.parametrize(
    ("change", "key", "given", "wanted"),
    [
        ({"grid_step_m": None}, "grid_step_m", "None", "a finite number above 0"),
        ({"grid_step_m": "1.5"}, "grid_step_m", "'1.5'", "a finite number above 0"),
        ({"grid_step_m": 0}, "grid_step_m", "0", "a finite number above 0"),
        ({"grid_step_m": True}, "grid_step_m", "True", "a finite number above 0"),
        ({"surface_width": 10.5}, "surface_width", "10.5", "a whole number from 1"),
        ({"surface_width": 0}, "surface_width", "0", "a whole number from 1"),
        ({"surface_height": [3]}, "surface_height", "[3]", "a whole number from 1"),
        ({"x0_m": 10**400}, "x0_m", "(a number of 1329 bits)", "a number from"),
        ({"utm_zone": 61}, "utm_zone", "61", "a whole number from 1 to 60"),
        ({"name": ""}, "name", "''", "a text that is not empty"),
    ],
)
def test_a_member_that_is_wrong_is_named(tmp_path: Path, change, key, given, wanted):
    path = site_file(tmp_path, {**LEAST, **change})
    with pytest.raises(WorldFileError) as caught:
        load_site(path)
    assert str(caught.value).startswith(f"{path}: {key} = {given}: wanted {wanted}")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(tmp_path: Path, constant: str):
    path = site_file(tmp_path, f'{{"grid_step_m": 1.524, "surface_width": 10, "altitude_m": {constant}}}')
    with pytest.raises(WorldFileError, match="altitude_m = .*(nan|inf).*: wanted a (finite )?number"):
        load_site(path)


@pytest.mark.parametrize("missing", LEAST)
def test_what_must_be_there_is_asked_for(tmp_path: Path, missing: str):
    path = site_file(tmp_path, {name: value for name, value in LEAST.items() if name != missing})
    with pytest.raises(WorldFileError, match=rf"{missing} = \(missing\)"):
        load_site(path)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[1]", "the whole file"),
        (b'{"a": 1, "a": 2}', "each name once"),
        (b"[" * 100_000, "beyond what can be read"),
        (b'{"a": ' + b"9" * 5000 + b"}", "beyond what can be read"),
    ],
)
def test_a_file_that_is_no_object_is_refused(tmp_path: Path, content: bytes, word: str):
    path = tmp_path / "site.json"
    path.write_bytes(content)
    with pytest.raises(WorldFileError, match=word) as caught:
        load_site(path)
    assert caught.value.file == path


def test_a_file_that_is_not_there_is_said(tmp_path: Path):
    with pytest.raises(WorldFileError, match=r"site\.json: no such file: wanted a JSON file"):
        load_site(tmp_path)
    with pytest.raises(WorldFileError, match="not readable"):
        read_json(tmp_path)  # a folder


def test_another_schema_is_refused(tmp_path: Path):
    path = site_file(tmp_path, {"schema": "acres-soils-2"})
    assert read_json(path, "acres-soils-2").has("schema")
    with pytest.raises(WorldFileError, match="schema = 'acres-soils-2': wanted the text 'acres-soils-1'"):
        read_json(path, "acres-soils-1")


def test_rows_name_the_number_that_is_wrong():
    entry = Entry(Path("a.json"), "units", [[1, 2], [3, 4.5]])
    assert entry.rows(("x", "y")).tolist() == [[1.0, 2.0], [3.0, 4.5]]
    with pytest.raises(WorldFileError, match=r"units\[1\].y = 'four': wanted a finite number"):
        Entry(Path("a.json"), "units", [[1, 2], [3, "four"]]).rows(("x", "y"))
    with pytest.raises(WorldFileError, match=r"units\[0\] = \[1\]: wanted 2 numbers: x, y"):
        Entry(Path("a.json"), "units", [[1]]).rows(("x", "y"))


def test_a_polygon_encloses_an_area():
    square = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
    corners = Entry(Path("a.json"), "outline", square).polygon()
    assert corners.shape == (4, 2) and polygon_area(corners) == 4.0
    assert polygon_area(np.flip(corners, 0)) == -4.0
    with pytest.raises(WorldFileError, match="three corners at least"):
        Entry(Path("a.json"), "outline", [[0, 0], [1, 1], [2, 2]]).polygon()
