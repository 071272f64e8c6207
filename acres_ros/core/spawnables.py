"""What can be spawned: vehicles, and simple obstacles with their shapes, sizes and materials.

A resource is an address (`acres://box`), or a small JSON text that says more: `{"kind": "box", "size": [2, 1, 1.5],
"material": "bin"}`, or `{"kind": "polaris", "gear": "L", "drive_mode": "2wd", "occupants": 1}`. Sizes are lengths along
x, y and z of the obstacle, m; it stands upright on the middle of its base.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from acres_ros.core.messages import DRIVE_MODES
from acres_ros.core.parameter_ranges import MOST_OCCUPANTS
from acres_ros.core.start import GEARS
from acres_ros.core.vectors import Vector
from acres_ros.errors import AcresError, shown
from acres_ros.world.outlines import Outline
from acres_ros.world.scene_file import Material

SCHEME = "acres://"
LEAST_M, MOST_M = 0.05, 50.0
"""Of a length."""
MOST_TEXT = 10_000
VEHICLE = "polaris"
VEHICLE_DESCRIPTION = "another drive-by-wire Polaris Ranger, with topics and services of its own below its name"
MATERIALS = (
    Material("building", 0.55, 0.0),
    Material("bin", 0.62, 0.0),
    Material("clothing", 0.5, 0.0),
    Material("paint", 0.4, 0.0),
    Material("straw", 0.5, 0.0),
    Material("plastic", 0.6, 0.0),
)
"""Materials of spawned obstacles where the scene of the world has none of that name. `building`, `bin` and, for
`paint`, `vehicle` are those of the built-in farm; of the others nothing was measured: dry light things at 905 nm."""


class FormatError(AcresError):
    """An address of a kind that is not known."""

    def __init__(self, uri: str) -> None:
        super().__init__(f"uri {shown(uri)} is not supported: wanted {SCHEME} and a name of /get_spawnables")


class NoResourceError(AcresError):
    """Neither an address nor a text."""

    def __init__(self) -> None:
        super().__init__(f"uri and resource_string are empty: wanted {SCHEME} and a name of /get_spawnables")


class UnknownSpawnableError(AcresError):
    """An address that nothing has."""

    def __init__(self, kind: str) -> None:
        names = ", ".join(SCHEME + name for name in (*SPAWNABLES, VEHICLE))
        super().__init__(f"there is no spawnable {shown(kind)}: wanted one of {names}")


class ResourceTextError(AcresError):
    """A text that says nothing that can be spawned."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        where = f"resource_string: {key}" if key else "resource_string"
        super().__init__(f"{where} = {shown(given)} is refused: wanted {wanted}")


class Solids(NamedTuple):
    """Shapes without their material, where the base of the obstacle is the origin and x is forward.

    Attributes:
        triangles: (n, 3, 3), m.
        cylinders: rows x, y, z of the lower end, radius, height, m.
        ellipsoids: rows x, y, z of the centre, half axes, m.
    """

    triangles: np.ndarray
    cylinders: tuple[tuple[float, ...], ...] = ()
    ellipsoids: tuple[tuple[float, ...], ...] = ()


class Spawnable(NamedTuple):
    """A kind of obstacle.

    Attributes:
        description: what it is.
        size: lengths where none are given, m.
        material: where none is given.
        round_plan: whether its plan is a circle, so that x and y are equal.
        solids: returns its shapes for a size.
        human: whether it stands for a person.
    """

    description: str
    size: Vector
    material: str
    round_plan: bool
    solids: Callable[[Vector], Solids]
    human: bool = False


class Resource(NamedTuple):
    """What is to be spawned: a name of `SPAWNABLES`, lengths (m), and the name of a material."""

    kind: str
    size: Vector
    material: str


class VehicleResource(NamedTuple):
    """A vehicle to be spawned, which is as those of the start but for what is given; None: nothing.

    Attributes:
        gear: engaged gear and lever, one of P R N H L.
        drive_mode: awd, 2wd or turf.
        occupants: persons on board.
    """

    gear: str | None = None
    drive_mode: str | None = None
    occupants: int | None = None


_NO_TRIANGLES = np.zeros((0, 3, 3))


