"""The vehicles of a snapshot: who stays, who is made and who goes. All of it is looked at before anything changes.

Those of the start have to be the same. Of those that were spawned, whoever has the name stays and becomes that of the
snapshot, the others are made or removed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from acres_ros.core.agent import Agent
from acres_ros.core.agent_names import AGENT_NAME
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import OCCUPANTS, ParameterError
from acres_ros.core.plain_state import SnapshotError
from acres_ros.core.snapshot import Member, Snapshot
from acres_ros.core.spawned import VEHICLE_NUMBERS
from acres_ros.core.start import Start, StartError


class Maker(Protocol):
    """Makes vehicles that are not there."""

    def environment(self, start: Start, number: int, occupants: Any) -> Environment:
        """Return a vehicle in the world of the others, of which nobody hears.

        Args:
            start: where resets put it.
            number: among the vehicles of the simulation, for its random streams.
            occupants: persons on board.

        Raises:
            ParameterError, StartError: it cannot be made so.
        """

    def agent(self, name: str, environment: Environment) -> Agent:
        """Return the vehicle with its commands, services and output; whoever closes it ends them.

        Raises:
            AcresError: it cannot be made; nothing of it is left.
        """


class Match(NamedTuple):
    """A vehicle of a snapshot.

    Attributes:
        member: its name and number.
        state: what it takes up.
        agent: the vehicle that it is; None where it is not here.
        environment: that of the agent, or one that was made for it: where it is not here, or was spawned otherwise.
    """

    member: Member
    state: Snapshot
    agent: Agent | None
    environment: Environment


def names_by_number(titles: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of vehicles by their numbers, as environments have them; none for one that is alone."""
    return tuple(titles.get(slot, "") for slot in range(max(titles) + 1)) if len(titles) > 1 else ()


def matched(agents: Sequence[Agent], snapshot: Snapshot, maker: Maker | None) -> list[Match]:
    """Return the vehicles of a snapshot, in their order.

    Args:
        agents: those that are here; nothing of them is changed.
        snapshot: checked whole, but for what was told of entities.
        maker: makes the environments of those that are not here; None for none.

    Raises:
        SnapshotError: a snapshot of something else, or a state that cannot be.
    """
    own = tuple(agent.member for agent in agents)
    # An environment alone says nothing of vehicles: it is that of who is alone.
    members = snapshot.vehicles or own[:1]
    if not snapshot.vehicles and len(own) > 1:
        raise SnapshotError(snapshot.source, "vehicles", (), f"those of a simulation, which has {len(own)} here")
    _check_members(members, own, snapshot)
    names = names_by_number({member.number: member.name for member in members})
    matches: list[Match] = []
    for index, (member, other) in enumerate(zip(members, (snapshot, *snapshot.others), strict=True)):
        state = replace(other, source=snapshot.source)
        _check_shared(state, snapshot, index)
        here = (one for one in agents if (one.title, one.spawned) == (member.name, member.spawned))
        agent = next(here, None)
        if agent is not None and (not agent.spawned or _is_as(agent, member, state)):
            environment = agent.environment
        else:
            environment = _environment(member, state, maker, f"others.{index - 1}")
        environment.check_snapshot(state, names)
        agents[0].around.check(state)  # what is around is the same for all
        matches.append(Match(member, state, agent, environment))
    return matches


def agents_of(matches: Sequence[Match], maker: Maker | None) -> list[Agent]:
    """Return the vehicles of a snapshot, of which those that are not here were made.

    Raises:
        AcresError: one cannot be made; nothing of any is left.
    """
    agents: list[Agent] = []
    made: list[Agent] = []
    try:
        for match in matches:
            agent = match.agent
            if agent is None:
                assert maker is not None, "it has made the environment"
                agent = maker.agent(match.member.name, match.environment)
                made.append(agent)
            agents.append(agent)
    except Exception:
        for agent in made:
            agent.close()
        raise
    return agents


def _check_members(members: Sequence[Member], own: Sequence[Member], snapshot: Snapshot) -> None:
    """Refuse vehicles that cannot be those of one simulation, or not of this one."""

    def require(holds: bool, given: object, wanted: str) -> None:
        if not holds:
            raise SnapshotError(snapshot.source, "vehicles", given, wanted)

    if len(snapshot.others) != len(members) - 1:
        states = f"{len(members) - 1}, one state for each further vehicle"
        raise SnapshotError(snapshot.source, "others", len(snapshot.others), states)
    started, here = ([one for one in each if not one.spawned] for each in (members, own))
    given, wanted = (tuple(one.name for one in each) for each in (started, here))
    require(given == wanted, given, f"{wanted}, by name and in this order: those that this simulation was started with")
    spawned = members[len(started) :]
    require(all(one.spawned for one in spawned), [one.name for one in members], "those of the start before the others")
    names, numbers = [one.name for one in members[1:]], [one.number for one in members]
    require(all(re.fullmatch(AGENT_NAME, one.name) for one in spawned), names, "names that vehicles can have")
    require(len(set(names)) == len(names), names, "each name once")
    possible = len(set(numbers)) == len(numbers) and all(0 <= number < VEHICLE_NUMBERS for number in numbers)
    possible = possible and numbers[: len(here)] == [one.number for one in here]
    require(possible, numbers, f"numbers from 0 to {VEHICLE_NUMBERS - 1}, each once, those of the start as here")


def _is_as(agent: Agent, member: Member, state: Snapshot) -> bool:
    """Tell whether a vehicle was spawned as that of a snapshot: with its number and parameters."""
    return agent.slot == member.number and agent.environment.origin == state.origin


def _environment(member: Member, state: Snapshot, maker: Maker | None, key: str) -> Environment:
    """Return a vehicle that is made as that of a snapshot was."""
    if maker is None:
        raise SnapshotError(state.source, "vehicles", member.name, "a vehicle that is here: none can be made")
    occupants: Any = state.origin
    for part in ("parameters", *OCCUPANTS.split(".")):
        occupants = occupants.get(part) if isinstance(occupants, Mapping) else None
    try:
        return maker.environment(state.environment.start, member.number, occupants)
    except ParameterError as error:
        raise SnapshotError(state.source, f"{key}.origin.parameters", occupants, str(error)) from error
    except StartError as error:
        raise SnapshotError(state.source, f"{key}.environment.start", state.environment.start, str(error)) from error


def _check_shared(state: Snapshot, first: Snapshot, index: int) -> None:
    """Refuse a vehicle that has not the time and the world of the first."""
    own, wanted, key = state.environment, first.environment, f"others.{index - 1}"
    if own.step_count != wanted.step_count:
        raise SnapshotError(first.source, f"{key}.step_count", own.step_count, f"{wanted.step_count}, as the first")
    if own.spawned != wanted.spawned:
        raise SnapshotError(first.source, f"{key}.spawned", "others", "those of the first vehicle")
    if any(one.tobytes() != other.tobytes() for one, other in zip(own.farm, wanted.farm, strict=True)):
        raise SnapshotError(first.source, f"{key}.farm", "other marks", "those of the first vehicle")
