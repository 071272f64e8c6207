"""The drive-by-wire gateway: it takes the messages and commands the model, step by step.

It is what stands between the ROS topics and the actuators of the vehicle: which messages are accepted, whether the
system is enabled, what the driver overrides, and what the reports say of it. Sources: spec, Drive-by-Wire and ULC;
behaviour of Dataspeed `ds_dbw_can` 2.3.11. Time is the count of steps; there is no clock.
"""

from __future__ import annotations

import numpy as np

from acres_ros.core.clock import STEP_S
from acres_ros.core.gateway_auxiliary import Auxiliary
from acres_ros.core.gateway_enable import EnableLogic, NodeManaged
from acres_ros.core.gateway_events import Event, EventLog
from acres_ros.core.gateway_firmware import FirmwareManaged
from acres_ros.core.gateway_modules import ModuleFaults, Modules
from acres_ros.core.gateway_notices import tell
from acres_ros.core.gateway_options import (
    EXTERNAL_HOLD_STEPS,
    FIRST_REPORT_STEP,
    SYSTEM_REPORT_STEPS,
    TICK_STEPS,
    GatewayOptions,
)
from acres_ros.core.gateway_policy import Verdict, judge, subsystem_of, value_of
from acres_ros.core.gateway_records import CommandWriter, ReportWriter
from acres_ros.core.gateway_report import write_report
from acres_ros.core.gateway_snapshot import DriverWritten, GatewayState
from acres_ros.core.gateway_streams import DRIVEN, NAMES, Overrides, Streams
from acres_ros.core.gateway_watch import VehicleWatch
from acres_ros.core.inbox import SLOTS, Inbox, Notice, Slot
from acres_ros.core.messages import (
    DRIVE_MODES,
    GEAR_FRAME,
    BrakeCmd,
    ClientLost,
    Disable,
    DriveMode,
    DriveModeCmd,
    DriverInput,
    Enable,
    Gear,
    GearCmd,
    GearReject,
    HardwareShifts,
    MiscCmd,
    SteeringCmd,
    Subsystem,
    SubsystemCmd,
    ThrottleCmd,
    TurnSignalCmd,
    UlcCmd,
)
from acres_ros.core.reasons import ReasonDisengage

__all__ = ["DbwGateway", "GatewayOptions"]


