"""The farm of an environment: its room, what it remembers, and how it forgets."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from crop_worlds import crop_world

from acres_ros.core.environment import Environment
from acres_ros.core.farm import FarmState, StampError
from acres_ros.core.parameters import load_parameters
from acres_ros.core.start import Start

DRIVE = Start(x=-20.0, y=0.3, yaw=0.2, speed=4.0, gear="L")


@pytest.fixture(scope="module")
def world():
    zones = np.tile(np.arange(8, dtype=np.uint8), (8, 1))
    return crop_world(zones=zones, zone_cell=15.0)


def environment(world, **options) -> Environment:
    return Environment(world, load_parameters(), DRIVE, **options)


def assert_as_new(state: FarmState, world) -> None:
    """Check that every byte is that of a new farm, but for the lengths of the tables."""
    new = FarmState(world.ground).farm
    assert state.farm.account.tobytes() == new.account.tobytes()
    for name in ("slots", "pages", "masks", "touched"):
        assert not any(getattr(state.farm, name).tobytes()), name


def test_a_drive_is_told_by_field_by_zone_and_place_by_place(world) -> None:
    driven = environment(world)
    samples = driven.step(240)
    state = driven.farm
    x, y, patch = state.crushed()
    assert state.crushed_m2 == pytest.approx(len(x) / 9.0, rel=1e-12)
    assert state.crushed_m2 == pytest.approx(float(samples["vehicle"]["crushed"].sum()), rel=1e-9)
    assert state.crushed_by_field_m2[24] == state.crushed_m2 == state.crushed_by_field_m2.sum()
    zone = ((world.ground.patches["x"][patch] + 60.0) // 15.0).astype(int)
    assert np.allclose(state.crushed_by_zone_m2, np.bincount(zone, minlength=8) / 9.0)
    assert np.count_nonzero(state.crushed_by_zone_m2) >= 2
    body = samples["vehicle"]["body"]
    assert body["x"][0] - 4.0 < x.min() < x.max() < body["x"][-1] + 4.0
    assert np.unique(np.stack([x, y]), axis=1).shape[1] == len(x)
    assert max(state.ruts().depth) == max(state.rut_at(a, b) for a, b, _ in zip(*state.ruts(), strict=True)) > 0.001


def test_room_is_made_before_it_is_needed_and_keeps_what_is_there(world) -> None:
    driven = environment(world)
    driven.step(240)
    state = driven.farm
    before, old = [part.tobytes() for part in (*state.ruts(), *state.crushed())], state.farm
    assert state.ensure_room(1) is old
    grown = state.ensure_room(3000)
    assert grown.pages.size >= 3000 > old.pages.size
    assert grown.slots.size == 2 * grown.pages.size
    assert grown.slots.size & (grown.slots.size - 1) == 0
    assert [part.tobytes() for part in (*state.ruts(), *state.crushed())] == before
    assert grown.account is old.account and grown.conditions is old.conditions
    assert sorted(grown.slots[grown.slots > 0]) == list(range(1, int(grown.account["pages"][0]) + 1))


def test_a_reset_forgets_every_mark_and_the_next_drive_is_the_first(world) -> None:
    used, fresh = environment(world), environment(world)
    used.reset(start=Start(x=10.0, y=-7.0, yaw=2.0, speed=6.0, gear="L"))
    used.step(300)
    used.farm.ensure_room(3000)
    assert used.farm.crushed_m2 > 5.0
    used.reset(start=DRIVE)
    assert_as_new(used.farm, world)
    one, other = used.step(240), fresh.step(240)
    assert one["vehicle"].tobytes() == other["vehicle"].tobytes()
    assert marks(used.farm) == marks(fresh.farm)


def marks(state: FarmState) -> bytes:
    return b"".join(part.tobytes() for part in (*state.ruts(), *state.crushed()))


def test_a_reset_costs_less_than_what_it_forgets(world) -> None:
    driven = environment(world)
    drives, resets = [], []
    for _ in range(5):
        begin = time.perf_counter()
        driven.step(240)
        assert driven.farm.crushed_m2 > 5.0
        middle = time.perf_counter()
        driven.farm.reset()
        drives.append(middle - begin)
        resets.append(time.perf_counter() - middle)
    assert min(resets) < 0.5 * min(drives)


def test_a_farm_without_marks_has_no_room_and_needs_none(world) -> None:
    driven = environment(world, marks=False)
    driven.step(240)
    state = driven.farm
    assert state.farm.masks.size == 0
    assert state.ensure_room(100000) is state.farm
    assert state.crushed_m2 == 0.0 and len(state.ruts().x) == 0
    driven.reset()
    assert state.farm.account["marks"][0] == 0


def inside(x, y, stamp) -> np.ndarray:
    """Return which points lie in a rectangle of middle, heading, length and width."""
    east, north, yaw, length, width = stamp
    along = (x - east) * math.cos(yaw) + (y - north) * math.sin(yaw)
    across = (y - north) * math.cos(yaw) - (x - east) * math.sin(yaw)
    return (np.abs(along) <= length / 2.0) & (np.abs(across) <= width / 2.0)


def places(points) -> set[tuple[float, float]]:
    return {(round(float(x), 4), round(float(y), 4)) for x, y in points}


def test_a_stamp_marks_what_lies_in_its_rectangle() -> None:
    world = crop_world(half=20, height=0.5)
    state = FarmState(world.ground)
    offsets = np.arange(-1, 2) / 3.0
    middles = world.ground.patches
    x = (middles["x"][:, None, None] + offsets[None, None, :] + np.zeros((1, 3, 1))).ravel()
    y = (middles["y"][:, None, None] + offsets[None, :, None] + np.zeros((1, 1, 3))).ravel()
    wheel, body = (3.07, -2.11, 0.6, 0.26, 0.9), (-5.03, 4.07, 7.9, 3.8, 1.6)
    crushed = state.wheel(*wheel[:3], length=0.26, width=0.9, sinkage=0.01)
    assert state.body(*body[:3], length=3.8, width=1.6, clearance=0.6) == 0.0  # the crop is lower
    crushed += state.body(*body[:3], length=3.8, width=1.6, clearance=0.33)
    wanted = inside(x, y, wheel) | inside(x, y, body)
    found = state.crushed()
    assert places(zip(found.x, found.y, strict=True)) == places(zip(x[wanted], y[wanted], strict=True))
    assert crushed == pytest.approx(np.count_nonzero(wanted) / 9.0)
    assert crushed == pytest.approx(state.crushed_m2)
    centre = 0.25 * np.arange(-80, 80) + 0.125
    east, north = (axis.ravel() for axis in np.meshgrid(centre, centre))
    covered = inside(east, north, wheel) | ((np.abs(east - wheel[0]) < 0.125) & (np.abs(north - wheel[1]) < 0.125))
    ruts = state.ruts()
    assert places(zip(ruts.x, ruts.y, strict=True)) == places(zip(east[covered], north[covered], strict=True))
    assert ruts.depth == pytest.approx(0.007)
    state.reset()
    assert_as_new(state, world)


def test_stamps_between_steps_add_their_marks_and_change_nothing_else(world) -> None:
    alone, stamped = environment(world), environment(world)
    for _ in range(8):
        alone.step(15)
        stamped.step(15)
        stamped.farm.body(40.0, 40.0, 0.3, length=3.8, width=1.6, clearance=0.1)
        stamped.farm.wheel(40.0, 30.0, 0.0, length=0.3, width=0.3, sinkage=0.02)
    assert stamped.vehicle.tobytes() == alone.vehicle.tobytes()
    far = stamped.farm.crushed().x > 35.0
    assert np.count_nonzero(far) == round(9.0 * (stamped.farm.crushed_m2 - alone.farm.crushed_m2)) > 30
    assert np.array_equal(stamped.farm.crushed().patch[~far], alone.farm.crushed().patch)


@pytest.mark.parametrize(
    ("key", "numbers"),
    [("x", (math.nan, 0.0, 0.0, 1.0)), ("yaw", (0.0, 0.0, math.inf, 1.0)), ("length", (0, 0, 0, -1))],
)
def test_a_stamp_that_cannot_be_is_refused(world, key: str, numbers: tuple[float, ...]) -> None:
    state = FarmState(world.ground)
    with pytest.raises(StampError, match=f"{key} of a stamp.*wanted"):
        state.wheel(*numbers[:3], length=numbers[3], width=0.3, sinkage=0.01)
    assert_as_new(state, world)


def test_a_stamp_leaves_nothing_on_a_farm_without_marks(world) -> None:
    state = FarmState(world.ground, marks=False)
    assert state.wheel(0.0, 0.0, 0.0, length=1.0, width=1.0, sinkage=0.1) == 0.0
    assert len(state.ruts().x) == 0
