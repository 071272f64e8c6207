"""The body against obstacles: the flag, and the stop."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from acres_ros.models import polaris
from acres_ros.models.obstacles import OBSTACLE_GRID, OUTLINE, Obstacles
from acres_ros.world import World

FRONT_M = 1.243 + 2.10  # of base_footprint


def wall_world(
    distance: float, *, height: float = 3.0, bottom: float = 0.0, south: float = -10.0, north: float = 10.0
) -> World:
    """Return asphalt with a wall that faces a vehicle at the origin, 1 m thick; by default 20 m wide."""
    grid, outline = OBSTACLE_GRID.new(1).view(np.ndarray), OUTLINE.new(1).view(np.ndarray)
    grid["x0"], grid["y0"], grid["cell"], grid["columns"], grid["rows"] = -100.0, -100.0, 200.0, 1, 1
    outline["count"], outline["z_min"], outline["z_max"] = 4, bottom, height
    outline["west"], outline["east"] = distance, distance + 1.0
    outline["south"], outline["north"] = south, north
    corners = [(distance, south), (distance + 1.0, south), (distance + 1.0, north), (distance, north)]
    obstacles = Obstacles(grid, np.array([0, 1], np.int32), np.zeros(1, np.int32), outline, np.array(corners))
    world = World.flat(surface="asphalt")
    return dataclasses.replace(world, ground=world.ground._replace(obstacles=obstacles))


def first_touch(vehicle, seconds: float) -> float | None:
    """Run step by step; return the x of base_footprint after the first step that is flagged."""
    for _ in range(round(seconds * 120.0)):
        polaris.step(vehicle.vehicles, vehicle.commands, vehicle.parameters, vehicle.world.ground, vehicle.farm, 0)
        if vehicle.state.collision >= 0:
            return float(vehicle.body.x - 1.243)
    return None


def test_a_wall_is_flagged_where_the_front_reaches_it_and_the_vehicle_drives_on(make_vehicle) -> None:
    vehicle = make_vehicle(wall_world(8.0))
    vehicle.reset(speed=3.0)
    x = first_touch(vehicle, 3.0)
    assert x is not None
    assert 8.0 - FRONT_M <= x <= 8.0 - FRONT_M + 3.0 / 120.0 + 0.02  # within the step, and a nod of the body
    assert vehicle.state.collision == 0
    assert vehicle.forward_speed > 1.0


@pytest.mark.parametrize(("bottom", "height"), [(2.2, 5.0), (-3.0, 0.2)])
def test_what_is_over_the_roof_or_under_the_floor_is_not_touched(make_vehicle, bottom: float, height: float) -> None:
    vehicle = make_vehicle(wall_world(5.0, bottom=bottom, height=height))
    vehicle.reset(speed=3.0)
    assert first_touch(vehicle, 2.0) is None


def test_the_flag_ends_behind_the_obstacle(make_vehicle) -> None:
    vehicle = make_vehicle(wall_world(5.0))
    vehicle.reset(speed=8.0)
    vehicle.driver(throttle_pct=40.0)
    assert first_touch(vehicle, 2.0) is not None
    vehicle.run(3.0)
    assert vehicle.body.x - 1.70 > 6.0
    assert vehicle.state.collision == -1


def test_stop_brings_the_vehicle_to_rest_at_the_wall_and_lets_it_back_away(make_vehicle) -> None:
    vehicle = make_vehicle(wall_world(8.0), collision__stop=1)
    vehicle.reset(speed=5.0)
    vehicle.driver(throttle_pct=30.0)
    vehicle.run(2.0)
    assert vehicle.state.collision == 0
    rest = vehicle.body.x
    assert rest + 2.10 == pytest.approx(8.0, abs=5.0 / 120.0 + 0.02)
    vehicle.run(3.0)  # full of throttle against it
    assert vehicle.body.x == pytest.approx(rest, abs=1.0e-3)
    assert abs(vehicle.forward_speed) < 0.05
    # What an impact took is kinetic energy: that of the arrival, and then what the engine went on to give.
    arrival = 0.5 * 1318.0 * 4.0**2
    assert vehicle.state.energy.collision_loss > arrival
    vehicle.reset(x=rest - 1.243, gear=2)
    vehicle.driver(throttle_pct=40.0, gear=2)
    vehicle.run(4.0)
    assert vehicle.body.x < rest - 0.5
    assert vehicle.state.collision == -1


def test_a_glancing_blow_stops_too_and_never_gives_energy(make_vehicle) -> None:
    vehicle = make_vehicle(wall_world(10.0), collision__stop=1)
    vehicle.reset(yaw=math.radians(35.0), speed=6.0)
    for _ in range(600):
        vx, vy, yaw = float(vehicle.body.vx), float(vehicle.body.vy), vehicle.yaw
        lost = float(vehicle.state.energy.collision_loss)
        vehicle.run(1.0 / 120.0)
        if vehicle.state.energy.collision_loss > lost:
            break
    else:
        pytest.fail("the wall was never met")
    assert (vehicle.body.vx, vehicle.body.vy, vehicle.body.wz) == (0.0, 0.0, 0.0)
    assert vehicle.yaw == pytest.approx(yaw, abs=1.0e-5)
    # What it took is the motion that came, and the accelerometers feel all of it.
    taken = float(vehicle.state.energy.collision_loss) - lost
    assert taken == pytest.approx(0.5 * 1318.0 * (vx * vx + vy * vy), rel=0.05)
    felt = np.hypot(vehicle.body.ax, vehicle.body.ay) / 120.0
    assert felt == pytest.approx(math.hypot(vx, vy), rel=0.05)
    vehicle.run(4.0)
    vehicle.assert_finite()


def turn_in_place(vehicle, rate: float, steps: int) -> None:
    """Turn a standing body at a rate (rad/s), as sliding wheels would, for some steps."""
    for _ in range(steps):
        vehicle.body.vx, vehicle.body.vy, vehicle.body.wz = 0.0, 0.0, rate
        polaris.step(vehicle.vehicles, vehicle.commands, vehicle.parameters, vehicle.world.ground, vehicle.farm, 0)


GAP = 0.05
POST = (1.6, 1.8)  # south and north edge of a post beside the front of a vehicle that looks north


@pytest.mark.parametrize(("edges", "reach"), [((-10.0, 10.0), 2.10), (POST, 1.8 - 1.243)])
def test_a_standing_body_that_turns_against_a_wall_or_a_post_is_held(make_vehicle, edges, reach: float) -> None:
    half_width = float(make_vehicle().p.geometry.body_half_width_m)
    vehicle = make_vehicle(wall_world(half_width + GAP, south=edges[0], north=edges[1]), collision__stop=1)
    vehicle.reset(yaw=0.5 * math.pi)
    vehicle.driver(brake_bar=30.0)
    vehicle.run(0.5)
    start = vehicle.yaw
    turn_in_place(vehicle, -0.5, 120)  # half a radian without the wall
    assert vehicle.state.collision == 0
    held = vehicle.yaw
    assert start - held == pytest.approx(GAP / reach, rel=0.1)
    assert vehicle.body.wz == 0.0
    turn_in_place(vehicle, 0.5, 4)  # not so far that the rear meets the wall
    assert vehicle.state.collision == -1
    assert vehicle.yaw - held == pytest.approx(4 * 0.5 / 120.0, rel=0.2)  # the tyres help
