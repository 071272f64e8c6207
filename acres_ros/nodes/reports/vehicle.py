"""Signals of the vehicle's own bus: speeds, wheels, engine, brake torque, fuel, tyres, IMU and receiver.

Units, signs and what is NaN: Dataspeed `ds_dbw_can` 2.3.11. On this vehicle (platform Ranger XP) the throttle valve,
torque limiting, limp home and propulsion torque have no signal there.
"""

from __future__ import annotations

import math
from typing import Any

from ds_dbw_msgs.msg import (
    BrakeInfo,
    FuelLevel,
    PropulsionInfo,
    SteeringInfo,
    ThrottleInfo,
    TirePressures,
    VehicleVelocity,
    WheelPositions,
    WheelSpeeds,
)
from sensor_msgs.msg import Imu, NavSatFix
from std_msgs.msg import Header

from acres_ros.models.navigation_parameters import NONE
from acres_ros.nodes.navigation import STATUS
from acres_ros.nodes.sample_view import SampleView
from acres_ros.nodes.source import NAN, Context, Source
from acres_ros.world.georeference import Georeference

RPM = 30.0 / math.pi
GASOLINE_J_PER_LITRE = 32.2e6
"""Lower heating value of gasoline per volume: 43.4 MJ/kg times 0.742 kg/L."""

_CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


def vehicle_velocity() -> Source:
    """Return `vehicle_velocity`: the scaled wheel speeds; the gear gives the sign (`dir_src` 1)."""
    kph = 0.01 / 3.6
    return Source(
        "vehicle_velocity",
        VehicleVelocity(dir_src=VehicleVelocity.DIR_PRNDL),
        ("vehicle_velocity_brake", "vehicle_velocity_propulsion"),
        lambda view: (view.dbw.wheel_speed, view.dbw.wheel_speed_rear),
        resolution={"vehicle_velocity_brake": kph, "vehicle_velocity_propulsion": kph},
    )


def wheel_speeds() -> Source:
    """Return `wheel_speeds`: the spin of each wheel, positive forward, without the scale of `vehicle_velocity`."""

    def values(view: SampleView) -> tuple[float, ...]:
        bias = view.wheel_bias
        if not any(bias):  # a sum with 0 would take the sign of -0
            return view.spins
        return tuple(spin + more for spin, more in zip(view.spins, bias, strict=True))

    return Source(
        "wheel_speeds",
        WheelSpeeds(),
        _CORNERS,
        values,
        resolution=dict.fromkeys(_CORNERS, 0.01),
    )


def wheel_positions(context: Context) -> Source:
    """Return `wheel_positions`: whole counts turned since the start, as signed 16-bit numbers that wrap."""
    counts = context.config.constant.wheel_counts_per_turn

    def values(view: SampleView) -> tuple[int, ...]:
        turned = (
            math.floor((turns + rotation / math.tau) * counts)
            for turns, rotation in zip(view.turns, view.rotations, strict=True)
        )
        return tuple((count + 0x8000) % 0x10000 - 0x8000 for count in turned)

    return Source("wheel_positions", WheelPositions(), _CORNERS, values)


def steering_info() -> Source:
    """Return `steering/info`; the rate is NaN in the first step after a start, which has no step before it."""
    return Source(
        "steering/info",
        SteeringInfo(override_torque_filtered=NAN, override_torque_threshold=NAN, actuator_current=NAN),
        ("angle_rate", "angle_cmd_rate"),
        lambda view: (
            view.rates.steering_rate_deg if view.rates.rates_known else NAN,
            view.steering.reference_rate_deg if view.steering.type != 0 else NAN,
        ),
        resolution={"angle_rate": 1.0, "angle_cmd_rate": 1.0},
    )


def throttle_info() -> Source:
    """Return `throttle/info`: the engine sees the emulated pedal."""
    return Source(
        "throttle/info",
        ThrottleInfo(engine_throttle_valve_pc=NAN),
        ("accel_pedal_pc", "engine_rpm"),
        lambda view: (view.throttle.output_pct, view.powertrain.engine_speed * RPM),
        resolution={"accel_pedal_pc": 0.025, "engine_rpm": 0.25},
    )


def brake_info(context: Context) -> Source:
    """Return `brake/info`: pressures times the torque of all four brakes per pressure."""
    brakes = context.parameters[0].brakes
    torque = float(2.0 * (brakes.front_nm_per_bar + brakes.rear_nm_per_bar))
    fields = ("brake_torque_pedal", "brake_torque_request", "brake_torque_actual")
    return Source(
        "brake/info",
        BrakeInfo(brake_vacuum=NAN),
        fields,
        lambda view: (
            view.brake.input_bar * torque,
            view.brake.command_bar * torque,
            view.brake.output_bar * torque,
        ),
        resolution=dict.fromkeys(fields, 4.0),
    )


def propulsion_info() -> Source:
    """Return `propulsion/info`: brake torque of the engine and belt ratio; the request has no model."""
    return Source(
        "propulsion/info",
        PropulsionInfo(propulsion_torque_request=NAN, propulsion_torque_actual=NAN, engine_torque_request=NAN),
        ("engine_torque_actual", "transmission_ratio"),
        lambda view: (view.powertrain.engine_torque, view.powertrain.cvt_ratio),
        resolution={"engine_torque_actual": 0.25, "transmission_ratio": 0.01},
    )


def fuel_level(context: Context) -> Source:
    """Return `fuel_level`: the tank at the start less the fuel that the engine burnt."""
    constant = context.config.constant
    per_joule = 100.0 / (constant.fuel_tank_litre * GASOLINE_J_PER_LITRE)
    start = constant.fuel_start_pct
    return Source(
        "fuel_level",
        FuelLevel(fuel_range=NAN, odometer=NAN),
        ("fuel_level",),
        lambda view: (max(0.0, start - view.energy.fuel * per_joule),),
    )


def tire_pressures(context: Context) -> Source:
    """Return `tire_pressures`: constants of the configuration."""
    pressures = dict(zip(_CORNERS, context.config.constant.tire_pressure_kpa, strict=True))
    return Source("tire_pressures", TirePressures(**pressures, spare=NAN))


def imu_data_raw(context: Context) -> Source:
    """Return `imu/data_raw`: the one drive-by-wire message with a frame id; no attitude, no covariances.

    The real node leaves the covariances at zero, which `sensor_msgs/Imu` defines as unknown.
    """
    template = Imu(header=Header(frame_id=context.config.frames.base_footprint))
    template.orientation_covariance[0] = -1.0
    rates = tuple(f"angular_velocity.{axis}" for axis in "xyz")
    forces = tuple(f"linear_acceleration.{axis}" for axis in "xyz")
    return Source(
        "imu/data_raw",
        template,
        ("angular_velocity", "linear_acceleration"),
        lambda view: view.measured_vehicle_imu,
        resolution=dict.fromkeys(rates, 0.0002) | dict.fromkeys(forces, 0.01),
    )


def gps_fix(context: Context) -> Source:
    """Return `gps/fix`: the vehicle's own receiver, without a covariance; NaN where it has no position."""
    site = Georeference(context.config.origin)

    def values(view: SampleView) -> tuple[Any, ...]:
        state = view.vehicle_fix_state.fix
        place = (NAN, NAN, NAN) if state == NONE else site.geodetic(*view.vehicle_fix)
        return (*STATUS[state], *place)

    varying = ("status.status", "status.service", "latitude", "longitude", "altitude")
    return Source("gps/fix", NavSatFix(), varying, values)
