"""The vehicle against physics: statics, energy, oscillation and dimensions, each worked out here from the data sheet.

What is compared is a closed form for a rigid body on linear springs. Tolerances name what the form leaves out.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from acres_ros._record import column
from acres_ros.models.parameters import PARAMETERS
from acres_ros.models.state import VEHICLE
from acres_ros.world import SurfaceClass, World

GRAVITY = 9.80665
MASS = 1318.0
WEIGHT = MASS * GRAVITY
WHEELBASE, AHEAD, HEIGHT, HALF_TRACK = 2.87, 1.243, 0.66, 0.655
BEHIND = WHEELBASE - AHEAD  # of the front axle
RADIUS = 0.343
PITCH_INERTIA = 1450.0
TYRE_RATE = 120e3
FRONT_RATE = 1.0 / (1.0 / 23e3 + 1.0 / TYRE_RATE)  # spring and tyre in series
REAR_RATE = 1.0 / (1.0 / 31e3 + 1.0 / TYRE_RATE)
CENTRES_BELOW = HEIGHT - RADIUS + WEIGHT / 4.0 / TYRE_RATE  # wheel centres below the centre of mass, mean of the axles
TURF, TWO_WHEEL_DRIVE, AWD = 0, 1, 2
PARK, NEUTRAL, LOW = 1, 3, 5


def surface_of(world: World, **changes: float) -> World:
    """Return a world whose surfaces have other numbers."""
    surfaces = world.ground.surfaces.copy()
    for name, value in changes.items():
        surfaces[name] = value
    return dataclasses.replace(world, ground=world.ground._replace(surfaces=surfaces))


def plane(east: float = 0.0, north: float = 0.0, **changes: float) -> World:
    """Return an asphalt plane with slopes to the east and to the north."""
    corners = np.array(
        [[-500.0 * (east + north), 500.0 * (east - north)], [500.0 * (north - east), 500.0 * (east + north)]]
    )
    world = World.height_field(corners, x0=-500.0, y0=-500.0, cell=1000.0, surface="asphalt")
    return surface_of(world, **changes)


def rolling_radius(vehicle) -> float:
    return RADIUS * float(vehicle.p.tyre.rolling_factor)


def rolling_mass(vehicle) -> float:
    """Return the mass that a free-rolling vehicle accelerates: its own and the spin of four wheels."""
    return MASS + 4.0 * 1.35 / rolling_radius(vehicle) ** 2


@pytest.mark.parametrize(("surface", "speed"), [("asphalt", 6.0), ("gravel", 6.0), ("gravel", 12.0)])
def test_coasting_goes_as_far_as_the_motion_lasts(make_vehicle, surface, speed):
    vehicle = make_vehicle(World.flat(surface=surface))
    vehicle.reset(speed=speed, gear=NEUTRAL)
    start = float(vehicle.body.x)
    while vehicle.forward_speed > 0.01:
        vehicle.run(0.25)
    resistance = float(vehicle.world.ground.surfaces["resistance"][SurfaceClass[surface.upper()]]) * WEIGHT
    air = 0.5 * 1.2 * 1.6
    # m v dv/dx = -(F + k v^2).
    expected = rolling_mass(vehicle) / (2.0 * air) * math.log(1.0 + air * speed**2 / resistance)
    assert vehicle.body.x - start == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("steering_deg", [60.0, -120.0])
def test_an_open_axle_drives_the_circle_of_the_bicycle_model(make_vehicle, steering_deg):
    vehicle = make_vehicle()
    vehicle.reset(speed=1.2, drive_mode=TURF)
    vehicle.driver(throttle_pct=18.0, steering_deg=12.5 + steering_deg)
    vehicle.run(4.0)
    points, turned, last = [], 0.0, vehicle.yaw
    while abs(turned) < 2.0 * math.pi:
        vehicle.run(0.1)
        turned += (vehicle.yaw - last + math.pi) % (2.0 * math.pi) - math.pi
        last = vehicle.yaw
        points.append((vehicle.body.x - AHEAD * math.cos(last), vehicle.body.y - AHEAD * math.sin(last)))
    rear = np.array(points)
    diameter = 2.0 * WHEELBASE / math.tan(math.radians(abs(steering_deg)) / 11.76)
    spans = rear.max(axis=0) - rear.min(axis=0)
    assert spans == pytest.approx([diameter, diameter], rel=0.02)  # the tyres' slip angles
    assert np.hypot(*(rear[-1] - rear[0])) < 0.01 * diameter + 0.2  # one sample is 0.15 m


@pytest.mark.parametrize("lateral_factor", [0.9, 1.28, 1.8])
def test_the_locked_axle_takes_yaw_by_the_law_of_linear_tyres(make_vehicle, lateral_factor):
    gain = {}
    for mode in (TURF, TWO_WHEEL_DRIVE):
        vehicle = make_vehicle(tyre__lateral_factor=lateral_factor)
        vehicle.reset(speed=1.2, drive_mode=mode)
        vehicle.driver(throttle_pct=18.0, steering_deg=52.5)
        vehicle.run(5.0)
        gain[mode] = vehicle.body.wz / vehicle.forward_speed
    # Stiffness by load: the moment of two wheels at t that slip by t / R, against the side force of the front axle.
    expected = 1.0 / (1.0 + lateral_factor * (HALF_TRACK / WHEELBASE) ** 2 * (1.0 + BEHIND / AHEAD))
    assert gain[TWO_WHEEL_DRIVE] / gain[TURF] == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("grade", [-0.25, 0.1, 0.25])
def test_a_grade_moves_load_by_the_height_of_the_mass(make_vehicle, grade):
    vehicle = make_vehicle(plane(east=grade))
    vehicle.reset(gear=PARK)
    vehicle.driver(brake_bar=80.0)
    vehicle.run(5.0)
    angle = math.atan(grade)
    moved = WEIGHT * math.sin(angle) * HEIGHT / WHEELBASE
    # The body pitches by the moved load over the springs, and the mass goes with it.
    pitch = moved / 2.0 * (1.0 / FRONT_RATE + 1.0 / REAR_RATE) / WHEELBASE
    moved += WEIGHT * math.cos(angle) * CENTRES_BELOW * pitch / WHEELBASE
    front = WEIGHT * math.cos(angle) * AHEAD / WHEELBASE - moved
    assert vehicle.wheels["load"][:2].sum() == pytest.approx(front, abs=0.03 * abs(moved))
    assert vehicle.wheels["load"].sum() == pytest.approx(WEIGHT * math.cos(angle), rel=1e-3)


def side_load(side_force_height: float, normal: float) -> float:
    """Return the load that goes from one side to the other under a side force times its height, with body roll."""
    stiffness = HALF_TRACK * (FRONT_RATE + REAR_RATE)
    return side_force_height / (2.0 * HALF_TRACK - normal * CENTRES_BELOW / stiffness)


@pytest.mark.parametrize("bank", [-0.2, 0.1, 0.3])
def test_a_bank_moves_load_to_the_lower_side(make_vehicle, bank):
    vehicle = make_vehicle(plane(north=bank))
    vehicle.reset(gear=PARK)
    vehicle.driver(brake_bar=80.0)
    vehicle.run(5.0)
    angle = math.atan(bank)
    moved = side_load(WEIGHT * math.sin(angle) * HEIGHT, WEIGHT * math.cos(angle))
    lower = vehicle.wheels["load"][[1, 3]].sum() - 0.5 * WEIGHT * math.cos(angle)
    assert lower == pytest.approx(moved, rel=0.04)


def test_a_turn_moves_load_to_the_outer_side(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=6.0, drive_mode=TURF)
    vehicle.driver(throttle_pct=30.0, steering_deg=112.5)
    vehicle.run(4.0)
    side_force = MASS * vehicle.forward_speed * vehicle.body.wz
    assert side_force > 0.2 * WEIGHT
    outer = vehicle.wheels["load"][[1, 3]].sum() - 0.5 * WEIGHT
    assert outer == pytest.approx(side_load(side_force * HEIGHT, WEIGHT), rel=0.05)


def test_a_launch_moves_load_to_the_rear(make_vehicle):
    vehicle = make_vehicle()
    vehicle.reset(speed=2.0, drive_mode=TWO_WHEEL_DRIVE)
    vehicle.driver(throttle_pct=60.0)
    vehicle.run(2.0)
    acceleration = []
    rear = []
    for _ in range(60):
        vehicle.run(1.0 / 120.0)
        acceleration.append(float(vehicle.body.ax))
        rear.append(float(vehicle.wheels["load"][2:].sum()))
    moved = MASS * np.mean(acceleration) * HEIGHT / WHEELBASE
    assert np.mean(acceleration) > 1.0
    assert np.mean(rear) - WEIGHT * BEHIND / WHEELBASE == pytest.approx(moved, rel=0.08)


def heave(angle: float) -> float:
    """Return by how much the springs lift the body off a bank that carries less of its weight, m."""
    return 0.5 * WEIGHT * (1.0 - math.cos(angle)) / (FRONT_RATE + REAR_RATE)


def tips(make_vehicle, bank: float) -> bool:
    """Return whether a vehicle across a bank falls over its lower wheels; grip and dampers keep it from else moving."""
    vehicle = make_vehicle(
        plane(north=math.tan(bank), friction=5.0),
        suspension__front__damping=15e3, suspension__rear__damping=15e3, tyre__damping=15e3,
    )  # fmt: skip
    vehicle.reset(gear=PARK)
    vehicle.body.z += (HEIGHT + heave(bank)) / math.cos(bank) - HEIGHT  # the reset measures the height upright
    vehicle.driver(brake_bar=80.0)
    vehicle.run(12.0)
    return float(vehicle.up) < math.cos(bank) - 0.3


def test_it_tips_where_the_mass_stands_over_the_lower_wheels(make_vehicle):
    # At the limit the lower wheels carry all: roll by half the weight over the springs of one side.
    limit = math.atan(HALF_TRACK / HEIGHT)
    for _ in range(50):
        roll = 0.5 * WEIGHT * math.cos(limit) / (HALF_TRACK * (FRONT_RATE + REAR_RATE))
        aside = HALF_TRACK * math.cos(roll) - CENTRES_BELOW * math.sin(roll)
        limit = math.atan(aside / (HEIGHT + heave(limit)))
    assert math.radians(38.0) < limit < math.atan(HALF_TRACK / HEIGHT) - math.radians(3.0)
    assert not tips(make_vehicle, limit - math.radians(2.0))
    assert tips(make_vehicle, limit + math.radians(2.0))


def climb_limit(mode: int, friction: float, resistance: float) -> float:
    """Return the grade at which the tyres' grip ends: of four wheels, or of the rear ones that also push the front."""
    if mode == AWD:
        return friction
    driven = friction * BEHIND / WHEELBASE - resistance * AHEAD / WHEELBASE
    return driven / (1.0 - (friction + resistance) * HEIGHT / WHEELBASE)


