"""The path of `drive kilometre`: it closes, and from where the stand-in starts on the farm it is free."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from acres_ros.world import load_world

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
CLEARANCE_M = 3.0
"""More than half the width of the vehicle and the error across."""


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return importlib.import_module("kilometre")


def path_from(example: ModuleType, x: float, y: float, heading: float, lap: float):
    width, radius = example.WIDTH * lap, example.RADIUS * lap
    return example.ClosedPath(x, y, heading, lead=example.LEAD_M, length=lap, width=width, radius=radius)


@pytest.mark.parametrize("lap", [400.0, 1000.0])
def test_it_leads_to_a_lap_that_closes_without_a_step(example: ModuleType, lap: float) -> None:
    path = path_from(example, 3.0, 4.0, 0.3, lap)
    assert path.pose(-example.LEAD_M) == pytest.approx((3.0, 4.0, 0.3))
    assert path.pose(lap - 1e-9)[:2] == pytest.approx(path.pose(0.0)[:2], abs=1e-6)
    assert path.pose(lap - 1e-9)[2] == pytest.approx(0.3 + 2.0 * math.pi)
    step = 0.25
    points = [path.pose(step * k)[:2] for k in range(round(-example.LEAD_M / step), round(1.1 * lap / step))]
    assert all(0.99 * step < math.dist(*pair) < 1.001 * step for pair in zip(points, points[1:], strict=False))
    assert path.project(*path.pose(-5.0)[:2], -6.0) == pytest.approx((-5.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("lap", [400.0, 1000.0])
def test_from_the_garage_of_the_farm_it_touches_nothing(example: ModuleType, lap: float) -> None:
    world = load_world("farm")
    assert world.scene is not None
    place = world.places[0]
    path = path_from(example, place.x, place.y, place.yaw, lap)
    for s in range(-round(example.LEAD_M), round(lap)):
        x, y, _ = path.pose(float(s))
        assert world.scene.nearest_obstacle(x, y, CLEARANCE_M) >= CLEARANCE_M, (s, x, y)
