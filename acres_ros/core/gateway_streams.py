"""What the four commanded subsystems know: when the last message came, what it was, and whether the driver acts."""

from __future__ import annotations

from typing import NamedTuple

from acres_ros.core.gateway_options import EXTERNAL_HOLD_STEPS, REPORT_TIMEOUT_STEPS, GatewayOptions
from acres_ros.core.messages import GEAR_FRAME, BadFrame, DriverInput, Subsystem, SystemSyncMode

NEVER = -(10**9)
"""Arrival step of a message that never came."""

PEDALS = (Subsystem.BRAKE, Subsystem.THROTTLE)
DRIVEN = (Subsystem.STEERING, *PEDALS)
"""The subsystems that a driver can override, in the order of the reason codes."""

NAMES = ("steering", "brake", "throttle", "ULC")


class StreamsState(NamedTuple):
    """The attributes of `Streams` but for `cut`: for the four subsystems, and what is damaged for the gear as well."""

    arrival: tuple[int, int, int, int]
    type: tuple[int, int, int, int]
    enable: tuple[bool, bool, bool, bool]
    ignore: tuple[bool, bool, bool, bool]
    value: tuple[float, float, float, float]
    refused: tuple[bool, bool, bool, bool]
    unsupported: tuple[bool, bool, bool, bool]
    damaged: tuple[int, int, int, int, int]
    bad_crc: tuple[bool, bool, bool, bool, bool]
    bad_counter: tuple[bool, bool, bool, bool, bool]


class OverridesState(NamedTuple):
    """The attributes of `Overrides`: steering, brake, throttle."""

    acting: tuple[bool, bool, bool]
    struck: tuple[bool, bool, bool]


class Streams:
    """The streams of commands, in whole steps.

    Attributes:
        arrival: step of the last message of each subsystem.
        type: `cmd_type` that it commands, 0 for nothing.
        enable: its enable flag.
        ignore: its ignore flag; the ULC has none.
        value: its `cmd` as the model gets it.
        refused: True while the last message was not finite.
        unsupported: True while the last message had a type that the vehicle does not have.
        damaged: step of the last damaged frame of each subsystem and of the gear, if no good one came after it.
        bad_crc, bad_counter: what was wrong with it.
        cut: True while the actuator of the subsystem takes no command; the owner sets it.
    """

    def __init__(self, control_steps: int) -> None:
        self._control_steps = control_steps
        self.arrival = [NEVER] * 4
        self.type = [0] * 4
        self.enable = [False] * 4
        self.ignore = [False] * 4
        self.value = [0.0] * 4
        self.refused = [False] * 4
        self.unsupported = [False] * 4
        self.damaged = [NEVER] * (GEAR_FRAME + 1)
        self.bad_crc = [False] * (GEAR_FRAME + 1)
        self.bad_counter = [False] * (GEAR_FRAME + 1)
        self.cut = [False] * 4
        # A gear command has no time-out; what is said of its last frame has that of the gear's report.
        self._bad_steps = (*(control_steps,) * 4, REPORT_TIMEOUT_STEPS[-1])

    def missing(self, subsystem: int, step: int) -> bool:
        """Tell whether the last message is older than the time-out."""
        return step - self.arrival[subsystem] > self._control_steps

    def live(self, subsystem: int, step: int) -> bool:
        """Tell whether a message commands the subsystem, apart from the system enable (spec, Watchdog)."""
        wanted = self.enable[subsystem] and self.type[subsystem] != 0 and not self.cut[subsystem]
        return wanted and not self.missing(subsystem, step)

    def commanded(self, subsystem: int, step: int) -> bool:
        """Tell whether commands of any type arrive for an actuator; the ULC commands both pedals."""
        if not self.missing(subsystem, step):
            return True
        return subsystem in PEDALS and not self.missing(Subsystem.ULC, step)

    def enabling(self, subsystem: int, step: int) -> bool:
        """Tell whether an arriving command of an actuator has its enable flag set."""
        if self.enable[subsystem] and not self.missing(subsystem, step):
            return True
        return subsystem in PEDALS and self.enable[Subsystem.ULC] and not self.missing(Subsystem.ULC, step)

    def next_change(self, step: int) -> int:
        """Return the next step at which a message becomes too old for something."""
        change = 10**12
        for arrival in self.arrival:
            for age in (self._control_steps + 1, EXTERNAL_HOLD_STEPS):
                if step < arrival + age < change:
                    change = arrival + age
        for damaged, age in zip(self.damaged, self._bad_steps, strict=True):
            if step < damaged + age + 1 < change:
                change = damaged + age + 1
        return change

    def damage(self, frame: BadFrame, step: int) -> None:
        """Note a damaged frame, which is not taken."""
        self.damaged[frame.target] = step
        self.bad_crc[frame.target], self.bad_counter[frame.target] = frame.crc, frame.counter

    def mend(self, target: int) -> None:
        """Note a good frame of a subsystem or of the gear."""
        self.damaged[target] = NEVER

    def bad_frame(self, target: int, step: int) -> tuple[bool, bool]:
        """Tell whether the last frame had a wrong checksum, and a wrong counter, unless that is too long ago."""
        if step - self.damaged[target] > self._bad_steps[target]:
            return False, False
        return self.bad_crc[target], self.bad_counter[target]

    def snapshot(self) -> StreamsState:
        """Return the state."""
        return StreamsState(*(tuple(getattr(self, name)) for name in StreamsState._fields))

    def restore(self, state: StreamsState) -> None:
        """Take up a state."""
        for name, values in state._asdict().items():
            setattr(self, name, list(values))


