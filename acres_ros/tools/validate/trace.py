"""Steps of the vehicle in one compiled loop that writes a row for each: drives of a minute in fractions of a second."""

from __future__ import annotations

from acres_ros._compile import entry
from acres_ros.models.polaris import step_vehicle
from acres_ros.models.timestep import STEP_S

COLUMNS = (
    "x", "y", "qw", "qx", "qy", "qz", "vx", "vy", "vz",
    "wheel_speed", "fuel", "road_wheel", "throttle", "brake", "engine_speed", "belt_ratio",
    "residual", "throughput", "scheme",
)  # fmt: skip
"""What a row holds: pose, orientation and velocity of the body, then drive-by-wire, powertrain and energy ledger."""


@entry
def trace_entry(vehicles, commands, parameters, ground, farm, first, period, steering, rows):
    """Advance vehicle 0 by a step for each row; messages arrive with steering and ULC every `period` steps.

    Args:
        vehicles: VEHICLE records, changed in place.
        commands: COMMAND records; steering value and fresh flags of the first are changed in place.
        parameters: one PARAMETERS record.
        ground: Ground.
        farm: Farm of the environment; its marks are changed in place.
        first: number of the first step.
        period: steps between two messages.
        steering: value of the steering message, one for each row.
        rows: written, one row of `COLUMNS` a step.
    """
    vehicle, command = vehicles[0], commands[0]
    body, dbw, powertrain, flow = vehicle.body, vehicle.dbw, vehicle.powertrain, vehicle.flow
    for index in range(rows.shape[0]):
        fresh = 1 if (first + index) % period == 0 else 0
        if fresh == 1:
            command.steering.value = steering[index]
        command.steering.fresh = fresh
        command.ulc.fresh = fresh
        step_vehicle(STEP_S, command, ground, farm, parameters[0], vehicle)
        row = rows[index]
        row[0], row[1] = body.x, body.y
        row[2], row[3], row[4], row[5] = body.qw, body.qx, body.qy, body.qz
        row[6], row[7], row[8] = body.vx, body.vy, body.vz
        row[9], row[10], row[11] = dbw.wheel_speed, vehicle.energy.fuel, vehicle.road_wheel
        row[12], row[13] = dbw.throttle.output_pct, dbw.brake.output_bar
        row[14], row[15] = powertrain.engine_speed, powertrain.cvt_ratio
        row[16], row[17], row[18] = flow.residual, flow.throughput, flow.scheme_loss
