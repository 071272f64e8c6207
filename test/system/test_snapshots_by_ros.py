"""Snapshot, run on, restore, run on over ROS: every published byte is equal (B7), in one process and in two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from acres_interfaces.msg import DriverInput
from acres_interfaces.srv import (
    GetFarm,
    ResetVehicle,
    RestoreSnapshot,
    SaveSnapshot,
    SetConditions,
    SetGnss,
    SetHardwareShifts,
    SetParameters,
)
from ds_dbw_msgs.msg import SteeringCmd
from simulation_interfaces.msg import EntityInfo
from simulation_interfaces.srv import GetEntityInfo, SetEntityInfo
from system_rig import OK, OWN_DOMAIN, PAUSED, PLAYING, START_S, STOPPED, User, joined, stamp_ns

from acres_ros.cli.up import started

pytestmark = [pytest.mark.system, pytest.mark.slow]

LATCHED = ("/tf_static", "/robot_description")
CLOUD = "/rslidar_points"
IN_CORN = {"place": "field-24", "gear": 5, "drive_mode": "2wd", "occupants": 3}
Rows = dict[str, list[bytes]]


@pytest.fixture(params=[False, True], ids=["two processes", "one process"])
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[User]:
    """Give the user of a stand-in that is started for the test, with the profile of the vehicle and the LiDAR read."""
    with running(composed=request.param, folder=tmp_path) as user:
        yield user


@contextmanager
def running(*, composed: bool, folder: Path, **options: Any) -> Iterator[User]:
    """Start a stand-in and join it; what it publishes is recorded, the scans too."""
    options = {"paused": True, "world": "farm", "composed": composed, "rate_profile": "vehicle", **options}
    with started({**options, "snapshot_folder": str(folder)}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            user = User(ros, exclude=())
            user.settle()
            yield user


def save(user: User, **fields: Any) -> SaveSnapshot.Response:
    return user.call(SaveSnapshot, "/acres/save_snapshot", **fields)


def restore(user: User, file: str) -> RestoreSnapshot.Response:
    return user.call(RestoreSnapshot, "/acres/restore_snapshot", file=file)


def into_the_middle_of_everything(user: User) -> None:
    """Drive through corn until nothing is at rest: messages and scans on their way, an outage, an override."""
    assert user.call(SetConditions, "/acres/set_conditions", global_fraction=0.8, rain_mm_per_h=3.0).success
    assert user.call(SetParameters, "/acres/set_parameters", keys=["dbw.ulc.kp"], values=[0.5]).success
    assert user.call(ResetVehicle, "/acres/reset_vehicle", **IN_CORN).success
    assert user.call(SetHardwareShifts, "/acres/set_hardware_shifts", steering_offset_deg=2.0).success
    user.start_driving(speed=3.0, seconds=2.0)
    assert user.call(SetGnss, "/acres/set_gnss", state="none", duration_s=1.0, jump_m=[0.0, 1.0, 0.0]).success
    info = EntityInfo(description="the one that was saved", tags=["odd"])
    assert user.call(SetEntityInfo, "/set_entity_info", entity="polaris", info=info).result.result == OK
    user.steer(200.0)
    user.drive(3.0)
    user.step(13)
    user.send("/acres/driver_input", DriverInput(hands_on_wheel=True, steering_wheel_angle_deg=60.0))
    user.step(4)
    user.steer(-150.0)  # has come and waits for its step


def run_on(user: User) -> tuple[Rows, list[str]]:
    """Drive on; return what was published but for what is latched, and the order of all of it."""
    user.settle()
    user.recorder.forget()
    user.send("/acres/driver_input", DriverInput())
    user.enable()
    for part in range(20):
        user.send("/vehicle/steering/cmd", SteeringCmd(cmd_type=SteeringCmd.CMD_ANGLE, cmd=9.0 * part, enable=True))
        user.drive(2.5)
        user.step(9)
    rows = {topic: list(rows) for topic, rows in user.recorder.rows.items() if topic not in LATCHED}
    return rows, [topic for topic in user.recorder.order() if topic not in LATCHED]


def assert_same(first: tuple[Rows, list[str]], again: tuple[Rows, list[str]]) -> None:
    for topic, rows in first[0].items():
        assert again[0][topic] == rows, topic
    assert again[1] == first[1], "the order of all messages"


def test_every_byte_after_a_restore_is_that_of_the_first_run(own: User, tmp_path: Path) -> None:
    into_the_middle_of_everything(own)
    saved = save(own, file="middle")
    assert (saved.success, saved.message, saved.file) == (True, "", str(tmp_path / "middle.npz"))
    farm = own.call(GetFarm, "/acres/get_farm")
    assert farm.crushed_m2 > 5.0
    first = run_on(own)
    assert min(map(len, first[0].values())) >= 1 and len(first[0][CLOUD]) >= 14, "every topic is compared"
    assert own.call(GetFarm, "/acres/get_farm").crushed_m2 > farm.crushed_m2
    assert own.reset().result == OK  # of all, and of what was set
    own.step(30)
    restored = restore(own, "middle")
    assert (restored.success, restored.message, restored.step) == (True, "", saved.step)
    assert own.call(GetFarm, "/acres/get_farm") == farm
    told = own.call(GetEntityInfo, "/get_entity_info", entity="polaris").info
    assert (told.description, told.tags) == ("the one that was saved", ["odd"])
    again = run_on(own)
    assert_same(first, again)
    ticks = own.ticks()
    assert ticks[0] == stamp_ns(saved.step + 1), "time goes on from the snapshot"
    assert own.recorder.order()[:3] == ["/clock", *LATCHED], "the clock first, then the fixed frames, as at a start"


def test_a_new_stand_in_takes_the_state_of_another_one_up(tmp_path: Path) -> None:
    with running(composed=False, folder=tmp_path) as user:
        into_the_middle_of_everything(user)
        assert save(user, file="a/deep/place.npz").success
        first = run_on(user)
    with running(composed=True, folder=tmp_path) as user:
        user.step(25)
        assert restore(user, str(tmp_path / "a" / "deep" / "place")).success
        assert_same(first, run_on(user))
    with running(composed=False, folder=tmp_path, seed=7) as user:
        user.step(3)
        answer = restore(user, "a/deep/place")
        assert not answer.success and "seed = 42: wanted 7, as this simulation was started" in answer.message
        user.step(1)
        assert user.ticks()[-1] == stamp_ns(4), "nothing was changed"


def test_a_file_is_there_once_unless_it_is_to_be_replaced(user: User, tmp_path: Path) -> None:
    name = str(tmp_path / "state")
    user.step(5)
    assert save(user, file=name).step == 5
    user.step(5)
    again = save(user, file=name)
    assert not again.success and "File exists" in again.message and "overwrite=true" in again.message
    assert restore(user, name).step == 5
    user.step(2)
    assert save(user, file=name, overwrite=True).step == 7
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_what_cannot_be_is_refused_in_words(user: User, tmp_path: Path) -> None:
    name = str(tmp_path / "state.npz")
    user.step(5)
    assert save(user, file=name).success
    content = Path(name).read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    for file, words in (
        ("", "the name of a file"),
        ("/", "the name of a file"),
        (".", "the name of a file"),
        ("a/..", "the name of a file"),
        ("../state", "below the folder"),
        (str(tmp_path / "nothing"), "No such file"),
        (str(tmp_path / "cut"), "is damaged, or no snapshot"),
    ):
        answer = restore(user, file)
        assert not answer.success and words in answer.message and answer.file == "", file
    for file, words in (("", "the name of a file"), (str(tmp_path / "no" / "folder"), "No such file")):
        answer = save(user, file=file)
        assert not answer.success and words in answer.message, file
    user.step(1)
    assert user.ticks()[-1] == stamp_ns(6)


def test_the_state_of_the_simulation_decides(user: User, tmp_path: Path) -> None:
    name = str(tmp_path / "state.npz")
    user.step(5)
    assert save(user, file=name).success
    handle = user.goal(10**9)
    for answer in (save(user, file=name, overwrite=True), restore(user, name)):
        assert not answer.success and "a step request is running" in answer.message
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)
    assert user.set_state(STOPPED).result == OK
    answer = restore(user, name)
    assert not answer.success and "STOPPED" in answer.message
    assert user.set_state(PLAYING).result == OK
    answer = restore(user, name)
    assert answer.success and answer.step == 5
    assert user.state() == PLAYING
    user.spin_until(lambda: user.ticks()[-1] > stamp_ns(60), "free run")
    assert stamp_ns(6) in user.ticks(), "the clock jumped, and went on from there"
    assert save(user, file=str(tmp_path / "free")).success
    assert user.set_state(PAUSED).result == OK
    assert restore(user, str(tmp_path / "free")).success
