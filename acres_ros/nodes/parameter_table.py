"""The parameters of the two nodes: one table for the nodes, `config/acres.yaml`, the launch file and the README."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from acres_ros.core.agent_names import AGENT_NAME, FIRST_VEHICLE
from acres_ros.errors import UsageError

Value = bool | int | float | str
# What acres_physics logs when the vehicle can be driven, and what starts it waits for.
READY_TEXT = "the stand-in is ready"
PHYSICS_NODE, VEHICLE_NODE = "acres_physics", "acres_vehicle"
"""Names of the nodes, and of their programs."""


class NodeParameter(NamedTuple):
    """One parameter.

    Attributes:
        name: parameter name.
        default: default value; its type is the type of the parameter.
        description: what it does, with unit.
        choices: allowed values; empty for any.
        lowest: least value of a number.
        highest: largest value of a number.
        pattern: regular expression for the whole of a text that is not empty; empty for any.
    """

    name: str
    default: Value
    description: str
    choices: tuple[str, ...] = ()
    lowest: float | None = None
    pattern: str = ""
    highest: float | None = None


AGENT = NodeParameter(
    "agent",
    "",
    "name of the vehicle; empty: the real topic names, else everything below /<agent>",
    pattern=AGENT_NAME,
)
MOST_AGENTS = 8
OUTSIDE_FENCE = NodeParameter(
    "outside_fence",
    "",
    "the sentence that lets a node run outside the fence (docs/fence.md); for nodes alone",
)

PHYSICS_PARAMETERS = (
    AGENT,
    NodeParameter("world", "farm", "where to drive: farm, yard (level lot, field, grass), flat, or a folder of files"),
    NodeParameter("crop_season", "2026", "crop plan of the farm: crops_<season>.json; legacy: crops of fields.json"),
    NodeParameter("growth", 1.0, "growth of the crops, 0 to 1", (), 0.0, highest=1.0),
    NodeParameter(
        "place", "", "named place where the vehicle starts and returns at a reset; empty: the first of the world"
    ),
    NodeParameter("gear", "P", "gear at the start", ("P", "R", "N", "H", "L")),
    NodeParameter("drive_mode", "awd", "AWD switch at the start", ("awd", "2wd", "turf")),
    NodeParameter("occupants", 2, "persons in the vehicle, 80 kg each", (), 0),
    NodeParameter("stop_on_collision", False, "an obstacle brings the vehicle to rest; else touching it is only told"),
    NodeParameter("seed", 42, "of every random stream: sensor errors and the noise of the LiDAR", (), 0),
    NodeParameter(
        "agents",
        1,
        "vehicles in the world, each with its own topics, sensors and seeds; the further ones start beside the first",
        (),
        1,
        highest=MOST_AGENTS,
    ),
    NodeParameter(
        "agent_names",
        "",
        "names of the further vehicles, with commas between them; empty: agent_1, agent_2, ...",
        pattern=rf"{AGENT_NAME}(,{AGENT_NAME})*",
    ),
    NodeParameter("agent_index", 0, "number of the first vehicle, which the others follow: seeds of its own", (), 0),
    NodeParameter("marks", True, "the vehicle leaves ruts and crushed crop"),
    NodeParameter(
        "lidar",
        "auto",
        "when the LiDAR scans: auto while somebody reads its topic, on always, off never",
        ("auto", "on", "off"),
    ),
    NodeParameter("vehicle_file", "", "parameter file of the vehicle; empty: config/polaris.json"),
    NodeParameter("sensors_file", "", "file of the sensors; empty: config/sensors_polaris.json"),
    NodeParameter("snapshot_folder", "snapshots", "where snapshots without an absolute path are"),
    NodeParameter("rate", 1.0, "seconds of simulation for a second of wall time in free run; 0: no waiting", (), 0.0),
    NodeParameter("paused", False, "start paused, for lockstep"),
    NodeParameter("composed", False, "run acres_vehicle in the process of acres_physics"),
    NodeParameter(
        "system_sync_mode",
        "none",
        "who manages the enable state: none, disengages: the node; the others: the firmware",
        ("none", "disengages", "all_or_none", "all_or_none_with_btn", "partial", "partial_with_btn"),
    ),
    NodeParameter("latched_overrides", False, "overrides latch until a command with clear, as on the real vehicle"),
    NodeParameter(
        "override_throttle_pct",
        0.0,
        "the driver overrides above this percentage of the accelerator pedal; 0: at every touch",
        (),
        0.0,
        highest=100.0,
    ),
    NodeParameter(
        "override_brake_bar",
        0.0,
        "the driver overrides above this pressure of the foot, bar; 0: at every touch",
        (),
        0.0,
        highest=200.0,
    ),
    NodeParameter(
        "watchdog",
        "double",
        "precision of the ages of commands: double releases at step 13 after the last one, single at 12 like the game",
        ("double", "single"),
    ),
    NodeParameter(
        "disable_when_client_leaves",
        True,
        "in free run, disable the system when the last publisher of commands has gone",
    ),
    NodeParameter("nan_policy", "refuse", "what a NaN command does: refuse it, or act as zero", ("refuse", "zero")),
    OUTSIDE_FENCE,
)

VEHICLE_PARAMETERS = (
    AGENT,
    NodeParameter("rate_profile", "acres", "rates of the reports", ("acres", "vehicle")),
    NodeParameter("publish_clock", True, "publish /clock; off for co-simulation"),
    NodeParameter(
        "nan_by_type", True, "NaN in report fields that do not belong to the reported cmd_type, as the real node"
    ),
    NodeParameter("can_resolution", False, "round report values to the resolution of the CAN frames"),
    NodeParameter("topics_file", "", "names, frames and rates of the INS and the frames; empty: config/topics.yaml"),
    OUTSIDE_FENCE,
)


class NodeParameterError(UsageError):
    """A node parameter with a value that it cannot have."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        super().__init__(f"parameter {name} = {given!r} is refused: wanted {wanted}")


