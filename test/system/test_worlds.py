"""Worlds by the services of the standard: listed, told, loaded, refused (rows C3, C4 of the standard; farm)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from acres_interfaces.srv import GetFarm, ResetVehicle, SetConditions, SetRate
from simulation_interfaces.msg import TagsFilter
from simulation_interfaces.srv import GetAvailableWorlds, GetCurrentWorld, LoadWorld, UnloadWorld
from system_rig import OK, PAUSED, PLAYING, STOPPED, Shared, User, stamp_ns

from acres_ros.world.tile import tile_folder

pytestmark = pytest.mark.system

UNSUPPORTED, NOT_FOUND, INCORRECT_STATE, FAILED = 0, 2, 3, 4
UNSUPPORTED_FORMAT, NO_RESOURCE, PARSE_ERROR, MISSING_ASSETS = 101, 102, 103, 104
FIX = "/novatel/oem7/fix"
ODOMETRY = "/ground_truth/odometry"


def load(user: User, uri: str, **fields: object) -> LoadWorld.Response:
    return user.call(LoadWorld, "/load_world", uri=uri, **fields)


def current(user: User) -> str:
    answer = user.call(GetCurrentWorld, "/get_current_world")
    assert answer.result.result == OK
    return answer.world.name


def available(user: User, *, tags: tuple[str, ...] = (), mode: int = 0, **fields: object):
    wanted = TagsFilter(tags=tags, filter_mode=mode)
    return user.call(GetAvailableWorlds, "/get_available_worlds", filter=wanted, **fields)


def names(answer: GetAvailableWorlds.Response) -> list[str]:
    return [world.name for world in answer.worlds]


@pytest.fixture
def user(user: User) -> Iterator[User]:
    """Give the user, and the yard back to the tests that follow."""
    yield user
    user.set_state(PAUSED)
    if current(user) != "yard":
        assert load(user, "yard").result.result == OK
    user.set_state(PAUSED)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder of a world of its own, somewhere else on the Earth."""
    folder = tmp_path / "my farm"
    shutil.copytree(tile_folder(), folder)
    site = folder / "ACRE" / "site.json"
    place = {"latitude_deg": 52.0, "longitude_deg": 13.0, "utm_zone": 33}
    site.write_text(json.dumps(json.loads(site.read_text()) | place))
    return folder


# -- listed and told --------------------------------------------------------------------------------------------------


def test_the_built_in_worlds_are_listed_and_chosen_by_tags(user: User) -> None:
    answer = available(user)
    assert answer.result.result == OK
    assert sorted(names(answer)) == ["farm", "flat", "yard"]
    assert all(world.description and world.tags and world.world_resource.uri for world in answer.worlds)
    assert sorted(names(available(user, tags=("level",)))) == ["flat", "yard"]
    assert sorted(names(available(user, tags=("level", "farm")))) == ["farm", "flat", "yard"]
    assert names(available(user, tags=("level", "farm"), mode=TagsFilter.FILTER_MODE_ALL)) == []
    refused = available(user, tags=("level",), mode=7)
    assert refused.result.result == FAILED and "filter_mode 7" in refused.result.error_message


def test_worlds_of_folders_are_listed_and_a_source_that_fails_is_told(user: User, folder: Path) -> None:
    answer = available(user, additional_sources=[str(folder.parent)])
    assert answer.result.result == OK
    assert answer.worlds[-1].name == "my farm"
    assert answer.worlds[-1].world_resource.uri == folder.as_uri()
    sources = ["/nowhere", str(folder)]
    failed = available(user, additional_sources=sources)
    assert failed.result.result == NOT_FOUND and "/nowhere" in failed.result.error_message
    assert names(failed) == []
    partly = available(user, additional_sources=sources, continue_on_error=True)
    assert partly.result.result == OK and "/nowhere" in partly.result.error_message
    assert names(partly)[-1] == "my farm"


def test_there_is_always_a_world(user: User) -> None:
    answer = user.call(UnloadWorld, "/unload_world")
    assert answer.result.result == UNSUPPORTED and "/load_world" in answer.result.error_message
    assert current(user) == "yard"


# -- loaded -----------------------------------------------------------------------------------------------------------


