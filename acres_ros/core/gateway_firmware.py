"""The regime in which the firmware of the vehicle decides that the system is enabled.

The node's part (pending requests, clear bits, the 50 ms tick) follows Dataspeed `ds_dbw_can` 2.3.11. The firmware is
closed; its part here is inferred from the reason codes and from what the vendor's clients do: it wants commands with
their enable flag set, of any type, before it engages, and it disengages when they stop.
"""

from __future__ import annotations

from collections.abc import Iterator

from acres_ros.core.gateway_enable import NONE_ARMED, EnableLogic, EnableState
from acres_ros.core.gateway_events import EventLog
from acres_ros.core.gateway_modules import Modules
from acres_ros.core.gateway_options import GatewayOptions
from acres_ros.core.gateway_streams import DRIVEN, Overrides, Streams
from acres_ros.core.messages import Subsystem, SystemSyncMode
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady

_INVALID_CRC = (
    ReasonDisengage.SteerCmdInvalidCrc,
    ReasonDisengage.BrakeCmdInvalidCrc,
    ReasonDisengage.ThrtlCmdInvalidCrc,
)
_INVALID_RC = (ReasonDisengage.SteerCmdInvalidRc, ReasonDisengage.BrakeCmdInvalidRc, ReasonDisengage.ThrtlCmdInvalidRc)
_CMD_TIMEOUT = (ReasonDisengage.SteerCmdTimeout, ReasonDisengage.BrakeCmdTimeout, ReasonDisengage.ThrtlCmdTimeout)
_CMD_DISENGAGE = (
    ReasonDisengage.SteerCmdDisengage,
    ReasonDisengage.BrakeCmdDisengage,
    ReasonDisengage.ThrtlCmdDisengage,
)
_MISSING_CMD = (ReasonNotReady.MissingCmdSteer, ReasonNotReady.MissingCmdBrake, ReasonNotReady.MissingCmdThrtl)
_NOT_ENABLE_CMD = (ReasonNotReady.NotEnableCmdSteer, ReasonNotReady.NotEnableCmdBrake, ReasonNotReady.NotEnableCmdThrtl)
_WITH_BUTTON = (SystemSyncMode.ALL_OR_NONE_WITH_BTN, SystemSyncMode.PARTIAL_WITH_BTN)


