"""Every program and every call of the documents does what it says, as a reader runs it who copies it."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from document_blocks import ROOT, Block, commands, programs
from ros_domain import reserve
from system_rig import START_S

from acres_ros import fence
from acres_ros.cli.up import started

pytestmark = [pytest.mark.system, pytest.mark.slow]

LIMIT_S = 300.0
CALL = "examples/call.py"
DRIVEN_S = 1.0
PROGRAMS = programs()
ENDLESS = [block for block in PROGRAMS if "rclpy.spin(" in block.text]
ENDING = [block for block in PROGRAMS if block not in ENDLESS]
CALLS = [(where, words[4:]) for where, words in commands() if words[1:4] == ["run", "python3", CALL]]
ROS_CALLS = [(where, words[-3:]) for where, words in commands() if words[-6:-3] == ["ros2", "service", "call"]]


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """Return an environment inside the fence, in a domain without a stand-in."""
    return _environment(reserve())


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Give an environment inside the fence, in the domain of a stand-in as `./acres up` starts it."""
    domain = reserve()
    folder = tmp_path_factory.mktemp("snapshots")
    with started({"snapshot_folder": str(folder)}, domain=domain) as stand_in:
        stand_in.wait_ready(START_S)
        yield _environment(domain)


def _environment(domain: int) -> dict[str, str]:
    return {**fence.environment(os.environ, domain=domain), "PYTHONPATH": str(ROOT)}


def run(words: list[str], environment: dict[str, str], folder: Path) -> str:
    """Run a Python program to its end and return what it printed."""
    result = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("block", ENDING, ids=[block.where for block in ENDING])
def test_a_program_of_the_documents_runs(block: Block, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # A program that guards a node of its own is a simulator itself, and wants no other one.
    with_stand_in = "import rclpy" in block.text and "require_fence" not in block.text
    environment = request.getfixturevalue("beside" if with_stand_in else "alone")
    (tmp_path / "program.py").write_text(block.text)
    for _ in range(2 if "/acres/save_snapshot" in block.text else 1):  # whoever has saved once saves again
        assert run(["program.py"], environment, tmp_path).strip() or "print(" not in block.text


@pytest.mark.parametrize(("where", "words"), CALLS, ids=[f"{where} {words[0]}" for where, words in CALLS])
def test_a_call_of_the_documents_is_done(where: str, words: list[str], beside: dict[str, str], tmp_path: Path) -> None:
    assert run([str(ROOT / CALL), *words], beside, tmp_path), where


def test_a_call_by_ros2_is_a_request() -> None:
    call = _example("call")
    for where, (_, kind, text) in ROS_CALLS:
        package, folder, name = kind.split("/")
        request = getattr(importlib.import_module(f"{package}.{folder}"), name).Request()
        assert call.filled(request, call.yaml.safe_load(text)), where


def test_calls_are_found() -> None:
    assert len(CALLS) >= 4


@pytest.mark.parametrize("name", ["driver.py", "rain.py"])
def test_the_readme_shows_an_example_as_it_is(name: str) -> None:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert text in [block.text for block in PROGRAMS if block.where.startswith("README.md:")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/acres/set_gnss", "{state: lost}"], "lost"),
        (["/acres/set_gnss", "{stat: none}"], "has no 'stat': wanted state or duration_s or jump_m"),
        (["/acres/set_gnss", "{duration_s: [1]}"], "duration_s = [1]"),
        (["/acres/set_gnss", "{"], "no YAML"),
        (["/acres/set_gnss", "none"], "wanted one such as"),
    ],
)
def test_a_call_that_cannot_be_is_told(words: list[str], said: str, beside: dict[str, str]) -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / CALL), *words],
        env=beside, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert result.returncode == 1 and said in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_a_call_fills_what_is_nested_and_what_is_a_list() -> None:
    from simulation_interfaces.srv import SpawnEntities, SpawnEntity

    call = _example("call")
    asked = {"initial_pose": {"pose": {"position": {"x": 3}}}, "allow_renaming": True}
    request = call.filled(SpawnEntity.Request(), asked)
    assert request.initial_pose.pose.position.x == 3.0 and request.allow_renaming
    nested: Any = SpawnEntities.Request()
    field = next(name for name, kind in nested.get_fields_and_field_types().items() if "sequence" in kind)
    assert call.filled(nested, {field: [{}, {}]}) and len(getattr(nested, field)) == 2


def _example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("block", ENDLESS, ids=[block.where for block in ENDLESS])
def test_a_program_that_goes_on_ends_by_a_key(block: Block, beside: dict[str, str], tmp_path: Path) -> None:
    # It says nothing when it has begun, and a key that is pressed while Python imports ends no program in silence.
    (tmp_path / "program.py").write_text(block.text.replace("\ntry:\n", "\nprint('begun', flush=True)\ntry:\n"))
    process = subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=beside,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watch = threading.Timer(LIMIT_S, process.kill)
    watch.start()
    try:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        time.sleep(DRIVEN_S)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    finally:
        watch.cancel()
        process.kill()
        process.wait()
    assert (process.returncode, err) == (0, "")
