"""What the package imports is what `package.xml` and `requirements/` ask for, and nothing else is asked for."""

from __future__ import annotations

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Names of rosdep for what is not a ROS package, and of the Python package index.
ROSDEP = {
    "PIL": "python3-pil",
    "matplotlib": "python3-matplotlib",
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "pyproj": "python3-pyproj",
    "yaml": "python3-yaml",
}
INDEX = {"PIL": "pillow", "yaml": "PyYAML"}
# Loaded by rclpy, by its name in the fence's environment.
MIDDLEWARE = "rmw_fastrtps_cpp"
# Come along with the message packages and rclpy, but for the generators.
ALONG = {"rcl_interfaces", "action_msgs", "builtin_interfaces", "unique_identifier_msgs"}
# Imported by the fit alone, which is a work of development: `acres calibrate` says so where it is missing.
DEVELOPMENT = {"scipy"}
# Imported by name where they are installed, by the file of the row that they serve.
BENCH = {"embreex": "tools/bench/embree.py", "small_gicp": "tools/bench/odometry.py"}


def imported(*folders: str) -> set[str]:
    """Return the top names that the files import and that come neither with Python nor with this package."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    own = {"acres_ros", *(path.stem for path in (ROOT / "examples").glob("*.py"))}
    names: set[str] = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    return names - own - DEVELOPMENT - set(sys.stdlib_module_names)


def required(name: str) -> set[str]:
    lines = (ROOT / "requirements" / name).read_text().splitlines()
    return {re.split(r"[\s<>=;\[]", line)[0] for line in lines if line.strip() and not line.startswith("#")}


def test_package_xml_asks_for_what_is_imported_and_for_nothing_else() -> None:
    tree = ElementTree.parse(ROOT / "package.xml")
    wanted = {MIDDLEWARE}
    for name in imported("acres_ros", "launch", "examples"):
        generator = name.startswith("rosidl_")
        wanted.add("rosidl_default_generators" if generator else ROSDEP.get(name, name))
    assert {element.text for element in tree.iter("exec_depend")} == wanted


def test_the_requirements_are_what_is_imported_and_nothing_else() -> None:
    names = imported("acres_ros", "examples")
    assert required("runtime.txt") == {INDEX.get(name, name) for name in names if name in ROSDEP}
    files = ("constraints.txt", "constraints-ros.txt")
    lines = [line for name in files for line in (ROOT / "requirements" / name).read_text().splitlines()]
    pins = {line.partition("==")[0].lower() for line in lines}
    assert {name.lower() for name in required("runtime.txt") | required("dev.txt")} <= pins


def test_packages_of_development_are_imported_by_the_fit_alone() -> None:
    for name in DEVELOPMENT:
        wanted = re.compile(rf"^\s*(from|import) {name}\b", re.MULTILINE)
        files = [path for path in (ROOT / "acres_ros").rglob("*.py") if wanted.search(path.read_text())]
        assert [path.relative_to(ROOT / "acres_ros").as_posix() for path in files] == ["tools/calibrate/fit.py"]
        assert name in required("dev.txt")


def test_the_packages_of_ros_are_those_that_are_imported() -> None:
    built_here = {path.name for path in (ROOT / "msg").iterdir()}
    names = imported("acres_ros", "examples") - set(ROSDEP) - built_here
    asked = {name.removeprefix("ros-jazzy-").replace("-", "_") for name in required("ros.txt")}
    assert {name for name in names if not name.startswith("rosidl_")} - ALONG == asked - {MIDDLEWARE}


@pytest.mark.parametrize("name", BENCH)
def test_a_package_of_the_benchmarks_is_pinned_and_imported_by_its_row_alone(name: str) -> None:
    assert required("bench.txt") == set(BENCH)
    assert name not in imported("acres_ros", "examples")
    files = [path for path in (ROOT / "acres_ros").rglob("*.py") if f'"{name}' in path.read_text()]
    assert [path.relative_to(ROOT / "acres_ros").as_posix() for path in files] == [BENCH[name]]
