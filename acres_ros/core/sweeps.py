"""The sweeps of the LiDAR: when they begin, from where they are fired, and when they leave.

A sweep begins at each step at which a stream of its rate is due (spec, Time Stepping and Determinism, section Sensor
Sample Times), ends one period later, and leaves at the first step `delay_s` after its end. It is scanned beside the
physics, in a thread: in a step request the physics waits for it at the step at which it leaves, so the messages repeat;
in free run it never waits, and what is late leaves at the first step at which it is ready.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from acres_ros._digest import digest
from acres_ros.core.clock import STEPS_PER_SECOND
from acres_ros.core.environment import Environment
from acres_ros.core.kinematics import footprint_track
from acres_ros.core.lidar import Lidar
from acres_ros.core.lidar_job import Box, ScanJob
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.sample import SAMPLE, Sweep
from acres_ros.core.schedule import Schedule, steps_until_over
from acres_ros.core.snapshot import EnvironmentState, Pending, SweepsState
from acres_ros.core.wakeups import run_behind
from acres_ros.world import World

WAITED_THREADS = 8
"""Over which a scan is spread while a step request waits for it. In free run it has one: the physics comes first."""
MOST_UNFINISHED = 2
"""Sweeps in free run that wait for the thread, the one in work among them; the next ones are dropped."""


class _Pending(NamedTuple):
    """A sweep that has ended: the episode steps of its begin and of its message, and its points."""

    begin: int
    leaves: int
    points: Future[np.ndarray]


class Sweeps:
    """Scan the world of an environment, sweep after sweep.

    Args:
        environment: what is scanned, and the seed of the noise; steps are run by the caller.
        pattern: the beams, their rate and their delay.
        wanted: tells whether somebody takes a sweep; asked at its end.
        like: sweeps of another vehicle of the same worlds with the same beams, which outlive these: what they make of a
            world takes half a second and some ten megabytes, and is for both.

    Attributes:
        boxes: returns the other vehicles over a number of steps that were the last ones, in the axes of the world.
        dropped: sweeps of this epoch that were left out in free run, because the thread was too slow, or still made the
            LiDAR of this world.
    """

    def __init__(
        self,
        environment: Environment,
        pattern: LidarPattern,
        wanted: Callable[[], bool],
        like: Sweeps | None = None,
    ) -> None:
        self._environment = environment
        self._like = like
        self._pattern = pattern
        self._wanted = wanted
        self._length, self._delay = sweep_steps(pattern), delay_steps(pattern)
        self._schedule = Schedule(pattern.hz)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sweeps", initializer=run_behind)
        self._recent: deque[np.ndarray] = deque()
        self._begun: deque[int] = deque()
        self._pending: deque[_Pending] = deque()
        self._lidar: tuple[World, Future[Lidar]] | None = None
        self._whole: tuple[World, Lidar] | None = None
        self._epoch: int | None = None
        self.boxes: Callable[[int], Sequence[Box]] = _nobody
        self.dropped = 0

    def steps_ahead(self) -> int:
        """Return how many steps may run at most before `take`: until a sweep ends or leaves."""
        self._follow()
        step = self._step
        ends = (self._begun[0] if self._begun else self._schedule.next_due) + self._length
        return min([ends, *(sweep.leaves for sweep in self._pending if sweep.leaves > step)]) - step

    @property
    def ending(self) -> bool:
        """Tell, before `take`, whether a sweep ends with these steps, so that its scan is begun."""
        begin = self._begun[0] if self._begun else self._schedule.next_due
        return begin + self._length <= self._step

    def take(self, samples: np.ndarray, *, wait: bool) -> None:
        """Take the samples of the steps that were run, and begin the scan of a sweep that has ended.

        Args:
            samples: of at most `steps_ahead` steps, which were the last ones of the environment.
            wait: the scan is waited for when it leaves; else it is left out where the thread is behind.
        """
        step = self._step
        # Poses are made of them at the end of a sweep that somebody wants; until then to keep them costs nothing.
        self._recent.append(samples)
        while self._schedule.next_due <= step:
            self._begun.append(self._schedule.next_due)
            self._schedule.due(self._schedule.next_due)
        if self._begun and self._begun[0] + self._length <= step:
            self._end(self._begun.popleft(), wait)
        # A sweep that begins with the next step needs this one at the earliest.
        first = self._begun[0] if self._begun else step
        while len(self._recent) > 1 and self._episode_step(self._recent[1]) <= first:
            self._recent.popleft()

    @property
    def due(self) -> bool:
        """Tell whether a sweep is to leave now."""
        return bool(self._pending) and self._pending[0].leaves <= self._step

    def leaving(self, *, wait: bool) -> list[Sweep]:
        """Return the sweeps that leave now, oldest first.

        Args:
            wait: wait for those that are due; else those that are not ready leave later.
        """
        environment = self._environment
        sweeps: list[Sweep] = []
        while self.due and (wait or self._pending[0].points.done()):
            begin, _, points = self._pending.popleft()
            at = environment.epoch_step + begin
            sweeps.append(Sweep(at, environment.epoch, environment.epoch_step, self.dropped, points.result()))
        return sweeps

    def snapshot(self) -> SweepsState:
        """Return the state; sweeps that have ended are waited for."""
        self._follow()
        pending = tuple(Pending(sweep.begin, sweep.leaves, sweep.points.result()) for sweep in self._pending)
        return SweepsState(digest(self._pattern), tuple(self._begun), pending, self.dropped)

    def check(self, state: SweepsState, environment: EnvironmentState, recalled: int, source: object) -> None:
        """Refuse a state that is none of these sweeps.

        Args:
            state: the state.
            environment: that of the environment with it.
            recalled: how many samples there are with it.
            source: for errors.

        Raises:
            SnapshotError: other beams, or sweeps that cannot be.
        """
        step = environment.step_count - environment.epoch_step

        def require(holds: bool, key: str, given: object, wanted: str) -> None:
            if not holds:
                raise SnapshotError(source, f"simulation.sweeps.{key}", given, wanted)

        own = digest(self._pattern)
        require(state.pattern == own, "pattern", state.pattern, f"{own!r}, the beams of this simulation")
        earliest = max(step - self._length, step - recalled)
        begun = (earliest, *state.begun)
        ascending = all(first < second for first, second in pairwise(begun)) and begun[-1] <= step
        require(ascending, "begun", state.begun, f"steps above {earliest} up to {step}, in order")
        for sweep in state.pending:
            ends = sweep.begin + self._length
            require(0 < sweep.begin and ends <= step, "pending.begin", sweep.begin, f"1 to {step - self._length}")
            require(sweep.leaves == ends + self._delay, "pending.leaves", sweep.leaves, str(ends + self._delay))
            beams = self._pattern.beam_count
            require(len(sweep.points) == beams, "pending.points", len(sweep.points), f"{beams} beams")

    def restore(self, state: SweepsState | None, samples: np.ndarray) -> None:
        """Take up a state that was checked, in an environment that has taken up its own.

        Args:
            state: the state; None: no sweep has begun, the next one begins when it is due.
            samples: of the last steps.
        """
        self._epoch = None
        self._follow()
        self._recent.append(samples)
        if state is None:
            return
        self._begun.extend(state.begun)
        for begin, leaves, points in state.pending:
            done: Future[np.ndarray] = Future()
            done.set_result(points)
            self._pending.append(_Pending(begin, leaves, done))
        self.dropped = state.dropped

    def close(self) -> None:
        """Forget what is pending, and let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def _step(self) -> int:
        """Return the episode step."""
        return self._environment.step_count - self._environment.epoch_step

    def _follow(self) -> None:
        """Drop all that is of another epoch: whatever begins one, no sweep reaches into the next."""
        if self._environment.epoch == self._epoch:
            return
        self._epoch = self._environment.epoch
        self._begun.clear()
        self._recent.clear()
        for sweep in self._pending:
            sweep.points.cancel()
        self._pending.clear()
        self._schedule.restart(self._step)
        self.dropped = 0

    def _end(self, begin: int, wait: bool) -> None:
        """Begin the scan of a sweep that ends at this step."""
        if not self._wanted():
            return
        lidar = self._of(self._environment.world)
        unfinished = sum(not sweep.points.done() for sweep in self._pending)
        if not wait and (unfinished >= MOST_UNFINISHED or not lidar.done()):
            self.dropped += 1
            return
        masks = self._environment.farm.farm.masks
        job = self._with_spawned(lidar.result()).prepare(
            self._pattern,
            self._track(begin),
            boxes=self.boxes(self._length + 1),
            crushed=masks if len(masks) else None,
            noise=True,
            seed=self._environment.seed,
            environment=self._environment.agent,
            step=begin,
            weather=self._environment.weather,
        )
        leaves = begin + self._length + self._delay
        threads = min(len(os.sched_getaffinity(0)), WAITED_THREADS) if wait else 1
        self._pending.append(_Pending(begin, leaves, self._thread.submit(_points, job, threads)))

    def _of(self, world: World) -> Future[Lidar]:
        """Return the LiDAR of a world; it is made in the thread, because that takes a while."""
        if self._like is not None:
            return self._like._of(world)
        if self._lidar is None or self._lidar[0] is not world:
            self._lidar = world, self._thread.submit(_warm, world, self._pattern)
        return self._lidar[1]

    def _with_spawned(self, lidar: Lidar) -> Lidar:
        """Return the LiDAR of the world with what is spawned in it."""
        if self._like is not None:
            return self._like._with_spawned(lidar)
        whole = self._environment.whole_world
        if whole is self._environment.world or whole.scene is None:
            return lidar
        if self._whole is None or self._whole[0] is not whole:
            self._whole = whole, lidar.with_scene(whole.scene)
        return self._whole[1]

    def _episode_step(self, samples: np.ndarray) -> int:
        """Return the episode step of the first of some samples."""
        return int(samples["step"][0]) - self._environment.epoch_step

    def _track(self, begin: int) -> np.ndarray:
        """Return the poses of `base_footprint` from the begin of a sweep to its end, (length + 1, 7)."""
        # The way through bytes: numpy copies a nested record field by field. An array that cannot be written would be
        # another type to the compiler.
        samples = np.frombuffer(bytearray().join(chunk.tobytes() for chunk in self._recent), SAMPLE)
        first = begin - self._episode_step(self._recent[0])
        geometry = self._environment.parameters.view(np.ndarray)["geometry"][0]
        track = np.empty((self._length + 1, 7))
        footprint_track(
            samples[first : first + len(track)],
            -float(geometry["mass_ahead_m"]),
            -float(geometry["mass_height_m"]),
            track,
        )
        # Where the vehicle was put elsewhere meanwhile, the sweep is that of a vehicle which has been there throughout:
        # between the two places it never was.
        old = self._environment.put_step - self._environment.epoch_step - begin + 1
        if 0 < old < len(track):
            track[:old] = track[old]
        return track


def _nobody(steps: int) -> Sequence[Box]:
    """Return no boxes: the vehicle is alone."""
    return ()


def sweep_steps(pattern: LidarPattern) -> int:
    """Return how many steps a sweep takes: its period, to the nearest step."""
    return round(STEPS_PER_SECOND / Fraction(pattern.hz))


def delay_steps(pattern: LidarPattern) -> int:
    """Return how many steps after its end a sweep leaves: at the first one that is not before the delay is over."""
    return steps_until_over(pattern.delay_s)


def _points(job: ScanJob, threads: int) -> np.ndarray:
    """Run a job and return what leaves of it."""
    return job.run(threads).points


def _warm(world: World, pattern: LidarPattern) -> Lidar:
    """Return the LiDAR of a world after a first scan, which takes much longer than the others."""
    lidar = Lidar.of(world)
    lidar.scan(pattern, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    return lidar
