"""The faults that the stand-in has: what each does, what it is given, and where it shows.

One table for the service, the checks at the door, the marks in the samples and the documentation. The module flags and
reason codes are those of Dataspeed `ds_dbw_can` 2.3.11.
"""

from __future__ import annotations

from typing import NamedTuple

LONGEST_HALT_S = 600.0
LONGEST_DELAY_STEPS = 1200


class Fault(NamedTuple):
    """One fault.

    Attributes:
        name: what a request calls it.
        effect: what it does.
        shows: where it is to be seen.
        values: names of the numbers that it is given; empty for none.
        unit: of these numbers.
        low, high: what each of them may be.
    """

    name: str
    effect: str
    shows: str
    values: tuple[str, ...] = ()
    unit: str = ""
    low: float = 0.0
    high: float = 0.0


class Sensor(NamedTuple):
    """What can drop out or freeze; modules of the drive-by-wire fall silent instead.

    Attributes:
        name: first part of the names of its faults.
        topics: keys of what it tells, in the table of topics of the nodes.
    """

    name: str
    topics: tuple[str, ...]


SENSORS = (
    Sensor("ins_odometry", ("ins/odometry",)),
    Sensor("ins_fix", ("ins/fix",)),
    Sensor("ins_imu", ("ins/imu", "ins/imu_raw")),
    Sensor("vehicle_imu", ("imu/data_raw",)),
    Sensor("vehicle_gps", ("gps/fix",)),
    Sensor("wheel_speeds", ("wheel_speeds", "wheel_positions")),
    Sensor("lidar", ("lidar/points",)),
)
"""The sensors, in the order of their bits in the marks of a sample."""

_AXES = ("x", "y", "z")
_WORLD = ("east", "north", "up")
_CORNERS = ("front_left", "front_right", "rear_left", "rear_right")

MODULES = ("steering", "brake", "throttle", "gear")
"""The modules of the actuators, in the order of their reason codes."""
DRIVEN_MODULES = MODULES[:-1]
"""Those that have an enable flag."""

SILENCE_BITS = {f"{name}/report": 1 << len(SENSORS) + index for index, name in enumerate(MODULES)}
"""By the key of its topic: the bit of the report of a module among what is lost, behind those of the sensors."""

FRAMES = ("steering", "brake", "throttle", "ulc", "gear")
"""The commands whose frames can be damaged, in the order of `BadFrame.target`; the gear's has no rolling counter."""
_REPORTED = {"steering": "Steer", "brake": "Brake", "throttle": "Thrtl", "gear": "Gear"}

_ACTUATORS = (
    Fault("steering_stuck", "the steering motor stands still; hands on the wheel still turn it", "degraded"),
    Fault("steering_slow", "the steering motor turns the wheel no faster", "degraded", ("rate",), "deg/s", 0.0, 500.0),
    Fault("brake_stuck", "the brake actuator keeps its pressure; the foot can add to it", "degraded"),
    Fault("brake_slow", "the line pressure changes no faster", "degraded", ("rate",), "bar/s", 0.0, 200.0),
    Fault(
        "brake_weak",
        "the actuator gives this share of the pressure command; 0: none",
        "degraded",
        ("share",),
        "-",
        0,
        1,
    ),
    Fault("throttle_stuck", "the emulated pedal stays where it is while the drive-by-wire has it", "degraded"),
    Fault("throttle_slow", "the emulated pedal moves no faster", "degraded", ("rate",), "%/s", 0.0, 1000.0),
    Fault(
        "throttle_weak",
        "the emulation gives this share of the pedal command; 0: none",
        "degraded",
        ("share",),
        "-",
        0,
        1,
    ),
    Fault("gear_stuck", "the gear stays as it is, a change stays in neutral", "degraded, reject FAULT"),
    Fault("gear_slow", "a gear change takes longer by this", "degraded", ("delay",), "s", 0.0, 60.0),
)

_MODULE_FAULTS = tuple(
    Fault(
        f"{name}_fault",
        f"the {name} module reports a fault",
        f"fault, not ready; disengages with {_REPORTED[name]}RptFault, then Fault{_REPORTED[name]}, state FAULT",
    )
    for name in MODULES
)

_SILENT = tuple(
    Fault(
        f"{name}_silent",
        f"the {name} module sends no report; it goes on obeying",
        f"no {name}/report; after {limit} ms {_REPORTED[name]}RptTimeout, MissingReport{_REPORTED[name]}",
    )
    for name, limit in zip(MODULES, (100, 100, 100, 350), strict=True)
)

