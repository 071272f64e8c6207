"""Named places of a world (`places.json`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acres_ros.world.errors import UnknownNameError
from acres_ros.world.json_file import FARTHEST_M, Entry, read_json

SCHEMA = "acres-places-1"
MOST_PLACES = 10_000


@dataclass(frozen=True)
class Place:
    """A named pose of base_footprint.

    Attributes:
        id: what programs call it.
        x: east, m.
        y: north, m.
        yaw: heading, rad, counter-clockwise from east.
        name: what people call it.
    """

    id: str
    x: float
    y: float
    yaw: float
    name: str = ""


def place_named(places: Sequence[Place], name: str) -> Place:
    """Return the place of an id, or else of a name; raise `UnknownNameError`."""
    for key in ("id", "name"):
        for place in places:
            if name and getattr(place, key) == name:
                return place
    raise UnknownNameError("place", name, (place.id for place in places))


def load_places(path: str | Path) -> tuple[Place, ...]:
    """Return the places of a file; the first is where a vehicle starts by default.

    Args:
        path: `places.json`.

    Raises:
        WorldFileError: a file of another form, no place, an id or a name twice.
    """
    entries = read_json(path, SCHEMA).only("schema", "places").member("places")
    places = []
    taken: set[str] = set()
    for entry in entries.elements(most=MOST_PLACES):
        place = _place(entry)
        for key in ("id", "name"):
            text = getattr(place, key)
            if text in taken and not (key == "name" and text == place.id):
                raise entry.member(key).refuse("an id and a name that no other place has")
        taken |= {place.id, place.name}
        places.append(place)
    if not places:
        raise entries.refuse("one place at least")
    return tuple(places)


def _place(entry: Entry) -> Place:
    identifier = entry.only("id", "name", "x", "y", "yaw_deg").member("id").text()
    return Place(
        id=identifier,
        name=entry.member("name", identifier).text(),
        x=entry.member("x").number(-FARTHEST_M, FARTHEST_M),
        y=entry.member("y").number(-FARTHEST_M, FARTHEST_M),
        yaw=math.radians(entry.member("yaw_deg").number(-360.0, 360.0)),
    )
