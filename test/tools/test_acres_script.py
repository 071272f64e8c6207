"""The launcher `./acres`: its stages, which are gone through in order, once, and again after a change."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from launcher_rig import EXIT_MACHINE, EXIT_SETUP, PREPARED, Machine


def test_stages_run_in_order_and_once(machine: Machine) -> None:
    machine.run("up", "--paused")
    assert machine.names() in PREPARED
    machine.run("up", "--paused")
    assert machine.calls() == ["verb up --paused"]


def test_the_model_is_compiled_beside_the_interfaces(machine: Machine) -> None:
    said = machine.run("up", INTERFACES_WAIT="1")
    assert machine.names() in PREPARED
    assert said.index("vehicle model is compiled beside it") < said.index("vehicle model: done")


def test_the_model_is_compiled_beside_all_that_follows_the_packages(machine: Machine) -> None:
    said = machine.run("setup", PIP_SECONDS="0.3")
    assert sorted(machine.names()) == ["compile", "interfaces", "pip", "pip", "pip", "venv", "verb"]
    order = ["packages: done", "[3/6] the vehicle model is compiled beside it", "[3/6] packages of the tests: done",
             "[4/6] interface packages", "[5/6] tools of colcon: done", "[6/6] vehicle model: done"]  # fmt: skip
    assert [words for _, words in sorted((said.index(words), words) for words in order)] == order


def test_packages_of_the_tests_that_fail_end_the_compiler(machine: Machine) -> None:
    machine.run("world", "list")
    variables = {"PIP_SECONDS": "1", "PIP_ERROR": "No space left on device", "COMPILE_FOREVER": "1"}
    said = machine.run("setup", code=EXIT_SETUP, **variables)
    assert "the disk is full" in said and "beside it" in said
    assert machine.compiler_ends()


def test_a_model_that_does_not_compile_is_said_behind_the_interfaces(machine: Machine) -> None:
    said = machine.run("up", code=EXIT_SETUP, COMPILE_ERROR="TypeError: no such kernel", INTERFACES_WAIT="1")
    assert "TypeError: no such kernel" in said and "the vehicle model could not be compiled" in said
    assert machine.names() == ["venv", "pip", "interfaces"]
    machine.run("up")
    assert machine.names() == ["compile", "verb"]


def test_interfaces_that_fail_end_the_compiler(machine: Machine) -> None:
    variables = {"INTERFACES_WAIT": "1", "INTERFACES_CODE": "3", "COMPILE_FOREVER": "1"}
    machine.run("up", code=EXIT_MACHINE, **variables)
    assert machine.compiler_ends()


def interrupt(machine: Machine, forever: tuple[str, ...], begun: Callable[[], bool]) -> None:
    """Run the launcher with stages that do not end, and press Ctrl-C when they have begun.

    That reaches the whole process group, but what a shell starts in the background does not hear it.
    """
    process = subprocess.Popen(
        machine.command("up"),
        env=machine.environment | dict.fromkeys(forever, "1"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not begun():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert said.endswith("acres: interrupted; run it again to go on\n") and "Traceback" not in said


@pytest.mark.parametrize("forever", [("COMPILE_FOREVER", "INTERFACES_FOREVER"), ("COMPILE_FOREVER",)])
def test_an_interrupt_ends_both(machine: Machine, forever: tuple[str, ...]) -> None:
    place = machine.calls_file if "INTERFACES_FOREVER" in forever else machine.root / ".venv/.acres/interfaces"

    def begun() -> bool:
        return machine.compiler_is_there() and place.exists() and "interfaces" in machine.calls_file.read_text()

    interrupt(machine, forever, begun)
    assert machine.compiler_ends()


def test_an_environment_whose_making_was_interrupted_is_made_anew(machine: Machine) -> None:
    """It has a Python and no pip: whatever followed would fail, each time."""
    interrupt(machine, ("VENV_FOREVER",), machine.calls_file.exists)
    assert machine.names() == ["venv"] and (machine.root / ".venv/bin/python").exists()
    (left := machine.root / ".venv/left").write_text("")
    machine.run("up")
    assert machine.names() in PREPARED and not left.exists()


def test_tests_get_their_packages_and_the_others_do_not(machine: Machine) -> None:
    machine.run("up")
    assert not any("dev.txt" in call or "colcon" in call for call in machine.calls())
    machine.run("calibrate")
    pip_dev, verb = machine.calls()
    assert "requirements/dev.txt" in pip_dev and verb == "verb calibrate"
    machine.run("test", "-k", "x y")
    pip_colcon, verb = machine.calls()
    assert "requirements/colcon.txt" in pip_colcon
    assert verb == "verb test -k x y"


def test_a_changed_input_repeats_its_stage_only(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    with (machine.root / "requirements/runtime.txt").open("a") as file:
        file.write("attrs\n")
    machine.run("up")
    assert machine.names() == ["pip", "verb"]
    (machine.root / "msg/A.msg").write_text("bool b\n")
    machine.run("up")
    assert machine.names() == ["interfaces", "verb"]
    (machine.root / "acres_ros/models/body.py").write_text("# changed\n")
    machine.run("up")
    assert machine.names() == ["compile", "verb"]
    (machine.root / "acres_ros/tools/interfaces/build.py").write_text("# changed\n")
    machine.run("up")
    assert machine.names() == ["interfaces", "verb"]


def test_another_user_of_a_prepared_checkout_compiles_and_writes_nothing_there(
    machine: Machine, tmp_path: Path
) -> None:
    machine.run("up")
    machine.calls()
    machine.lock_out()
    machine.run("up")
    assert machine.names() == ["verb"]
    mine = str(tmp_path / "mine")
    said = machine.run("up", ACRES_CACHE=mine)
    assert machine.names() == ["compile", "verb"]
    assert said.startswith("[4/4] vehicle model: done (") and said.count("\n") == 1
    machine.run("up", ACRES_CACHE=mine)
    machine.run("up")
    assert machine.names() == ["verb", "verb"]


def test_a_cache_that_was_removed_is_filled_again(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    shutil.rmtree(machine.cache)
    machine.run("up")
    assert machine.names() == ["compile", "verb"]


def test_a_list_of_the_worlds_needs_no_compiled_code(machine: Machine) -> None:
    machine.run("world", "list")
    assert machine.names() == ["venv", "pip", "verb"]
    machine.run("world", "show")
    assert sorted(machine.names()) == ["compile", "interfaces", "verb"]


def test_a_moved_folder_gets_a_new_environment(machine: Machine, tmp_path: Path) -> None:
    machine.run("up")
    machine.calls()
    machine.root = machine.root.rename(tmp_path / "elsewhere")
    assert "making it anew" in machine.run("up")
    assert machine.names() in PREPARED


@pytest.mark.parametrize("content", ["/elsewhere/acres_ros\n", None])
def test_an_environment_that_imports_another_folder_is_set_right(machine: Machine, content: str | None) -> None:
    machine.run("up")
    (path,) = (machine.root / ".venv").glob("lib/python3*/site-packages/acres_ros.pth")
    assert path.read_text() == f"{machine.root}\n"
    machine.calls()
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    machine.run("up")
    assert machine.calls() == ["verb up"]
    assert path.read_text() == f"{machine.root}\n"


def test_two_at_once_prepare_once(machine: Machine) -> None:
    said = machine.run_until_said("waiting for it", launchers=2)
    assert sorted(machine.names()) == ["compile", "interfaces", "pip", "venv", "verb", "verb"]
    assert sum("waiting for it" in text for text in said) == 1


def test_inside_a_launcher_the_environment_can_be_made_anew(machine: Machine) -> None:
    """The Python to make it with is that of the machine, although the environment's own comes first on PATH."""
    path = f"{machine.python.parent / 'bin'}:{machine.environment['PATH']}"
    (machine.python.parent / "bin").mkdir()
    (machine.python.parent / "bin/python3").symlink_to(machine.python)
    del machine.environment["ACRES_PYTHON"]
    machine.run("up", PATH=path)
    inside = machine.verb_environment()["PATH"]
    assert inside == f"{machine.root}/.venv/bin:{path}"
    machine.calls()
    (machine.root / ".venv/.acres/place").write_text("elsewhere\n")
    machine.run("up", PATH=inside)
    # The compiled code is not in the environment, and stays.
    assert machine.names() == ["venv", "pip", "interfaces", "verb"]
    assert machine.verb_environment()["PATH"] == inside


def test_help_needs_nothing_prepared(machine: Machine) -> None:
    machine.run("--help")
    assert machine.calls() == ["verb --help"]
    machine.run()
    assert machine.calls() == ["verb --help"]
    assert not (machine.root / ".venv").exists()


@pytest.mark.parametrize(
    "words",
    [("up", "--help"), ("world", "build", "-h"), ("run", "-h"), ("--ros", "wheels", "up", "-h"), ("help", "up")],
)
def test_the_help_of_a_verb_needs_nothing_prepared(machine: Machine, words: tuple[str, ...]) -> None:
    machine.run(*words)
    assert machine.calls() == ["verb " + " ".join(words).removeprefix("--ros wheels ")]
    assert not (machine.root / ".venv").exists()


def test_a_program_is_asked_for_its_own_help(machine: Machine) -> None:
    machine.run("run", "python3", "--help")
    assert machine.names() in PREPARED


def test_a_long_stage_says_what_it_does_without_a_terminal(machine: Machine) -> None:
    (said,) = machine.run_until_said("packages (", PIP_SAYS="Collecting numpy")
    found = re.search(r"packages \((\d+) s\) Collecting numpy", said)
    assert found and int(found[1]) >= 10