@pytest.mark.parametrize("mode", [TWO_WHEEL_DRIVE, AWD])
def test_it_climbs_what_the_grip_allows(make_vehicle, mode):
    friction, resistance = 0.35, 0.02
    limit = climb_limit(mode, friction, resistance)
    speeds = []
    for share in (0.9, 1.1):
        vehicle = make_vehicle(plane(east=share * limit, friction=friction, resistance=resistance))
        vehicle.reset(speed=2.0, drive_mode=mode)
        vehicle.driver(throttle_pct=60.0)
        vehicle.run(10.0)
        speeds.append(vehicle.forward_speed)
    assert speeds[0] > 2.0
    assert speeds[1] < 0.0


def test_the_brake_holds_up_to_its_torque_and_no_further(make_vehicle):
    angle = math.atan(0.1)
    rolling = 0.02 * WEIGHT * math.cos(angle)
    pull = WEIGHT * math.sin(angle) - rolling
    for share in (0.8, 1.25):
        vehicle = make_vehicle(plane(east=0.1))
        radius = rolling_radius(vehicle)
        vehicle.reset(gear=NEUTRAL)
        vehicle.driver(brake_bar=share * pull * radius / 50.0)  # two front wheels 15 and two rear 10 N m/bar
        vehicle.run(2.0)
        before = vehicle.forward_speed
        vehicle.run(4.0)
        gained = before - vehicle.forward_speed
        if share < 1.0:
            assert gained == pytest.approx(4.0 * (1.0 - share) * pull / rolling_mass(vehicle), rel=0.05)
        else:
            # It holds by tanh(spin / 0.1), so it creeps; the tyres' own creep is a tenth of that.
            creep = 0.1 * radius * math.atanh((pull + rolling) / (share * pull + rolling))
            assert abs(gained) < 0.002
            assert -vehicle.forward_speed == pytest.approx(creep, rel=0.1)


