"""What a snapshot is refused for: another start, a file that is cut or wrong; and that nothing is touched then."""

from __future__ import annotations

import contextlib
import os
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from snapshot_rig import at, changed_file, corn_with_a_post, environment, start_driving, steer, whole

from acres_ros.core import snapshot_file
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.gateway_modules import NEVER
from acres_ros.core.gateway_policy import Verdict
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.core.messages import DriverInput
from acres_ros.core.parameters import load_parameters
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import SAMPLE
from acres_ros.core.sensors import Sensors
from acres_ros.core.snapshot import Snapshot, model_hash
from acres_ros.core.snapshot_file import SnapshotFileError
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.farm import ACCOUNT, CONDITIONS, PAGE
from acres_ros.models.state import VEHICLE
from acres_ros.world import World, load_world

Change = Callable[[dict[str, Any], dict[str, bytes]], None]


@pytest.fixture(scope="module")
def world() -> World:
    return corn_with_a_post()


@pytest.fixture(scope="module")
def driven(world: World) -> Environment:
    vehicle = environment(world)
    start_driving(vehicle, steps=420)
    vehicle.post(steer(20.0), vehicle.time_s + 0.3)
    vehicle.post(steer(30.0), vehicle.time_s + 0.6)
    vehicle.set_fault("brake_weak", values=[0.5])
    vehicle.step(2)
    vehicle.set_fault("command_delay", values=[500])
    vehicle.post(steer(1.0))
    vehicle.post(steer(2.0))
    vehicle.step(2)
    return vehicle


@pytest.fixture(scope="module")
def file(driven: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("snapshots") / "state.npz"
    driven.snapshot().save(path)
    return path


def refused(vehicle: Environment, path: Path) -> str:
    """Return why a file is refused, after a look that nothing was touched."""
    before = whole(vehicle)
    with pytest.raises((SnapshotError, SnapshotFileError)) as caught:
        vehicle.restore(Snapshot.load(path))
    assert whole(vehicle) == before
    text = str(caught.value)
    assert text.startswith(str(path)), "the file comes first"
    return text


def untuned() -> Any:
    tree = dict(Sensors.from_file().tree)
    tree["vehicle_gnss"] = {**tree["vehicle_gnss"], "hz": 2}
    return Sensors.from_tree(tree).navigation


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 7}, "seed = 42: wanted 7"),
        ({"agent": 1}, "agent = 0: wanted 1"),
        ({"marks": False}, "marks = True: wanted False"),
        ({"options": GatewayOptions(watchdog="single")}, "options.watchdog = 'double': wanted 'single'"),
        (
            {"parameters": load_parameters(overrides={"mass.kerb_kg": 1200})},
            "parameters.mass.kerb_kg = 1158.0: wanted 1200",
        ),
        ({"parameters": load_parameters(occupants=5)}, "parameters.mass.occupants = 2: wanted 5"),
        ({"navigation": untuned()}, "sensors = "),
    ],
)
def test_what_was_started_otherwise_refuses(changes: dict[str, Any], words: str, world: World, file: Path) -> None:
    text = refused(environment(world, **changes), file)
    assert words in text and "start one alike" in text


def test_another_world_refuses(world: World, file: Path) -> None:
    assert "world.name = 'height field': wanted 'yard'" in refused(environment(load_world("yard")), file)
    heights = world.ground.heights.copy()
    heights[0, 0] = 1e-9
    other = World("height field", world.ground._replace(heights=heights), world.places, world.bounds, scene=world.scene)
    assert f"world.content = '{world.digest}': wanted '{other.digest}'" in refused(environment(other), file)


def set_to(key: str, value: Any) -> Change:
    def change(manifest: dict[str, Any], _: dict[str, bytes]) -> None:
        holder, name = at(manifest, key)
        holder[name] = value

    return change


def without(key: str) -> Change:
    def change(manifest: dict[str, Any], _: dict[str, bytes]) -> None:
        holder, name = at(manifest, key)
        del holder[name]

    return change