def further_agents(values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the names of the vehicles beside the first.

    Args:
        values: checked parameters; those that are missing have their defaults.

    Raises:
        NodeParameterError: other names than vehicles, or a name that another vehicle has.
    """
    count = int(values.get("agents", 1))
    text = str(values.get("agent_names", ""))
    if not text:
        names = tuple(f"agent_{number}" for number in range(1, count))
    else:
        names = tuple(text.split(","))
        if len(names) != count - 1:
            wanted = f"{count - 1} names, one for each of the vehicles but the first: agents is {count}"
            raise NodeParameterError("agent_names", text, wanted)
    taken = {FIRST_VEHICLE if not values.get("agent") else str(values["agent"])}
    for name in names:
        if name in taken:
            raise NodeParameterError("agent_names", text or name, f"names that differ, and not {name!r} twice")
        taken.add(name)
    return names


def check(parameter: NodeParameter, value: object) -> Value:
    """Return the value as the type of the default; a whole number passes as a float.

    Raises:
        NodeParameterError: the value has another type, is not one of the choices does not match the pattern or
            is out of range.
    """
    wanted = type(parameter.default)
    # rcl holds integers of 64 bits, and drops a larger one without a word.
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise NodeParameterError(parameter.name, value, "a number of 64 bits")
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise NodeParameterError(parameter.name, value, f"a {wanted.__name__}")
    if parameter.choices and value not in parameter.choices:
        raise NodeParameterError(parameter.name, value, f"one of {', '.join(parameter.choices)}")
    if parameter.pattern and value and not re.fullmatch(parameter.pattern, str(value)):
        raise NodeParameterError(parameter.name, value, f"nothing, or a name like {parameter.pattern}")
    if parameter.lowest is not None and not parameter.lowest <= value < float("inf"):
        raise NodeParameterError(parameter.name, value, f"a finite number, at least {parameter.lowest:g}")
    if parameter.highest is not None and value > parameter.highest:
        raise NodeParameterError(parameter.name, value, f"{parameter.highest:g} at most")
    return value
