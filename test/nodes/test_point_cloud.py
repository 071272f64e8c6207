"""The message of a scan, read as the consumers of the real driver read it, and its place among the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import PointCloud2
from vehicle_rig import Recorder, context, outputs, samples, sensors

from acres_ros.core.lidar import Lidar
from acres_ros.core.sample import Sweep
from acres_ros.nodes.diagnostics import ScanWatch
from acres_ros.nodes.point_cloud import PointCloud
from acres_ros.world.terrain import Terrain

LAST = 0.1 * 1799 / 1800 + 53.63e-6
"""When the last point is fired, s from the first."""


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    """Return a scan of level ground."""
    pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    return Lidar(Terrain.flat()).scan(sensors().lidar, pose, noise=True, step=12).points


def cloud(points: np.ndarray, step: int = 12, **words: Any) -> PointCloud2:
    config = context().config
    encoder = PointCloud(context(config=replace(config, lidar=replace(config.lidar, **words))))
    data = encoder.encode(Sweep(step, 0, 0, 0, points))
    message = deserialize_message(bytes(data), PointCloud2)
    assert len(serialize_message(message)) == len(data)
    return message


def read_points(message: PointCloud2) -> Iterator[dict[str, float]]:
    """Yield the points as `pcl::fromROSMsg` does: by name, type and offset of the fields, cell by cell."""
    formats = {7: np.float32, 8: np.float64, 4: np.uint16}
    fields = {field.name: (formats[field.datatype], field.offset, field.count) for field in message.fields}
    data = bytes(message.data)
    for row in range(message.height):
        for column in range(message.width):
            first = row * message.row_step + column * message.point_step
            yield {
                name: np.frombuffer(data, kind, count, first + offset)[0]
                for name, (kind, offset, count) in fields.items()
            }


def test_a_consumer_of_the_driver_gets_rings_and_times(points: np.ndarray) -> None:
    """As the handlers for this sensor in LIO-SAM and FAST-LIO: fields by name, NaN left out, time from the first."""
    message = cloud(points)
    stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
    assert [field.name for field in message.fields if field.name in ("ring", "timestamp")] == ["ring", "timestamp"]
    assert message.header.frame_id == "rslidar" and not message.is_bigendian and not message.is_dense
    kept = 0
    rings: set[int] = set()
    seen = list(read_points(message))
    assert len(seen) == 57_600
    begin = seen[0]["timestamp"]
    assert begin == stamp == 0.1
    for place, point in enumerate(seen):
        since = point["timestamp"] - begin
        assert 0.0 <= since <= LAST + 1e-9
        assert abs(since - (place // 32 / 18000 + place % 32 * 1.73e-6)) < 1e-9
        assert point["ring"] == 31 - place % 32
        if not np.isfinite(point["x"]):
            assert np.isnan([point["x"], point["y"], point["z"]]).all() and point["intensity"] == 0.0
            continue
        kept += 1
        rings.add(int(point["ring"]))
        assert 0.0 <= point["intensity"] <= 255.0
        # Level ground is seen below the horizon only, and ring 0 looks lowest.
        assert point["ring"] < 22 and point["z"] < 0.0 or point["z"] > -0.6
    assert abs(seen[-1]["timestamp"] - begin - LAST) < 1e-9
    assert kept == np.isfinite(points[:, 0]).sum() > 20_000
    assert 0 in rings


def test_no_point_is_in_the_blind_zone_or_at_the_origin(points: np.ndarray) -> None:
    message = cloud(points, dense_points=True)
    xyz = np.frombuffer(bytes(message.data), np.dtype((np.void, 26)))
    places = np.frombuffer(xyz.tobytes(), np.uint8).reshape(-1, 26)[:, :12].copy().view(np.float32)
    assert np.linalg.norm(places, axis=1).min() > 0.1
    assert message.is_dense and message.height == 1 and np.isfinite(places).all()
    assert message.width == len(places) == np.isfinite(points[:, 0]).sum()
    assert message.row_step == message.width * message.point_step == len(message.data)


def test_the_sizes_of_the_message(points: np.ndarray) -> None:
    for words, width, height, step in (
        ({}, 32, 1800, 26),
        ({"point_type": "XYZI"}, 32, 1800, 16),
        ({"send_by_rows": True}, 1800, 32, 26),
    ):
        message = cloud(points, **words)
        assert (message.width, message.height, message.point_step) == (width, height, step)
        assert message.row_step == width * step and len(message.data) == 57_600 * step


def test_a_dense_message_of_another_size_follows(points: np.ndarray) -> None:
    config = context().config
    encoder = PointCloud(context(config=replace(config, lidar=replace(config.lidar, dense_points=True))))
    fewer = points.copy()
    fewer[:30_000] = (np.nan, np.nan, np.nan, 0.0)
    for some in (points, fewer, points):
        message = deserialize_message(bytes(encoder.encode(Sweep(12, 0, 0, 0, some))), PointCloud2)
        assert message.width == np.isfinite(some[:, 0]).sum()


@pytest.mark.parametrize("step", [12, 13, 120 * 3600 + 7])
def test_the_stamp_is_the_clock_of_the_step(points: np.ndarray, step: int) -> None:
    stamp = cloud(points, step).header.stamp
    assert stamp.sec * 10**9 + stamp.nanosec == (step * 25_000_000 + 1) // 3
    last = cloud(points, step, ts_first_point=False).header.stamp
    assert last.sec * 10**9 + last.nanosec == (step * 25_000_000 + 1) // 3 + round(LAST * 1e9)


def test_its_clock_and_its_tf_are_out_before_the_cloud(points: np.ndarray) -> None:
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(samples(26))
    out.publish_scan(Sweep(12, 0, 0, 0, points))
    out.publish(samples(1, first=27))
    keys = recorder.keys()
    place = keys.index("lidar/points")
    assert keys.count("lidar/points") == 1
    assert keys[:place].count("clock") == keys[:place].count("tf") == 26
    assert keys[place + 1] == "clock", "behind all messages of its step"
    (message,) = recorder.messages("lidar/points")
    stamps = [(m.transforms[0].header.stamp.sec, m.transforms[0].header.stamp.nanosec) for m in recorder.messages("tf")]
    assert (message.header.stamp.sec, message.header.stamp.nanosec) in stamps[:26]


def test_without_a_reader_no_message_is_made(points: np.ndarray) -> None:
    recorder = Recorder()
    out = outputs(recorder, listeners=lambda topic: lambda: 0)
    out.publish_scan(Sweep(12, 0, 0, 0, points))
    assert recorder.log == []


def test_the_diagnostics_tell_of_scans_lateness_and_what_was_left_out(points: np.ndarray) -> None:
    watch = ScanWatch(sensors().lidar)
    assert watch.status(1.0)[:2] == (True, "no scans: nobody reads them, or time stands still")
    for step, dropped in ((12, 0), (24, 1), (48, 1)):
        watch.note(Sweep(step, 0, 0, dropped, points), step + 14)
    good, text, values = watch.status(2.0)
    assert (good, text) == (False, "3.0 scans a second")
    assert watch.status(2.5)[0], "none was left out since"
    assert values == {"scans": "3", "scans_per_second": "3.00", "late_s": "0.0000", "dropped": "1"}
    watch.note(Sweep(60, 0, 0, 1, points), 60 + 14 + 6)
    good, _, values = watch.status(3.0)
    assert not good and values["late_s"] == "0.0500"