def number(array: str, dtype: Any, key: str, value: float) -> Change:
    """Return what writes a number into the first record of an array."""

    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        rows = np.frombuffer(bytearray(arrays[f"arrays/{array}"]), dtype).view(np.ndarray)
        view = rows
        for name in key.split("."):
            view = view[:, int(name)] if name.isdigit() else view[name]
        view[0] = value
        arrays[f"arrays/{array}"] = rows.tobytes()

    return change


def resized(array: str, size: int) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        arrays[f"arrays/{array}"] = arrays[f"arrays/{array}"][:size]

    return change


def element(array: str, dtype: str, index: int, value: int) -> Change:
    """Return what writes a number into an array of numbers."""

    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        rows = np.frombuffer(bytearray(arrays[f"arrays/{array}"]), dtype)
        rows[index] = value
        arrays[f"arrays/{array}"] = rows.tobytes()

    return change


def longer(array: str) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        arrays[f"arrays/{array}"] += b"x"

    return change


def missing(array: str) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
        del arrays[f"arrays/{array}"]

    return change


def table(array: str, name: str, value: Any) -> Change:
    """Return what changes what the manifest says of an array."""

    def change(manifest: dict[str, Any], _: dict[str, bytes]) -> None:
        manifest["arrays"][array][name] = value

    return change


def twice_the_first_page(_: dict[str, Any], arrays: dict[str, bytes]) -> None:
    pages = arrays["arrays/environment.farm.pages"]
    arrays["arrays/environment.farm.pages"] = pages[: PAGE.itemsize] * 2 + pages[2 * PAGE.itemsize :]


