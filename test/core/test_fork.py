"""Forks: the same state in several environments, independent from then on, equal to the bit if driven alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from snapshot_rig import corn_with_a_post, drive, environment, start_driving, whole

from acres_ros.core.environment import Environment
from acres_ros.core.restorable import ForkError
from acres_ros.core.sample import SAMPLE
from acres_ros.core.streams import SeedRefusedError, stream
from acres_ros.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return corn_with_a_post()


@pytest.fixture
def driven(world: World) -> Environment:
    vehicle = environment(world)
    start_driving(vehicle)
    return vehicle


def test_forks_that_are_driven_alike_are_equal_to_the_bit(driven: Environment) -> None:
    driven.set_gnss("float", duration_s=1.0)
    forks = driven.fork(3)
    assert [whole(fork) for fork in forks] == [whole(driven)] * 3
    first = drive(driven, 360)
    assert [drive(fork, 360) for fork in forks] == [first] * 3


def test_what_one_does_no_other_sees(driven: Environment) -> None:
    before = whole(driven)
    fast, slow = driven.fork(2)
    for _ in range(120):  # in turn, so that what they shared would show
        drive(fast, 3, target=6.0)
        drive(slow, 3, target=0.0)
    assert whole(driven) == before
    assert fast.vehicle["body"]["x"] > slow.vehicle["body"]["x"] + 2.0
    assert fast.farm.crushed_m2 > slow.farm.crushed_m2
    again = driven.fork(1)[0]
    for _ in range(120):
        drive(again, 3, target=6.0)
    assert whole(again) == whole(fast)


def test_agents_have_errors_of_their_own_from_the_fork_on(driven: Environment) -> None:
    same, other = driven.fork(2, agents=[0, 3])
    state = driven.snapshot().environment
    assert other.snapshot().environment.vehicle.tobytes() == state.vehicle.tobytes()
    words = other.snapshot().environment.navigation.words
    assert words.tolist() == [stream(name, 42, agent=3).state.tolist() for name in ("ins", "imu", "gnss")]
    bare = [samples(vehicle) for vehicle in (same, other)]
    assert bare[0]["vehicle"].tobytes() == bare[1]["vehicle"].tobytes(), "the vehicle has no noise"
    errors = [rows["navigation"]["ins"]["position"] for rows in bare]
    assert np.abs(errors[0] - errors[1]).max() > 1e-4
    jumps = np.abs(np.diff(errors[1], axis=0)).max()
    assert jumps < 0.05, "they go on from where they were"
    assert other.agent == 3
    fresh = environment(driven.world, agent=3)
    other.reset(restart_time=True)
    other.step(12)
    fresh.step(12)
    assert other.last_two["navigation"].tobytes() == fresh.last_two["navigation"].tobytes()


def samples(vehicle: Environment) -> np.ndarray:
    return vehicle.step(120).view(np.ndarray)


def test_a_fork_has_parameters_and_options_of_its_own_of_the_same_kind(world: World) -> None:
    vehicle = environment(world, marks=False, seed=9)
    vehicle.set_parameters({"mass.kerb_kg": 1300.0})
    vehicle.reset(occupants=1)
    fork = vehicle.fork(1)[0]
    assert (fork.seed, fork.marks, fork.options) == (9, False, vehicle.options)
    assert fork.parameters.tobytes() == vehicle.parameters.tobytes()
    fork.restart()
    vehicle.restart()
    assert fork.parameters.tobytes() == vehicle.parameters.tobytes()
    assert fork.parameters[0]["mass"]["kerb_kg"] == 1158.0


def test_a_fork_of_a_fork_goes_on(driven: Environment) -> None:
    (child,) = driven.fork(1, agents=[5])
    (grandchild,) = child.fork(1)
    assert drive(grandchild, 60) == drive(child, 60)
    assert SAMPLE.itemsize * 2 == len(grandchild.last_two.tobytes())


@pytest.mark.parametrize(
    ("count", "agents", "error"),
    [
        (0, None, ForkError),
        (-1, None, ForkError),
        (True, None, ForkError),
        (2.0, None, ForkError),
        (2, [1], ForkError),
        (1, [-1], SeedRefusedError),
        (1, ["a"], SeedRefusedError),
    ],
)
def test_a_fork_that_cannot_be_is_refused(count: Any, agents: Any, error: type, driven: Environment) -> None:
    before = whole(driven)
    with pytest.raises(error):
        driven.fork(count, agents=agents)
    assert whole(driven) == before
