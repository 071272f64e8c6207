"""What a start refuses before any process is started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acres_ros.cli import up
from acres_ros.cli.preflight import check_start
from acres_ros.errors import AcresError
from acres_ros.locations import shared_folder


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Return the folder of a world, with the files that tell of its places and seasons."""
    acre = tmp_path / "ACRE"
    acre.mkdir()
    place = {"id": "gate", "name": "the gate", "x": 1.0, "y": 2.0, "yaw_deg": 0.0}
    (acre / "site.json").write_text("{}")
    (acre / "places.json").write_text(json.dumps({"schema": "acres-places-1", "places": [place]}))
    (acre / "crops_2031.json").write_text("{}")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"world": "yard", "place": "field-24"}, "no place is named 'field-24': the names are spawn-icsc-garage"),
        ({"world": "flat", "place": "x"}, "no place is named 'x': the names are origin"),
        ({"world": "moon"}, "no world is named 'moon'"),
        ({"world": "/"}, "world '/' is refused"),
        ({"occupants": 40}, "occupants"),
        ({"vehicle_file": "/nowhere.json"}, "/nowhere.json"),
        ({"world": "yard", "crop_season": "2026"}, "the world yard has no crops, so crop_season would have no effect"),
        ({"world": "flat", "growth": 0.5}, "the world flat has no crops, so growth would have no effect"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], text: str) -> None:
    with pytest.raises(AcresError, match=text):
        check_start(given)
    with pytest.raises(AcresError, match=text), up.started(given):
        pytest.fail("a process was started")


def test_sensors_that_do_not_fit_the_topics_are_refused(tmp_path: Path) -> None:
    sensors = json.loads((shared_folder("config") / "sensors_polaris.json").read_text())
    sensors["ins"]["hz"] = 50.0
    file = tmp_path / "sensors.json"
    file.write_text(json.dumps(sensors))
    with pytest.raises(AcresError, match="50"):
        check_start({"sensors_file": str(file)})


def test_a_folder_is_asked_for_its_places_and_seasons(folder: str) -> None:
    for place in ("gate", "the gate"):
        check_start({"world": folder, "place": place, "crop_season": "2031"})
    check_start({"world": folder, "crop_season": "legacy"})
    with pytest.raises(AcresError, match="no place is named 'barn': the names are gate"):
        check_start({"world": folder, "place": "barn", "crop_season": "legacy"})
    with pytest.raises(AcresError, match=r"no season of .* is named '2026': the names are 2031, legacy"):
        check_start({"world": folder})


@pytest.mark.parametrize(
    "given", [{}, {"world": "flat"}, {"world": "yard", "place": "spawn-icsc-garage", "occupants": 6}]
)
def test_what_can_be_is_let_through(given: dict[str, object]) -> None:
    check_start(given)


def test_a_farm_that_is_not_built_yet_is_left_to_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    check_start({"place": "nowhere", "crop_season": "1831"})
    assert not list(tmp_path.iterdir())
