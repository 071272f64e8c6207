"""Is another simulator already publishing what this one would?"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from typing import Any

from acres_ros.fence.errors import DuplicateSimulatorError

DISCOVERY_S = 1.5
_LOOK_EVERY_S = 0.05
# rmw's placeholder for a publisher whose node has not been announced yet: endpoints and node names arrive separately.
_UNKNOWN = "_NODE_NAME_UNKNOWN_"
_UNNAMED_NODE = "a node that has not told its name yet"


def other_publishers(
    node: Any,
    topics: Iterable[str],
    own_gids: Collection[tuple[int, ...]] = (),
    wait_s: float = DISCOVERY_S,
    since: float | None = None,
) -> None:
    """Refuse when another node already publishes one of the topics; call it before creating publishers of them.

    Discovery goes on in the middleware's threads, so the node need not be spun meanwhile.

    Args:
        node: an rclpy node.
        topics: full names of the topics this program is about to publish (reports and /clock, not commands: those are
            the client's).
        own_gids: endpoint gids, as in `publisher_gids`, that don't count.
        wait_s: wall time in s to wait for discovery; it ends as soon as a foreign publisher is known by name.
        since: monotonic time in s from which it counts: since when this process has been in the graph. None: now.

    Raises:
        DuplicateSimulatorError: with the topics and the names of the nodes.
    """
    topics = sorted(set(topics))
    own = {tuple(gid) for gid in own_gids}
    end = (time.monotonic() if since is None else since) + wait_s
    while True:
        found = {}
        for topic in topics:
            names = _other_names(node, topic, own)
            if names:
                found[topic] = names
        left = end - time.monotonic()
        if found and (left <= 0.0 or not any(_UNNAMED_NODE in names for names in found.values())):
            raise DuplicateSimulatorError(found, os.environ.get("ROS_DOMAIN_ID", "0"))
        if left <= 0.0:
            return
        time.sleep(min(_LOOK_EVERY_S, left))


def publisher_gids(node: Any, topics: Iterable[str]) -> set[tuple[int, ...]]:
    """Return the gids of all publishers known now on the topics, this node's own among them."""
    return {tuple(info.endpoint_gid) for topic in topics for info in node.get_publishers_info_by_topic(topic)}


def _other_names(node: Any, topic: str, own: Collection[tuple[int, ...]]) -> list[str]:
    """Return the full names of the nodes that publish a topic, but for the given endpoints."""
    names = set()
    for info in node.get_publishers_info_by_topic(topic):
        if tuple(info.endpoint_gid) not in own:
            unknown = info.node_name == _UNKNOWN
            names.add(_UNNAMED_NODE if unknown else f"{info.node_namespace.rstrip('/')}/{info.node_name}")
    return sorted(names)
