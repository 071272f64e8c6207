"""Modules that send no report or let go: reports, enable, and what is said of it."""

from __future__ import annotations

import pytest
from gateway_rig import Rig, brake, steering, throttle, ulc
from module_rig import FIRMWARE, NODE, commands, enabled_rig

from acres_ros.core.gateway_modules import ModuleFaults, Told
from acres_ros.core.messages import Disable, DriverInput, Enable, SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

MODULES = ("steering", "brake", "throttle", "gear")
DRIVEN = MODULES[:3]
# Codes of the reports of `ds_dbw_can` 2.3.11, and for how many steps its frame definitions let a report be valid.
SILENT = {
    "steering": (0x29, 0x10, 12),
    "brake": (0x49, 0x11, 12),
    "throttle": (0x69, 0x12, 12),
    "gear": (0x89, 0x13, 42),
}
DISABLED = {"steering": (0x28, 0x2C), "brake": (0x48, 0x2D), "throttle": (0x68, 0x2E)}
UNREADY = {"steering": (0x27, 0x30), "brake": (0x47, 0x31), "throttle": (0x67, 0x32)}


def of(name: str) -> tuple[bool, ...]:
    return tuple(module == name for module in MODULES)


def silent(name: str, told: Told | None = None) -> ModuleFaults:
    return ModuleFaults(told or Told(), silent=of(name))


def let_go(kind: str, name: str) -> ModuleFaults:
    return ModuleFaults(Told(**{kind: of(name)[:3]}))


def system(rig: Rig) -> dict[str, float]:
    names = ("state", "ready", "enabled", "fault", "reason_disengage", "reason_not_ready")
    return {name: rig.report(f"system.{name}") for name in names}


# -- silence ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", FIRMWARE)
@pytest.mark.parametrize("name", MODULES)
def test_a_report_that_is_missing_disengages_where_the_firmware_decides(name: str, options: dict) -> None:
    disengage, not_ready, steps = SILENT[name]
    rig = enabled_rig(**options)
    rig.gateway.set_faults(silent(name))
    rig.run(steps, *commands())
    assert rig.report("dbw_enabled") == 1, "the last report is valid"
    rig.step(*commands())
    assert (rig.report("dbw_enabled"), rig.command("system_enable"), rig.report("dbw_enabled_due")) == (0, 0, 1)
    assert system(rig) == {
        "state": SystemState.MANUAL,
        "ready": 0,
        "enabled": 0,
        "fault": 0,
        "reason_disengage": disengage,
        "reason_not_ready": not_ready,
    }
    assert rig.events() == [("ACRES_DBW_DISABLED", f"DBW system disabled: {ReasonDisengage(disengage).name}")]
    rig.step(Enable(), *commands())
    rig.run_to_tick(*commands())
    assert rig.report("dbw_enabled") == 0
    text = f"DBW system not enabled: {ReasonNotReady(not_ready).name}"
    assert ("ACRES_DBW_ENABLE_REFUSED", text) in rig.events()
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert (rig.report("system.state"), rig.report("dbw_enabled")) == (SystemState.READY, 0), "it waits for an enable"
    rig.step(Enable(), *commands())
    rig.run_to_tick(*commands())
    assert rig.report("dbw_enabled") == 1


@pytest.mark.parametrize("options", NODE)
@pytest.mark.parametrize("name", MODULES)
def test_where_the_node_decides_the_system_report_shows_it_and_the_node_goes_on(name: str, options: dict) -> None:
    disengage, not_ready, steps = SILENT[name]
    rig = enabled_rig(**options)
    rig.gateway.set_faults(silent(name))
    rig.run(steps, *commands())
    assert system(rig)["reason_not_ready"] == 0
    rig.step(*commands())
    assert (rig.report("dbw_enabled"), rig.command("system_enable")) == (1, 1)
    assert system(rig) == {
        "state": SystemState.MANUAL,
        "ready": 0,
        "enabled": 0,
        "fault": 0,
        "reason_disengage": disengage,
        "reason_not_ready": not_ready,
    }
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert system(rig) == {
        "state": SystemState.ACTIVE,
        "ready": 1,
        "enabled": 1,
        "fault": 0,
        "reason_disengage": 0,
        "reason_not_ready": 0,
    }
    assert rig.events() == []


def test_the_node_takes_an_enable_while_a_report_is_missing() -> None:
    rig = Rig()
    rig.gateway.set_faults(silent("steering"))
    rig.run(20, *commands())
    assert (rig.report("system.state"), rig.report("system.reason_not_ready")) == (SystemState.MANUAL, 0x10)
    rig.step(Enable(), *commands())
    assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (1, 0x29)
    rig.step(Disable(), *commands())
    assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (0, ReasonDisengage.SystemDisableCmd)