_DISABLED = tuple(
    Fault(
        f"{name}_hardware_disable",
        f"the hardware has disabled the {name} actuator, which takes no command",
        f"hardware_disable, not ready; {_REPORTED[name]}RptHwDisable, HardwareDisable{_REPORTED[name]}",
    )
    for name in DRIVEN_MODULES
)

_UNREADY = tuple(
    Fault(
        f"{name}_not_ready",
        f"the {name} module lets go and takes no command, and names no cause",
        f"not ready; {_REPORTED[name]}RptDisengage, NotReady{_REPORTED[name]}",
    )
    for name in DRIVEN_MODULES
)

_LEVER = Fault(
    "gear_override",
    "the gear module reports that the driver has the lever",
    "override_active; disengages with GearRptOverride, then OverrideActiveGear",
)

_COMMANDS = (
    Fault("command_loss", "this share of the commands is lost", "time-outs", ("share",), "-", 0.0, 1.0),
    Fault(
        "command_delay",
        "each command acts this many steps later",
        "later reports",
        ("steps",),
        "steps",
        1.0,
        float(LONGEST_DELAY_STEPS),
    ),
    Fault(
        "command_reorder",
        "this share of the commands changes places with the next one",
        "an older command acts last",
        ("share",),
        "-",
        0.0,
        1.0,
    ),
    Fault(
        "command_bad_crc",
        "this share of the command frames arrives with a wrong checksum, and is ignored",
        "bad_crc; *CmdInvalidCrc, BadCrcRcCmd*, BadCrcCmdGear",
        FRAMES,
        "-",
        0.0,
        1.0,
    ),
    Fault(
        "command_bad_counter",
        "this share arrives with a wrong rolling counter, and is ignored",
        "bad_rc; *CmdInvalidRc, BadCrcRcCmd*",
        FRAMES[:-1],
        "-",
        0.0,
        1.0,
    ),
)

_SENSOR_FAULTS = tuple(
    fault
    for sensor in SENSORS
    for fault in (
        Fault(
            f"{sensor.name}_dropout",
            "this share of the messages is lost",
            "missing messages",
            ("share",),
            "-",
            0.0,
            1.0,
        ),
        Fault(f"{sensor.name}_freeze", "the content stays, the stamps go on", "the same content again"),
    )
)

_BIASES = (
    Fault(
        "ins_attitude_bias",
        "added to the attitude of the INS",
        "odometry and IMU of the INS",
        ("roll", "pitch", "heading"),
        "deg",
        -45.0,
        45.0,
    ),
    Fault("ins_velocity_bias", "added to the velocity of the INS", "odometry of the INS", _WORLD, "m/s", -50.0, 50.0),
    Fault(
        "ins_rate_bias",
        "added to the angular rate of the INS",
        "IMU and odometry of the INS",
        _AXES,
        "rad/s",
        -10.0,
        10.0,
    ),
    Fault("ins_force_bias", "added to the specific force of the INS", "IMU of the INS", _AXES, "m/s^2", -100.0, 100.0),
    Fault("vehicle_imu_rate_bias", "added to the angular rate", "imu/data_raw", _AXES, "rad/s", -10.0, 10.0),
    Fault("vehicle_imu_force_bias", "added to the specific force", "imu/data_raw", _AXES, "m/s^2", -100.0, 100.0),
    Fault("vehicle_gps_bias", "added to the position", "gps/fix", _WORLD, "m", -1e4, 1e4),
    Fault("wheel_speeds_bias", "added to the speeds", "wheel_speeds; not the ULC", _CORNERS, "rad/s", -100.0, 100.0),
)

CLOCK_HALT = Fault(
    "clock_halt",
    "time stands still: no step, no /clock, no message, in free run",
    "stamps go on without a gap",
    ("time",),
    "s of wall time",
    0.0,
    LONGEST_HALT_S,
)

FAULTS: tuple[Fault, ...] = (
    *_ACTUATORS,
    *_MODULE_FAULTS,
    *_SILENT,
    *_DISABLED,
    *_UNREADY,
    _LEVER,
    *_COMMANDS,
    *_SENSOR_FAULTS,
    *_BIASES,
)
"""The faults of a vehicle, in the order of their bits in the marks of a sample."""

INDEX = {fault.name: index for index, fault in enumerate(FAULTS)}
BY_NAME = {fault.name: fault for fault in (*FAULTS, CLOCK_HALT)}


def names_of(bits: int) -> list[str]:
    """Return the names of the faults whose bits are set."""
    return [fault.name for index, fault in enumerate(FAULTS) if bits >> index & 1]
