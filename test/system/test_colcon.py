"""colcon builds acres_ros and acres_interfaces on top of the wheels, and what it installs runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from system_rig import OWN_DOMAIN

from acres_ros import fence
from acres_ros.nodes.parameter_table import READY_TEXT

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.prefix) / "colcon"
BUILD_LIMIT_S = 3600
START_LIMIT_S = 180
END_LIMIT_S = 60

pytestmark = [
    pytest.mark.system,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("ACRES_ROS") == "system", reason="an installed ROS 2 builds packages with a colcon of its own"
    ),
]


def clean_environment() -> dict[str, str]:
    """Return the environment of a user who has the wheels and colcon on the paths, without this source tree."""
    removed = (
        "PYTHONPATH",
        "LD_LIBRARY_PATH",
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE",
        "AMENT_PREFIX_PATH",
        "COLCON_PREFIX_PATH",
    )
    environment = {name: value for name, value in os.environ.items() if name not in removed}
    return fence.environment(environment, domain=OWN_DOMAIN)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both packages in a throw-away folder and return it."""
    assert TOOLS.is_dir(), "the tools of colcon are missing: run ./acres setup"
    folder = tmp_path_factory.mktemp("workspace")
    environment = clean_environment()
    environment["PYTHONPATH"] = str(next(TOOLS.glob("lib/python*/site-packages")))
    environment["PATH"] = f"{TOOLS / 'bin'}:{environment['PATH']}"
    environment["AMENT_PREFIX_PATH"] = environment["CMAKE_PREFIX_PATH"] = f"{TOOLS}:{sys.prefix}"
    environment["CMAKE_GENERATOR"] = "Ninja"
    # By itself colcon has no job begin while the load of the machine is above its cores, whoever makes it.
    environment["MAKEFLAGS"] = f"-j{os.cpu_count()}"
    command = [sys.executable, "-m", "colcon", "build"]
    command += ["--base-paths", str(ROOT), str(ROOT / "msg" / "acres_interfaces")]
    command += ["--cmake-args", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
    command += [f"-DCMAKE_PROJECT_INCLUDE={Path(__file__).parent / 'wheels.cmake'}"]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=BUILD_LIMIT_S, check=False
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-4000:]
    assert "Summary: 2 packages finished" in result.stdout
    return folder


def in_workspace(folder: Path, command: str) -> list[str]:
    """Return the command that runs `command` with the workspace sourced, away from the source tree."""
    return ["bash", "-c", f"source {folder}/install/setup.bash && cd / && exec {command}"]


def run(folder: Path, command: str) -> str:
    result = subprocess.run(
        in_workspace(folder, command), env=clean_environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_installed_packages_are_imported(workspace: Path) -> None:
    code = "import acres_ros, acres_interfaces.srv as s, ds_dbw_msgs; print(acres_ros.__file__, s.__file__, sep='\\n')"
    for line in run(workspace, f'{sys.executable} -c "{code}"').splitlines():
        assert Path(line).is_relative_to(workspace / "install")


def test_the_ament_index_and_the_shared_files_are_there(workspace: Path) -> None:
    prefix = workspace / "install" / "acres_ros"
    assert (prefix / "share/ament_index/resource_index/packages/acres_ros").is_file()
    for tree in ("config", "launch", "examples"):
        wanted = {
            path.relative_to(ROOT) for path in (ROOT / tree).rglob("*") if path.is_file() and path.suffix != ".pyc"
        }
        assert wanted
        assert all((prefix / "share/acres_ros" / path).is_file() for path in wanted)
    data = {path.relative_to(ROOT) for path in (ROOT / "acres_ros").rglob("*.xml")}
    site = next(prefix.glob("lib/python*/site-packages"))
    assert data and all((site / path).is_file() for path in data)


def test_the_type_hashes_are_those_of_the_direct_build(workspace: Path) -> None:
    cmake = workspace / "install/acres_interfaces/share/acres_interfaces"
    direct = Path(sys.prefix) / "share/acres_interfaces"
    names = sorted(path.relative_to(cmake) for path in cmake.glob("*/*.json"))
    assert names and names == sorted(path.relative_to(direct) for path in direct.glob("*/*.json"))
    for name in names:
        assert (cmake / name).read_text() == (direct / name).read_text()


def test_the_command_line_is_installed(workspace: Path) -> None:
    output = run(workspace, f"{workspace}/install/acres_ros/lib/acres_ros/acres --version")
    assert output.startswith("acres_ros ")


def test_the_installed_drive_finds_its_program(workspace: Path) -> None:
    share = workspace / "install/acres_ros/share/acres_ros"
    code = "from acres_ros.locations import shared_folder; print(shared_folder('examples'), shared_folder('launch'))"
    assert run(workspace, f'{sys.executable} -c "{code}"').split() == [str(share / "examples"), str(share / "launch")]
    assert "kilometre" in run(workspace, f"{sys.executable} -m acres_ros.cli drive --help")
    # The program imports the path from the folder beside it.
    assert "--lap" in run(workspace, f"{sys.executable} {share}/examples/kilometre.py --help")


def test_the_installed_nodes_run_and_end(workspace: Path) -> None:
    prefix = workspace / "install/acres_ros"
    parameters = prefix / "share/acres_ros/config/acres.yaml"
    processes, logs = [], []
    try:
        for name in ("acres_physics", "acres_vehicle"):
            log = workspace / f"{name}.log"
            logs.append(log)
            with log.open("w") as output:
                options = f"--ros-args --params-file {parameters} -p acres_physics:paused:=true"
                command = in_workspace(workspace, f"{prefix}/lib/acres_ros/{name} {options}")
                processes.append(subprocess.Popen(command, env=clean_environment(), stdout=output, stderr=output))
        deadline = time.monotonic() + START_LIMIT_S
        while not any(READY_TEXT in log.read_text() for log in logs):
            texts = "\n".join(log.read_text()[-2000:] for log in logs)
            assert all(process.poll() is None for process in processes), texts
            assert time.monotonic() < deadline, texts
            time.sleep(0.2)
        for process in processes:
            process.send_signal(signal.SIGINT)
        codes = [process.wait(END_LIMIT_S) for process in processes]
        assert codes == [0, 0], "\n".join(log.read_text()[-2000:] for log in logs)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
