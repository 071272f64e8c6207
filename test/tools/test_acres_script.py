"""The launcher `./acres`: its stages, its choice of a ROS 2, and what it says when something is missing.

A stand-in for Python takes the place of venv, pip and the interface builder and writes down how it was called.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXIT_USAGE, EXIT_MACHINE, EXIT_SETUP = 2, 3, 4
# The folder of the packages, of an environment that the stand-in for Python is in.
SITE = "${0%/bin/python}/lib/python3.12/site-packages"

# The compiler of the model goes on beside the interface packages: either may write first.
PREPARED = (["venv", "pip", "interfaces", "compile", "verb"], ["venv", "pip", "compile", "interfaces", "verb"])

FAKE_PYTHON = f"""#!/bin/bash
case "$*" in
    "-m venv"*)
        mkdir -p "${{@: -1}}/bin" && cp "$0" "${{@: -1}}/bin/python"
        echo "venv ${{*:3}}" >>"$CALLS" ;;
    "-m pip"*)
        [[ -z ${{PIP_SAYS-}} ]] || echo "$PIP_SAYS"
        sleep "${{PIP_SECONDS-0}}"
        echo "pip ${{*:3}}" >>"$CALLS"
        [[ -z ${{PIP_ERROR-}} ]] || {{ echo "$PIP_ERROR"; exit 1; }} ;;
    "-m acres_ros.tools.interfaces"*)
        [[ -z ${{INTERFACES_WAIT-}} ]] || until [[ -e "$CALLS.compiler" ]]; do sleep 0.02; done
        echo "interfaces" >>"$CALLS"
        [[ -z ${{INTERFACES_FOREVER-}} ]] || exec sleep 600
        exit "${{INTERFACES_CODE-0}}" ;;
    "-m acres_ros.tools.precompile"*)
        echo $$ >"$CALLS.compiler"
        [[ -z ${{COMPILE_ERROR-}} ]] || {{ echo "$COMPILE_ERROR"; exit 1; }}
        [[ -z ${{COMPILE_FOREVER-}} ]] || exec sleep 600
        echo "compile" >>"$CALLS" ;;
    "-m acres_ros.cli"*) echo "verb ${{*:3}}" >>"$CALLS"; env >"$CALLS.env" ;;
    "-c import rclpy" | "-c import numpy"*) echo "numpy==1.26.4" ;;
    "-c import sysconfig;"*) mkdir -p "{SITE}" && echo "{SITE}" ;;
    *) exec {sys.executable} "$@" ;;
