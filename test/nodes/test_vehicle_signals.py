"""The signals of the vehicle's own bus against the state that they come from, message by message, in both profiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from pyproj import Transformer
from scipy.spatial.transform import Rotation
from vehicle_rig import Recorder, exact, published

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.world import load_world

NAN = math.nan


SECONDS = 6
STEPS = 120 * SECONDS
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
Expected = Callable[[np.recarray, int], Mapping[str, float]]


@pytest.fixture(scope="module", params=["H", "R"])
def driven(request: pytest.FixtureRequest) -> np.recarray:
    """Return the samples of a drive on the yard, forward or in reverse: off in a bend, then brakes on."""
    world = load_world("yard")
    garage = world.place("spawn-icsc-garage")
    start = Start(x=garage.x, y=garage.y, yaw=garage.yaw, gear=request.param)
    environment = Environment(world, load_parameters(), start, navigation=exact().navigation)
    environment.post(m.Enable())
    speed = 3.0 if request.param == "H" else -3.0
    rows = []
    for tenth in range(10 * SECONDS):
        environment.post(m.SteeringCmd(cmd=150.0, cmd_type=2, enable=True))
        environment.post(m.UlcCmd(cmd=speed if tenth < 40 else 0.0, cmd_type=1, enable=True))
        rows.append(environment.step(12))
    return np.concatenate(rows).view(np.recarray)


@pytest.fixture(scope="module")
def recorders(driven: np.recarray) -> Mapping[str, Recorder]:
    """Return what is published of the drive, by sensors that tell the truth at once: by profile, and roughly."""
    return {
        "acres": published(driven, sensors=exact()),
        "vehicle": published(driven, sensors=exact(), profile="vehicle"),
        "rough": published(driven, sensors=exact(), profile="vehicle", can_resolution=True),
    }


def by_corner(values: Any) -> dict[str, float]:
    return dict(zip(CORNERS, values, strict=True))


def wheel_speeds(rows: np.recarray, k: int) -> Mapping[str, float]:
    return by_corner(rows.vehicle.wheel.spin[k])


def wheel_positions(rows: np.recarray, k: int) -> Mapping[str, float]:
    """96 counts a turn, whole ones downward, of the integral of the spin."""
    turned = rows.vehicle.wheel.spin[: k + 1].sum(axis=0) / 120.0
    return by_corner(np.floor(96.0 * turned / (2.0 * math.pi)).astype(np.int64).astype(np.int16))


def steering_info(rows: np.recarray, k: int) -> Mapping[str, float]:
    steering = rows.vehicle.dbw.steering
    return {
        "angle_rate": (steering.angle_deg[k] - steering.angle_deg[k - 1]) * 120.0,
        "angle_cmd_rate": steering.reference_rate_deg[k] if steering.type[k] else NAN,
        "actuator_current": NAN,
        "override_torque_filtered": NAN,
        "override_torque_threshold": NAN,
    }


def throttle_info(rows: np.recarray, k: int) -> Mapping[str, float]:
    vehicle = rows.vehicle
    rpm = vehicle.powertrain.engine_speed[k] * 60.0 / (2.0 * math.pi)
    pedal = vehicle.dbw.throttle.output_pct[k]
    return {"accel_pedal_pc": pedal, "engine_rpm": rpm, "engine_throttle_valve_pc": NAN, "accel_pedal_qf.value": 0}


def brake_info(rows: np.recarray, k: int) -> Mapping[str, float]:
    brake, all_wheels = rows.vehicle.dbw.brake, 2 * 15.0 + 2 * 10.0  # N m/bar
    return {
        "brake_torque_pedal": brake.input_bar[k] * all_wheels,
        "brake_torque_request": brake.command_bar[k] * all_wheels,
        "brake_torque_actual": brake.output_bar[k] * all_wheels,
        "brake_vacuum": NAN,
        "brake_pedal_qf.value": 0,
    }


def propulsion_info(rows: np.recarray, k: int) -> Mapping[str, float]:
    powertrain = rows.vehicle.powertrain
    return {
        "engine_torque_actual": powertrain.engine_torque[k],
        "transmission_ratio": powertrain.cvt_ratio[k],
        "engine_torque_request": NAN,
        "propulsion_torque_request": NAN,
        "propulsion_torque_actual": NAN,
        "gear_num_actual.value": 0,
    }


def fuel_level(rows: np.recarray, k: int) -> Mapping[str, float]:
    """A full tank of 43.5 L less what the energy account has as fuel, at 32.2 MJ/L."""
    litres = rows.vehicle.energy.fuel[k] / 32.2e6
    return {"fuel_level": 100.0 * (43.5 - litres) / 43.5, "fuel_range": NAN, "odometer": NAN}


def tire_pressures(rows: np.recarray, k: int) -> Mapping[str, float]:
    return {**by_corner((83.0, 83.0, 97.0, 97.0)), "spare": NAN}


def imu_data_raw(rows: np.recarray, k: int) -> Mapping[str, float]:
    """The unit is at the centre of mass: no lever arm; gravity is 9.80665 m/s^2 up in the world."""
    body = rows.vehicle.body[k]
    turn = Rotation.from_quat([body.qx, body.qy, body.qz, body.qw]).inv()
    force = turn.apply([0.0, 0.0, 9.80665]) + [body.ax, body.ay, body.az]
    rate = turn.apply([body.wx, body.wy, body.wz])
    found = {f"linear_acceleration.{axis}": value for axis, value in zip("xyz", force, strict=True)}
    found |= {f"angular_velocity.{axis}": value for axis, value in zip("xyz", rate, strict=True)}
    return found | {"orientation.w": 1.0}


def gps_fix(rows: np.recarray, k: int) -> Mapping[str, float]:
    """The antenna is 1.29 m above the centre of mass; zone 16 of WGS 84 is EPSG 32616."""
    body = rows.vehicle.body[k]
    up = Rotation.from_quat([body.qx, body.qy, body.qz, body.qw]).apply([0.0, 0.0, 1.95 - 0.66])
    east, north = Transformer.from_crs(4326, 32616, always_xy=True).transform(-86.99, 40.47)
    to_degrees = Transformer.from_crs(32616, 4326, always_xy=True)
    longitude, latitude = to_degrees.transform(east + body.x + up[0], north + body.y + up[1])
    altitude = 181.0 + body.z + up[2]
    return {"latitude": latitude, "longitude": longitude, "altitude": altitude, "status.status": 0, "status.service": 1}


class Signal(NamedTuple):
    """Rates in Hz, what the fields hold, how near (absolute), and the resolution of the CAN signals by field."""

    acres_hz: int
    vehicle_hz: int
    expected: Expected
    within: float = 0.0
    resolution: Mapping[str, float] = {}


SIGNALS = {
    "wheel_speeds": Signal(20, 100, wheel_speeds, 0.0, dict.fromkeys(CORNERS, 0.01)),
    "wheel_positions": Signal(20, 50, wheel_positions, 1.0),
    "steering/info": Signal(20, 2, steering_info, 0.0, {"angle_rate": 1.0, "angle_cmd_rate": 1.0}),
    "throttle/info": Signal(20, 100, throttle_info, 0.0, {"accel_pedal_pc": 0.025, "engine_rpm": 0.25}),
    "brake/info": Signal(
        20, 100, brake_info, 0.0, {f"brake_torque_{part}": 4.0 for part in ("pedal", "request", "actual")}
    ),
    "propulsion/info": Signal(
        20, 50, propulsion_info, 0.0, {"engine_torque_actual": 0.25, "transmission_ratio": 0.01}
    ),
    "fuel_level": Signal(2, 2, fuel_level),
    "tire_pressures": Signal(2, 2, tire_pressures),
    "imu/data_raw": Signal(
        100, 100, imu_data_raw, 1e-9,
        {f"linear_acceleration.{a}": 0.01 for a in "xyz"} | {f"angular_velocity.{a}": 0.0002 for a in "xyz"},
    ),
    "gps/fix": Signal(1, 1, gps_fix, 1e-8),
}  # fmt: skip


def value_of(message: Any, path: str) -> float:
    for name in path.split("."):
        message = getattr(message, name)
    return float(message)


@pytest.mark.parametrize("profile", ["acres", "vehicle"])
@pytest.mark.parametrize("key", SIGNALS)
def test_every_message_holds_the_state_of_its_step(
    key: str, profile: str, driven: np.recarray, recorders: Mapping[str, Recorder]
) -> None:
    signal = SIGNALS[key]
    hz = signal.acres_hz if profile == "acres" else signal.vehicle_hz
    messages = list(recorders[profile].messages(key))
    due = [-(-120 * j // hz) for j in range(1, STEPS * hz // 120 + 1)]  # the first step not before j / hz
    found = [round(120 * (item.header.stamp.sec + 1e-9 * item.header.stamp.nanosec)) for item in messages]
    assert found == due
    for message, step in zip(messages, due, strict=True):
        for path, wanted in signal.expected(driven, step - 1).items():
            given = value_of(message, path)
            assert given == pytest.approx(wanted, rel=1e-6, abs=signal.within, nan_ok=True), (step, path)


@pytest.mark.parametrize("key", [key for key, signal in SIGNALS.items() if signal.resolution])
def test_can_resolution_gives_the_nearest_step_of_the_signal(key: str, recorders: Mapping[str, Recorder]) -> None:
    steps = SIGNALS[key].resolution
    for before, after in zip(recorders["vehicle"].messages(key), recorders["rough"].messages(key), strict=True):
        for path, step in steps.items():
            given, wanted = value_of(after, path), value_of(before, path)
            if math.isnan(wanted):
                assert math.isnan(given)
            else:
                assert abs(given - wanted) <= 0.5 * step + 1e-6 * abs(wanted), path
                assert given / step == pytest.approx(round(given / step), abs=1e-3), path


def test_the_drives_show_what_the_signals_are_about(driven: np.recarray, recorders: Mapping[str, Recorder]) -> None:
    """Forward spins are positive and counts rise; in reverse both have the other sign."""
    sign = 1.0 if driven.vehicle.dbw.gear.engaged[0] == 4 else -1.0
    recorder = recorders["vehicle"]
    speeds, positions = list(recorder.messages("wheel_speeds")), list(recorder.messages("wheel_positions"))
    assert sign * np.mean([message.rear_left for message in speeds]) > 2.0
    turns = driven.vehicle.wheel.spin[:, 2].sum() / 120.0 / (2.0 * math.pi)
    assert positions[-1].rear_left == pytest.approx(96.0 * turns, abs=1.0)
    assert sign * positions[-1].rear_left > 200
    assert max(message.brake_torque_actual for message in recorder.messages("brake/info")) > 100.0
    levels = [message.fuel_level for message in recorder.messages("fuel_level")]
    assert levels == sorted(levels, reverse=True) and 99.9 < levels[-1] < levels[0] < 100.0
