"""Enable, disable and override where the node decides (acceptance C7; field trial E65), and what the reports show."""

from __future__ import annotations

import pytest
from gateway_rig import (
    FOOT_ON_BRAKE,
    FOOT_ON_THROTTLE,
    HANDS,
    HANDS_OFF,
    Rig,
    brake,
    enabled_rig,
    steering,
    throttle,
    ulc,
)

from acres_ros.core.messages import ClientLost, Disable, DriverInput, Enable, SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

# -- the rules of the spec, the default -------------------------------------------------------------------------------


def test_it_starts_disabled_and_stays_so_whatever_is_commanded():
    rig = Rig()
    rig.run(60, steering(), brake(), throttle(), ulc())
    assert (rig.command("system_enable"), rig.report("dbw_enabled"), rig.report("system.enabled")) == (0, 0, 0)
    assert rig.report("system.state") == SystemState.READY
    assert rig.report("system.reason_disengage") == ReasonDisengage.PowerCycle


def test_enable_acts_in_its_step_and_needs_no_command():
    rig = Rig()
    rig.step(Enable())
    assert (rig.command("system_enable"), rig.report("dbw_enabled"), rig.report("system.state")) == (1, 1, 2)
    assert rig.report("system.reason_disengage") == ReasonDisengage.Nothing
    assert rig.events() == [("ACRES_DBW_ENABLED", "DBW system enabled")]


def test_a_second_enable_changes_and_says_nothing():
    rig = enabled_rig()
    rig.step(Enable())
    assert rig.codes() == []
    assert rig.gateway.enable.changes == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [(Disable(), "DBW system disabled: command"), (ClientLost(), "DBW system disabled: the client left")],
)
def test_disable_acts_in_its_step(message, text: str):
    rig = enabled_rig()
    rig.step(message)
    assert (rig.command("system_enable"), rig.report("dbw_enabled")) == (0, 0)
    assert rig.report("system.reason_disengage") == ReasonDisengage.SystemDisableCmd
    assert rig.events() == [("ACRES_DBW_DISABLED", text)]
    assert rig.gateway.enable.changes == 2


def test_enable_and_disable_in_one_step_act_in_their_order():
    rig = Rig()
    rig.step(Enable(), Disable())
    assert rig.report("dbw_enabled") == 0
    rig.step(Disable(), Enable())
    assert rig.report("dbw_enabled") == 1


def test_commands_may_stop_without_ending_the_enable():
    rig = enabled_rig()
    rig.run(300)
    assert rig.report("dbw_enabled") == 1


@pytest.mark.parametrize(
    ("driver", "name", "others", "reason"),
    [
        (HANDS, "steering", ("brake", "throttle"), ReasonDisengage.SteerRptOverride),
        (FOOT_ON_BRAKE, "brake", ("steering", "throttle"), ReasonDisengage.BrakeRptOverride),
        (FOOT_ON_THROTTLE, "throttle", ("steering", "brake"), ReasonDisengage.ThrtlRptOverride),
    ],
)
def test_an_override_disables_and_its_flag_stays_until_the_next_enable(driver, name: str, others, reason):
    rig = enabled_rig()
    rig.step(driver, steering(), ulc())
    assert (rig.command("system_enable"), rig.report("dbw_enabled")) == (0, 0)
    assert rig.report("system.reason_disengage") == reason
    assert rig.codes() == ["OVERRIDE"]
    rig.step(HANDS_OFF)
    for _ in range(300):
        rig.step()
        assert rig.report("system.override") == 1
        assert (rig.report(f"{name}.override_active"), rig.report(f"{name}.override_other")) == (1, 0)
        for other in others:
            assert (rig.report(f"{other}.override_active"), rig.report(f"{other}.override_other")) == (0, 1)
        assert rig.report(f"{name}.override_latched") == 0
    rig.step(Disable())
    assert rig.report("system.override") == 1
    rig.step(Enable())
    assert (rig.report("dbw_enabled"), rig.report("system.override")) == (1, 0)
    assert rig.report(f"{name}.override_active") == 0


