"""The tables of topics, services and parameters of the README, made from the tables that the nodes use.

`python -m acres_ros.nodes.interface_tables README.md` writes them between their markers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from acres_ros.errors import AcresError
from acres_ros.nodes import (
    entity_control,
    farm_control,
    fault_control,
    gnss_control,
    simulation_control,
    snapshot_control,
    spawn_control,
    step_control,
    vehicle_control,
    world_control,
)
from acres_ros.nodes.commands import COMMAND_TOPICS
from acres_ros.nodes.parameter_table import PHYSICS_PARAMETERS, VEHICLE_PARAMETERS
from acres_ros.nodes.topics import EVERY_STEP, LATCHED, TOPICS, full_name

SERVICES = (
    *simulation_control.SERVICES,
    *vehicle_control.SERVICES,
    simulation_control.ACTION,
    *step_control.SERVICES,
    *world_control.SERVICES,
    *entity_control.SERVICES,
    *spawn_control.SERVICES,
    *farm_control.SERVICES,
    *gnss_control.SERVICES,
    *fault_control.SERVICES,
    *snapshot_control.SERVICES,
)


class MarkerError(AcresError):
    """A file without the place for a table."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(f"{path} has no lines <!-- {name} --> and <!-- end {name} -->; add them where it belongs")


def tables() -> dict[str, str]:
    """Return each table as Markdown, by name."""
    return {"topics": _topics(), "commands": _commands(), "services": _services(), "parameters": _parameters()}


def written(text: str, path: Path) -> str:
    """Return the text of a file with every table between its markers.

    Raises:
        MarkerError: a marker is missing.
    """
    for name, table in tables().items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        text, count = pattern.subn(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
        if count != 1:
            raise MarkerError(path, name)
    return text


def _topics() -> str:
    def rate(hz: float) -> str:
        return {EVERY_STEP: "each step", LATCHED: "once, latched"}.get(hz, f"{hz:g} Hz")

    return _markdown(
        ("topic", "type", "depth", "rate (`acres`)", "rate (`vehicle`)", "what"),
        (
            (
                f"`{full_name(topic, '')}`",
                _type(topic.type),
                str(topic.depth),
                rate(topic.acres_hz),
                rate(topic.vehicle_hz),
                topic.description,
            )
            for topic in TOPICS
        ),
    )


def _commands() -> str:
    return _markdown(
        ("topic", "type", "depth"),
        ((f"`/{topic.name}`", _type(topic.type), str(topic.depth)) for topic in COMMAND_TOPICS),
    )


def _services() -> str:
    return _markdown(
        ("service or action", "type", "what"),
        ((f"`{s.name}`", _type(s.type), s.description) for s in SERVICES),
    )


def _parameters() -> str:
    rows = []
    for node, table in (("acres_physics", PHYSICS_PARAMETERS), ("acres_vehicle", VEHICLE_PARAMETERS)):
        for parameter in table:
            rows.append((node, f"`{parameter.name}`", f"`{parameter.default!r}`", parameter.description))
    return _markdown(("node", "parameter", "default", "what"), rows)


def _type(ros_type: type) -> str:
    package = ros_type.__module__.split(".")[0]
    return f"{package}/{ros_type.__name__}"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables into a file."""
    path = Path((arguments or sys.argv)[1])
    path.write_text(written(path.read_text(encoding="utf-8"), path), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
