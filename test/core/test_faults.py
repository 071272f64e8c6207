"""Faults of one vehicle: at their steps, with their numbers, told, ended and repeated."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fault_rig import drive
from gateway_rig import brake, steering, throttle

from acres_ros.core.environment import Environment
from acres_ros.core.fault_table import BY_NAME, FAULTS, INDEX, MODULES, SENSORS, SILENCE_BITS, names_of
from acres_ros.core.faults import FaultError
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.messages import Enable, GearCmd
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.world import World

TRIPLES = {
    "ins_attitude_bias": (("ins", "attitude"),),
    "ins_velocity_bias": (("ins", "velocity"),),
    "ins_rate_bias": (("ins", "rate"), ("ins", "raw", "rate")),
    "ins_force_bias": (("ins", "force"), ("ins", "raw", "force")),
    "vehicle_imu_rate_bias": (("vehicle_imu", "rate"),),
    "vehicle_imu_force_bias": (("vehicle_imu", "force"),),
    "vehicle_gps_bias": (("vehicle_gnss", "position"),),
}


@pytest.fixture(scope="module")
def vehicle() -> Environment:
    return Environment(World.flat(), load_parameters(), Start(gear="L"))


@pytest.fixture(autouse=True)
def begin(vehicle: Environment) -> None:
    vehicle.restart()
    vehicle.take_events()


def steps_of(samples: np.ndarray, key: str) -> list[int]:
    """Return the steps in which the marks say something."""
    return samples["step"][samples["faults"][key] != 0].tolist()


def said(vehicle: Environment) -> list[str]:
    return [event.text for event in vehicle.take_events() if event.code == "ACRES_FAULT"]


def numbers_of(name: str) -> list[float]:
    """Return numbers that a fault can have."""
    fault = BY_NAME[name]
    return [1.0 if fault.low <= 1.0 <= fault.high else fault.high] * len(fault.values)


def test_the_table_names_each_fault_once_and_has_room_in_the_marks() -> None:
    assert len(INDEX) == len(FAULTS) == len({fault.name for fault in FAULTS}) <= 63
    for fault in BY_NAME.values():
        assert fault.effect and fault.shows and (fault.low < fault.high) == bool(fault.values) == bool(fault.unit)


def test_the_page_of_the_faults_has_this_table() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/faults.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for row, fault in zip(rows, BY_NAME.values(), strict=True):
        unit = "" if fault.unit == "-" else f" {fault.unit}"
        numbers = f"{', '.join(fault.values)}: {fault.low:g} to {fault.high:g}{unit}" if fault.values else ""
        assert row == f"| `{fault.name}` | {numbers} | {fault.effect} | {fault.shows} |"


@pytest.mark.parametrize("name", INDEX)
def test_each_fault_acts_from_the_next_step_on_for_its_time(vehicle: Environment, name: str) -> None:
    vehicle.step(7)
    vehicle.set_fault(name, values=numbers_of(name), duration_s=0.1)
    samples = vehicle.step(30)
    assert steps_of(samples, "active") == list(range(8, 20)), "0.1 s are 12 steps"
    assert names_of(int(samples["faults"]["active"][0])) == [name]
    given = "".join(f" {number:g}" for number in numbers_of(name))
    assert said(vehicle) == [f"{name}{given} begins, for 0.1 s", f"{name} ends"]


def test_without_a_time_it_acts_until_it_is_switched_off(vehicle: Environment) -> None:
    vehicle.set_fault("brake_stuck")
    assert steps_of(vehicle.step(500), "active") == list(range(1, 501))
    vehicle.set_fault("brake_stuck", on=False)
    assert steps_of(vehicle.step(5), "active") == []
    assert said(vehicle) == ["brake_stuck begins", "brake_stuck ends"]
    vehicle.set_fault("brake_stuck", on=False)
    assert said(vehicle) == [], "there was nothing to end"


def test_the_shortest_time_is_a_step(vehicle: Environment) -> None:
    vehicle.set_fault("lidar_freeze", duration_s=1e-9)
    assert steps_of(vehicle.step(5), "freeze") == [1]


def test_a_second_request_replaces_numbers_and_time(vehicle: Environment) -> None:
    vehicle.set_fault("steering_slow", values=[10.0], duration_s=0.05)
    vehicle.step(3)
    vehicle.set_fault("steering_slow", values=[20.0], duration_s=0.1)
    assert vehicle.faults.active["steering_slow"].values == (20.0,)
    assert steps_of(vehicle.step(30), "active") == list(range(4, 16))


@pytest.mark.parametrize("reset", ["restart", "reset", "restart_time", "both"])
def test_every_reset_ends_them(vehicle: Environment, reset: str) -> None:
    vehicle.set_fault("steering_fault")
    vehicle.set_fault("command_delay", values=[10])
    vehicle.post(Enable())
    vehicle.step(3)
    if reset == "both":
        vehicle.reset(restart_time=True)
    else:
        getattr(vehicle, reset)()
    assert said(vehicle)[-2:] == ["steering_fault ends", "command_delay ends"]
    samples = vehicle.step(30)
    assert not samples["faults"]["active"].any() and not samples["gateway"]["steering"]["fault"].any()
    assert not samples["gateway"]["dbw_enabled"].any(), "what was on its way is gone"


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("brake_stucked", {}, "name = 'brake_stucked'"),
        ("clock_halt", {"values": [1.0]}, "a fault of a vehicle"),
        ("brake_stuck", {"values": [1.0]}, "no numbers for brake_stuck"),
        ("brake_weak", {}, "1 number for brake_weak (share; -), 0 to 1"),
        ("brake_weak", {"values": [1.5]}, "values = [1.5]"),
        ("brake_weak", {"values": [math.nan]}, "values = [nan]"),
        ("brake_weak", {"values": [0.5, 0.5]}, "1 number"),
        ("command_delay", {"values": [1.5]}, "whole 1 number for command_delay (steps; steps), 1 to 1200"),
        ("command_delay", {"values": [0]}, "1 to 1200"),
        (
            "command_bad_crc",
            {"values": [1.0]},
            "5 numbers for command_bad_crc (steering, brake, throttle, ulc, gear; -)",
        ),
        ("command_bad_counter", {"values": [0.0, 0.0, 0.0, 1.1]}, "0 to 1"),
        ("ins_rate_bias", {"values": [0.0, math.inf, 0.0]}, "3 numbers for ins_rate_bias (x, y, z; rad/s), -10 to 10"),
        ("brake_stuck", {"duration_s": -1.0}, "duration_s = -1.0"),
        ("brake_stuck", {"duration_s": math.nan}, "duration_s = nan"),
        ("brake_stuck", {"duration_s": 1e7}, "0 (no end) to 1e+06 s"),
        ("brake_stuck", {"on": False, "duration_s": 1.0}, "none to switch a fault off"),
        ("brake_weak", {"on": False, "values": [0.5]}, "none to switch a fault off"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_changes_nothing(
    vehicle: Environment, name: str, fields: dict, words: str
) -> None:
    vehicle.set_fault("brake_weak", values=[0.5])
    before = dict(vehicle.faults.active)
    vehicle.take_events()
    with pytest.raises(FaultError) as caught:
        vehicle.set_fault(name, **fields)
    assert words in str(caught.value) and "wanted" in str(caught.value)
    assert vehicle.faults.active == before and said(vehicle) == []


# -- actuators --------------------------------------------------------------------------------------------------------


def test_a_stuck_steering_stands_still_in_its_steps_and_is_told_as_degraded(vehicle: Environment) -> None:
    vehicle.post(Enable())
    drive(vehicle, 30, steering(80.0), brake(20.0))
    vehicle.set_fault("steering_stuck", duration_s=0.25)
    samples = drive(vehicle, 60, steering(80.0), brake(20.0))
    angles = samples["vehicle"]["dbw"]["steering"]["angle_deg"]
    assert (angles[:30] == angles[0]).all() and angles[30] != angles[29]
    assert samples["gateway"]["steering"]["degraded"].tolist() == [1] * 30 + [0] * 30
    assert samples["gateway"]["dbw_enabled"].all() and samples["vehicle"]["dbw"]["steering"]["in_control"].all()


def test_a_weak_brake_gives_its_share(vehicle: Environment) -> None:
    vehicle.set_fault("brake_weak", values=[0.5])
    vehicle.post(Enable())
    samples = drive(vehicle, 240, brake(40.0))
    assert samples["vehicle"]["dbw"]["brake"]["output_bar"][-1] == pytest.approx(0.5 * 0.4 * 80.0, abs=0.05)


def test_a_fault_of_a_module_disengages_in_its_step_and_is_over_in_its_step(vehicle: Environment) -> None:
    vehicle.post(Enable())
    drive(vehicle, 10, steering(), throttle(0.0))
    vehicle.set_fault("steering_fault", duration_s=0.1)
    gateway = drive(vehicle, 20, steering(), throttle(0.0))["gateway"]
    assert not gateway["dbw_enabled"].any()
    assert gateway["steering"]["fault"].tolist() == [1] * 12 + [0] * 8
    assert gateway["system"]["state"].tolist() == [7] * 12 + [1] * 8
    assert set(gateway["system"]["reason_disengage"]) == {0x25}
    assert gateway["system"]["reason_not_ready"].tolist() == [0x18] * 12 + [0] * 8


@pytest.fixture(scope="module")
def managed() -> Environment:
    """Return a vehicle whose firmware decides."""
    options = GatewayOptions(system_sync_mode="all_or_none")
    return Environment(World.flat(), load_parameters(), Start(gear="L"), options)


@pytest.mark.parametrize("name", MODULES)
def test_a_silent_module_is_marked_and_obeys_and_is_released_with_the_system(managed: Environment, name: str) -> None:
    managed.restart()
    commands, steps = (steering(200.0), brake(60.0), throttle(60.0)), 42 if name == "gear" else 12
    managed.post(Enable())
    drive(managed, 12, *commands)
    managed.set_fault(f"{name}_silent", duration_s=0.5)
    samples = drive(managed, 72, *commands)
    assert samples["faults"]["drop"].tolist() == [SILENCE_BITS[f"{name}/report"]] * 60 + [0] * 12
    assert samples["gateway"]["dbw_enabled"].tolist() == [1] * steps + [0] * (72 - steps)
    state = samples["vehicle"]["dbw"]
    for module in ("steering", "brake", "throttle"):
        assert state[module]["in_control"].tolist() == [1] * steps + [0] * (72 - steps)
    assert (np.diff(state["steering"]["angle_deg"][:12]) > 0.0).all(), "it goes on obeying"
    bits = samples["gateway"]["system"]["missing_reports"].tolist()
    assert bits == [0] * steps + [1 << MODULES.index(name)] * (60 - steps) + [0] * 12


def test_where_the_node_decides_a_silent_module_obeys_for_as_long_as_it_takes(vehicle: Environment) -> None:
    vehicle.post(Enable())
    vehicle.set_fault("steering_silent")
    samples = drive(vehicle, 240, steering(100.0))
    assert samples["gateway"]["dbw_enabled"].all() and samples["vehicle"]["dbw"]["steering"]["in_control"].all()
    assert samples["vehicle"]["dbw"]["steering"]["angle_deg"][-1] == pytest.approx(100.0, abs=0.5)


@pytest.mark.parametrize("kind", ["hardware_disable", "not_ready"])
@pytest.mark.parametrize("name", MODULES[:3])
def test_a_module_that_lets_go_leaves_its_actuator_to_the_driver(vehicle: Environment, name: str, kind: str) -> None:
    commands = (steering(100.0), brake(30.0), throttle(20.0))
    vehicle.post(Enable())
    drive(vehicle, 30, *commands)
    vehicle.set_fault(f"{name}_{kind}", duration_s=0.5)
    samples = drive(vehicle, 120, *commands)
    state = samples["vehicle"]["dbw"]
    for module in MODULES[:3]:
        lost = module == name
        assert state[module]["in_control"].tolist() == [not lost] * 60 + [1] * 60
    assert samples["gateway"]["dbw_enabled"].all(), "the real node looks at neither"
    if name == "steering":
        assert len(set(state["steering"]["angle_deg"][:60])) == 1, "nobody turns the wheel"
    else:
        assert state[name]["output_bar" if name == "brake" else "output_pct"][59] < 0.5
    assert samples["gateway"][name]["hardware_disable"].tolist() == [kind == "hardware_disable"] * 60 + [0] * 60


def test_what_is_silent_or_damaged_goes_on_from_a_snapshot(managed: Environment) -> None:
    managed.restart()
    managed.post(Enable())
    drive(managed, 12, steering(30.0), brake(), throttle())
    managed.set_fault("gear_silent", duration_s=0.5)
    managed.set_fault("steering_hardware_disable", duration_s=0.2)
    managed.set_fault("command_bad_crc", values=[0.0, 0.5, 0.0, 0.5, 1.0])
    managed.set_fault("command_delay", values=[7.0])
    drive(managed, 5, steering(30.0), brake(), throttle(), GearCmd(cmd=4))
    (fork,) = managed.fork(1)
    futures = [drive(run, 90, steering(40.0), brake(), throttle(), GearCmd(cmd=5)) for run in (managed, fork)]
    assert futures[0].tobytes() == futures[1].tobytes()
    seen = futures[0]["gateway"]
    assert seen["system"]["missing_reports"].tolist() == [0] * 37 + [8] * 18 + [0] * 35
    assert (
        seen["gear"]["bad_crc"].any() and seen["brake"]["bad_crc"].any() and seen["steering"]["hardware_disable"].any()
    )


# -- sensors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bit", range(len(SENSORS)))
def test_drop_out_and_freeze_mark_their_sensor_alone(vehicle: Environment, bit: int) -> None:
    name = SENSORS[bit].name
    vehicle.set_fault(f"{name}_dropout", values=[1.0], duration_s=0.05)
    vehicle.set_fault(f"{name}_freeze", duration_s=0.1)
    marks = vehicle.step(15)["faults"]
    assert marks["drop"].tolist() == [1 << bit] * 6 + [0] * 9
    assert marks["freeze"].tolist() == [1 << bit] * 12 + [0] * 3


def test_a_share_of_the_messages_is_lost_each_sensor_by_draws_of_its_own(vehicle: Environment) -> None:
    vehicle.set_fault("ins_fix_dropout", values=[0.25])
    vehicle.set_fault("lidar_dropout", values=[0.75])
    drop = vehicle.step(4000)["faults"]["drop"]
    shares = {bit: count / 4000 for bit, count in Counter(drop.tolist()).items()}
    fix, lidar = 1 << 1, 1 << 6
    assert shares.keys() == {0, fix, lidar, fix | lidar}
    wanted = {0: 0.1875, fix: 0.0625, lidar: 0.5625, fix | lidar: 0.1875}
    assert all(abs(shares[bit] - share) < 0.032 for bit, share in wanted.items()), "four standard deviations"


@pytest.mark.parametrize("name", TRIPLES)
def test_a_bias_is_added_to_its_errors_and_to_nothing_else(vehicle: Environment, name: str) -> None:
    bias = (0.5, -0.25, 0.125)
    healthy = vehicle.step(40)["navigation"].copy()
    vehicle.restart()
    vehicle.set_fault(name, values=bias, duration_s=0.25)
    hit = vehicle.step(40)["navigation"]
    added = np.radians(bias) if name == "ins_attitude_bias" else np.array(bias)
    for path in TRIPLES[name]:
        was, now = healthy, hit
        for key in path:
            was, now = was[key], now[key]
        assert now[:30] - was[:30] == pytest.approx(np.tile(added, (30, 1)), rel=1e-9)
        assert (now[30:] == was[30:]).all()
        now[:] = was
    assert hit.tobytes() == healthy.tobytes()


def test_a_bias_of_the_wheel_speeds_is_in_the_marks(vehicle: Environment) -> None:
    vehicle.set_fault("wheel_speeds_bias", values=[1.0, 2.0, 3.0, 4.0], duration_s=0.01)
    assert vehicle.step(4)["faults"]["wheel_bias"].tolist() == [[1.0, 2.0, 3.0, 4.0]] * 2 + [[0.0] * 4] * 2


# -- repeats ----------------------------------------------------------------------------------------------------------


def faulty_run(vehicle: Environment) -> bytes:
    """Run with every random fault and return samples, but for their epoch, and words."""
    vehicle.post(Enable())
    for name, values in (("command_loss", [0.3]), ("command_reorder", [0.3]), ("command_delay", [4])):
        vehicle.set_fault(name, values=values)
    vehicle.set_fault("command_bad_crc", values=[0.2, 0.0, 0.1, 0.0, 0.0])
    vehicle.set_fault("command_bad_counter", values=[0.2, 0.0, 0.1, 0.0])
    for sensor in SENSORS:
        vehicle.set_fault(f"{sensor.name}_dropout", values=[0.4], duration_s=1.0)
    samples = drive(vehicle, 200, steering(30.0), throttle(5.0))
    samples["epoch"] = 0
    return samples.tobytes() + repr(vehicle.take_events()).encode()


def test_two_runs_are_equal_in_another_environment_and_after_a_reset(vehicle: Environment) -> None:
    first = faulty_run(vehicle)
    other = Environment(World.flat(), load_parameters(), Start(gear="L"))
    other.take_events()
    assert faulty_run(other) == first
    vehicle.restart()
    vehicle.take_events()
    assert faulty_run(vehicle) == first


def test_another_agent_has_other_draws() -> None:
    runs = [Environment(World.flat(), load_parameters(), Start(gear="L"), agent=agent) for agent in (0, 1)]
    drops = []
    for vehicle in runs:
        vehicle.set_fault("lidar_dropout", values=[0.5])
        drops.append(vehicle.step(64)["faults"]["drop"].tolist())
    assert drops[0] != drops[1]


def test_faults_of_sensors_change_nothing_of_the_vehicle(vehicle: Environment) -> None:
    vehicle.post(Enable())
    healthy = drive(vehicle, 60, steering(30.0), throttle(20.0)).copy()
    vehicle.restart()
    for name in INDEX:
        if any(name.startswith(sensor.name) for sensor in SENSORS) or name in TRIPLES:
            vehicle.set_fault(name, values=numbers_of(name))
    vehicle.post(Enable())
    hit = drive(vehicle, 60, steering(30.0), throttle(20.0))
    for part in ("vehicle", "gateway"):
        assert hit[part].tobytes() == healthy[part].tobytes()
