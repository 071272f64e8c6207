"""Ages, control, time-outs, and what the pedals do when the ULC is lost."""

from __future__ import annotations

import numpy as np
import pytest

SINGLE_STEP = float(np.float32(1.0 / 120.0))

MESSAGES = {
    "steering": {"type": 2, "value": 20.0},
    "throttle": {"type": 14, "value": 30.0},
    "brake": {"type": 1, "value": 5.0},
    "ulc": {"type": 1, "value": 2.0},
}


def steps_in_control(rig, subsystem: str) -> int:
    """Count the steps after the message's own step in which the subsystem still has control."""
    rig.send(subsystem, **MESSAGES[subsystem])
    rig.step()
    assert rig.dbw[subsystem].in_control == 1
    count = 0
    while rig.dbw[subsystem].in_control and count < 100:
        rig.step()
        count += 1
    return count - 1


@pytest.mark.parametrize("subsystem", ["steering", "throttle", "brake", "ulc"])
def test_control_lasts_12_steps_after_the_last_message(rig, subsystem: str) -> None:
    assert steps_in_control(rig, subsystem) == 12
    assert rig.dbw[subsystem].age == pytest.approx(13 / 120, abs=1e-15)


def test_the_age_of_12_steps_is_the_double_sum_of_the_spec(rig) -> None:
    rig.send("steering", **MESSAGES["steering"])
    rig.step(13)
    assert rig.dbw.steering.age == 0.09999999999999999


@pytest.mark.parametrize("subsystem", ["steering", "throttle", "brake", "ulc"])
def test_the_single_precision_step_releases_at_step_12(rig, subsystem: str) -> None:
    rig.dbw.age_step = SINGLE_STEP
    assert steps_in_control(rig, subsystem) == 11
    assert round(float(rig.dbw[subsystem].age), 10) == 0.1000000052


def test_the_single_precision_option_survives_a_reset(rig) -> None:
    rig.dbw.age_step = SINGLE_STEP
    rig.reset()
    assert rig.dbw.age_step == SINGLE_STEP


@pytest.mark.parametrize("subsystem", ["steering", "throttle", "brake", "ulc"])
@pytest.mark.parametrize("missing", ["system", "enable", "type 0", "unknown type", "message"])
def test_control_needs_every_condition(rig, subsystem: str, missing: str) -> None:
    rig.send(subsystem, **MESSAGES[subsystem])
    if missing == "system":
        rig.command.system_enable = 0
    elif missing == "enable":
        rig.command[subsystem].enable = 0
    elif missing == "type 0":
        rig.command[subsystem].type = 0
    elif missing == "unknown type":
        rig.command[subsystem].type = 99
    else:
        rig.command[subsystem].fresh = 0
    rig.step()
    assert rig.dbw[subsystem].in_control == 0
    assert rig.dbw[subsystem].type == 0


def test_the_type_that_acts_is_shown(rig) -> None:
    rig.send("steering", type=3, value=0.01)
    rig.send("throttle", type=13, value=20.0)
    rig.send("brake", type=14, value=1.0)
    rig.step()
    assert (rig.dbw.steering.type, rig.dbw.throttle.type, rig.dbw.brake.type) == (3, 13, 14)


def test_timeout_shows_between_the_timeout_and_one_second(rig) -> None:
    rig.step()
    assert rig.dbw.steering.timeout == 0, "a message that never came is no time-out"
    rig.send("steering", **MESSAGES["steering"])
    rig.step()
    age, shown, wanted = 0.0, [], []
    for _ in range(130):
        rig.step()
        age += 1.0 / 120.0
        shown.append(int(rig.dbw.steering.timeout))
        wanted.append(int(0.1 < age < 1.0))
    assert shown == wanted
    assert shown[:13] == [0] * 12 + [1]


def test_a_message_of_one_subsystem_does_not_refresh_another(rig) -> None:
    rig.send("steering", **MESSAGES["steering"])
    rig.send("ulc", **MESSAGES["ulc"])
    rig.step()
    rig.drive(20, "steering")
    assert rig.dbw.steering.in_control == 1
    assert rig.dbw.ulc.in_control == 0


