"""What the modules of the actuators say of themselves, and where the driver sits: what keeps the system from enabling.

Rules: Dataspeed `ds_dbw_can` 2.3.11. Where the node decides, a fault of steering, brake or throttle counts only while
their report shows no time-out, so while commands arrive; one of the gear always. Where the firmware decides, its reason
codes name every fault, the driver's seat belt and the driver's door. A report counts for its time-out; what a module
without a report does is not known to anybody.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acres_ros.core.fault_table import MODULES
from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_options import REPORT_TIMEOUT_STEPS, GatewayOptions
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
MISSING_REPORT = (
    ReasonNotReady.MissingReportSteer,
    ReasonNotReady.MissingReportBrake,
    ReasonNotReady.MissingReportThrtl,
    ReasonNotReady.MissingReportGear,
)
HARDWARE_DISABLE = (
    ReasonNotReady.HardwareDisableSteer,
    ReasonNotReady.HardwareDisableBrake,
    ReasonNotReady.HardwareDisableThrtl,
)
NOT_READY = (ReasonNotReady.NotReadySteer, ReasonNotReady.NotReadyBrake, ReasonNotReady.NotReadyThrtl)
_RPT_TIMEOUT = (
    ReasonDisengage.SteerRptTimeout,
    ReasonDisengage.BrakeRptTimeout,
    ReasonDisengage.ThrtlRptTimeout,
    ReasonDisengage.GearRptTimeout,
)
_RPT_HW_DISABLE = (
    ReasonDisengage.SteerRptHwDisable,
    ReasonDisengage.BrakeRptHwDisable,
    ReasonDisengage.ThrtlRptHwDisable,
)
_RPT_DISENGAGE = (
    ReasonDisengage.SteerRptDisengage,
    ReasonDisengage.BrakeRptDisengage,
    ReasonDisengage.ThrtlRptDisengage,
)

Flags = tuple[bool, bool, bool, bool]
DrivenFlags = tuple[bool, bool, bool]
_NONE: Flags = (False, False, False, False)
_NONE_DRIVEN: DrivenFlags = (False, False, False)
NEVER = 10**12
"""First step of a silence that does not come."""


class ActuatorFaults(NamedTuple):
    """The record `FAULTS` of `acres_ros.models.dbw.command`, by the same names."""

    steering_rate_deg: float = NO_LIMIT
    throttle_rate_pct: float = NO_LIMIT
    throttle_share: float = 1.0
    brake_rate_bar: float = NO_LIMIT
    brake_share: float = 1.0
    gear_stuck: bool = False
    gear_delay: float = 0.0


class Told(NamedTuple):
    """What steering, brake, throttle and gear say in their reports.

    Attributes:
        fault: there is a fault.
        degraded: the module is degraded.
        disabled: the hardware has disabled the actuator; the gear's report has no such flag.
        unready: the module has let go and is not ready, for no cause that it names.
        lever: the driver has the gear lever.
    """

    fault: Flags = _NONE
    degraded: Flags = _NONE
    disabled: DrivenFlags = _NONE_DRIVEN
    unready: DrivenFlags = _NONE_DRIVEN
    lever: bool = False


class ModuleFaults(NamedTuple):
    """What modules and actuators do.

    Attributes:
        told: what is in the reports of those that send one.
        silent: the module sends no report.
        actuators: what is wrong with the actuators.
    """

    told: Told = Told()
    silent: Flags = _NONE
    actuators: ActuatorFaults = ActuatorFaults()

    @property
    def cut(self) -> DrivenFlags:
        """Return which of steering, brake and throttle take no command, told or not."""
        steering, brake, throttle = (
            disabled or unready for disabled, unready in zip(self.told.disabled, self.told.unready, strict=True)
        )
        return steering, brake, throttle


class ModulesState(NamedTuple):
    """What `Modules` remembers.

    Attributes:
        faults, told: as of `Modules`.
        silent_since: first step without a report of each module; `NEVER` for one that sends them.
    """

    faults: ModuleFaults
    told: Told
    silent_since: tuple[int, int, int, int]


class Modules:
    """The modules of one vehicle.

    Args:
        options: behaviour of the gateway.
        streams: the streams of commands.
        log: takes the events.

    Attributes:
        faults: what modules and actuators do now.
        told: what each module said in its last report.
        belt_open, door_open: of the driver's place.
    """

    def __init__(self, options: GatewayOptions, streams: Streams, log: EventLog) -> None:
        self._always = options.firmware_managed
        self._streams = streams
        self._log = log
        self.faults = ModuleFaults()
        self.told = Told()
        self._silent_since = [NEVER] * len(MODULES)
        self.belt_open = self.door_open = False

    def set(self, faults: ModuleFaults, step: int) -> None:
        """Take what modules and actuators do from now on, and tell what has changed as the real node does.

        Args:
            faults: from the next step on.
            step: steps that are over.
        """
        before, lost = self.told, [self.missing(module, step) for module in range(len(MODULES))]
        self.faults = faults
        for module, silent in enumerate(faults.silent):
            self._silent_since[module] = min(self._silent_since[module], step + 1) if silent else NEVER
        self.told = now = _heard(before, faults)
        self._cut()
        for word, was, is_now in (("fault", before.fault, now.fault), ("degraded", before.degraded, now.degraded)):
            for module, name in enumerate(MODULES):
                if is_now[module] and not was[module]:
                    self._log.warning(f"ACRES_DBW_{word.upper()}", f"{name.capitalize()} {word}")
                elif was[module] and not is_now[module] and not lost[module]:
                    self._log.info(f"ACRES_DBW_{word.upper()}", f"{name.capitalize()} {word} cleared")

    def snapshot(self) -> ModulesState:
        """Return the state."""
        steering, brake, throttle, gear = self._silent_since
        return ModulesState(self.faults, self.told, (steering, brake, throttle, gear))

    def restore(self, state: ModulesState, driver: DriverInput) -> None:
        """Take up a state, and where the driver sits."""
        self.faults, self.told, self._silent_since = state.faults, state.told, list(state.silent_since)
        self._cut()
        self.sit(driver)

    def sit(self, driver: DriverInput) -> None:
        """Note belt and door of the driver."""
        self.belt_open, self.door_open = driver.seat_belt_open, driver.door_open

    def missing(self, module: int, step: int) -> bool:
        """Tell whether the last report of a module is older than its time-out."""
        return step - self._silent_since[module] >= REPORT_TIMEOUT_STEPS[module]

    def next_change(self, step: int) -> int:
        """Return the next step at which a report becomes too old, or one that never comes."""
        ends = [since + steps for since, steps in zip(self._silent_since, REPORT_TIMEOUT_STEPS, strict=True)]
        return min((end for end in ends if end > step), default=NEVER)

    def failing(self, step: int) -> int | None:
        """Return the first module whose fault counts in a step, by its place in the reason codes; None for none."""
        for module, fault in enumerate(self.told.fault):
            if (
                fault
                and not self.missing(module, step)
                and (self._always or module == GEAR or self._streams.commanded(module, step))
            ):
                return module
        return None

    def faulty(self, step: int) -> bool:
        """Tell whether the system knows of a fault, whether it counts or not."""
        return any(fault and not self.missing(module, step) for module, fault in enumerate(self.told.fault))

    def lever(self, step: int) -> bool:
        """Tell whether the report of the gear says that the driver has the lever."""
        return self.told.lever and not self.missing(GEAR, step)

    def lapse(self, step: int) -> ReasonDisengage | None:
        """Return why a module is lost to the system that reports no fault; the real node does not look at that."""
        for flags, codes in ((self.told.disabled, _RPT_HW_DISABLE), (self.told.unready, _RPT_DISENGAGE)):
            for module, flag in enumerate(flags):
                if flag and not self.missing(module, step):
                    return codes[module]
        for module, code in enumerate(_RPT_TIMEOUT):
            if self.missing(module, step):
                return code
        return None

    def fault_of(self, subsystem: int) -> bool:
        """Tell whether a subsystem reports a fault; the ULC has no module of its own but the pedals'."""
        return _of(self.told.fault, subsystem)

    def degraded_of(self, subsystem: int) -> bool:
        """Tell whether the actuator of a subsystem is degraded; for the ULC, one of the pedals."""
        return _of(self.told.degraded, subsystem)

    def lost(self, subsystem: int, step: int) -> bool:
        """Tell whether a subsystem cannot be ready for want of a module: one that was cut, or of the ULC's a report."""
        if self._streams.cut[subsystem]:
            return True
        return subsystem == Subsystem.ULC and any(self.missing(pedal, step) for pedal in PEDALS)

    def _cut(self) -> None:
        """Cut off the actuators that take no command; without one of the pedals the ULC has none."""
        steering, brake, throttle = self.faults.cut
        self._streams.cut = [steering, brake, throttle, brake or throttle]


def _heard(before: Told, faults: ModuleFaults) -> Told:
    """Return what is known of the modules: of a silent one, what it said last."""

    def known(was: Any, now: Any) -> Any:
        return tuple(old if quiet else new for old, new, quiet in zip(was, now, faults.silent, strict=False))

    now = faults.told
    return Told(
        fault=known(before.fault, now.fault),
        degraded=known(before.degraded, now.degraded),
        disabled=known(before.disabled, now.disabled),
        unready=known(before.unready, now.unready),
        lever=before.lever if faults.silent[GEAR] else now.lever,
    )


def _of(flags: Flags, subsystem: int) -> bool:
    if subsystem == Subsystem.ULC:
        return any(flags[pedal] for pedal in PEDALS)
    return flags[subsystem]
