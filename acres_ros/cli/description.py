"""Which processes make the stand-in, with which parameters: one description for `./acres up` and the launch file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acres_ros.nodes.parameter_table import (
    AGENT,
    OUTSIDE_FENCE,
    PHYSICS_NODE,
    PHYSICS_PARAMETERS,
    VEHICLE_NODE,
    VEHICLE_PARAMETERS,
    NodeParameter,
    NodeParameterError,
    Value,
    check,
    further_agents,
)

PARAMETER_FILE = "acres.yaml"
TABLES = {PHYSICS_NODE: PHYSICS_PARAMETERS, VEHICLE_NODE: VEHICLE_PARAMETERS}


@dataclass(frozen=True)
class ProcessDescription:
    """One process.

    Attributes:
        executable: name of the executable, and of its main node.
        module: Python module with its `main`.
        namespace: of its node; empty for the processes of the first vehicle.
        parameters: node, parameter and value of all that differs from the parameter file.
    """

    executable: str
    module: str
    parameters: tuple[tuple[str, str, Value], ...]
    namespace: str = ""

    @property
    def name(self) -> str:
        """Return what to call the process: its executable, and whose it is."""
        return f"{self.executable} {self.namespace}".strip()

    def ros_arguments(self, parameter_file: Path) -> list[str]:
        """Return the ROS arguments, without `--ros-args` itself."""
        arguments = ["--params-file", str(parameter_file)]
        if self.namespace:
            arguments += ["-r", f"__ns:=/{self.namespace}"]
        for node, name, value in self.parameters:
            # With a node before it a parameter is one of a node without a namespace.
            arguments += ["-p", f"{name if self.namespace else f'{node}:{name}'}:={json.dumps(value)}"]
        return arguments


def launch_parameters() -> tuple[NodeParameter, ...]:
    """Return what `acres up` and the launch file take: every parameter of the nodes once, in the order of the tables.

    `outside_fence` is not among them: both put the nodes inside the fence, whatever the parameter says.
    """
    parameters = {parameter.name: parameter for table in TABLES.values() for parameter in table}
    return tuple(parameter for parameter in parameters.values() if parameter != OUTSIDE_FENCE)


def processes(values: Mapping[str, Value]) -> list[ProcessDescription]:
    """Return the processes of a stand-in.

    Args:
        values: parameters by name that differ from the parameter file; each goes to every node that has it.

    Raises:
        NodeParameterError: a value that its parameter cannot have, or names of agents that are none.
    """
    chosen = {
        node: tuple((node, p.name, check(p, values[p.name])) for p in table if p.name in values)
        for node, table in TABLES.items()
    }
    physics, vehicle = chosen[PHYSICS_NODE], chosen[VEHICLE_NODE]
    further = further_agents(values)
    if values.get("composed"):
        return [ProcessDescription(PHYSICS_NODE, "acres_ros.nodes.physics_program", physics + vehicle)]
    return [
        ProcessDescription(PHYSICS_NODE, "acres_ros.nodes.physics_program", physics),
        ProcessDescription(VEHICLE_NODE, "acres_ros.nodes.vehicle_program", vehicle),
        *(
            ProcessDescription(VEHICLE_NODE, "acres_ros.nodes.vehicle_program", _of(name, vehicle), name)
            for name in further
        ),
    ]


def _of(name: str, parameters: tuple[tuple[str, str, Value], ...]) -> tuple[tuple[str, str, Value], ...]:
    """Return the parameters of another vehicle's node, from those of the first one's."""
    own = tuple(parameter for parameter in parameters if parameter[1] != AGENT.name)
    return ((VEHICLE_NODE, AGENT.name, name), *own)


def parsed(parameter: NodeParameter, text: str) -> Value:
    """Return the value that a launch argument spells.

    Raises:
        NodeParameterError: the text is not a value of the parameter's type.
    """
    kind = type(parameter.default)
    try:
        value = {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise NodeParameterError(parameter.name, text, f"a {kind.__name__}") from None
    return check(parameter, value)
