"""The sample of one physics step: all that leaves the physics, in one record."""

from acres_ros._record import Field, Record, part
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.models.state import VEHICLE

SAMPLE_RECORD = Record(
    "SAMPLE",
    (
        Field("step", "-", 0, "world step count k after the step; the stamp of everything in it", int),
        Field("epoch", "-", 0, "number of resets before the step", int),
        Field("epoch_step", "-", 0, "world step count at the last reset; the grids of the streams begin there", int),
        part("vehicle", VEHICLE, "state of the vehicle after the step"),
        part("gateway", GATEWAY, "state of the drive-by-wire system in the step"),
    ),
)
SAMPLE = SAMPLE_RECORD.dtype
