"""Declare and read the parameters of a node from its table."""

from __future__ import annotations

from collections.abc import Iterable

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from acres_ros.nodes.parameter_table import NodeParameter, NodeParameterError, Value, check


def read_parameters(node: Node, table: Iterable[NodeParameter]) -> dict[str, Value]:
    """Declare the parameters read-only and return their checked values.

    Raises:
        NodeParameterError: a value of the wrong type or outside its range, or a parameter that the table lacks.
    """
    table = tuple(table)
    known = {parameter.name for parameter in table} | {"use_sim_time", "start_type_description_service"}
    for name in sorted(node._parameter_overrides):  # noqa: SLF001 - rclpy has no public list of undeclared overrides
        if name not in known and not name.startswith("qos_overrides."):
            raise NodeParameterError(name, node._parameter_overrides[name].value, f"one of {', '.join(sorted(known))}")  # noqa: SLF001
    values = {}
    for parameter in table:
        # Dynamic typing lets `rate:=1` through; the type is checked here, in our words.
        descriptor = ParameterDescriptor(description=parameter.description, read_only=True, dynamic_typing=True)
        value = node.declare_parameter(parameter.name, parameter.default, descriptor).value
        values[parameter.name] = check(parameter, value)
    return values
