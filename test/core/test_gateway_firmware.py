"""The regime in which the firmware decides: pending enable, clear bits, readiness and disengagement."""

from __future__ import annotations

import pytest
from gateway_rig import HANDS, HANDS_OFF, Rig, brake, steering, throttle, ulc

from acres_ros.core.messages import Disable, DriverInput, Enable, SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

IDLE = (steering(cmd_type=0), ulc(cmd_type=0))
"""What the vendor's clients send while they wait for the enable: no command, with the enable flag set."""

COMMANDS = (steering(), ulc())


def active_rig(mode: str = "all_or_none", **options) -> Rig:
    rig = Rig(system_sync_mode=mode, **options)
    rig.step(Enable(), *COMMANDS)
    rig.run_to_tick(*COMMANDS)
    assert rig.report("system.state") == SystemState.ACTIVE
    rig.codes()
    return rig


def test_an_enable_goes_out_at_the_next_tick():
    rig = Rig(system_sync_mode="all_or_none")
    rig.run(7, *IDLE)
    rig.step(Enable(), *IDLE)  # step 8
    states = []
    for _ in range(9, 13):
        rig.step(*IDLE)
        states.append(rig.report("dbw_enabled"))
    assert states == [0, 0, 0, 1]
    assert (rig.command("system_enable"), rig.report("system.state")) == (1, SystemState.ACTIVE)
    assert rig.codes() == ["ENABLED"]


@pytest.mark.parametrize(
    ("mode", "messages", "reason"),
    [
        ("all_or_none", (), ReasonNotReady.MissingCmdAll),
        ("all_or_none", (ulc(),), ReasonNotReady.MissingCmdSteer),
        ("all_or_none", (steering(), throttle()), ReasonNotReady.MissingCmdBrake),
        ("all_or_none", (steering(), brake()), ReasonNotReady.MissingCmdThrtl),
        ("all_or_none", (steering(enable=False), ulc()), ReasonNotReady.NotEnableCmdSteer),
        ("all_or_none", (steering(), ulc(enable=False)), ReasonNotReady.NotEnableCmdBrake),
        ("all_or_none", (steering(), brake(), throttle(enable=False)), ReasonNotReady.NotEnableCmdThrtl),
        ("all_or_none", IDLE, ReasonNotReady.Nothing),
        ("all_or_none", (steering(), brake(), throttle()), ReasonNotReady.Nothing),
        ("partial", (), ReasonNotReady.MissingCmdAll),
        ("partial", (steering(),), ReasonNotReady.Nothing),
        ("partial", (brake(),), ReasonNotReady.Nothing),
        ("partial", (throttle(enable=False),), ReasonNotReady.NotEnableCmdThrtl),
        ("partial", (steering(enable=False), brake()), ReasonNotReady.Nothing),
    ],
)
def test_what_the_firmware_wants_before_it_is_ready(mode: str, messages, reason: ReasonNotReady):
    rig = Rig(system_sync_mode=mode)
    rig.run(5, *messages)
    assert rig.report("system.reason_not_ready") == reason
    ready = reason is ReasonNotReady.Nothing
    assert (rig.report("system.state"), rig.report("system.ready")) == ((1, 1) if ready else (0, 0))
    rig.step(Enable(), *messages)
    assert rig.report("dbw_enabled") == ready
    if not ready:
        assert rig.events() == [("ACRES_DBW_ENABLE_REFUSED", f"DBW system not enabled: {reason.name}")]


def test_an_enable_that_was_refused_is_dropped():
    rig = Rig(system_sync_mode="all_or_none")
    rig.step(Enable())
    rig.run_to_tick()
    rig.run(60, *IDLE)
    assert rig.report("dbw_enabled") == 0


def test_commands_that_stop_disengage_at_step_13():
    rig = active_rig()
    rig.step(*COMMANDS)
    rig.run(12, ulc())
    assert rig.report("dbw_enabled") == 1
    rig.step(ulc())
    assert rig.report("dbw_enabled") == 0
    assert rig.report("system.reason_disengage") == ReasonDisengage.SteerCmdTimeout
    assert rig.events() == [("ACRES_DBW_DISABLED", "DBW system disabled: SteerCmdTimeout")]


@pytest.mark.parametrize(
    ("mode", "messages", "reason"),
    [
        ("all_or_none", (steering(enable=False), ulc()), ReasonDisengage.SteerCmdDisengage),
        ("all_or_none", (steering(), ulc(enable=False)), ReasonDisengage.BrakeCmdDisengage),
        ("partial", (steering(enable=False), ulc(enable=False)), ReasonDisengage.SteerCmdDisengage),
        ("partial", (steering(), ulc(enable=False)), ReasonDisengage.Nothing),
    ],
)
def test_commands_without_their_enable_flag_disengage(mode: str, messages, reason: ReasonDisengage):
    rig = active_rig(mode)
    rig.step(*messages)
    assert rig.report("system.reason_disengage") == reason
    assert rig.report("dbw_enabled") == (reason is ReasonDisengage.Nothing)


def test_the_ulc_stands_for_both_pedals_and_their_timeout_is_named():
    rig = active_rig()
    rig.run(13, steering())
    assert rig.report("system.reason_disengage") == ReasonDisengage.BrakeCmdTimeout


