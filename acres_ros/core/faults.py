"""The faults of one vehicle: which are active, from when to when, and what follows from them in each step.

Requests come between steps and act from the next step on; a fault ends when its time is over, when it is switched off,
or with any reset. The table of faults is `core/fault_table.py`. Nothing here knows the wall time: the halt of the clock
is the simulation's.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from acres_ros._record import place_of
from acres_ros.core.command_faults import STREAM, CommandFaults, CommandFaultsState, on_its_way
from acres_ros.core.fault_marks import WHEELS
from acres_ros.core.fault_table import (
    BY_NAME,
    CLOCK_HALT,
    DRIVEN_MODULES,
    FAULTS,
    FRAMES,
    INDEX,
    MODULES,
    SENSORS,
    SILENCE_BITS,
    Fault,
)
from acres_ros.core.gateway_events import Event
from acres_ros.core.gateway_modules import ActuatorFaults, ModuleFaults, Told
from acres_ros.core.messages import Message
from acres_ros.core.plain_state import Rows, SnapshotError
from acres_ros.core.sample import SAMPLE
from acres_ros.core.schedule import steps_until_over
from acres_ros.core.streams import stream
from acres_ros.errors import AcresError, shown
from acres_ros.models.dbw.command import NO_LIMIT

LONGEST_S = 1.0e6
NEVER = 1 << 62
SENSOR_STREAM = "sensor_faults"
_CODE = "ACRES_FAULT"

_MARKS = struct.Struct(f"<qqq{WHEELS}d")
_MARKS_AT = place_of(SAMPLE, "faults")[1]
_ROW = struct.Struct("<3d")
_BIASED: dict[str, tuple[tuple[int, ...], float]] = {
    name: (tuple(place_of(SAMPLE, f"navigation.{key}")[1] for key in keys), unit)
    for name, keys, unit in (
        ("ins_attitude_bias", ("ins.attitude",), math.pi / 180.0),
        ("ins_velocity_bias", ("ins.velocity",), 1.0),
        ("ins_rate_bias", ("ins.rate", "ins.raw.rate"), 1.0),
        ("ins_force_bias", ("ins.force", "ins.raw.force"), 1.0),
        ("vehicle_imu_rate_bias", ("vehicle_imu.rate",), 1.0),
        ("vehicle_imu_force_bias", ("vehicle_imu.force",), 1.0),
        ("vehicle_gps_bias", ("vehicle_gnss.position",), 1.0),
    )
}
"""By the name of a bias: the first bytes of the rows of three in a sample that it is added to, and its unit there."""


class FaultError(AcresError):
    """A request for a fault that cannot be."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}; nothing was changed")


class Active(NamedTuple):
    """A fault that acts: its numbers, the step count at which it began, and the one at which it ends."""

    values: tuple[float, ...]
    since: int
    end: int


class FaultsState(NamedTuple):
    """What the faults remember."""

    active: dict[str, Active]
    next_step: int
    words: Annotated[np.ndarray, Rows(np.dtype(np.uint64), (2,))]
    commands: CommandFaultsState
    events: tuple[Event, ...]


