"""Drive the vehicle model by drive-by-wire messages and keep a trace of every step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from acres_ros._compiled import resolved
from acres_ros.core.farm import FarmState
from acres_ros.models import polaris
from acres_ros.models.dbw.codes import GEAR_LOW, STEERING_ANGLE, ULC_VELOCITY
from acres_ros.models.dbw.command import COMMAND
from acres_ros.models.state import VEHICLE
from acres_ros.tools.validate.trace import COLUMNS, write_row
from acres_ros.world import Place, World

CHUNK_STEPS = 60
"""Steps between two looks whether the tables of the marks have room."""


@dataclass(frozen=True)
class Trace:
    """What happened, one row a step, after the step.

    Attributes:
        x, y: base_footprint, m.
        yaw: heading, rad.
        speed: forward speed of the body, m/s.
        wheel_speed: v_w of the drive-by-wire, m/s.
        fuel: fuel energy since the start, J.
        path: length driven by the centre of mass, m.
        road_wheel: bicycle angle, rad.
        throttle: pedal that the drive-by-wire gives, %.
        brake: brake pressure, bar.
        engine_speed: crankshaft, rad/s.
        belt_ratio: engine over secondary.
        residual: what the energy ledger of the step leaves open, J.
        throughput: sum of the magnitudes of the step's amounts of energy, J.
        scheme: work of the discrete scheme in the step, J.
        command: speed that the ULC was told, m/s.
        vehicle: state at the end.
        farm: marks and soil water at the end.
    """

    x: np.ndarray
    y: np.ndarray
    yaw: np.ndarray
    speed: np.ndarray
    wheel_speed: np.ndarray
    fuel: np.ndarray
    path: np.ndarray
    road_wheel: np.ndarray
    throttle: np.ndarray
    brake: np.ndarray
    engine_speed: np.ndarray
    belt_ratio: np.ndarray
    residual: np.ndarray
    throughput: np.ndarray
    scheme: np.ndarray
    command: float
    vehicle: np.record
    farm: FarmState

    def at(self, name: str, time: float) -> float:
        """Return a column after `time` seconds."""
        return float(getattr(self, name)[round(time * 120.0) - 1])

    @property
    def time(self) -> np.ndarray:
        """Return the time of each row since the start, s."""
        return np.arange(1, len(self.x) + 1) / 120.0


def drive(
    world: World,
    parameters: np.ndarray,
    start: Place,
    seconds: float,
    *,
    speed: float,
    start_speed: float = 0.0,
    steering_type: int = STEERING_ANGLE,
    steering: float | Callable[[float], float] | None = None,
    period: int = 6,
) -> Trace:
    """Drive with the ULC from rest in gear L and return the trace.

    Args:
        world: where.
        parameters: one PARAMETERS record.
        start: pose of base_footprint.
        seconds: how long.
        speed: speed command of the ULC, m/s.
        start_speed: forward speed at the start, m/s.
        steering_type: 2 angle in deg, 3 curvature in 1/m.
        steering: value, or value over time in s; None is the straight-ahead angle.
        period: steps between two messages.
    """
    record = polaris.plain(parameters)
    vehicles, commands = VEHICLE.new(1).view(np.ndarray), COMMAND.new(1).view(np.ndarray)
    command, state = commands[0], FarmState(world.ground)
    polaris.reset(vehicles, record, world.ground, 0, start.x, start.y, start.yaw, start_speed, True, GEAR_LOW)
    if steering is None:
        steering = float(record["steering"]["center_deg"][0])
    command.system_enable, command.gear, command.driver.gear = 1, GEAR_LOW, GEAR_LOW
    command.steering.enable, command.steering.type = 1, steering_type
    command.ulc.enable, command.ulc.type, command.ulc.value = 1, ULC_VELOCITY, speed
    count = round(seconds * 120.0)
    values = np.array([steering(step / 120.0) if callable(steering) else steering for step in range(count)])
    rows = np.empty((count, len(COLUMNS)))
    angle, fresh = commands["steering"]["value"], (commands["steering"]["fresh"], commands["ulc"]["fresh"])
    farm = state.farm
    step = resolved(polaris.step_entry, vehicles, commands, record, world.ground, farm, 0)
    write = resolved(write_row, vehicles, rows, 0)
    for index in range(count):
        if index % CHUNK_STEPS == 0:
            farm = state.ensure_room(CHUNK_STEPS)
        arrived = index % period == 0
        if arrived:
            angle[0] = values[index]
        for flag in fresh:
            flag[0] = arrived
        step(vehicles, commands, record, world.ground, farm, 0)
        write(vehicles, rows, index)
    return _trace(rows, float(record["geometry"]["mass_ahead_m"][0]), speed, vehicles[0], state)


def _trace(rows: np.ndarray, ahead: float, command: float, vehicle: np.record, farm: FarmState) -> Trace:
    column = dict(zip(COLUMNS, rows.T, strict=True))
    w, qx, qy, qz = (column.pop(name) for name in ("qw", "qx", "qy", "qz"))
    vx, vy, vz = (column.pop(name) for name in ("vx", "vy", "vz"))
    forward_x = 1.0 - 2.0 * (qy * qy + qz * qz)
    forward_y = 2.0 * (qx * qy + w * qz)
    forward_z = 2.0 * (qx * qz - w * qy)
    return Trace(
        x=column.pop("x") - ahead * forward_x,
        y=column.pop("y") - ahead * forward_y,
        yaw=np.unwrap(np.arctan2(forward_y, forward_x)),
        speed=vx * forward_x + vy * forward_y + vz * forward_z,
        path=np.cumsum(np.hypot(vx, vy)) / 120.0,
        **column,
        command=command,
        vehicle=vehicle,
        farm=farm,
    )


def sine(center_deg: float, amplitude_deg: float, period: float) -> Callable[[float], float]:
    """Return a steering wheel angle in deg that swings about the centre."""
    return lambda time: center_deg + amplitude_deg * math.sin(2.0 * math.pi * time / period)