@pytest.mark.parametrize("gravity", [5.0, 12.0])
def test_the_ride_height_follows_gravity_by_springs_and_tyres(make_vehicle, gravity):
    vehicle = make_vehicle(mass__gravity=gravity)
    vehicle.driver(brake_bar=20.0)
    vehicle.run(10.0)
    change = MASS * (gravity - GRAVITY)
    front = 0.5 * change * AHEAD / WHEELBASE / FRONT_RATE
    rear = 0.5 * change * BEHIND / WHEELBASE / REAR_RATE
    sag = front * AHEAD / WHEELBASE + rear * BEHIND / WHEELBASE
    assert abs(sag) > 0.02
    assert vehicle.body.z == pytest.approx(HEIGHT - sag, abs=0.01 * abs(sag))


@pytest.mark.parametrize("mode", [0, 1])
def test_heave_and_pitch_swing_at_their_natural_frequencies(make_vehicle, mode):
    world = surface_of(World.flat(surface="asphalt"), resistance=0.0)
    vehicle = make_vehicle(
        world,
        suspension__front__damping=1.0,
        suspension__rear__damping=1.0,
        tyre__damping=1.0,
        mass__angular_damping_per_s=0.0,
    )
    vehicle.reset(gear=NEUTRAL)
    coupling = 2.0 * (REAR_RATE * AHEAD - FRONT_RATE * BEHIND)
    turning = 2.0 * (FRONT_RATE * BEHIND**2 + REAR_RATE * AHEAD**2) - WEIGHT * CENTRES_BELOW
    stiffness = np.array([[2.0 * (FRONT_RATE + REAR_RATE), coupling], [coupling, turning]])
    inertia = np.diag([MASS, PITCH_INERTIA])
    squares, shapes = np.linalg.eig(np.linalg.solve(inertia, stiffness))
    shape = shapes[:, mode] / np.abs(shapes[:, mode]).max()
    vehicle.body.z += 0.01 * shape[0]
    vehicle.body.qy = 0.5 * 0.01 * shape[1]
    rows = np.empty((1200, 2))
    for row in rows:
        row[:] = vehicle.body.z, 2.0 * vehicle.body.qy * vehicle.body.qw
        vehicle.run(1.0 / 120.0)
    swing = (rows - rows.mean(axis=0)) @ inertia @ shape
    ups = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    times = (ups - swing[ups] / (swing[ups + 1] - swing[ups])) / 120.0
    assert len(times) > 8
    frequency = (len(times) - 1) / (times[-1] - times[0])
    assert frequency == pytest.approx(math.sqrt(squares[mode]) / (2.0 * math.pi), rel=0.01)
    assert np.abs(swing[-120:]).max() > 0.8 * np.abs(swing[:120]).max()  # the scheme takes next to nothing


