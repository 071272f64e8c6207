"""Ruts and crushed crop: what a test of every place would give, whatever the tables."""

from __future__ import annotations

import numpy as np
import pytest
from crop_worlds import EveryPlace, crop_world, mixed_world

from acres_ros._compile import entry
from acres_ros.core import farm as farm_module
from acres_ros.core.farm import FarmState
from acres_ros.models import polaris
from acres_ros.models.ruts import rut_at
from acres_ros.world import World


@entry
def rut_entry(farm, x, y):
    return rut_at(farm, x, y)


def one_step(vehicle) -> None:
    polaris.step(vehicle.vehicles, vehicle.commands, vehicle.parameters, vehicle.world.ground, vehicle.farm, 0)


def marks_of(state: FarmState) -> bytes:
    """Return everything that a farm remembers of a drive, free of the lengths of its tables."""
    account = state.farm.account[0]
    counts = b"".join(account[name].tobytes() for name in ("crushed", "crushed_by_field", "crushed_by_zone"))
    return b"".join(part.tobytes() for part in (*state.ruts(), *state.crushed())) + counts


@pytest.mark.parametrize(("seed", "dense"), [(1, False), (2, False), (3, True)])
def test_marks_are_those_of_a_test_of_every_sample_and_every_cell(make_vehicle, seed: int, dense: bool) -> None:
    world = mixed_world(seed, dense=dense)
    vehicle = make_vehicle(world)
    vehicle.farm_state.farm.conditions["global_fraction"] = 0.9
    every = EveryPlace(world, vehicle.parameters)
    rng = np.random.default_rng(seed)
    for drive in range(3):
        x, y = rng.uniform(-6.0, 6.0, 2)
        yaw, speed = rng.uniform(-3.0, 3.0), (6.0, -2.0, 9.0)[drive]
        polaris.reset(vehicle.vehicles, vehicle.parameters, world.ground, 0, x, y, yaw, speed, True, 4 if drive else 5)
        for step in range(150):
            if step % 30 == 0:
                vehicle.driver(throttle_pct=rng.uniform(20.0, 60.0), steering_deg=rng.uniform(-500.0, 500.0))
            body, work = vehicle.body.copy(), float(vehicle.state.crop_work)
            one_step(vehicle)
            new, growth = every.step(body, vehicle.wheels)
            assert round(9.0 * vehicle.state.crushed) == new
            wanted = work + float(vehicle.p.crop.work_j_per_m2) / 9.0 * growth * (step > 0)
            assert vehicle.state.crop_work + vehicle.state.flow.crop_loss == pytest.approx(wanted, abs=1.0e-5)
    state, patches = vehicle.farm_state, world.ground.patches
    assert every.crushed.sum() > 200
    assert np.count_nonzero(every.ruts) > 40
    bits = (every.crushed << np.arange(9)).sum(axis=1)
    assert np.array_equal(state.farm.masks, bits)
    assert state.crushed_m2 == pytest.approx(every.crushed.sum() / 9.0, rel=1e-12)
    assert np.array_equal(state.farm.account["crushed_by_field"][0], every.by(patches["field"], 256)[:60])
    assert np.array_equal(state.farm.account["crushed_by_zone"][0], every.by(every.zone(), 8))
    cells = np.nonzero(every.ruts)
    x, y, depth = state.ruts()
    assert np.array_equal(x, every.cell_x[cells])
    assert np.array_equal(y, every.cell_y[cells])
    assert np.array_equal(depth, every.ruts[cells])


