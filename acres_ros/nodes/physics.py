"""`acres_physics`: owns the world, the vehicle and the time; takes commands, hands out one sample of each step.

One thread does everything in one order: callbacks, then the steps that are due, then the answers. Wall time only says
when a step is due in free run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from rclpy.node import Node

from acres_ros import _compile
from acres_ros.core import messages
from acres_ros.core.entities import Entities
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.gateway_events import Event
from acres_ros.core.greeting import Greeting
from acres_ros.core.link import LocalLink, SampleServer, claim_domain
from acres_ros.core.parameters import load_parameters
from acres_ros.core.sample import SAMPLE
from acres_ros.core.sensors import Sensors
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import State
from acres_ros.core.start import Start
from acres_ros.core.sweeps import Sweeps
from acres_ros.core.wakeups import run_soon
from acres_ros.core.world_catalog import WorldCatalog
from acres_ros.errors import AcresError
from acres_ros.nodes.commands import CommandInput
from acres_ros.nodes.entity_control import EntityControl
from acres_ros.nodes.farm_control import FarmControl
from acres_ros.nodes.fault_control import FaultControl
from acres_ros.nodes.gnss_control import GnssControl
from acres_ros.nodes.late_readers import LateReaders
from acres_ros.nodes.parameter_table import READY_TEXT, VEHICLE_NODE
from acres_ros.nodes.process import Joined
from acres_ros.nodes.simulation_control import SimulationControl
from acres_ros.nodes.snapshot_control import SnapshotControl
from acres_ros.nodes.vehicle import LOOK_S, Vehicle
from acres_ros.nodes.waiting import ReadyExecutor, RequestWait
from acres_ros.nodes.world_control import WorldControl

LONGEST_WAIT_S = 0.05
LAST_ANSWERS_S = 1.0
SEND_S = 0.2
STOP_KEY = "collision.stop"


class Physics:
    """The node `acres_physics` and its loop.

    Args:
        joined: the node, and the values of `PHYSICS_PARAMETERS`.
        executor: spins the node.
    """

    def __init__(self, joined: Joined, executor: ReadyExecutor) -> None:
        self._node = node = joined.node
        self._since = joined.since
        self._executor = executor
        self.options = options = joined.options
        self._claim = claim_domain()
        if not _compile.cache_folder().exists():
            node.get_logger().info("compiling the vehicle model, which takes about half a minute; later starts load it")
        self._sensors = Sensors.from_file(str(options["sensors_file"]))
        catalog = WorldCatalog(season=options["crop_season"], growth=options["growth"])
        world, entry = catalog.load(str(options["world"]))
        place = world.place(options["place"]) if options["place"] else world.places[0]
        start = Start(x=place.x, y=place.y, yaw=place.yaw, gear=options["gear"], drive_mode=options["drive_mode"])
        environment = Environment(
            world,
            load_parameters(
                options["vehicle_file"] or None,
                {STOP_KEY: 1} if options["stop_on_collision"] else {},
                occupants=options["occupants"],
            ),
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
            agent=options["agent_index"],
            navigation=self._sensors.navigation,
        )
        self._environment = environment
        self._late_readers = LateReaders()
        self._look: Callable[[], None] | None = None
        self.link = self._open_link()
        self._sweeps = self._make_sweeps()
        entities = Entities(environment, str(options["agent"]))
        self._commands = CommandInput(node, str(options["agent"]))
        self.simulation = Simulation(
            environment,
            self.link,
            self._commands.take,
            rate=options["rate"],
            state=State.PAUSED if options["paused"] else State.PLAYING,
            sweeps=self._sweeps,
            entities=entities,
        )
        self._control = SimulationControl(node, executor, self.simulation)
        WorldControl(node, self.simulation, catalog, entry, start)
        FarmControl(node, self.simulation)
        EntityControl(node, self.simulation, entities)
        GnssControl(node, self.simulation)
        FaultControl(node, self.simulation)
        SnapshotControl(node, self.simulation, str(options["snapshot_folder"]))
        self._wait = RequestWait(node, self._control.step_services, [self._control.action])

    def _open_link(self) -> SampleServer | LocalLink:
        if not self.options["composed"]:
            return SampleServer(str(self.options["agent"]), SAMPLE, lambda: self._greeting().to_json())
        vehicle = Vehicle(Node(VEHICLE_NODE), since=self._since)
        vehicle.start(self._greeting())
        self._look = vehicle.look
        return LocalLink(
            vehicle.publish,
            vehicle.publish_scan,
            vehicle.scans_wanted,
            lambda: vehicle.start(self._greeting()),
            vehicle.recall,
            vehicle.show_time,
        )

    def _make_sweeps(self) -> Sweeps | None:
        """Return the scans of the LiDAR, or None where they are switched off."""
        if self.options["lidar"] == "off":
            return None
        wanted = self.link.scans_wanted if self.options["lidar"] == "auto" else lambda: True
        return Sweeps(self._environment, self._sensors.lidar, wanted)

    def _greeting(self) -> Greeting:
        return Greeting.of(self._environment, self._sensors)

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
            for line in self.link.poll():
                logger.info(line)
            if self._look is not None:
                self._look()
            longest = 0.0 if self._executor.busy else LONGEST_WAIT_S
            stepping, others = self._wait.sleep(self.simulation.wait_s(time.monotonic(), longest))
            looking = time.monotonic() >= next_look
            if looking:
                next_look = time.monotonic() + LOOK_S
                self._notice_client()
                self._notice_reader()
            if looking or others or self._executor.busy:
                self._commands.group.open = looking
                self._executor.run_ready(logger)
            if stepping:
                self._control.take_step_requests()
            try:
                self.simulation.advance(time.monotonic())
            except AcresError as error:
                logger.error(str(error))
            self._control.after_advance()
            for event in self._environment.take_events():
                self._log(event)
            if not ready and self.link.connected and (self._environment.step_count or not self.simulation.running_free):
                ready = True
                logger.info(f"{READY_TEXT}: {self.simulation.state.name} at step {self._environment.step_count}")
        if self.simulation.state is not State.QUITTING:
            self.simulation.set_state(State.QUITTING)
        self._answer_last()
        if self._sweeps is not None:
            self._sweeps.close()
        self.link.close()
        self._claim.close()

    def _notice_reader(self) -> None:
        """Publish the present time again for who has joined in a pause."""
        step = self._environment.step_count
        if self._late_readers.look(self._node.count_subscribers("/clock"), step):
            self.link.show_time(step)

    def _notice_client(self) -> None:
        """Disable the drive-by-wire when its client has left (spec, Enable, Disable and Override).

        Discovery tells of it at some wall time, so it is left out of lockstep, which has to repeat.
        """
        if self.options["disable_when_client_leaves"] and self.simulation.running_free and self._commands.client_left():
            self.simulation.post(messages.ClientLost())

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

    def _log(self, event: Event) -> None:
        logger, text = self._node.get_logger(), f"{event.code} {event.text}"
        # rclpy ties a severity to the line that logs, so each has a line of its own.
        if event.severity == "warning":
            logger.warning(text)
        else:
            logger.info(text)


def load(joined: Joined) -> Callable[[], None]:
    """Return the loop of the node."""
    executor = ReadyExecutor()
    executor.add_node(joined.node)
    return partial(Physics(joined, executor).run, joined.stop)
