"""Who decides that the system is enabled: what both regimes share, and the regime in which the node decides.

Sources: spec, Drive-by-Wire and ULC, section Enable, Disable and Override, for the rules; the behaviour of Dataspeed
`ds_dbw_can` 2.3.11 for `enable`, `disable` and `dbw_enabled` of the real node. What the closed firmware decides (state,
reason codes) is inferred from the names of its codes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from acres_ros.core.fault_table import MODULES
from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_modules import (
    FAULT,
    GEAR,
    HARDWARE_DISABLE,
    MISSING_REPORT,
    NOT_READY,
    RPT_FAULT,
    Modules,
)
from acres_ros.core.gateway_options import GatewayOptions
from acres_ros.core.gateway_streams import DRIVEN, Overrides, Streams
from acres_ros.core.messages import GEAR_FRAME, SystemState
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

_RPT_OVERRIDE = (ReasonDisengage.SteerRptOverride, ReasonDisengage.BrakeRptOverride, ReasonDisengage.ThrtlRptOverride)
_OVERRIDE_ACTIVE = (
    ReasonNotReady.OverrideActiveSteer,
    ReasonNotReady.OverrideActiveBrake,
    ReasonNotReady.OverrideActiveThrtl,
)
_OVERRIDE_LATCHED = (
    ReasonNotReady.OverrideLatchedSteer,
    ReasonNotReady.OverrideLatchedBrake,
    ReasonNotReady.OverrideLatchedThrtl,
)
_BAD_CRC_RC_CMD = (
    ReasonNotReady.BadCrcRcCmdSteer,
    ReasonNotReady.BadCrcRcCmdBrake,
    ReasonNotReady.BadCrcRcCmdThrtl,
)
_OVERRIDES = frozenset({*_RPT_OVERRIDE, ReasonDisengage.GearRptOverride})
_LOOKED_AT = frozenset({*FAULT, *_OVERRIDE_ACTIVE, ReasonNotReady.OverrideActiveGear, *_OVERRIDE_LATCHED})
"""What the node looks at where it decides: it takes a report that is missing for one without a fault."""


class EnableState(NamedTuple):
    """What both regimes remember.

    Attributes:
        enabled, reason_disengage, changes: as of `EnableLogic`.
        requested: an enable is under way: `NodeManaged.requested`, or `FirmwareManaged.pending`.
        clear_armed: that of `FirmwareManaged`; nothing in the other regime.
    """

    enabled: bool
    reason_disengage: ReasonDisengage
    changes: int
    requested: bool
    clear_armed: tuple[bool, bool, bool, bool]


NONE_ARMED = (False, False, False, False)


class EnableLogic(ABC):
    """What both regimes share.

    Args:
        options: behaviour of the gateway.
        streams: the streams of commands.
        overrides: the driver.
        modules: what the actuators report, and the driver's place.
        log: takes the events.

    Attributes:
        enabled: the system is enabled: `dbw_enabled`, and the enable that the model gets.
        reason_disengage: why it was last disengaged; none while it is enabled.
        changes: how often `enabled` has changed.
    """

    def __init__(
        self, options: GatewayOptions, streams: Streams, overrides: Overrides, modules: Modules, log: EventLog
    ) -> None:
        self._options = options
        self._streams = streams
        self._overrides = overrides
        self._modules = modules
        self._log = log
        self.enabled = False
        self.reason_disengage = ReasonDisengage.PowerCycle
        self.changes = 0

    @abstractmethod
    def snapshot(self) -> EnableState:
        """Return the state."""

    def restore(self, state: EnableState) -> None:
        """Take up a state of the same regime."""
        self.enabled, self.reason_disengage, self.changes = state[:3]

    @property
    @abstractmethod
    def waiting(self) -> bool:
        """Tell whether the next tick has something to do."""

    @abstractmethod
    def request_enable(self, step: int) -> None:
        """Take the message `enable`, or a press of the button that the node acts on."""

    def request_disable(self, reason: ReasonDisengage, text: str) -> None:
        """Take the message `disable`, a press of the button, or the loss of the client."""
        if self.enabled:
            self._disengage(reason, "ACRES_DBW_DISABLED", text)

    @abstractmethod
    def on_command(self, subsystem: int, clear: bool) -> None:
        """Take the arrival of a command; `clear` is the flag of the message."""

    @abstractmethod
    def tick(self, step: int) -> None:
        """Do what the real node does each 50 ms."""

    def press_enable(self, step: int) -> None:
        """Take a report that shows the enable button pressed."""
        if self._options.buttons:
            self.request_enable(step)

    def press_disable(self) -> None:
        """Take a report that shows the disable button pressed."""
        if self._options.buttons:
            self.request_disable(ReasonDisengage.SystemDisableBtn, "DBW system disabled: button")

    def evaluate(self, step: int) -> None:
        """Disengage if there is cause to."""
        cause = self._cause(step) if self.enabled else None
        if cause is not None:
            self._stop(cause, step)

    def active(self, step: int) -> bool:
        """Return `enabled` of the system report."""
        return self.enabled

    def disengaged(self, step: int) -> ReasonDisengage:
        """Return why the system was last disengaged, as the system report has it; none while that is active."""
        return self.reason_disengage

    def not_ready(self, step: int) -> ReasonNotReady:
        """Return why the system is not ready, as the system report has it; none while that is active."""
        if self.active(step):
            return ReasonNotReady.Nothing
        return next(self._reasons(step), ReasonNotReady.Nothing)

    def state(self, step: int) -> SystemState:
        """Return the state of the system report."""
        if self.active(step):
            return SystemState.ACTIVE
        if self._modules.faulty(step):
            return SystemState.FAULT
        return SystemState.MANUAL if self.not_ready(step) else SystemState.READY

    def _cause(self, step: int) -> ReasonDisengage | None:
        failing = self._modules.failing(step)
        if failing is not None:
            return RPT_FAULT[failing]
        for subsystem in DRIVEN:
            if self._overrides.overriding(subsystem, step):
                return _RPT_OVERRIDE[subsystem]
        return ReasonDisengage.GearRptOverride if self._modules.lever(step) else None

    def _reasons(self, step: int) -> Iterator[ReasonNotReady]:
        """Yield what keeps the system from being ready, in the order of the codes."""
        modules, overrides = self._modules, self._overrides
        yield from (code for module, code in enumerate(MISSING_REPORT) if modules.missing(module, step))
        failing = modules.failing(step)
        if failing is not None:
            yield FAULT[failing]
        frames = (*_BAD_CRC_RC_CMD, ReasonNotReady.BadCrcCmdGear)
        for target, code in zip((*DRIVEN, GEAR_FRAME), frames, strict=True):
            if any(self._streams.bad_frame(target, step)):
                yield code
        yield from (_OVERRIDE_ACTIVE[subsystem] for subsystem in DRIVEN if overrides.overriding(subsystem, step))
        if modules.lever(step):
            yield ReasonNotReady.OverrideActiveGear
        yield from (_OVERRIDE_LATCHED[subsystem] for subsystem in DRIVEN if overrides.blocking(subsystem, step))
        yield from (code for code, flag in zip(HARDWARE_DISABLE, modules.told.disabled, strict=True) if flag)
        yield from (code for code, flag in zip(NOT_READY, modules.told.unready, strict=True) if flag)

    def _engage(self) -> None:
        self.enabled = True
        self.changes += 1
        self.reason_disengage = ReasonDisengage.Nothing
        self._log.info("ACRES_DBW_ENABLED", "DBW system enabled")

    def _disengage(self, reason: ReasonDisengage, code: str, text: str) -> None:
        self.enabled = False
        self.changes += 1
        self.reason_disengage = reason
        self._log.warning(code, text)

    def _stop(self, cause: ReasonDisengage, step: int) -> None:
        self._overrides.strike(step)
        if cause in _OVERRIDES:
            self._disengage(cause, "ACRES_DBW_OVERRIDE", self._override_text(step))
        else:
            self._disengage(cause, "ACRES_DBW_DISABLED", f"DBW system disabled: {cause.name}")

    def _override_text(self, step: int) -> str:
        names = self._overrides.names(step) or "the gear lever"
        return f"DBW system disabled: the driver overrides {names}"


class NodeManaged(EnableLogic):
    """The node decides: sync modes `none` and `disengages`.

    Without latched overrides these are the rules of the spec. With them, an `enable` is kept while an override is
    latched, the node clears the latch at its next tick, and the system is enabled then.

    The system report is not the node's: it shows a module that is lost, which the node does not look at, and the node
    keeps the system enabled all the same.

    Attributes:
        requested: the node's own flag: an `enable` came and was not ended.
    """

    def __init__(
        self, options: GatewayOptions, streams: Streams, overrides: Overrides, modules: Modules, log: EventLog
    ) -> None:
        super().__init__(options, streams, overrides, modules, log)
        self.requested = False

    def snapshot(self) -> EnableState:
        """Return the state."""
        return EnableState(self.enabled, self.reason_disengage, self.changes, self.requested, NONE_ARMED)

    def restore(self, state: EnableState) -> None:
        """Take up a state of the same regime."""
        super().restore(state)
        self.requested = state.requested

    def active(self, step: int) -> bool:
        """Return `enabled` of the system report: enabled, with all modules there."""
        return self.enabled and self._modules.lapse(step) is None

    def disengaged(self, step: int) -> ReasonDisengage:
        """Return why a module is lost while the node keeps the system enabled, else why the node disabled it."""
        lapse = self._modules.lapse(step) if self.enabled else None
        return self.reason_disengage if lapse is None else lapse

    @property
    def waiting(self) -> bool:
        """Tell whether a latch is to be cleared at the next tick."""
        return self.requested and self._options.latched_overrides and any(self._overrides.struck)

    def request_enable(self, step: int) -> None:
        """Take an enable."""
        if self.requested:
            return
        failing = self._modules.failing(step)
        if failing is not None:
            # The real node says nothing where it is the gear.
            if failing != GEAR:
                text = f"DBW system not enabled: {MODULES[failing]} fault"
                self._log.warning("ACRES_DBW_ENABLE_REFUSED", text)
            return
        if not self._options.latched_overrides:
            self._overrides.clear_all()
        self.requested = True
        self.evaluate(step)
        if self.requested and not self.enabled:
            self._log.info("ACRES_DBW_ENABLE_WAITING", "DBW system enable requested, waiting for ready")

    def request_disable(self, reason: ReasonDisengage, text: str) -> None:
        """Take a disable."""
        self.requested = False
        super().request_disable(reason, text)

    def on_command(self, subsystem: int, clear: bool) -> None:
        """Clear the latch of the subsystem; while an enable is requested every command carries the clear."""
        if self._options.latched_overrides and (clear or self.requested):
            self._overrides.clear(subsystem)

    def tick(self, step: int) -> None:
        """Send the clears that a requested enable waits for."""
        if self._options.latched_overrides and self.requested:
            self._overrides.clear_all()
            self.evaluate(step)

    def evaluate(self, step: int) -> None:
        """Follow the requests and the driver."""
        super().evaluate(step)
        if self.enabled or not self.requested:
            return
        if not any(reason in _LOOKED_AT for reason in self._reasons(step)):
            self._engage()
        elif not self._options.latched_overrides:
            self.requested = False
            self._overrides.strike(step)
            self._log.warning("ACRES_DBW_OVERRIDE", self._override_text(step))

    def _disengage(self, reason: ReasonDisengage, code: str, text: str) -> None:
        self.requested = False
        super()._disengage(reason, code, text)
