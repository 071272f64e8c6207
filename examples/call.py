"""Call a service from the shell, as `ros2 service call` does, which the wheels have not: NAME [REQUEST in YAML].

./acres run python3 examples/call.py /acres/set_gnss "{state: none, duration_s: 20.0}"
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import Any

os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"  # before any message is there: a wrong type would abort the program
import rclpy
import yaml
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

USUAL_S, WAIT_S = 0.5, 10.0


class _Loader(yaml.SafeLoader):
    """Takes the name of every field as a text: `on` is one, which YAML 1.1 would take for true."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping by the names as they stand."""
        return {key.value: self.construct_object(value, deep=deep) for key, value in node.value}


def filled(message: Any, values: dict[str, Any]) -> Any:
    """Return a message whose fields are set from a mapping of plain values; fields that it does not name stay."""
    kinds = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    for name, value in values.items():
        if name not in kinds:
            raise SystemExit(f"{type(message).__name__} has no {name!r}: wanted {' or '.join(kinds) or 'nothing'}")
        if isinstance(value, dict):
            filled(getattr(message, name), value)
            continue
        if isinstance(value, list):
            value = [_element(getattr(kinds[name], "value_type", None), element) for element in value]
        if isinstance(value, int) and isinstance(getattr(message, name), float):
            value = float(value)
        try:
            setattr(message, name, value)
        except (AssertionError, TypeError, ValueError) as error:
            raise SystemExit(f"{name} = {value!r}: {error}") from None
    return message


def _element(kind: Any, value: Any) -> Any:
    """Return an element of a list: a message, a number or a text."""
    if isinstance(value, dict):
        return filled(getattr(importlib.import_module(".".join(kind.namespaces)), kind.name)(), value)
    return float(value) if getattr(kind, "typename", "") in ("float", "double") else value


def service_type(node: Node, name: str) -> Any:
    """Return the class of a service that somebody offers, waiting for it a while."""
    begin, said = time.monotonic(), False
    while (waited := time.monotonic() - begin) < WAIT_S:
        if waited > USUAL_S and not said:
            said = True
            print(f"waiting for {name}, {WAIT_S:g} s at most", file=sys.stderr, flush=True)
        for found, kinds in node.get_service_names_and_types():
            if found == name:
                package, folder, kind = kinds[0].split("/")
                return getattr(importlib.import_module(f"{package}.{folder}"), kind)
        time.sleep(0.1)
    raise SystemExit(f"nobody offers the service {name} within {WAIT_S:g} s: is the stand-in up?")


def succeeded(answer: Any) -> bool:
    """Tell whether an answer says that it was done: `success`, or the result of `simulation_interfaces`."""
    result = getattr(answer, "result", None)
    return bool(getattr(answer, "success", result is None or result.result == result.RESULT_OK))


def main() -> int:
    """Call it, print the answer, and return 0 when it was done."""
    if len(sys.argv) not in (2, 3):
        raise SystemExit(f"usage: call.py NAME [REQUEST]; {__doc__.splitlines()[0]}")
    try:
        request = yaml.load(sys.argv[2], _Loader) if len(sys.argv) > 2 else {}  # noqa: S506  # a safe one
    except yaml.YAMLError as error:
        raise SystemExit(f"the request is no YAML: {error}") from None
    if not isinstance(request, dict):
        raise SystemExit(f"the request is {request!r}: wanted one such as {{steps: 12}}")
    rclpy.init()
    node = rclpy.create_node("call")
    kind = service_type(node, sys.argv[1])
    client = node.create_client(kind, sys.argv[1])
    client.wait_for_service(WAIT_S)
    future = client.call_async(filled(kind.Request(), request))
    while not future.done():  # some requests take minutes, such as many steps
        rclpy.spin_until_future_complete(node, future, timeout_sec=1.0)
        if not future.done() and not client.service_is_ready():
            raise SystemExit(f"whoever offered {sys.argv[1]} has gone without an answer")
    print(future.result())
    return 0 if succeeded(future.result()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, ExternalShutdownException):
        sys.exit(130)
