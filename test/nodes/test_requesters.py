"""When a request that waits is given up because who sent it has left."""

from __future__ import annotations

from acres_ros.nodes.requesters import Requesters

ONE, OTHER = object(), object()


def looks(*rows: tuple[object, set[str]]) -> list[bool]:
    requesters = Requesters()
    return [requesters.left(request, clients) for request, clients in rows]


def test_it_is_given_up_when_its_client_has_left_though_another_has_come() -> None:
    assert looks((ONE, {"a"}), (ONE, {"a", "b"}), (ONE, {"b"})) == [False, False, True]


def test_it_stays_while_one_of_those_is_there_that_can_have_asked() -> None:
    assert looks((ONE, {"a", "b"}), (ONE, {"b"}), (ONE, set())) == [False, False, True]


def test_each_request_has_the_clients_of_its_own_time() -> None:
    assert looks((ONE, {"a"}), (OTHER, {"b"}), (OTHER, {"b", "c"}), (OTHER, {"c"})) == [False, False, False, True]


def test_where_the_graph_does_not_tell_it_stays() -> None:
    assert looks((ONE, set()), (ONE, {"a"}), (ONE, set())) == [False] * 3
