"""Messages of the size of a LiDAR's cloud, 1.5 MB, through the fence's profile: none is lost at the sensor's rate."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from fence_rig import result_of

READERS = [(reliability, work_s) for reliability in ("BEST_EFFORT", "RELIABLE") for work_s in ("0", "0.05")]
CLOUDS = 25


def test_no_reader_at_10_hz_loses_a_cloud(start: Callable[..., subprocess.Popen[str]], fenced: dict[str, str]) -> None:
    """Four at once, two of them with a callback of 50 ms: half of the time that they have."""
    readers = [start(fenced, "hear_clouds", "points", *reader, str(CLOUDS)) for reader in READERS]
    start(fenced, "publish_clouds", "points", "10", str(CLOUDS), str(len(READERS)))
    heard = {reader: result_of(process)["heard"] for reader, process in zip(READERS, readers, strict=True)}
    assert heard == dict.fromkeys(READERS, list(range(CLOUDS)))