class FirmwareManaged(EnableLogic):
    """The firmware decides: sync modes `all_or_none` and above.

    Attributes:
        pending: an enable waits for the next tick of the node.
        clear_armed: the next command of the subsystem carries the clear bit.
    """

    def __init__(
        self, options: GatewayOptions, streams: Streams, overrides: Overrides, modules: Modules, log: EventLog
    ) -> None:
        super().__init__(options, streams, overrides, modules, log)
        self._partial = options.sync_mode >= SystemSyncMode.PARTIAL
        self._own_button = options.sync_mode in _WITH_BUTTON
        self.pending = False
        self.clear_armed = list(NONE_ARMED)

    def snapshot(self) -> EnableState:
        """Return the state."""
        armed = tuple(self.clear_armed)
        return EnableState(self.enabled, self.reason_disengage, self.changes, self.pending, armed)

    def restore(self, state: EnableState) -> None:
        """Take up a state of the same regime."""
        super().restore(state)
        self.pending, self.clear_armed = state.requested, list(state.clear_armed)

    @property
    def waiting(self) -> bool:
        """Tell whether the next tick has something to do."""
        return self.pending

    def request_enable(self, step: int) -> None:
        """Arm the clears of what is latched, and the enable of the next tick."""
        self._arm(step)
        self.pending = True

    def request_disable(self, reason: ReasonDisengage, text: str) -> None:
        """Drop what is pending and disable at once."""
        self.pending = False
        self.clear_armed = list(NONE_ARMED)
        super().request_disable(reason, text)

    def press_enable(self, step: int) -> None:
        """Arm the clears; in the modes with a button the firmware engages by itself."""
        self._arm(step)
        super().press_enable(step)
        if self._own_button and not self.enabled:
            self._try_engage(step)

    def press_disable(self) -> None:
        """Disable; in the modes with a button the firmware does so by itself, whatever the node does."""
        super().press_disable()
        if self._own_button:
            self.request_disable(ReasonDisengage.SystemDisableBtn, "DBW system disabled: button")

    def on_command(self, subsystem: int, clear: bool) -> None:
        """Clear the latch of the subsystem if the command carries the bit, its own or the armed one."""
        if self._options.latched_overrides and (clear or self.clear_armed[subsystem]):
            self._overrides.clear(subsystem)
        self.clear_armed[subsystem] = False

    def tick(self, step: int) -> None:
        """Send the pending enable if its clears have gone out; drop it either way."""
        if not self.pending:
            return
        self.pending = False
        if self.enabled:
            return
        if self._clears_sent(step):
            self._try_engage(step)
        else:
            self._log.warning(
                "ACRES_DBW_ENABLE_REFUSED",
                "DBW system enable dropped: a latched override waits for a command to clear it; send enable again",
            )

    def _arm(self, step: int) -> None:
        """Arm the clears of the latches that a report shows."""
        if self._options.latched_overrides:
            unheard = [self._modules.missing(module, step) for module in DRIVEN]
            self.clear_armed = [
                armed or (self._overrides.latched(subsystem) and not quiet)
                for subsystem, (armed, quiet) in enumerate(zip(self.clear_armed, (*unheard, False), strict=True))
            ]
        else:
            self._overrides.clear_all()

    def _clears_sent(self, step: int) -> bool:
        steering, brake, throttle, ulc = self.clear_armed

        def missing(subsystem: Subsystem, step: int) -> bool:
            return self._streams.missing(subsystem, step) or self._modules.missing(subsystem, step)

        return (
            (not steering or missing(Subsystem.STEERING, step))
            and (not brake or missing(Subsystem.BRAKE, step) or not ulc)
            and (not throttle or missing(Subsystem.THROTTLE, step) or not ulc)
        )

    def _try_engage(self, step: int) -> None:
        obstacle = next(self._reasons(step), None)
        if obstacle is None:
            self._engage()
        else:
            self._log.warning("ACRES_DBW_ENABLE_REFUSED", f"DBW system not enabled: {obstacle.name}")

    def _cause(self, step: int) -> ReasonDisengage | None:
        cause = super()._cause(step)
        if cause is not None:
            return cause
        for subsystem in DRIVEN:
            crc, counter = self._streams.bad_frame(subsystem, step)
            if crc or counter:
                return (_INVALID_CRC if crc else _INVALID_RC)[subsystem]
        lapse = self._modules.lapse(step)
        if lapse is not None:
            return lapse
        if self._modules.belt_open:
            return ReasonDisengage.DriverSeatBelt
        if self._modules.door_open:
            return ReasonDisengage.DriverDoor
        streams = self._streams
        lost = [subsystem for subsystem in DRIVEN if not streams.commanded(subsystem, step)]
        off = [subsystem for subsystem in DRIVEN if subsystem not in lost and not streams.enabling(subsystem, step)]
        if self._partial and len(lost) + len(off) < len(DRIVEN):
            return None
        if lost:
            return _CMD_TIMEOUT[lost[0]]
        return _CMD_DISENGAGE[off[0]] if off else None

    def _reasons(self, step: int) -> Iterator[ReasonNotReady]:
        yield from super()._reasons(step)
        streams = self._streams
        lost = [subsystem for subsystem in DRIVEN if not streams.commanded(subsystem, step)]
        if len(lost) == len(DRIVEN):
            yield ReasonNotReady.MissingCmdAll
        if lost and not self._partial:
            yield _MISSING_CMD[lost[0]]
        off = [subsystem for subsystem in DRIVEN if subsystem not in lost and not streams.enabling(subsystem, step)]
        if off and (not self._partial or len(lost) + len(off) == len(DRIVEN)):
            yield _NOT_ENABLE_CMD[off[0]]
        if self._modules.belt_open:
            yield ReasonNotReady.DriverSeatBelt
        if self._modules.door_open:
            yield ReasonNotReady.DriverDoor
