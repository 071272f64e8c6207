"""Drives with something of everything, and the whole state of an environment as one thing to compare."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from crop_worlds import crop_world

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.gateway import GatewayOptions
from acres_ros.core.parameters import load_parameters
from acres_ros.core.plain_state import to_plain
from acres_ros.core.snapshot import EnvironmentState, Snapshot
from acres_ros.core.start import Start
from acres_ros.world import World
from acres_ros.world.outlines import Outline
from acres_ros.world.scene import Scene
from acres_ros.world.scene_file import Material, SceneFile

ANGLE, VELOCITY, LOW, REVERSE = 2, 1, 5, 2
TABLES = (np.zeros((0, 10)), np.zeros((0, 6)), np.zeros((0, 7)))
NAMES = ("grass", "soil", "asphalt", "gravel", "crop", "vehicle", "rain", "dust", "foliage")


def corn_with_a_post() -> World:
    """Return a field of corn with two posts on the way, which the vehicle touches and goes through."""
    world = crop_world()
    posts = tuple(Outline(f"post {x}", 0.0, 3.0, circle=(float(x), 1.2, 0.3)) for x in (-14, -9))
    materials = tuple(Material(name, 0.3, 0.0) for name in NAMES)
    scene = Scene.build(SceneFile(materials, *TABLES, posts))
    return dataclasses.replace(world, scene=scene, ground=world.ground._replace(obstacles=scene.obstacles))


def environment(world: World, **changes: Any) -> Environment:
    """Return an environment in a world, at rest in L."""
    parts: dict[str, Any] = {"start": Start(x=-20.0, gear="L"), "options": GatewayOptions(), **changes}
    return Environment(world, parts.pop("parameters", load_parameters()), **parts)


def steer(angle_deg: float) -> m.SteeringCmd:
    return m.SteeringCmd(cmd=angle_deg, cmd_type=ANGLE, enable=True)


def speed(value: float, **fields: Any) -> m.UlcCmd:
    return m.UlcCmd(**{"cmd": value, "cmd_type": VELOCITY, "enable": True, **fields})


def drive(vehicle: Environment, steps: int, target: float = 3.0) -> bytes:
    """Drive on with commands that follow from the step count; return the samples and what was said."""
    content = []
    for _ in range(0, steps, 3):
        count = vehicle.step_count
        if count % 2:
            vehicle.post(steer(12.5 + (7 * count) % 90), vehicle.time_s + 0.011)
            vehicle.post(speed(target), vehicle.time_s + 0.018)
        if count % 240 == 0:
            vehicle.post(m.TurnSignalCmd(cmd=count % 3))
        content.append(vehicle.step(3).tobytes())
    return b"".join(content) + repr(vehicle.take_events()).encode()


def start_driving(vehicle: Environment, steps: int = 300) -> None:
    """Enable the system and drive."""
    vehicle.post(m.Enable())
    vehicle.post(m.GearCmd(cmd=LOW))
    drive(vehicle, steps)


def whole(vehicle: Environment) -> dict[str, Any]:
    """Return the whole state in words and bytes."""
    arrays: dict[str, np.ndarray] = {}
    plain = to_plain(EnvironmentState, vehicle.snapshot().environment, arrays, "environment")
    return {"plain": json.dumps(plain)} | {key: array.tobytes() for key, array in arrays.items()}


def changed_file(path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """Return another file of a snapshot after a change of its manifest or its arrays, whole for everything else."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        arrays = {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}
    change(manifest, arrays)
    other = path.with_name("changed.npz")
    with zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in arrays.items():
            archive.writestr(name, content)
    return other


def at(tree: Any, key: str) -> tuple[Any, Any]:
    """Return what holds the value of a dotted key, and its name there."""
    *groups, name = key.split(".")
    for group in groups:
        tree = tree[int(group) if isinstance(tree, list) else group]
    return tree, int(name) if isinstance(tree, list) else name


def reloaded(snapshot: Snapshot, path: Path) -> Snapshot:
    """Return a snapshot that went through a file."""
    snapshot.save(path)
    return Snapshot.load(path)