def test_the_ulc_shows_the_override_of_a_pedal_but_not_of_the_wheel():
    rig = enabled_rig()
    rig.step(FOOT_ON_BRAKE)
    assert rig.report("ulc.override_active") == 1
    rig = enabled_rig()
    rig.step(HANDS)
    assert rig.report("ulc.override_active") == 0


def test_the_driver_gets_the_vehicle_in_the_step_of_the_override():
    rig = enabled_rig()
    rig.step(DriverInput(brake_bar=30.0))
    assert (rig.command("driver.brake_bar"), rig.command("system_enable")) == (30.0, 0)


def test_an_enable_while_the_driver_acts_is_overridden_at_once():
    rig = Rig()
    rig.step(FOOT_ON_BRAKE)
    assert rig.report("system.reason_not_ready") == ReasonNotReady.OverrideActiveBrake
    assert rig.report("system.state") == SystemState.MANUAL
    rig.step(Enable())
    assert (rig.report("dbw_enabled"), rig.report("system.override")) == (0, 1)
    assert rig.codes() == ["OVERRIDE"]
    rig.step(HANDS_OFF)
    rig.run(60)
    assert rig.report("dbw_enabled") == 0
    rig.step(Enable())
    assert rig.report("dbw_enabled") == 1


@pytest.mark.parametrize(
    ("option", "below", "above", "key"),
    [
        ("override_throttle_pct", DriverInput(throttle_pct=5.0), DriverInput(throttle_pct=5.1), "driver.throttle_pct"),
        ("override_brake_bar", DriverInput(brake_bar=5.0), DriverInput(brake_bar=5.1), "driver.brake_bar"),
    ],
)
def test_a_pedal_overrides_above_its_threshold_and_acts_below_it(option: str, below, above, key: str):
    rig = enabled_rig(**{option: 5.0})
    rig.step(below, steering(), ulc())
    assert (rig.report("dbw_enabled"), rig.report("system.override"), rig.command(key)) == (1, 0, 5.0)
    rig.step(above, steering(), ulc())
    assert (rig.report("dbw_enabled"), rig.report("system.override"), rig.command(key)) == (0, 1, 5.1)
    rig.step(below)
    rig.step(Enable(), steering(), ulc())
    assert rig.report("dbw_enabled") == 1, "a foot that rests does not keep it from engaging"


def test_the_lever_of_the_driver_is_no_override():
    rig = enabled_rig()
    rig.step(DriverInput(gear=4))
    assert rig.report("dbw_enabled") == 1


# -- the driver of whom nothing is known -------------------------------------------------------------------------------


def wheel(rig: Rig) -> tuple[float, float]:
    return rig.command("driver.steering_active"), rig.command("driver.steering_wheel_angle_deg")


def test_without_a_driver_input_the_wheel_is_brought_to_its_centre_as_fast_as_the_column_turns():
    rig = Rig(wheel_center_deg=12.5, wheel_slew_deg_s=500.0)
    rig.set_vehicle(steering__angle_deg=100.0)
    rig.step()
    assert wheel(rig) == (1, pytest.approx(100.0 - 500.0 / 120))
    rig.set_vehicle(steering__angle_deg=-2.0)
    rig.step()
    assert wheel(rig) == (1, pytest.approx(-2.0 + 500.0 / 120))
    rig.set_vehicle(steering__angle_deg=10.0)
    rig.step()
    assert wheel(rig) == (1, 12.5)


def test_while_enabled_nobody_holds_the_wheel():
    rig = Rig(wheel_center_deg=12.5)
    rig.set_vehicle(steering__angle_deg=100.0)
    rig.step()
    rig.step(Enable())
    rig.run(30)
    assert wheel(rig)[0] == 0
    rig.step(Disable())
    assert wheel(rig) == (1, pytest.approx(100.0 - 500.0 / 120))


def test_a_driver_who_takes_the_hands_off_lets_the_wheel_go():
    rig = Rig(wheel_center_deg=12.5)
    rig.step(HANDS_OFF)
    rig.run(10)
    assert wheel(rig)[0] == 0
    rig.gateway.reset()
    rig.gateway.step(None, rig.vehicle)
    assert wheel(rig)[0] == 1


# -- dbw_enabled ------------------------------------------------------------------------------------------------------