@pytest.mark.parametrize("pedal", ["throttle", "brake"])
def test_a_user_pedal_stops_the_ulc_until_its_own_timeout(rig, pedal: str) -> None:
    rig.send("ulc", **MESSAGES["ulc"])
    rig.drive(30, "ulc")
    rig.send(pedal, **MESSAGES[pedal])
    rig.drive(1, "ulc")
    assert rig.dbw.ulc.in_control == 0
    assert rig.dbw.ulc.preempted == 1
    rig.drive(12, "ulc")
    assert rig.dbw.ulc.in_control == 0
    rig.drive(1, "ulc")
    assert rig.dbw.ulc.in_control == 1
    assert rig.dbw.ulc.preempted == 0


def test_a_user_pedal_without_its_enable_flag_leaves_the_ulc_in_control(rig) -> None:
    rig.send("ulc", **MESSAGES["ulc"])
    rig.send("throttle", **MESSAGES["throttle"])
    rig.command.throttle.enable = 0
    rig.step()
    assert rig.dbw.ulc.in_control == 1


def test_a_user_throttle_acts_at_once_and_the_brake_keeps_the_ulc_output(make_rig) -> None:
    rig = make_rig(speed=2.0)
    rig.send("ulc", type=2, value=-1.0, limit_jerk_brake=np.inf)
    rig.drive(30, "ulc")
    rig.send("throttle", **MESSAGES["throttle"])
    rig.drive(1, "throttle", "ulc")
    assert rig.dbw.throttle.command_pct == 30.0
    assert rig.dbw.brake.command_bar == pytest.approx(8.575)
    rig.drive(9, "throttle", "ulc")
    assert rig.dbw.brake.command_bar == pytest.approx(8.575)
    rig.drive(1, "throttle", "ulc")
    assert rig.dbw.brake.command_bar == 0.0


def test_the_throttle_keeps_the_last_ulc_output_for_10_more_steps(make_rig) -> None:
    rig = make_rig(speed=1.0)
    rig.command.driver.throttle_pct = 3.0
    rig.send("ulc", type=1, value=2.0)
    rig.drive(60, "ulc")
    rig.step(12)
    assert rig.dbw.ulc.in_control == 1
    last = float(rig.dbw.ulc.throttle_pct)
    assert 13.0 < last < 100.0
    for step in range(1, 11):
        rig.step()
        assert rig.dbw.ulc.in_control == 0
        assert rig.dbw.throttle.in_control == 1
        assert rig.dbw.throttle.type == 14
        assert rig.dbw.ulc.throttle_pct == last
        if step >= 4:  # the output delay of 0.03 s is 3.6 steps
            assert rig.dbw.throttle.command_pct == last
    rig.step()
    assert rig.dbw.throttle.in_control == 0
    assert rig.dbw.throttle.type == 0
    assert rig.dbw.throttle.command_pct == 0.0
    assert rig.dbw.throttle.output_pct == 3.0


def test_the_brake_keeps_the_last_ulc_output_and_ends_0_19_s_after_the_last_message(rig) -> None:
    rig.command.driver.brake_bar = 2.0
    rig.send("ulc", type=1, value=0.0)
    rig.drive(60, "ulc")
    enabled, commanded = [], []
    for _ in range(24):
        rig.step()
        enabled.append(int(rig.dbw.brake.in_control))
        commanded.append(float(rig.dbw.brake.command_bar))
    assert enabled == [1] * 22 + [0] * 2
    assert commanded == [16.0] * 22 + [2.0] * 2
    assert 23 / 120 == pytest.approx(0.19, abs=0.005)


def test_the_pedals_keep_the_last_output_when_the_system_is_disabled_too(rig) -> None:
    rig.send("ulc", type=1, value=0.0)
    rig.drive(60, "ulc")
    rig.command.system_enable = 0
    rig.drive(10, "ulc")
    assert rig.dbw.brake.command_bar == 16.0
    rig.drive(1, "ulc")
    assert rig.dbw.brake.command_bar == 0.0


def test_nothing_is_held_before_the_ulc_ever_had_control(rig) -> None:
    rig.step()
    assert rig.dbw.throttle.in_control == 0
    assert rig.dbw.brake.in_control == 0
