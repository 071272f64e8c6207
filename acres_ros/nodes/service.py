"""One service of the stand-in, as the tables of the README and the nodes need it."""

from __future__ import annotations

from typing import NamedTuple


class Service(NamedTuple):
    """One service or action.

    Attributes:
        type: ROS type.
        name: full name.
        description: what it does.
    """

    type: type
    name: str
    description: str
