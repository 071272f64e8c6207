"""What a node asks before it speaks: is this process inside the loopback fence?

Order of use in a node program: `require_fence(override=override_from_arguments(sys.argv))` before rclpy.init(), then
`require_fence(node, override=...)` after the first node exists and before its first publisher.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acres_ros.fence import settings, sockets
from acres_ros.fence.errors import OpenSocketError, OutsideFenceError

PARAMETER = "outside_fence"
ACCEPTANCE = "I accept that commands can reach a real vehicle"


def check_environment(environ: Mapping[str, str] | None = None) -> None:
    """Refuse an environment that is not the fence's; call it before rclpy.init(), when nothing was sent yet.

    Raises:
        OutsideFenceError: with every reason.
        ProfileError: the fence's own settings file is missing.
    """
    found = settings.problems(environ)
    if found:
        raise OutsideFenceError(found, ACCEPTANCE)


def check_sockets(pid: int | str = "self", *, rmw: str | None = None) -> list[sockets.Held]:
    """Refuse when a process holds a network endpoint off loopback; call it when the first node exists.

    Cyclone DDS binds its receiving UDP sockets to 0.0.0.0 whatever its settings say. Under that RMW alone such a socket
    is accepted: the settings make it send from 127.0.0.1 only, from which the kernel sends to no other machine.

    Args:
        pid: process number, or `self`. Multicast memberships are asked for `self` only.
        rmw: RMW implementation; the one of RMW_IMPLEMENTATION by default.

    Returns:
        The sockets that were looked at.

    Raises:
        OpenSocketError: with every endpoint.
        SocketsUnreadableError: they cannot be listed.
    """
    rmw = rmw or settings.chosen_middleware(os.environ)
    held = sockets.held_sockets(pid)
    found = [str(s) for s in held if not (s.stays_local or (rmw == settings.CYCLONE_DDS and s.any_address))]
    if str(pid) in ("self", str(os.getpid())):
        found += sockets.joined_groups()
    if found:
        raise OpenSocketError(found, pid)
    return held


def require_fence(node: Any = None, override: str = "") -> str | None:
    """Refuse to go on outside the fence, unless the operator has spelt out that commands may leave this machine.

    Args:
        node: an rclpy node once there is one: its parameter `outside_fence` is read (and declared, if it is not yet)
            and the sockets are looked at. None before rclpy.init(): only the environment is.
        override: the value of `outside_fence` where it is known already.

    Returns:
        None inside the fence; else a warning to be logged at every start.

    Raises:
        FenceError: outside the fence without the exact sentence.
    """
    if node is not None and not override:
        if not node.has_parameter(PARAMETER):
            node.declare_parameter(PARAMETER, "")
        override = str(node.get_parameter(PARAMETER).value)
    if override == ACCEPTANCE:
        return (
            "OUTSIDE THE FENCE: outside_fence was set, so nothing keeps these messages on this machine. Vehicle "
            "commands and reports of the simulator use the topics of the real vehicle, which can move."
        )
    check_environment()
    if node is not None:
        check_sockets()
    return None


def override_from_arguments(arguments: Sequence[str]) -> str:
    """Return the value of `outside_fence` among ROS arguments, so that it is known before rclpy.init().

    Args:
        arguments: a command line: `-p [node:]outside_fence:=TEXT` (or `--param`), and `--params-file FILE`. As in ROS,
            the last one counts.
    """
    found = ""
    for flag, value in zip(arguments, arguments[1:], strict=False):
        if flag in ("-p", "--param"):
            name, assigned, text = value.partition(":=")
            if assigned and name.rpartition(":")[2] == PARAMETER:
                found = text.strip().strip("\"'")
        elif flag == "--params-file":
            found = _override_from_file(Path(value)) or found
    return found


def _override_from_file(path: Path) -> str:
    """Return `outside_fence` of a ROS parameter file, or nothing; rclpy itself refuses a file that cannot be read."""
    import yaml  # comes with rclpy

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return ""
    return _find_parameter(content)


def _find_parameter(content: object) -> str:
    """Return `outside_fence` of the first `ros__parameters` block that holds it; node names may nest as namespaces."""
    if not isinstance(content, Mapping):
        return ""
    block = content.get("ros__parameters")
    if isinstance(block, Mapping) and isinstance(block.get(PARAMETER), str):
        return block[PARAMETER]
    for value in content.values():
        found = _find_parameter(value)
        if found:
            return found
    return ""


def describe() -> str:
    """Return the settings of a fence that `require_fence` found whole, in one line, the same on every machine."""
    domain = os.environ.get("ROS_DOMAIN_ID", "not set")
    multicast = "on" if sockets.loopback_multicast() else "off"
    return (
        f"Fence: {settings.chosen_middleware(os.environ)}, domain {domain}, 127.0.0.1 only, found by unicast "
        f"(multicast on lo is {multicast}; it is not used)."
    )
