"""A control step by one call: the commands of a controller, and steps when they are there."""

from __future__ import annotations

from collections.abc import Callable

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
from acres_ros.nodes.service import Service, served
from acres_ros.nodes.waiting import never_called

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
        service: the service whose requests `take_request` takes.
    """

    def __init__(self, node: Node, simulation: Simulation, group: CallbackGroup) -> None:
        self._simulation = simulation
        self.service = served(node, SERVICES[0], never_called, group)

    def take_request(self) -> tuple[StepRequest, Callable[[], None]] | None:
        """Take a request, if there is one; return its steps and what answers it when they are done."""
        service = self.service
        with service.handle:
            request, header = service.handle.service_take_request(StepWithCommands.Request)
        if header is None:
            return None
        response = StepWithCommands.Response()
        try:
            steps = self._simulation.begin_steps(request.steps, _commands(request))
        except AcresError as error:
            response.message = str(error)
            self._say_where(response)
            service.send_response(response, header)
            return None

        def answer() -> None:
            response.success = steps.error is None and not steps.cancelled
            response.completed = steps.completed
            response.applied = [AppliedCommand(**applied._asdict()) for applied in steps.applied]
            if steps.error is not None:
                response.message = str(steps.error)
            elif steps.cancelled:
                response.message = f"cut short after {steps.completed} of {steps.total} steps"
            self._say_where(response)
            service.send_response(response, header)

        return steps, answer

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
    first: list[Message] = []
    others: list[tuple[str, Message]] = []
    for command in request.commands:
        agent, slash, name = command.name.rpartition("/")
        message = _read(command, name)
        if slash:
            others.append((agent, message))
        else:
            first.append(message)
    return CommandStep(tuple(dict.fromkeys(request.wait_for)), request.timeout_s, tuple(first), tuple(others))


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
