"""Frames that arrive damaged: what is taken, what disengages, and what is said of it."""

from __future__ import annotations

import pytest
from gateway_rig import Rig, brake, steering, throttle, ulc
from module_rig import FIRMWARE, NODE, commands, enabled_rig

from acres_ros.core.messages import BadFrame, BrakeCmd, GearCmd, SystemState
from acres_ros.core.reasons import ReasonDisengage

FRAMES = ("steering", "brake", "throttle", "ulc", "gear")


@pytest.mark.parametrize(("target", "name"), list(enumerate(FRAMES)))
def test_a_damaged_frame_is_not_taken_and_shown_until_a_good_one(target: int, name: str) -> None:
    rig = Rig()
    good = (*commands(), ulc(), GearCmd(cmd=5))[target]
    rig.step(BadFrame(target, True, False))
    flags = ("bad_crc",) if name == "gear" else ("bad_crc", "bad_counter")
    assert [rig.report(f"{name}.{flag}") for flag in flags] == [1, 0][: len(flags)]
    assert rig.gateway.streams.arrival == [-(10**9)] * 4 and rig.gateway.gear == 0
    code = ("STEER", "BRAKE", "THROTTLE", "ULC", "GEAR")[target]
    text = f"{('Steer', 'Brake', 'Throttle', 'ULC', 'Gear')[target]} command ignored with bad CRC"
    assert rig.events() == [(f"ACRES_DBW_BAD_FRAME_{code}", text)]
    rig.step(good)
    assert rig.report(f"{name}.bad_crc") == 0


def test_a_damaged_frame_is_shown_up_to_the_time_out_of_the_command() -> None:
    for target, name, steps in ((1, "brake", 12), (4, "gear", 42)):
        rig = Rig()
        rig.step(BadFrame(target, True, True))
        rig.run(steps)
        assert rig.report(f"{name}.bad_crc") == 1
        rig.step()
        assert rig.report(f"{name}.bad_crc") == 0


def test_what_came_last_in_a_step_counts() -> None:
    rig = Rig()
    rig.step(steering(5.0), BadFrame(0, False, True))
    assert (rig.report("steering.bad_counter"), rig.report("steering.command_value")) == (1, 5.0)
    rig.step(BadFrame(0, False, True), steering(6.0))
    assert (rig.report("steering.bad_counter"), rig.report("steering.command_value")) == (0, 6.0)


def test_a_frame_of_a_type_that_is_rejected_is_a_good_one() -> None:
    rig = Rig()
    rig.step(BadFrame(1, True, False))
    rig.step(BrakeCmd(cmd=1.0, cmd_type=2, enable=True))
    assert rig.report("brake.bad_crc") == 0


@pytest.mark.parametrize("options", FIRMWARE)
@pytest.mark.parametrize(
    ("target", "codes"), [(0, (0x22, 0x23, 0x1C)), (1, (0x42, 0x43, 0x1D)), (2, (0x62, 0x63, 0x1E))]
)
def test_the_first_damaged_frame_disengages_where_the_firmware_decides(
    target: int, codes: tuple[int, int, int], options: dict
) -> None:
    for crc, counter, code in ((True, False, codes[0]), (False, True, codes[1]), (True, True, codes[0])):
        rig = enabled_rig(**options)
        rig.step(*commands(), BadFrame(target, crc, counter))
        assert (rig.report("dbw_enabled"), rig.report("system.reason_disengage")) == (0, code)
        assert (rig.report("system.reason_not_ready"), rig.report("system.state")) == (codes[2], SystemState.MANUAL)
        rig.step(*commands())
        assert rig.report("system.reason_not_ready") == 0


@pytest.mark.parametrize("target", [3, 4])
def test_of_the_ulc_and_the_gear_none_disengages(target: int) -> None:
    rig = enabled_rig(steering(), ulc(), system_sync_mode="all_or_none")
    rig.step(steering(), ulc(), BadFrame(target, True, False))
    assert rig.report("dbw_enabled") == 1
    rig.run(13, steering(), BadFrame(3, True, False))
    assert rig.report("system.reason_disengage") == ReasonDisengage.BrakeCmdTimeout


@pytest.mark.parametrize("options", NODE)
def test_where_the_node_decides_a_damaged_frame_is_lost_and_no_more(options: dict) -> None:
    rig = enabled_rig(**options)
    rig.run(30, BadFrame(0, True, False), brake(), throttle())
    assert (rig.report("dbw_enabled"), rig.report("system.state")) == (1, SystemState.ACTIVE)
    assert rig.gateway.streams.missing(0, rig.gateway.steps)


def test_it_is_told_at_most_once_a_second() -> None:
    rig = Rig()
    rig.run(240, BadFrame(0, True, True))
    assert rig.events() == [("ACRES_DBW_BAD_FRAME_STEER", "Steer command ignored with bad CRC and rolling counter")] * 2
