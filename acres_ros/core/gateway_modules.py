"""What the modules of the actuators say of themselves, and where the driver sits: what keeps the system from enabling.

Rules: Dataspeed `ds_dbw_can` 2.3.11. Where the node decides, a fault of steering, brake or throttle counts only while
their report shows no time-out, so while commands arrive; one of the gear always. Where the firmware decides, its reason
codes name every fault, the driver's seat belt and the driver's door.
"""

from __future__ import annotations

from typing import NamedTuple

from acres_ros.core.fault_table import MODULES
from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_options import GatewayOptions
from acres_ros.core.gateway_streams import DRIVEN, PEDALS, Streams
from acres_ros.core.messages import DriverInput, Subsystem
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady
from acres_ros.models.dbw.command import NO_LIMIT

GEAR = len(DRIVEN)
"""Place of the gear among the modules, behind steering, brake and throttle."""

RPT_FAULT = (
    ReasonDisengage.SteerRptFault,
    ReasonDisengage.BrakeRptFault,
    ReasonDisengage.ThrtlRptFault,
    ReasonDisengage.GearRptFault,
)
FAULT = (
    ReasonNotReady.FaultSteer,
    ReasonNotReady.FaultBrake,
    ReasonNotReady.FaultThrtl,
    ReasonNotReady.FaultGear,
)

Flags = tuple[bool, bool, bool, bool]
_NONE: Flags = (False, False, False, False)


class ActuatorFaults(NamedTuple):
    """The record `FAULTS` of `acres_ros.models.dbw.command`, by the same names."""

    steering_rate_deg: float = NO_LIMIT
    throttle_rate_pct: float = NO_LIMIT
    throttle_share: float = 1.0
    brake_rate_bar: float = NO_LIMIT
    brake_share: float = 1.0
    gear_stuck: bool = False
    gear_delay: float = 0.0


class ModuleFaults(NamedTuple):
    """What steering, brake, throttle and gear report, and what their actuators do.

    Attributes:
        fault: the module reports a fault.
        degraded: the module reports that it is degraded.
        actuators: what is wrong with the actuators.
    """

    fault: Flags = _NONE
    degraded: Flags = _NONE
    actuators: ActuatorFaults = ActuatorFaults()


class Modules:
    """The modules of one vehicle.

    Args:
        options: behaviour of the gateway.
        streams: the streams of commands.
        log: takes the events.

    Attributes:
        faults: what the modules report now.
        belt_open, door_open: of the driver's place.
    """

    def __init__(self, options: GatewayOptions, streams: Streams, log: EventLog) -> None:
        self._always = options.firmware_managed
        self._streams = streams
        self._log = log
        self.faults = ModuleFaults()
        self.belt_open = self.door_open = False

    def set(self, faults: ModuleFaults) -> None:
        """Take what the modules report from now on, and tell what has changed as the real node does."""
        before, self.faults = self.faults, faults
        for word, was, now in (
            ("fault", before.fault, faults.fault),
            ("degraded", before.degraded, faults.degraded),
        ):
            for name, old, new in zip(MODULES, was, now, strict=True):
                if new and not old:
                    self._log.warning(f"ACRES_DBW_{word.upper()}", f"{name.capitalize()} {word}")
                elif old and not new:
                    self._log.info(f"ACRES_DBW_{word.upper()}", f"{name.capitalize()} {word} cleared")

    def sit(self, driver: DriverInput) -> None:
        """Note belt and door of the driver."""
        self.belt_open, self.door_open = driver.seat_belt_open, driver.door_open

    def failing(self, step: int) -> int | None:
        """Return the first module whose fault counts in a step, by its place in the reason codes; None for none."""
        for module, fault in enumerate(self.faults.fault):
            if fault and (self._always or module == GEAR or self._streams.commanded(module, step)):
                return module
        return None

    def fault_of(self, subsystem: int) -> bool:
        """Tell whether a subsystem reports a fault; the ULC has no module of its own but the pedals'."""
        return _of(self.faults.fault, subsystem)

    def degraded_of(self, subsystem: int) -> bool:
        """Tell whether the actuator of a subsystem is degraded; for the ULC, one of the pedals."""
        return _of(self.faults.degraded, subsystem)


def _of(flags: Flags, subsystem: int) -> bool:
    if subsystem == Subsystem.ULC:
        return any(flags[pedal] for pedal in PEDALS)
    return flags[subsystem]
