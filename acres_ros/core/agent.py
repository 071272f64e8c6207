"""One vehicle of a simulation and what is around it: where its commands come from, where its samples and scans go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from acres_ros.core.agent_names import FIRST_VEHICLE
from acres_ros.core.entities import Entities
from acres_ros.core.environment import Environment
from acres_ros.core.inbox import Arrival
from acres_ros.core.messages import Message
from acres_ros.core.outline import Outlines
from acres_ros.core.output import Output
from acres_ros.core.snapshot import Member, Snapshot
from acres_ros.core.step_commands import Applied, Arrived, command_name
from acres_ros.core.surroundings import Surroundings
from acres_ros.core.sweeps import Sweeps

MOST_HELD = 1000
"""Commands that are kept in order while a step request waits for more; the oldest are in order by then."""


class Agent:
    """A vehicle among those of a simulation.

    Args:
        environment: what is stepped.
        output: who publishes its samples.
        take: returns its messages that came since the last call, in the order in which they were sent.
        sweeps: the scans of its LiDAR; None for none.
        entities: what clients tell of the entities, kept with the first vehicle; None where nobody can.
        name: before its commands in a step request; empty for the first one.
        title: what it is called among the entities; empty: its name, and that of a first vehicle where it has none.
        close: ends what it has of the world outside, when it is removed; None for one of the start, which never is.

    Attributes:
        spawned: whether it was spawned, so that it can be removed.
        slot: its number among the vehicles, which its fleet gives it.
        outline: where it is, to be met by others.
        arrived: its commands since the last step.
        around: what is remembered beside its environment.
        held: commands that have come and are not posted yet, in the order in which they were sent.
    """

    def __init__(
        self,
        environment: Environment,
        output: Output,
        take: Callable[[], Iterable[Arrival]],
        *,
        sweeps: Sweeps | None = None,
        entities: Entities | None = None,
        name: str = "",
        title: str = "",
        close: Callable[[], None] | None = None,
    ) -> None:
        self.environment = environment
        self.output = output
        self.take = take
        self.sweeps = sweeps
        self.name = name
        self.title = title or name or FIRST_VEHICLE
        self.spawned = close is not None
        self.slot = 0
        self.outline = Outlines(environment)
        self._close = close
        self.arrived = Arrived()
        self.around = Surroundings(environment, sweeps, entities, self.arrived)
        self.held: list[Arrival] = []
        self._greeted = environment.revision

    @property
    def member(self) -> Member:
        """Return what a snapshot tells of it beside its state."""
        return Member(self.title, self.slot, self.spawned)

    # -- commands -----------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Let every command that has come apply at the next step."""
        self.hold()
        self._post_held(len(self.held))

    def hold(self) -> None:
        """Take what has come and keep it in the order in which it was sent, however many reads that takes."""
        self.held = sorted([*self.held, *self.take()], key=lambda arrival: arrival.sent)
        self._post_held(len(self.held) - MOST_HELD)

    def post(self, message: Message) -> None:
        """Let a command apply at the next step."""
        self.environment.post(message)
        self.arrived.note(message)

    def missing(self, names: Sequence[str]) -> list[str]:
        """Return those of the names of its commands of which nothing has come since the last step."""
        own = [name.rpartition("/")[2] for name in names if name.rpartition("/")[0] == self.name]
        lacking = self.arrived.missing(own, [arrival.message for arrival in self.held])
        return [command_name(self.name, command) for command in lacking]

    def applied(self) -> list[Applied]:
        """Return what has come since the last step, for the next one."""
        found = self.arrived.applied(self.environment.step_count + 1)
        return [command._replace(name=command_name(self.name, command.name)) for command in found]

    def _post_held(self, count: int) -> None:
        """Let the first of the kept commands apply at the next step."""
        for arrival in self.held[: max(0, count)]:
            self.post(arrival.message)
        self.held = self.held[max(0, count) :]

    # -- samples and scans --------------------------------------------------------------------------------------------

    def hand_over(self, samples: np.ndarray, *, wait: bool, last: bool) -> None:
        """Hand over the samples of steps that were run, and begin the scan of a sweep that has ended.

        Args:
            samples: they are in the history already.
            wait: wait for a scan at the step at which it leaves.
            last: the output is asked for a barrier next.
        """
        if self.sweeps is None:
            self.output.send(samples, more=last)
        elif self.sweeps.ending:
            # To begin a scan takes longer than all else of a step, and nothing of it is in the samples. The steps are
            # over also where nobody takes their samples any more.
            try:
                self.output.send(samples)
            finally:
                self.sweeps.take(samples, wait=wait)
        else:
            self.sweeps.take(samples, wait=wait)
            self.output.send(samples, more=last and not self.sweeps.due)

    def hand_over_scans(self, sweeps: Sweeps, *, wait: bool) -> None:
        """Hand over the scans that leave now, behind the samples."""
        for sweep in sweeps.leaving(wait=wait):
            self.output.send_scan(sweep)

    def greet(self, *, goes_on: bool = False) -> None:
        """Tell the output when what is simulated has changed.

        Args:
            goes_on: the epoch does, so what is on its way there stays so.
        """
        if self.environment.revision != self._greeted:
            self._greeted = self.environment.revision
            self.output.greet(goes_on=goes_on)
            if goes_on:
                self.output.recall(self.around.recalled())

    def close(self) -> None:
        """End what it has of the world outside: it was removed."""
        if self._close is not None:
            self._close()

    # -- snapshots ----------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the whole state; the run goes on as without it."""
        return replace(self.environment.snapshot(), simulation=self.around.snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        """Take up a state that was checked, and let the output stand where it stood; commands are forgotten."""
        self.read()
        self.environment.restore(snapshot)
        self.around.restore(snapshot)
        self._greeted = self.environment.revision
        self.output.greet()
        self.output.recall(self.around.of(snapshot).history)
