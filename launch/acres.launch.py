"""Start the stand-in inside the loopback fence: `ros2 launch acres_ros acres.launch.py [name:=value ...]`."""

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from acres_ros import fence
from acres_ros.cli.description import PARAMETER_FILE, launch_parameters, parsed, processes
from acres_ros.cli.preflight import check_start
from acres_ros.locations import shared_folder
from launch import LaunchDescription


def _nodes(context, *_args, **_kwargs):
    values = {
        parameter.name: parsed(parameter, LaunchConfiguration(parameter.name).perform(context))
        for parameter in launch_parameters()
    }
    given = {p.name: values[p.name] for p in launch_parameters() if values[p.name] != p.default}
    check_start(given)
    actions = []
    for process in processes(values):
        node = Node(
            package="acres_ros",
            executable=process.executable,
            output="screen",
            ros_arguments=process.ros_arguments(shared_folder("config") / PARAMETER_FILE),
        )
        # The stand-in is whole or it is not there.
        ended = EmitEvent(event=Shutdown(reason=f"{process.executable} ended"))
        actions += [node, RegisterEventHandler(OnProcessExit(target_action=node, on_exit=[ended]))]
    return actions


def generate_launch_description():
    """Return the fence as environment actions, the declared arguments and the nodes."""
    fence_actions = [
        UnsetEnvironmentVariable(name) if value is None else SetEnvironmentVariable(name, value)
        for name, value in fence.variables()
    ]
    arguments = [
        DeclareLaunchArgument(
            parameter.name,
            default_value=str(parameter.default).lower()
            if isinstance(parameter.default, bool)
            else str(parameter.default),
            description=parameter.description,
            choices=list(parameter.choices) or None,
        )
        for parameter in launch_parameters()
    ]
    return LaunchDescription([*fence_actions, *arguments, OpaqueFunction(function=_nodes)])
