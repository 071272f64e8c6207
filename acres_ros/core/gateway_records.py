"""Write the records of the gateway through views: an attribute of a record costs a hundred times more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acres_ros._record import Record, column
from acres_ros.core.gateway_modules import ActuatorFaults
from acres_ros.core.gateway_policy import driver_value, limit_of
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.core.messages import (
    BrakeCmd,
    DriverInput,
    HardwareShifts,
    SteeringCmd,
    SubsystemCmd,
    ThrottleCmd,
    UlcCmd,
)
from acres_ros.models.dbw.command import COMMAND

_PARTS = ("steering", "brake", "throttle", "ulc")
_LIMITS = (
    ("rate_deg", "acceleration_deg"),
    ("rate_increase", "rate_decrease"),
    ("rate_increase", "rate_decrease"),
    ("limit_acceleration", "limit_deceleration", "limit_jerk_throttle", "limit_jerk_brake"),
)


def views_of(rows: np.ndarray, record: Record) -> dict[str, np.ndarray]:
    """Return a view of each number of the records by its dotted key.

    Args:
        rows: records of the type, shape (n,).
        record: their table.
    """
    return {key: column(rows, key) for key, _ in record.leaves()}


def _limits_of(message: SubsystemCmd) -> tuple[float, ...]:
    if isinstance(message, SteeringCmd):
        return (message.cmd_rate, message.cmd_accel)
    if isinstance(message, BrakeCmd | ThrottleCmd):
        return (message.rate_inc, message.rate_dec)
    return (message.limit_accel, message.limit_decel, message.limit_jerk_throttle, message.limit_jerk_brake)


class CommandWriter:
    """The command record of one step, written only where something changes.

    Attributes:
        rows: one `COMMAND` record.
    """

    def __init__(self) -> None:
        self.rows = COMMAND.new(1)
        views = views_of(self.rows, COMMAND)
        self._views = views
        self._fresh = [views[f"{part}.fresh"] for part in _PARTS]
        self._enable = [views[f"{part}.enable"] for part in _PARTS]
        self._type = [views[f"{part}.type"] for part in _PARTS]
        self._value = [views[f"{part}.value"] for part in _PARTS]
        self._limit = [[views[f"{part}.{name}"] for name in _LIMITS[index]] for index, part in enumerate(_PARTS)]
        self._system_enable = views["system_enable"]
        self._gear = views["gear"]
        self._hold = views["driver.steering_active"]
        self._wheel = views["driver.steering_wheel_angle_deg"]
        self._marked: list[int] = []

    def reset(self, gear: int, drive_mode: int) -> None:
        """Command nothing, shift nothing."""
        COMMAND.set_defaults(self.rows)
        self._views["driver.gear"][0] = gear
        self._views["drive_mode"][0] = drive_mode
        self._marked = []

    def restore(self, rows: np.ndarray) -> None:
        """Take up a record: what is fresh in it is so until the next step."""
        self.rows[:] = rows
        self._marked = [index for index, fresh in enumerate(self._fresh) if fresh[0]]

    def forget_fresh(self) -> None:
        """Take back the fresh marks of the last step."""
        for index in self._marked:
            self._fresh[index][0] = 0
        self._marked.clear()

    def write_subsystem(self, index: int, message: SubsystemCmd, cmd_type: int, value: float) -> None:
        """Write a message that arrives in this step.

        Args:
            index: `Subsystem`.
            message: gives the limits; its enable flag has to be written behind it.
            cmd_type: type that the model gets, 0 where the message cannot act.
            value: `cmd` that the model gets, finite.
        """
        self._fresh[index][0] = 1
        self._marked.append(index)
        self._type[index][0] = cmd_type
        self._value[index][0] = value
        for view, limit in zip(self._limit[index], _limits_of(message), strict=True):
            view[0] = limit_of(limit)
        if isinstance(message, UlcCmd):
            self._views["ulc.coast_deceleration"][0] = 1 if message.coast_decel else 0

    def write_enable(self, index: int, enable: bool) -> None:
        """Write whether the last message of a `Subsystem` asks for control and can have it."""
        self._enable[index][0] = 1 if enable else 0

    def expire(self, index: int) -> None:
        """Drop a message that has become too old to act."""
        self._enable[index][0] = 0
        self._type[index][0] = 0
        self._value[index][0] = 0.0

    def write_system(self, enabled: bool, gear: int) -> None:
        """Write the system enable and the gear command, which acts only with it."""
        self._system_enable[0] = 1 if enabled else 0
        self._gear[0] = gear if enabled else 0

    def write_drive_mode(self, position: int) -> None:
        """Write the position of the AWD switch."""
        self._views["drive_mode"][0] = position

    def write_driver(self, driver: DriverInput, ignored: Sequence[bool]) -> None:
        """Write what the driver does.

        Args:
            driver: what the driver does; a lever that is not touched stays.
            ignored: whether it is ignored on steering, brake, throttle.
        """
        views = self._views
        wheel, brake, throttle = ignored
        self.write_wheel(driver.hands_on_wheel and not wheel, driver_value(driver.steering_wheel_angle_deg))
        views["driver.throttle_pct"][0] = 0.0 if throttle else min(max(float(driver.throttle_pct), 0.0), 100.0)
        views["driver.brake_bar"][0] = 0.0 if brake else max(driver_value(driver.brake_bar), 0.0)
        if driver.gear:
            views["driver.gear"][0] = driver.gear

    def write_wheel(self, held: bool, angle_deg: float) -> None:
        """Write whether the driver holds the steering wheel, and where."""
        self._hold[0] = 1 if held else 0
        self._wheel[0] = angle_deg

    def write_faults(self, faults: ActuatorFaults) -> None:
        """Write what is wrong with the actuators."""
        for name, value in faults._asdict().items():
            self._views[f"fault.{name}"][0] = value

    def write_shifts(self, shifts: HardwareShifts) -> None:
        """Write the hardware shifts."""
        views = self._views
        views["shift.steering_offset_deg"][0] = shifts.steering_offset_deg
        views["shift.ulc_speed_bias"][0] = shifts.ulc_speed_bias_mps
        views["shift.throttle_bias_pct"][0] = shifts.throttle_bias_pct
        views["shift.brake_bias_bar"][0] = shifts.brake_bias_bar


class ReportWriter:
    """The report record of the gateway, written only where something changes.

    Attributes:
        rows: one `GATEWAY` record.
    """

    def __init__(self) -> None:
        self.rows = GATEWAY.new(1)
        self._views = views_of(self.rows, GATEWAY)
        self._due = self._views["dbw_enabled_due"]
        self._was_due = False
        self._written: dict[str, dict[str, float]] = {}

    def reset(self) -> None:
        """Write the state before the first step."""
        GATEWAY.set_defaults(self.rows)
        self._written = {}
        self._was_due = False

    def restore(self, rows: np.ndarray) -> None:
        """Take up a record."""
        self.rows[:] = rows
        self._written = {}
        self._was_due = bool(self._due[0])

    def write(self, prefix: str, **values: float) -> None:
        """Write the numbers below a dotted prefix (empty, or ending in a dot), always the same ones for a prefix."""
        if self._written.get(prefix) == values:
            return
        self._written[prefix] = values
        views = self._views
        for name, value in values.items():
            views[prefix + name][0] = value

    def write_due(self, due: bool) -> None:
        """Write whether `dbw_enabled` is due in this step."""
        if due is not self._was_due:
            self._was_due = due
            self._due[0] = due