def test_partial_lives_as_long_as_one_subsystem_is_commanded():
    rig = active_rig("partial")
    rig.run(60, steering())
    assert rig.report("dbw_enabled") == 1
    rig.run(13)
    assert rig.report("dbw_enabled") == 0


def test_partial_leaves_what_is_not_commanded_to_the_driver():
    rig = Rig(system_sync_mode="partial")
    rig.step(Enable(), steering())
    rig.run_to_tick(steering())
    rig.step(steering(), DriverInput(throttle_pct=20.0))
    assert (rig.report("dbw_enabled"), rig.command("driver.throttle_pct")) == (1, 20.0)
    rig.step(steering(), DriverInput(hands_on_wheel=True))
    assert rig.report("dbw_enabled") == 0


def test_disable_acts_at_once_and_drops_a_pending_enable():
    rig = active_rig()
    rig.step(Disable(), *COMMANDS)
    assert rig.report("system.reason_disengage") == ReasonDisengage.SystemDisableCmd
    rig.run_to_tick(*COMMANDS)
    rig.step(Enable(), *COMMANDS)
    rig.step(Disable(), *COMMANDS)
    rig.run_to_tick(*COMMANDS)
    assert rig.report("dbw_enabled") == 0


def test_an_override_disengages_with_its_code():
    rig = active_rig()
    rig.step(HANDS, *COMMANDS)
    assert rig.report("system.reason_disengage") == ReasonDisengage.SteerRptOverride


def test_without_latches_the_next_enable_ends_the_override():
    rig = active_rig()
    rig.step(HANDS, *COMMANDS)
    rig.step(HANDS_OFF, *COMMANDS)
    assert rig.report("steering.override_active") == 1
    rig.step(Enable(), *COMMANDS)
    rig.run_to_tick(*COMMANDS)
    assert (rig.report("dbw_enabled"), rig.report("steering.override_active")) == (1, 0)


# -- latched overrides ------------------------------------------------------------------------------------------------


def latched_rig(driver: DriverInput) -> Rig:
    rig = active_rig(latched_overrides=True)
    rig.step(driver, *COMMANDS)
    rig.step(HANDS_OFF, *COMMANDS)
    rig.run_to_tick(*COMMANDS)
    rig.codes()
    return rig


def test_the_next_command_carries_the_clear_once_and_the_tick_engages():
    rig = latched_rig(HANDS)
    rig.step(Enable())
    assert rig.report("steering.override_latched") == 1
    rig.step(*COMMANDS)
    assert rig.report("steering.override_latched") == 0
    assert rig.report("dbw_enabled") == 0
    rig.run_to_tick(*COMMANDS)
    assert rig.report("dbw_enabled") == 1


def test_without_a_command_before_the_tick_the_enable_is_lost():
    rig = latched_rig(HANDS)
    rig.step(Enable())
    rig.run_to_tick()
    assert rig.codes() == ["ENABLE_REFUSED"]
    rig.run(12, *COMMANDS)
    assert (rig.report("dbw_enabled"), rig.report("steering.override_latched")) == (0, 0)
    rig.step(Enable(), *COMMANDS)
    rig.run_to_tick(*COMMANDS)
    assert rig.report("dbw_enabled") == 1


def test_a_clear_is_carried_only_once():
    rig = latched_rig(HANDS)
    rig.step(Enable())
    rig.step(HANDS, *COMMANDS)  # the driver acts: the clear is spent in vain
    rig.step(HANDS_OFF, *COMMANDS)
    assert rig.report("steering.override_latched") == 1
    rig.run_to_tick(*COMMANDS)
    assert rig.report("dbw_enabled") == 0
    assert rig.report("system.reason_not_ready") == ReasonNotReady.OverrideLatchedSteer


def test_the_ulc_carries_the_clear_of_the_pedals():
    rig = latched_rig(DriverInput(brake_bar=5.0))
    rig.step(Enable(), steering())
    assert (rig.report("brake.override_latched"), rig.report("ulc.override_latched")) == (1, 1)
    rig.step(*COMMANDS)
    assert (rig.report("brake.override_latched"), rig.report("ulc.override_latched")) == (0, 0)
    rig.run_to_tick(*COMMANDS)
    assert rig.report("dbw_enabled") == 1


# -- buttons ----------------------------------------------------------------------------------------------------------


def test_in_a_mode_with_button_the_firmware_engages_and_disengages_itself():
    rig = Rig(system_sync_mode="all_or_none_with_btn", buttons=False)
    rig.run(7, *IDLE)
    rig.step(DriverInput(button_enable=True), *IDLE)
    assert rig.report("dbw_enabled") == 1
    rig.step(DriverInput(button_disable=True), *IDLE)
    assert rig.report("dbw_enabled") == 0
    assert rig.report("system.reason_disengage") == ReasonDisengage.SystemDisableBtn


def test_in_a_mode_without_button_only_the_node_acts_on_it():
    rig = Rig(system_sync_mode="all_or_none")
    rig.run(7, *IDLE)
    rig.step(DriverInput(button_enable=True), *IDLE)
    assert rig.report("dbw_enabled") == 0
    rig.run_to_tick(*IDLE)
    assert rig.report("dbw_enabled") == 1
    deaf = Rig(system_sync_mode="all_or_none", buttons=False)
    deaf.step(DriverInput(button_enable=True), *IDLE)
    deaf.run_to_tick(*IDLE)
    assert deaf.report("dbw_enabled") == 0
