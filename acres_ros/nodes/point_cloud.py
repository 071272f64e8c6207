"""`/rslidar_points`: the scans of the LiDAR as the vendor's driver publishes them.

The bytes of the message are made once, and each scan is written into them: 1.5 MB are then copied once here, by numpy
without a loop, and twice by what follows: rclpy takes a `bytearray` into a string of its own, and the middleware
takes that into the payload.
"""

from __future__ import annotations

import struct
from array import array

from rclpy.serialization import serialize_message
from sensor_msgs.msg import PointCloud2, PointField

from acres_ros.core.clock import NANOSECONDS_PER_SECOND
from acres_ros.core.cloud_layout import CloudLayout
from acres_ros.core.sample import Sweep
from acres_ros.nodes.cdr import EncodingError, layout, wire
from acres_ros.nodes.source import Context

_COUNT = struct.Struct("<I")
_STAMP = struct.Struct("<iI")


class PointCloud:
    """The messages of a LiDAR.

    Args:
        context: names, frames and sensors.

    Raises:
        EncodingError: the middleware would send other bytes.
    """

    def __init__(self, context: Context) -> None:
        config = context.config.lidar
        self.layout = CloudLayout(
            context.sensors.lidar,
            point_type=config.point_type,
            dense_points=config.dense_points,
            send_by_rows=config.send_by_rows,
            ts_first_point=config.ts_first_point,
        )
        message = self._message(context)
        places = {leaf.path: leaf for leaf in layout(message)}
        head = wire(message)
        self._first = places["data"].offset + _COUNT.size
        self._tail = head[self._first :]
        self._buffer = bytearray(head[: self._first]) + bytearray(self.layout.size) + self._tail
        self._places = places
        self._write_counts(self.layout.size // self.layout.point_step)
        self._cells = self.layout.cells(self._buffer, self._first)
        self._check(message)

    def encode(self, sweep: Sweep) -> bytes | bytearray:
        """Return the message of a scan; it holds until the next one."""
        self.layout.write(self._cells, sweep.points, sweep.step)
        stamp = divmod(self.layout.stamp_ns(sweep.step), NANOSECONDS_PER_SECOND)
        _STAMP.pack_into(self._buffer, self._places["header.stamp.sec"].offset, *stamp)
        if not self.layout.is_dense:
            return self._buffer
        dense = self.layout.dense(self._cells, sweep.points)
        self._write_counts(len(dense))
        return b"".join((memoryview(self._buffer)[: self._first], dense, self._tail))

    def _message(self, context: Context) -> PointCloud2:
        """Return the message without its points."""
        cloud = self.layout
        message = PointCloud2(height=cloud.height, width=cloud.width, point_step=cloud.point_step)
        message.header.frame_id = context.config.frames.lidar
        message.fields = [PointField(**field._asdict(), count=1) for field in cloud.fields]
        message.row_step = cloud.width * cloud.point_step
        message.is_dense = cloud.is_dense
        return message

    def _write_counts(self, points: int) -> None:
        """Write the size of the data, and of a row where the cloud is dense: it has one."""
        step = self.layout.point_step
        values = {"data": points * step}
        if self.layout.is_dense:
            values |= {"width": points, "row_step": points * step}
        for path, value in values.items():
            _COUNT.pack_into(self._buffer, self._places[path].offset, value)

    def _check(self, message: PointCloud2) -> None:
        """Compare the bytes of the points, and what lies around them, with those of the middleware."""
        message.data = array("B", memoryview(self._buffer)[self._first : self._first + self.layout.size].tobytes())
        theirs, start = bytes(serialize_message(message)), self._first - _COUNT.size
        if self._buffer[start:] != theirs[start:]:
            raise EncodingError(PointCloud2, start, bytes(self._buffer), theirs)
