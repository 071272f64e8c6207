"""A control step by one call: the commands of a controller, and steps when they are there."""

from __future__ import annotations

from acres_interfaces.msg import AppliedCommand, Command
from acres_interfaces.srv import StepWithCommands
from builtin_interfaces.msg import Time
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from acres_ros.core.clock import stamp
from acres_ros.core.entities import vehicle_motion
from acres_ros.core.messages import Message
from acres_ros.core.simulation import Simulation
from acres_ros.core.step_commands import COMMANDS, CommandNameError, CommandStep
from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError
from acres_ros.nodes.commands import COMMAND_TOPICS, plain
from acres_ros.nodes.geometry import pose_message, vector_message
from acres_ros.nodes.requesters import RequesterLeftError, Requesters
from acres_ros.nodes.service import Service
from acres_ros.nodes.step_service import StepService

SERVICES = (
    Service(
        StepWithCommands,
        "/acres/step_with_commands",
        "a control step: runs when the commands that it names have come, or with those that it carries",
    ),
)
MOST_BYTES = 1024
_ROS_TYPES = {topic.message: topic.type for topic in COMMAND_TOPICS}


class CommandBytesError(AcresError):
    """A carried command that cannot be read."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"the data of {name} are no {_ROS_TYPES[COMMANDS[name]].__name__}: wanted {wanted}")


class StepControl:
    """The service of one simulation.

    Args:
        node: the node that serves it.
        simulation: what is stepped.
        group: the group of services that no executor takes from.

    Attributes:
        service: takes the requests and answers them.
    """

    def __init__(self, node: Node, simulation: Simulation, group: CallbackGroup) -> None:
        self._simulation = simulation
        self._requesters = Requesters()
        self.service = StepService(node, SERVICES[0], group, self._begin, self._tell)

    def look(self) -> None:
        """Give up a request that waits for commands when who sent it has left; what is moving already goes on."""
        waiting = self._simulation.waiting
        if waiting is not None and self._requesters.left(waiting, self.service.clients()):
            self._simulation.give_up(waiting, RequesterLeftError())

    def _begin(self, request: StepWithCommands.Request) -> StepRequest:
        return self._simulation.begin_steps(request.steps, _commands(request))

    def _tell(self, response: StepWithCommands.Response, failure: str, steps: StepRequest | None) -> None:
        response.success, response.message = not failure, failure
        if steps is not None:
            response.completed = steps.completed
            response.applied = [AppliedCommand(**applied._asdict()) for applied in steps.applied]
        self._say_where(response)

    def _say_where(self, response: StepWithCommands.Response) -> None:
        """Write time and state, whatever became of the request."""
        environment = self._simulation.environment
        motion = vehicle_motion(environment)
        response.step = environment.step_count
        seconds, nanoseconds = stamp(environment.step_count)
        response.stamp = Time(sec=seconds, nanosec=nanoseconds)
        response.state = int(self._simulation.state)
        response.pose = pose_message(motion.position, motion.orientation)
        response.twist.linear = vector_message(motion.velocity)
        response.twist.angular = vector_message(motion.angular_velocity)
        response.enabled = environment.gateway.enable.enabled


def _commands(request: StepWithCommands.Request) -> CommandStep:
    """Return what a request waits for and carries: a command of a further vehicle has its name before it."""
    carried: list[tuple[str, Message]] = []
    for command in request.commands:
        agent, slash, name = command.name.rpartition("/")
        if slash and not agent:
            raise CommandNameError(command.name)
        carried.append((agent, _read(command, name)))
    return CommandStep(tuple(dict.fromkeys(request.wait_for)), request.timeout_s, tuple(carried))


def _read(command: Command, name: str) -> Message:
    """Return the plain message that a request carries for a vehicle."""
    data = command.data.tobytes()
    if name not in COMMANDS:
        raise CommandNameError(command.name)
    kind = COMMANDS[name]
    if not 4 <= len(data) <= MOST_BYTES:
        raise CommandBytesError(name, f"4 to {MOST_BYTES} bytes, not {len(data)}")
    try:
        message = deserialize_message(data, _ROS_TYPES[kind])
    except Exception as error:  # rclpy raises what its middleware gives it
        raise CommandBytesError(name, "what a ROS client library serializes") from error
    return plain(message, kind)
