"""One vehicle in its world: commands in, one sample of each physics step out.

The environment owns everything that a step changes, so two environments with the same inputs give the same bits
(spec, Time Stepping and Determinism, section Determinism). It has no wall clock, no thread and no ROS.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from acres_ros._compiled import resolved
from acres_ros._record import place_of
from acres_ros.core.changeable import Changeable
from acres_ros.core.clock import STEP_S, time_s
from acres_ros.core.collision_watch import CollisionWatch
from acres_ros.core.command_timing import NEXT_STEP, TimedQueue
from acres_ros.core.conditions import changed
from acres_ros.core.farm import FarmState
from acres_ros.core.faults import Faults
from acres_ros.core.gateway import DbwGateway, GatewayOptions
from acres_ros.core.gateway_events import Event
from acres_ros.core.inbox import Inbox
from acres_ros.core.map_watch import MapWatch
from acres_ros.core.messages import DRIVE_MODES, Message
from acres_ros.core.navigation import Navigation
from acres_ros.core.navigation_settings import NavigationSettings, default_settings
from acres_ros.core.parameter_set import ParameterSet
from acres_ros.core.restorable import Restorable
from acres_ros.core.sample import SAMPLE
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned
from acres_ros.core.start import GEARS, Start, require_inside
from acres_ros.core.streams import DEFAULT_SEED, checked_seed
from acres_ros.models import polaris
from acres_ros.models.farm import CONDITIONS
from acres_ros.models.placing import put_entry
from acres_ros.models.state import VEHICLE
from acres_ros.world import World


def _bytes_of(name: str) -> slice:
    """Return where a sub-record lies in a sample."""
    dtype, offset = place_of(SAMPLE, name)
    return slice(offset, offset + dtype.itemsize)


def _content(rows: np.ndarray) -> memoryview:
    """Return the bytes of records, which follow what is written into them."""
    return memoryview(rows.view(np.ndarray).view(np.uint8))


_VEHICLE, _GATEWAY, _NAVIGATION = (_bytes_of(name) for name in ("vehicle", "gateway", "navigation"))
_POSE, _BODY_START = struct.Struct("<7d"), place_of(VEHICLE.dtype, "body.x")[1]
_HEAD = struct.Struct("<qqqq")
_NO_SAMPLES = (np.zeros(0, SAMPLE), np.zeros(0, SAMPLE))
if tuple(SAMPLE.names or ())[:4] != ("step", "epoch", "epoch_step", "put_step"):
    raise TypeError(f"the sample is {SAMPLE.names}; the four counts are written at its start")


@dataclass
class Environment(Changeable, Restorable):
    """A world, a vehicle in it, and the path of its commands.

    Args:
        world: terrain and surfaces; shared, read only.
        parameters: one record of `acres_ros.models.parameters.PARAMETERS`.
        start: where the vehicle starts, and where each reset puts it until one names another start.
        options: behaviour of the drive-by-wire gateway; what it has of the vehicle is taken from the parameters.
        marks: whether the vehicle leaves ruts and crushed crop.
        seed: of every random stream, 0 to 2**64 - 1 (spec, Seeds and Random Streams); a reset may give another one.
        navigation: INS, IMU and GNSS.
        agent: index of the vehicle, which has streams of its own.

    Attributes:
        step_count: steps that are over.
        epoch: resets that are over.
        epoch_step: step count at the last reset: the grids of the sensors begin there, so that a reset repeats them.
        put_step: step count when the vehicle was last put somewhere, by a reset or by `put`.
        revision: changes when the world, the parameters in effect, or the names of what is spawned do.
        spawned, whole_world: what `set_spawned` has put into the world, and the world with it.
        faults: of actuators, commands and sensors; read them only.
        vehicles: names of all vehicles on the farm, where it shares the farm with others; their numbers as something
            that is touched follow those of the obstacles.
        restarts: how often everything was made as at the start of the program.
    """

    world: World
    parameters: np.ndarray
    start: Start = field(default_factory=Start)
    options: GatewayOptions = field(default_factory=GatewayOptions)
    marks: bool = True
    seed: int = DEFAULT_SEED
    navigation: NavigationSettings = field(default_factory=default_settings)
    agent: int = 0

    def __post_init__(self) -> None:
        """Build the buffers and put the vehicle at its start."""
        self.seed = self._first_seed = checked_seed("the seed", self.seed)
        self.step_count = 0
        self.epoch = -1
        self.epoch_step = self.put_step = 0
        self.revision = self.restarts = 0
        self._inbox = Inbox()
        # Plain arrays and bytes: records and their attributes cost more than the physics.
        rows = VEHICLE.new(1)
        self._vehicle = rows[0]
        self._vehicles = polaris.plain(rows)
        self._gateway = DbwGateway(self.options)
        rows["dbw"]["age_step"] = self.options.age_step_s
        self._parameter_set = ParameterSet(self.parameters)
        self._events: list[Event] = []
        self._commands = polaris.plain(self._gateway.command)
        self._vehicle_bytes = _content(rows)
        self._gateway_bytes = _content(self._gateway.report)
        self._navigation = Navigation(self.navigation, self.seed, self.agent)
        self.faults = Faults(self.seed, self.agent)
        self._navigation_bytes = _content(self._navigation.errors)
        self._enter(self.world, self.start)
        self._reset(self.start, True)
        self._warm()

    def _enter(self, world: World, start: Start) -> None:
        """Take a world, with a farm that nobody has driven over, and where the vehicle starts in it."""
        require_inside(world, start)
        self.world = self.whole_world = world
        self.spawned = Spawned()
        self._first_start = start
        self._collisions = CollisionWatch(self._touchable)
        self._map = MapWatch()
        self._farm = FarmState(world.ground, marks=self.marks)
        self.vehicles: tuple[str, ...] = ()

    def join(self, farm: FarmState, vehicles: tuple[str, ...]) -> None:
        """Share a farm with other vehicles until another world is loaded; whoever calls removes its marks at resets.

        Args:
            farm: the marks of all.
            vehicles: names of all vehicles, this one among them.
        """
        self._farm, self.vehicles = farm, vehicles
        self.revision += 1

    def _touchable(self, number: int) -> str:
        """Return what something is called that the vehicle touches: an obstacle, a vehicle, or what was spawned."""
        scene = self.world.scene
        obstacles = 0 if scene is None else scene.obstacle_count
        if obstacles <= number < obstacles + len(self.vehicles):
            return self.vehicles[number - obstacles]
        if number >= obstacles + VEHICLE_NUMBERS:
            return self.spawned.name_in(number - obstacles - VEHICLE_NUMBERS)
        return f"obstacle {number}" if scene is None else scene.obstacle_name(number)

    def _warm(self) -> None:
        """Compile, or load what is compiled: the first step then takes no longer than the others."""
        farm = FarmState(self.world.ground, marks=False).farm
        arguments = (
            self._vehicles.copy(), self._commands.copy(), self._parameters, self.world.ground, farm, 0
        )  # fmt: skip
        self._physics_step = resolved(polaris.step_entry, *arguments)
        self._physics_step(*arguments)
        self._navigation_step = self._navigation.compiled(self._vehicles)

    @property
    def time_s(self) -> float:
        """Return the simulation time of the next step, s."""
        return time_s(self.step_count)

    @property
    def vehicle(self) -> np.record:
        """Return the state of the vehicle (`VEHICLE` record); read it only."""
        return self._vehicle

    @property
    def body_pose(self) -> tuple[float, ...]:
        """Return where the centre of mass is: x, y, z (m) and the quaternion x, y, z, w of the body, in the world."""
        x, y, z, qw, qx, qy, qz = _POSE.unpack_from(self._vehicle_bytes, _BODY_START)
        return x, y, z, qx, qy, qz, qw

    @property
    def gateway(self) -> DbwGateway:
        """Return the drive-by-wire gateway."""
        return self._gateway

    @property
    def farm(self) -> FarmState:
        """Return the marks of the vehicle; another one after `load_world`. Read it only."""
        return self._farm

    def take_events(self) -> list[Event]:
        """Return what faults, gateway, INS, collisions and map have to say since the last call, and forget it."""
        events = self.faults.take_events() + self._gateway.take_events() + self._navigation.receiver.take_events()
        events += self._events
        self._events = []
        return events

    def post(self, message: Message, apply_at: float | None = None) -> None:
        """Take a message into the inbox and queue the inbox for a step.

        Args:
            message: one of `acres_ros.core.messages`.
            apply_at: solver time, s; None is the next step (spec, Timestamped Command Queue).
        """
        for arriving in self.faults.pass_on(message, apply_at, self.step_count):
            self._take(arriving, apply_at)

    def _take(self, message: Message, apply_at: float | None) -> None:
        self._inbox = self._inbox.post(message)
        self._queue.push(apply_at, self._inbox)

    def step(self, count: int = 1) -> np.ndarray:
        """Run `count` physics steps and return their samples, dtype `SAMPLE`, shape (count,)."""
        samples = self.run(count)
        self.look(samples)
        return samples

    def run(self, count: int = 1) -> np.ndarray:
        """Run `count` physics steps and return their samples, which nobody has looked at; `look` has to follow."""
        content = bytearray(count * SAMPLE.itemsize)
        take, gateway_step, physics_step = self._queue.take, self._gateway.step, self._physics_step
        vehicles, commands, parameters = self._vehicles, self._commands, self._parameters
        ground, farm, vehicle = self.whole_world.ground, self._farm.ensure_room(count), self._vehicle
        navigation_step, navigation, receiver = (
            self._navigation_step,
            self._navigation.arguments,
            self._navigation.receiver,
        )
        faults = self.faults
        for start in range(0, len(content), SAMPLE.itemsize):
            if self.step_count >= faults.next_step:
                for message in faults.advance(self.step_count):
                    self._take(message, NEXT_STEP)
                self._gateway.set_faults(faults.modules)
            gateway_step(take(self.step_count * STEP_S), vehicle)
            physics_step(vehicles, commands, parameters, ground, farm, 0)
            if self.step_count >= receiver.next_step:
                receiver.advance(self.step_count)
            navigation_step(vehicles, *navigation)
            self.step_count += 1
            _HEAD.pack_into(content, start, self.step_count, self.epoch, self.epoch_step, self.put_step)
            content[start + _VEHICLE.start : start + _VEHICLE.stop] = self._vehicle_bytes
            content[start + _GATEWAY.start : start + _GATEWAY.stop] = self._gateway_bytes
            content[start + _NAVIGATION.start : start + _NAVIGATION.stop] = self._navigation_bytes
            if faults.marking:
                faults.mark(content, start)
        samples = np.frombuffer(content, SAMPLE)
        self._recent = (self._recent[1], samples)
        return samples

    def note_vehicle(self, number: int) -> None:
        """Flag that the vehicle touches another one at the end of the last `run`, if it touches no obstacle there.

        Args:
            number: which of `vehicles`.
        """
        touched = self._vehicle["collision"]
        if touched < 0:
            scene = self.world.scene
            number += 0 if scene is None else scene.obstacle_count
            self._vehicle["collision"] = self._recent[1]["vehicle"]["collision"][-1] = number

    def look(self, samples: np.ndarray) -> None:
        """Note what the vehicle touches, and whether it is on the map, in samples of `run`."""
        self._events += self._collisions.look(samples) + self._map.look(samples)

    def put(self, pose: Sequence[float], twist: Sequence[float]) -> None:
        """Put the vehicle at a pose, with a twist, and clear no buffer; all numbers finite, in the axes of the world.

        Args:
            pose: x, y, z of `base_footprint`, m, and its quaternion x, y, z, w, not 0.
            twist: velocity of `base_footprint`, m/s, and angular velocity, rad/s.
        """
        x, y, z, qx, qy, qz, qw = map(float, pose)
        put_entry(self._vehicles, self._parameters, self.world.ground, 0, x, y, z, qw, qx, qy, qz, *map(float, twist))
        self._recent = _NO_SAMPLES
        self.put_step = self.step_count

    def reset(
        self,
        *,
        start: Start | None = None,
        restart_time: bool = False,
        occupants: int | None = None,
        seed: int | None = None,
        conditions: Mapping[str, float] | None = None,
    ) -> None:
        """Put the vehicle at its start and clear every buffer; the time goes on unless it is restarted.

        The hardware shifts stay: they are the hardware's, which no reset repairs. `restart` ends them too. Marks and
        crop are as new; the soil water stays as it was set.

        Args:
            start: a new start, which later resets keep.
            restart_time: set the step count, and so every stamp, back to zero.
            occupants: persons on board from now on; None leaves them.
            seed: of every random stream from now on; None leaves it.
            conditions: soil water and weather from now on, as for `set_conditions`; what it does not name stays.

        Raises:
            StartError: the start is not inside the world; nothing was changed.
            ParameterError: not a number of persons; nothing was changed.
            SeedRefusedError: the seed is no word of 64 bits; nothing was changed.
            ConditionsError: conditions that cannot be; nothing was changed.
        """
        start = start or self.start
        require_inside(self.world, start)
        seed = self.seed if seed is None else checked_seed("the seed", seed)
        weather = changed(self.conditions, **(conditions or {}))
        if occupants is not None:
            self._parameter_set.set_occupants(occupants)
        self.seed = seed
        self.conditions[:] = weather
        shifts = self._inbox.shifts.message
        self.set_spawned(self.spawned if self.vehicles else self.spawned.put_back())
        self._reset(start, restart_time)
        if shifts is not None:
            self.post(shifts)

    def restart(self) -> None:
        """Make everything as if the program had been started in this world: start, parameters, soil water, shifts.

        The driver and the time begin anew too. The epoch goes on, so that whoever follows the samples sees the cut.
        """
        self.restarts += 1
        self._parameter_set.set({})
        self.conditions[:] = CONDITIONS.new(1)
        self.set_spawned(Spawned())
        self.seed = self._first_seed
        self._reset(self._first_start, True)

    def load_world(self, world: World, start: Start) -> None:
        """Replace the world, and make everything as if the program had been started in it.

        Args:
            world: the new world; the old one is forgotten.
            start: where the vehicle starts there.

        Raises:
            StartError: the start is not inside the new world; nothing was changed.
        """
        self._enter(world, start)
        self.revision += 1
        self.restart()
        self._warm()

    def _reset(self, start: Start, restart_time: bool) -> None:
        self._use_parameters()
        self.start = start
        if restart_time:
            self.step_count = 0
        self.epoch += 1
        self.epoch_step = self.put_step = self.step_count
        self._inbox = Inbox()
        self._queue: TimedQueue[Inbox] = TimedQueue()
        self._gateway.reset(gear=GEARS[self.start.gear], drive_mode=DRIVE_MODES[self.start.drive_mode])
        self.faults.reset(self.seed)
        if not self.vehicles:  # else other vehicles have left marks too
            self._farm.reset()
        self._recent = _NO_SAMPLES
        self._navigation.reset(self.seed)
        polaris.reset(
            self._vehicles,
            self.parameters,
            self.world.ground,
            0,
            self.start.x,
            self.start.y,
            self.start.yaw,
            self.start.speed,
            self.start.settled,
            GEARS[self.start.gear],
            DRIVE_MODES[self.start.drive_mode],
        )

    def _use_parameters(self) -> None:
        """Let the parameters that were set take effect, in the model and in the gateway."""
        before = self.parameters.tobytes()
        self.parameters = self._parameter_set.use()
        if self.parameters.tobytes() != before:
            self.revision += 1
        self._parameters = polaris.plain(self.parameters)
        p = self.parameters[0]
        self._gateway.options = replace(
            self.options,
            command_timeout_s=float(p["dbw"]["command_timeout_s"]),
            wheel_center_deg=float(p["steering"]["center_deg"]),
            wheel_slew_deg_s=float(p["dbw"]["steering"]["slew_deg_s"]),
        )

    def restart_time(self) -> None:
        """Set the step count back to zero and leave the vehicle as it is; what is queued applies at the next step."""
        self.step_count = self.epoch_step = self.put_step = 0
        self.epoch += 1
        self._navigation.reset(self.seed)
        self.faults.reset(self.seed)
        self._queue = TimedQueue()
        self._queue.push(NEXT_STEP, self._inbox)
