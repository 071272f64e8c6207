"""The layers of the package: what may import what (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "acres_ros"
LAYERS = ("models", "world", "core", "episode", "tools", "nodes", "cli")
"""From the bottom to the top."""

FREE = {"_cache", "_compile", "_compiled", "_digest", "_program", "_record", "errors", "locations", ""}
"""Modules beside the layers, and the package itself, that every layer but the fence may import."""

ROS = {"rclpy", "std_msgs", "geometry_msgs", "nav_msgs", "sensor_msgs", "tf2_msgs", "rosgraph_msgs", "diagnostic_msgs"}
ROS |= {"ds_dbw_msgs", "acres_interfaces", "simulation_interfaces", "launch", "launch_ros", "builtin_interfaces"}
ROS_LAYERS = {"nodes", "cli"}
ROS_EXCEPTIONS = {"fence/probe.py": "looks at the graph of a domain, to refuse where somebody else publishes"}


class Use(NamedTuple):
    """One module that a file names: the file, the line, the dotted name."""

    file: str
    line: int
    name: str


def uses(text: str, file: str) -> Iterator[Use]:
    """Yield what a source imports, by statement or by a string that is a module of this package."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(["acres_ros", *file.split("/")[: -node.level]]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("acres_ros."):
            names = [node.value] if node.value.replace(".", "").isidentifier() else []
        else:
            continue
        yield from (Use(file, node.lineno, name) for name in names)


def layer_of(file: str) -> str:
    return file.split("/")[0] if "/" in file else ""


def target_of(name: str) -> str:
    """Return the layer, or the module beside the layers, of a name in this package."""
    first = name.split(".")[1] if "." in name else ""
    return first if (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file() else ""


def broken(text: str, file: str) -> list[str]:
    """Return the rules that a source breaks, in words."""
    found = []
    layer = layer_of(file)
    for use in uses(text, file):
        where = f"{file}:{use.line}: {use.name}"
        if use.name.split(".")[0] in ROS and layer not in ROS_LAYERS and file not in ROS_EXCEPTIONS:
            found.append(f"{where}: ROS belongs to {sorted(ROS_LAYERS)}")
        if use.name.split(".")[0] != "acres_ros":
            continue
        target = target_of(use.name)
        if layer == "fence" and target not in {"fence", "_program", "errors"}:
            found.append(f"{where}: the fence imports errors and the start of programs only")
        elif layer == "" and target not in FREE:
            found.append(f"{where}: a module beside the layers imports none of them")
        elif layer in LAYERS and target in LAYERS and LAYERS.index(target) > LAYERS.index(layer):
            found.append(f"{where}: {target} lies above {layer}")
        elif layer in LAYERS and layer not in ROS_LAYERS and target == "fence":
            found.append(f"{where}: the fence is the nodes' and the command line's")
    return found


SOURCES = [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]


@pytest.mark.parametrize("file", SOURCES)
def test_imports_point_down_only(file: str) -> None:
    assert broken((PACKAGE / file).read_text(encoding="utf-8"), file) == []


def test_every_folder_is_a_layer() -> None:
    assert {layer_of(file) for file in SOURCES} <= {*LAYERS, "fence", ""}


@pytest.mark.parametrize(
    ("file", "source", "word"),
    [
        ("core/a.py", "from acres_ros.nodes.topics import TOPICS", "nodes lies above core"),
        ("core/a.py", "from acres_ros import nodes", "nodes lies above core"),
        ("core/a.py", "from ..nodes import topics", "nodes lies above core"),
        ("tools/bench/a.py", "NAME = 'acres_ros.nodes.physics'", "nodes lies above tools"),
        ("models/a.py", "import acres_ros.core.clock", "core lies above models"),
        ("core/a.py", "import rclpy", "ROS belongs to"),
        ("fence/a.py", "from acres_ros.core.clock import STEP_S", "errors and the start of programs only"),
        ("_record.py", "from acres_ros.models.state import VEHICLE", "beside the layers"),
        ("core/a.py", "from acres_ros import fence", "the fence is"),
    ],
)
def test_what_points_up_is_found(file: str, source: str, word: str) -> None:
    assert len(found := broken(source, file)) == 1
    assert word in found[0]
