"""The launcher `./acres`: what it says when something is missing or wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from launcher_rig import EXIT_MACHINE, EXIT_SETUP, EXIT_USAGE, PREPARED, Machine


def test_a_failed_download_is_said_and_tried_again(machine: Machine) -> None:
    error = "WARNING: NewConnectionError: Temporary failure in name resolution\nERROR: ResolutionImpossible: a conflict"
    said = machine.run("up", code=EXIT_SETUP, PIP_ERROR=error)
    assert "the package index cannot be reached" in said and "ResolutionImpossible" not in said
    assert machine.names() == ["venv", "pip"]
    machine.run("up")
    assert ["venv", *machine.names()] in PREPARED


def test_a_conflict_after_a_download_is_shown(machine: Machine) -> None:
    error = "WARNING: Read timed out\n  Downloading a.whl\nERROR: ResolutionImpossible: a conflict"
    said = machine.run("up", code=EXIT_SETUP, PIP_ERROR=error)
    assert "ResolutionImpossible" in said and "cannot be reached" not in said


def test_a_full_disk_is_said(machine: Machine) -> None:
    said = machine.run("up", code=EXIT_SETUP, PIP_ERROR="OSError: [Errno 28] No space left on device")
    assert "the disk is full" in said


def test_a_missing_compiler_is_said_before_any_download(machine: Machine, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in (
        "bash",
        "readlink",
        "dirname",
        "mkdir",
        "flock",
        "sha256sum",
        "cut",
        "find",
        "sort",
        "xargs",
        "cat",
        "uname",
        "env",
    ):
        (tools / name).symlink_to(str(shutil.which(name)))
    said = machine.run("up", code=EXIT_MACHINE, PATH=str(tools))
    assert "lacks the compiler gcc, the compiler g++: apt-get install gcc g++" in said
    assert machine.calls() == []


def test_little_disk_is_said_before_any_download(machine: Machine) -> None:
    machine.replace_tool("df", "header", "/dev/x 9 8 100 99% /")
    said = machine.run("up", code=EXIT_MACHINE)
    assert "100 MB are free" in said and "make room" in said
    assert machine.calls() == []


def test_other_processors_are_refused(machine: Machine) -> None:
    machine.replace_tool("uname", "aarch64")
    said = machine.run("up", code=EXIT_MACHINE)
    assert "this is aarch64" in said


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--ros", "both", "up"], EXIT_USAGE, "must be auto, wheels or system"),
        (["--ros"], EXIT_USAGE, "needs a value"),
        (["--fast", "up"], EXIT_USAGE, "unknown option --fast"),
        (["--ros", "system", "up"], EXIT_MACHINE, "no ROS 2 is sourced"),
    ],
)
def test_wrong_options(machine: Machine, words: list[str], code: int, text: str) -> None:
    assert text in machine.run(*words, code=code)
    assert machine.calls() == []


def test_a_wrong_python_is_refused(machine: Machine) -> None:
    said = machine.run("up", code=EXIT_MACHINE, ACRES_PYTHON="/bin/false")
    assert "ACRES_PYTHON is /bin/false, which is not a Python 3.10 to 3.13" in said
    machine.run("up")
    machine.calls()
    assert "ACRES_PYTHON is /none," in machine.run("up", code=EXIT_MACHINE, ACRES_PYTHON="/none")
    assert machine.calls() == []


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["upp"], "no verb 'upp'"),
        (["up", "--wrold", "yard"], "unrecognized arguments: --wrold yard"),
        (["up", "help"], "unrecognized arguments: help"),
        (["world"], "required: PART"),
        (["step", "many"], "is no number of steps"),
        (["run"], "run needs a command"),
        (["run", "--"], "run needs a command"),
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_is_prepared(
    machine: Machine, words: list[str], text: str
) -> None:
    assert text in machine.run(*words, code=EXIT_USAGE)
    assert machine.calls() == []
    assert not (machine.root / ".venv").exists() and not (machine.root / ".cache").exists()


def test_an_unfinished_environment_refuses_a_wrong_command_line_too(machine: Machine) -> None:
    machine.run("up", code=EXIT_SETUP, PIP_ERROR="ERROR: no such package")
    machine.calls()
    machine.run("upp", code=EXIT_USAGE)
    assert machine.calls() == []


def test_a_checkout_that_cannot_be_written_says_what_it_lacks(machine: Machine) -> None:
    machine.lock_out()
    said = machine.run("up", code=EXIT_MACHINE)
    assert said == (
        f"acres: {machine.root} cannot be written to, and must be prepared (venv packages interfaces compile): make it "
        "writable, or let its owner run ./acres setup\n"
    )


def test_a_cache_that_cannot_be_written_is_said(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    machine.lock_out()
    said = machine.run("up", code=EXIT_MACHINE, ACRES_CACHE="/dev/null")
    assert said.startswith("acres: /dev/null/acres_ros cannot be written to, and the compiled code of this user")
    assert machine.calls() == []


def test_an_environment_whose_python_this_user_cannot_run_is_said(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    machine.lock_out()
    (machine.root / ".venv/bin/python").unlink()
    (machine.root / ".venv/bin/python").symlink_to("/root/none/python")
    said = machine.run("up", code=EXIT_MACHINE)
    assert "this user cannot run the Python of its environment, /root/none/python: let its owner" in said
    assert machine.calls() == []
