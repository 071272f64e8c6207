"""The force of the crop on the body: as much work as the crop takes, against the motion, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from crop_worlds import crop_world

from acres_ros.models import polaris


def drive(vehicle, seconds: float) -> np.ndarray:
    """Run and return the record of the vehicle after each step."""
    rows = []
    for _ in range(round(seconds * 120.0)):
        polaris.step(vehicle.vehicles, vehicle.commands, vehicle.parameters, vehicle.world.ground, vehicle.farm, 0)
        rows.append(vehicle.vehicles[0].copy())
    return np.array(rows, vehicle.vehicles.dtype).view(np.ndarray)


@pytest.mark.parametrize("growth", [0.25, 1.0])
def test_the_force_does_the_work_that_the_crushed_crop_takes(make_vehicle, growth: float) -> None:
    vehicle = make_vehicle(crop_world(growth=growth))
    vehicle.reset(-30.0, speed=2.5)
    vehicle.driver(throttle_pct=44.0)
    rows = drive(vehicle, 6.0)
    work = float(vehicle.p.crop.work_j_per_m2)
    taken = work * growth * rows["crushed"][1:].sum()
    left = rows["crop_work"][-1]
    speed = np.hypot(rows["body"]["vx"], rows["body"]["vy"])
    by_distance = float(np.sum(rows["crop_force"] * speed) / 120.0)
    assert rows["body"]["x"][-1] - rows["body"]["x"][0] > 10.0
    assert rows["energy"]["crop_loss"][-1] + left == pytest.approx(taken, rel=1e-6)
    assert by_distance + left == pytest.approx(taken, rel=0.01)
    # Five samples, 5/3 m, are reached at a time.
    assert np.mean(rows["crop_force"][240:]) == pytest.approx(work * growth * 5.0 / 3.0, rel=0.05)
    assert np.max(np.abs(rows["flow"]["residual"]) / rows["flow"]["throughput"]) < 1.0e-9


@pytest.mark.parametrize("speed", [4.0, -4.0])
def test_crop_slows_a_rolling_vehicle_by_its_force(make_vehicle, speed: float) -> None:
    speeds = []
    for height in (2.4, 0.0):
        vehicle = make_vehicle(crop_world(height=height))
        vehicle.reset(speed=speed, gear=3)
        rows = drive(vehicle, 1.0)
        speeds.append(vehicle.forward_speed)
        if height > 0.0:
            lost = float(rows["crop_force"].sum()) / 120.0 / 1318.0
    assert abs(speeds[0]) < abs(speeds[1]) < abs(speed)
    assert abs(speeds[1]) - abs(speeds[0]) == pytest.approx(lost, rel=0.15)


def test_crop_that_the_body_passes_over_does_not_hold_it(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world(height=0.32))
    vehicle.reset(speed=3.0)
    rows = drive(vehicle, 1.0)
    assert rows["crushed"].sum() > 1.0
    assert rows["crop_force"].max() == rows["crop_work"].max() == 0.0


def test_a_vehicle_put_into_crop_stands_as_on_bare_soil(make_vehicle) -> None:
    standing = []
    for height in (2.4, 0.0):
        vehicle = make_vehicle(crop_world(height=height))
        vehicle.driver(brake_bar=40.0, gear=1)
        vehicle.run(1.0)
        standing.append(vehicle.body.tobytes())
        assert (vehicle.farm_state.crushed_m2 > 5.0) is (height > 0.0)
        assert vehicle.state.crop_work == 0.0
    assert standing[0] == standing[1]


def test_work_that_waits_does_not_push_a_standing_vehicle(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world(half=4, height=0.0))
    vehicle.driver(brake_bar=40.0, gear=1)
    vehicle.run(2.0)
    place = vehicle.body.copy()
    vehicle.state.crop_work = 2000.0
    vehicle.run(2.0)
    vehicle.assert_finite()
    assert np.hypot(vehicle.body.x - place.x, vehicle.body.y - place.y) < 1.0e-4
    assert 0.0 <= vehicle.state.crop_force < 1.0
    vehicle.body.vx = vehicle.body.vy = vehicle.body.vz = vehicle.body.wx = vehicle.body.wy = vehicle.body.wz = 0.0
    one = drive(vehicle, 1.0 / 120.0)
    assert one["crop_force"][0] == 0.0
    assert one["flow"]["crop_loss"][0] == 0.0


def test_the_least_work_is_dropped_and_not_spent_for_ever(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world(half=4, height=0.0, surface="asphalt"))
    vehicle.reset(speed=5.0, gear=3)
    vehicle.state.crop_work = 1.0e-5
    rows = drive(vehicle, 1.0)
    assert np.all(np.diff(rows["crop_work"]) <= 0.0)
    assert rows["crop_work"][-1] == 0.0
