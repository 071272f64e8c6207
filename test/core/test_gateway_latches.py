"""The option `latched_overrides`: what clears a latch, what an enable waits for, and what is ignored of the driver."""

from __future__ import annotations

from gateway_rig import FOOT_ON_BRAKE, HANDS, HANDS_OFF, Rig, brake, enabled_rig, steering, throttle, ulc

from acres_ros.core.messages import Disable, DriverInput, Enable
from acres_ros.core.reasons import ReasonNotReady


def overridden_rig() -> Rig:
    rig = enabled_rig(latched_overrides=True)
    rig.step(HANDS, steering(), ulc())
    assert (rig.report("dbw_enabled"), rig.report("steering.override_active")) == (0, 1)
    assert rig.report("steering.override_latched") == 1
    rig.step(HANDS_OFF, steering(), ulc())
    assert (rig.report("steering.override_active"), rig.report("steering.override_latched")) == (0, 1)
    assert rig.report("system.reason_not_ready") == ReasonNotReady.OverrideLatchedSteer
    rig.codes()
    return rig


def test_a_latch_stays_until_a_command_of_its_subsystem_clears_it():
    rig = overridden_rig()
    rig.run(300, steering(), ulc(clear=True), brake(clear=True))
    assert rig.report("steering.override_latched") == 1
    rig.step(steering(clear=True))
    assert rig.report("steering.override_latched") == 0


def test_no_clear_ends_an_override_on_which_the_driver_still_acts():
    rig = overridden_rig()
    rig.step(HANDS, steering(clear=True))
    assert rig.report("steering.override_latched") == 1


def test_an_enable_waits_for_the_clear_that_the_next_command_carries():
    rig = overridden_rig()
    rig.step(Enable())
    assert rig.report("dbw_enabled") == 0
    rig.step(steering())
    assert (rig.report("dbw_enabled"), rig.report("steering.override_latched")) == (1, 0)
    assert rig.codes() == ["ENABLE_WAITING", "ENABLED"]


def test_without_a_command_the_next_tick_clears():
    rig = overridden_rig()
    rig.run_to_tick()
    rig.step(Enable())
    for _ in range(4):
        rig.step()
        assert rig.report("dbw_enabled") == 0
    rig.step()
    assert rig.gateway.steps % 6 == 0
    assert (rig.report("dbw_enabled"), rig.report("steering.override_latched")) == (1, 0)


def test_an_enable_waits_until_the_driver_lets_go():
    rig = overridden_rig()
    rig.step(HANDS, steering(), ulc())
    rig.step(Enable(), steering(), ulc())
    rig.run(60, steering(), ulc())
    assert rig.report("dbw_enabled") == 0
    rig.step(HANDS_OFF, steering(), ulc())
    rig.step(steering(), ulc())
    assert rig.report("dbw_enabled") == 1


def test_an_enable_that_waits_ends_with_a_disable():
    rig = overridden_rig()
    rig.step(HANDS, steering(), ulc())
    rig.step(Enable(), steering(), ulc())
    rig.step(Disable(), HANDS_OFF, steering(), ulc())
    rig.run(60, steering(), ulc())
    assert rig.report("dbw_enabled") == 0
    assert rig.report("steering.override_latched") == 1


def test_a_latch_without_commands_does_not_block():
    rig = overridden_rig()
    rig.run(13)  # the last command is 13 steps old: the report shows a time-out
    assert rig.report("system.reason_not_ready") == ReasonNotReady.Nothing
    rig.step(Enable())
    assert rig.report("dbw_enabled") == 1


def test_a_clear_of_the_ulc_ends_the_latch_of_the_pedals():
    rig = enabled_rig(latched_overrides=True)
    rig.step(FOOT_ON_BRAKE, steering(), ulc())
    rig.step(HANDS_OFF, steering(), ulc())
    assert (rig.report("brake.override_latched"), rig.report("ulc.override_latched")) == (1, 1)
    rig.step(steering(), ulc(clear=True))
    assert (rig.report("brake.override_latched"), rig.report("ulc.override_latched")) == (0, 0)


def test_a_clear_that_a_later_message_replaced_in_the_same_step_still_clears():
    rig = overridden_rig()
    rig.step(steering(clear=True), steering())
    assert rig.report("steering.override_latched") == 0


def test_an_override_of_a_pedal_without_commands_disables_but_does_not_latch():
    rig = Rig(latched_overrides=True)
    rig.step(Enable(), steering())
    rig.step(FOOT_ON_BRAKE, steering())
    assert (rig.report("dbw_enabled"), rig.report("steering.override_other")) == (0, 1)
    assert (rig.report("brake.override_active"), rig.report("brake.override_latched")) == (1, 0)


def test_a_command_with_ignore_is_not_overridden():
    rig = Rig(latched_overrides=True)
    rig.step(Enable(), steering(ignore=True), ulc())
    rig.step(HANDS, steering(ignore=True), ulc())
    assert rig.report("dbw_enabled") == 1
    rig.step(steering(), ulc())
    assert rig.report("dbw_enabled") == 0


def driver_command(rig: Rig) -> tuple[float, ...]:
    return tuple(rig.command(f"driver.{name}") for name in ("steering_active", "brake_bar", "throttle_pct"))


def test_while_enabled_what_is_ignored_of_the_driver_does_not_act():
    rig = Rig(latched_overrides=True)
    commands = (steering(ignore=True), brake(ignore=True), throttle(ignore=True))
    rig.step(Enable(), *commands)
    rig.run(30, DriverInput(True, 30.0, 20.0, 30.0), *commands)
    assert rig.report("dbw_enabled") == 1
    assert driver_command(rig) == (0, 0.0, 0.0)
    rig.step(Disable(), *commands)
    assert driver_command(rig) == (1, 30.0, 20.0)


def test_only_the_subsystem_that_ignores_the_driver_is_kept_from_him():
    rig = Rig(latched_overrides=True)
    rig.step(Enable(), steering(), brake(ignore=True))
    rig.step(DriverInput(brake_bar=30.0), steering(), brake(ignore=True))
    assert (rig.report("dbw_enabled"), *driver_command(rig)) == (1, 0, 0.0, 0.0)
    rig.run(12)  # the last commands can still act
    assert driver_command(rig) == (0, 0.0, 0.0)
    rig.step()  # they are too old: nothing is ignored, and nobody else brakes
    assert (rig.report("dbw_enabled"), *driver_command(rig)) == (1, 0, 30.0, 0.0)


def test_in_a_partial_mode_the_driver_has_the_pedals_that_nobody_commands():
    rig = Rig(system_sync_mode="partial")
    rig.step(Enable(), steering())
    rig.run_to_tick(steering())
    rig.step(DriverInput(brake_bar=30.0), steering())
    assert (rig.report("dbw_enabled"), rig.command("driver.brake_bar")) == (1, 30.0)


def test_the_spec_knows_no_ignore():
    rig = Rig()
    rig.step(Enable(), steering(ignore=True))
    rig.step(HANDS, steering(ignore=True))
    assert rig.report("dbw_enabled") == 0
