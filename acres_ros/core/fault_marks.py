"""What a sample tells of the faults: which are active, and what becomes of messages in its step."""

from acres_ros._record import Field, Record

WHEELS = 4

FAULT_MARKS = Record(
    "FAULT_MARKS",
    (
        Field("active", "bits", 0, "faults that are active, by their place in the table of faults", int),
        Field("drop", "bits", 0, "sensors and modules whose messages of this step are lost, in that order", int),
        Field("freeze", "bits", 0, "sensors that are frozen", int),
        Field("wheel_bias", "rad/s", 0.0, "added to the wheel speeds that are told", count=WHEELS),
    ),
)