def test_a_straight_swath_is_five_samples_wide_and_close_to_the_example_of_the_spec(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world())
    vehicle.reset(-30.0, 10.0, speed=2.0)
    vehicle.driver(throttle_pct=42.0)
    while vehicle.body.x - 1.243 < -30.0 + 15.02:
        one_step(vehicle)
    assert abs(vehicle.body.y - 10.0) < 0.1
    rows = np.arange(-60, 60, 1.0 / 3.0)
    first = np.ceil(3.0 * (-30.0 + 1.243 - 1.7))
    last = np.floor(3.0 * float(vehicle.body.x - vehicle.body.vx / 120.0 + 2.1))
    count = 5 * round(last - first + 1.0)
    assert np.count_nonzero(np.abs(rows - 10.0) <= 0.8) == 5
    assert round(9.0 * vehicle.farm_state.crushed_m2) == count
    # Spec, C++ API, FAcresPolaris: 32.11 m^2 after 15.02 m.
    assert vehicle.farm_state.crushed_m2 == pytest.approx(32.11, rel=0.02)
    assert vehicle.farm_state.crushed_by_field_m2[24] == vehicle.farm_state.crushed_m2


def test_crop_is_crushed_once(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world(height=0.3))
    vehicle.reset(speed=3.0)
    vehicle.run(2.0)
    state = vehicle.farm_state
    once, places = state.crushed_m2, [part.tobytes() for part in state.crushed()]
    assert once > 1.0
    polaris.reset(vehicle.vehicles, vehicle.parameters, vehicle.world.ground, 0, 0.0, 0.0, 0.0, 3.0, True, 5)
    vehicle.run(1.0)
    assert state.crushed_m2 == once
    assert [part.tobytes() for part in state.crushed()] == places


def stamp(vehicle, poses) -> bytes:
    """Put the vehicle at poses one after the other, a step at each, and return the marks."""
    vehicle.farm_state.reset()
    for x, y, yaw in poses:
        polaris.reset(vehicle.vehicles, vehicle.parameters, vehicle.world.ground, 0, x, y, yaw, 0.0, True, 5)
        vehicle.vehicles["wheel"]["sinkage"] = 0.004 + 0.001 * abs(x) / 20.0
        one_step(vehicle)
    return marks_of(vehicle.farm_state)


def test_the_order_of_stamps_changes_nothing(make_vehicle) -> None:
    vehicle = make_vehicle(crop_world(height=0.5))
    rng = np.random.default_rng(8)
    poses = [tuple(rng.uniform(-12.0, 12.0, 2)) + (rng.uniform(-3.0, 3.0),) for _ in range(40)]
    forward = stamp(vehicle, poses)
    assert len(vehicle.farm_state.ruts().x) > 150
    assert stamp(vehicle, poses[::-1]) == forward


def test_tables_that_grow_on_the_way_give_the_same_bits_as_tables_that_are_large(make_vehicle, monkeypatch) -> None:
    monkeypatch.setattr(farm_module, "FIRST_PAGES", 2)
    monkeypatch.setattr(farm_module, "STEP_PAGES", 16)  # four for each wheel: enough for one step
    world = World.flat(surface="bare")
    small, large = make_vehicle(world), make_vehicle(world)
    large.farm_state.ensure_room(5000)
    size = large.farm_state.farm.pages.size
    for vehicle in (small, large):
        vehicle.reset(speed=14.0, gear=4)
        vehicle.driver(throttle_pct=60.0, steering_deg=40.0)
    sizes = set()
    for _ in range(1500):
        one_step(small)
        one_step(large)
        sizes.add(small.farm_state.farm.pages.size)
    assert small.vehicles.tobytes() == large.vehicles.tobytes()
    assert marks_of(small.farm_state) == marks_of(large.farm_state)
    assert sizes >= {32, 64}
    assert large.farm_state.farm.pages.size == size
    assert small.farm_state.farm.account["lost"][0] == 0