VEHICLE_ROWS = ("environment.vehicle", VEHICLE.dtype)
FAULTS = "environment.faults"
DRIVER = DriverInput()._asdict()
BAD_FRAME = {"BadFrame": {"target": 5, "crc": True, "counter": False}}
NOTICE = {"order": 1, "verdict": int(Verdict.BAD_FRAME), "message": BAD_FRAME}
ENABLE = {"message": {"Enable": {}}}
GOAL = "environment.navigation.receiver.goal.fix"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_to("format", "tar"), "format = 'tar': wanted 'acres-snapshot'"),
        (set_to("version", 1), "version = 1: wanted 2"),
        (set_to("model", "0" * 16), f"model = '0000000000000000': wanted {model_hash()}: it was taken"),
        (without("environment"), "environment = None"),
        (without("environment.step_count"), "environment = {"),
        (set_to("environment.extra", 1), "environment = {"),
        (without("origin"), "world = None"),
        (set_to("origin.seed", True), "seed = True"),
        (set_to("origin.more", 1), "more = 1"),
        (set_to("environment.step_count", 1.5), "environment.step_count = 1.5: wanted a whole number"),
        (set_to("environment.step_count", 2**63), "environment.step_count = 9223372036854775808: wanted a whole"),
        (set_to("environment.step_count", 2**62), "environment.step_count = 4611686018427387904: wanted 128849018879"),
        (set_to("environment.epoch", 2**62), "environment.epoch = 4611686018427387904: wanted 0 to 128849018879"),
        (set_to("environment.epoch_step", 999), "environment.epoch_step = (999, 0, "),
        (set_to("environment.put_step", -1), "environment.epoch_step"),
        (set_to("environment.epoch", -1), "environment.epoch = -1"),
        (set_to("environment.start.x", "nan"), "environment.start.x = 'nan': wanted a finite number"),
        (set_to("environment.start.x", 10**400), "environment.start.x = (a number of 1329 bits): wanted a finite"),
        (set_to("environment.start.gear", "X"), "environment.start = {"),
        (set_to("environment.start.x", 61.0), "environment.start = Start("),
        (set_to("environment.overrides", {"mass.kerb": 1.0}), "environment.overrides = {'mass.kerb': 1.0}"),
        (set_to("environment.in_effect", {"mass.kerb_kg": -1.0}), "environment.in_effect"),
        (set_to("environment.posted", 99), "environment.queue = [99"),
        (set_to("environment.taken", -1), "environment.queue"),
        (set_to("environment.queue.0.due", 1e9), "environment.queue = [1000000000.0"),
        (set_to("environment.queue.0.due", "inf"), "environment.queue.0.due = 'inf': wanted a finite number"),
        (set_to("environment.inboxes.0.gear.message", {"EnableCmd": {}}), "environment.inboxes.0.gear.message"),
        (set_to("environment.inboxes.0.gear.message", {"NoneType": 1}), "environment.inboxes.0.gear.message"),
        (set_to("environment.inboxes.0.gear.message", {"Enable": {}}), "environment.inboxes.0 = Inbox("),
        (set_to("environment.inboxes.0.steering.message.SteeringCmd.cmd_type", 1), "environment.inboxes.0 = Inbox("),
        (set_to("environment.inboxes.0.shifts.message", {"HardwareShifts": {
            "steering_offset_deg": "inf", "ulc_speed_bias_mps": 0.0, "throttle_bias_pct": 0.0, "brake_bias_bar": 0.0,
        }}), "environment.inboxes.0 = Inbox("),
        (set_to("environment.inboxes.0.notices", [NOTICE]), "environment.inboxes.0 = Inbox("),
        (set_to("environment.inboxes.0.notices", [NOTICE | ENABLE]), "environment.inboxes.0 = Inbox("),
        (set_to("environment.gateway.modules.silent_since", [1, *[NEVER] * 3]), "gateway.modules.silent_since = (1,"),
        (set_to("environment.gateway.gear", 6), "environment.gateway.gear = 6: wanted 0 to 5"),
        (set_to("environment.gateway.gear_reject", 8), "gateway.gear_reject = 8: wanted a number of GearReject"),
        (set_to("environment.gateway.driver.gear", 9), "environment.gateway.driver = DriverInput("),
        (set_to("environment.gateway.driver.brake_bar", "nan"), "environment.gateway.driver.brake_bar = 'nan'"),
        (set_to("environment.gateway.streams.type", [0, 0, 0]), "streams.type = [0, 0, 0]: wanted a list of 4"),
        (set_to("environment.gateway.streams.enable", [1, 0, 0, 0]), "streams.enable.0 = 1: wanted true"),
        (set_to("environment.gateway.auxiliaries.0.values", [9]), "environment.gateway.auxiliaries.turn_signal"),
        (set_to("environment.gateway.auxiliaries.2.values", [0]), "environment.gateway.auxiliaries.misc"),
        (set_to("environment.gateway.log.said", [1]), "environment.gateway.log.said.0 = 1: wanted a text"),
        (set_to("environment.collisions.spells.now", 2), "environment.collisions.spells = [2"),
        (set_to("environment.map.spells.now", 1), "environment.map.spells = [1"),
        (set_to(GOAL, 5), f"{GOAL} = 5"),
        (set_to(f"{FAULTS}.active.brake_weak.values", [2.0]), f"{FAULTS}.active.brake_weak = Active("),
        (set_to(f"{FAULTS}.active.brake_weak.end", 3), "a fault of the vehicle around step"),
        (set_to(f"{FAULTS}.active.brake_stronger", {"values": [], "since": 0, "end": 999}), "name = 'brake_stronger'"),
        (set_to(f"{FAULTS}.commands.waiting.0.due", 1e6), f"{FAULTS}.commands.waiting = [1000000.0"),
        (set_to(f"{FAULTS}.commands.waiting.0.message", {"DriverInput": DRIVER}), f"{FAULTS}.commands = DriverInput("),
        (set_to(f"{FAULTS}.commands.waiting.0.message", BAD_FRAME), f"{FAULTS}.commands = BadFrame("),
        (element(f"{FAULTS}.words", "<u8", 1, 1), f"{FAULTS}.words of sensor_faults"),
        (element(f"{FAULTS}.commands.words", "<u8", 1, 1), f"{FAULTS}.words of command_faults"),
        (number(*VEHICLE_ROWS, "body.vx", np.nan), "environment.vehicle.body.vx[0] = nan: wanted a finite number"),
        (number(*VEHICLE_ROWS, "body.vx", 1.0e300), "environment.vehicle.body.vx[0] = 1e+300: wanted a finite number"),
        (number(*VEHICLE_ROWS, "body.qw", 0.0), "environment.vehicle.body = "),
        (number(*VEHICLE_ROWS, "wheel.2.load", np.inf), "environment.vehicle.wheel.load[0, 2] = inf"),
        (number(*VEHICLE_ROWS, "wheel.1.surface", 8), "environment.vehicle.wheel.surface"),
        (number(*VEHICLE_ROWS, "dbw.brake.delay.head", 64), "environment.vehicle.dbw.brake.delay.head"),
        (number(*VEHICLE_ROWS, "dbw.gear.engaged", 0), "environment.vehicle.dbw.gear.engaged"),
        (number(*VEHICLE_ROWS, "dbw.brake.type", 256), "environment.vehicle.dbw.brake.type"),
        (number(*VEHICLE_ROWS, "drive_mode", 3), "environment.vehicle.drive_mode"),
        (number(*VEHICLE_ROWS, "collision", 2), "environment.vehicle.collision = 2"),
        (number("environment.recent", SAMPLE, "vehicle.body.x", np.nan), "environment.recent.vehicle.body.x[0] = nan"),
        (element("environment.navigation.words", "<u8", 3, 1), "environment.navigation.words of imu"),
        (element("environment.farm.touched", "<i4", 0, -1), "environment.farm.touched"),
        (element("environment.farm.touched", "<i4", 0, 10**6), "environment.farm.touched"),
        (element("environment.farm.masks", "<u2", 0, 0), "environment.farm.masks"),
        (element("environment.farm.masks", "<u2", 0, 512), "environment.farm.masks"),
        (number("environment.farm.conditions", CONDITIONS.dtype, "surface_film", 1.5), "environment.farm.conditions"),
        (number("environment.farm.account", ACCOUNT.dtype, "pages", 1), "environment.farm.account.pages = 1"),
        (number("environment.farm.account", ACCOUNT.dtype, "marks", 0), "environment.farm.account.marks = 0: wanted 1"),
        (number("environment.farm.pages", PAGE, "ruts.5", np.nan), "environment.farm.pages.ruts[0, 5] = nan"),
        (number("environment.farm.pages", PAGE, "key_x", 2**40), "environment.farm.pages"),
        (twice_the_first_page, "environment.farm.pages"),
        (number("environment.gateway.command", COMMAND.dtype, "drive_mode", 7), "gateway.command.drive_mode"),
        (number("environment.gateway.report", GATEWAY.dtype, "system.state", 256), "report.system.state = [256]"),
        (number("environment.gateway.report", GATEWAY.dtype, "gear.reject", -1), "gateway.report.gear.reject = [-1]"),
        (resized("environment.vehicle", 100), "arrays.environment.vehicle = '100 bytes'"),
        (longer("environment.vehicle"), "has 4977 bytes"),
        (missing("environment.vehicle"), "arrays/environment.vehicle"),
        (table("environment.vehicle", "shape", [2]), "arrays.environment.vehicle.shape = [2]: wanted 1"),
        (table("environment.recent", "shape", [-1]), "arrays.environment.recent.shape = [-1]: wanted any"),
        (table("environment.recent", "shape", [2**62]), "arrays.environment.recent.shape"),
        (table("environment.recent", "shape", [1]), "has 12336 bytes"),
        (table("environment.vehicle", "layout", "0" * 16), "arrays.environment.vehicle.layout = '0000000000000000'"),
        (set_to("environment.vehicle", 2), "environment.vehicle = 2: wanted 1"),
        (set_to("arrays", []), "is damaged, or no snapshot"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_in_one_place_is_refused(change: Change, words: str, world: World, file: Path) -> None:
    text = refused(environment(world), changed_file(file, change))
    assert words in text, text


def test_the_changes_of_these_tests_are_all_that_is_wrong(world: World, file: Path) -> None:
    environment(world).restore(Snapshot.load(changed_file(file, lambda manifest, arrays: None)))


def test_a_file_that_is_cut_or_damaged_anywhere_is_refused(world: World, file: Path, tmp_path: Path) -> None:
    vehicle, content = environment(world), file.read_bytes()
    broken = tmp_path / "broken.npz"
    for length in (0, 1, 100, len(content) // 2, len(content) - 30, len(content) - 1):
        broken.write_bytes(content[:length])
        assert "is damaged, or no snapshot" in refused(vehicle, broken)
    for place in range(200, len(content), 997):
        broken.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            read = Snapshot.load(broken)
        except (SnapshotError, SnapshotFileError):
            continue
        # A bit that means nothing, such as one of a date: the state is the one that was written.
        read.save(tmp_path / "again.npz")
        assert (tmp_path / "again.npz").read_bytes() == content


def test_a_damaged_table_of_contents_raises_what_a_caller_expects(world: World, file: Path, tmp_path: Path) -> None:
    """A place beyond the file, another compression, a version of zip that is none: `zipfile` has an error for each."""
    content, rng = file.read_bytes(), random.Random(1)
    broken = tmp_path / "broken.npz"
    begin = content.index(b"PK\x01\x02")
    for _ in range(1000):
        damaged = bytearray(content)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(begin, len(content))] = rng.choice((0, 1, 9, 12, 14, 127, 255))
        broken.write_bytes(damaged)
        with contextlib.suppress(SnapshotError, SnapshotFileError):
            Snapshot.load(broken)


@pytest.mark.parametrize("content", [b"PK", b"{}", b"\x00" * 5000])
def test_what_is_no_snapshot_is_refused(content: bytes, world: World, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    assert "is damaged, or no snapshot" in refused(environment(world), path)


def test_a_place_that_is_no_file_is_refused(world: World, tmp_path: Path) -> None:
    vehicle, pipe = environment(world), tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "it is no file" in refused(vehicle, pipe)
    assert "it is no file" in refused(vehicle, tmp_path)
    assert "No such file" in refused(vehicle, tmp_path / "nothing.npz")
    assert "cannot be read" in refused(vehicle, tmp_path / ("x" * 300))


def test_the_arrays_of_a_file_are_bounded_together(
    world: World, driven: Environment, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(file) as archive:
        size = sum(member.file_size for member in archive.infolist() if member.filename.startswith("arrays/"))
    monkeypatch.setattr(snapshot_file, "LARGEST_CONTENT", size)
    Snapshot.load(file)
    driven.snapshot().save(tmp_path / "state.npz")
    monkeypatch.setattr(snapshot_file, "LARGEST_CONTENT", size - 1)
    assert f"wanted arrays of {size - 1} bytes at most in the whole file" in refused(environment(world), file)
    with pytest.raises(SnapshotFileError, match=f"the state has {size} bytes, and {size - 1} at most are read"):
        driven.snapshot().save(tmp_path / "state.npz")


def test_a_member_with_more_than_it_says_is_not_unpacked(world: World, file: Path) -> None:
    """Ten thousand bytes of a file can hold ten million."""
    size, bomb = VEHICLE.dtype.itemsize, (1 << 26) + 12_345
    crafted = changed_file(file, lambda _, arrays: arrays.update({"arrays/environment.vehicle": bytes(bomb)}))
    content = crafted.read_bytes()
    assert content.count(struct.pack("<L", bomb)) == 2, "in the header of the member, and in the table of contents"
    crafted.write_bytes(content.replace(struct.pack("<L", bomb), struct.pack("<L", size)))
    vehicle = environment(world)
    tracemalloc.start()
    try:
        assert "is damaged, or no snapshot (Bad CRC-32" in refused(vehicle, crafted)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 24


def test_a_gateway_that_knows_other_faults_than_the_vehicle_has_is_refused(world: World, tmp_path: Path) -> None:
    vehicle = environment(world)
    vehicle.set_fault("brake_weak", values=[0.5])
    vehicle.step(2)
    vehicle.snapshot().save(tmp_path / "state.npz")
    path = changed_file(tmp_path / "state.npz", set_to(f"{FAULTS}.active", {}))
    assert "environment.gateway.modules.faults = ModuleFaults(" in refused(environment(world), path)