class Faults:
    """The faults of one vehicle.

    Args:
        seed: of the run.
        agent: index of the vehicle, which has streams of its own.

    Attributes:
        next_step: step count at which `advance` has something to do.
        marking: samples have to be marked.
        modules: what modules and actuators do.
    """

    def __init__(self, seed: int, agent: int = 0) -> None:
        self._agent = agent
        self._events: list[Event] = []
        self._active: dict[str, Active] = {}
        self.reset(seed)

    @property
    def active(self) -> dict[str, Active]:
        """Return the faults that act, by name, in the order of the table; read it only."""
        return self._active

    def reset(self, seed: int) -> None:
        """End every fault and begin the streams anew, with a seed; what was on its way is gone.

        What was said stays to be taken.
        """
        self._seed = seed
        for name in self._active:
            self._say_end(name)
        self._active = {}
        self._commands = CommandFaults(seed, self._agent)
        self.begin_streams(self._agent)
        self._use()

    def begin_streams(self, agent: int) -> None:
        """Let every random stream begin anew, as that of an agent."""
        self._agent = agent
        self._random = stream(SENSOR_STREAM, self._seed, agent=agent)
        self._commands.begin_stream(agent)

    def request(self, step: int, name: str, on: bool, values: Sequence[float], duration_s: float) -> None:
        """Switch a fault on or off from the next step on; one that is on already gets the new numbers and time.

        Args:
            step: steps that are over.
            name: of the table.
            on: whether it acts.
            values: the numbers that the table asks for; none where it is switched off.
            duration_s: how long it acts, s of simulation; 0 without an end.

        Raises:
            FaultError: not such a fault, number or time; nothing was changed.
        """
        numbers, seconds = checked(name, on, values, duration_s)
        if name == CLOCK_HALT.name:
            raise FaultError("name", name, "a fault of a vehicle: time is halted by the simulation")
        if on:
            end = step + max(1, steps_until_over(seconds)) if seconds else NEVER
            self._active[name] = Active(numbers, step, end)
            self._active = {fault.name: self._active[fault.name] for fault in FAULTS if fault.name in self._active}
            given = "".join(f" {value:g}" for value in numbers)
            lasting = f", for {seconds:g} s" if seconds else ""
            self._events.append(Event("warning", _CODE, f"{name}{given} begins{lasting}"))
        elif self._active.pop(name, None) is not None:
            self._say_end(name)
        self._use()

    def pass_on(self, message: Message, apply_at: float | None, step: int) -> list[Message]:
        """Return what arrives instead of a message; arguments as for `CommandFaults.pass_on`."""
        messages = self._commands.pass_on(message, apply_at, step)
        if self._commands.busy:
            self.next_step = -1
        return messages

    def advance(self, step: int) -> list[Message]:
        """End what ends before the step that is about to run, and return the late commands that arrive for it.

        Args:
            step: steps that are over.
        """
        ended = [name for name, fault in self._active.items() if fault.end <= step]
        for name in ended:
            del self._active[name]
            self._say_end(name)
        if ended:
            self._use()
        messages = self._commands.arriving(step)
        ends = min((fault.end for fault in self._active.values()), default=NEVER)
        self.next_step = step + 1 if self._commands.busy else ends
        return messages

    def mark(self, content: bytearray, start: int) -> None:
        """Write into a sample what the faults do to the sensors in its step.

        Args:
            content: bytes of samples.
            start: first byte of the sample, which is complete but for this.
        """
        drop = self._drop
        for bit, share in self._random_drops:
            if self._random.uniform() < share:
                drop |= bit
        _MARKS.pack_into(content, start + _MARKS_AT, self._bits, drop, self._freeze, *self._wheel_bias)
        for place, bias in self._biases:
            row = _ROW.unpack_from(content, start + place)
            _ROW.pack_into(content, start + place, *(value + more for value, more in zip(row, bias, strict=True)))

    def take_events(self) -> list[Event]:
        """Return what there is to say, and forget it."""
        events, self._events = self._events, []
        return events

    def snapshot(self) -> FaultsState:
        """Return the state."""
        return FaultsState(
            active=dict(self._active),
            next_step=self.next_step,
            words=self._random.state.copy(),
            commands=self._commands.snapshot(),
            events=tuple(self._events),
        )

    def check(self, state: FaultsState, seed: int, step: int, source: object, key: str) -> None:
        """Refuse a state that is none of these faults with a seed, at a step: raises `SnapshotError`."""
        for name, fault in state.active.items():
            try:
                checked(name, True, fault.values, 0.0)
            except FaultError as error:
                raise SnapshotError(source, f"{key}.active.{name}", fault, str(error)) from error
            if name == CLOCK_HALT.name or not 0 <= fault.since <= step <= fault.end:
                raise SnapshotError(source, f"{key}.active.{name}", fault, f"a fault of the vehicle around step {step}")
        for words, name in ((state.words, SENSOR_STREAM), (state.commands.words, STREAM)):
            increment = int(stream(name, seed, agent=self._agent).state[1])
            if int(words[1]) != increment:
                wanted = f"{increment} as the second, its sequence"
                raise SnapshotError(source, f"{key}.words of {name}", words.tolist(), wanted)
        waiting = [late.message for late in state.commands.waiting]
        for message in [*waiting, *([] if state.commands.overtaken is None else [state.commands.overtaken])]:
            if not on_its_way(message):
                raise SnapshotError(source, f"{key}.commands", message, "a command")
        dues = [late.due for late in state.commands.waiting]
        if dues != sorted(dues):
            raise SnapshotError(source, f"{key}.commands.waiting", dues, "times in order")

    def restore(self, state: FaultsState, seed: int) -> None:
        """Take up a state that was checked, and the seed that it was drawn with."""
        self.reset(seed)
        self._active = {fault.name: state.active[fault.name] for fault in FAULTS if fault.name in state.active}
        self._random.state[:] = state.words
        self._commands.restore(state.commands)
        self._events = list(state.events)
        self._use()
        self.next_step = state.next_step

    def _use(self) -> None:
        """Let what is active act, from the next step on."""
        active, commands = self._active, self._commands
        commands.loss, commands.reorder = _value(active, "command_loss", 0.0), _value(active, "command_reorder", 0.0)
        commands.delay = int(_value(active, "command_delay", 0.0))
        commands.bad_crc = _values(active, "command_bad_crc", len(FRAMES))
        commands.bad_counter = (*_values(active, "command_bad_counter", len(FRAMES) - 1), 0.0)
        self.modules = modules_of(active)
        self._bits = sum(1 << INDEX[name] for name in active)
        self._freeze = sum(1 << bit for bit, sensor in enumerate(SENSORS) if f"{sensor.name}_freeze" in active)
        shares = [(1 << bit, _value(active, f"{sensor.name}_dropout", 0.0)) for bit, sensor in enumerate(SENSORS)]
        self._drop = sum(bit for bit, share in shares if share == 1.0)
        self._drop += sum(bit for bit, silent in zip(SILENCE_BITS.values(), self.modules.silent, strict=True) if silent)
        self._random_drops = [(bit, share) for bit, share in shares if 0.0 < share < 1.0]
        self._wheel_bias = _values(active, "wheel_speeds_bias", WHEELS)
        self._biases = [
            (place, tuple(number * unit for number in active[name].values))
            for name, (places, unit) in _BIASED.items()
            if name in active
            for place in places
        ]
        self.marking = bool(active)
        self.next_step = -1

    def _say_end(self, name: str) -> None:
        self._events.append(Event("info", _CODE, f"{name} ends"))