def test_in_the_air_it_is_a_stone(make_vehicle):
    vehicle = make_vehicle(aero__drag_area=0.0)
    vehicle.reset(speed=8.0, gear=NEUTRAL)
    vehicle.body.z += 6.0
    vehicle.body.vy, vehicle.body.vz = 1.0, 3.0
    vehicle.body.wx, vehicle.body.wy, vehicle.body.wz = 0.3, -0.2, 0.4
    x, y, z = (float(vehicle.body[name]) for name in "xyz")
    vehicle.driver(throttle_pct=80.0, steering_deg=300.0, brake_bar=10.0)
    vehicle.run(1.0)
    assert vehicle.wheels["load"].max() == 0.0
    assert vehicle.body.x - x == pytest.approx(8.0, rel=1e-9)
    assert vehicle.body.y - y == pytest.approx(1.0, rel=1e-9)
    # Semi-implicit Euler is half a step of the speed below the parabola.
    assert vehicle.body.z - z == pytest.approx(3.0 - 0.5 * GRAVITY - 0.5 * GRAVITY / 120.0, rel=1e-9)
    assert vehicle.body.wx / 0.3 == pytest.approx(math.exp(-0.08), rel=1e-4)
    assert vehicle.body.wz / 0.4 == pytest.approx(math.exp(-0.08), rel=1e-4)


