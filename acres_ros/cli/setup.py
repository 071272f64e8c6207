"""`acres setup`: prepare the machine for every verb, and say what is in use."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib import metadata

HELP = "prepare the machine for every verb, so that no network is needed later, and say what is in use"
INTERFACES = ("acres_interfaces", "ds_dbw_msgs", "simulation_interfaces", "tf2_msgs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the preparation has no options."""


def run(arguments: argparse.Namespace) -> int:
    """Print the Python, the ROS 2 and the interface packages; the preparation itself is done by then."""
    print(f"Python      {platform.python_version()}  {sys.executable}")
    print(f"ROS 2       {os.environ.get('ACRES_ROS', 'as found')}, {os.environ.get('ROS_DISTRO', 'jazzy')}")
    for name in ("numpy", "numba"):
        print(f"{name:<12}{metadata.version(name)}")
    for name in ("rclpy", *INTERFACES):
        module = __import__(name)
        print(f"{name:<22}{os.path.dirname(str(module.__file__))}")
    return 0
