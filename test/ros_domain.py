"""ROS domains that no other test on this machine uses, in this run or in another one."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

# Below those of the two tests of links, which are names and no domains of DDS.
FIRST, LAST = 26, 97
FENCE = 77
"""The domain of whoever asks for none."""
_held: list[int] = []


class NoDomainError(RuntimeError):
    """Every domain of the tests is in use."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"all ROS domains from {FIRST} to {LAST} are in use by tests; their locks are in {folder}")


def reserve(folder: Path = Path("/tmp")) -> int:
    """Return a domain that belongs to this process until it ends.

    A lock on a file stands for it, which the kernel takes back when the process is gone, however it ended.
    """
    for domain in range(FIRST, LAST + 1):
        if domain == FENCE:
            continue
        path = folder / f"acres_ros_test_domain.{domain}"
        try:
            # Reading is enough for a lock, and is allowed on the file of another user.
            lock = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            lock = os.open(path, os.O_RDONLY | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        _held.append(lock)
        return domain
    raise NoDomainError(folder)
