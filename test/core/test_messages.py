"""The plain messages and enumerations, against the message files of `ds_dbw_msgs`."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest

from acres_ros.core import messages

FOLDER = Path(__file__).parents[2] / "msg" / "ds_dbw_msgs" / "msg"


def read(name: str) -> tuple[list[str], dict[str, int]]:
    """Return the field names, without the header, and the constants of a message file."""
    path = next(FOLDER.rglob(f"{name}.msg"))
    fields, constants = [], {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if constant := re.fullmatch(r"\w+\s+(\w+)\s*=\s*(\d+)", line):
            constants[constant[1]] = int(constant[2])
        elif line and not line.startswith("std_msgs/Header"):
            fields.append(line.split()[1])
    return fields, constants


@pytest.mark.parametrize(
    "message",
    [
        messages.SteeringCmd,
        messages.BrakeCmd,
        messages.ThrottleCmd,
        messages.UlcCmd,
        messages.GearCmd,
        messages.TurnSignalCmd,
        messages.DriveModeCmd,
        messages.MiscCmd,
    ],
)
def test_the_fields_are_those_of_the_ros_message_in_its_order(message):
    assert list(message._fields) == read(message.__name__)[0]


@pytest.mark.parametrize(
    ("enumeration", "name"),
    [
        (messages.Gear, "Gear"),
        (messages.GearReject, "GearReject"),
        (messages.SystemState, "SystemState"),
        (messages.SystemSyncMode, "SystemSyncMode"),
        (messages.TurnSignal, "TurnSignal"),
        (messages.DriveModeSetting, "DriveMode"),
        (messages.AwdMode, "AwdMode"),
        (messages.DiffLock, "DiffLock"),
        (messages.PrkBrkCmd, "PrkBrkCmd"),
        (messages.DoorSelect, "DoorSelect"),
        (messages.DoorCmd, "DoorCmd"),
    ],
)
def test_an_enumeration_has_the_names_and_values_of_its_message(enumeration: type[IntEnum], name: str):
    assert {member.name: int(member) for member in enumeration} == read(name)[1]


@pytest.mark.parametrize(
    ("enumeration", "name"),
    [
        (messages.SteeringType, "SteeringCmd"),
        (messages.BrakeType, "BrakeCmd"),
        (messages.ThrottleType, "ThrottleCmd"),
        (messages.UlcType, "UlcCmd"),
    ],
)
def test_the_command_types_have_the_values_of_their_message(enumeration: type[IntEnum], name: str):
    wanted = {key.removeprefix("CMD_"): value for key, value in read(name)[1].items() if key.startswith("CMD_")}
    wanted.pop("ACCEL_PASSIVE", None)  # a value of cmd, not a type
    assert {member.name: int(member) for member in enumeration} == wanted


def test_the_command_sources_are_those_of_their_message():
    constants = read("CmdSrc")[1]
    assert {member.name: int(member) for member in messages.CmdSrc} == {
        "USER": constants["USER"],
        "ULC": constants["ULC"],
    }
