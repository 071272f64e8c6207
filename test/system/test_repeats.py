"""The same commands give the same bytes: in new processes, in one process or two, after a reset (B1, B3, B5, B6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acres_interfaces.msg import DriverInput
from acres_interfaces.srv import ResetVehicle, SetHardwareShifts
from ds_dbw_msgs.msg import Gear, UlcCmd
from rclpy.node import Node
from system_rig import OK, OWN_DOMAIN, PAUSED, START_S, User, joined

from acres_ros.cli.up import started
from acres_ros.nodes.lockstep_program import ENGAGE_STEPS, LockstepProgram, Run, first_difference

pytestmark = [pytest.mark.system, pytest.mark.slow]

SECONDS = 6.0
STEPS = ENGAGE_STEPS + 720
END_OF_STAMP = 12
ODOMETRY = "/ground_truth/odometry"


def run_in_new_processes(*, composed: bool) -> Run:
    with started({"paused": True, "world": "yard", "composed": composed}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        assert len(stand_in.processes) == (1 if composed else 2)
        with joined(OWN_DOMAIN) as ros:
            return LockstepProgram(Node("program", context=ros)).run(seconds=SECONDS)


@pytest.fixture(scope="module")
def fresh() -> Run:
    """Give the run of two new processes."""
    return run_in_new_processes(composed=False)


def test_the_run_is_a_drive_with_every_topic(fresh: Run) -> None:
    assert len(fresh.positions) == STEPS
    assert 5.0 < fresh.distance < 12.0  # 6 s up to 2 m/s
    counts = {topic: count for topic, (count, _) in fresh.hashes.items()}
    assert counts["/clock"] == counts[ODOMETRY] == STEPS
    assert counts["/vehicle/steering/report"] == STEPS * 50 // 120
    assert counts["/novatel/oem7/odom"] == STEPS * 100 // 120 - 5  # the last 5 are on their way
    assert counts["/rslidar_points"] == len(range(26, STEPS + 1, 12))
    assert min(counts.values()) >= 1
    assert len(counts) == 33


def test_two_new_server_processes_publish_the_same_bytes(fresh: Run) -> None:
    assert first_difference(fresh, run_in_new_processes(composed=False)) is None


def test_one_process_publishes_the_same_bytes_as_two(fresh: Run) -> None:
    assert first_difference(fresh, run_in_new_processes(composed=True)) is None


def test_a_difference_of_one_bit_is_found(fresh: Run) -> None:
    rows = {topic: list(content) for topic, content in fresh.rows.items()}
    row = bytearray(rows["/tf"][100])
    row[-1] ^= 1
    rows["/tf"][100] = bytes(row)
    difference = first_difference(fresh, replace(fresh, rows=rows))
    assert difference is not None and difference.startswith("/tf: message 101,")


def test_two_messages_that_change_places_are_found(fresh: Run) -> None:
    order = list(fresh.order)
    place = order.index("/rslidar_points")
    order[place - 1], order[place] = order[place], order[place - 1]
    difference = first_difference(fresh, replace(fresh, order=order))
    assert difference is not None and difference.startswith(f"message {place} of all")


def test_a_scan_comes_behind_the_clock_of_its_step_and_before_the_next(fresh: Run) -> None:
    order = fresh.order
    ticks = [order[:place].count("/clock") for place, topic in enumerate(order) if topic == "/rslidar_points"]
    assert ticks == list(range(26, STEPS + 1, 12))
    places = [place for place, topic in enumerate(order) if topic == "/rslidar_points"]
    assert all(order[place + 1] == "/clock" for place in places if place + 1 < len(order))
    stamps = [
        int.from_bytes(row[4:8], "little") * 10**9 + int.from_bytes(row[8:12], "little")
        for row in fresh.rows["/rslidar_points"]
    ]
    assert stamps == [((tick - 14) * 25_000_000 + 1) // 3 for tick in ticks], "of the first point, 14 steps before"


def dirty(user: User, *, moved: bool = True) -> None:
    """Leave the vehicle in the middle of everything; `moved`: with another start and other hardware too."""
    if moved:
        user.call(ResetVehicle, "/acres/reset_vehicle", x=10.0, y=-130.0, yaw=0.5)
        shifts = {
            "steering_offset_deg": 5.0,
            "ulc_speed_bias_mps": -0.2,
            "throttle_bias_pct": 3.0,
            "brake_bias_bar": 2.0,
        }
        user.call(SetHardwareShifts, "/acres/set_hardware_shifts", **shifts)
    user.start_driving(speed=5.0, seconds=3.0)
    user.steer(-250.0)
    user.drive(0.0)
    user.send("/acres/driver_input", DriverInput(brake_bar=3.0))
    user.step(7)
    user.send("/acres/driver_input", DriverInput())
    user.select(Gear.REVERSE)
    user.enable()
    user.steer(300.0)
    user.send("/vehicle/ulc/cmd", UlcCmd(cmd_type=UlcCmd.CMD_ACCEL, cmd=2.0, enable=True))
    user.step(5)


def program_again(user: User) -> Run:
    user.recorder.take()
    node = Node("program", context=user.ros)
    program = LockstepProgram(node)
    try:
        return program.run(seconds=SECONDS)
    finally:
        program.close()
        node.destroy_node()


def test_a_reset_of_all_repeats_a_new_process_to_the_byte(fresh: Run, user: User) -> None:
    dirty(user)
    user.steer(90.0)  # arrives before the reset and must not act after it
    assert user.reset().result == OK
    assert first_difference(fresh, program_again(user)) is None


def test_stopped_and_back_repeats_a_new_process_to_the_byte(fresh: Run, user: User) -> None:
    dirty(user)
    assert user.set_state(0).result == OK
    assert user.set_state(PAUSED).result == OK
    assert first_difference(fresh, program_again(user)) is None


def test_a_reset_of_the_state_repeats_the_states_at_later_stamps(fresh: Run, user: User) -> None:
    dirty(user, moved=False)
    assert user.reset(2).result == OK
    again = program_again(user)
    assert [row[END_OF_STAMP:] for row in again.rows[ODOMETRY]] == [row[END_OF_STAMP:] for row in fresh.rows[ODOMETRY]]
    assert again.rows[ODOMETRY][0][:END_OF_STAMP] > fresh.rows[ODOMETRY][0][:END_OF_STAMP]
    reports = {row[END_OF_STAMP:] for row in again.rows["/vehicle/steering/report"]}
    assert len(reports) > 100, "the comparison would not see much"


def test_steps_one_by_one_publish_the_same_bytes_as_all_at_once(user: User) -> None:
    def drive(chunks: list[int]) -> dict[str, tuple[int, str]]:
        assert user.reset().result == OK
        user.forget()
        user.enable()
        user.select()
        user.steer(50.0)
        for count in chunks:
            user.step(count)
        return user.recorder.hashes()

    assert drive([1] * 50) == drive([50]) == drive([13, 12, 25])
