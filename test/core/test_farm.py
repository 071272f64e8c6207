"""The farm of an environment: its room, what it remembers, and how it forgets."""

from __future__ import annotations

import time

import numpy as np
import pytest
from crop_worlds import crop_world

from acres_ros.core.environment import Environment, Start
from acres_ros.core.farm import FarmState
from acres_ros.core.parameters import load_parameters

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
    grown = state.ensure_room(1000)
    assert grown.pages.size >= 1000 > old.pages.size
    assert grown.slots.size == 2 * grown.pages.size
    assert grown.slots.size & (grown.slots.size - 1) == 0
    assert [part.tobytes() for part in (*state.ruts(), *state.crushed())] == before
    assert grown.account is old.account and grown.conditions is old.conditions
    assert sorted(grown.slots[grown.slots > 0]) == list(range(1, int(grown.account["pages"][0]) + 1))


def test_a_reset_forgets_every_mark_and_the_next_drive_is_the_first(world) -> None:
    used, fresh = environment(world), environment(world)
    used.reset(start=Start(x=10.0, y=-7.0, yaw=2.0, speed=6.0, gear="L"))
    used.step(300)
    used.farm.ensure_room(2000)
    assert used.farm.crushed_m2 > 5.0
    used.reset(start=DRIVE)
    assert_as_new(used.farm, world)
    one, other = used.step(240), fresh.step(240)
    assert one["vehicle"].tobytes() == other["vehicle"].tobytes()
    assert marks(used.farm) == marks(fresh.farm)


def marks(state: FarmState) -> bytes:
    return b"".join(part.tobytes() for part in (*state.ruts(), *state.crushed()))


def test_a_reset_costs_microseconds(world) -> None:
    driven = environment(world)
    costs = []
    for _ in range(5):
        driven.step(240)
        assert driven.farm.crushed_m2 > 5.0
        start = time.perf_counter()
        driven.farm.reset()
        costs.append(time.perf_counter() - start)
    assert min(costs) < 300.0e-6


def test_a_farm_without_marks_has_no_room_and_needs_none(world) -> None:
    driven = environment(world, marks=False)
    driven.step(240)
    state = driven.farm
    assert state.farm.masks.size == 0
    assert state.ensure_room(100000) is state.farm
    assert state.crushed_m2 == 0.0 and len(state.ruts().x) == 0
    driven.reset()
    assert state.farm.account["marks"][0] == 0