def test_a_silence_within_the_time_out_is_seen_by_nobody_and_the_next_one_counts_anew() -> None:
    rig = enabled_rig(system_sync_mode="all_or_none")
    for _ in range(3):
        rig.gateway.set_faults(silent("brake"))
        rig.run(12, *commands())
        rig.gateway.set_faults(ModuleFaults())
        rig.step(*commands())
    assert (rig.report("dbw_enabled"), rig.events()) == (1, [])


def test_other_faults_that_come_and_go_do_not_begin_a_silence_anew() -> None:
    rig = enabled_rig(system_sync_mode="all_or_none")
    rig.gateway.set_faults(silent("brake"))
    rig.run(6, *commands())
    rig.gateway.set_faults(silent("brake", Told(degraded=of("throttle"))))
    rig.run(6, *commands())
    assert rig.report("dbw_enabled") == 1
    rig.step(*commands())
    assert rig.report("system.reason_disengage") == 0x49


def test_what_a_silent_module_would_say_is_told_with_its_first_report() -> None:
    rig = enabled_rig(system_sync_mode="all_or_none")
    rig.gateway.set_faults(silent("brake", Told(fault=of("brake"), degraded=of("brake"))))
    rig.run(12, *commands())
    assert (rig.report("dbw_enabled"), rig.report("system.fault"), rig.events()) == (1, 0, [])
    rig.step(*commands())
    assert rig.report("system.reason_disengage") == 0x49, "not its fault, of which nobody knows"
    rig.events()
    rig.gateway.set_faults(ModuleFaults(Told(fault=of("brake"))))
    rig.step(*commands())
    assert rig.events() == [("ACRES_DBW_FAULT", "Brake fault")]
    assert (rig.report("system.state"), rig.report("system.reason_not_ready")) == (SystemState.FAULT, 0x19)


def test_a_fault_of_a_module_is_known_as_long_as_its_last_report_is_valid() -> None:
    rig = Rig()
    rig.gateway.set_faults(ModuleFaults(Told(fault=of("steering"))))
    rig.step(*commands())
    rig.gateway.set_faults(silent("steering"))
    rig.run(12, *commands())
    assert (rig.report("system.state"), rig.report("system.reason_not_ready")) == (SystemState.FAULT, 0x18)
    rig.step(*commands())
    assert system(rig) | {"reason_disengage": 0} == {
        "state": SystemState.MANUAL,
        "ready": 0,
        "enabled": 0,
        "fault": 0,
        "reason_disengage": 0,
        "reason_not_ready": 0x10,
    }
    rig.events()
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert rig.events() == [], "the real node says that a fault is cleared only behind a report that it has"


def test_two_silent_modules_are_told_in_the_order_of_their_codes() -> None:
    rig = Rig()
    rig.gateway.set_faults(ModuleFaults(silent=(False, True, True, False)))
    rig.run(13)
    assert (rig.report("system.reason_not_ready"), rig.report("system.missing_reports")) == (0x11, 0b0110)


def test_a_missing_report_of_a_pedal_takes_the_ready_of_the_ulc() -> None:
    rig = Rig()
    for name, ready in (("steering", 1), ("brake", 0), ("throttle", 0), ("gear", 1)):
        rig.gateway.set_faults(silent(name))
        rig.run(43)
        assert rig.report("ulc.ready") == ready
        rig.gateway.set_faults(ModuleFaults())
        rig.step()


def test_the_time_out_of_a_silent_modules_command_is_not_told() -> None:
    rig = enabled_rig(steering(), brake())
    rig.set_vehicle(steering__in_control=1, brake__in_control=1)
    rig.step(steering(), brake())
    rig.gateway.set_faults(silent("steering"))
    rig.set_vehicle(steering__in_control=0, brake__in_control=0, steering__timeout=1, brake__timeout=1)
    rig.step()
    assert rig.events() == [("ACRES_DBW_TIMEOUT", "Brake subsystem disabled after 100ms command timeout")]


def test_the_driver_overrides_a_silent_module() -> None:
    rig = enabled_rig()
    rig.gateway.set_faults(silent("steering"))
    rig.run(20, *commands())
    rig.step(DriverInput(hands_on_wheel=True), *commands())
    assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (0, 0x26)


def test_an_enable_does_not_wait_for_the_latch_of_a_module_without_a_report() -> None:
    options = {"system_sync_mode": "all_or_none", "latched_overrides": True}
    rig = enabled_rig(**options)
    rig.step(DriverInput(hands_on_wheel=True), *commands())
    rig.step(DriverInput(), *commands())
    assert rig.report("steering.override_latched") == 1
    rig.gateway.set_faults(silent("steering"))
    rig.run(13, brake(), throttle())
    rig.codes()
    rig.step(Enable(), brake(), throttle())
    rig.run_to_tick(brake(), throttle())
    assert rig.events() == [("ACRES_DBW_ENABLE_REFUSED", "DBW system not enabled: MissingReportSteer")]


def latched_rig() -> Rig:
    """Return a rig in the step of a tick whose steering shows a latched override."""
    rig = enabled_rig(system_sync_mode="all_or_none", latched_overrides=True)
    rig.step(DriverInput(hands_on_wheel=True), *commands())
    rig.step(DriverInput(), *commands())
    rig.run_to_tick(*commands())
    assert rig.report("steering.override_latched") == 1
    rig.codes()
    return rig


