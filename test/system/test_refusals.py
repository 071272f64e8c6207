"""What is not right is refused in one clear text, with an exit code, before anything is published."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from system_rig import OWN_DOMAIN

from acres_ros import fence
from acres_ros.locations import shared_folder

pytestmark = [pytest.mark.system, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
NODES = ("physics", "vehicle")


def node(name: str, *arguments: str, fenced: bool = True) -> subprocess.CompletedProcess[str]:
    environment = fence.environment(os.environ, domain=OWN_DOMAIN)
    if not fenced:
        for variable, value in fence.variables(domain=OWN_DOMAIN):
            if value is not None:
                environment.pop(variable, None)
    command = [
        sys.executable,
        "-m",
        f"acres_ros.nodes.{name}_program",
        *(("--ros-args", *arguments) if arguments else ()),
    ]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120.0, check=False
    )


def assert_refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode == 1, result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr, result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize("name", NODES)
def test_outside_the_fence_nothing_starts(name: str) -> None:
    result = node(name, fenced=False)
    assert_refused(result, f"acres_{name}: ", "outside the loopback fence", "./acres run")


@pytest.mark.parametrize(
    ("name", "argument", "words"),
    [
        ("physics", "acres_physics:speed_of_light:=3.0", ("speed_of_light", "one of")),
        ("vehicle", "acres_vehicle:rate:=3.0", ("rate", "one of")),
        ("physics", "acres_physics:rate:=-1.0", ("rate = -1.0", "at least 0")),
        ("physics", "acres_physics:rate:=.nan", ("rate = nan", "finite")),
        ("physics", "acres_physics:rate:=fast", ("rate = 'fast'", "float")),
        ("physics", "acres_physics:paused:=3", ("paused = 3", "bool")),
        ("physics", "acres_physics:occupants:=2.5", ("occupants = 2.5", "int")),
        ("physics", "acres_physics:gear:=X", ("gear = 'X'", "P, R, N, H, L")),
        ("physics", "acres_physics:world:=moon", ("moon", "yard")),
        ("physics", "acres_physics:world:=/etc", ("/etc", "site.json")),
        ("physics", "acres_physics:growth:=1.5", ("growth = 1.5", "1 at most")),
        ("physics", "acres_physics:growth:=-0.1", ("growth = -0.1", "at least 0")),
        ("physics", "acres_physics:crop_season:='1999'", ("1999", "2026")),
        ("physics", "acres_physics:occupants:=7", ("mass.occupants = 7", "of 0 to 6")),
        ("physics", "acres_physics:stop_on_collision:=1", ("stop_on_collision = 1", "bool")),
        ("physics", "acres_physics:place:=nowhere", ("nowhere", "spawn-icsc-garage")),
        ("physics", "acres_physics:vehicle_file:=/nowhere/car.json", ("/nowhere/car.json", "No such file")),
        ("physics", "acres_physics:sensors_file:=/nowhere/sensors.json", ("/nowhere/sensors.json", "no such file")),
        ("vehicle", "acres_vehicle:rate_profile:=fast", ("rate_profile = 'fast'", "acres, vehicle")),
        ("vehicle", "acres_vehicle:topics_file:=/nowhere/topics.yaml", ("/nowhere/topics.yaml",)),
    ],
)
def test_a_parameter_that_is_not_right_is_one_line(name: str, argument: str, words: tuple[str, ...]) -> None:
    result = node(name, "-p", argument)
    assert_refused(result, f"acres_{name}: ", *words)
    lines = [line for line in result.stderr.splitlines() if not line.startswith("[INFO]")]
    assert len(lines) == 1, result.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("physics", ("-p", "acres_physics:rate")),
        ("vehicle", ("-p", "acres_vehicle:agent:")),
        ("physics", ("--params-file", "/nowhere/acres.yaml")),
        ("vehicle", ("--params-file", "/nowhere/acres.yaml")),
    ],
)
def test_ros_arguments_that_cannot_be_read_are_refused_in_words(name: str, arguments: tuple[str, ...]) -> None:
    assert_refused(node(name, *arguments), f"acres_{name}: ", arguments[1])


def vehicle_file(folder: Path, change: str) -> Path:
    tree = json.loads((shared_folder("config") / "polaris.json").read_text())
    text = None
    match change:
        case "unknown key":
            tree["dbw"]["command_timeout"] = 0.1
        case "missing key":
            del tree["dbw"]["command_timeout_s"]
        case "wrong type":
            tree["dbw"]["command_timeout_s"] = "soon"
        case "no number":
            tree["dbw"]["command_timeout_s"] = float("nan")
        case "no JSON":
            text = "{"
    path = folder / "car.json"
    path.write_text(json.dumps(tree) if text is None else text)
    return path


@pytest.mark.parametrize("change", ["unknown key", "missing key", "wrong type", "no number", "no JSON"])
def test_a_vehicle_file_that_is_not_right_is_refused_with_its_name_and_key(tmp_path: Path, change: str) -> None:
    path = vehicle_file(tmp_path, change)
    result = node("physics", "-p", f"acres_physics:vehicle_file:={path}")
    assert_refused(result, str(path), *(() if change == "no JSON" else ("command_timeout",)))


def test_the_command_line_refuses_as_the_nodes_do() -> None:
    for options, code, word in (
        (("--rate", "fast"), 2, "rate"),
        (("--gear", "X"), 2, "gear"),
        (("--rate", "-1"), 2, "rate = -1.0"),
        (("--world", "moon"), 2, "moon"),
        (("--nonsense",), 2, "nonsense"),
    ):
        result = subprocess.run(
            [sys.executable, "-m", "acres_ros.cli", "up", *options],
            cwd=ROOT,
            env={**os.environ, "ACRES_DOMAIN_ID": str(OWN_DOMAIN)},
            capture_output=True,
            text=True,
            timeout=60.0,
            check=False,
        )
        text = result.stdout + result.stderr
        assert result.returncode == code, text
        assert word in text and "Traceback" not in text
