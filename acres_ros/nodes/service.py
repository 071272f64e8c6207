"""Services of the stand-in, as the tables of the README and the nodes need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from acres_ros.errors import AcresError


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


def answered(act: Callable[[], None], response: Any) -> Any:
    """Return the response after the act: what was wrong with it, or nothing."""
    try:
        act()
        response.success = True
    except AcresError as error:
        response.success, response.message = False, str(error)
    return response