class DbwGateway:
    """The gateway of one vehicle.

    Args:
        options: behaviour where real vehicles differ.

    Attributes:
        command: one `COMMAND` record, what the model gets in this step.
        report: one `GATEWAY` record, what the reports of this step show.
        steps: physics steps since the reset.
    """

    def __init__(self, options: GatewayOptions | None = None) -> None:
        self.options = options or GatewayOptions()
        self._log = EventLog()
        self._commands = CommandWriter()
        self._report = ReportWriter()
        self.command = self._commands.rows
        self.report = self._report.rows
        self.reset()

    @property
    def events(self) -> list[Event]:
        """Return what has been said and not yet taken, in order."""
        return self._log.events

    def take_events(self) -> list[Event]:
        """Return the events since the last call, in order, and forget them."""
        return self._log.take()

    def reset(self, *, gear: int = Gear.PARK, drive_mode: int = DRIVE_MODES["awd"]) -> None:
        """Start anew with an empty inbox: not enabled, nothing commanded, the driver's hands off.

        The next inbox must have begun empty after this call; hardware shifts that outlive it are its first message.

        Args:
            gear: lever of the driver.
            drive_mode: AWD switch.
        """
        options = self.options
        self.steps = 0
        self._log.restart()
        self._commands.reset(gear, drive_mode)
        self._report.reset()
        self.streams = Streams(options.control_steps)
        self.overrides = Overrides(options, self.streams)
        logic = FirmwareManaged if options.firmware_managed else NodeManaged
        self.modules = Modules(options, self.streams, self._log)
        self.enable: EnableLogic = logic(options, self.streams, self.overrides, self.modules, self._log)
        self.watch = VehicleWatch()
        self.auxiliaries = {name: Auxiliary(name, self._log) for name in ("turn_signal", "drive_mode_cmd", "misc")}
        self.driver = DriverInput()
        self._default_driver = True
        self._held_deg: float | None = None
        self._driver_written: DriverWritten | None = None
        self.gear = int(Gear.NONE)
        self.gear_unsupported = False
        self.gear_reject = GearReject.NONE
        self._changes_published = 0
        self._inbox = Inbox()
        self._expiring = [False] * 4
        self._deadline = 0

    @property
    def taken(self) -> Inbox:
        """Return the inbox that a step took last."""
        return self._inbox

    def snapshot(self) -> GatewayState:
        """Return the state."""
        signal, mode, misc = (auxiliary.snapshot() for auxiliary in self.auxiliaries.values())
        steering, brake, throttle, ulc = self._expiring
        return GatewayState(
            steps=self.steps,
            log=self._log.snapshot(),
            command=self.command.copy(),
            report=self.report.copy(),
            streams=self.streams.snapshot(),
            overrides=self.overrides.snapshot(),
            enable=self.enable.snapshot(),
            modules=self.modules.snapshot(),
            seen=self.watch.seen,
            auxiliaries=(signal, mode, misc),
            driver=self.driver,
            default_driver=self._default_driver,
            held_deg=self._held_deg,
            driver_written=self._driver_written,
            gear=self.gear,
            gear_unsupported=self.gear_unsupported,
            gear_reject=self.gear_reject,
            changes_published=self._changes_published,
            expiring=(steering, brake, throttle, ulc),
            deadline=self._deadline,
        )

    def restore(self, state: GatewayState, taken: Inbox) -> None:
        """Take up a state of a gateway with the same options.

        Args:
            state: one whose auxiliary commands fit.
            taken: the inbox that a step took last.
        """
        self.reset()
        self.steps = state.steps
        self._log.restore(state.log)
        self._commands.restore(state.command)
        self._report.restore(state.report)
        self.streams.restore(state.streams)
        self.overrides.restore(state.overrides)
        self.enable.restore(state.enable)
        self.modules.restore(state.modules, state.driver)
        self.watch.restore(state.seen)
        for auxiliary, remembered in zip(self.auxiliaries.values(), state.auxiliaries, strict=True):
            auxiliary.restore(remembered)
        self.driver, self._default_driver = state.driver, state.default_driver
        self._held_deg, self._driver_written = state.held_deg, state.driver_written
        self.gear, self.gear_unsupported, self.gear_reject = state.gear, state.gear_unsupported, state.gear_reject
        self._changes_published = state.changes_published
        self._expiring, self._deadline = list(state.expiring), state.deadline
        self._inbox = taken

    def step(self, inbox: Inbox | None, vehicle: np.ndarray | np.record) -> None:
        """Command one physics step.

        Args:
            inbox: the snapshot that this step takes; None when there is none.
            vehicle: `VEHICLE` record after the previous step; the same object in each call is fastest.
        """
        self.steps = step = self.steps + 1
        self._commands.forget_fresh()
        changed = self.watch.look(vehicle)
        if changed:
            self._warn_of_timeouts()
        if step == 1:
            mode = "".join(word.title() for word in self.options.system_sync_mode.split("_"))
            self._log.info("ACRES_DBW_SYNC_MODE", f"DBW system sync mode: {mode}")
        disabling = False
        if inbox is not None and inbox is not self._inbox:
            disabling = inbox.disable.sequence != self._inbox.disable.sequence
            self._take(inbox, step)
            changed = True
        if (self.driver.button_enable or self.driver.button_disable) and step % SYSTEM_REPORT_STEPS == 0:
            self._press(step)
            changed = True
        ticking = step % TICK_STEPS == 0
        if changed or step >= self._deadline or (ticking and self.enable.waiting):
            self._settle(step, ticking)
        if self._default_driver:
            self._hold_wheel()
        self._publish(step, ticking or disabling)

    def set_faults(self, faults: ModuleFaults) -> None:
        """Give modules and actuators other faults from the next step on, which has to follow."""
        if faults != self.modules.faults:
            self.modules.set(faults, self.steps)
            self._commands.write_faults(faults.actuators)
            for subsystem in Subsystem:
                if self._expiring[subsystem]:
                    self._commands.write_enable(subsystem, self._enabling(subsystem))
            self._deadline = 0

    # -- messages -----------------------------------------------------------------------------------------------------

    def _take(self, inbox: Inbox, step: int) -> None:
        seen = self._inbox
        self._inbox = inbox
        news: list[tuple[int, int, Notice | str]] = []
        for notice in reversed(inbox.notices):
            if notice.order <= seen.order:
                break
            news.append((notice.order, 0, notice))
        for name in SLOTS:
            slot: Slot = getattr(inbox, name)
            if slot.sequence != getattr(seen, name).sequence:
                news.append((slot.order, 1, name))
        for _, _, item in sorted(news, key=lambda entry: entry[:2]):
            if isinstance(item, Notice):
                self.gear_unsupported |= tell(item, step, self.streams, self._log)
            else:
                slot = getattr(inbox, item)
                self._handle(item, slot, slot.clears != getattr(seen, item).clears, step)

    def _handle(self, name: str, slot: Slot, clear: bool, step: int) -> None:
        message = slot.message
        if isinstance(message, SteeringCmd | BrakeCmd | ThrottleCmd | UlcCmd):
            self._command(message, clear, step)
        elif isinstance(message, GearCmd):
            self.gear, self.gear_unsupported = int(message.cmd), False
            self.streams.mend(GEAR_FRAME)
        elif isinstance(message, TurnSignalCmd | DriveModeCmd | MiscCmd):
            self.auxiliaries[name].take(message, step, self.options.firmware_managed or self.enable.enabled)
        elif isinstance(message, Enable):
            self.enable.request_enable(step)
        elif isinstance(message, Disable):
            self.enable.request_disable(ReasonDisengage.SystemDisableCmd, "DBW system disabled: command")
        elif isinstance(message, ClientLost):
            self.enable.request_disable(ReasonDisengage.SystemDisableCmd, "DBW system disabled: the client left")
        elif isinstance(message, DriverInput):
            self._drive(message, step)
        elif isinstance(message, DriveMode):
            self._commands.write_drive_mode(DRIVE_MODES[message.mode])
        elif isinstance(message, HardwareShifts):
            self._commands.write_shifts(message)

    def _command(self, message: SubsystemCmd, clear: bool, step: int) -> None:
        subsystem = subsystem_of(message)
        verdict = judge(message)
        zero = verdict is Verdict.NOT_FINITE and self.options.nan_policy == "zero"
        acts = message.cmd_type != 0 and (verdict is Verdict.ACCEPTED or zero)
        streams = self.streams
        streams.mend(subsystem)
        streams.arrival[subsystem] = step
        streams.type[subsystem] = int(message.cmd_type) if acts else 0
        streams.enable[subsystem] = bool(message.enable)
        streams.ignore[subsystem] = not isinstance(message, UlcCmd) and bool(message.ignore)
        streams.value[subsystem] = value_of(message) if acts else 0.0
        streams.refused[subsystem] = verdict is Verdict.NOT_FINITE and not zero
        streams.unsupported[subsystem] = verdict is Verdict.UNKNOWN_TYPE
        self._commands.write_subsystem(subsystem, message, streams.type[subsystem], streams.value[subsystem])
        self._commands.write_enable(subsystem, self._enabling(subsystem))
        self._expiring[subsystem] = True
        self.enable.on_command(subsystem, clear)

    def _enabling(self, subsystem: int) -> bool:
        """Tell whether the last message of a subsystem reaches an actuator, with its enable flag."""
        return self.streams.enable[subsystem] and not self.streams.cut[subsystem]

    def _drive(self, message: DriverInput, step: int) -> None:
        """Take what the driver does; a button acts when it goes down, and while it is held with each system report."""
        before, self.driver = self.driver, message
        self._default_driver = False
        self.overrides.take(message)
        self.modules.sit(message)
        if message.button_enable and not before.button_enable:
            self.enable.press_enable(step)
        if message.button_disable and not before.button_disable:
            self.enable.press_disable()

    def _press(self, step: int) -> None:
        if self.driver.button_enable:
            self.enable.press_enable(step)
        if self.driver.button_disable:
            self.enable.press_disable()

    # -- decisions ----------------------------------------------------------------------------------------------------

    def _settle(self, step: int, ticking: bool) -> None:
        self.enable.evaluate(step)
        if ticking:
            self.enable.tick(step)
        for subsystem in range(4):
            if self._expiring[subsystem] and step - self.streams.arrival[subsystem] >= EXTERNAL_HOLD_STEPS:
                self._expiring[subsystem] = False
                self.streams.type[subsystem] = 0
                self.streams.value[subsystem] = 0.0
                self._commands.expire(subsystem)
        self._commands.write_system(self.enable.enabled, self.gear)
        self._write_driver(step)
        self._judge_gear()
        if self.preempted(step):
            self._log.warning_once("ACRES_DBW_PREEMPTED", "ULC preempted by user brake or throttle commands")
        write_report(self._report, self)
        self._deadline = min(
            self.streams.next_change(step),
            self.modules.next_change(step),
            *(auxiliary.next_change(step) for auxiliary in self.auxiliaries.values()),
        )

    def _write_driver(self, step: int) -> None:
        """Give the model what the driver does, but for what a command asks to ignore while the system is enabled."""
        wheel, brake, throttle = (
            self.enable.enabled and self.overrides.ignored(subsystem, step) for subsystem in DRIVEN
        )
        written = DriverWritten(self.driver, (wheel, brake, throttle))
        if written != self._driver_written:
            self._driver_written = written
            self._commands.write_driver(*written)

    def _hold_wheel(self) -> None:
        """Hold the steering wheel at its centre as the driver does of whom nothing is known; not while enabled."""
        angle = None
        if not self.enable.enabled:
            now, reach = self.watch.wheel_deg, self.options.wheel_slew_deg_s * STEP_S
            angle = now + min(max(self.options.wheel_center_deg - now, -reach), reach)
        if angle != self._held_deg:
            self._held_deg = angle
            self._commands.write_wheel(angle is not None, angle or 0.0)

    def _judge_gear(self) -> None:
        watch = self.watch
        reject = GearReject.NONE
        if self.gear_unsupported:
            reject = GearReject.UNSUPPORTED
        elif self.enable.enabled and self.gear != Gear.NONE:
            if watch.gear_refused:
                stuck = self.modules.faults.actuators.gear_stuck
                reject = GearReject.FAULT if stuck else GearReject.VEHICLE_SPEED
            elif watch.shifting and self.gear != watch.gear_selected:
                reject = GearReject.SHIFT_IN_PROGRESS
        if reject is not self.gear_reject and reject is not GearReject.NONE:
            self._log.warning("ACRES_DBW_GEAR_REJECTED", f"Gear command rejected: {reject.name}")
        self.gear_reject = reject

    def ulc_drives(self, pedal: int, step: int) -> bool:
        """Tell whether a pedal follows the ULC in this step, in control or with its last output; a user goes first."""
        enabled, live = self.enable.enabled, self.streams.live
        if enabled and live(pedal, step):
            return False
        return self.watch.ulc_holding or (enabled and live(Subsystem.ULC, step) and not self.preempted(step))

    def preempted(self, step: int) -> bool:
        """Tell whether a user throttle or brake command keeps the ULC from control (spec, Watchdog)."""
        live = self.streams.live
        return (
            self.enable.enabled
            and live(Subsystem.ULC, step)
            and (live(Subsystem.BRAKE, step) or live(Subsystem.THROTTLE, step))
        )

    def _warn_of_timeouts(self) -> None:
        timeout_ms = round(1000.0 * self.options.command_timeout_s)
        for subsystem in DRIVEN:
            if self.watch.timed_out[subsystem] and not self.modules.faults.silent[subsystem]:
                text = f"{NAMES[subsystem].capitalize()} subsystem disabled after {timeout_ms}ms command timeout"
                self._log.warning("ACRES_DBW_TIMEOUT", text)

    def _publish(self, step: int, due: bool) -> None:
        changes = self.enable.changes
        due = (due or changes != self._changes_published) and step >= FIRST_REPORT_STEP
        if due:
            self._changes_published = changes
        self._report.write_due(due)
