"""Processes for the tests of the fence: with and without it, in this network or in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from fence_rig import DOMAIN, PROGRAMS, ROOT

from acres_ros.fence import ProofImpossibleError, environment
from acres_ros.fence.proof import isolation, require_tools
from acres_ros.fence.settings import without_fence

# In a network of its own: the layout of the proof first, then the program in the same process.
APART = (
    "import os, sys; from acres_ros.fence.enclosure import lay_out_network; lay_out_network(); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


@pytest.fixture
def base() -> dict[str, str]:
    """Return the environment that processes of the tests start from; a test that needs ROS skips without it."""
    pytest.importorskip("rclpy")
    return {
        **os.environ,
        "ACRES_DOMAIN_ID": str(DOMAIN),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "RMW_IMPLEMENTATION": "rmw_fastrtps_cpp",
    }


@pytest.fixture
def fenced(base: dict[str, str]) -> dict[str, str]:
    """Return the environment of a process inside the fence."""
    return environment(base)


@pytest.fixture
def unfenced(base: dict[str, str]) -> dict[str, str]:
    """Return the environment of a process with the middleware's defaults; only for a network of its own."""
    return without_fence(base)


@pytest.fixture
def apart() -> list[str]:
    """Return the command that runs Python in a network of its own; skips, in words, where that is not permitted."""
    try:
        require_tools()
        return [*isolation(), sys.executable, "-c", APART]
    except ProofImpossibleError as error:
        pytest.skip(str(error))


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[str]]:
    """Return a function that starts one of the programs; what still runs at the end of the test is ended."""
    started: list[subprocess.Popen[str]] = []

    def begin(environ: dict[str, str], *arguments: str, **options: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(PROGRAMS), *arguments], env=environ, stdout=subprocess.PIPE, text=True, **options
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
