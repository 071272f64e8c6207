"""The inbox: the last message of each kind, and what must not be lost when a later one replaces it."""

from __future__ import annotations

import pickle

import pytest
from gateway_rig import brake, steering
from hypothesis import given
from hypothesis import strategies as st

from acres_ros.core.gateway_policy import RefusedMessageError, Verdict
from acres_ros.core.inbox import NOTICES_KEPT, Inbox, NotAMessageError
from acres_ros.core.messages import DriveMode, DriverInput, Enable, Gear, GearCmd, HardwareShifts, SteeringCmd


def test_a_post_makes_a_new_inbox_and_leaves_the_old_one():
    empty = Inbox()
    one = empty.post(steering(1.0))
    two = one.post(steering(2.0))
    assert empty.steering.message is None
    assert one.steering.message.cmd == 1.0
    assert two.steering.message.cmd == 2.0


def test_a_new_sequence_number_marks_only_the_subsystem_of_the_message():
    inbox = Inbox().post(steering()).post(brake()).post(steering())
    assert (inbox.steering.sequence, inbox.brake.sequence, inbox.throttle.sequence) == (2, 1, 0)


def test_the_same_message_again_is_a_new_message():
    command = steering()
    assert Inbox().post(command).post(command).steering.sequence == 2


def test_the_order_of_kinds_is_kept():
    inbox = Inbox().post(brake()).post(Enable()).post(steering())
    assert inbox.brake.order < inbox.enable.order < inbox.steering.order


def test_a_rejected_type_leaves_the_earlier_command_and_is_noted():
    inbox = Inbox().post(steering(5.0)).post(SteeringCmd(3.0, cmd_type=1, enable=True))
    assert (inbox.steering.message.cmd, inbox.steering.sequence) == (5.0, 1)
    assert [(notice.verdict, notice.message.cmd_type) for notice in inbox.notices] == [(Verdict.REJECTED, 1)]


def test_gear_none_is_no_command_so_a_joystick_that_sends_it_does_not_erase_the_last_one():
    inbox = Inbox().post(GearCmd(Gear.DRIVE)).post(GearCmd(Gear.NONE))
    assert inbox.gear.message.cmd == Gear.DRIVE
    assert inbox.notices == ()


def test_a_clear_is_counted_even_if_a_later_command_has_none():
    assert Inbox().post(steering(clear=True)).post(steering()).steering.clears == 1


@pytest.mark.parametrize(
    "driver",
    [
        DriverInput(throttle_pct=float("nan")),
        DriverInput(steering_wheel_angle_deg=float("inf")),
        DriverInput(gear=6),
        DriverInput(gear=200),
    ],
)
def test_a_driver_input_without_sense_leaves_the_earlier_one(driver: DriverInput):
    inbox = Inbox().post(DriverInput(brake_bar=3.0)).post(driver)
    assert inbox.driver.message.brake_bar == 3.0
    assert [notice.message for notice in inbox.notices] == [driver]


@pytest.mark.parametrize(
    "message", [DriveMode("4wd"), HardwareShifts(throttle_bias_pct=float("nan")), HardwareShifts(1e308)]
)
def test_a_service_gets_an_error_that_names_the_value(message):
    with pytest.raises(RefusedMessageError, match="refused: wanted"):
        Inbox().post(message)


def test_what_is_no_message_is_an_error():
    with pytest.raises(NotAMessageError, match="'enable' is no message"):
        Inbox().post("enable")


def test_an_inbox_survives_pickling():
    inbox = Inbox().post(steering(clear=True)).post(GearCmd(77))
    assert pickle.loads(pickle.dumps(inbox)) == inbox


@given(st.integers(0, 3 * NOTICES_KEPT))
def test_notices_stay_bounded_and_the_latest_are_kept(count: int):
    inbox = Inbox()
    for kind in range(count):
        inbox = inbox.post(SteeringCmd(0.0, cmd_type=16 + kind))
    kept = [notice.message.cmd_type - 16 for notice in inbox.notices]
    assert kept == list(range(count))[-NOTICES_KEPT:]