def _unit_circle() -> np.ndarray:
    """Return 24 points on the unit circle (24, 2), from square roots alone, so that each machine has the same bits."""
    cosine, sine = 0.25 * (math.sqrt(6.0) + math.sqrt(2.0)), 0.25 * (math.sqrt(6.0) - math.sqrt(2.0))
    points = [(1.0, 0.0)]
    for _ in range(23):
        x, y = points[-1]
        points.append((x * cosine - y * sine, x * sine + y * cosine))
    return np.array(points)


_CIRCLE = _unit_circle()


def _fan(ring: np.ndarray, tip: np.ndarray) -> list[np.ndarray]:
    """Return the triangles between a ring of points and one more."""
    return [np.array([a, b, tip]) for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)]


def _prism(ring: np.ndarray, along: np.ndarray) -> list[np.ndarray]:
    """Return the triangles of a prism: a convex ring (n, 3), moved along a vector."""
    other = ring + along
    sides = []
    for a, b, c, d in zip(ring, np.roll(ring, -1, axis=0), np.roll(other, -1, axis=0), other, strict=True):
        sides += [np.array([a, b, c]), np.array([a, c, d])]
    return [*sides, *_fan(ring, ring.mean(axis=0)), *_fan(other, other.mean(axis=0))]


def _block(length: float, width: float, low: float, high: float) -> list[np.ndarray]:
    x, y = 0.5 * length, 0.5 * width
    return _prism(np.array([(-x, -y, low), (x, -y, low), (x, y, low), (-x, y, low)]), np.array([0.0, 0.0, high - low]))


def _box(size: Vector) -> Solids:
    return Solids(np.array(_block(size[0], size[1], 0.0, size[2])))


def _cylinder(size: Vector) -> Solids:
    return Solids(_NO_TRIANGLES, ((0.0, 0.0, 0.0, 0.5 * size[0], size[2]),))


def _person(size: Vector) -> Solids:
    """Return a trunk as wide as it is told, and a head above it: an eighth of the height (Vitruvius' canon)."""
    head = size[2] / 8.0
    return Solids(
        _NO_TRIANGLES,
        ((0.0, 0.0, 0.0, 0.5 * size[0], size[2] - head),),
        ((0.0, 0.0, size[2] - 0.5 * head, 0.35 * head, 0.35 * head, 0.5 * head),),
    )


def _car(size: Vector) -> Solids:
    """Return a body up to 55 % of the height, and a cabin of half the length on it."""
    length, width, height = size
    return Solids(
        np.array(_block(length, width, 0.0, 0.55 * height) + _block(0.5 * length, width, 0.55 * height, height))
    )


def _bale(size: Vector) -> Solids:
    """Return a lying cylinder, its axis across, as a prism of 24 sides."""
    radius = 0.5 * size[2]
    x, z = radius * _CIRCLE[:, 0], radius + radius * _CIRCLE[:, 1]
    ring = np.column_stack([x, np.full(24, -0.5 * size[1]), z])
    return Solids(np.array(_prism(ring, np.array([0.0, size[1], 0.0]))))


def _cone(size: Vector) -> Solids:
    ring = np.column_stack([0.5 * size[0] * _CIRCLE, np.zeros(24)])
    return Solids(np.array(_fan(ring, np.array([0.0, 0.0, size[2]])) + _fan(ring, np.zeros(3))))


SPAWNABLES = {
    "box": Spawnable("a box", (1.0, 1.0, 1.0), "building", False, _box),
    "cylinder": Spawnable("an upright cylinder, such as a bin or a post", (1.0, 1.0, 1.0), "bin", True, _cylinder),
    "person": Spawnable("a person who stands: a trunk and a head", (0.5, 0.5, 1.75), "clothing", True, _person, True),
    "car": Spawnable("a parked car: a body and a cabin", (4.5, 1.8, 1.5), "paint", False, _car),
    "round_bale": Spawnable("a round bale that lies, its axis across", (1.5, 1.2, 1.5), "straw", False, _bale),
    "cone": Spawnable("a traffic cone", (0.3, 0.3, 0.75), "plastic", True, _cone),
}


