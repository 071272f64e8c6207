"""The folder of all that is made on first use, and the removal of what nothing uses any more.

Several checkouts share the folder. None of them says what is its own, but each process that starts says what it uses.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

UNUSED_DAYS = 30


def cache_base() -> Path:
    """Return the folder: below `ACRES_CACHE`, or below the user's cache folder."""
    base = os.environ.get("ACRES_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "acres_ros"


def remove_unused(folders: Iterable[Path]) -> list[Path]:
    """Remove the folders that nothing has used for a month; return them. Those of another user stay.

    Args:
        folders: the time of each is that of its last use.
    """
    oldest = time.time() - UNUSED_DAYS * 86400.0
    unused = []
    for path in folders:
        with contextlib.suppress(FileNotFoundError):  # another preparation removes them too
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path, ignore_errors=True)
                if not path.exists():
                    unused.append(path)
    return unused
