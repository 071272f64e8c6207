"""How long a newcomer looks for others: from when it has been in the graph."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from acres_ros import fence
from acres_ros.fence.graph import DISCOVERY_S


class Graph:
    """A node that sees some publishers of each topic."""

    def __init__(self, *names: str) -> None:
        self.looks = 0
        self._seen = [SimpleNamespace(endpoint_gid=[1], node_name=name, node_namespace="/") for name in names]

    def get_publishers_info_by_topic(self, topic: str) -> list[SimpleNamespace]:
        """Return the publishers."""
        self.looks += 1
        return self._seen


def test_who_has_been_in_the_graph_long_enough_looks_once() -> None:
    graph = Graph()
    fence.other_publishers(graph, ["/clock"], since=time.monotonic() - DISCOVERY_S)
    assert graph.looks == 1
    with pytest.raises(fence.DuplicateSimulatorError, match="/other"):
        fence.other_publishers(Graph("other"), ["/clock"], since=time.monotonic() - DISCOVERY_S)


def test_what_is_left_of_the_time_is_waited_for() -> None:
    graph, since = Graph(), time.monotonic() - DISCOVERY_S + 0.2
    fence.other_publishers(graph, ["/clock"], since=since)
    assert time.monotonic() >= since + DISCOVERY_S
    assert graph.looks > 1
