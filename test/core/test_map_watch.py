"""The vehicle off the map: flagged at the margin's exact limit, told once when it begins and once when it is over."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acres_ros.core.environment import Environment
from acres_ros.core.map_watch import MapWatch
from acres_ros.core.parameters import load_parameters
from acres_ros.core.sample import SAMPLE_RECORD
from acres_ros.core.start import Start
from acres_ros.models import polaris
from acres_ros.models.ground import inside
from acres_ros.models.state import VEHICLE
from acres_ros.world import World

MARGIN_M = 10.0  # the default, spec, C++ API
WEST, SOUTH, EAST, NORTH = -40.0, -30.0, 40.0, 50.0


@pytest.fixture(scope="module")
def world() -> World:
    return World.height_field(np.zeros((5, 5)), x0=WEST, y0=SOUTH, cell=20.0, surface="asphalt")


def flag_at(world: World, x: float, y: float) -> int:
    """Return the flag of a level vehicle whose base_footprint is at a place."""
    vehicle, p = VEHICLE.new(1)[0], load_parameters()[0]
    vehicle.body.x, vehicle.body.y = x + p.geometry.mass_ahead_m, y
    polaris.look_at_map(world.ground, p, vehicle)
    return int(vehicle.off_map)


@pytest.mark.parametrize(
    ("x", "y", "out_x", "out_y"),
    [
        (WEST + MARGIN_M, 0.0, -1, 0),
        (EAST - MARGIN_M, 0.0, 1, 0),
        (0.0, SOUTH + MARGIN_M, 0, -1),
        (0.0, NORTH - MARGIN_M, 0, 1),
    ],
)
def test_the_limit_itself_is_on_the_map(world: World, x: float, y: float, out_x: int, out_y: int) -> None:
    off_x = math.nextafter(x, out_x * math.inf) if out_x else x
    off_y = math.nextafter(y, out_y * math.inf) if out_y else y
    assert world.inside(x, y, MARGIN_M) and inside(world.ground, x, y, MARGIN_M)
    assert not world.inside(off_x, off_y, MARGIN_M) and not inside(world.ground, off_x, off_y, MARGIN_M)
    # base_footprint is worked out from the centre of mass, to some 1e-14 m.
    assert flag_at(world, x - 1e-12 * out_x, y - 1e-12 * out_y) == 0
    assert flag_at(world, x + 1e-12 * out_x, y + 1e-12 * out_y) == 1


def test_a_vehicle_that_drives_to_the_edge_is_told_of_once(world: World) -> None:
    environment = Environment(world, load_parameters(), Start(x=EAST - MARGIN_M - 2.0, speed=4.0, gear="N"))
    samples = environment.step(240)
    flags = samples["vehicle"]["off_map"]
    first = int(np.argmax(flags))
    assert flags[:first].sum() == 0 and flags[first:].all()
    x = samples["vehicle"]["body"]["x"] - 1.243
    assert x[first - 1] < EAST - MARGIN_M + 0.01 and x[first] > EAST - MARGIN_M - 0.01
    (event,) = [event for event in environment.take_events() if "MAP" in event.code]
    assert (event.severity, event.code) == ("warning", "ACRES_OFF_MAP")
    environment.step(12)
    assert not [event for event in environment.take_events() if "MAP" in event.code]
    environment.reset(start=Start(x=0.0))
    assert not environment.step(1)["vehicle"]["off_map"].any()


def test_what_comes_and_goes_is_told_once_and_a_reset_says_nothing() -> None:
    samples = SAMPLE_RECORD.new(70)
    samples.vehicle.off_map = [0, 1, 0, 1, *[0] * 66]
    samples.vehicle.body.x = np.arange(70)
    watch = MapWatch()
    events = watch.look(samples[:5]) + watch.look(samples[5:])
    assert [event.text for event in events] == [
        "leaves the map at (1.00, 0.00) m",
        "is back on the map at (4.00, 0.00) m",
    ]
    assert watch.look(samples[:2])[0].code == "ACRES_OFF_MAP"
    samples.epoch = 1
    assert watch.look(samples[5:]) == []
    assert watch.look(samples[:0]) == []