def test_the_contacts_give_the_momentum(make_vehicle):
    heights = np.random.default_rng(5).normal(0.0, 0.03, (200, 200))
    vehicle = make_vehicle(
        World.height_field(heights, x0=-50.0, y0=-50.0, cell=0.5, surface="asphalt"), aero__drag_area=0.0
    )
    vehicle.reset(speed=4.0)
    vehicle.driver(throttle_pct=30.0, steering_deg=100.0)
    for _ in range(360):
        before = np.array([vehicle.body.vx, vehicle.body.vy, vehicle.body.vz])
        vehicle.run(1.0 / 120.0)
        wheels = vehicle.wheels
        normal = np.stack([wheels["normal_x"], wheels["normal_y"], wheels["normal_z"]], axis=1)
        heading = np.stack([wheels["heading_x"], wheels["heading_y"], wheels["heading_z"]], axis=1)
        force = wheels["load"][:, None] * normal + wheels["force_x"][:, None] * heading
        force += wheels["force_y"][:, None] * np.cross(normal, heading)
        change = np.array([vehicle.body.vx, vehicle.body.vy, vehicle.body.vz]) - before
        impulse = (force.sum(axis=0) - [0.0, 0.0, WEIGHT]) / 120.0
        assert MASS * change == pytest.approx(impulse, abs=1e-9 * WEIGHT)


UNITS = {
    "m": (0, 1), "kg": (1, 0), "N": (1, 1), "Pa": (1, -1), "kPa": (1, -1), "J": (1, 2), "W": (1, 2), "km": (0, 1),
    "mm": (0, 1), "s": (0, 0), "ms": (0, 0), "h": (0, 0), "Hz": (0, 0), "rad": (0, 0), "deg": (0, 0), "rpm": (0, 0),
    "bar": (0, 0), "%": (0, 0), "-": (0, 0), "1": (0, 0), "per": (0, 0), "use": (0, 0),
}  # fmt: skip
"""Powers of mass and length in a unit. Brake pressure, and what a delay line holds, are signals without a scale."""


def powers(unit: str) -> tuple[int, int]:
    """Return the powers of mass and length of a unit such as `kg m^2/s` or `1/(m/s)`."""
    over, _, under = unit.partition("/")
    mass, length = powers(under.removeprefix("(").removesuffix(")")) if under else (0, 0)
    mass, length = -mass, -length
    for word in over.split():
        name, _, power = word.partition("^")
        mass += int(power or 1) * UNITS[name][0]
        length += int(power or 1) * UNITS[name][1]
    return mass, length


def scale(record, rows: np.ndarray, mass: float, length: float) -> None:
    """Multiply every number of some records by the scales of its unit."""
    for key, field in record.leaves():
        if field.kind is float:
            a, b = powers(field.unit)
            column(rows, key)[...] *= mass**a * length**b


def test_twice_the_mass_and_four_times_the_size_drive_alike(make_vehicle):
    """Every number of the state has the scales of its unit after a drive, so every formula has the right dimensions."""
    small, large = make_vehicle(), make_vehicle()
    scale(PARAMETERS, large.parameters, 2.0, 4.0)
    surfaces = large.world.ground.surfaces.copy()
    surfaces["cohesion"] *= 8.0
    surfaces["shear_modulus"] *= 4.0
    surfaces["relaxation"] *= 4.0
    large.world = dataclasses.replace(large.world, ground=large.world.ground._replace(surfaces=surfaces))
    for vehicle, size in ((small, 1.0), (large, 4.0)):
        vehicle.reset(1.5 * size, -0.5 * size, 0.3, speed=3.0 * size)
        for throttle, brake, steering in ((35.0, 0.0, 80.0), (0.0, 20.0, 80.0), (50.0, 0.0, -200.0)):
            vehicle.driver(throttle_pct=throttle, brake_bar=brake, steering_deg=steering)
            vehicle.run(2.0)
    expected = small.vehicles.copy()
    scale(VEHICLE, expected, 2.0, 4.0)
    assert abs(small.yaw - 0.3) > 0.05
    for key, field in VEHICLE.leaves():
        got = column(large.vehicles, key)
        assert got == pytest.approx(column(expected, key), rel=1e-9, abs=1e-9), f"{key}, {field.unit}"
