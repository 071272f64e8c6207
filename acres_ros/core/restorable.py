"""Snapshot, restore and fork of an environment: the part of `Environment` that takes its state out and puts it back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from acres_ros._digest import digest
from acres_ros._record import column
from acres_ros.core.clock import LAST_STAMPED_STEP
from acres_ros.core.collision_watch import CollisionState, CollisionWatch
from acres_ros.core.command_timing import TimedQueue
from acres_ros.core.farm import FarmState
from acres_ros.core.faults import Faults, modules_of
from acres_ros.core.gateway import DbwGateway, GatewayOptions
from acres_ros.core.gateway_events import Event
from acres_ros.core.gateway_modules import NEVER
from acres_ros.core.gateway_policy import Verdict, judge
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.core.gnss import NAMES
from acres_ros.core.inbox import Inbox, holds_its_kinds
from acres_ros.core.map_watch import MapWatch
from acres_ros.core.navigation import Navigation
from acres_ros.core.navigation_settings import NavigationSettings
from acres_ros.core.parameter_set import ParameterSet
from acres_ros.core.parameters import ParameterError, to_tree
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import SAMPLE
from acres_ros.core.snapshot import EnvironmentState, Queued, Snapshot
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned, check_spawned
from acres_ros.core.start import Start, StartError, require_inside
from acres_ros.core.streams import checked_seed
from acres_ros.errors import AcresError, shown
from acres_ros.models.dbw.codes import GEAR_LOW, GEAR_PARK
from acres_ros.models.dbw.state import DELAY_LENGTH
from acres_ros.world import World
from acres_ros.world.surfaces import SurfaceClass

if TYPE_CHECKING:
    from acres_ros.core.environment import Environment

MOST_STEPS = LAST_STAMPED_STEP // 2
"""The most steps, and resets, of a state that is taken up: it can go on for 34 years."""
BYTE = 255
_CODES = {
    "drive_mode": (0, 2),
    "off_map": (0, 1),
    "wheel.surface": (-1, len(SurfaceClass) - 1),
    "powertrain.front_engaged": (0, 1),
    **{f"dbw.gear.{name}": (GEAR_PARK, GEAR_LOW) for name in ("engaged", "selected", "driver")},
    "dbw.gear.command": (0, GEAR_LOW),
    **{f"dbw.{name}.type": (0, BYTE) for name in ("steering", "throttle", "brake", "ulc")},
    **{
        f"dbw.{line}.head": (0, DELAY_LENGTH - 1)
        for line in ("steering.delay", "throttle.delay", "brake.delay", "ulc.throttle_delay", "ulc.brake_delay")
    },
}
"""Whole numbers of the vehicle that are places in tables, or bytes of a message."""
_REPORT_CODES = {key: (0, BYTE) for key, field in GATEWAY.leaves() if field.kind is int}
"""Whole numbers of the reports of the gateway: bytes of a message, each of them."""
SAMPLE_CODES = (
    {f"vehicle.{key}": ends for key, ends in _CODES.items()}
    | {f"gateway.{key}": ends for key, ends in _REPORT_CODES.items()}
    | {f"navigation.{receiver}.fix": (min(NAMES), max(NAMES)) for receiver in ("ins", "vehicle_gnss")}
)
"""The same of a sample."""


def check_codes(rows: np.ndarray, codes: Mapping[str, tuple[int, int]], source: object, key: str) -> None:
    """Refuse records with a whole number that is not in its range: raises `SnapshotError`.

    Args:
        rows: the records.
        codes: least and greatest value of each number, by its dotted key.
        source, key: of the records, for errors.
    """
    for name, (low, high) in codes.items():
        values = column(rows, name)
        if not ((low <= values) & (values <= high)).all():
            raise SnapshotError(source, f"{key}.{name}", values.tolist(), f"{low} to {high}")


class ForkError(AcresError):
    """A fork that cannot be."""

    def __init__(self, given: object, wanted: str) -> None:
        super().__init__(f"a fork into {shown(given)} is refused: wanted {wanted}")


class Restorable:
    """State out and in; `Environment` adds everything else."""

    world: World
    start: Start
    options: GatewayOptions
    marks: bool
    seed: int
    navigation: NavigationSettings
    agent: int
    step_count: int
    epoch: int
    epoch_step: int
    put_step: int
    vehicles: tuple[str, ...]
    _first_start: Start
    _first_seed: int
    _parameter_set: ParameterSet
    _vehicles: np.ndarray
    _recent: tuple[np.ndarray, np.ndarray]
    _inbox: Inbox
    _queue: TimedQueue[Inbox]
    _gateway: DbwGateway
    _navigation: Navigation
    faults: Faults
    _farm: FarmState
    _collisions: CollisionWatch
    _map: MapWatch
    _events: list[Event]
    spawned: Spawned
    _use_parameters: Any
    set_spawned: Any

    @property
    def last_two(self) -> np.ndarray:
        """Return the samples of the last two steps, or fewer since a reset or `put`; read them only."""
        return np.concatenate(self._recent)[-2:]

    @property
    def collisions(self) -> CollisionState:
        """Return what the vehicle touches, and how often it has touched something since the last reset."""
        return self._collisions.snapshot()

    def snapshot(self) -> Snapshot:
        """Return the whole state; the run goes on as without it."""
        numbers: dict[int, int] = {}
        inboxes: list[Inbox] = []

        def number(inbox: Inbox) -> int:
            # By identity: a step takes an inbox that it has taken already in another way than an equal one.
            if id(inbox) not in numbers:
                numbers[id(inbox)] = len(inboxes)
                inboxes.append(inbox)
            return numbers[id(inbox)]

        state = EnvironmentState(
            step_count=self.step_count,
            epoch=self.epoch,
            epoch_step=self.epoch_step,
            put_step=self.put_step,
            start=self.start,
            seed=np.array([self.seed], np.uint64),
            in_effect=_plain(self._parameter_set.in_effect),
            overrides=_plain(self._parameter_set.overrides),
            vehicle=self._vehicles.copy(),
            recent=self.last_two.copy(),
            posted=number(self._inbox),
            taken=number(self._gateway.taken),
            queue=tuple(Queued(due, number(inbox)) for due, inbox in self._queue.entries()),
            inboxes=tuple(inboxes),
            gateway=self._gateway.snapshot(),
            navigation=self._navigation.snapshot(),
            faults=self.faults.snapshot(),
            farm=self._farm.snapshot(),
            collisions=self._collisions.snapshot(),
            map=self._map.snapshot(),
            spawned=self.spawned,
            events=tuple(self._events),
        )
        return Snapshot(self.origin, state)

    def restore(self, snapshot: Snapshot) -> None:
        """Take up a state: from here on all is as it was after it was taken, to the bit.

        The place of the start of the program is in no snapshot and need not be the same: a restart goes to that of this
        environment, while a reset goes where it went when the snapshot was taken.

        Args:
            snapshot: of an environment that was started like this one; it stays as it is.

        Raises:
            SnapshotError: one of something else, or a state that cannot be; nothing was changed.
        """
        self.check_snapshot(snapshot)
        state = snapshot.environment
        self._parameter_set.set(state.in_effect)
        self._use_parameters()
        self._parameter_set.set(state.overrides)
        self.step_count, self.epoch, self.epoch_step, self.put_step = state[:4]
        self.start, self.seed = state.start, int(state.seed[0])
        self._vehicles[:] = state.vehicle
        self._recent = (np.zeros(0, SAMPLE), state.recent)
        self._inbox = state.inboxes[state.posted]
        self._queue = TimedQueue()
        for due, number in state.queue:
            self._queue.push(due, state.inboxes[number])
        self._gateway.restore(state.gateway, state.inboxes[state.taken])
        self._navigation.restore(state.navigation, self.seed)
        self.faults.restore(state.faults, self.seed)
        self._farm.restore(state.farm)
        self._collisions.restore(state.collisions)
        self._map.restore(state.map)
        self.set_spawned(state.spawned)
        self._events = list(state.events)

    def fork(self, count: int, *, agents: Sequence[int] | None = None) -> list[Environment]:
        """Return environments with this state, which share nothing but the world from now on.

        Driven alike they give the same bits as this one. With numbers of agents their random streams begin anew, each
        as that of its agent (spec, Time Stepping and Determinism, section Seeds and Random Streams): the errors of the
        sensors go on from where they are, each in its own way.

        Args:
            count: how many, 1 or more.
            agents: one number for each; None leaves them the number and the streams of this one.

        Raises:
            ForkError: not such a count, or not one number of an agent for each.
            SeedRefusedError: a number of an agent is none.
        """
        if type(count) is not int or count < 1:
            raise ForkError(count, "a number of environments, 1 or more")
        if agents is not None and len(agents) != count:
            raise ForkError(agents, f"{count} numbers of agents, one for each environment")
        own = [checked_seed("the agent", agent) for agent in agents or ()]
        snapshot = self.snapshot()
        forks: list[Environment] = [
            type(self)(  # type: ignore[call-arg, misc]  # it is an Environment
                self.world,
                self._parameter_set.first,
                self._first_start,
                self.options,
                self.marks,
                self._first_seed,
                self.navigation,
                self.agent,
            )
            for _ in range(count)
        ]
        for fork in forks:
            fork.vehicles = self.vehicles
            fork.restore(snapshot)
            fork.vehicles = ()
        for fork, agent in zip(forks, own, strict=False):
            fork.agent = agent
            fork._navigation.begin_streams(agent)
            fork.faults.begin_streams(agent)
        return forks

    def become(self, other: Environment) -> None:
        """Be the vehicle that another one was made as, with its first parameters and number; a restore follows."""
        self._parameter_set = ParameterSet(other._parameter_set.first)
        self.agent = other.agent
        self._navigation.begin_streams(self.agent)
        self.faults.begin_streams(self.agent)

    def check_snapshot(self, snapshot: Snapshot, vehicles: Sequence[str] | None = None) -> None:
        """Refuse a snapshot of something else, or a state that cannot be.

        Args:
            snapshot: of an environment that was started like this one.
            vehicles: names of all vehicles on the farm with it; None: as here.

        Raises:
            SnapshotError: it cannot be taken up.
        """
        snapshot.require_origin(self.origin)
        state, source = snapshot.environment, snapshot.source

        def require(holds: bool, key: str, given: object, wanted: str) -> None:
            if not holds:
                raise SnapshotError(source, f"environment.{key}", given, wanted)

        steps = (0, state.epoch_step, state.put_step, state.step_count)
        require(list(steps) == sorted(steps), "epoch_step", steps[1:], "steps from 0 on, epoch, put and now in order")
        # Both go on from here.
        require(state.step_count <= MOST_STEPS, "step_count", state.step_count, f"{MOST_STEPS} at most")
        require(0 <= state.epoch <= MOST_STEPS, "epoch", state.epoch, f"0 to {MOST_STEPS}")
        for key in ("in_effect", "overrides"):
            try:
                ParameterSet(self._parameter_set.first).set(getattr(state, key))
            except ParameterError as error:
                raise SnapshotError(source, f"environment.{key}", getattr(state, key), str(error)) from error
        try:
            require_inside(self.world, state.start)
        except StartError as error:
            raise SnapshotError(source, "environment.start", state.start, str(error)) from error
        check_codes(state.vehicle, _CODES, source, "environment.vehicle")
        body = state.vehicle["body"]
        length = math.hypot(*(float(body[key][0]) for key in ("qx", "qy", "qz", "qw")))
        require(abs(length - 1.0) < 1.0e-6, "vehicle.body", length, "a quaternion of length 1")
        check_codes(state.gateway.report, _REPORT_CODES, source, "environment.gateway.report")
        check_spawned(self.world, state.spawned, source)
        self._check_obstacles(state, len(self.vehicles if vehicles is None else vehicles), require)
        require(len(state.recent) <= 2, "recent", len(state.recent), "2 samples at most")
        self._check_commands(state, require)
        self._navigation.check(state.navigation, int(state.seed[0]), source, "environment.navigation")
        self.faults.check(state.faults, int(state.seed[0]), state.step_count, source, "environment.faults")
        self._farm.check(state.farm, source, "environment.farm")

    def _check_obstacles(self, state: EnvironmentState, vehicles: int, require: Any) -> None:
        scene = self.world.scene
        most = (0 if scene is None else scene.obstacle_count) - 1
        most += VEHICLE_NUMBERS + state.spawned.used if state.spawned.used else vehicles
        touched = int(state.vehicle["collision"][0])
        require(-1 <= touched <= most, "vehicle.collision", touched, f"an obstacle, {most} at most, or -1")
        for key, spells, last in (("collisions", state.collisions.spells, most), ("map", state.map.spells, 0)):
            numbers = [spells.now, *(spell.number for spell in spells.lasting)]
            require(-1 <= min(numbers) and max(numbers) <= last, f"{key}.spells", numbers, f"-1 to {last}")

    def _check_commands(self, state: EnvironmentState, require: Any) -> None:
        numbers = [state.posted, state.taken, *(entry.inbox for entry in state.queue)]
        known = len(state.inboxes)
        require(all(0 <= number < known for number in numbers), "queue", numbers, f"numbers of {known} inboxes")
        for number, inbox in enumerate(state.inboxes):
            require(holds_its_kinds(inbox), f"inboxes.{number}", inbox, "messages that it can hold, each in its place")
        dues = [-np.inf if entry.due is None else entry.due for entry in state.queue]
        require(all(np.diff(dues) > 0.0) if len(dues) > 1 else True, "queue", dues, "times, each later than the last")
        for name, own, given in zip(
            self._gateway.auxiliaries, self._gateway.auxiliaries.values(), state.gateway.auxiliaries, strict=True
        ):
            require(own.fits(given), f"gateway.auxiliaries.{name}", given, "values of its message")
        if state.faults.next_step > state.step_count:
            wanted = modules_of(state.faults.active)
            faults = state.gateway.modules.faults
            require(faults == wanted, "gateway.modules.faults", faults, f"{wanted}, what is active")
        since, next_step = state.gateway.modules.silent_since, state.gateway.steps + 1
        for begin, silent in zip(since, state.gateway.modules.faults.silent, strict=True):
            holds = 1 <= begin <= next_step if silent else begin == NEVER
            require(holds, "gateway.modules.silent_since", since, f"1 to {next_step} for who is silent, else {NEVER}")
        driver, gear = state.gateway.driver, state.gateway.gear
        require(judge(driver) is Verdict.ACCEPTED, "gateway.driver", driver, "what a driver can do")
        require(0 <= gear <= GEAR_LOW, "gateway.gear", gear, f"0 to {GEAR_LOW}")
        for key, low, high in (("drive_mode", 0, 2), ("gear", 0, GEAR_LOW), ("driver.gear", 0, GEAR_LOW)):
            value = int(column(state.gateway.command, key)[0])
            require(low <= value <= high, f"gateway.command.{key}", value, f"{low} to {high}")

    @property
    def origin(self) -> dict[str, Any]:
        """Return what was started, as JSON values."""
        return {
            "world": {"name": self.world.name, "content": self.world.digest},
            "sensors": digest(self.navigation),
            "marks": self.marks,
            "seed": self._first_seed,
            "agent": self.agent,
            "options": asdict(self.options),
            "parameters": to_tree(self._parameter_set.first),
        }


def _plain(overrides: Mapping[str, object]) -> dict[str, Any]:
    """Return changes of parameters as plain numbers and rows of them."""
    return {key: tuple(value) if isinstance(value, list | tuple) else value for key, value in overrides.items()}
