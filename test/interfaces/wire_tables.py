"""The wire tables: every interface with its fields and constants, in order, as the real packages have them."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
PACKAGES = ("acres_interfaces", "ds_dbw_msgs", "simulation_interfaces", "tf2_msgs")
PYTHON_NAMES = {"bool": "boolean", "float32": "float", "float64": "double"}


@dataclass(frozen=True)
class Section:
    """One message of an interface: the message itself, a request, a goal, ...

    Attributes:
        package: package of the interface.
        kind: msg, srv or action.
        name: name of the interface.
        part: message, request, response, goal, result or feedback.
        fields: (type, name, default or None), in order; types of the same package without its name.
        constants: (name, value), in order.
    """

    package: str
    kind: str
    name: str
    part: str
    fields: tuple[tuple[str, str, str | None], ...]
    constants: tuple[tuple[str, int], ...]

    def built(self) -> Any:
        """Return the built Python class."""
        interface = getattr(importlib.import_module(f"{self.package}.{self.kind}"), self.name)
        return interface if self.part == "message" else getattr(interface, self.part.capitalize())

    def python_type(self, wire: str) -> str:
        """Return the name that the built class gives to a type."""
        element, bracket, size = wire.removesuffix("]").partition("[")
        if element[0].isupper():
            element = f"{self.package}/{element}"
        element = PYTHON_NAMES.get(element, element)
        if not bracket:
            return element
        return f"{element}[{size}]" if size else f"sequence<{element}>"

    def __str__(self) -> str:
        return f"{self.package}/{self.kind}/{self.name}.{self.part}"


def _field(text: str) -> tuple[str, str, str | None]:
    declaration, _, default = text.partition(" = ")
    kind, name = declaration.split(" ")
    return kind, name, default or None


def table(package: str) -> dict[str, Any]:
    """Return the table of a package as it is on disk."""
    return json.loads((DATA / f"{package}.json").read_text())


def sections() -> list[Section]:
    """Return every section of every package."""
    found = []
    for package in PACKAGES:
        for key, parts in table(package)["types"].items():
            kind, name = key.split("/")
            for part, content in parts.items():
                fields = tuple(_field(text) for text in content["fields"])
                constants = tuple(content.get("constants", {}).items())
                found.append(Section(package, kind, name, part, fields, constants))
    return found
