"""Faults of modules and actuators, belt and door: reports, reason codes, and what keeps the system from enabling."""

from __future__ import annotations

import pytest
from gateway_rig import Rig, brake, steering, throttle, ulc

from acres_ros.core.gateway_modules import ActuatorFaults, ModuleFaults, Told
from acres_ros.core.messages import DriverInput, Enable, GearCmd, SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

MODULES = ("steering", "brake", "throttle", "gear")
# Codes of the reports of `ds_dbw_can` 2.3.11, as the table of the facts has them.
CODES = {"steering": (0x25, 0x18), "brake": (0x45, 0x19), "throttle": (0x65, 0x1A), "gear": (0x85, 0x1B)}
FIRMWARE = {"system_sync_mode": "all_or_none"}


def of(name: str) -> tuple[bool, ...]:
    return tuple(module == name for module in MODULES)


def fault(name: str) -> ModuleFaults:
    return ModuleFaults(Told(fault=of(name)))


def commands() -> tuple:
    return steering(), brake(), throttle()


def enabled_rig(**options) -> Rig:
    rig = Rig(**options)
    rig.step(Enable(), *commands())
    rig.run_to_tick(*commands())
    assert rig.report("dbw_enabled") == 1
    rig.codes()
    return rig


@pytest.mark.parametrize("options", [{}, FIRMWARE, {"system_sync_mode": "partial"}, {"latched_overrides": True}])
@pytest.mark.parametrize("name", MODULES)
def test_a_fault_disengages_in_its_step_with_its_code(name: str, options: dict) -> None:
    rig = enabled_rig(**options)
    rig.gateway.set_faults(fault(name))
    rig.step(*commands())
    disengage, not_ready = CODES[name]
    assert (rig.report("dbw_enabled"), rig.command("system_enable"), rig.report("dbw_enabled_due")) == (0, 0, 1)
    assert (rig.report("system.reason_disengage"), rig.report("system.reason_not_ready")) == (disengage, not_ready)
    assert (rig.report("system.state"), rig.report("system.fault")) == (SystemState.FAULT, 1)
    assert (rig.report("system.ready"), rig.report(f"{name}.fault")) == (0, 1)
    others = [other for other in MODULES if other != name]
    assert [rig.report(f"{other}.fault") for other in others] == [0, 0, 0]
    text = f"DBW system disabled: {ReasonDisengage(disengage).name}"
    assert rig.events() == [
        ("ACRES_DBW_FAULT", f"{name.capitalize()} fault"),
        ("ACRES_DBW_DISABLED", text),
    ]


def test_a_faulty_subsystem_is_not_ready_nor_is_the_ulc_above_it() -> None:
    rig = Rig()
    rig.gateway.set_faults(fault("brake"))
    rig.step()
    assert [rig.report(f"{name}.ready") for name in ("steering", "brake", "throttle", "ulc")] == [1, 0, 1, 0]


@pytest.mark.parametrize("name", MODULES)
def test_an_enable_is_refused_while_a_fault_is_there_and_taken_after_it(name: str) -> None:
    rig = Rig()
    rig.gateway.set_faults(fault(name))
    rig.step(*commands())
    rig.codes()
    rig.step(Enable(), *commands())
    assert rig.report("dbw_enabled") == 0
    said = [] if name == "gear" else [("ACRES_DBW_ENABLE_REFUSED", f"DBW system not enabled: {name} fault")]
    assert rig.events() == said, "the real node is silent where it is the gear"
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert rig.events() == [("ACRES_DBW_FAULT", f"{name.capitalize()} fault cleared")]
    assert (rig.report("dbw_enabled"), rig.report("system.state")) == (0, SystemState.READY), "it waits for an enable"
    rig.step(Enable(), *commands())
    assert rig.report("dbw_enabled") == 1


