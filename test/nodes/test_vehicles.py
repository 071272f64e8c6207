"""A vehicle that cannot be made while the stand-in runs: nothing of it stays, neither here nor in the graph."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rclpy.context import Context as RosContext
from rclpy.node import Node

from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import NoOutputError, State
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.start import Start
from acres_ros.nodes import agent_ports
from acres_ros.nodes.parameter_reading import read_parameters
from acres_ros.nodes.parameter_table import PHYSICS_PARAMETERS
from acres_ros.nodes.process import Joined, Stop
from acres_ros.nodes.vehicle import Vehicle
from acres_ros.nodes.vehicles import VehicleNotMadeError, Vehicles
from acres_ros.world import World

PATIENCE_S = 10.0


class Running:
    """The vehicles of one stand-in, in this process."""

    def __init__(self, ros: RosContext) -> None:
        self.node = Node("acres_physics", context=ros)
        options = {**read_parameters(self.node, PHYSICS_PARAMETERS), "composed": True}
        joined = Joined(self.node, options, Stop(), None)  # type: ignore[arg-type]  # nobody looks for others
        self.vehicles = Vehicles(joined, Sensors.from_file(), World.flat(), [Start(gear="L")], [""])
        (first,) = self.vehicles.ports
        self.simulation = Simulation(
            first.environment,
            first.link,
            first.commands.take,
            state=State.PAUSED,
            sweeps=first.sweeps,
            entities=self.vehicles.entities,
        )
        self.vehicles.serve(self.simulation)

    def step(self, steps: int) -> None:
        request = self.simulation.begin_steps(steps)
        while not request.done:
            self.simulation.advance(0.0)
        assert request.error is None

    def add(self, name: str, x: float) -> None:
        fleet = self.simulation.fleet
        environment = self.vehicles.environment(Start(x=x), fleet.free_slot, 4)
        fleet.add(self.vehicles.agent(name, environment))

    @property
    def held(self) -> tuple[Any, ...]:
        """Return what the process has of the world outside, and who is there."""
        here = [agent.title for agent in self.simulation.fleet.agents], self.vehicles.ports, threading.active_count()
        return *here, len(list(self.node.subscriptions)), len(list(self.node.services))

    def nodes(self) -> set[str]:
        return {f"{space.rstrip('/')}/{name}" for name, space in self.node.get_node_names_and_namespaces()}

    def close(self) -> None:
        for ports in self.vehicles.ports:
            ports.close()
        self.node.destroy_node()


@pytest.fixture
def running(ros: RosContext, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(agent_ports, "Node", partial(Node, context=ros))
    made = Running(ros)
    yield made
    made.close()


def failing(real: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """Return a function that fails as the middleware does, behind some calls."""
    left = [calls]

    def call(*arguments: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError("the middleware\nhas no room")
        return real(*arguments, **options)

    return call


FAILURES = {
    "its node": (lambda running: (agent_ports, "Node", agent_ports.Node), 1),
    "its outputs": (lambda running: (Vehicle, "start", Vehicle.start), 1),
    "a subscription": (lambda running: (running.node, "create_subscription", running.node.create_subscription), 16),
    "a service": (lambda running: (running.node, "create_service", running.node.create_service), 9),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_in_the_middle_of_a_restore_leaves_nothing(
    running: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    running.step(3)
    alone = running.simulation.snapshot()
    for name, x in (("red", 20.0), ("blue", 30.0)):
        running.add(name, x)
    running.step(2)
    running.simulation.snapshot().save(tmp_path / "three.npz")
    three = Snapshot.load(tmp_path / "three.npz")
    running.vehicles.restore(alone)
    before = running.held
    of, calls = FAILURES[what]
    place, name, real = of(running)
    with monkeypatch.context() as patch:
        patch.setattr(place, name, failing(real, calls))  # the first vehicle is made, the second one in part
        with pytest.raises(VehicleNotMadeError, match="'blue' cannot be made: the middleware has no room"):
            running.vehicles.restore(three)
    assert running.held == before
    end = time.monotonic() + PATIENCE_S
    while running.nodes() != {"/acres_physics", "/acres_vehicle"}:
        assert time.monotonic() < end, running.nodes()
        time.sleep(0.01)
    running.step(1)
    assert running.simulation.environment.step_count == 4
    running.vehicles.restore(three)
    assert [agent.title for agent in running.simulation.fleet.agents] == ["polaris", "red", "blue"]
    running.simulation.snapshot().save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "three.npz").read_bytes()


def test_the_ports_stand_in_the_order_of_the_vehicles(running: Running) -> None:
    for name, x in (("red", 20.0), ("blue", 30.0)):
        running.add(name, x)
    snapshot = running.simulation.snapshot()
    running.simulation.fleet.remove(running.simulation.fleet.named("red"))
    running.vehicles.restore(snapshot)
    assert [ports.name for ports in running.vehicles.ports] == ["", "red", "blue"]
    assert [ports.environment for ports in running.vehicles.ports] == running.vehicles.entities.environments


def test_before_a_vehicle_node_has_joined_none_is_made(running: Running) -> None:
    running.add("red", 20.0)
    snapshot = running.simulation.snapshot()
    running.simulation.fleet.remove_spawned()
    before = running.held
    running.vehicles.ports[0].link.close()
    with pytest.raises(NoOutputError):
        running.vehicles.restore(snapshot)
    assert running.held == before
