"""The layout of a point cloud as RoboSense's `rslidar_sdk` (1.5.19) sends it, and the numbers in it.

Points lie without padding: x, y, z (m) and intensity (0 to 255) as float32; with XYZIRT then ring (uint16) and
timestamp (float64, absolute seconds) at byte 18, which is aligned to nothing. Each beam has its cell, with a return or
not: without one x, y, z are NaN and intensity is 0. Cells are azimuth after azimuth, the beams of each in the order of
firing, with width and height swapped: width is the number of beams. `send_by_rows` gives a row for each beam,
`dense_points` only the points with a return, in one row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from acres_ros.core.clock import NANOSECONDS_PER_SECOND, stamp_ns
from acres_ros.core.lidar_pattern import LidarPattern

FLOAT32, FLOAT64, UINT16 = 7, 8, 4
"""Codes of `sensor_msgs/msg/PointField`."""


class CloudField(NamedTuple):
    """One field of a point: name, code of `sensor_msgs/msg/PointField`, first byte."""

    name: str
    datatype: int
    offset: int


_XYZI = tuple(CloudField(name, FLOAT32, 4 * index) for index, name in enumerate(("x", "y", "z", "intensity")))
FIELDS = {"XYZI": _XYZI, "XYZIRT": (*_XYZI, CloudField("ring", UINT16, 16), CloudField("timestamp", FLOAT64, 18))}
"""Fields by point type."""
POINT_STEPS = {"XYZI": 16, "XYZIRT": 26}
# Opaque bytes: numpy copies them whole, six times as fast as four floats of a cell one by one.
_XYZI_BYTES, _TIME_BYTES = "V16", "V8"


class CloudLayout:
    """Where the numbers of a sweep lie in a message.

    Args:
        pattern: the beams of a sweep.
        point_type: XYZI or XYZIRT.
        dense_points: only the points with a return; `send_by_rows` is then off, as in the driver.
        send_by_rows: a row for each beam, else one for each azimuth.
        ts_first_point: the stamp is the time of the first point, else of the last.

    Attributes:
        fields: of a point.
        point_step: bytes of a point.
        width, height: of the whole cloud; a dense one is as wide as it has points.
        is_dense: whether every point is valid.
    """

    def __init__(
        self,
        pattern: LidarPattern,
        *,
        point_type: str,
        dense_points: bool,
        send_by_rows: bool,
        ts_first_point: bool,
    ) -> None:
        self.fields = FIELDS[point_type]
        self.point_step = POINT_STEPS[point_type]
        self.is_dense = dense_points
        self._by_rows = send_by_rows and not dense_points
        self._shape = pattern.columns, pattern.rings
        self.width, self.height = reversed(self._shape) if not self._by_rows else self._shape
        if dense_points:
            self.width, self.height = pattern.beam_count, 1
        # Fired from one pose, all points are of one moment.
        self._times = pattern.times_s.reshape(self._shape) if pattern.rolling else np.zeros(self._shape)
        self._last_ns = 0 if ts_first_point else round(float(self._times.max()) * NANOSECONDS_PER_SECOND)
        self._stamps = np.empty(self._shape)
        names = ["xyzi", "ring", "timestamp"] if point_type == "XYZIRT" else ["xyzi"]
        self._cell = np.dtype(
            {
                "names": names,
                "formats": [_XYZI_BYTES, "<u2", _TIME_BYTES][: len(names)],
                "offsets": [0, 16, 18][: len(names)],
                "itemsize": self.point_step,
            }
        )
        order = np.argsort(pattern.vertical_deg, kind="stable")
        self._rings = np.empty(pattern.rings, np.uint16)
        self._rings[order] = np.arange(pattern.rings)

    @property
    def size(self) -> int:
        """Return the bytes of a whole cloud."""
        return self._shape[0] * self._shape[1] * self.point_step

    def stamp_ns(self, step: int) -> int:
        """Return the time of a sweep that begins at a step, ns."""
        return stamp_ns(step) + self._last_ns

    def cells(self, data: bytearray, first: int = 0) -> np.ndarray:
        """Return the cells (columns, rings) of a whole cloud in a buffer, with their rings written.

        Args:
            data: the buffer.
            first: first byte of the cloud in it.
        """
        count = self._shape[0] * self._shape[1]
        flat = np.frombuffer(data, self._cell, count, first)
        cells = flat.reshape(self._shape[::-1]).T if self._by_rows else flat.reshape(self._shape)
        if "ring" in (self._cell.names or ()):
            cells["ring"] = self._rings
        return cells

    def write(self, cells: np.ndarray, points: np.ndarray, step: int) -> None:
        """Write a sweep.

        Args:
            cells: from `cells`.
            points: f4 (beams, 4): x, y, z (m), intensity; NaN and 0 for no return.
            step: step count at its first column.
        """
        cells["xyzi"] = points.view(_XYZI_BYTES).reshape(self._shape)
        if "timestamp" in (self._cell.names or ()):
            np.add(self._times, stamp_ns(step) / NANOSECONDS_PER_SECOND, out=self._stamps)
            cells["timestamp"] = self._stamps.view(_TIME_BYTES)

    def dense(self, cells: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Return a copy of the cells of a written sweep that had a return (n,), in the order of firing."""
        return cells.ravel()[np.isfinite(points[:, 0])]
