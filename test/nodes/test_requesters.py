"""When a request that waits is given up because who sent it has left."""

from __future__ import annotations

from acres_ros.nodes.requesters import SETTLING_LOOKS, Requesters

ONE, OTHER = object(), object()


def looks(*rows: tuple[object, str], requesters: Requesters | None = None) -> list[bool]:
    """Return what each look says: the request, and the clients that are there, one letter each."""
    requesters = requesters or Requesters()
    return [requesters.left(request, set(clients)) for request, clients in rows]


def settled(clients: str, request: object = ONE) -> Requesters:
    """Return a decision whose first looks have seen some clients."""
    requesters = Requesters()
    assert not any(looks(*[(request, clients)] * SETTLING_LOOKS, requesters=requesters))
    return requesters


def test_it_is_given_up_when_its_client_has_left_though_another_has_come() -> None:
    assert looks((ONE, "a"), (ONE, "ab"), (ONE, "b"), requesters=settled("a")) == [False, False, True]


def test_it_stays_while_one_of_those_is_there_that_can_have_asked() -> None:
    assert looks((ONE, "b"), (ONE, ""), requesters=settled("ab")) == [False, True]


def test_who_is_seen_a_moment_late_can_have_asked() -> None:
    """One that has left is still seen, and the one that asked is not seen yet."""
    first = [(ONE, "old"), (ONE, ""), *[(ONE, "a")] * SETTLING_LOOKS]
    assert looks(*first, (ONE, "a"), (ONE, "b")) == [False] * len(first) + [False, True]


def test_each_request_has_the_clients_of_its_own_time() -> None:
    requesters = settled("a")
    assert looks(*[(OTHER, "b")] * SETTLING_LOOKS, requesters=requesters) == [False] * SETTLING_LOOKS
    assert looks((OTHER, "bc"), (OTHER, "c"), requesters=requesters) == [False, True]


def test_where_the_graph_does_not_tell_it_stays() -> None:
    assert looks((ONE, "a"), (ONE, ""), requesters=settled("")) == [False] * 2
