"""The loopback fence: no message of the simulator reaches a real vehicle, and the means to prove it.

Imports nothing of this package but its errors, and rclpy nowhere at import.
"""

from __future__ import annotations

from acres_ros.fence.errors import DuplicateSimulatorError, FenceError, ProofImpossibleError
from acres_ros.fence.graph import other_publishers
from acres_ros.fence.process import (
    ACCEPTANCE,
    PARAMETER,
    check_environment,
    check_sockets,
    describe,
    override_from_arguments,
    require_fence,
)
from acres_ros.fence.settings import apply, environment, variables

__all__ = [
    "ACCEPTANCE",
    "PARAMETER",
    "DuplicateSimulatorError",
    "FenceError",
    "ProofImpossibleError",
    "apply",
    "check_environment",
    "check_sockets",
    "describe",
    "environment",
    "other_publishers",
    "override_from_arguments",
    "require_fence",
    "variables",
]
