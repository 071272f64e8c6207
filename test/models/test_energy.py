"""The energy ledger: it closes in each step of any drive, and what its columns say is right.

A step's residual is compared with the sum of the magnitudes of its amounts. The engine always turns, so a step moves
10 J and more, and no absolute floor is needed. The bound of the tests is a thousandth of the one that is asked (1e-6).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_collision import wall_world

from acres_ros.models import polaris
from acres_ros.models.energy.contact_work import euler_excess
from acres_ros.models.state import LOSSES, WHEEL
from acres_ros.world import SurfaceClass, World, load_world

GRAVITY = 9.80665
MASS = 1318.0
AHEAD = 1.243
SURFACE_NAMES = [surface.name.lower() for surface in SurfaceClass]
CLOSED = 1.0e-9
SIGNED = {"slip_loss", "soil_loss", "scheme_loss"}
"""Columns that may be below 0 in a step: a sheared contact and an unloaded soil give something back."""

HEAT = [field.name for field in LOSSES if field.name not in SIGNED]


def steps(vehicle, seconds: float) -> np.ndarray:
    """Run and return the FLOW record of each step."""
    count = round(seconds * 120.0)
    vehicles, commands, parameters = (
        polaris.plain(array) for array in (vehicle.vehicles, vehicle.commands, vehicle.parameters)
    )
    flows = np.empty(count, vehicles.dtype["flow"]).view(np.ndarray)
    farm = vehicle.farm_state.ensure_room(count)
    for index in range(count):
        polaris.step_entry(vehicles, commands, parameters, vehicle.world.ground, farm, 0)
        flows[index] = vehicles["flow"][0]
    return flows


def assert_closed(flows: np.ndarray) -> None:
    """Check that every step closes, moves energy, and makes no heat below zero."""
    assert flows["throughput"].min() > 1.0
    assert np.max(np.abs(flows["residual"]) / flows["throughput"]) < CLOSED
    for name in (*HEAT, "fuel", "starter"):
        assert flows[name].min() >= 0.0, name


def rough_ground(sigma: float, cell: float, *, seed: int = 7, surface: str = "grass") -> World:
    """Return a plane with independent random corner heights."""
    heights = np.random.default_rng(seed).normal(0.0, sigma, (400, 400))
    return World.height_field(heights, x0=-200.0 * cell, y0=-200.0 * cell, cell=cell, surface=surface)


GROUNDS = {
    **{f"flat {name}": World.flat(surface=name) for name in SURFACE_NAMES},
    "rough": rough_ground(0.03, 0.5),
    "hills": rough_ground(1.0, 8.0, surface="mud"),
    "rocks": rough_ground(0.25, 1.5, surface="field"),
    "wall": wall_world(12.0),
}

action = st.tuples(
    st.sampled_from([0.0, 20.0, 45.0, 100.0]),
    st.sampled_from([0.0, 0.0, 5.0, 80.0]),
    st.floats(-487.0, 487.0),
    st.integers(1, 5),
    st.integers(0, 2),
)


@given(
    st.lists(action, min_size=1, max_size=4),
    st.sampled_from(sorted(GROUNDS)),
    st.floats(-15.0, 25.0),
    st.floats(-3.2, 3.2),
    st.booleans(),
    st.sampled_from([0.0, 0.0, 0.9, 1.6, 3.1]),
    st.floats(-6.0, 6.0),
    st.floats(-3.0, 3.0),
    st.sampled_from([None, None, 25.0, 600.0]),
    st.sampled_from([0.0, 1.0]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_step_of_any_drive_closes(
    make_vehicle, actions, ground, speed, yaw, settled, roll, sideways, turning, engine_speed, wet
):
    """Pedals, wheel, gears, drive modes, every surface, hills, rocks, a wall, water, drops, roll-overs, slides."""
    vehicle = make_vehicle(GROUNDS[ground], collision__stop=1)
    vehicle.farm.conditions["surface_film"] = vehicle.farm.conditions["global_fraction"] = wet
    vehicle.reset(yaw=yaw, speed=speed, settled=settled)
    vehicle.body.vx -= sideways * math.sin(yaw)
    vehicle.body.vy += sideways * math.cos(yaw)
    vehicle.body.wx, vehicle.body.wz = 0.5 * turning, turning
    if roll:
        vehicle.body.qw, vehicle.body.qx = math.cos(roll / 2.0), math.sin(roll / 2.0)
        vehicle.body.qy = vehicle.body.qz = 0.0
        vehicle.body.z += 1.0
    if engine_speed is not None:
        vehicle.state.powertrain.engine_speed = engine_speed
    vehicle.run(1.0 / 120.0)  # the ledger of this step carries what was changed by hand
    for throttle, brake, steering, gear, mode in actions:
        vehicle.driver(throttle_pct=throttle, brake_bar=brake, steering_deg=steering, gear=gear)
        vehicle.command.drive_mode = mode
        assert_closed(steps(vehicle, 1.5))


def test_the_first_step_closes_too(make_vehicle):
    for settled in (False, True):
        vehicle = make_vehicle(GROUNDS["rough"])
        vehicle.reset(speed=5.0, settled=settled)
        assert_closed(steps(vehicle, 1.0 / 120.0))


def test_the_sums_are_the_steps_and_close_after_an_hour(make_vehicle):
    vehicle = make_vehicle(GROUNDS["rough"])
    vehicle.reset(speed=2.0)
    vehicle.driver(throttle_pct=25.0, steering_deg=150.0)
    before = vehicle.vehicles["energy"].copy()
    flows = steps(vehicle, 5.0)
    energy = vehicle.state.energy
    for name in ("fuel", "starter", *(field.name for field in LOSSES)):
        assert energy[name] - before[name][0] == pytest.approx(flows[name].sum(), rel=1e-12, abs=1e-12), name
    vehicle.run(3600.0)
    assert_closed(steps(vehicle, 2.0))
    taken = sum(energy[field.name] for field in LOSSES) + energy.kinetic + energy.potential
    assert energy.fuel > 1e7
    assert abs(energy.initial + energy.fuel + energy.starter - taken) < CLOSED * energy.fuel
    assert abs(energy.residual) < CLOSED * energy.fuel


def test_a_stop_turns_the_motion_into_the_heat_of_brakes_tyres_and_air(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=15.0, gear=3)
    radius = 0.343 * float(vehicle.p.tyre.rolling_factor)
    motion = 0.5 * MASS * 15.0**2 + 4.0 * 0.5 * 1.35 * (15.0 / radius) ** 2
    vehicle.driver(brake_bar=30.0)
    flows = steps(vehicle, 8.0)
    assert abs(vehicle.forward_speed) < 0.01
    heat = sum(flows[name].sum() for name in ("brake_loss", "rolling_loss", "slip_loss", "aero_loss"))
    assert heat == pytest.approx(motion, rel=0.01)  # the springs and dampers of the nod take the rest
    path = vehicle.body.x - 1.243
    assert flows["rolling_loss"].sum() == pytest.approx(0.02 * MASS * GRAVITY * path, rel=0.05)


def test_the_heat_of_the_air_is_its_force_along_the_way(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=20.0, gear=3)
    expected, start = 0.0, vehicle.vehicles["energy"]["aero_loss"][0]
    for _ in range(120):
        expected += 0.5 * 1.2 * 1.6 * vehicle.forward_speed**3 / 120.0
        vehicle.run(1.0 / 120.0)
    assert vehicle.state.energy.aero_loss - start == pytest.approx(expected, rel=1e-3)


def test_a_fall_turns_height_into_motion(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(settled=False, gear=3)
    energy = vehicle.state.energy
    before = (float(energy.kinetic), float(energy.potential), float(vehicle.body.z))
    vehicle.run(0.1)
    inertia = float(vehicle.p.engine.inertia)
    engine = 0.5 * inertia * vehicle.state.powertrain.engine_speed**2
    idle = 0.5 * inertia * (1200.0 * math.pi / 30.0) ** 2
    gained = energy.kinetic - engine - (before[0] - idle)
    assert gained == pytest.approx(0.5 * MASS * (GRAVITY * 0.1) ** 2, rel=1e-4)
    assert before[1] - energy.potential == pytest.approx(gained, rel=2e-3)  # hanging springs and air take a little
    # The height of the ledger is that of half a step ago.
    fallen = before[2] - vehicle.body.z
    assert before[1] - energy.potential == pytest.approx(
        MASS * GRAVITY * (fallen - 0.5 * 0.1 * GRAVITY / 120.0), rel=2e-3
    )


def test_a_drop_ends_as_heat_of_the_dampers(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(settled=False, gear=1)
    energy = vehicle.state.energy
    rates = {0: (23e3, 2799.0, 0.12), 1: (31e3, 3664.0, 0.11)}
    # Hanging wheels: from full droop to the static travel 0, and the tyre from round to its static deflection.
    springs = sum(2.0 * (load * droop - 0.5 * rate * droop**2) for rate, load, droop in rates.values())
    hanging = sum(2.0 * 0.5 * load**2 / 120e3 for _, load, _ in rates.values())
    vehicle.run(12.0)
    expected = MASS * GRAVITY * 0.2 - springs - hanging
    assert energy.suspension_loss == pytest.approx(expected, rel=0.02)
    assert abs(energy.scheme_loss) < 0.02 * expected


def test_the_starter_lifts_an_engine_that_is_too_slow(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(gear=3)
    vehicle.state.powertrain.engine_speed = 20.0
    vehicle.run(1.0 / 120.0)
    floor = 380.0 * math.pi / 30.0
    assert vehicle.state.powertrain.engine_speed == pytest.approx(floor)
    torque = vehicle.state.powertrain.engine_torque
    lifted = 0.5 * float(vehicle.p.engine.inertia) * (floor**2 - 20.0**2) - torque * 0.5 * (floor + 20.0) / 120.0
    assert vehicle.state.flow.starter == pytest.approx(lifted, rel=1e-9)
    vehicle.run(2.0)
    assert vehicle.state.flow.starter == 0.0


@pytest.mark.parametrize(("ground", "mean_share", "worst_share"), [("flat gravel", 1e-5, 0.01), ("rough", 0.005, 0.2)])
def test_the_work_of_the_scheme_is_small_and_does_not_grow(make_vehicle, ground, mean_share, worst_share):
    vehicle = make_vehicle(GROUNDS[ground])
    vehicle.reset(speed=3.0)
    vehicle.driver(throttle_pct=25.0, steering_deg=80.0)
    vehicle.run(1.0 / 120.0)  # the wheels find the ground that they were put on
    halves = [steps(vehicle, 30.0) for _ in range(2)]
    for half in halves:
        assert abs(half["scheme_loss"].sum()) < mean_share * half["fuel"].sum()
        assert np.max(np.abs(half["scheme_loss"]) / half["throughput"]) < worst_share
    first, second = (np.abs(half["scheme_loss"]).mean() for half in halves)
    assert second < 2.0 * first + 1e-3


def test_the_heat_of_the_water_is_its_drag_along_the_way(make_vehicle):
    vehicle = make_vehicle()
    vehicle.farm.conditions["surface_film"] = 1.0
    vehicle.reset(speed=10.0, gear=3)
    flows = steps(vehicle, 1.0)
    # 1/2 rho 0.7 b 5 mm v^2 on two tyres of 0.23 m and two of 0.28 m; the speed hardly changes in the second.
    mean = 0.5 * (10.0 + vehicle.forward_speed)
    expected = 0.5 * 1000.0 * 0.7 * 2.0 * (0.23 + 0.28) * 0.005 * mean**3
    assert flows["water_loss"].sum() == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("speed", [2.0, -2.0, 7.0])
def test_crushed_crop_takes_its_work(make_vehicle, speed):
    world = load_world("farm")
    place = world.place("field-24")
    vehicle = make_vehicle(world)
    gear = 5 if speed > 0.0 else 2
    vehicle.reset(place.x, place.y, place.yaw, speed=speed, gear=gear)
    vehicle.driver(throttle_pct=35.0, gear=gear)
    flows = steps(vehicle, 5.0)
    assert_closed(flows)
    path = math.hypot(
        vehicle.body.x - AHEAD * math.cos(vehicle.yaw) - place.x,
        vehicle.body.y - AHEAD * math.sin(vehicle.yaw) - place.y,
    )
    # The work of an area over the body's width of 1.6 m; samples of 1/3 m at its edges belong to it or not.
    taken = flows["crop_loss"].sum() + vehicle.state.crop_work
    assert path > 5.0
    assert taken == pytest.approx(float(vehicle.p.crop.work_j_per_m2) * 1.6 * path, rel=0.15)


def test_a_wheel_that_sinks_gives_its_load_times_its_way_to_the_soil(make_vehicle):
    vehicle = make_vehicle(GROUNDS["flat mud"])
    vehicle.reset(gear=1)
    flows = steps(vehicle, 20.0)
    wheels = vehicle.wheels
    assert wheels["sinkage"].min() > 0.005
    assert flows["soil_loss"].sum() == pytest.approx(float((wheels["load"] * wheels["sinkage"]).sum()), rel=0.05)


@given(st.integers(0, 3), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.0, 0.2), st.floats(0.0, 0.2))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_backward_euler_takes_from_convex_springs(make_vehicle, index, before, travel, deflected, deflection):
    """Force at the end times change, less the change of the stored energy, here by its definition."""
    rate, static_load, jounce, droop = (23e3, 2799.0, 0.16, 0.12) if index < 2 else (31e3, 3664.0, 0.14, 0.11)

    def stretch(x):
        return max(0.0, x - jounce) + min(0.0, x + droop)

    def stored(x):
        return static_load * x + 0.5 * rate * x * x + 0.5 * 150e3 * stretch(x) ** 2

    wheel = WHEEL.new(1)[0]
    wheel.travel, wheel.deflection = travel, deflection
    expected = (static_load + rate * travel + 150e3 * stretch(travel)) * (travel - before)
    expected -= stored(travel) - stored(before)
    if deflection > 0.0:
        expected += 120e3 * deflection * (deflection - deflected) - 0.5 * 120e3 * (deflection**2 - deflected**2)
    excess = euler_excess(make_vehicle().p, index, travel - before, deflection - deflected, wheel)
    assert excess >= 0.0
    assert excess == pytest.approx(expected, abs=1e-8)


def test_who_rolls_against_the_gear_turns_belt_and_gears_from_the_wheels(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=-3.0)
    vehicle.driver(throttle_pct=50.0)
    p = vehicle.p
    efficiency = float(p.cvt.efficiency * p.gearbox.efficiency)
    against = 0
    for _ in range(120):
        vehicle.run(1.0 / 120.0)
        powertrain, flow = vehicle.state.powertrain, vehicle.state.flow
        assert min(flow.engine_loss, flow.cvt_loss, flow.driveline_loss) >= 0.0
        if powertrain.clutch_torque > 0.0 and vehicle.wheels["spin"].max() < 0.0:
            against += 1
            ratio = powertrain.gear_ratio * powertrain.cvt_ratio
            assert powertrain.axle_torque == pytest.approx(ratio * powertrain.clutch_torque / efficiency)
    assert against > 20
    energy = vehicle.state.energy
    assert abs(energy.residual) < CLOSED * energy.fuel
