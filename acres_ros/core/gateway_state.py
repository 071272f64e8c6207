"""What the drive-by-wire system itself shows in a step, beside the state of the actuators (`models.dbw.state`)."""

from acres_ros._record import Field, Record, part

SUBSYSTEM = Record(
    "SUBSYSTEM",
    (
        Field("ready", "-", 1, "1 without a fault, an override, acting or latched, or a lost module", int),
        Field("override_active", "-", 0, "1 after the driver overrode this subsystem, until the next enable", int),
        Field("override_other", "-", 0, "1 while another subsystem shows override_active", int),
        Field("override_latched", "-", 0, "1 until a clear (option latched_overrides)", int),
        Field("fault", "-", 0, "1 while the module reports a fault", int),
        Field("bad_crc", "-", 0, "1 while the last command frame had a wrong checksum, up to the time-out", int),
        Field("bad_counter", "-", 0, "1 while it had a wrong rolling counter", int),
        Field("hardware_disable", "-", 0, "1 while the hardware has disabled the actuator; 0 for the ULC", int),
        Field(
            "degraded", "-", 0, "1 while the last message cannot act (type, number) or the actuator is impaired", int
        ),
        Field("degraded_cmd_type", "-", 0, "1 while the last message had a type that the vehicle does not have", int),
        Field("command_type", "-", 0, "cmd_type of the last message, 0 once it is too old or if it was refused", int),
        Field("command_value", "per type", 0.0, "cmd of that message as the model gets it"),
        Field("source", "-", 0, "CmdSrc: 0 user, 1 ULC", int),
    ),
)

SYSTEM = Record(
    "SYSTEM",
    (
        Field("sync_mode", "-", 0, "SystemSyncMode", int),
        Field("state", "-", 0, "SystemState: 0 manual, 1 ready, 2 active, 7 fault", int),
        Field("reason_disengage", "-", 1, "ReasonDisengage, 1 (power cycle) before the first enable", int),
        Field("reason_not_ready", "-", 0, "ReasonNotReady", int),
        Field("button_enable", "-", 0, "1 while the enable button is held", int),
        Field("button_disable", "-", 0, "1 while the disable button is held", int),
        Field("override", "-", 0, "1 while any subsystem shows an override", int),
        Field("ready", "-", 1, "1 in the states ready and active", int),
        Field("enabled", "-", 0, "1 while the system is enabled, with all modules there", int),
        Field("fault", "-", 0, "1 while any module reports a fault", int),
        Field("missing_reports", "-", 0, "bits of steering, brake, throttle and gear whose report is too old", int),
    ),
)

GEAR = Record(
    "GEAR",
    (
        Field("reject", "-", 0, "GearReject", int),
        Field("override_active", "-", 0, "1 while the driver has the lever", int),
        Field("override_other", "-", 0, "1 while a subsystem shows override_active", int),
        Field("fault", "-", 0, "1 while the module reports a fault", int),
        Field("bad_crc", "-", 0, "1 while the last command frame had a wrong checksum, up to 350 ms", int),
        Field("degraded", "-", 0, "1 with degraded_cmd_type, or while the actuator is impaired", int),
        Field("degraded_cmd_type", "-", 0, "1 while the last gear command was one that the vehicle does not have", int),
    ),
)

TURN_SIGNAL = Record(
    "TURN_SIGNAL",
    (
        Field("command", "-", 0, "TurnSignal of the last command that the vehicle got, 0 once it is too old", int),
        Field("output", "-", 0, "TurnSignal that the lamps show", int),
        Field("timeout", "-", 0, "1 while a command came, but none in the last 250 ms", int),
    ),
)

DRIVE_MODE = Record(
    "DRIVE_MODE",
    (
        Field("drive_mode_command", "-", 0, "drive_mode_cmd of the last DriveModeCmd, 0 once it is too old", int),
        Field("suspension_mode_command", "-", 0, "suspension_mode_cmd of it", int),
        Field("awd_mode_command", "-", 0, "awd_mode_cmd of it", int),
        Field("rear_diff_command", "-", 0, "rear_diff_cmd of it", int),
        Field("front_diff_command", "-", 0, "front_diff_cmd of it", int),
        Field("degraded_cmd_type", "-", 0, "1 while any of them asks for something: the vehicle has none of them", int),
    ),
)

PERSON = Record(
    "PERSON",
    (
        Field("belt_open", "-", 0, "1 while the driver's seat belt is open", int),
        Field("door_open", "-", 0, "1 while the driver's door is open", int),
    ),
)

GATEWAY = Record(
    "GATEWAY",
    (
        Field("dbw_enabled", "-", 0, "value of the topic dbw_enabled", int),
        Field("dbw_enabled_due", "-", 0, "1 when it is sent in this step: each 50 ms, on change, on disable", int),
        part("system", SYSTEM, "system report"),
        part("steering", SUBSYSTEM, "steering report"),
        part("brake", SUBSYSTEM, "brake report"),
        part("throttle", SUBSYSTEM, "throttle report"),
        part("ulc", SUBSYSTEM, "ULC report"),
        part("gear", GEAR, "gear report"),
        part("turn_signal", TURN_SIGNAL, "turn signal report"),
        part("drive_mode", DRIVE_MODE, "drive mode report"),
        part("person", PERSON, "misc report"),
    ),
)
