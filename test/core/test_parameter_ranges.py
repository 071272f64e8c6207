"""The bounds of each parameter: a vehicle at one of them is driven, and its state stays finite and of its size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acres_ros.core.environment import Environment
from acres_ros.core.messages import Enable, SteeringCmd, UlcCmd
from acres_ros.core.parameter_ranges import RANGES
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start
from acres_ros.models.parameters import PARAMETERS
from acres_ros.world import World

LARGEST = 1000.0
"""Of a position (m), a speed (m/s), a rate of the body or the spin of a wheel (rad/s) in four seconds."""
KINDS = {key: field for key, field in PARAMETERS.leaves() if field.kind is float or key == "mass.occupants"}
BESIDE = {
    "geometry.wheelbase_m": {"geometry.mass_ahead_m": 0.05},
    "geometry.mass_ahead_m": {"geometry.wheelbase_m": 10.0},
    "steering.center_deg": {"dbw.steering.lock_deg": 1.0e4},
    "dbw.steering.lock_deg": {"steering.center_deg": 0.0},
}
"""What has to go with a bound, as one of both limits the other."""


def driven(overrides: dict[str, object]) -> float:
    """Return the largest number of the motion in a drive with bends and a stop, infinite where one is not finite."""
    vehicle = Environment(World.flat(), load_parameters(overrides=overrides), Start(gear="H"))
    vehicle.post(Enable())
    samples = []
    for count in range(40):
        vehicle.post(UlcCmd(cmd_type=1, cmd=5.0 if count < 25 else 0.0, enable=True))
        vehicle.post(SteeringCmd(cmd_type=1, cmd=200.0 * math.sin(count / 3.0), enable=True))
        samples.append(vehicle.step(12)["vehicle"].copy())
    rows = np.concatenate(samples)
    body = [rows["body"][name] for name in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")]
    numbers = np.concatenate([*body, rows["wheel"]["spin"].ravel()])
    return float(np.abs(numbers).max()) if np.isfinite(numbers).all() else math.inf


@pytest.mark.parametrize("key", KINDS)
def test_a_vehicle_at_a_bound_keeps_its_senses(key: str) -> None:
    for bound in (RANGES[key].low, RANGES[key].high):
        field = KINDS[key]
        value = [bound] * field.count if field.count else field.kind(bound)
        assert driven(BESIDE.get(key, {}) | {key: value}) < LARGEST


def test_the_drive_moves() -> None:
    assert driven({}) > 5.0


@pytest.mark.parametrize(
    "others",
    [
        {"geometry.wheelbase_m": 10.0, "mass.pitch_inertia": 50.0},
        {"mass.yaw_inertia": 50.0, "mass.kerb_kg": 2.0e4},
        {"mass.kerb_kg": 50.0, "mass.occupants": 0, "crop.work_j_per_m2": 1.0e5},
    ],
)
def test_the_thickest_air_does_not_throw_a_vehicle_that_is_out_of_hand(others: dict[str, object]) -> None:
    """The drag of a step must not turn the speed around: it would grow by its square from step to step."""
    aero = {f"aero.{name}": RANGES[f"aero.{name}"].high for name in ("air_density", "drag_area")}
    assert driven(aero | others) < math.inf
