"""Soil water and the state of the crop by ROS, below `/acres`: what the standard for simulators lacks."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from acres_interfaces.srv import GetFarm, SetConditions
from rclpy.node import Node

from acres_ros.core.simulation import Simulation
from acres_ros.core.weather import wanted_of
from acres_ros.errors import AcresError, shown
from acres_ros.nodes.service import Service, answered, served

SERVICES = (
    Service(
        SetConditions, "/acres/set_conditions", "soil water of all fields or some, film on the surface, rain, dust"
    ),
    Service(GetFarm, "/acres/get_farm", "crop crushed since the last reset, by field and zone; the soil water"),
)


class RequestError(AcresError):
    """A request whose parts do not fit."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} = {shown(given)} is refused: wanted {wanted}")


class FarmControl:
    """The services of one simulation.

    Args:
        node: the node that serves them.
        simulation: what is controlled.
    """

    def __init__(self, node: Node, simulation: Simulation) -> None:
        self._simulation = simulation
        callbacks = {
            "/acres/set_conditions": self._set_conditions,
            "/acres/get_farm": self._get_farm,
        }
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    def _set_conditions(
        self, request: SetConditions.Request, response: SetConditions.Response
    ) -> SetConditions.Response:
        def act() -> None:
            fractions = pairs("fields", list(request.fields), "fractions", list(request.fractions))
            self._simulation.environment.set_conditions(
                global_fraction=_given("global_fraction", request.global_fraction),
                field_fractions=fractions,
                surface_film=_given("surface_film", request.surface_film),
                rain_mm_per_h=_given("rain_mm_per_h", request.rain_mm_per_h, wanted_of("rain_mm_per_h")),
                dust_per_m=_given("dust_per_m", request.dust_per_m, wanted_of("dust_per_m")),
            )

        return answered(lambda: self._simulation.change("other conditions", act), response)

    def _get_farm(self, _: GetFarm.Request, response: GetFarm.Response) -> GetFarm.Response:
        environment = self._simulation.environment
        farm, conditions = environment.farm, environment.conditions[0]
        response.success = True
        response.world = environment.world.name
        response.crushed_m2 = farm.crushed_m2
        response.crushed_by_field = farm.crushed_by_field_m2.tolist()
        response.crushed_by_zone = farm.crushed_by_zone_m2.tolist()
        response.global_fraction = float(conditions["global_fraction"])
        response.field_fractions = conditions["field_fraction"].tolist()
        response.surface_film = float(conditions["surface_film"])
        response.rain_mm_per_h = float(conditions["rain_mm_per_h"])
        response.dust_per_m = float(conditions["dust_per_m"])
        return response


def _given(key: str, value: float, wanted: str = "0 to 1") -> float | None:
    """Return a number of a request, or None where the caller leaves what it stands for."""
    if math.isnan(value) or value == -1.0:
        return None
    if value < 0.0:
        raise RequestError(key, value, f"{wanted}, or -1 to leave it")
    return value


def pairs(of_keys: str, keys: list[Any], of_values: str, values: list[float]) -> dict[Any, float]:
    """Return the values by their keys; each key comes once, and has a value."""
    if len(keys) != len(values):
        raise RequestError(f"the length of {of_values}", len(values), f"{len(keys)}, one for each of {of_keys}")
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise RequestError(of_keys, twice[0], "each once")
    return dict(zip(keys, values, strict=True))
