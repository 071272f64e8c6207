"""`acres_physics`: owns the world, the vehicles and the time; takes commands, hands out one sample of each step.

One thread does everything in one order: callbacks, then the steps that are due, then the answers. Wall time only says
when a step is due in free run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from acres_ros._compiled import compiling_text
from acres_ros.core import messages
from acres_ros.core.fleet import starts_beside
from acres_ros.core.link import claim_domain
from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import State
from acres_ros.core.start import Start
from acres_ros.core.wakeups import run_soon
from acres_ros.core.world_catalog import WorldCatalog
from acres_ros.errors import AcresError
from acres_ros.models import polaris
from acres_ros.nodes.entity_control import EntityControl
from acres_ros.nodes.farm_control import FarmControl
from acres_ros.nodes.late_readers import LateReaders
from acres_ros.nodes.parameter_table import READY_TEXT, further_agents
from acres_ros.nodes.process import Joined
from acres_ros.nodes.simulation_control import SimulationControl
from acres_ros.nodes.snapshot_control import SnapshotControl
from acres_ros.nodes.spawn_control import SpawnControl
from acres_ros.nodes.vehicle import LOOK_S
from acres_ros.nodes.vehicles import Vehicles
from acres_ros.nodes.waiting import ReadyExecutor, RequestWait
from acres_ros.nodes.world_control import WorldControl

LONGEST_WAIT_S = 0.05
LAST_ANSWERS_S = 1.0
SEND_S = 0.2


class Physics:
    """The node `acres_physics` and its loop.

    Args:
        joined: the node, and the values of `PHYSICS_PARAMETERS`.
        executor: spins the node.
    """

    def __init__(self, joined: Joined, executor: ReadyExecutor) -> None:
        self._node = node = joined.node
        self._executor = executor
        self.options = options = joined.options
        self._claim = claim_domain()
        compiling = compiling_text(polaris.step_entry, "the vehicle model", "a minute")
        if compiling:
            node.get_logger().info(compiling)
        sensors = Sensors.from_file(str(options["sensors_file"]))
        catalog = WorldCatalog(season=options["crop_season"], growth=options["growth"])
        world, entry = catalog.load(str(options["world"]))
        place = world.place(options["place"]) if options["place"] else world.places[0]
        start = Start(x=place.x, y=place.y, yaw=place.yaw, gear=options["gear"], drive_mode=options["drive_mode"])
        starts = starts_beside(world, start, int(options["agents"]))
        names = (str(options["agent"]), *further_agents(options))
        self._vehicles = vehicles = Vehicles(joined, sensors, world, starts, names)
        self._first, *others = vehicles.ports
        self._environment = self._first.environment
        self._late_readers = LateReaders()
        self.simulation = Simulation(
            self._environment,
            self._first.link,
            self._first.commands.take,
            rate=options["rate"],
            state=State.PAUSED if options["paused"] else State.PLAYING,
            sweeps=self._first.sweeps,
            entities=vehicles.entities,
            others=[ports.agent() for ports in others],
            title=names[0],
        )
        self._control = SimulationControl(node, executor, self.simulation)
        WorldControl(node, self.simulation, catalog, entry, start)
        FarmControl(node, self.simulation)
        EntityControl(node, self.simulation, vehicles.entities)
        SpawnControl(node, self.simulation, vehicles)
        vehicles.serve(self.simulation)
        SnapshotControl(node, self.simulation, vehicles, str(options["snapshot_folder"]))
        self._wait = RequestWait(node, self._control.step_services, [self._control.action])
        self._waits_for = vehicles.ports

    def run(self, stopping: Callable[[], bool]) -> None:
        """Spin until the simulation is told to quit or the process is told to end.

        Args:
            stopping: tells whether the process is to end.
        """
        logger = self._node.get_logger()
        run_soon()
        ready = False
        next_look = 0.0
        while self.simulation.state is not State.QUITTING and not stopping():
            self._look()
            longest = 0.0 if self._executor.busy else LONGEST_WAIT_S
            stepping, others = self._wait.sleep(self.simulation.wait_s(time.monotonic(), longest))
            looking = time.monotonic() >= next_look
            if looking:
                next_look = time.monotonic() + LOOK_S
                self._notice_client()
                self._notice_reader()
                self._control.look()
            if looking or others:
                for ports in self._vehicles.ports:
                    ports.commands.group.open = looking
                self._executor.run_ready(logger)
            elif self._executor.busy:
                self._executor.run_tasks(logger)
            if stepping:
                self._control.take_step_requests()
            try:
                self.simulation.advance(time.monotonic())
            except AcresError as error:
                logger.error(str(error))
            self._control.after_advance()
            for ports in self._vehicles.ports:
                ports.say_events()
            if not ready and self._is_ready():
                ready = True
                logger.info(f"{READY_TEXT}: {self.simulation.state.name} at step {self._environment.step_count}")
        if self.simulation.state is not State.QUITTING:
            self.simulation.set_state(State.QUITTING)
        self._answer_last()
        for ports in self._vehicles.ports:
            ports.close()
        self._claim.close()

    def _look(self) -> None:
        """Let each vehicle look about, and wait for the services of those that are there now."""
        for ports in self._vehicles.ports:
            ports.look()
        if self._waits_for is not self._vehicles.ports:
            self._waits_for = self._vehicles.ports
            self._wait.renew()

    def _is_ready(self) -> bool:
        """Tell whether the vehicles can be driven."""
        moves = self._environment.step_count > 0 or not self.simulation.running_free
        return self.simulation.fleet.connected and moves

    def _notice_reader(self) -> None:
        """Publish the present time again for who has joined in a pause."""
        step = self._environment.step_count
        if self._late_readers.look(self._node.count_subscribers("/clock"), step, self._readers):
            self._first.link.show_time(step)

    def _readers(self) -> set[bytes]:
        """Return the subscriptions of `/clock`."""
        return {bytes(info.endpoint_gid) for info in self._node.get_subscriptions_info_by_topic("/clock")}

    def _notice_client(self) -> None:
        """Disable the drive-by-wire of a vehicle when its client has left (spec, Enable, Disable and Override).

        Discovery tells of it at some wall time, so it is left out of lockstep, which has to repeat.
        """
        if self.options["disable_when_client_leaves"] and self.simulation.running_free:
            for ports, agent in zip(self._vehicles.ports, self.simulation.fleet.agents, strict=True):
                if ports.commands.client_left():
                    self.simulation.post(messages.ClientLost(), "the loss of a client", agent)

    def _answer_last(self) -> None:
        """Let the requests that the end has cut short get their answers, and the middleware send them."""
        deadline = time.monotonic() + LAST_ANSWERS_S
        while self._control.answering and time.monotonic() < deadline:
            self._control.after_advance()
            self._executor.spin_once(timeout_sec=0.01)
        # The result of a goal is asked for by a request of its own, and nothing tells when an answer has arrived.
        end = time.monotonic() + SEND_S
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.01)


def load(joined: Joined) -> Callable[[], None]:
    """Return the loop of the node."""
    executor = ReadyExecutor()
    executor.add_node(joined.node)
    return partial(Physics(joined, executor).run, joined.stop)
