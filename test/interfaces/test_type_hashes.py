"""The type hashes are those of the distribution's packages, in the files and on the wire."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from type_hash import descriptions, type_hash
from wire_tables import PACKAGES, table

from acres_ros import fence

TYPES = descriptions()
# Advertised by the drivers of the real vehicle.
STEERING_REPORT = "RIHS01_26e49b3e3177157483cb9434a3f31902ed86e2cfc7728590fccddaee2bb1a4f4"
KEYS = [(package, key) for package in PACKAGES for key in table(package)["types"]]
WORKED_OUT = [(package, key) for package, key in KEYS if not key.startswith("action/")]

ADVERTISED = """
import importlib, json, sys
import rclpy
rclpy.init()
node = rclpy.create_node("hashes")
result = {}
for number, name in enumerate(json.loads(sys.stdin.read())):
    package, kind, stem = name.split("/")
    interface = getattr(importlib.import_module(f"{package}.{kind}"), stem)
    node.create_publisher(interface, f"topic_{number}", 1)
    result[name] = str(node.get_publishers_info_by_topic(f"/topic_{number}")[0].topic_type_hash)
print(json.dumps(result))
rclpy.shutdown()
"""


def installed_hash(package: str, key: str) -> str:
    """Return the hash in the installed type description."""
    module = importlib.import_module(package)
    prefix = Path(str(module.__file__)).parents[4]
    description = json.loads((prefix / "share" / package / f"{key}.json").read_text())
    hashes = {entry["type_name"]: entry["hash_string"] for entry in description["type_hashes"]}
    return hashes[f"{package}/{key}"]


@pytest.mark.parametrize(("package", "key"), WORKED_OUT, ids=lambda value: value)
def test_installed_hash_is_the_one_worked_out_from_the_table(package: str, key: str) -> None:
    assert installed_hash(package, key) == type_hash(f"{package}/{key}", TYPES)


def test_hash_of_the_steering_report() -> None:
    assert type_hash("ds_dbw_msgs/msg/SteeringReport", TYPES) == STEERING_REPORT


def test_a_changed_field_changes_the_hash() -> None:
    changed = dict(TYPES)
    fields = list(TYPES["ds_dbw_msgs/msg/WheelSpeeds"])
    fields[1], fields[2] = fields[2], fields[1]
    changed["ds_dbw_msgs/msg/WheelSpeeds"] = fields
    name = "ds_dbw_msgs/msg/WheelSpeeds"
    assert type_hash(name, changed) != type_hash(name, TYPES)


def test_advertised_hashes_are_the_installed_ones(domain: int) -> None:
    names = [f"{package}/{key}" for package, key in KEYS if key.startswith("msg/")]
    result = subprocess.run(
        [sys.executable, "-c", ADVERTISED],
        input=json.dumps(names),
        env=fence.environment(os.environ, domain=domain),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    advertised = json.loads(result.stdout.splitlines()[-1])
    assert len(advertised) == 72 + 15 + 2 + 6
    assert advertised == {name: installed_hash(*name.split("/", 1)) for name in names}
