"""What a drive keeps of every step: a row that a compiled function writes."""

from __future__ import annotations

from acres_ros._compile import entry

COLUMNS = (
    "x", "y", "qw", "qx", "qy", "qz", "vx", "vy", "vz",
    "wheel_speed", "fuel", "road_wheel", "throttle", "brake", "engine_speed", "belt_ratio",
    "residual", "throughput", "scheme",
)  # fmt: skip
"""What a row holds: pose, orientation and velocity of the body, then drive-by-wire, powertrain and energy ledger."""


@entry
def write_row(vehicles, rows, index):
    """Write what vehicle 0 is now.

    Args:
        vehicles: VEHICLE records.
        rows: one row of `COLUMNS` a step.
        index: the row that is written.
    """
    vehicle, row = vehicles[0], rows[index]
    body, dbw, powertrain, flow = vehicle.body, vehicle.dbw, vehicle.powertrain, vehicle.flow
    row[0], row[1] = body.x, body.y
    row[2], row[3], row[4], row[5] = body.qw, body.qx, body.qy, body.qz
    row[6], row[7], row[8] = body.vx, body.vy, body.vz
    row[9], row[10], row[11] = dbw.wheel_speed, vehicle.energy.fuel, vehicle.road_wheel
    row[12], row[13] = dbw.throttle.output_pct, dbw.brake.output_bar
    row[14], row[15] = powertrain.engine_speed, powertrain.cvt_ratio
    row[16], row[17], row[18] = flow.residual, flow.throughput, flow.scheme_loss
