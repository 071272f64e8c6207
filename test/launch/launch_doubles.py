"""Doubles of the few classes of `launch` and `launch_ros` that the launch file uses; they only keep what they got.

The real ones come with a ROS 2 distribution and are not on the machines that run these tests.
"""

from __future__ import annotations

import sys
from types import ModuleType


class Kept:
    """Keeps its arguments."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.args, self.kwargs = args, kwargs


def _names(*names: str) -> dict[str, type]:
    return {name: type(name, (Kept,), {}) for name in names}


class Configuration(Kept):
    """Resolves to a value of the context, which is a plain mapping here."""

    def perform(self, context: dict[str, str]) -> str:
        return context[self.args[0]]


MODULES = {
    "launch": _names("LaunchDescription"),
    "launch.actions": _names(
        "DeclareLaunchArgument",
        "EmitEvent",
        "OpaqueFunction",
        "RegisterEventHandler",
        "SetEnvironmentVariable",
        "UnsetEnvironmentVariable",
    ),
    "launch.event_handlers": _names("OnProcessExit"),
    "launch.events": _names("Shutdown"),
    "launch.substitutions": {"LaunchConfiguration": Configuration},
    "launch_ros": {},
    "launch_ros.actions": _names("Node"),
}


def modules() -> dict[str, ModuleType]:
    """Return the doubles as modules, by name."""
    made = {}
    for name, content in MODULES.items():
        made[name] = ModuleType(name)
        vars(made[name]).update(content)
    return made


def loaded(path: str) -> ModuleType:
    """Return the launch file as a module that uses the doubles."""
    doubles = modules()
    before = {name: sys.modules.get(name) for name in doubles}
    sys.modules.update(doubles)
    try:
        module = ModuleType("acres_launch")
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), vars(module))
        return module
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