def test_a_loaded_world_is_stopped_with_the_vehicle_at_its_first_place_and_everything_as_new(user: User) -> None:
    assert user.call(SetRate, "/acres/set_rate", rate=4.0).success
    assert user.call(SetConditions, "/acres/set_conditions", global_fraction=0.9).success
    assert user.call(ResetVehicle, "/acres/reset_vehicle", x=10.0, y=-130.0).success
    user.step(7)
    answer = load(user, "farm")
    assert answer.result.result == OK, answer.result.error_message
    assert (answer.world.name, answer.world.world_resource.uri) == ("farm", "farm")
    assert current(user) == "farm"
    assert user.state() == STOPPED
    assert user.call(GetFarm, "/acres/get_farm").global_fraction == 0.55
    assert user.set_state(PAUSED).result == OK
    user.forget()
    user.step(3)
    assert user.ticks() == [stamp_ns(k) for k in (1, 2, 3)]
    place = user.last(ODOMETRY).pose.pose.position
    assert (place.x, place.y) == pytest.approx((-38.71, -140.513), abs=0.05)
    assert user.call(ResetVehicle, "/acres/reset_vehicle", place="field-24").success
    user.step(1)
    place = user.last(ODOMETRY).pose.pose.position
    assert (place.x, place.y) != pytest.approx((-38.71, -140.513), abs=50.0)


def test_the_world_of_a_folder_brings_its_place_on_the_earth_and_its_name(user: User, folder: Path) -> None:
    user.step(18)  # the fix of step 12 comes 6 steps later
    assert user.last(FIX).latitude == pytest.approx(40.47, abs=0.02)
    uri = folder.as_uri()
    answer = load(user, uri)
    assert answer.result.result == OK, answer.result.error_message
    assert answer.world.world_resource.uri == uri
    assert user.set_state(PAUSED).result == OK
    user.forget()
    user.step(18)
    assert user.last(FIX).latitude == pytest.approx(52.0, abs=0.02)
    assert current(user) == answer.world.name


def test_the_yard_again_is_the_yard_of_the_start_to_the_bit(user: User) -> None:
    def drive() -> list[bytes]:
        user.forget()
        user.start_driving(2.0, 2.0)
        return list(user.recorder.rows[ODOMETRY])

    first = drive()
    assert load(user, "farm").result.result == OK
    assert user.set_state(PAUSED).result == OK
    user.step(60)
    assert load(user, "yard").result.result == OK
    assert user.set_state(PAUSED).result == OK
    again = drive()
    assert len(first) == 240
    assert again == first


# -- refused ----------------------------------------------------------------------------------------------------------


def test_no_world_is_loaded_while_playing_or_stepping(user: User) -> None:
    assert user.set_state(PLAYING).result == OK
    answer = load(user, "flat")
    assert answer.result.result == INCORRECT_STATE and "PLAYING" in answer.result.error_message
    assert user.state() == PLAYING
    assert user.set_state(PAUSED).result == OK
    handle = user.goal(10**9)
    answer = load(user, "flat")
    assert answer.result.result == INCORRECT_STATE and "step request" in answer.result.error_message
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert current(user) == "yard"


@pytest.mark.parametrize(
    ("uri", "fields", "code", "words"),
    [
        ("", {}, NO_RESOURCE, "uri is empty"),
        ("", {"resource_string": "<sdf/>"}, UNSUPPORTED, "as text"),
        ("moon", {}, NOT_FOUND, "farm"),
        ("/nowhere/at/all", {}, NOT_FOUND, "/nowhere"),
        ("https://example.org/farm.sdf", {}, UNSUPPORTED_FORMAT, "file:///"),
        ("/", {}, UNSUPPORTED_FORMAT, "site.json"),
        ("/etc/passwd", {}, UNSUPPORTED_FORMAT, "site.json"),
    ],
)
def test_what_is_no_world_is_refused_with_its_code_and_changes_nothing(
    user: User, uri: str, fields: dict[str, object], code: int, words: str
) -> None:
    user.step(5)
    answer = load(user, uri, **fields)
    assert answer.result.result == code and words in answer.result.error_message
    assert (current(user), user.state()) == ("yard", PAUSED)
    user.forget()
    user.step(1)
    assert user.ticks() == [stamp_ns(6)]


def test_files_that_are_missing_or_broken_are_named(user: User, folder: Path) -> None:
    (folder / "ACRE" / "places.json").write_text('{"schema": "acres-places-1", "places": [{"id": "a", "x": "east"}]}')
    answer = load(user, str(folder))
    assert answer.result.result == PARSE_ERROR
    assert "places.json" in answer.result.error_message and "'east'" in answer.result.error_message
    (folder / "ACRE" / "heights.f32").unlink()
    answer = load(user, str(folder))
    assert answer.result.result in (MISSING_ASSETS, PARSE_ERROR)
    (folder / "ACRE" / "places.json").unlink()
    answer = load(user, str(folder))
    assert answer.result.result == MISSING_ASSETS and "places.json" in answer.result.error_message
    assert current(user) == "yard"


def test_a_refused_step_request_after_loading_says_what_state_it_wants(shared: Shared, user: User) -> None:
    assert load(user, "flat").result.result == OK
    result = user.step_result(1)
    assert result.result == FAILED and "STOPPED" in result.error_message
    assert not [name for name, process in shared.stand_in.processes.items() if process.poll() is not None]
