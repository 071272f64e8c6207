"""Every reason code of the system report: each that can be brought about is, as the table in docs/faults.md says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gateway_rig import brake, steering, throttle

from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.messages import Disable, DriverInput, Enable, GearCmd, Message
from acres_ros.core.parameters import load_parameters
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady
from acres_ros.core.start import Start
from acres_ros.world import World

NODE, FIRMWARE = "none", "all_or_none"
BOTH = (NODE, FIRMWARE)
HANDS = DriverInput(hands_on_wheel=True)
FOOT_ON_BRAKE, FOOT_ON_PEDAL = DriverInput(brake_bar=20.0), DriverInput(throttle_pct=20.0)
OF = {"Steer": "steering", "Brake": "brake", "Thrtl": "throttle", "Gear": "gear"}
DRIVEN = ("Steer", "Brake", "Thrtl")


class Car:
    """A vehicle with its three commands, each of them sent in every step unless a step says otherwise."""

    def __init__(self, mode: str, *, latched: bool) -> None:
        options = GatewayOptions(system_sync_mode=mode, latched_overrides=latched)
        self.vehicle = Environment(World.flat(), load_parameters(), Start(gear="L"), options)
        self.last: np.void = self.vehicle.step()["gateway"][-1]

    def run(self, steps: int = 1, *messages: Message, **commands: Message | None) -> Car:
        """Run steps; messages come with the first one, and a command by its name is another one or none."""
        usual: dict[str, Message | None] = {"steering": steering(), "brake": brake(0.0), "throttle": throttle(0.0)}
        for step in range(steps):
            for message in [*(messages if step == 0 else ()), *(usual | commands).values()]:
                if message is not None:
                    self.vehicle.post(message)
            self.last = self.vehicle.step()["gateway"][-1]
        return self

    def engage(self) -> Car:
        """Enable the system."""
        self.run(3).run(12, Enable())
        assert self.last["dbw_enabled"]
        return self

    def fault(self, name: str, *values: float) -> Car:
        """Switch a fault on."""
        self.vehicle.set_fault(name, values=values)
        return self


@pytest.fixture(scope="module")
def cars() -> dict[tuple[str, bool], Car]:
    return {(mode, latched): Car(mode, latched=latched) for mode in BOTH for latched in (False, True)}


Recipe = tuple[tuple[str, ...], Callable[[Car], object]]
OFF = {"Steer": steering(enable=False), "Brake": brake(0.0, enable=False), "Thrtl": throttle(0.0, enable=False)}
DRIVER = {"Steer": HANDS, "Brake": FOOT_ON_BRAKE, "Thrtl": FOOT_ON_PEDAL}


def share(part: str) -> tuple[float, ...]:
    """Return the shares of a damaged way that hits one of steering, brake, throttle, ulc."""
    return tuple(float(part == name) for name in ("Steer", "Brake", "Thrtl", "ULC"))


def disengaging() -> dict[ReasonDisengage, Recipe]:
    """Return what disengages a system that is engaged, and where."""
    code = ReasonDisengage.__members__
    found: dict[ReasonDisengage, Recipe] = {
        code["Nothing"]: (BOTH, lambda car: car.run()),
        code["PowerCycle"]: (BOTH, lambda car: (car.vehicle.restart(), car.run())),
        code["GearRptOverride"]: (BOTH, lambda car: car.fault("gear_override").run()),
        code["DriverSeatBelt"]: ((FIRMWARE,), lambda car: car.run(1, DriverInput(seat_belt_open=True))),
        code["DriverDoor"]: ((FIRMWARE,), lambda car: car.run(1, DriverInput(door_open=True))),
        code["SystemDisableCmd"]: (BOTH, lambda car: car.run(1, Disable())),
        code["SystemDisableBtn"]: (BOTH, lambda car: car.run(1, DriverInput(button_disable=True))),
    }
    for part in DRIVEN:
        name, driver, off = OF[part], DRIVER[part], OFF[part]
        found |= {
            code[f"{part}CmdDisengage"]: ((FIRMWARE,), lambda car, n=name, o=off: car.run(1, **{n: o})),
            code[f"{part}CmdTimeout"]: ((FIRMWARE,), lambda car, n=name: car.run(13, **{n: None})),
            code[f"{part}CmdInvalidCrc"]: (
                (FIRMWARE,),
                lambda car, p=part: car.fault("command_bad_crc", *share(p), 0.0).run(),
            ),
            code[f"{part}CmdInvalidRc"]: (
                (FIRMWARE,),
                lambda car, p=part: car.fault("command_bad_counter", *share(p)).run(),
            ),
            code[f"{part}RptOverride"]: (BOTH, lambda car, d=driver: car.run(1, d)),
            code[f"{part}RptDisengage"]: (BOTH, lambda car, n=name: car.fault(f"{n}_not_ready").run()),
            code[f"{part}RptHwDisable"]: (BOTH, lambda car, n=name: car.fault(f"{n}_hardware_disable").run()),
        }
    for part, name in OF.items():
        found |= {
            code[f"{part}RptFault"]: (BOTH, lambda car, n=name: car.fault(f"{n}_fault").run()),
            code[f"{part}RptTimeout"]: (BOTH, lambda car, n=name: car.fault(f"{n}_silent").run(43)),
        }
    return found


def not_readying() -> dict[ReasonNotReady, Recipe]:
    """Return what keeps a system from being ready that is not engaged, and where."""
    code = ReasonNotReady.__members__
    found: dict[ReasonNotReady, Recipe] = {
        code["Nothing"]: (BOTH, lambda car: car.run(3)),
        code["BadCrcCmdGear"]: (
            BOTH,
            lambda car: car.fault("command_bad_crc", 0.0, 0.0, 0.0, 0.0, 1.0).run(1, GearCmd(cmd=4)),
        ),
        code["OverrideActiveGear"]: (BOTH, lambda car: car.fault("gear_override").run()),
        code["MissingCmdAll"]: ((FIRMWARE,), lambda car: car.run(3, steering=None, brake=None, throttle=None)),
        code["DriverSeatBelt"]: ((FIRMWARE,), lambda car: car.run(1, DriverInput(seat_belt_open=True))),
        code["DriverDoor"]: ((FIRMWARE,), lambda car: car.run(1, DriverInput(door_open=True))),
    }
    for part in DRIVEN:
        name, driver, off = OF[part], DRIVER[part], OFF[part]
        found |= {
            code[f"BadCrcRcCmd{part}"]: (
                BOTH,
                lambda car, p=part: car.fault("command_bad_counter", *share(p)).run(),
            ),
            code[f"OverrideActive{part}"]: (BOTH, lambda car, d=driver: car.run(1, d)),
            code[f"OverrideLatched{part}"]: (
                BOTH,
                lambda car, d=driver: car.engage().run(1, d).run(1, DriverInput()),
            ),
            code[f"HardwareDisable{part}"]: (BOTH, lambda car, n=name: car.fault(f"{n}_hardware_disable").run()),
            code[f"NotReady{part}"]: (BOTH, lambda car, n=name: car.fault(f"{n}_not_ready").run()),
            code[f"MissingCmd{part}"]: ((FIRMWARE,), lambda car, n=name: car.run(3, **{n: None})),
            code[f"NotEnableCmd{part}"]: ((FIRMWARE,), lambda car, n=name, o=off: car.run(3, **{n: o})),
        }
    for part, name in OF.items():
        found |= {
            code[f"MissingReport{part}"]: (BOTH, lambda car, n=name: car.fault(f"{n}_silent").run(43)),
            code[f"Fault{part}"]: (BOTH, lambda car, n=name: car.fault(f"{n}_fault").run()),
        }
    return found


DISENGAGE, NOT_READY = disengaging(), not_readying()


def cases(recipes: dict) -> list:
    return [
        pytest.param(code, mode, id=f"{code.name}-{mode}") for code, (modes, _) in recipes.items() for mode in modes
    ]


def car_of(cars: dict[tuple[str, bool], Car], mode: str, name: str) -> Car:
    car = cars[mode, "Latched" in name]
    car.vehicle.restart()
    return car


@pytest.mark.parametrize(("code", "mode"), cases(DISENGAGE))
def test_each_reason_of_a_disengagement(cars: dict, code: ReasonDisengage, mode: str) -> None:
    car = car_of(cars, mode, code.name).engage()
    assert car.last["system"]["reason_disengage"] == 0
    DISENGAGE[code][1](car)
    system = car.last["system"]
    assert ReasonDisengage(system["reason_disengage"]) is code
    assert bool(system["enabled"]) is (code is ReasonDisengage.Nothing)
    if mode == FIRMWARE:
        assert car.last["dbw_enabled"] == system["enabled"]


@pytest.mark.parametrize(("code", "mode"), cases(NOT_READY))
def test_each_reason_for_not_being_ready(cars: dict, code: ReasonNotReady, mode: str) -> None:
    car = car_of(cars, mode, code.name).run(3) if not code.name.startswith("Missing") else car_of(cars, mode, code.name)
    NOT_READY[code][1](car)
    system = car.last["system"]
    assert ReasonNotReady(system["reason_not_ready"]) is code
    assert bool(system["ready"]) is (code is ReasonNotReady.Nothing)
    assert not system["enabled"]


def rows(title: str) -> list[tuple[list[str], list[str], str, str]]:
    """Return the rows of a table in docs/faults.md: numbers, names, where, how."""
    page = (Path(__file__).resolve().parents[2] / "docs/faults.md").read_text(encoding="utf-8")
    part = page.split(f"### {title}\n", 1)[1].split("\n#", 1)[0]
    found = []
    for line in part.splitlines():
        if line.startswith("| 0x"):
            numbers, names, where, how = (cell.strip() for cell in line.strip("|").split("|"))
            found.append((numbers.split(", "), re.findall("`(.*?)`", names), where, how))
    return found


@pytest.mark.parametrize(
    ("title", "table", "recipes"),
    [("Why it disengaged", ReasonDisengage, DISENGAGE), ("Why it is not ready", ReasonNotReady, NOT_READY)],
)
def test_the_page_has_every_code_and_says_of_each_whether_it_can_be(title: str, table: type, recipes: dict) -> None:
    names, numbers, can = [], [], {}
    for given, codes, where, how in rows(title):
        assert len(given) == len(codes) and how
        numbers += [int(number, 16) for number in given]
        names += codes
        for name in codes:
            can[name] = {"both": BOTH, "firmware": (FIRMWARE,), "": ()}[where]
            assert bool(where) is not how.startswith("cannot:")
    listed = {"None" if code is table.Nothing else code.name: int(code) for code in table}
    assert len(names) == len(set(names)) and dict(zip(names, numbers, strict=True)) == listed
    done = {"None" if code is table.Nothing else code.name: modes for code, (modes, _) in recipes.items()}
    assert {name: modes for name, modes in can.items() if modes} == done