def test_a_latch_that_no_report_shows_is_not_cleared_by_an_enable() -> None:
    for quiet, latched in ((ModuleFaults(), 0), (silent("steering"), 1)):
        rig = latched_rig()
        rig.gateway.set_faults(quiet)
        rig.run(13, brake(), throttle())
        rig.step(Enable(), brake(), throttle())
        rig.step(*commands())
        assert rig.report("steering.override_latched") == latched


def test_a_tick_does_not_wait_for_a_clear_of_a_module_whose_report_is_missing() -> None:
    for quiet, said in ((ModuleFaults(), "DBW system enable dropped"), (silent("steering"), "DBW system not enabled")):
        rig = latched_rig()
        rig.step(*commands())
        rig.gateway.set_faults(quiet)
        rig.run(7, *commands())
        rig.run(4, brake(), throttle())
        rig.step(Enable(), brake(), throttle())
        rig.run(5, brake(), throttle())
        ((code, text),) = rig.events()
        assert rig.gateway.steps % 6 == 0 and code == "ACRES_DBW_ENABLE_REFUSED" and text.startswith(said)


def test_a_reset_ends_a_silence() -> None:
    rig = enabled_rig()
    rig.gateway.set_faults(silent("brake"))
    rig.run(20)
    rig.gateway.reset()
    rig.inbox = type(rig.inbox)()
    rig.run(20)
    assert (rig.report("system.missing_reports"), rig.report("system.state")) == (0, SystemState.READY)


# -- modules that let go ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "codes"), [("disabled", DISABLED), ("unready", UNREADY)])
@pytest.mark.parametrize("name", DRIVEN)
@pytest.mark.parametrize("options", [*FIRMWARE, *NODE])
def test_a_module_that_lets_go_takes_no_command(kind: str, codes: dict, name: str, options: dict) -> None:
    rig = enabled_rig(**options)
    rig.gateway.set_faults(let_go(kind, name))
    rig.step(*commands())
    firmware = rig.gateway.options.firmware_managed
    assert (rig.report("dbw_enabled"), rig.command("system_enable")) == (not firmware, not firmware)
    assert (rig.report("system.reason_disengage"), rig.report("system.reason_not_ready")) == codes[name]
    assert (rig.report("system.state"), rig.report("system.enabled")) == (SystemState.MANUAL, 0)
    assert [rig.command(f"{module}.enable") for module in DRIVEN] == [module != name for module in DRIVEN]
    assert [rig.report(f"{module}.ready") for module in DRIVEN] == [module != name for module in DRIVEN]
    disabled = [kind == "disabled" and module == name for module in DRIVEN]
    assert [rig.report(f"{module}.hardware_disable") for module in DRIVEN] == disabled
    rig.gateway.set_faults(ModuleFaults())
    rig.step()
    assert rig.command(f"{name}.enable") == 1, "its last command holds"
    assert rig.report(f"{name}.ready") == 1


def test_a_command_that_is_too_old_does_not_come_back_with_the_module() -> None:
    rig = enabled_rig()
    rig.gateway.set_faults(let_go("disabled", "steering"))
    rig.run(40, brake())
    rig.gateway.set_faults(ModuleFaults())
    rig.step(brake())
    assert rig.command("steering.enable") == 0


@pytest.mark.parametrize("name", ["brake", "throttle"])
def test_the_ulc_has_no_control_without_one_of_the_pedals(name: str) -> None:
    rig = enabled_rig(steering(), ulc())
    assert (rig.command("ulc.enable"), rig.report(f"{name}.source")) == (1, 1)
    rig.gateway.set_faults(let_go("disabled", name))
    rig.step(steering(), ulc())
    assert (rig.command("ulc.enable"), rig.report("ulc.ready"), rig.report(f"{name}.source")) == (0, 0, 0)
    assert (rig.command("steering.enable"), rig.report("dbw_enabled")) == (1, 1)


def test_the_lever_disengages_everywhere_and_is_named() -> None:
    for options in (*FIRMWARE, *NODE):
        rig = enabled_rig(**options)
        rig.gateway.set_faults(ModuleFaults(Told(lever=True)))
        rig.step(*commands())
        assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (0, 0x86)
        assert (rig.report("system.reason_not_ready"), rig.report("system.override")) == (0x23, 1)
        assert (rig.report("gear.override_active"), rig.report("steering.override_other")) == (1, 1)
        assert rig.events() == [("ACRES_DBW_OVERRIDE", "DBW system disabled: the driver overrides the gear lever")]


def test_the_gear_shows_the_override_of_a_subsystem() -> None:
    rig = enabled_rig()
    rig.step(DriverInput(brake_bar=20.0))
    assert (rig.report("gear.override_other"), rig.report("gear.override_active")) == (1, 0)