def test_a_full_table_takes_no_more_and_nothing_is_written_beside_it(make_vehicle) -> None:
    vehicle = make_vehicle(World.flat(surface="mud"))
    vehicle.reset(speed=8.0, gear=4)
    state = vehicle.farm_state
    farm = state.farm
    pages, slots = farm.pages, farm.slots
    small = farm._replace(pages=pages[10:12], slots=slots[20:24])
    polaris.run(vehicle.vehicles, vehicle.commands, vehicle.parameters, vehicle.world.ground, small, 0, 300)
    assert vehicle.body.x > 10.0
    assert farm.account["pages"][0] == 2
    assert farm.account["lost"][0] > 0
    assert pages["ruts"][10:12].any()
    for part in (pages[:10], pages[12:], slots[:20], slots[24:]):
        assert not any(part.tobytes())


@pytest.mark.parametrize("place", [np.nan, np.inf, -np.inf, 1.0e300, -1.0e12, 2.0e6])
@pytest.mark.parametrize("key", ["x", "y"])
def test_what_is_no_place_of_a_farm_leaves_no_mark(make_vehicle, key: str, place: float) -> None:
    vehicle = make_vehicle(crop_world())
    vehicle.vehicles["wheel"]["sinkage"] = 0.005
    vehicle.body[key] = place
    for _ in range(3):
        one_step(vehicle)
    assert vehicle.farm_state.crushed_m2 == 0.0
    assert len(vehicle.farm_state.ruts().x) == 0
    assert rut_entry(vehicle.farm, place, 0.0) == rut_entry(vehicle.farm, 0.0, place) == 0.0
    assert vehicle.farm_state.rut_at(place, 0.0) == vehicle.farm_state.rut_at(0.0, place) == 0.0


def test_ruts_are_found_across_pages_and_on_both_sides_of_zero(make_vehicle) -> None:
    vehicle = make_vehicle(World.flat(surface="bare"))
    vehicle.reset(-20.0, -15.0, 0.7, speed=6.0, gear=4)
    vehicle.driver(throttle_pct=50.0)
    vehicle.run(6.0)
    x, y, depth = vehicle.farm_state.ruts()
    assert x.min() < -8.0 and x.max() > 8.0 and y.min() < -8.0 and y.max() > 8.0
    assert vehicle.farm.account["pages"][0] > 6
    for k in range(len(x)):
        for east, north in ((0.0, 0.0), (-0.125, -0.125), (0.1249, 0.1249)):
            assert rut_entry(vehicle.farm, x[k] + east, y[k] + north) == depth[k]
    known = {(float(a), float(b)): float(d) for a, b, d in zip(x, y, depth, strict=True)}
    for east, north in np.random.default_rng(1).uniform(-30.0, 30.0, (2000, 2)):
        cell = (0.25 * np.floor(4.0 * east) + 0.125, 0.25 * np.floor(4.0 * north) + 0.125)
        wanted = known.get(cell, 0.0)
        assert rut_entry(vehicle.farm, east, north) == vehicle.farm_state.rut_at(east, north) == wanted


def test_hard_ground_and_a_farm_without_marks_keep_nothing_and_drive_the_same(make_vehicle) -> None:
    world = World.flat(surface="gravel")
    drives = []
    for marks in (True, False):
        vehicle = make_vehicle(world)
        vehicle.farm_state = FarmState(world.ground, marks=marks)
        vehicle.reset(speed=3.0)
        vehicle.driver(throttle_pct=40.0, steering_deg=150.0)
        vehicle.run(3.0)
        assert vehicle.farm.account["pages"][0] == 0
        drives.append(vehicle.vehicles.tobytes())
    assert drives[0] == drives[1]


def test_without_marks_crop_and_soil_stay_as_they_were(make_vehicle) -> None:
    world = crop_world()
    vehicle = make_vehicle(world)
    vehicle.farm_state = FarmState(world.ground, marks=False)
    vehicle.reset(speed=3.0)
    vehicle.run(2.0)
    assert vehicle.state.crop_force == vehicle.farm_state.crushed_m2 == 0.0
    assert len(vehicle.farm_state.ruts().x) == len(vehicle.farm_state.crushed().x) == 0
    assert vehicle.farm_state.rut_at(0.0, 0.6) == 0.0
