"""The options of the drive-by-wire gateway, and what they mean in whole steps."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from acres_ros.core.clock import STEP_S, STEPS_PER_SECOND
from acres_ros.core.messages import SystemSyncMode
from acres_ros.errors import AcresError

EXTERNAL_HOLD_STEPS = STEPS_PER_SECOND // 4
"""A message acts while it is younger than 0.25 s (spec, Enable, Disable and Override)."""

SLOW_TIMEOUT_STEPS = STEPS_PER_SECOND // 4
"""Time-out of turn signal, drive mode and misc commands, 250 ms (`ds_dbw_can` 2.3.11, frame definitions)."""

REPORT_TIMEOUT_STEPS = tuple(STEPS_PER_SECOND * milliseconds // 1000 for milliseconds in (100, 100, 100, 350))
"""How long a report of steering, brake, throttle and gear is valid (`ds_dbw_can` 2.3.11, frame definitions)."""

TICK_STEPS = STEPS_PER_SECOND // 20
"""Period of `dbw_enabled` and of the pending requests, 50 ms (`ds_dbw_can` 2.3.11)."""

SYSTEM_REPORT_STEPS = STEPS_PER_SECOND // 10
"""Period of the system report, at which a held button acts again, 100 ms (`ds_dbw_can` 2.3.11)."""

FIRST_REPORT_STEP = 3
"""Step after which the first 50 Hz report has been made; `dbw_enabled` is silent before (spec, Reports)."""

NAN_POLICIES = ("refuse", "zero")

WATCHDOGS = {"double": STEP_S, "single": struct.unpack("f", struct.pack("f", STEP_S))[0]}
"""What a step adds to the age of a message, s."""


class GatewayOptionError(AcresError):
    """An option of the gateway with a value that it cannot have."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        super().__init__(f"gateway option {name} is {given!r}; wanted {wanted}")
        self.name = name
        self.given = given


@dataclass(frozen=True, kw_only=True)
class GatewayOptions:
    """How the drive-by-wire system behaves where real vehicles differ.

    Attributes:
        system_sync_mode: `none` and `disengages`: the node decides that the system is enabled, as the spec has it;
            `all_or_none`, `all_or_none_with_btn`, `partial`, `partial_with_btn`: the firmware decides.
        latched_overrides: False: an override ends with the next enable (spec). True: it stays until a command with
            `clear` reaches the subsystem, as on the real vehicle; and a command with `ignore` is not overridden.
        override_throttle_pct: the driver overrides above this position of the pedal, %; 0: at every touch (spec).
        override_brake_bar: the driver overrides above this pressure of the foot, bar; 0: at every touch (spec).
        nan_policy: what a number that is not finite does in `cmd`. `refuse`: the message commands nothing; `zero`: it
            commands 0, which is what the conversion in the real node gives on its hardware.
        buttons: act on the enable and the disable button of the vehicle (parameter `buttons` of the real node).
        watchdog: precision of the step that the age of a message is summed from. `double`: a subsystem releases 13
            steps after its last message (spec, Drive-by-Wire and ULC, section Watchdog); `single`: 12, as in the game
            (spec, Time Stepping and Determinism).
        command_timeout_s: time-out of a subsystem, s; the parameter `dbw.command_timeout_s` of the vehicle.
        wheel_center_deg: where a driver who gives no input holds the steering wheel while the system is not enabled,
            deg; the parameter `steering.center_deg` of the vehicle.
        wheel_slew_deg_s: how fast that driver turns it there, deg/s; the parameter `dbw.steering.slew_deg_s`.
    """

    system_sync_mode: str = "none"
    latched_overrides: bool = False
    override_throttle_pct: float = 0.0
    override_brake_bar: float = 0.0
    nan_policy: str = "refuse"
    buttons: bool = True
    watchdog: str = "double"
    command_timeout_s: float = 0.1
    wheel_center_deg: float = 0.0
    wheel_slew_deg_s: float = 500.0

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        modes = [mode.name.lower() for mode in SystemSyncMode]
        if self.system_sync_mode not in modes:
            raise GatewayOptionError("system_sync_mode", self.system_sync_mode, f"one of {', '.join(modes)}")
        if self.nan_policy not in NAN_POLICIES:
            raise GatewayOptionError("nan_policy", self.nan_policy, f"one of {', '.join(NAN_POLICIES)}")
        if self.watchdog not in WATCHDOGS:
            raise GatewayOptionError("watchdog", self.watchdog, f"one of {', '.join(WATCHDOGS)}")
        for name, most in (("override_throttle_pct", 100.0), ("override_brake_bar", 200.0)):
            if not 0.0 <= getattr(self, name) <= most:
                raise GatewayOptionError(name, getattr(self, name), f"0 to {most:g}")
        if not STEP_S <= self.command_timeout_s <= 10.0:
            raise GatewayOptionError("command_timeout_s", self.command_timeout_s, "one step (1/120 s) to 10 s")

    @property
    def sync_mode(self) -> SystemSyncMode:
        """Return the sync mode as the report has it."""
        return SystemSyncMode[self.system_sync_mode.upper()]

    @property
    def firmware_managed(self) -> bool:
        """Tell whether the firmware, and not the node, decides that the system is enabled."""
        return self.sync_mode >= SystemSyncMode.ALL_OR_NONE

    @property
    def age_step_s(self) -> float:
        """Return what a step adds to the age of a message, s: for the gateway and for the model."""
        return WATCHDOGS[self.watchdog]

    @property
    def control_steps(self) -> int:
        """Return for how many steps after its last message a subsystem keeps control.

        The age is summed step by step as the watchdog of the model does it; a product would round differently.
        """
        steps, age = 0, self.age_step_s
        while age <= self.command_timeout_s:
            age += self.age_step_s
            steps += 1
        return steps
