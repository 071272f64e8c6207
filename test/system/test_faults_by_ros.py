"""Faults by their service: in the reports and the messages of the car, at their steps, and what is refused."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from acres_interfaces.msg import DriverInput
from acres_interfaces.srv import GetFaults, SetFault
from diagnostic_msgs.msg import DiagnosticArray
from ds_dbw_msgs.msg import SystemState
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from simulation_interfaces.srv import GetEntityState, SpawnEntity
from system_rig import OK, OWN_DOMAIN, PAUSED, PLAYING, START_S, Shared, User, joined, ns, stamp_ns, wait_for

from acres_ros.cli.up import started
from acres_ros.core.fault_table import BY_NAME

pytestmark = pytest.mark.system

SYSTEM, STEERING, ODOMETRY = "/vehicle/system/report", "/vehicle/steering/report", "/novatel/oem7/odom"
HALT_S, HALTED_S = 1.5, 0.7


@pytest.fixture(scope="module")
def managed() -> Iterator[User]:
    """Give the user of a stand-in whose firmware decides, with the rates of the car."""
    values = {"paused": True, "world": "yard", "system_sync_mode": "all_or_none", "rate_profile": "vehicle"}
    with started(values, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(OWN_DOMAIN) as ros:
            yield User(ros)


def fault(user: User, name: str, on: bool = True, **fields: Any) -> SetFault.Response:
    return user.call(SetFault, "/acres/set_fault", name=name, on=on, **fields)


def set_fault(user: User, name: str, on: bool = True, **fields: Any) -> None:
    answer = fault(user, name, on, **fields)
    assert (answer.success, answer.message) == (True, "")


def drive(user: User) -> None:
    """Drive on for half a second."""
    for _ in range(10):
        user.steer()
        user.drive(2.0)
        user.step(6)


def ways(user: User, topic: str) -> list[float]:
    """Return how far the position of an odometry goes from message to message, m."""
    places = [(message.pose.pose.position.x, message.pose.pose.position.y) for message in user.messages(topic)]
    return [math.dist(*pair) for pair in pairwise(places)]


def stamps(user: User, topic: str) -> list[int]:
    return [ns(message.header.stamp) for message in user.messages(topic)]


def test_a_fault_of_the_steering_disengages_with_its_code_and_is_over_after_its_time(user: User) -> None:
    user.start_driving(2.0, 1.0)
    user.forget()
    set_fault(user, "steering_fault", duration_s=0.1)
    user.steer()
    user.step(12)
    system, steering = user.last(SYSTEM), user.last(STEERING)
    assert (system.reason_disengage_str, system.reason_not_ready_str) == ("SteerRptFault", "FaultSteer")
    assert (system.fault, system.state.value, system.enabled) == (True, SystemState.FAULT, False)
    assert (steering.fault, steering.ready, steering.enabled) == (True, False, False)
    assert not user.last("/vehicle/dbw_enabled").data
    user.step(12)
    assert not user.last(STEERING).fault and user.last(SYSTEM).state.value == SystemState.READY
    user.start_driving(2.0, 0.5)
    assert user.last("/vehicle/dbw_enabled").data


def test_a_stuck_steering_stays_and_is_told_as_degraded(user: User) -> None:
    user.start_driving(2.0, 1.0)
    set_fault(user, "steering_stuck")
    user.forget()
    for _ in range(5):
        user.steer(60.0)
        user.step(6)
    reports = user.messages(STEERING)
    assert len({report.steering_wheel_angle for report in reports}) == 1 and len(reports) > 10
    assert all(report.degraded and report.enabled and not report.fault for report in reports)
    assert reports[-1].cmd > reports[-1].steering_wheel_angle + 10.0


def test_a_silent_steering_shows_in_every_report_but_its_own_and_the_node_goes_on(user: User) -> None:
    user.start_driving(2.0, 1.0)
    user.forget()
    set_fault(user, "steering_silent", duration_s=0.5)
    drive(user)
    assert user.messages(STEERING) == [] and len(user.messages("/vehicle/brake/report")) == 25
    system, lamps = user.last(SYSTEM), user.last("/vehicle/turn_signal/report")
    assert (system.reason_disengage_str, system.reason_not_ready_str) == ("SteerRptTimeout", "MissingReportSteer")
    assert (system.enabled, system.ready, system.state.value) == (False, False, SystemState.MANUAL)
    assert (lamps.degraded, lamps.degraded_comms_dbw_steer, lamps.degraded_comms_dbw_brake) == (True, True, False)
    lost = [report for report in user.messages(SYSTEM) if report.reason_not_ready]
    first = ns(lost[0].header.stamp) - ns(user.messages(SYSTEM)[0].header.stamp)
    assert 0.08e9 < first < 0.12e9, "the last report is valid for 100 ms"
    assert all(message.data for message in user.messages("/vehicle/dbw_enabled")), "the real node does not look at it"
    drive(user)
    assert user.last(STEERING).enabled and len(user.messages(STEERING)) == 25
    assert (user.last(SYSTEM).state.value, user.last(SYSTEM).reason_disengage_str) == (SystemState.ACTIVE, "")
    assert not user.last("/vehicle/turn_signal/report").degraded


def test_where_the_firmware_decides_and_at_the_rates_of_the_car(managed: User) -> None:
    user = managed
    for name, part, key in (("steering", "Steer", STEERING), ("gear", "Gear", "/vehicle/gear/report")):
        user.start_driving(2.0, 1.0)
        assert user.last("/vehicle/dbw_enabled").data
        user.forget()
        set_fault(user, f"{name}_silent")
        drive(user)
        system = user.last(SYSTEM)
        assert user.messages(key) == [] and not user.last("/vehicle/dbw_enabled").data
        assert system.reason_disengage_str == f"{part}RptTimeout"
        assert system.reason_not_ready_str == f"MissingReport{part}"
        assert not user.last("/vehicle/brake/report").enabled, "released with the system"
        set_fault(user, f"{name}_silent", on=False)
        drive(user)
        assert user.messages(key) and user.last(SYSTEM).state.value == SystemState.READY
    user.start_driving(2.0, 1.0)
    set_fault(user, "command_bad_crc", values=[1.0, 0.0, 0.0, 0.0, 0.0])
    user.steer()
    user.drive(2.0)
    user.step(12)
    system, steering = user.last(SYSTEM), user.last(STEERING)
    assert (system.reason_disengage_str, system.reason_not_ready_str) == ("SteerCmdInvalidCrc", "BadCrcRcCmdSteer")
    assert (steering.bad_crc, steering.bad_rc, steering.enabled) == (True, False, False)
    set_fault(user, "command_bad_crc", on=False)
    set_fault(user, "brake_hardware_disable")
    user.start_driving(2.0, 0.5)
    system, brake = user.last(SYSTEM), user.last("/vehicle/brake/report")
    assert (system.enabled, system.reason_not_ready_str) == (False, "HardwareDisableBrake")
    assert (brake.hardware_disable, brake.ready, brake.fault) == (True, False, False)


def test_a_late_command_acts_its_steps_later(user: User) -> None:
    user.enable()
    user.step(1)
    set_fault(user, "command_delay", values=[10.0])
    user.forget()
    user.steer(40.0)
    user.step(30)
    control = [report.header.stamp.nanosec for report in user.messages(STEERING) if report.enabled]
    # Sent before step 2, so it acts from step 12 on and lets go at its time-out, 13 steps later; reports at 50 Hz.
    due = [stamp_ns(k) for k in (12, 15, 17, 20, 22, 24)]
    assert control == due


def spawn_beside(user: User) -> None:
    here = user.call(GetEntityState, "/get_entity_state", entity="polaris").state.pose.position
    pose = PoseStamped(pose=Pose(position=Point(x=here.x + 8.0, y=here.y, z=here.z), orientation=Quaternion(w=1.0)))
    spawned = user.call(SpawnEntity, "/spawn_entity", name="it", uri="acres://box", initial_pose=pose).result
    assert spawned.result == OK, spawned.error_message


def test_a_frozen_sensor_stays_as_it_is_when_something_is_spawned(user: User) -> None:
    user.start_driving()
    set_fault(user, "ins_odometry_freeze")
    user.step(60)  # what was on its way has come
    user.forget()
    user.step(120)
    spawn_beside(user)
    user.step(120)
    assert set(ways(user, ODOMETRY)) == {0.0}, "the content of before the spawn"


def test_a_reset_has_thawed_a_sensor_also_where_something_is_spawned_behind_it(user: User) -> None:
    user.start_driving()
    set_fault(user, "ins_odometry_freeze")
    user.step(60)
    assert user.reset().result == OK
    spawn_beside(user)
    user.step(12)
    user.forget()
    user.start_driving()
    assert max(ways(user, ODOMETRY)) > 0.01


def test_a_drop_out_and_a_freeze_of_the_odometry(user: User) -> None:
    user.start_driving(2.0, 3.0)
    user.forget()
    set_fault(user, "ins_odometry_dropout", values=[1.0], duration_s=0.25)
    drive(user)
    gaps = np.diff(stamps(user, ODOMETRY)) / 1e9
    assert max(gaps) == pytest.approx(0.25, abs=0.02) and sum(gaps > 0.02) == 1
    set_fault(user, "ins_odometry_freeze", duration_s=0.25)
    user.forget()
    drive(user)
    same = [step == 0.0 for step in ways(user, ODOMETRY)]
    assert 22 <= sum(same) <= 26, "25 messages of a quarter second"
    assert np.diff(stamps(user, ODOMETRY)).max() < 17e6, "the stamps go on"
    assert min(ways(user, "/ground_truth/odometry")) > 0.01, "the vehicle goes on"


def test_a_bias_shows_in_the_wheel_speeds_alone(user: User) -> None:
    set_fault(user, "wheel_speeds_bias", values=[1.0, 0.0, 0.0, 2.0])
    user.step(12)
    speeds = user.last("/vehicle/wheel_speeds")
    assert speeds.front_left == pytest.approx(1.0, abs=0.01) and speeds.rear_right == pytest.approx(2.0, abs=0.01)
    assert speeds.front_right == pytest.approx(0.0, abs=0.01)
    assert user.last("/vehicle/vehicle_velocity").vehicle_velocity_brake == pytest.approx(0.0, abs=0.01)


def test_the_list_names_every_fault_and_what_is_active(user: User) -> None:
    set_fault(user, "brake_weak", values=[0.25], duration_s=2.0)
    set_fault(user, "lidar_freeze")
    user.step(60)
    answer = user.call(GetFaults, "/acres/get_faults")
    assert answer.success and [entry.name for entry in answer.faults] == list(BY_NAME)
    active = {entry.name: entry for entry in answer.faults if entry.active}
    assert active.keys() == {"brake_weak", "lidar_freeze"}
    weak = active["brake_weak"]
    assert (list(weak.values), list(weak.value_names), weak.unit, weak.low, weak.high) == ([0.25], ["share"], "-", 0, 1)
    assert weak.left_s == pytest.approx(1.5) and active["lidar_freeze"].left_s == -1.0
    user.reset()
    answer = user.call(GetFaults, "/acres/get_faults")
    assert not any(entry.active for entry in answer.faults), "a reset ends all"


def test_what_is_active_is_in_the_diagnostics(shared: Shared, user: User) -> None:
    found: list[str] = []

    def look(array: DiagnosticArray) -> None:
        found.extend(part.message for part in array.status if part.name.endswith(": faults"))

    subscription = user.node.create_subscription(DiagnosticArray, "/diagnostics", look, 10)
    try:
        set_fault(user, "ins_fix_dropout", values=[0.5])
        user.step(3)
        user.spin_until(lambda: "active: ins_fix_dropout" in found, "the diagnostics")
    finally:
        user.node.destroy_subscription(subscription)
    said = "ACRES_FAULT ins_fix_dropout 0.5 begins"
    wait_for(lambda: any(said in line for line in shared.stand_in.output), "a line in the log")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "gremlins"}, "name = 'gremlins'"),
        ({"name": "brake_weak"}, "1 number for brake_weak"),
        ({"name": "brake_weak", "values": [math.nan]}, "values = [nan]"),
        ({"name": "command_loss", "values": [1.1]}, "0 to 1"),
        ({"name": "brake_stuck", "duration_s": -1.0}, "duration_s = -1.0"),
        ({"name": "clock_halt", "values": [700.0]}, "0 to 600"),
        ({"name": "clock_halt", "values": [1.0], "duration_s": 1.0}, "has its time in values"),
        ({"name": "clock_halt", "values": [1.0]}, "only the free run has a clock that can halt"),
    ],
)
def test_what_cannot_be_is_refused_in_words(user: User, fields: dict[str, Any], words: str) -> None:
    answer = fault(user, **fields)
    assert not answer.success and words in answer.message
    assert not any(entry.active for entry in user.call(GetFaults, "/acres/get_faults").faults)


def test_no_fault_comes_at_an_unknown_step_of_a_request(user: User) -> None:
    handle = user.goal(10**9)
    answer = fault(user, "brake_stuck")
    assert not answer.success and "step request is running" in answer.message
    result = handle.get_result_async()
    user.wait(handle.cancel_goal_async())
    user.wait(result)


def test_belt_and_door_are_in_the_misc_report(user: User) -> None:
    user.send("/acres/driver_input", DriverInput(seat_belt_open=True, door_open=True))
    user.step(12)
    report = user.last("/vehicle/misc/report")
    assert (report.buckle_driver, report.door_driver) == (False, True)


def test_a_halt_of_the_clock_holds_everything_and_leaves_no_gap(user: User) -> None:
    user.set_state(PLAYING)
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) > 60, "time going on")
    begin, count = time.monotonic(), len(user.recorder.rows["/clock"])
    set_fault(user, "clock_halt", values=[HALT_S])
    # What is on its way at the halt is less than half a second of ticks.
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) > count + 120, "time going on")
    assert time.monotonic() - begin > HALT_S
    set_fault(user, "clock_halt", values=[600.0])
    (halt,) = [entry for entry in user.call(GetFaults, "/acres/get_faults").faults if entry.active]
    assert halt.name == "clock_halt" and 500.0 < halt.left_s == halt.values[0] <= 600.0
    user.settle(HALTED_S)
    counts = {topic: len(rows) for topic, rows in user.recorder.rows.items()}
    time.sleep(HALTED_S)
    user.recorder.take()
    assert {topic: len(rows) for topic, rows in user.recorder.rows.items()} == counts, "nothing comes meanwhile"
    set_fault(user, "clock_halt", on=False)
    more = len(user.recorder.rows["/clock"])
    user.spin_until(lambda: len(user.recorder.rows["/clock"]) > more + 60, "time going on at once")
    user.set_state(PAUSED)
    user.settle()
    ticks = user.ticks()
    assert ticks == [stamp_ns(k + 1) for k in range(len(ticks))], "no step is left out"
