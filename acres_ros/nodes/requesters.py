"""Whether who asked still waits for the answer: a client that has died must not keep the others from stepping."""

from __future__ import annotations

from collections.abc import Hashable, Set

from acres_ros.errors import AcresError

SETTLING_LOOKS = 5
"""Looks until discovery has told of whoever was there when a request came, whatever it told first."""


class RequesterLeftError(AcresError):
    """A request whose answer nobody waits for any more."""

    def __init__(self) -> None:
        super().__init__("no step was run: every client that can have asked has left")


class Requesters:
    """Decide when a request is to be given up.

    A request does not tell which client of its service sent it. The one that did was among those that the first looks
    see, so it has left when all of these have.
    """

    def __init__(self) -> None:
        self._request: object = None
        self._looks = 0
        self._asked: Set[Hashable] = frozenset()

    def left(self, request: object, clients: Set[Hashable]) -> bool:
        """Tell whether every client that can have sent a request has left.

        Args:
            request: the one that waits now.
            clients: of its service, in the graph; none at the first looks means that the graph does not tell.
        """
        if request is not self._request:
            self._request, self._looks, self._asked = request, 0, frozenset()
        self._looks += 1
        if self._looks <= SETTLING_LOOKS:
            self._asked |= clients
            return False
        return bool(self._asked) and self._asked.isdisjoint(clients)
