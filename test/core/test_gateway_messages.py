"""Which commands reach the model, for how long, and what is refused (acceptance C6, C8; field trials E59, E62)."""

from __future__ import annotations

import pytest
from gateway_rig import INF, NAN, Rig, brake, steering, throttle, ulc

from acres_ros.core.gateway_policy import NO_LIMIT
from acres_ros.core.messages import BrakeCmd, Enable, Gear, GearCmd, SteeringCmd, ThrottleCmd, UlcCmd

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
