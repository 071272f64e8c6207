"""The launcher `./acres`: its choice of a ROS 2, and what is sourced before it."""

from __future__ import annotations

import pytest
from launcher_rig import EXIT_MACHINE, Machine


def test_a_sourced_ros_is_used_without_the_wheels(machine: Machine) -> None:
    ros = machine.installed_ros()
    machine.run("test", **ros)
    venv, packages, *beside, verb = machine.calls()
    (dev,) = [call for call in beside if call.startswith("pip ")]
    assert venv == f"venv --system-site-packages {machine.root}/.venv-system"
    assert "requirements/runtime.txt" in packages and "ros.txt" not in packages and "constraints-ros" not in packages
    assert "numpy.txt" in packages and "numpy.txt" in dev and "requirements/dev.txt" in dev
    assert (machine.root / ".venv-system/.acres/numpy.txt").read_text() == "numpy==1.26.4\n"
    assert (sorted({*beside} - {dev}), verb) == (["compile", "interfaces"], "verb test")
    environment = machine.verb_environment()
    assert environment["PYTHONPATH"] == ros["PYTHONPATH"]
    assert environment["LD_LIBRARY_PATH"] == ros["LD_LIBRARY_PATH"]
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv-system:{ros['AMENT_PREFIX_PATH']}"
    assert environment["ACRES_ROS"] == "system"
    assert not (machine.root / ".venv").exists()


def test_the_wheels_beside_a_sourced_ros_see_nothing_of_it(machine: Machine) -> None:
    machine.run("--ros", "wheels", "up", **machine.installed_ros(), _ROS_WHEELS_BOOTSTRAP_COMPLETE="1")
    venv, packages, *_ = machine.calls()
    assert venv == f"venv {machine.root}/.venv"
    assert "requirements/ros.txt" in packages and "constraints-ros.txt" in packages
    environment = machine.verb_environment()
    assert environment["PYTHONPATH"] == "/my/modules"
    assert environment["LD_LIBRARY_PATH"] == "/my/libraries"
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv"
    assert "ROS_DISTRO" not in environment and "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in environment


def test_an_environment_of_the_wheels_stays_when_a_ros_is_sourced_beside_it(machine: Machine) -> None:
    machine.run("up")
    machine.calls()
    machine.run("--ros", "wheels", "up", **machine.installed_ros())
    machine.run("up")
    assert machine.calls() == ["verb up", "verb up"]


def test_an_older_ros_is_refused(machine: Machine) -> None:
    said = machine.run("up", code=EXIT_MACHINE, **(machine.installed_ros() | {"ROS_DISTRO": "humble"}))
    assert "humble is sourced, but Jazzy is wanted: use ./acres --ros wheels up" in said
    assert machine.calls() == []


@pytest.mark.parametrize("distribution", ["kilted", "rolling"])
def test_a_newer_ros_is_used_only_when_it_is_asked_for(machine: Machine, distribution: str) -> None:
    ros = machine.installed_ros() | {"ROS_DISTRO": distribution}
    said = machine.run("up", code=EXIT_MACHINE, **ros)
    assert f"{distribution} is sourced, but only Jazzy is tested: use ./acres --ros wheels up, or ./acres --ros" in said
    assert machine.calls() == []
    machine.run("--ros", "system", "up", **ros)
    assert machine.names()[-1] == "verb"
    # What a launcher starts has been asked for already.
    machine.run("up", ACRES_ROS=machine.verb_environment()["ACRES_ROS"], **ros)
    assert machine.names() == ["verb"]


def test_a_workspace_on_top_of_the_wheels_stays(machine: Machine) -> None:
    workspace = {"AMENT_PREFIX_PATH": "/ws/install/mine", "PYTHONPATH": "/ws/install/mine/lib/python3.11/site-packages"}
    machine.run("up", **workspace)
    environment = machine.verb_environment()
    assert environment["AMENT_PREFIX_PATH"] == f"{machine.root}/.venv:/ws/install/mine"
    assert environment["PYTHONPATH"] == workspace["PYTHONPATH"]


def test_a_launcher_inside_a_launcher_changes_nothing(machine: Machine) -> None:
    machine.run("up")
    first = machine.verb_environment()
    machine.calls()
    machine.run("up", AMENT_PREFIX_PATH=first["AMENT_PREFIX_PATH"], ACRES_ROS=first["ACRES_ROS"])
    assert machine.names() == ["verb"]
    assert machine.verb_environment()["AMENT_PREFIX_PATH"] == first["AMENT_PREFIX_PATH"]
