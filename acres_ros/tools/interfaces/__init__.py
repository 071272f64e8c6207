"""Build ROS 2 interface packages without CMake: rosidl generators in one process, then gcc on a few large files.

Only the C and Python sides are made, which is what rclpy and Fast DDS need. The type hashes are those of any build.
"""

from __future__ import annotations

from .build import build_packages
from .errors import CompileFailed, DependencyMissing, InterfaceError, PackageUnreadable, ToolMissing
from .package import InterfacePackage, Prefixes, find_packages

__all__ = [
    "CompileFailed",
    "DependencyMissing",
    "InterfaceError",
    "InterfacePackage",
    "PackageUnreadable",
    "Prefixes",
    "ToolMissing",
    "build_packages",
    "find_packages",
]
