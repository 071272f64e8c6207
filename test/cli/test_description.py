"""The one description of the nodes, its parameter file and its parsing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from acres_ros.cli.description import PARAMETER_FILE, TABLES, launch_parameters, parsed, processes
from acres_ros.locations import shared_folder
from acres_ros.nodes.parameter_table import NodeParameter, NodeParameterError, further_agents


def test_the_parameter_file_holds_every_parameter_at_its_default() -> None:
    content = yaml.safe_load((shared_folder("config") / PARAMETER_FILE).read_text())
    assert list(content) == [f"/**/{node}" for node in TABLES]
    for node, table in TABLES.items():
        assert content[f"/**/{node}"] == {"ros__parameters": {p.name: p.default for p in table}}


def test_a_shared_parameter_goes_to_every_node_that_has_it_and_the_others_to_one() -> None:
    physics, vehicle = processes({"agent": "second", "rate": 2.0, "can_resolution": True})
    assert physics.parameters == (("acres_physics", "agent", "second"), ("acres_physics", "rate", 2.0))
    assert vehicle.parameters == (("acres_vehicle", "agent", "second"), ("acres_vehicle", "can_resolution", True))


def test_each_further_agent_has_a_vehicle_node_of_its_own_below_its_name() -> None:
    physics, first, red, blue = processes({"agents": 3, "agent_names": "red,blue", "rate_profile": "vehicle"})
    assert ("acres_physics", "agent_names", "red,blue") in physics.parameters
    assert [process.name for process in (first, red, blue)] == [
        "acres_vehicle",
        "acres_vehicle red",
        "acres_vehicle blue",
    ]
    assert first.ros_arguments(Path("f"))[2:] == ["-p", 'acres_vehicle:rate_profile:="vehicle"']
    assert red.ros_arguments(Path("f"))[2:] == [
        "-r", "__ns:=/red", "-p", 'agent:="red"', "-p", 'rate_profile:="vehicle"',
    ]  # fmt: skip
    assert len(processes({"agents": 3, "composed": True})) == 1


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({}, ()),
        ({"agents": 3}, ("agent_1", "agent_2")),
        ({"agents": 2, "agent": "agent_2"}, ("agent_1",)),
        ({"agents": 3, "agent_names": "b,a"}, ("b", "a")),
    ],
)
def test_the_names_of_further_agents(values: dict[str, object], names: tuple[str, ...]) -> None:
    assert further_agents(values) == names


def test_composed_is_one_process_with_the_parameters_of_both_nodes() -> None:
    (process,) = processes({"composed": True, "can_resolution": True})
    assert ("acres_physics", "composed", True) in process.parameters
    assert ("acres_vehicle", "can_resolution", True) in process.parameters


def test_the_ros_arguments_name_the_file_first_and_quote_text() -> None:
    physics, _ = processes({"world": "flat", "rate": 0.5, "paused": True})
    arguments = physics.ros_arguments(Path("acres.yaml"))
    assert arguments[:2] == ["--params-file", "acres.yaml"]
    values = {argument.partition(":=")[0]: yaml.safe_load(argument.partition(":=")[2]) for argument in arguments[3::2]}
    assert values == {"acres_physics:world": "flat", "acres_physics:rate": 0.5, "acres_physics:paused": True}


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"rate": -1.0}, "rate = -1.0"),
        ({"rate": float("nan")}, "rate = nan"),
        ({"rate": float("inf")}, "rate = inf"),
        ({"gear": "X"}, "gear = 'X'"),
        ({"paused": "yes"}, "paused = 'yes'"),
        ({"occupants": 1.5}, "occupants = 1.5"),
        ({"occupants": 2**63}, f"occupants = {2**63} .*wanted a number of 64 bits"),
        ({"occupants": 10**400}, "occupants = 1000.*wanted a number of 64 bits"),
        ({"rate": 10**400}, "rate = 1000.*wanted a number of 64 bits"),
        ({"agent": "a b"}, "agent = 'a b' .*wanted nothing, or a name"),
        ({"agent": "/a"}, "agent = '/a'"),
        ({"agent": "2nd"}, "agent = '2nd'"),
        ({"agent": "a/b"}, "agent = 'a/b'"),
        ({"agent": "a\n"}, "agent = "),
        ({"agent": "\u00e9"}, "agent = "),
        ({"agent": "a" * 65}, "agent = 'aaa"),
    ],
)
def test_a_value_that_a_parameter_cannot_have_is_refused(values: dict, text: str) -> None:
    with pytest.raises(NodeParameterError, match=text):
        processes(values)


@pytest.mark.parametrize("agent", ["", "a", "_2", "Polaris_2", "a" * 64])
def test_the_name_of_an_agent_is_a_token_of_a_ros_name(agent: str) -> None:
    physics, _ = processes({"agent": agent})
    assert physics.parameters == (("acres_physics", "agent", agent),)


@pytest.mark.parametrize("occupants", [0, 2**63 - 1])
def test_an_integer_of_64_bits_is_taken(occupants: int) -> None:
    physics, _ = processes({"occupants": occupants})
    assert physics.parameters == (("acres_physics", "occupants", occupants),)


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [(False, "true", True), (True, "False", False), (1.0, "2", 2.0), (2, "3", 3), ("a", "b", "b"), ("", "", "")],
)
def test_launch_text_becomes_the_type_of_the_default(default: object, text: str, value: object) -> None:
    got = parsed(NodeParameter("p", default, ""), text)
    assert got == value and type(got) is type(default)


@pytest.mark.parametrize(("default", "text"), [(False, "1"), (1.0, "fast"), (2, "2.5")])
def test_launch_text_that_is_no_value_is_refused(default: object, text: str) -> None:
    with pytest.raises(NodeParameterError, match="p = "):
        parsed(NodeParameter("p", default, ""), text)


def test_each_parameter_that_stays_inside_the_fence_is_declared_once_in_a_launch_file() -> None:
    names = [parameter.name for parameter in launch_parameters()]
    assert len(names) == len(set(names))
    assert {*names, "outside_fence"} == {p.name for table in TABLES.values() for p in table}
    assert "outside_fence" not in names