def publication_steps(rig: Rig, script: dict[int, tuple], steps: int) -> list[tuple[int, int]]:
    """Return the steps at which `dbw_enabled` is due, with its value."""
    due = []
    for step in range(1, steps + 1):
        rig.step(*script.get(step, ()))
        if rig.report("dbw_enabled_due"):
            due.append((step, rig.report("dbw_enabled")))
    return due


def test_it_is_due_each_50_ms_and_on_change():
    due = publication_steps(Rig(), {8: (Enable(),), 15: (Disable(),)}, 24)
    assert due == [(6, 0), (8, 1), (12, 1), (15, 0), (18, 0), (24, 0)]


def test_it_is_silent_until_the_first_report_has_been_made():
    assert publication_steps(Rig(), {1: (Enable(),)}, 6) == [(3, 1), (6, 1)]
    assert publication_steps(Rig(), {}, 6) == [(6, 0)]


def test_a_disable_is_answered_even_if_nothing_changes():
    assert publication_steps(Rig(), {4: (Disable(),)}, 6) == [(4, 0), (6, 0)]


# -- buttons, words ---------------------------------------------------------------------------------------------------


def test_the_buttons_of_the_vehicle_enable_and_disable():
    rig = Rig()
    rig.step(DriverInput(button_enable=True))
    assert (rig.report("dbw_enabled"), rig.report("system.button_enable")) == (1, 1)
    rig.step(DriverInput(button_disable=True))
    assert (rig.report("dbw_enabled"), rig.report("system.button_disable")) == (0, 1)
    assert rig.report("system.reason_disengage") == ReasonDisengage.SystemDisableBtn


def test_a_held_button_acts_again_with_each_system_report():
    rig = Rig()
    rig.step(DriverInput(button_enable=True))
    rig.step(Disable())
    while rig.gateway.steps < 11:
        assert rig.report("dbw_enabled") == 0
        rig.step()
    rig.step()
    assert rig.report("dbw_enabled") == 1


def test_a_driver_input_that_repeats_a_held_button_is_no_new_press():
    rig = Rig()
    rig.step(DriverInput(button_enable=True))
    rig.step(Disable())
    rig.run(5, DriverInput(button_enable=True))
    assert rig.report("dbw_enabled") == 0
    rig.step(DriverInput())
    rig.step(DriverInput(button_enable=True))
    assert rig.report("dbw_enabled") == 1


def test_without_the_option_the_buttons_are_only_shown():
    rig = Rig(buttons=False)
    rig.step(DriverInput(button_enable=True))
    assert (rig.report("dbw_enabled"), rig.report("system.button_enable")) == (0, 1)


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("none", "None"),
        ("disengages", "Disengages"),
        ("all_or_none", "AllOrNone"),
        ("all_or_none_with_btn", "AllOrNoneWithBtn"),
        ("partial", "Partial"),
        ("partial_with_btn", "PartialWithBtn"),
    ],
)
def test_the_sync_mode_is_said_once(mode: str, name: str):
    rig = Rig(system_sync_mode=mode)
    rig.run(20)
    assert rig.gateway.take_events() == [("info", "ACRES_DBW_SYNC_MODE", f"DBW system sync mode: {name}")]
    assert rig.gateway.options.sync_mode == rig.report("system.sync_mode")


@pytest.mark.parametrize(("name", "text"), [("steering", "Steering"), ("brake", "Brake"), ("throttle", "Throttle")])
def test_a_subsystem_that_times_out_is_told(name: str, text: str):
    rig = enabled_rig()
    rig.set_vehicle(**{f"{name}__in_control": 1})
    rig.run(5)
    assert rig.codes() == []
    rig.set_vehicle(**{f"{name}__in_control": 0, f"{name}__timeout": 1})
    rig.run(5)
    assert rig.events() == [("ACRES_DBW_TIMEOUT", f"{text} subsystem disabled after 100ms command timeout")]


def test_a_subsystem_that_is_disabled_for_another_reason_is_no_timeout():
    rig = enabled_rig()
    rig.set_vehicle(steering__in_control=1)
    rig.step()
    rig.set_vehicle(steering__in_control=0)
    rig.step(Disable())
    assert rig.codes() == ["DISABLED"]
