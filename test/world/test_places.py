"""Places: poses by id or by name."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from farm_folder import PLACES, tables, write_json

from acres_ros.world import Place, UnknownNameError, World, WorldFileError
from acres_ros.world.places import load_places


def test_places_are_read_in_order(tmp_path: Path):
    gate, barn = load_places(write_json(tmp_path / "places.json", PLACES))
    assert (gate.id, gate.name, gate.x, gate.y, gate.yaw) == ("gate", "The gate", 1.5, -2.5, math.pi / 2.0)
    assert (barn.id, barn.name, barn.yaw) == ("barn", "barn", -math.pi / 4.0)


def test_a_place_is_found_by_its_id_before_its_name():
    one = Place("a", 1.0, 2.0, 0.0, "b")
    two = Place("b", 3.0, 4.0, 0.0, "c")
    world = World("w", World.flat().ground, (one, two, Place("d", 0.0, 0.0, 0.0)))
    assert world.place("a") is one
    assert world.place("b") is two
    assert world.place("c") is two
    with pytest.raises(UnknownNameError, match="'e': the names are a, b, d"):
        world.place("e")
    with pytest.raises(UnknownNameError, match="''"):
        world.place("")


@pytest.mark.parametrize(
    ("change", "key", "word"),
    [
        ({"id": "barn"}, "places[1].id", "no other place has"),
        ({"name": "barn"}, "places[1].id", "no other place has"),
        ({"id": 4}, "places[0].id", "not empty"),
        ({"x": "1"}, "places[0].x", "from -1e+07 to 1e+07"),
        ({"yaw_deg": 3600}, "places[0].yaw_deg", "from -360 to 360"),
        ({"yaw": 1}, "places[0].yaw", "the nearest is yaw_deg"),
    ],
)
def test_a_place_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, object], key: str, word: str):
    content = tables()["places.json"]
    content["places"][0].update(change)
    with pytest.raises(WorldFileError) as caught:
        load_places(write_json(tmp_path / "places.json", content))
    assert caught.value.key == key
    assert word in caught.value.wanted


def test_there_is_a_place_to_start_at(tmp_path: Path):
    with pytest.raises(WorldFileError, match="one place at least"):
        load_places(write_json(tmp_path / "places.json", {**PLACES, "places": []}))
    with pytest.raises(WorldFileError, match=r"places = \(missing\)"):
        load_places(write_json(tmp_path / "places.json", {"schema": "acres-places-1"}))
