"""The vehicles of one simulation: they share world, farm and time, and each sees the others as boxes.

In each step the first vehicle moves, then the second, and so on: a vehicle meets the marks that those before it made in
this step, and those that the others made in the steps before. So a chunk of steps gives the bits of its single steps.
Whoever is alone is stepped as a chunk, as without a fleet. Between two steps vehicles may come and go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from acres_ros.core.agent import Agent
from acres_ros.core.entities import Entities, vehicle_box
from acres_ros.core.environment import Environment
from acres_ros.core.kinematics import footprint_track, quaternion
from acres_ros.core.lidar_job import Box
from acres_ros.core.outline import outlines_meet
from acres_ros.core.regrouping import Maker, agents_of, matched, names_by_number
from acres_ros.core.sample import SAMPLE
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned, set_spawned
from acres_ros.core.start import Start, require_inside
from acres_ros.core.vectors import added, turned
from acres_ros.errors import AcresError
from acres_ros.world import World

BESIDE_M = 4.0
BEHIND_M = 8.0
ROWS = 6
APART_M = 20.0
"""Vehicles whose centres of mass are so far apart in plan, east or north, cannot touch, whatever their parameters."""
FREE_M = 2.6
"""Distance from the middle of a vehicle to an obstacle that a start needs: half its diagonal, and half a metre."""


class NoRoomError(AcresError):
    """There is no place beside the first vehicle for another one."""

    def __init__(self, count: int, found: int) -> None:
        super().__init__(
            f"{count} vehicles do not find room here: beside the first and behind it there is room for {found} more; "
            "start at another place, or with fewer agents"
        )


def starts_beside(world: World, first: Start, count: int) -> list[Start]:
    """Return where each vehicle of a fleet starts, the first one among them.

    The others stand at the height of the first, to the left and to the right of it in turn, 4 m apart, at rest with its
    heading and gear; then in rows of these places, 8 m behind each other. A place near an obstacle or off the map is
    left out.

    Args:
        world: where.
        first: start of the first vehicle.
        count: vehicles in all.

    Raises:
        NoRoomError: there are not so many places.
    """
    if count == 1:
        return [first]
    starts = [first]
    heading = quaternion((0.0, 0.0, math.degrees(first.yaw)))
    for row in range(ROWS):
        for column in (0, 1, -1, 2, -2, 3, -3):
            if len(starts) == count:
                return starts
            x, y, _ = added((first.x, first.y, 0.0), turned(heading, (-BEHIND_M * row, BESIDE_M * column, 0.0)))
            if (row or column) and _is_free(world, x, y):
                starts.append(replace(first, x=x, y=y, speed=0.0, settled=True))
    if len(starts) < count:
        raise NoRoomError(count, len(starts) - 1)
    return starts


def _is_free(world: World, x: float, y: float) -> bool:
    """Tell whether a vehicle can stand about a place."""
    if not world.inside(x, y, FREE_M):
        return False
    return world.scene is None or world.scene.nearest_obstacle(x, y, FREE_M) >= FREE_M


class Fleet:
    """The vehicles of one simulation, the first one in front.

    Args:
        agents: in the order in which they move; their environments have one world and one step count.
        entities: those of the simulation, which follow what comes and goes; None for none.

    Attributes:
        agents: the vehicles by now; those that came later are behind.
    """

    def __init__(self, agents: Sequence[Agent], entities: Entities | None = None) -> None:
        self.agents: tuple[Agent, ...] = ()
        self._first = agents[0].environment
        self._entities = entities
        for agent in agents:
            self._take(agent, self.free_slot)
        self._join()
        for agent in self.agents:
            agent.greet()

    def _take(self, agent: Agent, number: int) -> None:
        """Take a vehicle behind the others, and give it its number, and its LiDAR the others."""
        agent.slot = number
        self.agents = (*self.agents, agent)
        if agent.sweeps is not None:
            agent.sweeps.boxes = partial(self._boxes, agent)

    def _join(self) -> None:
        """Let all vehicles leave their marks on the farm of the first, and know each other's names."""
        names = names_by_number({agent.slot: agent.title for agent in self.agents})
        for agent in self.agents:
            if agent.environment.vehicles != names:
                agent.environment.join(self._first.farm, names)

    def _regroup(self) -> None:
        """Let the vehicles and the entities follow what has come and gone."""
        self._join()
        if self._entities is not None:
            self._entities.take_spawned({agent.name: agent.environment for agent in self.agents if agent.spawned})

    @property
    def _alone(self) -> bool:
        return len(self.agents) == 1

    @property
    def free_slot(self) -> int:
        """Return the lowest number that no vehicle has; there are `VEHICLE_NUMBERS`."""
        taken = {agent.slot for agent in self.agents}
        return next(slot for slot in range(VEHICLE_NUMBERS) if slot not in taken)

    def named(self, name: str) -> Agent:
        """Return the vehicle of a name, empty for the first."""
        return next(agent for agent in self.agents if agent.name == name)

    # -- who comes and goes -------------------------------------------------------------------------------------------

    def add(self, agent: Agent) -> None:
        """Take one more vehicle, from the next step on.

        Args:
            agent: made just now, in the world of the others; its index follows from `free_slot`.
        """
        own = agent.environment
        own.begin_at(self._first.step_count)
        own.set_spawned(self._first.spawned, self._first.whole_world)
        self._take(agent, self.free_slot)
        self._regroup()
        agent.greet()

    def remove(self, agent: Agent) -> None:
        """Let a spawned vehicle be gone; the marks that it has left stay."""
        self.agents = tuple(other for other in self.agents if other is not agent)
        for other in self.agents:
            other.environment.forget_vehicle(agent.slot)
        self._regroup()
        agent.close()

    def remove_spawned(self) -> None:
        """Remove all that is spawned: vehicles and obstacles."""
        for agent in [agent for agent in self.agents if agent.spawned]:
            self.remove(agent)
        self.set_spawned(self._first.spawned.emptied())

    # -- outputs ------------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Tell whether somebody takes the samples of each vehicle."""
        return all(agent.output.connected for agent in self.agents)

    def ask(self) -> None:
        """Ask every output for its answer of the next `barrier`."""
        for agent in self.agents:
            agent.output.ask()

    def barrier(self, timeout_s: float) -> None:
        """Wait until all that was sent has been published; where the output of one is lost, for the others first."""
        failures: list[AcresError] = []
        for agent in self.agents:
            try:
                agent.output.barrier(timeout_s)
            except AcresError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    # -- steps --------------------------------------------------------------------------------------------------------

    def run(self, count: int, *, wait: bool, last: bool) -> None:
        """Run steps and hand over what they give: the scans of a step behind its sample and before the next one.

        Args:
            count: number of steps.
            wait: wait for a scan at the step at which it leaves.
            last: the outputs are asked for a barrier next.
        """
        while count > 0:
            steps = count
            for agent in self.agents:
                if agent.sweeps is not None:
                    steps = min(steps, agent.sweeps.steps_ahead())
            count -= steps
            moved = self._step(steps)
            for agent, samples in moved:
                agent.around.history.keep(samples)
                agent.arrived.clear()
            failures: list[AcresError] = []
            for agent, samples in moved:
                try:
                    agent.hand_over(samples, wait=wait, last=last and count == 0)
                except AcresError as error:  # the other vehicles have made their steps too
                    failures.append(error)
            if failures:
                raise failures[0]
            for agent in self.agents:
                if agent.sweeps is not None:
                    agent.hand_over_scans(agent.sweeps, wait=wait)

    def _step(self, count: int) -> list[tuple[Agent, np.ndarray]]:
        """Run steps; return each vehicle and its samples."""
        if self._alone:
            return [(self.agents[0], self._first.step(count))]
        environments = [agent.environment for agent in self.agents]
        rows: list[list[np.ndarray]] = [[] for _ in environments]
        for _ in range(count):
            for own, environment in zip(rows, environments, strict=True):
                own.append(environment.run())
            self._note_touches()
        moved = []
        for own, agent in zip(rows, self.agents, strict=True):
            samples = np.frombuffer(bytearray(b"".join(sample.tobytes() for sample in own)), SAMPLE)
            agent.environment.look(samples)
            moved.append((agent, samples))
        return moved

    def _note_touches(self) -> None:
        """Flag what touches another vehicle at the end of the step, the first of several; obstacles come before."""
        places = [agent.environment.body_pose[:2] for agent in self.agents]
        touched: dict[Agent, Agent] = {}
        for (one, (x, y)), (other, (to_x, to_y)) in combinations(zip(self.agents, places, strict=True), 2):
            if max(abs(to_x - x), abs(to_y - y)) < APART_M:
                if outlines_meet(one.outline.now(), other.outline.now()):
                    touched.setdefault(one, other)
                    touched.setdefault(other, one)
        for agent, other in touched.items():
            agent.environment.note_vehicle(other.slot)

    def _boxes(self, own: Agent, steps: int) -> list[Box]:
        """Return the boxes of the other vehicles over the last steps, as one of them sees them."""
        return [
            _moving_box(agent.environment, agent.around.history.newest(steps), steps)
            for agent in self.agents
            if agent is not own
        ]

    # -- resets -------------------------------------------------------------------------------------------------------

    def reset(self, only: Agent | None = None, *, restart_time: bool = False, **changes: Any) -> None:
        """Reset all vehicles, or one. The marks are those of all, so they stay when one vehicle of several is reset.

        Args:
            only: which; None for all.
            restart_time: set the step count, which all share, back to zero; the others stay where they are then.
            changes: as for `Environment.reset`; its errors, and nothing was changed then.
        """
        chosen = self.agents if only is None else (only,)
        for agent in chosen:
            agent.environment.reset(restart_time=restart_time, **changes)
            agent.arrived.clear()
        for agent in self.agents if restart_time else ():
            if agent not in chosen:
                agent.environment.restart_time()
        if only is None:
            self._clear_farm()
            if not self._alone:  # else the environment has put them back
                self.set_spawned(self._first.spawned.put_back())

    def set_spawned(self, spawned: Spawned) -> None:
        """Replace all that is spawned, which is there for every vehicle."""
        set_spawned([agent.environment for agent in self.agents], spawned)

    def restart_time(self) -> None:
        """Set the step count back to zero and leave all vehicles as they are."""
        for agent in self.agents:
            agent.environment.restart_time()

    def restart(self) -> None:
        """Make everything as if the program had been started in this world: nothing is spawned."""
        self.remove_spawned()
        for agent in self.agents:
            agent.arrived.clear()
            agent.environment.restart()
        self._clear_farm()

    def _clear_farm(self) -> None:
        """Remove the marks of all, which the reset of one environment of several leaves."""
        if not self._alone:
            self._first.farm.reset()

    def load_world(self, world: World, start: Start) -> None:
        """Replace the world and restart everything in it; nothing is spawned there.

        Raises:
            StartError: the start is not inside the new world; nothing was changed.
            NoRoomError: the other vehicles do not find room there; nothing was changed.
        """
        require_inside(world, start)
        starts = starts_beside(world, start, sum(not agent.spawned for agent in self.agents))
        self.remove_spawned()
        for agent, own in zip(self.agents, starts, strict=True):
            agent.environment.load_world(world, own)
            agent.arrived.clear()
        self._join()

    # -- snapshots ----------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the whole state of all vehicles; the run goes on as without it."""
        first, *others = (agent.snapshot() for agent in self.agents)
        return replace(first, others=tuple(others), vehicles=tuple(agent.member for agent in self.agents))

    def restore(self, snapshot: Snapshot, maker: Maker | None) -> None:
        """Take up a state, with the vehicles that were spawned in it and no other ones.

        Args:
            snapshot: of vehicles that were started like these.
            maker: makes those that are not here; None for none.

        Raises:
            SnapshotError: one of something else, or a state that cannot be; nothing was changed.
            AcresError: a vehicle cannot be made; nothing was changed.
        """
        matches = matched(self.agents, snapshot, maker)
        if self._entities is not None:
            told, spawned = self.agents[0].around.of(snapshot).told, snapshot.environment.spawned
            names = [match.member.name for match in matches if match.member.spawned]
            self._entities.check(told, names, spawned, snapshot.source)
        agents = agents_of(matches, maker)
        gone = [agent for agent in self.agents if agent not in agents]
        self.agents = ()
        for match, agent in zip(matches, agents, strict=True):
            if agent.environment is not match.environment:
                agent.environment.become(match.environment)
            self._take(agent, match.member.number)
        self._regroup()
        self.set_spawned(snapshot.environment.spawned)  # one world with it for all, where each would make its own
        for match, agent in zip(matches, agents, strict=True):
            agent.restore(match.state)
        for agent in gone:
            agent.close()


def _moving_box(environment: Environment, samples: np.ndarray, steps: int) -> Box:
    """Return the box of a vehicle, from the ground to the roof, over some steps; these are the last samples."""
    box, geometry = vehicle_box(environment), environment.parameters[0]["geometry"]
    x, y, z = (0.5 * (low + high) for low, high in zip(box.low, box.high, strict=True))
    track = np.empty((len(samples), 7))
    footprint_track(samples, x - float(geometry["mass_ahead_m"]), z - float(geometry["mass_height_m"]), track)
    # Where it was put elsewhere meanwhile, it has been there throughout, as in the sweeps of its own.
    old = int((samples["step"] <= environment.put_step).sum())
    if 0 < old < len(track):
        track[:old] = track[old]
    before = np.repeat(track[:1], steps - len(track), axis=0)
    length, width, height = (high - low for low, high in zip(box.low, box.high, strict=True))
    return Box.moving(np.concatenate([before, track]), (length, width, height))
