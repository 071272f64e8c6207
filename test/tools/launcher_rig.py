"""A copy of the launcher `./acres`, for which a stand-in takes the place of Python.

The stand-in takes the place of venv, pip and the interface builder and writes down how it was called.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

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
        echo "venv ${{*:3}}" >>"$CALLS"
        [[ -z ${{VENV_FOREVER-}} ]] || exec sleep 600 ;;
    "-m pip"*)
        [[ -z ${{PIP_SAYS-}} ]] || echo "$PIP_SAYS"
        [[ -z ${{PIP_WAITS-}} ]] || until [[ -e "$CALLS.go" ]]; do sleep 0.02; done
        echo "pip ${{*:3}}" >>"$CALLS"
        [[ -z ${{PIP_ERROR-}} ]] || {{ echo "$PIP_ERROR"; exit 1; }} ;;
    *"/_program.py acres_ros.tools.interfaces"*)
        [[ -z ${{INTERFACES_WAIT-}} ]] || until [[ -e "$CALLS.compiler" ]]; do sleep 0.02; done
        echo "interfaces" >>"$CALLS"
        [[ -z ${{INTERFACES_FOREVER-}} ]] || exec sleep 600
        exit "${{INTERFACES_CODE-0}}" ;;
    *"/_program.py acres_ros.tools.precompile"*)
        echo $$ >"$CALLS.compiler"
        [[ -z ${{COMPILE_ERROR-}} ]] || {{ echo "$COMPILE_ERROR"; exit 1; }}
        [[ -z ${{COMPILE_FOREVER-}} ]] || exec sleep 600
        mkdir -p "$ACRES_CACHE/acres_ros/0123456789abcdef" && touch "$ACRES_CACHE/acres_ros/0123456789abcdef/$3"
        echo "compile" >>"$CALLS" ;;
    *"/_program.py acres_ros.cli._words"*) exec {sys.executable} {ROOT}/acres_ros/_program.py "${{@:2}}" ;;
    *"/_program.py acres_ros.cli"*) echo "verb ${{*:3}}" >>"$CALLS"; env >"$CALLS.env" ;;
    "-c import rclpy" | "-c import numpy"*) echo "numpy==1.26.4" ;;
    "-c import sysconfig;"*) mkdir -p "{SITE}" && echo "{SITE}" ;;
    *) exec {sys.executable} "$@" ;;
esac
"""


class Machine:
    """A copy of the launcher in a folder of its own, with the stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a checkout of somebody's"
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
        self.cache = folder / "cache"
        self.environment |= {
            "CALLS": str(self.calls_file), "ACRES_PYTHON": str(self.python), "ACRES_CACHE": str(self.cache)
        }  # fmt: skip

    def lock_out(self) -> None:
        """Let nobody write into the checkout, root neither: a file is in the place of the folder of the lock."""
        shutil.rmtree(self.root / ".cache", ignore_errors=True)
        (self.root / ".cache").write_text("")

    def replace_tool(self, name: str, *lines: str) -> None:
        """Let a tool of the machine do nothing but say these lines."""
        tools = self.root.parent / "tools"
        tools.mkdir()
        (tools / name).write_text("\n".join(["#!/bin/sh", *(f"echo '{line}'" for line in lines), ""]))
        (tools / name).chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"

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

    def run_until_said(self, words: str, launchers: int = 1, **variables: str) -> list[str]:
        """Run launchers, of which one says these words while it fetches packages; return what each says."""
        said = [self.root.parent / f"said.{number}" for number in range(launchers)]
        processes = []
        for path in said:
            with path.open("w") as file:
                environment = self.environment | variables | {"PIP_WAITS": "1"}
                processes.append(subprocess.Popen(self.command("up"), env=environment, stderr=file))
        deadline = time.monotonic() + 60.0
        try:
            while not any(words in path.read_text() for path in said):
                assert time.monotonic() < deadline, [path.read_text() for path in said]
                time.sleep(0.02)
        finally:
            Path(f"{self.calls_file}.go").touch()
            codes = [process.wait(60.0) for process in processes]
        assert codes == [0] * launchers
        return [path.read_text() for path in said]

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
