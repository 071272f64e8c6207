"""The program `acres_vehicle`, which publishes what the vehicle publishes.

It joins the graph first and loads the rest then: discovery, which has to be waited for, goes on meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from acres_ros.nodes.parameter_table import VEHICLE_NODE, VEHICLE_PARAMETERS
from acres_ros.nodes.process import Joined, run_node


def _load(joined: Joined) -> Callable[[], None]:
    from acres_ros.nodes.vehicle import load

    return load(joined)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node until it is told to end; return the exit code."""
    return run_node(VEHICLE_NODE, VEHICLE_PARAMETERS, _load, arguments)


if __name__ == "__main__":
    sys.exit(main())
