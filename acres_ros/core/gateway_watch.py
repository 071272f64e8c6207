"""What the gateway sees of the vehicle: the flags of the actuators after the previous step."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from acres_ros._record import place_of
from acres_ros.core.clock import STEP_S
from acres_ros.models.state import VEHICLE

_DRIVEN = ("steering", "brake", "throttle")
_WATCHED = (
    *(f"dbw.{name}.{flag}" for name in _DRIVEN for flag in ("in_control", "timeout")),
    *("dbw.gear.refused", "dbw.gear.shift_left", "dbw.gear.selected", "dbw.ulc.hold"),
)
_NONE = (False, False, False)


def _place(key: str) -> tuple[int, str]:
    """Return the first byte of a number in the `VEHICLE` record, and its format."""
    dtype, offset = place_of(VEHICLE.dtype, key)
    return offset, "d" if dtype.kind == "f" else "q"


def _reader(keys: list[str]) -> struct.Struct:
    """Return what reads the numbers, given in the order of the record, from its bytes."""
    form, position = "<", 0
    for offset, kind in map(_place, keys):
        form += f"{offset - position}x{kind}"
        position = offset + 8
    return struct.Struct(form)


_WHEEL = struct.Struct("<d"), _place("dbw.steering.angle_deg")[0]
_KEYS = sorted(_WATCHED, key=_place)
_READ = _reader(_KEYS).unpack_from


class Seen(NamedTuple):
    """What was seen last: the attributes of `VehicleWatch` but for `timed_out`, which each look makes anew."""

    in_control: tuple[bool, bool, bool]
    gear_refused: bool
    shifting: bool
    gear_selected: int
    ulc_holding: bool


class VehicleWatch:
    """Watch a few numbers of the state of the drive-by-wire.

    Attributes:
        in_control: steering, brake, throttle are controlled by the drive-by-wire.
        timed_out: the subsystem lost control in the last step, with a time-out.
        gear_refused: a wanted gear waits for a low speed.
        shifting: a gear change is in progress.
        gear_selected: gear of the last accepted change.
        ulc_holding: the pedals keep the last output of a ULC without control through this step.
        seen: most of these together; None before the first look.
    """

    def __init__(self) -> None:
        self._vehicle: object = None
        self._content = memoryview(b"")
        self._numbers: tuple[float, ...] = ()
        self.seen: Seen | None = None
        self.in_control: tuple[bool, ...] = _NONE
        self.timed_out: tuple[bool, ...] = _NONE
        self.gear_refused = False
        self.shifting = False
        self.gear_selected = 0
        self.ulc_holding = False

    def look(self, vehicle: np.ndarray | np.record) -> bool:
        """Read the state; return whether anything that is watched has changed.

        Args:
            vehicle: one `VEHICLE` record, or an array with one. Its bytes are kept as long as it is the same.
        """
        if vehicle is not self._vehicle:
            self._bind(vehicle)
        numbers = _READ(self._content)
        if numbers == self._numbers:
            self.timed_out = _NONE
            return False
        self._numbers = numbers
        state = dict(zip(_KEYS, numbers, strict=True))
        steering, brake, throttle = (state[f"dbw.{name}.in_control"] != 0 for name in _DRIVEN)
        control = (steering, brake, throttle)
        seen = Seen(
            control,
            state["dbw.gear.refused"] != 0,
            state["dbw.gear.shift_left"] > 0.0,
            int(state["dbw.gear.selected"]),
            state["dbw.ulc.hold"] >= STEP_S,
        )
        if seen == self.seen:
            self.timed_out = _NONE
            return False
        self.timed_out = tuple(
            was and not now and state[f"dbw.{name}.timeout"] != 0
            for was, now, name in zip(self.in_control, control, _DRIVEN, strict=True)
        )
        self._show(seen)
        return True

    def restore(self, seen: Seen | None) -> None:
        """Take up what was seen; None is nothing yet. The next look reads the state anew."""
        self._numbers = ()
        if seen is None:
            self.seen = None
        else:
            self._show(seen)

    def _show(self, seen: Seen) -> None:
        self.seen = seen
        self.in_control, self.gear_refused, self.shifting, self.gear_selected, self.ulc_holding = seen

    @property
    def wheel_deg(self) -> float:
        """Return the steering wheel angle of the record that was last looked at, deg."""
        number, offset = _WHEEL
        return number.unpack_from(self._content, offset)[0]

    def _bind(self, vehicle: np.ndarray | np.record) -> None:
        self._vehicle = vehicle
        self._content = memoryview(np.asarray(vehicle).reshape(1).view(np.ndarray).view(np.uint8))
