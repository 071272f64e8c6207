"""Who is at the two ends of the link: its name, the user and process of a peer, and whether the versions agree."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import struct
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core._link_frames import PROTOCOL_VERSION, Frame, LinkError, NotAFrameError, layout_hash

PHYSICS = "acres_physics"
VEHICLE = "acres_vehicle"

_AGENT = re.compile(r"[A-Za-z0-9_/]{0,64}")
_CREDENTIALS = struct.Struct("3i")


class LinkNameError(LinkError):
    """Report a domain or an agent that cannot name a link."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        super().__init__(f"{name} is {given!r}; it has to be {wanted}.")
        self.given = given


class PhysicsRunningError(LinkError):
    """Report that the name of the link is taken."""

    def __init__(self, domain: int, agent: str | None, process: int | None) -> None:
        who = f" (process {process})" if process else ""
        name = "" if agent is None else f" and {agent_words(agent)}"
        super().__init__(
            f"another {PHYSICS} with ROS domain {domain}{name} is running{who}. "
            "End it first, or choose another domain with ACRES_DOMAIN_ID."
        )
        self.process = process


class LinkRefusedError(LinkError):
    """Report that acres_physics does not take this vehicle node; it says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{PHYSICS} refused this {VEHICLE}: {reason}")
        self.reason = reason


class SampleLayoutError(LinkError):
    """Report samples of another type than the link was made for."""

    def __init__(self, shape: tuple[int, ...], item_bytes: int) -> None:
        super().__init__(
            f"the link was given an array of shape {shape} with {item_bytes} bytes for each item; "
            "it carries one-dimensional arrays of its sample record only."
        )


class Credentials(NamedTuple):
    """The process, the user and the group of a peer."""

    process: int
    user: int
    group: int


def link_address(domain: int | None, agent: str) -> tuple[str, int]:
    """Return the abstract socket address of a link and its ROS domain.

    Args:
        domain: ROS domain; None takes ROS_DOMAIN_ID of the environment, 0 where that is not set.
        agent: name of the vehicle; empty for the first one.

    Raises:
        LinkNameError: the domain or the agent cannot be part of a name.
    """
    given = os.environ.get("ROS_DOMAIN_ID") or "0" if domain is None else domain
    try:
        number = int(given)
    except ValueError:
        number = -1
    if number < 0:
        raise LinkNameError("the ROS domain", given, "a whole number of 0 or more")
    if not _AGENT.fullmatch(agent):
        raise LinkNameError("the agent", agent, "at most 64 letters, digits, _ and /")
    return f"\0acres_ros/{number}/{agent or '-'}", number


def claim_domain(domain: int | None = None) -> socket.socket:
    """Claim a ROS domain for one simulator, whatever its agent: its services have the names of the standard.

    The claim is an abstract socket, which the system frees with the process.

    Args:
        domain: ROS domain; None takes ROS_DOMAIN_ID of the environment.

    Returns:
        The socket; close it to give the domain back.

    Raises:
        PhysicsRunningError: another simulator has the domain.
    """
    _, number = link_address(domain, "")
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(f"\0acres_ros/{number}")
    except OSError as error:
        claim.close()
        if error.errno != errno.EADDRINUSE:
            raise
        raise PhysicsRunningError(number, None, None) from None
    return claim


def agent_words(agent: str) -> str:
    """Return the agent as part of a sentence."""
    return f"agent {agent!r}" if agent else "the first agent"


def credentials(connection: socket.socket) -> Credentials:
    """Return who is at the other end, as the kernel knows it."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return Credentials(*_CREDENTIALS.unpack(raw))


def refusal_of_user(who: Credentials) -> str | None:
    """Return why a peer of another user is refused, or None."""
    if who.user == os.geteuid():
        return None
    return f"process {who.process} belongs to user {who.user}, this node to user {os.geteuid()}. Run both as one user."


def content_of(frame: Frame) -> dict[str, Any]:
    """Return the JSON object of a frame.

    Raises:
        NotAFrameError: it holds none.
    """
    try:
        content = json.loads(frame.content)
    except (ValueError, RecursionError):  # it may nest as deep as it is long
        content = None
    if not isinstance(content, dict):
        raise NotAFrameError("the other node", bytes(frame.content[:16]))
    return content


def about_of(frame: Frame) -> dict[str, Any]:
    """Return what a vehicle node says of itself as it joins: an object of objects.

    Raises:
        NotAFrameError: it says something else.
    """
    about = content_of(frame).get("about", {})
    if not isinstance(about, dict) or not all(isinstance(value, dict) for value in about.values()):
        raise NotAFrameError("the other node", bytes(frame.content[:16]))
    return about


def mismatch(frame: Frame, identity: dict[str, Any]) -> str | None:
    """Return in what the other node differs from this one, or None."""
    theirs = content_of(frame)
    for key, ours in identity.items():
        if theirs.get(key) != ours:
            return (
                f"the {key} of the samples is {ours!r} at one end and {theirs.get(key)!r} at the other; the nodes are "
                "of different versions. Start both from the same installation."
            )
    return None


def identity_of(dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return what both ends have to agree on.

    Args:
        dtype: structured type of one sample.
    """
    return {"protocol": PROTOCOL_VERSION, "layout": layout_hash(dtype)}