esac
"""


class Machine:
    """A copy of the launcher in a folder of its own, with the stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "acres_ros"
        self.calls_file = folder / "calls"
        self.python = folder / "python"
        self.python.write_text(FAKE_PYTHON)
        self.python.chmod(0o755)
        self.root.mkdir()
        shutil.copy(ROOT / "acres", self.root)
        shutil.copytree(ROOT / "requirements", self.root / "requirements")
        (self.root / "msg").mkdir()
        (self.root / "msg" / "A.msg").write_text("bool a\n")
        (self.root / "acres_ros/tools/interfaces").mkdir(parents=True)
        (self.root / "acres_ros/tools/interfaces/build.py").write_text("")
        for name in ("models/body.py", "world/world.py", "core/clock.py", "_compile.py", "_record.py"):
            (self.root / "acres_ros" / name).parent.mkdir(exist_ok=True)
            (self.root / "acres_ros" / name).write_text("")
        kept = ("PATH", "HOME", "LANG")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"CALLS": str(self.calls_file), "ACRES_PYTHON": str(self.python)}

    def command(self, *words: str) -> list[str]:
        return ["bash", str(self.root / "acres"), *words]

    def run(self, *words: str, code: int = 0, **variables: str) -> str:
        """Run the launcher and return what it says."""
        result = subprocess.run(
            self.command(*words),
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result.stderr

    def calls(self) -> list[str]:
        """Return the calls since the last time."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return lines

    def names(self) -> list[str]:
        return [line.split(" ")[0] for line in self.calls()]

    def compiler_is_there(self) -> bool:
        """Tell whether the compiler that was started last is still running."""
        try:
            number = int(Path(f"{self.calls_file}.compiler").read_text())
            return "sleep" in Path(f"/proc/{number}/cmdline").read_text()
        except (OSError, ValueError):  # not yet, or no more
            return False

    def compiler_ends(self) -> bool:
        """Tell whether the compiler that was started last has been ended: a signal takes a moment."""
        deadline = time.monotonic() + 30.0
        while self.compiler_is_there() and time.monotonic() < deadline:
            time.sleep(0.02)
        return not self.compiler_is_there()

    def verb_environment(self) -> dict[str, str]:
        lines = Path(f"{self.calls_file}.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def installed_ros(self) -> dict[str, str]:
        """Return the variables that a sourced ROS 2 sets."""
        prefix = self.root.parent / "ros"
        (prefix / "share/rclpy").mkdir(parents=True, exist_ok=True)
        (prefix / "share/rclpy/package.xml").write_text("<package/>")
        return {
            "ROS_DISTRO": "jazzy",
            "AMENT_PREFIX_PATH": str(prefix),
            "PYTHONPATH": f"{prefix}/lib/python3.12/site-packages:/my/modules",
            "LD_LIBRARY_PATH": f"{prefix}/lib:/my/libraries",
        }


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    own = Path(sysconfig.get_paths()["purelib"]) / "acres_ros.pth"
    before = own.read_text() if own.exists() else None
    yield Machine(tmp_path)
    assert (own.read_text() if own.exists() else None) == before, f"the launcher of the test has written {own}"


def test_stages_run_in_order_and_once(machine: Machine) -> None:
    machine.run("up", "--paused")
    assert machine.names() in PREPARED
    machine.run("up", "--paused")
    assert machine.calls() == ["verb up --paused"]


def test_the_model_is_compiled_beside_the_interfaces(machine: Machine) -> None:
    said = machine.run("up", INTERFACES_WAIT="1")
    assert machine.names() in PREPARED
    assert said.index("vehicle model is compiled beside it") < said.index("vehicle model: done")


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


@pytest.mark.parametrize("forever", [("COMPILE_FOREVER", "INTERFACES_FOREVER"), ("COMPILE_FOREVER",)])
def test_an_interrupt_ends_both(machine: Machine, forever: tuple[str, ...]) -> None:
    """Ctrl-C reaches the whole process group, but what a shell starts in the background does not hear it."""
    process = subprocess.Popen(
        machine.command("up"),
        env=machine.environment | dict.fromkeys(forever, "1"),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    begun = machine.calls_file if "INTERFACES_FOREVER" in forever else machine.root / ".venv/.acres/interfaces"
    while not (machine.compiler_is_there() and begun.exists() and "interfaces" in machine.calls_file.read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) in (130, -signal.SIGINT)
    assert machine.compiler_ends()


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
    environment = machine.environment | {"PIP_SECONDS": "1"}
    pair = [
        subprocess.Popen(machine.command("up"), env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert sorted(machine.names()) == ["compile", "interfaces", "pip", "venv", "verb", "verb"]
    assert sum("waiting for it" in text for text in said) == 1


def test_a_failed_download_is_said_and_tried_again(machine: Machine) -> None:
    error = "ERROR: NewConnectionError: Failed to establish a new connection: Temporary failure in name resolution"
    said = machine.run("up", code=EXIT_SETUP, PIP_ERROR=error)
    assert "the package index cannot be reached" in said
    assert machine.names() == ["venv", "pip"]
    machine.run("up")
    assert ["venv", *machine.names()] in PREPARED


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


def test_little_disk_is_said_before_any_download(machine: Machine, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "df").write_text("#!/bin/sh\necho header\necho /dev/x 9 8 100 99% /\n")
    (tools / "df").chmod(0o755)
    said = machine.run("up", code=EXIT_MACHINE, PATH=f"{tools}:{machine.environment['PATH']}")
    assert "100 MB are free" in said and "make room" in said
    assert machine.calls() == []


def test_other_processors_are_refused(machine: Machine, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "uname").write_text("#!/bin/sh\necho aarch64\n")
    (tools / "uname").chmod(0o755)
    said = machine.run("up", code=EXIT_MACHINE, PATH=f"{tools}:{machine.environment['PATH']}")
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


def test_a_sourced_ros_is_used_without_the_wheels(machine: Machine) -> None:
    ros = machine.installed_ros()
    machine.run("test", **ros)
    venv, packages, dev, *beside, verb = machine.calls()
    assert venv == f"venv --system-site-packages {machine.root}/.venv-system"
    assert "requirements/runtime.txt" in packages and "ros.txt" not in packages and "constraints-ros" not in packages
    assert "numpy.txt" in packages and "numpy.txt" in dev
    assert (machine.root / ".venv-system/.acres/numpy.txt").read_text() == "numpy==1.26.4\n"
    assert (sorted(beside), verb) == (["compile", "interfaces"], "verb test")
    environment = machine.verb_environment()
    assert environment["PYTHONPATH"] == ros["PYTHONPATH"]
    assert environment["LD_LIBRARY_PATH"] == ros["LD_LIBRARY_PATH"]
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv-system:{ros['AMENT_PREFIX_PATH']}"
    assert environment["ACRES_ROS"] == "system"
    assert not (machine.root / ".venv").exists()


def test_the_wheels_beside_a_sourced_ros_see_nothing_of_it(machine: Machine) -> None:
    machine.run("--ros", "wheels", "up", **machine.installed_ros(), _ROS_WHEELS_BOOTSTRAP_COMPLETE="1")
    venv, packages, *_ = machine.calls()
    assert venv == f"venv {machine.root}/.venv"
    assert "requirements/ros.txt" in packages and "constraints-ros.txt" in packages
    environment = machine.verb_environment()
    assert environment["PYTHONPATH"] == "/my/modules"
    assert environment["LD_LIBRARY_PATH"] == "/my/libraries"
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv"
    assert "ROS_DISTRO" not in environment and "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in environment


def test_an_environment_of_the_wheels_stays_when_a_ros_is_sourced_beside_it(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    machine.run("--ros", "wheels", "up", **machine.installed_ros())
    machine.run("up")
    assert machine.calls() == ["verb up", "verb up"]


def test_an_older_ros_is_refused(machine: Machine) -> None:
    said = machine.run("up", code=EXIT_MACHINE, **(machine.installed_ros() | {"ROS_DISTRO": "humble"}))
    assert "humble is sourced, but Jazzy is wanted: use ./acres --ros wheels up" in said
    assert machine.calls() == []


@pytest.mark.parametrize("distribution", ["kilted", "rolling"])
def test_a_newer_ros_is_used_only_when_it_is_asked_for(machine: Machine, distribution: str) -> None:
    ros = machine.installed_ros() | {"ROS_DISTRO": distribution}
    said = machine.run("up", code=EXIT_MACHINE, **ros)
    assert f"{distribution} is sourced, but only Jazzy is tested: use ./acres --ros wheels up, or ./acres --ros" in said
    assert machine.calls() == []
    machine.run("--ros", "system", "up", **ros)
    assert machine.names()[-1] == "verb"
    # What a launcher starts has been asked for already.
    machine.run("up", ACRES_ROS=machine.verb_environment()["ACRES_ROS"], **ros)
    assert machine.names() == ["verb"]


def test_a_workspace_on_top_of_the_wheels_stays(machine: Machine) -> None:
    workspace = {"AMENT_PREFIX_PATH": "/ws/install/mine", "PYTHONPATH": "/ws/install/mine/lib/python3.11/site-packages"}
    machine.run("up", **workspace)
    environment = machine.verb_environment()
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv:/ws/install/mine"
    assert environment["PYTHONPATH"] == workspace["PYTHONPATH"]


def test_a_launcher_inside_a_launcher_changes_nothing(machine: Machine) -> None:
    machine.run("up")
    first = machine.verb_environment()
    machine.calls()
    machine.run("up", AMENT_PREFIX_PATH=first["AMENT_PREFIX_PATH"], ACRES_ROS=first["ACRES_ROS"])
    assert machine.names() == ["verb"]
    assert machine.verb_environment()["AMENT_PREFIX_PATH"] == first["AMENT_PREFIX_PATH"]


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
    assert machine.names() in PREPARED
    assert machine.verb_environment()["PATH"] == inside


def test_help_needs_nothing_prepared(machine: Machine) -> None:
    machine.run("--help")
    assert machine.calls() == ["verb --help"]
    machine.run()
    assert machine.calls() == ["verb --help"]
    assert not (machine.root / ".venv").exists()


@pytest.mark.parametrize(
    "words", [("up", "--help"), ("world", "build", "-h"), ("run", "-h"), ("--ros", "wheels", "up", "-h")]
)
def test_the_help_of_a_verb_needs_nothing_prepared(machine: Machine, words: tuple[str, ...]) -> None:
    machine.run(*words)
    assert machine.calls() == ["verb " + " ".join(words).removeprefix("--ros wheels ")]
    assert not (machine.root / ".venv").exists()


def test_a_program_is_asked_for_its_own_help(machine: Machine) -> None:
    machine.run("run", "python3", "--help")
    assert machine.names() in PREPARED


def test_a_long_stage_says_what_it_does_without_a_terminal(machine: Machine) -> None:
    said = machine.run("up", PIP_SECONDS="10.5", PIP_SAYS="Collecting numpy")
    assert "packages (10 s) Collecting numpy" in said
