"""Type hashes worked out from the wire tables, apart from the generators.

Source: ROS Enhancement Proposal 2016, ROS 2 Interface Type Descriptions, section Type Hash: SHA-256 of the JSON form of
the type description and of all that it refers to, sorted by name.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from wire_tables import sections

# type_description_interfaces/msg/FieldType
NESTED = 1
TYPE_IDS = {
    "int8": 2, "uint8": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9,
    "float32": 10, "float64": 11, "bool": 15, "string": 17,
}  # fmt: skip
ARRAY = 48
BOUNDED_SEQUENCE = 96
UNBOUNDED_SEQUENCE = 144

# The distribution's messages that ours refer to.
COMMON = {
    "builtin_interfaces/msg/Time": ["int32 sec", "uint32 nanosec"],
    "builtin_interfaces/msg/Duration": ["int32 sec", "uint32 nanosec"],
    "std_msgs/msg/Header": ["builtin_interfaces/Time stamp", "string frame_id"],
    "geometry_msgs/msg/Vector3": ["float64 x", "float64 y", "float64 z"],
    "geometry_msgs/msg/Point": ["float64 x", "float64 y", "float64 z"],
    "geometry_msgs/msg/Quaternion": ["float64 x = 0", "float64 y = 0", "float64 z = 0", "float64 w = 1"],
    "geometry_msgs/msg/Pose": ["Point position", "Quaternion orientation"],
    "geometry_msgs/msg/PoseStamped": ["std_msgs/Header header", "Pose pose"],
    "geometry_msgs/msg/Twist": ["Vector3 linear", "Vector3 angular"],
    "geometry_msgs/msg/Accel": ["Vector3 linear", "Vector3 angular"],
    "geometry_msgs/msg/Transform": ["Vector3 translation", "Quaternion rotation"],
    "geometry_msgs/msg/TransformStamped": ["std_msgs/Header header", "string child_frame_id", "Transform transform"],
    "service_msgs/msg/ServiceEventInfo": [
        "uint8 event_type",
        "builtin_interfaces/Time stamp",
        "uint8[16] client_gid",
        "int64 sequence_number",
    ],
}

Field = tuple[str, dict[str, Any]]


def _field_type(package: str, wire: str) -> dict[str, Any]:
    element, offset, capacity = wire, 0, 0
    if wire.endswith("[]"):
        element, offset = wire[:-2], UNBOUNDED_SEQUENCE
    elif wire.endswith("[<=1]"):
        element, offset, capacity = wire[:-5], BOUNDED_SEQUENCE, 1
    elif wire.endswith("]"):
        element, _, size = wire[:-1].partition("[")
        offset, capacity = ARRAY, int(size)
    nested = ""
    if element not in TYPE_IDS:
        parts = element.split("/")
        nested = element if len(parts) == 3 else f"{parts[0] if len(parts) == 2 else package}/msg/{parts[-1]}"
    identifier = (NESTED if nested else TYPE_IDS[element]) + offset
    return {"type_id": identifier, "capacity": capacity, "string_capacity": 0, "nested_type_name": nested}


def descriptions() -> dict[str, list[Field]]:
    """Return the fields of every type by full name: the common ones, ours, and those that services are made of."""
    types: dict[str, list[Field]] = {}

    def add(name: str, fields: list[tuple[str, str]]) -> None:
        # An empty structure has one member on the wire.
        fields = fields or [("uint8", "structure_needs_at_least_one_member")]
        types[name] = [(field, _field_type(name.split("/")[0], wire)) for wire, field in fields]

    for name, texts in COMMON.items():
        add(name, [(text.split(" ")[0], text.split(" ")[1]) for text in texts])
    for section in sections():
        name = f"{section.package}/{section.kind}/{section.name}"
        fields = [(wire, field) for wire, field, _ in section.fields]
        if section.kind == "msg":
            add(name, fields)
        elif section.kind == "srv":
            add(f"{name}_{section.part.capitalize()}", fields)
            event = [("service_msgs/msg/ServiceEventInfo", "info")]
            event += [(f"{name}_{part.capitalize()}[<=1]", part) for part in ("request", "response")]
            add(f"{name}_Event", event)
            parts = [(f"{name}_{part.capitalize()}", f"{part}_message") for part in ("request", "response", "event")]
            add(name, parts)
    return types


def _individual(name: str, fields: list[Field]) -> dict[str, Any]:
    return {"type_name": name, "fields": [{"name": field, "type": kind} for field, kind in fields]}


def type_hash(name: str, types: dict[str, list[Field]]) -> str:
    """Return the hash of one type.

    Args:
        name: full name, such as `ds_dbw_msgs/msg/Gear`.
        types: fields of it and of everything that it refers to.
    """
    needed: set[str] = set()
    queue = [name]
    while queue:
        for _, kind in types[queue.pop()]:
            nested = kind["nested_type_name"]
            if nested and nested not in needed:
                needed.add(nested)
                queue.append(nested)
    text = json.dumps(
        {
            "type_description": _individual(name, types[name]),
            "referenced_type_descriptions": [_individual(other, types[other]) for other in sorted(needed)],
        },
        separators=(", ", ": "),
    )
    return f"RIHS01_{hashlib.sha256(text.encode()).hexdigest()}"
