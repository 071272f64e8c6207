"""What a node's process leaves out while it loads."""

from __future__ import annotations

import subprocess
import sys

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
