"""Read a step sample in plain Python values, part by part, only the parts that a message needs.

A sample is one record of 8-byte numbers (`acres_ros.core.sample`). A part of it, such as the state of the brake, is
decoded with one precompiled `struct` into a NamedTuple whose fields have the names of the record.
"""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from acres_ros._record import place_of
from acres_ros.core.clock import stamp
from acres_ros.core.kinematics import MOTION, motion_offset
from acres_ros.core.sample import SAMPLE

_MOTION = MOTION.dtype


class Part:
    """The numbers of one sub-record.

    Args:
        dtype: the whole record.
        path: dotted path of the sub-record, empty for the record itself; or of a row of numbers or of sub-records.
        nested: take what is nested in it too, under names such as `steering_ready`; rows are left out.
        only: names to take; empty takes all.
    """

    def __init__(self, dtype: Any, path: str, *, nested: bool = False, only: tuple[str, ...] = ()) -> None:
        place, offset = place_of(dtype, path)
        count = place.shape[0] if place.shape else 1
        dtype = place.base
        numbers = [number for number in _numbers(dtype, nested) if not only or number[0] in only]
        form, position = "", 0
        for _, kind, start in numbers:
            form += f"{start - position}x" if start > position else ""
            form += "d" if kind == "f" else "q"
            position = start + 8
        form += f"{dtype.itemsize - position}x"
        self._unpack = struct.Struct(f"<{form * count}").unpack_from
        self._offset = offset
        self._make: Callable[[Any], Any] = tuple
        if count == 1:
            self._make = _named(path.replace(".", "_") or "record", [name for name, _, _ in numbers])

    def read(self, buffer: bytes | bytearray) -> Any:
        """Return the numbers of the record that starts at the buffer's first byte: named, or flat for a row."""
        return self._make(self._unpack(buffer, self._offset))


def _named(name: str, fields: list[str]) -> Callable[[Any], Any]:
    """Return the function from a row of numbers to a named tuple of them."""
    make: Any = namedtuple  # the names come from a dtype, which no type checker reads
    return make(name, fields)._make


def _numbers(dtype: Any, nested: bool, prefix: str = "", offset: int = 0) -> Iterator[tuple[str, str, int]]:
    """Yield name, kind (f or i) and offset of the numbers of a record, in order."""
    if dtype.names is None:
        yield prefix, dtype.kind, offset
        return
    for name in dtype.names:
        inner, start = dtype.fields[name][:2]
        if inner.kind in "fi":
            yield prefix + name, inner.kind, offset + start
        elif nested and not inner.subdtype:
            yield from _numbers(inner, nested, f"{prefix}{name}_", offset + start)


class _Lazy:
    """Decode a part when it is first asked for, and keep it in the view."""

    def __init__(self, dtype: Any, path: str, *, nested: bool = False, only: tuple[str, ...] = ()) -> None:
        self._part = Part(dtype, path, nested=nested, only=only)
        self._of_motion = dtype is _MOTION

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, view: SampleView, owner: type) -> Any:
        buffer = view.motion if self._of_motion else view.sample
        value = view.__dict__[self._name] = self._part.read(buffer)
        return value


JOINT_FIELDS = ("spin", "rotation", "turns", "travel", "travel_rate", "steer")
SOIL_FIELDS = ("surface", "sinkage", "rut", "moisture", "cone_index_kpa", "water_drag")


class SampleView:
    """One sample and the kinematics of it, valid until the buffers change.

    Args:
        sample: bytes of a `SAMPLE` record.
        motion: bytes of the `MOTION` record that is derived from it; the view writes its stamp.

    Attributes:
        step, epoch, epoch_step: of the sample.
        stamp: seconds and nanoseconds of the step; the one stamp of every header.
        vehicle, body, powertrain, energy, dbw, steering, throttle, brake, ulc, gear: parts of the vehicle.
        spins, rotations, turns: of the four wheels; turns are whole ones, since the reset.
        soil: the numbers of `SOIL_FIELDS` for each wheel, in a row.
        joints: the numbers of `JOINT_FIELDS` for each wheel, in a row.
        gateway: the drive-by-wire system, with nested names such as `system_state`; enabled: two numbers of it.
        fix_state, vehicle_fix_state: states of the receivers of the INS and of the vehicle, as `fix`.
        position_variance: of the INS: east, north, up.
        faults: bits of those that are active and of the sensors that they hit; wheel_bias: rad/s that they add.
        footprint, rates: parts of the motion, exact.
        measured_link, measured_vehicle_imu, fix, vehicle_fix: what the sensors tell.
    """

    vehicle = _Lazy(SAMPLE, "vehicle")
    body = _Lazy(SAMPLE, "vehicle.body")
    spins = _Lazy(SAMPLE, "vehicle.wheel", only=("spin",))
    rotations = _Lazy(SAMPLE, "vehicle.wheel", only=("rotation",))
    turns = _Lazy(SAMPLE, "vehicle.wheel", only=("turns",))
    soil = _Lazy(SAMPLE, "vehicle.wheel", only=SOIL_FIELDS)
    joints = _Lazy(SAMPLE, "vehicle.wheel", only=JOINT_FIELDS)
    powertrain = _Lazy(SAMPLE, "vehicle.powertrain")
    energy = _Lazy(SAMPLE, "vehicle.energy", only=("fuel",))
    dbw = _Lazy(SAMPLE, "vehicle.dbw")
    steering = _Lazy(SAMPLE, "vehicle.dbw.steering")
    throttle = _Lazy(SAMPLE, "vehicle.dbw.throttle")
    brake = _Lazy(SAMPLE, "vehicle.dbw.brake")
    ulc = _Lazy(SAMPLE, "vehicle.dbw.ulc")
    gear = _Lazy(SAMPLE, "vehicle.dbw.gear")
    gateway = _Lazy(SAMPLE, "gateway", nested=True)
    enabled = _Lazy(SAMPLE, "gateway", only=("dbw_enabled", "dbw_enabled_due"))
    fix_state = _Lazy(SAMPLE, "navigation.ins", only=("fix",))
    vehicle_fix_state = _Lazy(SAMPLE, "navigation.vehicle_gnss", only=("fix",))
    position_variance = _Lazy(SAMPLE, "navigation.ins.position_variance")
    faults = _Lazy(SAMPLE, "faults")
    wheel_bias = _Lazy(SAMPLE, "faults.wheel_bias")
    footprint = _Lazy(_MOTION, "footprint")
    measured_link = _Lazy(_MOTION, "measured.pose")
    measured_vehicle_imu = _Lazy(_MOTION, "measured.vehicle_imu")
    fix = _Lazy(_MOTION, "measured.fix")
    vehicle_fix = _Lazy(_MOTION, "measured.vehicle_fix")
    rates = _Lazy(_MOTION, "")

    def __init__(self, sample: bytes | bytearray, motion: bytearray) -> None:
        self.sample = sample
        self.motion = motion
        self.step, self.epoch, self.epoch_step, _ = HEAD.unpack_from(sample, 0)
        self.stamp = stamp(self.step)
        _STAMP.pack_into(motion, _STAMP_OFFSET, *self.stamp)


HEAD = struct.Struct("<qqqq")
"""The four counts at the start of a sample."""
_STAMP = struct.Struct("<iI")
_STAMP_OFFSET = motion_offset("stamp")
if tuple(SAMPLE.names or ())[:4] != ("step", "epoch", "epoch_step", "put_step"):
    raise TypeError(f"the sample is {SAMPLE.names}; the view reads the four counts at its start")
