"""The interface builder: a package from its folder to a working import, and what it refuses."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from acres_ros.tools import interfaces
from acres_ros.tools.interfaces import compile as compiling
from acres_ros.tools.interfaces.__main__ import main

PACKAGE_XML = """<?xml version="1.0"?>
<package format="3">
  <name>{name}</name>
  <version>1.2.3</version>
  <depend>{depend}</depend>
</package>
"""


def write_package(folder: Path, name: str = "acres_probe", depend: str = "std_msgs") -> Path:
    """Write a package with one message in a sub-folder and one service; return its folder."""
    package = folder / name
    (package / "msg/inner").mkdir(parents=True)
    (package / "srv").mkdir()
    (package / "package.xml").write_text(PACKAGE_XML.format(name=name, depend=depend))
    (package / "msg/inner/Reading.msg").write_text("uint8 LOW = 3\nstd_msgs/Header header\nfloat32[] values\n")
    (package / "srv/Read.srv").write_text("---\nReading reading\n")
    return package


def prefixes(target: Path) -> interfaces.Prefixes:
    return interfaces.Prefixes.of_environment(target)


def test_a_package_is_built_imported_used_and_then_left_alone(tmp_path: Path) -> None:
    write_package(tmp_path / "source")
    packages = interfaces.find_packages(tmp_path / "source")
    target = prefixes(tmp_path / "prefix")
    lines: list[str] = []
    assert interfaces.build_packages(packages, target, report=lines.append) == ["acres_probe"]
    assert lines[0] == "[1/1] acres_probe: 2 interfaces"
    assert all("acres_probe: " in line and line.endswith(" s)") for line in lines[1:])
    assert interfaces.build_packages(packages, target, report=lines.append) == []
    # In a process of its own, with nothing but PYTHONPATH, over the middleware's serialisation.
    code = (
        "from acres_probe.msg import Reading; from acres_probe.srv import Read\n"
        "from rclpy.serialization import serialize_message, deserialize_message\n"
        "message = Reading(values=[1.5, 2.5])\n"
        "same = deserialize_message(serialize_message(message), Reading) == message\n"
        "print(same, Reading.LOW, Read.Response().reading.LOW)"
    )
    site = next((tmp_path / "prefix").glob("lib/python*/site-packages"))
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(site)!r})\n{code}",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "True 3 3\n"), result.stderr
    modules = sorted((site / "acres_probe").rglob("*.py"))
    assert len(modules) > 4
    assert all(Path(importlib.util.cache_from_source(str(module))).is_file() for module in modules), "no byte code"


def test_a_changed_definition_is_no_longer_current(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    before = interfaces.InterfacePackage.read(package).input_hash()
    assert interfaces.InterfacePackage.read(package).input_hash() == before
    (package / "srv/Read.srv").write_text("---\nReading reading\nbool done\n")
    assert interfaces.InterfacePackage.read(package).input_hash() != before


def test_a_package_of_the_installed_ros_is_left_alone(tmp_path: Path) -> None:
    package = write_package(tmp_path / "source", name="std_msgs", depend="builtin_interfaces")
    lines: list[str] = []
    target = prefixes(tmp_path / "prefix")
    assert interfaces.build_packages([interfaces.InterfacePackage.read(package)], target, report=lines.append) == []
    provider = next(prefix for prefix in target.others if (prefix / "share/std_msgs").is_dir())
    assert lines == [f"std_msgs: {provider} has it"]


def test_a_missing_dependency_is_named(tmp_path: Path) -> None:
    package = interfaces.InterfacePackage.read(write_package(tmp_path / "source", depend="no_such_msgs"))
    with pytest.raises(interfaces.DependencyMissing, match="acres_probe needs the package no_such_msgs"):
        prefixes(tmp_path / "prefix").interface_shares(package)


def test_a_missing_compiler_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path / "source")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([str(tmp_path / "source"), "--prefix", str(tmp_path / "prefix")]) == 3
    assert "the compiler gcc is missing" in capsys.readouterr().err


def test_missing_headers_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    with pytest.raises(interfaces.ToolMissing, match=r"Python.h is missing.*apt-get install python3\.\d+-dev"):
        compiling.check_tools()


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no package.xml"),
        ({"package.xml": "<package><name>a</name></package>"}, "names no package or no version"),
        ({"package.xml": "<package><name>a</name><version>1</version></package>"}, "no .msg, .srv or .action"),
    ],
)
def test_a_folder_that_is_no_package_is_refused(tmp_path: Path, files: dict[str, str], reason: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(interfaces.PackageUnreadable, match=reason):
        interfaces.InterfacePackage.read(tmp_path)


def test_a_refused_file_shows_the_words_of_the_compiler(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int f( {\n")
    with pytest.raises(interfaces.CompileFailed, match="expected"):
        compiling._run(["gcc", "-c", str(source), "-o", str(tmp_path / "a.o")])


def test_the_builder_needs_none_of_our_other_layers() -> None:
    """It runs before the packages of the environment are complete."""
    code = "import sys, acres_ros.tools.interfaces; print([n for n in sys.modules if n.startswith(('numba', 'rclpy'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
    assert importlib.util.find_spec("acres_ros.tools.interfaces") is not None
