"""A ROS domain that no other run of these tests on this machine uses."""

from __future__ import annotations

import os
import socket

FIRST, LAST = 81, 96


def reserve() -> tuple[int, socket.socket | None]:
    """Return a domain, and what keeps it reserved as long as it is open; ACRES_TEST_DOMAIN overrides the choice.

    The name of an abstract Unix socket belongs to one process of the machine and is free again when it ends.
    """
    chosen = os.environ.get("ACRES_TEST_DOMAIN")
    if chosen:
        return int(chosen), None
    for domain in range(FIRST, LAST + 1):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            lock.bind(f"\0acres_ros_test/{domain}")
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError(f"all ROS domains from {FIRST} to {LAST} are in use by tests")
