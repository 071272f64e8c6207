"""What the gateway sees of the vehicle: the flags of the actuators after the previous step."""

from __future__ import annotations

import numpy as np

from acres_ros.core.clock import STEP_S

_CONTROLLED = ("steering", "brake", "throttle")


class VehicleWatch:
    """Watch a few numbers of the state of the drive-by-wire.

    Attributes:
        in_control: steering, brake, throttle are controlled by the drive-by-wire.
        timed_out: the subsystem lost control in the last step, with a time-out.
        gear_refused: a wanted gear waits for a low speed.
        shifting: a gear change is in progress.
        gear_selected: gear of the last accepted change.
        ulc_holding: the pedals keep the last output of a ULC without control through this step.
    """

    def __init__(self) -> None:
        self._vehicle: object = None
        self._views: tuple[np.ndarray, ...] = ()
        self._timeouts: tuple[np.ndarray, ...] = ()
        self._seen: tuple[object, ...] = ()
        self.in_control: tuple[bool, ...] = (False, False, False)
        self.timed_out: tuple[bool, ...] = (False, False, False)
        self.gear_refused = False
        self.shifting = False
        self.gear_selected = 0
        self.ulc_holding = False

    def look(self, vehicle: np.ndarray | np.record) -> bool:
        """Read the state; return whether anything that is watched has changed.

        Args:
            vehicle: one `VEHICLE` record, or an array with one. The views on it are kept as long as it is the same.
        """
        if vehicle is not self._vehicle:
            self._bind(vehicle)
        steering, brake, throttle, refused, left, selected, hold = self._views
        seen = (
            steering[0] != 0,
            brake[0] != 0,
            throttle[0] != 0,
            refused[0] != 0,
            left[0] > 0.0,
            int(selected[0]),
            hold[0] >= STEP_S,
        )
        if seen == self._seen:
            self.timed_out = (False, False, False)
            return False
        before, self.in_control = self.in_control, seen[:3]
        self.timed_out = tuple(
            was and not now and timeout[0] != 0
            for was, now, timeout in zip(before, self.in_control, self._timeouts, strict=True)
        )
        self._seen = seen
        self.gear_refused, self.shifting, self.gear_selected, self.ulc_holding = seen[3:]
        return True

    def _bind(self, vehicle: np.ndarray | np.record) -> None:
        self._vehicle = vehicle
        rows = np.asarray(vehicle).reshape(1).view(np.ndarray)
        dbw = rows["dbw"]
        self._views = (
            *(dbw[name]["in_control"] for name in _CONTROLLED),
            dbw["gear"]["refused"],
            dbw["gear"]["shift_left"],
            dbw["gear"]["selected"],
            dbw["ulc"]["hold"],
        )
        self._timeouts = tuple(dbw[name]["timeout"] for name in _CONTROLLED)
