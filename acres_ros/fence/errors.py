"""What goes wrong at the fence, in words: what was found, what was wanted, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from acres_ros.errors import AcresError, UsageError

HOW_TO_GET_IN = (
    "Start it with `./acres run ...` or from `./acres shell`, or call acres_ros.fence.apply() before rclpy.init()."
)


class FenceError(AcresError):
    """The fence is not whole, so nothing may be published."""


class DomainError(FenceError, UsageError):
    """A domain identifier that DDS cannot use."""

    def __init__(self, given: object, source: str) -> None:
        """Take the value and where it came from."""
        super().__init__(f"{source} is {given!r}; the fence needs a whole number from 0 to 101. Unset it to get 77.")


class MiddlewareError(FenceError):
    """An RMW implementation that the fence has no settings for."""

    def __init__(self, given: str, known: Iterable[str]) -> None:
        """Take the name and the names that are known."""
        super().__init__(
            f"RMW_IMPLEMENTATION is {given!r}; the fence knows {', '.join(known)} and no other. Choose one of them."
        )


class ProfileError(FenceError):
    """A settings file of the fence that cannot be used. The middleware would go on without it, in the open."""

    def __init__(self, path: object, reason: str) -> None:
        """Take the path and why it cannot be used."""
        super().__init__(
            f"The fence's settings file {path} cannot be used: {reason}. Without it the middleware would talk to the "
            "whole network, so nothing starts. Install acres_ros again, or give its path."
        )


class OutsideFenceError(FenceError):
    """The environment of this process is not the fence's."""

    def __init__(self, problems: Sequence[str], sentence: str) -> None:
        """Take what is wrong, item by item, and the sentence that overrides the refusal."""
        items = "".join(f"\n  - {problem}" for problem in problems)
        super().__init__(
            "This process is outside the loopback fence. The real vehicle uses the same topics and can move, so "
            f"nothing starts:{items}\n{HOW_TO_GET_IN}\nIf commands really must leave this machine, set the parameter "
            f"outside_fence to exactly: {sentence}"
        )


class OpenSocketError(FenceError):
    """This process holds a socket, or a multicast membership, that reaches beyond loopback."""

    def __init__(self, found: Sequence[str], process: object) -> None:
        """Take descriptions of the sockets and the process they belong to."""
        items = "".join(f"\n  - {item}" for item in found)
        super().__init__(
            f"Process {process} holds network endpoints outside 127.0.0.0/8 and ::1, so the loopback fence is open:"
            f"{items}\nNothing is published. {HOW_TO_GET_IN}"
        )


class SocketsUnreadableError(FenceError):
    """The sockets of a process cannot be listed, so nothing is known about them."""

    def __init__(self, process: object, reason: str) -> None:
        """Take the process and the reason."""
        super().__init__(
            f"The sockets of process {process} cannot be listed ({reason}), so the fence cannot be checked and nothing "
            "starts. /proc must be mounted and readable for this user."
        )


TOPICS_SHOWN = 3


class DuplicateSimulatorError(FenceError):
    """Another node already publishes topics that this one is about to publish."""

    def __init__(self, found: Mapping[str, Sequence[str]], domain: str) -> None:
        """Take the node names for each topic, and the domain."""
        shown = sorted(found.items())[:TOPICS_SHOWN]
        items = "".join(f"\n  - {topic}: {', '.join(nodes)}" for topic, nodes in shown)
        if len(found) > len(shown):
            items += f"\n  - and {len(found) - len(shown)} more topics"
        super().__init__(
            f"Domain {domain} already has a publisher of topics that this node would publish:{items}\n"
            "Two simulators, or a simulator and a player of a bag, would mix their data. End the other one, or start "
            "this one in a domain of its own with ACRES_DOMAIN_ID."
        )


class ProofImpossibleError(FenceError):
    """The proof cannot be carried out here. This says nothing about the fence."""

    def __init__(self, what: str, remedy: str) -> None:
        """Take what is missing and how to get it."""
        super().__init__(f"The fence could not be checked: {what}. {remedy}")