class Overrides:
    """Where the driver acts, and what the reports say of it.

    Attributes:
        acting: the driver acts on steering, brake, throttle now.
        struck: an override was made there and not yet ended: shown until the next enable, or latched until a clear.
    """

    def __init__(self, options: GatewayOptions, streams: Streams) -> None:
        self._latching = options.latched_overrides
        self._brake_bar, self._throttle_pct = options.override_brake_bar, options.override_throttle_pct
        self._partial = options.sync_mode >= SystemSyncMode.PARTIAL
        self._streams = streams
        self.acting = [False] * 3
        self.struck = [False] * 3

    def take(self, driver: DriverInput) -> None:
        """Note what the driver does; hands on the wheel count, and a pedal above its threshold."""
        self.acting = [
            driver.hands_on_wheel, driver.brake_bar > self._brake_bar, driver.throttle_pct > self._throttle_pct
        ]  # fmt: skip

    def overriding(self, subsystem: int, step: int) -> bool:
        """Tell whether what the driver does on a subsystem overrides the system now.

        In the spec it always does. With latched overrides it does so only while commands arrive for any subsystem: the
        real node takes no override from a report that shows a time-out, but the others show it as `override_other`.
        Where a part of the subsystems can be enabled alone, commands for the subsystem itself must arrive.
        """
        if not self.acting[subsystem] or self.ignored(subsystem, step):
            return False
        if self._partial:
            return self._streams.commanded(subsystem, step)
        return not self._latching or any(self._streams.commanded(actuator, step) for actuator in DRIVEN)

    def blocking(self, subsystem: int, step: int) -> bool:
        """Tell whether the system cannot be enabled because of an override of a subsystem, acting or latched."""
        if self.overriding(subsystem, step):
            return True
        return self.latched(subsystem) and self._streams.commanded(subsystem, step)

    def strike(self, step: int) -> None:
        """Keep what overrides now, for the reports or as latches; only a commanded subsystem latches."""
        for subsystem in DRIVEN:
            if self.overriding(subsystem, step) and (not self._latching or self._streams.commanded(subsystem, step)):
                self.struck[subsystem] = True

    def names(self, step: int) -> str:
        """Return the names of what the driver overrides now, for texts."""
        return " and ".join(NAMES[subsystem] for subsystem in DRIVEN if self.overriding(subsystem, step))

    def ignored(self, subsystem: int, step: int) -> bool:
        """Tell whether commands for a subsystem ask to ignore the driver there (option `latched_overrides`)."""
        return self._latching and self._streams.ignore[subsystem] and not self._streams.missing(subsystem, step)

    def clear(self, subsystem: int) -> None:
        """End the override of a subsystem on which the driver does not act; that of the ULC is that of the pedals."""
        for actuator in PEDALS if subsystem == Subsystem.ULC else (subsystem,):
            if not self.acting[actuator]:
                self.struck[actuator] = False

    def clear_all(self) -> None:
        """End every override on which the driver does not act."""
        self.struck = [struck and acting for struck, acting in zip(self.struck, self.acting, strict=True)]

    def active(self, subsystem: int) -> bool:
        """Return `override_active` of a report; the ULC's is that of the pedals."""
        shown = self.acting if self._latching else self.struck
        if subsystem == Subsystem.ULC:
            return shown[Subsystem.BRAKE] or shown[Subsystem.THROTTLE]
        return shown[subsystem]

    def latched(self, subsystem: int) -> bool:
        """Return `override_latched` of a report."""
        if subsystem == Subsystem.ULC:
            return self._latching and (self.struck[Subsystem.BRAKE] or self.struck[Subsystem.THROTTLE])
        return self._latching and self.struck[subsystem]

    def other(self, subsystem: int) -> bool:
        """Return `override_other` of a report: another subsystem is overridden."""
        if not (any(self.struck) or any(self.acting)):
            return False
        return any(self.active(other) for other in DRIVEN if other != subsystem)

    @property
    def any(self) -> bool:
        """Return `override` of the system report."""
        return any(self.struck) or any(map(self.active, DRIVEN))

    def snapshot(self) -> OverridesState:
        """Return the state."""
        return OverridesState(*(tuple(getattr(self, name)) for name in OverridesState._fields))

    def restore(self, state: OverridesState) -> None:
        """Take up a state."""
        self.acting, self.struck = map(list, state)
