"""One vehicle by ROS, below `/acres`, or below `/<agent>/acres` for a further one: reset, switches, parameters."""

from __future__ import annotations

from collections.abc import Callable

from acres_interfaces.srv import ResetVehicle, SetDriveMode, SetHardwareShifts, SetParameters
from rclpy.node import Node

from acres_ros.core import messages
from acres_ros.core.agent import Agent
from acres_ros.core.simulation import Simulation
from acres_ros.core.simulation_state import Scope
from acres_ros.core.start import GEARS, Start
from acres_ros.nodes.farm_control import pairs
from acres_ros.nodes.service import Service, answered, served_below

SERVICES = (
    Service(SetDriveMode, "/acres/set_drive_mode", "AWD switch: awd, 2wd or turf"),
    Service(SetHardwareShifts, "/acres/set_hardware_shifts", "the four hardware shifts of the vehicle"),
    Service(ResetVehicle, "/acres/reset_vehicle", "put the vehicle at a pose or a place; later resets keep it"),
    Service(SetParameters, "/acres/set_parameters", "parameters of the vehicle by key, from its next reset on"),
)
AS_BEFORE = -1
CONDITIONS = ("global_fraction", "surface_film", "rain_mm_per_h", "dust_per_m")
LETTER_OF_GEAR = {number: letter for letter, number in GEARS.items()}


class VehicleControl:
    """The services of one vehicle.

    Args:
        node: the node that serves them.
        simulation: what is controlled.
        agent: which vehicle of it.
        name: below which the services are; empty for the first vehicle.

    Attributes:
        services: what is served.
    """

    def __init__(self, node: Node, simulation: Simulation, agent: Agent, name: str) -> None:
        self._simulation = simulation
        self._agent = agent
        callbacks = {
            "/acres/set_drive_mode": self._set_drive_mode,
            "/acres/set_hardware_shifts": self._set_hardware_shifts,
            "/acres/reset_vehicle": self._reset_vehicle,
            "/acres/set_parameters": self._set_parameters,
        }
        self.services = served_below(node, SERVICES, name, callbacks)

    def _set_drive_mode(self, request: SetDriveMode.Request, response: SetDriveMode.Response) -> SetDriveMode.Response:
        return self._post(lambda: messages.DriveMode(request.drive_mode), "another drive mode", response)

    def _set_hardware_shifts(
        self, request: SetHardwareShifts.Request, response: SetHardwareShifts.Response
    ) -> SetHardwareShifts.Response:
        return self._post(
            lambda: messages.HardwareShifts(
                steering_offset_deg=request.steering_offset_deg,
                ulc_speed_bias_mps=request.ulc_speed_bias_mps,
                throttle_bias_pct=request.throttle_bias_pct,
                brake_bias_bar=request.brake_bias_bar,
            ),
            "other hardware shifts",
            response,
        )

    def _post(
        self, make: Callable[[], messages.Message], wanted: str, response: SetDriveMode.Response
    ) -> SetDriveMode.Response:
        return answered(lambda: self._simulation.post(make(), wanted, self._agent), response)

    def _reset_vehicle(self, request: ResetVehicle.Request, response: ResetVehicle.Response) -> ResetVehicle.Response:
        def act() -> None:
            x, y, yaw = request.x, request.y, request.yaw
            if request.place:
                place = self._simulation.environment.world.place(request.place)
                x, y, yaw = place.x, place.y, place.yaw
            start = Start(
                x=x,
                y=y,
                yaw=yaw,
                speed=request.speed,
                settled=not request.drop,
                gear=LETTER_OF_GEAR.get(request.gear or GEARS["P"], str(request.gear)),
                drive_mode=request.drive_mode or "awd",
            )
            scope = Scope.STATE | Scope.TIME if request.restart_time else Scope.STATE
            self._simulation.reset(
                scope,
                agent=self._agent,
                start=start,
                occupants=None if request.occupants == AS_BEFORE else request.occupants,
                seed=None if request.seed == AS_BEFORE else request.seed,
                conditions={key: value for key in CONDITIONS if (value := getattr(request, key)) != AS_BEFORE},
            )

        return answered(act, response)

    def _set_parameters(
        self, request: SetParameters.Request, response: SetParameters.Response
    ) -> SetParameters.Response:
        def act() -> None:
            overrides = pairs("keys", list(request.keys), "values", list(request.values))
            self._agent.environment.set_parameters(overrides)

        return answered(act, response)
