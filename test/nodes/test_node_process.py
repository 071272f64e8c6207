"""What a node's process leaves out while it loads, and what it says where that does not work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acres_ros.nodes.process import EXIT_OK, EXIT_REFUSED

PROGRAM = """
import gc
import sys
from acres_ros.nodes.process import _loading

with _loading():
    assert not gc.isenabled()
    from acres_ros.core import kinematics
    kinematics.warm()
    assert "numba.np.arraymath" in sys.modules
    assert sys.modules["scipy.linalg"] is None
assert gc.isenabled() and gc.get_freeze_count() > 100_000
import scipy.linalg
print(scipy.linalg.expm([[0.0]]))
"""


def test_scipy_stays_out_and_can_be_imported_later() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "[[1.]]\n"), result.stderr


def test_a_damaged_cache_of_compiled_code_is_told_with_its_folder(tmp_path: Path) -> None:
    program = """
from acres_ros.nodes.process import CompiledCodeError, _loading
try:
    with _loading():
        from acres_ros.core.kinematics import quaternion
        quaternion((0.1, 0.2, 0.3))
    print("loaded")
except CompiledCodeError as error:
    print(error)
"""

    def said() -> str:
        environment = os.environ | {"ACRES_CACHE": str(tmp_path)}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert said() == "loaded\n"
    indexes = list(tmp_path.rglob("*.nbi"))
    assert indexes
    for path in indexes:
        os.truncate(path, path.stat().st_size // 2)
    (folder,) = (tmp_path / "acres_ros").iterdir()
    assert said().startswith(f"the compiled code in {folder} is damaged (")


REFUSING = """
import os, signal, sys
from acres_ros.errors import AcresError
from acres_ros.nodes import process

class Refused(AcresError):
    def __init__(self):
        {at_making}
        super().__init__("not here")

class Errors:
    def write(self, text):
        {at_printing}
        return sys.__stderr__.write(text)

def refuse(**_):
    raise Refused

process.fence.require_fence = refuse
sys.stderr = Errors()
code = process.run_node("a_node", (), None, ["a_node"])
sys.stderr = sys.__stderr__
sys.exit(code)
"""
SIGNAL = "os.kill(os.getpid(), signal.SIGTERM)"


@pytest.mark.parametrize(
    ("places", "said", "code"),
    [
        ({"at_making": "pass", "at_printing": SIGNAL}, "a_node: not here\n", EXIT_REFUSED),
        ({"at_making": SIGNAL, "at_printing": "pass"}, "", EXIT_OK),
    ],
)
def test_a_signal_at_a_refusal_gives_no_traceback(places: dict[str, str], said: str, code: int) -> None:
    program = [sys.executable, "-c", REFUSING.format(**places)]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (result.stderr, result.returncode) == (said, code)
