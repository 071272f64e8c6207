"""Which commands reach the model, for how long, and what is refused (acceptance C6, C8; field trials E59, E62)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gateway_rig import Rig, brake, steering, throttle, ulc
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core import messages
from acres_ros.core.gateway_options import GatewayOptionError, GatewayOptions
from acres_ros.core.gateway_policy import NO_LIMIT, RefusedMessageError
from acres_ros.core.messages import (
    BrakeCmd,
    DriverInput,
    Enable,
    Gear,
    GearCmd,
    HardwareShifts,
    SteeringCmd,
    ThrottleCmd,
    UlcCmd,
)

NAN, INF = float("nan"), float("inf")


# -- what reaches the model -------------------------------------------------------------------------------------------


def test_a_message_is_fresh_in_its_step_only():
    rig = Rig()
    rig.step(Enable(), steering(-30.0, cmd_rate=50.0, cmd_accel=700.0))
    assert [rig.command(f"steering.{name}") for name in ("fresh", "enable", "type", "value")] == [1, 1, 2, -30.0]
    assert (rig.command("steering.rate_deg"), rig.command("steering.acceleration_deg")) == (50.0, 700.0)
    assert rig.command("brake.fresh") == 0
    rig.step()
    assert (rig.command("steering.fresh"), rig.command("steering.value")) == (0, -30.0)


def test_a_message_acts_while_it_is_younger_than_a_quarter_second():
    rig = Rig()
    rig.step(Enable(), brake(40.0))
    rig.run(29)  # age 29/120 s
    assert (rig.command("brake.type"), rig.command("brake.value")) == (14, 40.0)
    assert (rig.report("brake.command_type"), rig.report("brake.command_value")) == (14, 40.0)
    rig.step()  # age 30/120 s = 0.25 s
    assert (rig.command("brake.type"), rig.command("brake.enable"), rig.command("brake.value")) == (0, 0, 0.0)
    assert (rig.report("brake.command_type"), rig.report("brake.command_value")) == (0, 0.0)


def test_every_field_of_each_command_arrives_under_its_name():
    rig = Rig()
    rig.step(
        BrakeCmd(20.0, 1.0, 2.0, 1, True),
        ThrottleCmd(30.0, 3.0, 4.0, 13, True),
        UlcCmd(-2.0, 0.5, 0.6, 0.7, 0.8, 2, True, coast_decel=True),
    )
    names = ("value", "rate_increase", "rate_decrease", "type", "enable")
    assert [rig.command(f"brake.{name}") for name in names] == [20.0, 1.0, 2.0, 1, 1]
    assert [rig.command(f"throttle.{name}") for name in names] == [30.0, 3.0, 4.0, 13, 1]
    names = ("value", "limit_acceleration", "limit_deceleration", "limit_jerk_throttle", "limit_jerk_brake", "type")
    assert [rig.command(f"ulc.{name}") for name in names] == [-2.0, 0.5, 0.6, 0.7, 0.8, 2]
    assert rig.command("ulc.coast_deceleration") == 1


@pytest.mark.parametrize(
    ("given_limit", "limit"),
    [
        (0.0, 0.0),
        (12.5, 12.5),
        (NAN, 0.0),
        (INF, NO_LIMIT),
        (-1.0, NO_LIMIT),
        (-INF, NO_LIMIT),
        (1e308, NO_LIMIT),
        (5e-324, 0.0),
    ],
)
def test_limits_zero_is_the_default_negative_or_infinite_is_none(given_limit: float, limit: float):
    rig = Rig()
    rig.step(steering(cmd_rate=given_limit), ulc(limit_jerk_brake=given_limit), brake(rate_inc=given_limit))
    assert rig.command("steering.rate_deg") == limit
    assert rig.command("ulc.limit_jerk_brake") == limit
    assert rig.command("brake.rate_increase") == limit
    assert rig.codes() == []


@pytest.mark.parametrize(
    ("message", "key", "value"),
    [
        (steering(1e308), "steering.value", 3276.7),
        (steering(-1e9), "steering.value", -3276.7),
        (steering(-1.0, cmd_type=3), "steering.value", -0.2),
        (steering(9.0, cmd_type=4), "steering.value", 8.578),
        (brake(-5.0), "brake.value", 0.0),
        (brake(1e9, cmd_type=1), "brake.value", 655.35),
        (throttle(1e308), "throttle.value", 1638.375),
        (ulc(-100.0), "ulc.value", -81.9),
        (ulc(100.0, cmd_type=2), "ulc.value", 16.38),
    ],
)
def test_out_of_range_saturates_silently(message, key: str, value: float):
    rig = Rig()
    rig.step(message)
    assert rig.command(key) == value
    assert rig.codes() == []


def test_clear_ignore_and_the_shift_flags_change_nothing():
    plain, marked = Rig(), Rig()
    plain.step(Enable(), steering(), brake(), throttle(), ulc())
    marked.step(
        Enable(),
        steering(clear=True, ignore=True),
        brake(clear=True, ignore=True, precharge_aeb=2),
        throttle(clear=True, ignore=True),
        ulc(clear=True, enable_shift=True, enable_shift_park=True),
    )
    assert plain.gateway.command.tobytes() == marked.gateway.command.tobytes()
    assert plain.gateway.report.tobytes() == marked.gateway.report.tobytes()


# -- types that the vehicle does not have -----------------------------------------------------------------------------

UNSUPPORTED = [
    *(SteeringCmd(1.0, cmd_type=kind, enable=True) for kind in (1, 13, 15)),
    *(BrakeCmd(1.0, cmd_type=kind, enable=True) for kind in (2, 8, 9, 10, 13)),
    *(GearCmd(kind) for kind in (Gear.MANUAL, Gear.SPORT, Gear.CALIBRATE)),
]


def test_each_unsupported_type_is_rejected_with_one_warning_however_often_it_comes():
    rig = Rig()
    rig.step(Enable(), *UNSUPPORTED)
    for _ in range(3):
        rig.step(*UNSUPPORTED)
    rejected = [text for code, text in rig.events() if code == "ACRES_DBW_REJECTED"]
    assert len(rejected) == len(set(rejected)) == len(UNSUPPORTED)
    assert rejected[0].startswith("Steering command type 1 TORQUE is rejected")
    assert rejected[-1].startswith("Gear command 15 CALIBRATE is rejected")


def test_a_rejected_type_leaves_the_last_command_to_its_watchdog_and_shows_in_the_report():
    rig = Rig()
    rig.step(Enable(), steering(20.0))
    rig.step(SteeringCmd(1.0, cmd_type=1, enable=True))
    assert (rig.command("steering.fresh"), rig.command("steering.value"), rig.command("steering.type")) == (0, 20.0, 2)
    assert (rig.report("steering.degraded"), rig.report("steering.degraded_cmd_type")) == (1, 1)
    assert rig.report("brake.degraded") == 0
    rig.step(steering(21.0))
    assert (rig.report("steering.degraded"), rig.report("steering.degraded_cmd_type")) == (0, 0)


def test_an_unknown_type_warns_on_every_message_and_commands_nothing():
    rig = Rig()
    rig.step(Enable(), steering(20.0))
    rig.codes()
    rig.step(steering(cmd_type=99))
    assert (rig.command("steering.fresh"), rig.command("steering.type"), rig.command("steering.value")) == (1, 0, 0.0)
    rig.step(steering(cmd_type=99))
    texts = [text for _, text in rig.events()]
    assert texts.count("Unknown steering command type: 99") == 2
    assert sum("rejected" in text for text in texts) == 1
    assert rig.report("steering.degraded_cmd_type") == 1


# -- numbers that are none --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize(
    ("make", "name"),
    [(steering, "steering"), (brake, "brake"), (throttle, "throttle"), (ulc, "ulc")],
)
def test_a_number_that_is_not_finite_is_refused_told_each_time_and_shown(make, name: str, bad: float):
    rig = Rig()
    rig.step(Enable(), make(1.0))
    rig.codes()
    rig.step(make(bad))
    assert (rig.command(f"{name}.type"), rig.command(f"{name}.value"), rig.command(f"{name}.fresh")) == (0, 0.0, 1)
    assert (rig.report(f"{name}.degraded"), rig.report(f"{name}.degraded_cmd_type")) == (1, 0)
    rig.step(make(bad))
    assert rig.codes() == ["NOT_FINITE", "NOT_FINITE"]
    rig.step(make(1.0))
    assert (rig.report(f"{name}.degraded"), rig.command(f"{name}.value")) == (0, 1.0)


def test_a_refused_number_that_a_later_message_replaced_in_the_same_step_is_still_told():
    rig = Rig()
    rig.step(Enable(), steering(NAN), steering(3.0))
    assert [text for _, text in rig.events()] == ["DBW system enabled", "NaN steering command"]
    assert rig.command("steering.value") == 3.0
    assert rig.report("steering.degraded") == 0


def test_the_option_zero_commands_zero_as_the_real_node_does():
    rig = Rig(nan_policy="zero")
    rig.step(Enable(), steering(NAN))
    assert (rig.command("steering.type"), rig.command("steering.value")) == (2, 0.0)
    assert ("ACRES_DBW_NOT_FINITE", "NaN steering command") in rig.events()
    assert rig.report("steering.degraded") == 0


def test_nan_without_a_type_is_not_worth_a_word():
    rig = Rig()
    rig.step(SteeringCmd(NAN, cmd_type=0, enable=True))
    assert rig.codes() == []
    assert rig.command("steering.value") == 0.0


# -- ULC and user pedals ----------------------------------------------------------------------------------------------


def preempted(rig: Rig) -> bool:
    return rig.gateway.preempted(rig.gateway.steps)


@pytest.mark.parametrize("pedal", [brake, throttle])
def test_a_user_pedal_preempts_the_ulc_and_is_told_once(pedal):
    rig = Rig()
    rig.step(Enable(), ulc())
    assert (preempted(rig), rig.report("brake.source"), rig.report("throttle.source")) == (False, 1, 1)
    for _ in range(2):
        rig.step(ulc(), pedal())
        assert (preempted(rig), rig.report("brake.source"), rig.report("throttle.source")) == (True, 0, 0)
        rig.run(13, ulc())  # the pedal command is 13 steps old
        assert (preempted(rig), rig.report("throttle.source")) == (False, 1)
    assert rig.codes().count("PREEMPTED") == 1


@pytest.mark.parametrize("idle", [brake(cmd_type=0), brake(enable=False), throttle(cmd_type=0)])
def test_a_pedal_message_that_commands_nothing_does_not_preempt(idle):
    rig = Rig()
    rig.step(Enable(), ulc(), idle)
    assert not preempted(rig)


def test_the_source_stays_ulc_while_the_pedals_keep_its_last_output():
    rig = Rig()
    rig.set_vehicle(ulc__hold=0.05)
    rig.step()
    assert (rig.report("throttle.source"), rig.report("steering.source")) == (1, 0)
    rig.step(Enable(), brake())  # the user has the brake, the pedal keeps the last output
    assert (rig.report("throttle.source"), rig.report("brake.source")) == (1, 0)
    rig.set_vehicle(ulc__hold=0.008)  # less than a step is left: the model lets go in the next one
    rig.step()
    assert rig.report("throttle.source") == 0


# -- gear, drive mode, shifts -----------------------------------------------------------------------------------------


def test_a_gear_command_acts_while_enabled_and_stays_until_the_next_one():
    rig = Rig()
    rig.step(GearCmd(Gear.LOW))
    assert rig.command("gear") == 0
    rig.step(Enable())
    assert rig.command("gear") == 5
    rig.run(200, GearCmd(Gear.NONE))
    assert rig.command("gear") == 5
    rig.step(GearCmd(Gear.REVERSE))
    assert rig.command("gear") == 2
    rig.step(messages.Disable())
    assert rig.command("gear") == 0


def test_a_gear_outside_the_enumeration_is_nothing_and_warns_once_a_second():
    rig = Rig()
    rig.step(Enable(), GearCmd(Gear.DRIVE))
    rig.codes()
    rig.run(240, GearCmd(99))
    assert rig.command("gear") == 4
    assert rig.codes() == ["UNKNOWN_GEAR"] * 2


def test_gear_rejections_have_their_codes_and_one_warning_each():
    rig = Rig()
    rig.step(Enable(), GearCmd(Gear.DRIVE))
    rig.set_vehicle(gear__refused=1)
    rig.run(5)
    assert rig.report("gear.reject") == 6  # VEHICLE_SPEED
    rig.set_vehicle(gear__refused=0, gear__shift_left=0.5, gear__selected=4)
    rig.step(GearCmd(Gear.REVERSE))
    assert rig.report("gear.reject") == 3  # SHIFT_IN_PROGRESS
    rig.set_vehicle(gear__shift_left=0.0, gear__selected=2)
    rig.step()
    assert rig.report("gear.reject") == 0
    rig.step(GearCmd(Gear.SPORT))
    assert (rig.report("gear.reject"), rig.report("gear.degraded_cmd_type")) == (2, 1)  # UNSUPPORTED
    assert rig.command("gear") == 2
    rig.step(GearCmd(Gear.DRIVE))
    assert rig.report("gear.reject") == 0
    texts = [text for code, text in rig.events() if code == "ACRES_DBW_GEAR_REJECTED"]
    assert texts == [f"Gear command rejected: {name}" for name in ("VEHICLE_SPEED", "SHIFT_IN_PROGRESS", "UNSUPPORTED")]


@pytest.mark.parametrize(("mode", "position"), [("turf", 0), ("2wd", 1), ("awd", 2)])
def test_the_awd_switch_acts_at_any_time(mode: str, position: int):
    rig = Rig()
    rig.step(messages.DriveMode(mode))
    assert rig.command("drive_mode") == position


def test_hardware_shifts_reach_the_model_and_end_with_a_reset():
    rig = Rig()
    rig.step(HardwareShifts(1.0, -0.2, 3.0, -4.0))
    names = ("steering_offset_deg", "ulc_speed_bias", "throttle_bias_pct", "brake_bias_bar")
    assert [rig.command(f"shift.{name}") for name in names] == [1.0, -0.2, 3.0, -4.0]
    rig.gateway.reset(gear=5, drive_mode=0)
    assert [rig.command(f"shift.{name}") for name in names] == [0.0] * 4
    assert (rig.command("driver.gear"), rig.command("drive_mode")) == (5, 0)


def test_the_driver_has_the_vehicle_while_the_system_is_not_enabled():
    rig = Rig()
    rig.step(DriverInput(True, 45.0, 140.0, -3.0, 5))
    names = ("steering_active", "steering_wheel_angle_deg", "throttle_pct", "brake_bar", "gear")
    assert [rig.command(f"driver.{name}") for name in names] == [1, 45.0, 100.0, 0.0, 5]
    rig.step(DriverInput())
    assert [rig.command(f"driver.{name}") for name in names] == [0, 0.0, 0.0, 0.0, 5]


# -- turn signal, drive mode and misc ---------------------------------------------------------------------------------


def test_the_turn_signal_follows_its_command_for_250_ms_while_enabled():
    rig = Rig()
    rig.step(messages.TurnSignalCmd(1))
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (0, 0)
    rig.step(Enable(), messages.TurnSignalCmd(2))
    assert rig.report("turn_signal.output") == 2
    rig.run(29)
    rig.step(steering())  # 0.25 s is not yet too old
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (2, 0)
    rig.step()
    assert (rig.report("turn_signal.output"), rig.report("turn_signal.timeout")) == (0, 1)


def test_where_the_firmware_decides_the_contents_pass_without_enable():
    rig = Rig(system_sync_mode="all_or_none")
    rig.step(messages.TurnSignalCmd(3))
    assert rig.report("turn_signal.output") == 3


def test_values_outside_their_enumerations_are_none_with_a_warning_each_second():
    rig = Rig()
    rig.step(Enable())
    rig.codes()
    rig.run(121, messages.DriveModeCmd(1, 200, 2, 0, 77))
    asked = ("drive_mode_command", "suspension_mode_command", "awd_mode_command", "rear_diff_command")
    assert [rig.report(f"drive_mode.{name}") for name in asked] == [1, 0, 2, 0]
    assert rig.report("drive_mode.degraded_cmd_type") == 1
    assert rig.codes() == ["UNKNOWN_DRIVE_MODE_CMD"] * 2


# -- everything at once -----------------------------------------------------------------------------------------------

BYTES = st.integers(0, 255)
NUMBERS = st.one_of(
    st.floats(width=64),
    st.sampled_from([NAN, INF, -INF, 1e308, -1e308, 5e-324, 3.4e38, 0.0, -0.0]),
)
FLAGS = st.booleans()
MESSAGES = st.one_of(
    st.builds(SteeringCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS),
    st.builds(BrakeCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS, BYTES),
    st.builds(ThrottleCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS),
    st.builds(UlcCmd, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS, FLAGS, FLAGS),
    st.builds(SteeringCmd, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([2, 3, 4, 14]), FLAGS),
    st.builds(UlcCmd, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([1, 2]), FLAGS),
    st.builds(GearCmd, BYTES, BYTES, FLAGS),
    st.builds(messages.TurnSignalCmd, BYTES),
    st.builds(messages.DriveModeCmd, BYTES, BYTES, BYTES, BYTES, BYTES),
    st.builds(messages.MiscCmd, BYTES, BYTES, BYTES),
    st.builds(DriverInput, FLAGS, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS),
    st.builds(HardwareShifts, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.builds(messages.DriveMode, st.sampled_from(["awd", "2wd", "turf", "", "AWD"])),
    st.sampled_from([Enable(), messages.Disable(), messages.ClientLost()]),
)
OPTIONS = st.fixed_dictionaries(
    {
        "system_sync_mode": st.sampled_from(["none", "disengages", "all_or_none", "all_or_none_with_btn", "partial"]),
        "latched_overrides": FLAGS,
        "nan_policy": st.sampled_from(["refuse", "zero"]),
        "watchdog": st.sampled_from(["double", "single"]),
    }
)


def numbers_of(rig: Rig) -> np.ndarray:
    views = [view for view in rig._command.values() if view.dtype == np.float64]
    return np.array([view[0] for view in views])


@settings(max_examples=150, deadline=None)
@given(OPTIONS, st.lists(st.lists(MESSAGES, max_size=4), max_size=20))
def test_no_message_makes_a_number_that_is_not_finite_or_an_exception(options, batches):
    rig = Rig(**options)
    for batch in batches:
        for message in batch:
            try:
                rig.inbox = rig.inbox.post(message)
            except RefusedMessageError:
                assert isinstance(message, HardwareShifts | messages.DriveMode)
        rig.gateway.step(rig.inbox, rig.vehicle)
        assert np.isfinite(numbers_of(rig)).all()
        assert rig.command("steering.type") in (0, 2, 3, 4, 14)
        assert rig.command("brake.type") in (0, 1, 14)
        assert rig.command("throttle.type") in (0, 13, 14)
        assert rig.command("ulc.type") in (0, 1, 2)
        assert rig.command("gear") in range(6)
        assert rig.command("driver.gear") in range(1, 6)
        assert rig.command("system_enable") == rig.report("dbw_enabled")
        for limit in ("steering.rate_deg", "brake.rate_decrease", "throttle.rate_increase", "ulc.limit_acceleration"):
            assert 0.0 <= rig.command(limit) <= NO_LIMIT


@settings(max_examples=30, deadline=None)
@given(OPTIONS, st.lists(st.lists(MESSAGES, max_size=3), max_size=15))
def test_the_same_messages_give_the_same_bits_and_words_after_a_reset(options, batches):
    rig, fresh = Rig(**options), Rig(**options)
    outcomes = []
    for gateway in (rig.gateway, rig.gateway, fresh.gateway):
        gateway.reset()
        inbox, bits = Rig().inbox, []
        for batch in batches:
            for message in batch:
                if not isinstance(message, HardwareShifts | messages.DriveMode):
                    inbox = inbox.post(message)
            gateway.step(inbox, rig.vehicle)
            bits.append(gateway.command.tobytes() + gateway.report.tobytes())
        outcomes.append((bits, repr(gateway.take_events())))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("system_sync_mode", "None"),
        ("nan_policy", "keep"),
        ("command_timeout_s", math.nan),
        ("command_timeout_s", 0.0),
        ("watchdog", "float"),
        ("override_throttle_pct", -1.0),
        ("override_throttle_pct", math.nan),
        ("override_brake_bar", 200.5),
    ],
)
def test_an_unknown_option_is_an_error_that_names_it(name: str, value):
    with pytest.raises(GatewayOptionError, match=f"{name} is {value!r}"):
        GatewayOptions(**{name: value})


@pytest.mark.parametrize(
    ("timeout_s", "watchdog", "steps"),
    [(0.1, "double", 12), (0.1, "single", 11), (0.05, "double", 6), (1 / 120, "double", 1)],
    ids=["spec", "the game's single precision", "shorter", "one step"],
)
def test_control_lasts_as_many_steps_as_the_summed_age_allows(timeout_s: float, watchdog: str, steps: int):
    assert GatewayOptions(command_timeout_s=timeout_s, watchdog=watchdog).control_steps == steps
