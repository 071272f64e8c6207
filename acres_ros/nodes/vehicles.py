"""The vehicles of `acres_physics`: those of its start, and those that are spawned and deleted while it runs."""

from __future__ import annotations

import gc
from collections.abc import Sequence

from acres_ros.core.agent import Agent
from acres_ros.core.entities import Entities
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.joining import checked_vehicle
from acres_ros.core.parameters import OCCUPANTS, load_parameters, with_overrides
from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import NoOutputError
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.spawnables import VehicleResource
from acres_ros.core.spawning import SpawnRequest
from acres_ros.core.start import Start
from acres_ros.errors import AcresError, shown
from acres_ros.nodes.agent_ports import AgentPorts
from acres_ros.nodes.process import Joined
from acres_ros.world import World

STOP_KEY = "collision.stop"


class VehicleNotMadeError(AcresError):
    """A vehicle that the middleware or the system does not make."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(f"the vehicle {shown(name)} cannot be made: {' '.join(str(error).split())}")


class Vehicles:
    """The vehicles, the first one in front.

    Args:
        joined: the node, and the values of `PHYSICS_PARAMETERS`.
        sensors: of each.
        world: where they are.
        starts: of those of the start.
        names: of these.

    Attributes:
        parameters: of each at its start, one record.
        ports: of each by now; another tuple whenever one comes or goes.
        entities: all that clients can name.
    """

    def __init__(
        self, joined: Joined, sensors: Sensors, world: World, starts: Sequence[Start], names: Sequence[str]
    ) -> None:
        self._joined = joined
        self._sensors = sensors
        self._like = starts[0]
        options = joined.options
        self.parameters = load_parameters(
            str(options["vehicle_file"]) or None,
            {STOP_KEY: 1} if options["stop_on_collision"] else {},
            occupants=int(options["occupants"]),
        )
        environments = [self._made(world, own, slot) for slot, own in enumerate(starts)]
        first = AgentPorts(joined, environments[0], sensors, names[0])
        further = list(zip(names[1:], environments[1:], strict=True))
        others = [AgentPorts(joined, own, sensors, name, first) for name, own in further]
        self.ports: tuple[AgentPorts, ...] = (first, *others)
        self.entities = Entities(environments[0], names[0], further)
        self._simulation: Simulation

    def _made(self, world: World, start: Start, slot: int, occupants: int | None = None) -> Environment:
        options = self._joined.options
        return Environment(
            world,
            with_overrides(self.parameters, {} if occupants is None else {OCCUPANTS: occupants}),
            start,
            GatewayOptions(
                system_sync_mode=options["system_sync_mode"],
                latched_overrides=options["latched_overrides"],
                override_throttle_pct=options["override_throttle_pct"],
                override_brake_bar=options["override_brake_bar"],
                nan_policy=options["nan_policy"],
                watchdog=options["watchdog"],
            ),
            marks=options["marks"],
            seed=options["seed"],
            agent=int(options["agent_index"]) + slot,
            navigation=self._sensors.navigation,
        )

    def environment(self, start: Start, number: int, occupants: int | None = None) -> Environment:
        """Return a vehicle in the world of the others, of which nobody hears.

        Args:
            start: where and how it starts, and where resets put it.
            number: among the vehicles of the simulation, for its random streams.
            occupants: persons on board; None: as at the start of the program.

        Raises:
            ParameterError, StartError: it cannot be made so.
        """
        return self._made(self.ports[0].environment.world, start, number, occupants)

    def serve(self, simulation: Simulation) -> None:
        """Offer the services of each vehicle of a simulation, which takes others from now on."""
        self._simulation = simulation
        for ports, agent in zip(self.ports, simulation.fleet.agents, strict=True):
            ports.serve(simulation, agent)

    def spawn(self, request: SpawnRequest, resource: VehicleResource) -> str:
        """Let one more vehicle be there from the next step on, and return its name.

        Raises:
            AcresError: as `checked_vehicle` and `agent`; nothing was changed.
        """
        fleet = self._simulation.fleet
        wanted = checked_vehicle(
            fleet, self.entities, request, resource, like=self._like, parameters=self.parameters
        )  # fmt: skip
        environment = self.environment(wanted.start, fleet.free_slot, wanted.occupants)
        fleet.add(self.agent(wanted.name, environment))
        x, y = wanted.start.x, wanted.start.y
        self._joined.node.get_logger().info(f"spawned the vehicle {wanted.name} at ({x:.2f}, {y:.2f}) m")
        return wanted.name

    def restore(self, snapshot: Snapshot) -> None:
        """Take up a state, and with it the vehicles that were spawned in it; errors as `Simulation.restore`."""
        self._simulation.restore(snapshot, self)
        order = [agent.name for agent in self._simulation.fleet.agents[1:]]
        first, *others = self.ports
        self.ports = (first, *sorted(others, key=lambda ports: order.index(ports.name)))

    def agent(self, name: str, environment: Environment) -> Agent:
        """Return a further vehicle with its commands, services and node, which are there from now on.

        Args:
            name: below which they are.
            environment: as `environment` has made it.

        Raises:
            AcresError: no vehicle node has joined, so nobody knows what such a node is to do; another program publishes
                its topics; or the middleware refuses something. Nothing of it is left.
        """
        first = self.ports[0]
        if not first.link.connected:
            raise NoOutputError
        try:
            ports = AgentPorts(self._joined, environment, self._sensors, name, first, spawned=True)
        except RuntimeError as error:  # RCLError of rclpy is one
            raise VehicleNotMadeError(name, error) from error
        agent = ports.agent(lambda: self._remove(ports))
        self.ports = (*self.ports, ports)
        try:
            ports.serve(self._simulation, agent)
        except RuntimeError as error:
            agent.close()
            raise VehicleNotMadeError(name, error) from error
        return agent

    def _remove(self, ports: AgentPorts) -> None:
        """End what a vehicle has in the graph; called when its simulation has it no more."""
        self.ports = tuple(other for other in self.ports if other is not ports)
        ports.say_events()
        ports.close()
        gc.collect()  # environment and node are in cycles, and hold as much memory as a few thousand small objects
        self._joined.node.get_logger().info(f"removed the vehicle {ports.name}")
