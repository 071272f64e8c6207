"""The layout of the cloud is the driver's, frozen by names, offsets and bytes."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acres_ros.core.cloud_layout import CloudLayout
from acres_ros.core.lidar_pattern import LidarPattern


def layout(pattern: LidarPattern | None = None, **changes: Any) -> CloudLayout:
    words = {"point_type": "XYZIRT", "dense_points": False, "send_by_rows": False, "ts_first_point": True}
    return CloudLayout(pattern or LidarPattern.helios(), **{**words, **changes})


def three_by_two() -> LidarPattern:
    """Return two columns of three beams, 10 Hz: columns 50 ms apart; firing order top, bottom, middle."""
    return replace(
        LidarPattern.helios(), columns=2, vertical_deg=(10.0, -10.0, 0.0), firing_us=(0.0, 1.5, 3.0), axis_offset_m=0.0
    )


POINTS = np.arange(24, dtype=np.float32).reshape(6, 4)
POINTS[4] = (np.nan, np.nan, np.nan, 0.0)


def written(cloud: CloudLayout, step: int = 12) -> bytes:
    data = bytearray(3 + cloud.size)
    cells = cloud.cells(data, 3)
    cloud.write(cells, POINTS, step)
    if cloud.is_dense:
        return cloud.dense(cells, POINTS).tobytes()
    return bytes(data[3:])


@pytest.mark.parametrize(
    ("point_type", "step", "size", "names"),
    [
        ("XYZI", 16, 921_600, "x:7@0 y:7@4 z:7@8 intensity:7@12"),
        ("XYZIRT", 26, 1_497_600, "x:7@0 y:7@4 z:7@8 intensity:7@12 ring:4@16 timestamp:8@18"),
    ],
)
def test_fields_and_sizes_are_those_of_the_driver(point_type: str, step: int, size: int, names: str) -> None:
    cloud = layout(point_type=point_type)
    assert " ".join(f"{name}:{code}@{offset}" for name, code, offset in cloud.fields) == names
    assert (cloud.point_step, cloud.size, cloud.is_dense) == (step, size, False)
    assert (cloud.width, cloud.height) == (32, 1800), "the two are swapped on purpose"
    rows = layout(point_type=point_type, send_by_rows=True)
    assert (rows.width, rows.height) == (1800, 32)


def test_dense_points_switch_the_rows_off() -> None:
    cloud = layout(three_by_two(), dense_points=True, send_by_rows=True)
    assert (cloud.height, cloud.is_dense) == (1, True)
    assert written(cloud) == written(layout(three_by_two(), dense_points=True))


def test_the_bytes_of_each_cell() -> None:
    # Ring 0 is the lowest beam: of 10, -10, 0 degrees these are 2, 0, 1. Step 12 is 0.1 s.
    wanted = b""
    for beam, (ring, after) in enumerate([(2, 0.0), (0, 1.5e-6), (1, 3e-6), (2, 0.05), (0, 0.0500015), (1, 0.050003)]):
        wanted += struct.pack("<ffffHd", *POINTS[beam].tolist(), ring, 0.1 + after)
    assert written(layout(three_by_two())) == wanted
    by_rows = [wanted[26 * cell : 26 * cell + 26] for cell in (0, 3, 1, 4, 2, 5)]
    assert written(layout(three_by_two(), send_by_rows=True)) == b"".join(by_rows)
    dense = [wanted[26 * cell : 26 * cell + 26] for cell in (0, 1, 2, 3, 5)]
    assert written(layout(three_by_two(), dense_points=True)) == b"".join(dense)
    assert written(layout(three_by_two(), point_type="XYZI")) == POINTS.tobytes()


def test_the_rings_of_the_helios_count_from_the_lowest_beam() -> None:
    cloud = layout()
    cells = cloud.cells(bytearray(cloud.size))
    assert cells["ring"].shape == (1800, 32)
    assert (cells["ring"] == np.arange(31, -1, -1)).all(), "fired from the top, ring 31 is +15 degrees"


def test_the_stamp_is_the_time_of_the_first_point_or_of_the_last() -> None:
    assert layout().stamp_ns(1) == 8_333_333
    # Column 1799 of 1800 in 0.1 s, and the last of its beams 53.63 us later.
    assert layout(ts_first_point=False).stamp_ns(120) == 1_000_000_000 + round(1e9 * (0.1 * 1799 / 1800 + 53.63e-6))


def test_a_sweep_that_is_fired_from_one_pose_is_of_one_moment() -> None:
    frozen = replace(three_by_two(), rolling=False)
    times = np.frombuffer(written(layout(frozen)), np.dtype([("p", "V18"), ("t", "<f8")]))["t"]
    assert times.tolist() == [0.1] * 6
    assert layout(frozen, ts_first_point=False).stamp_ns(12) == 100_000_000


def test_the_times_are_those_of_the_stamps_a_day_later() -> None:
    step = 120 * 86_400 + 1
    times = np.frombuffer(written(layout(three_by_two()), step), np.dtype([("p", "V18"), ("t", "<f8")]))["t"]
    assert abs(times[0] - (86_400 + 1 / 120)) < 1e-9
    np.testing.assert_allclose(np.diff(times)[:2], 1.5e-6, atol=1.5e-11)