@pytest.mark.parametrize(("name", "message"), [("steering", steering), ("brake", brake), ("throttle", ulc)])
def test_where_the_node_decides_a_fault_counts_while_commands_arrive(name: str, message) -> None:
    rig = Rig()
    rig.gateway.set_faults(fault(name))
    rig.step(Enable())
    assert rig.report("dbw_enabled") == 1, "a report with a time-out does not count"
    rig.step(message())
    assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (0, CODES[name][0])


def test_a_fault_of_the_gear_counts_always() -> None:
    rig = Rig()
    rig.gateway.set_faults(fault("gear"))
    rig.step(Enable())
    assert (rig.report("dbw_enabled"), rig.report("system.reason_not_ready")) == (0, ReasonNotReady.FaultGear)


def test_a_degraded_actuator_is_told_and_disengages_nothing() -> None:
    rig = enabled_rig()
    rig.gateway.set_faults(ModuleFaults(Told(degraded=of("brake")), actuators=ActuatorFaults(brake_share=0.5)))
    rig.step(*commands())
    assert (rig.report("brake.degraded"), rig.report("brake.degraded_cmd_type"), rig.report("brake.fault")) == (1, 0, 0)
    assert (rig.report("steering.degraded"), rig.report("dbw_enabled")) == (0, 1)
    assert rig.command("fault.brake_share") == 0.5
    assert rig.events() == [("ACRES_DBW_DEGRADED", "Brake degraded")]
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert (rig.report("brake.degraded"), rig.command("fault.brake_share")) == (0, 1.0)
    assert rig.events() == [("ACRES_DBW_DEGRADED", "Brake degraded cleared")]


def test_a_stuck_gear_rejects_its_command_as_a_fault() -> None:
    rig = enabled_rig()
    stuck = ModuleFaults(Told(degraded=of("gear")), actuators=ActuatorFaults(gear_stuck=True))
    rig.gateway.set_faults(stuck)
    rig.set_vehicle(gear__refused=1)
    rig.step(GearCmd(cmd=4), *commands())
    assert (rig.report("gear.reject"), rig.report("gear.degraded"), rig.report("gear.degraded_cmd_type")) == (1, 1, 0)
    rig.gateway.set_faults(ModuleFaults())
    rig.step(*commands())
    assert rig.report("gear.reject") == 6, "VEHICLE_SPEED: what is refused without a fault"


def test_a_reset_ends_what_the_modules_report() -> None:
    rig = enabled_rig()
    rig.gateway.set_faults(fault("brake"))
    rig.step()
    rig.gateway.reset()
    rig.inbox = type(rig.inbox)()
    rig.step()
    assert (rig.report("brake.fault"), rig.report("system.fault"), rig.report("system.state")) == (0, 0, 1)


# -- belt and door ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "report", "disengage", "not_ready"),
    [("seat_belt_open", "person.belt_open", 0xB0, 0xE0), ("door_open", "person.door_open", 0xB1, 0xE1)],
)
def test_belt_and_door_disengage_where_the_firmware_decides(
    field: str, report: str, disengage: int, not_ready: int
) -> None:
    rig = enabled_rig(**FIRMWARE)
    rig.step(DriverInput(**{field: True}), *commands())
    assert (rig.report("dbw_enabled"), rig.report(report)) == (0, 1)
    assert (rig.report("system.reason_disengage"), rig.report("system.reason_not_ready")) == (disengage, not_ready)
    rig.step(Enable(), *commands())
    rig.run_to_tick(*commands())
    assert rig.report("dbw_enabled") == 0
    rig.step(DriverInput(), Enable(), *commands())
    rig.run_to_tick(*commands())
    assert (rig.report("dbw_enabled"), rig.report(report)) == (1, 0)


def test_where_the_node_decides_belt_and_door_are_only_shown() -> None:
    rig = enabled_rig()
    rig.step(DriverInput(seat_belt_open=True, door_open=True), *commands())
    assert (rig.report("dbw_enabled"), rig.report("person.belt_open"), rig.report("person.door_open")) == (1, 1, 1)
