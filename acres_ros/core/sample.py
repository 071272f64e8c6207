"""What leaves the physics: the sample of each step, in one record, and the scans of the LiDAR."""

from typing import NamedTuple

import numpy as np

from acres_ros._record import Field, Record, part
from acres_ros.core.fault_marks import FAULT_MARKS
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.models.navigation_state import NAVIGATION
from acres_ros.models.state import VEHICLE

SAMPLE_RECORD = Record(
    "SAMPLE",
    (
        Field("step", "-", 0, "world step count k after the step; the stamp of everything in it", int),
        Field("epoch", "-", 0, "number of resets before the step", int),
        Field("epoch_step", "-", 0, "world step count at the last reset; the grids of the streams begin there", int),
        Field("put_step", "-", 0, "world step count when the vehicle was last put somewhere: no motion led there", int),
        part("vehicle", VEHICLE, "state of the vehicle after the step"),
        part("gateway", GATEWAY, "state of the drive-by-wire system in the step"),
        part("navigation", NAVIGATION, "errors of INS, IMU and GNSS in their last samples"),
        part("faults", FAULT_MARKS, "what the faults do in the step"),
    ),
)
SAMPLE = SAMPLE_RECORD.dtype


class Sweep(NamedTuple):
    """One sweep of the LiDAR, between the sample of the step at which it leaves and the next one.

    Attributes:
        step: world step count at its first column.
        epoch, epoch_step: as in a sample.
        dropped: sweeps of the epoch that were not scanned, because the machine was too slow or just began.
        points: f4 (beams, 4): x, y, z (m) in the frame of the sensor, intensity; NaN and 0 for no return; beam number:
            column * rings + ring.
    """

    step: int
    epoch: int
    epoch_step: int
    dropped: int
    points: np.ndarray