def checked(name: str, on: bool, values: Sequence[float], duration_s: float) -> tuple[tuple[float, ...], float]:
    """Return the numbers and the time of a request.

    Raises:
        FaultError: they cannot be.
    """
    fault = BY_NAME.get(name)
    if fault is None:
        raise FaultError("name", name, f"one of {', '.join(BY_NAME)}")
    if not on:
        if len(values) or duration_s != 0.0:
            raise FaultError("values and duration_s", [*values, duration_s], "none to switch a fault off")
        return (), 0.0
    if len(values) != len(fault.values):
        raise FaultError("values", list(values), _wanted(fault))
    for value in values:
        if not fault.low <= value <= fault.high or (fault.unit == "steps" and value != math.floor(value)):
            raise FaultError("values", list(values), _wanted(fault))
    if not 0.0 <= duration_s <= LONGEST_S:
        raise FaultError("duration_s", duration_s, f"0 (no end) to {LONGEST_S:g} s of simulation")
    return tuple(map(float, values)), float(duration_s)


def _wanted(fault: Fault) -> str:
    """Return what numbers a fault is given, in words."""
    if not fault.values:
        return f"no numbers for {fault.name}"
    count = f"{len(fault.values)} number{'s' * (len(fault.values) > 1)}"
    whole = "whole " if fault.unit == "steps" else ""
    return f"{whole}{count} for {fault.name} ({', '.join(fault.values)}; {fault.unit}), {fault.low:g} to {fault.high:g}"


def modules_of(active: Mapping[str, Active]) -> ModuleFaults:
    """Return what modules and actuators do while some faults act."""

    def rate(actuator: str) -> float:
        return 0.0 if f"{actuator}_stuck" in active else _value(active, f"{actuator}_slow", NO_LIMIT)

    def which(*kinds: str, modules: Sequence[str] = MODULES) -> Any:
        return tuple(any(f"{name}_{kind}" in active for kind in kinds) for name in modules)

    return ModuleFaults(
        Told(
            fault=which("fault"),
            degraded=which("stuck", "slow", "weak"),
            disabled=which("hardware_disable", modules=DRIVEN_MODULES),
            unready=which("not_ready", modules=DRIVEN_MODULES),
            lever="gear_override" in active,
        ),
        which("silent"),
        ActuatorFaults(
            steering_rate_deg=rate("steering"),
            throttle_rate_pct=rate("throttle"),
            throttle_share=_value(active, "throttle_weak", 1.0),
            brake_rate_bar=rate("brake"),
            brake_share=_value(active, "brake_weak", 1.0),
            gear_stuck="gear_stuck" in active,
            gear_delay=_value(active, "gear_slow", 0.0),
        ),
    )


def _value(active: Mapping[str, Active], name: str, healthy: float) -> float:
    """Return the number of a fault, or what holds without it."""
    return active[name].values[0] if name in active else healthy


def _values(active: Mapping[str, Active], name: str, count: int) -> tuple[float, ...]:
    """Return the numbers of a fault, or so many zeros without it."""
    return active[name].values if name in active else (0.0,) * count