def read_resource(uri: str, text: str) -> Resource | VehicleResource:
    """Return what an address and a text ask for; the text says the kind where there is no address.

    Raises:
        NoResourceError, FormatError, UnknownSpawnableError: the address names nothing.
        ResourceTextError: a text that is not right. Materials are looked up where the obstacle is put.
    """
    if not uri and not text:
        raise NoResourceError
    if uri and not uri.startswith(SCHEME):
        raise FormatError(uri)
    given = _members(text) if text else {}
    kind = uri.removeprefix(SCHEME) if uri else given.get("kind")
    if not isinstance(kind, str):
        raise ResourceTextError("kind", kind, f"one of {', '.join((*SPAWNABLES, VEHICLE))}")
    if kind not in SPAWNABLES and kind != VEHICLE:
        raise UnknownSpawnableError(kind)
    if given.get("kind", kind) != kind:
        raise ResourceTextError("kind", given["kind"], f"{kind!r}, as the uri has it, or none")
    known = ("kind", *VehicleResource._fields) if kind == VEHICLE else Resource._fields
    if not given.keys() <= set(known):
        raise ResourceTextError("", given, f"a JSON object with some of {', '.join(known)}")
    return _vehicle(given) if kind == VEHICLE else _obstacle(kind, given)


def _vehicle(given: dict[str, Any]) -> VehicleResource:
    for key, choices in (("gear", GEARS), ("drive_mode", DRIVE_MODES)):
        if key in given and not (isinstance(given[key], str) and given[key] in choices):
            raise ResourceTextError(key, given[key], f"one of {', '.join(choices)}")
    occupants = given.get("occupants", 0)
    if type(occupants) is not int or not 0 <= occupants <= MOST_OCCUPANTS:
        raise ResourceTextError("occupants", occupants, f"a whole number of persons, 0 to {MOST_OCCUPANTS}")
    return VehicleResource(**{key: given[key] for key in VehicleResource._fields if key in given})


def _obstacle(kind: str, given: dict[str, Any]) -> Resource:
    spawnable = SPAWNABLES[kind]
    size = _size(given["size"]) if "size" in given else spawnable.size
    problem = size_problem(kind, size)
    if problem:
        raise ResourceTextError("size", size, problem)
    material = given.get("material", spawnable.material)
    if not isinstance(material, str):
        raise ResourceTextError("material", material, "the name of a material")
    return Resource(kind, size, material)


def size_problem(kind: str, size: Vector) -> str:
    """Return what would be wanted of a size instead; empty where it can be."""
    if not all(LEAST_M <= length <= MOST_M for length in size):
        return f"three lengths from {LEAST_M:g} to {MOST_M:g} m"
    if SPAWNABLES[kind].round_plan and size[0] != size[1]:
        return "x and y equal: its plan is a circle"
    if kind == "round_bale" and size[0] != size[2]:
        return "x and z equal: it is round"
    return ""


def _members(text: str) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise ResourceTextError("", text, f"{MOST_TEXT} characters at most")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise ResourceTextError("", text, "a JSON object") from None
    if not isinstance(given, dict):
        raise ResourceTextError("", given, "a JSON object")
    return given


def _size(given: object) -> Vector:
    if not isinstance(given, list) or len(given) != 3 or not all(type(length) in (int, float) for length in given):
        raise ResourceTextError("size", given, f"three lengths from {LEAST_M:g} to {MOST_M:g} m")
    if not all(-MOST_M <= length <= MOST_M for length in given):
        raise ResourceTextError("size", given, f"three lengths from {LEAST_M:g} to {MOST_M:g} m")
    x, y, z = map(float, given)
    return x, y, z


def outline(name: str, resource: Resource, position: Vector, turn: tuple[float, float]) -> Outline:
    """Return the collision outline of an obstacle, from its base to its top.

    Args:
        name: of the obstacle.
        resource: what it is.
        position: of the middle of its base, world, m.
        turn: cosine and sine of its heading.
    """
    (x, y, z), (length, width, height), (cosine, sine) = position, resource.size, turn
    if SPAWNABLES[resource.kind].round_plan:
        return Outline(name, z, z + height, circle=(x, y, 0.5 * length))
    corners = 0.5 * np.array([(-length, -width), (length, -width), (length, width), (-length, width)])
    plan = np.column_stack(
        [corners[:, 0] * cosine - corners[:, 1] * sine, corners[:, 0] * sine + corners[:, 1] * cosine]
    )
    return Outline(name, z, z + height, polygon=plan + (x, y))
