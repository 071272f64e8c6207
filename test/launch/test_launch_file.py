"""The launch file puts up the fence, declares every parameter and starts the described processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from launch_doubles import Kept, loaded

from acres_ros import fence
from acres_ros.cli.description import launch_parameters
from acres_ros.locations import shared_folder


@pytest.fixture(scope="module")
def actions() -> tuple[object, ...]:
    description = loaded(str(shared_folder("launch") / "acres.launch.py")).generate_launch_description()
    return description.args[0]


def of(actions: tuple[object, ...], name: str) -> list[Kept]:
    return [action for action in actions if type(action).__name__ == name]


def defaults(actions: tuple[object, ...]) -> dict[str, str]:
    return {action.args[0]: action.kwargs["default_value"] for action in of(actions, "DeclareLaunchArgument")}


def test_the_fence_stands_before_anything_else(actions: tuple[object, ...]) -> None:
    wanted = dict(fence.variables())
    count = len(wanted)
    got = {action.args[0]: (action.args[1] if len(action.args) > 1 else None) for action in actions[:count]}
    assert got == wanted
    assert {name for name, value in wanted.items() if value is None} == {
        action.args[0] for action in of(actions[:count], "UnsetEnvironmentVariable")
    }


def test_every_parameter_is_an_argument_with_a_help_text(actions: tuple[object, ...]) -> None:
    declared = of(actions, "DeclareLaunchArgument")
    assert [action.args[0] for action in declared] == [parameter.name for parameter in launch_parameters()]
    assert all(action.kwargs["description"] for action in declared)


def start(actions: tuple[object, ...], **changes: str) -> list[Kept]:
    (opaque,) = of(actions, "OpaqueFunction")
    return opaque.kwargs["function"]({**defaults(actions), **changes})


def test_the_defaults_start_both_nodes_with_the_parameter_file(actions: tuple[object, ...]) -> None:
    nodes = of(start(actions), "Node")
    assert [node.kwargs["executable"] for node in nodes] == ["acres_physics", "acres_vehicle"]
    for node in nodes:
        arguments = node.kwargs["ros_arguments"]
        assert arguments[0] == "--params-file" and Path(arguments[1]).is_file()


def test_when_one_process_ends_everything_ends(actions: tuple[object, ...]) -> None:
    started = start(actions)
    nodes, handlers = of(started, "Node"), of(started, "RegisterEventHandler")
    assert [handler.args[0].kwargs["target_action"] for handler in handlers] == nodes
    for handler in handlers:
        (end,) = handler.args[0].kwargs["on_exit"]
        assert type(end.kwargs["event"]).__name__ == "Shutdown"


def test_arguments_reach_the_nodes(actions: tuple[object, ...]) -> None:
    (process,) = of(start(actions, composed="true", rate="2"), "Node")
    assert "acres_physics:rate:=2.0" in process.kwargs["ros_arguments"]
    assert "acres_physics:composed:=true" in process.kwargs["ros_arguments"]
