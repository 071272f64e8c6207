"""What lets a scan leave out a part of the search: it never leaves out what a beam could meet."""

from __future__ import annotations

import numpy as np
import pytest

from acres_ros.models.lidar_beams import VIEW, fill_views, part_of
from acres_ros.models.lidar_crops import CLEARING, SAMPLES, clearing_end, crops_of, highest_top, open_outline

OUTLINE = np.array([-0.6, -0.75, 2.4, 0.75])


def square(side: int, tops: np.ndarray):
    """Return crops on a square round the origin."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(side), np.arange(side)))
    return crops_of(x - side // 2, y - side // 2, tops)


@pytest.mark.parametrize("yaw", [0.0, 0.4, 1.57, -2.6])
def test_nothing_stands_in_a_clearing(yaw: float):
    random = np.random.default_rng(3)
    crops, masks, clearing = square(16, np.full(256, 2.0)), np.zeros(256, np.uint16), np.empty(CLEARING)
    pose = np.array([0.31, -0.17, 0.0, 0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw)])
    open_outline(crops, masks, OUTLINE, pose, clearing)
    inside = 0
    for _ in range(400):
        x, y, turn = *random.uniform(-2.5, 2.5, 2), random.uniform(0.0, 2.0 * np.pi)
        dx, dy = np.cos(turn), np.sin(turn)
        end = clearing_end(tuple(clearing), x, y, dx, dy)
        inside += end > 0.0
        for t in np.linspace(0.0, end, 20) if end > 0.0 else ():
            u, v = int(SAMPLES * (x + t * dx - crops.x0)), int(SAMPLES * (y + t * dy - crops.y0))
            mask = int(masks[crops.patches[v // SAMPLES, u // SAMPLES]])
            assert mask >> (SAMPLES * (v % SAMPLES) + u % SAMPLES) & 1 == 1
    assert inside > 25  # the clearing is 2.5 m by 1 m, of 25 square metres
    middle = pose[:2] + 0.9 * np.array([np.cos(yaw), np.sin(yaw)])
    assert clearing_end(tuple(clearing), *middle, np.cos(yaw), np.sin(yaw)) == pytest.approx(2.4 - 0.24 - 0.9)


def test_no_crop_in_reach_is_higher_than_the_highest():
    random = np.random.default_rng(5)
    crops = square(40, random.normal(1.0, 0.5, 1600))
    row, column = np.nonzero(crops.patches >= 0)
    tops = crops.tops[crops.patches[row, column]]
    for x, y, reach in random.uniform((-40, -40, 1), (40, 40, 30), (200, 3)):
        away_x, away_y = (np.abs(crops.x0 + column + 0.5 - x) - 0.5, np.abs(crops.y0 + row + 0.5 - y) - 0.5)
        near = np.hypot(away_x.clip(0.0), away_y.clip(0.0)) < reach
        assert highest_top(crops, x, y, reach) >= tops[near].max(initial=-np.inf)
    assert highest_top(crops, 0.0, 0.0, 100.0) == tops.max()
    assert highest_top(crops, 500.0, 0.0, 100.0) == -np.inf


def test_room_in_height_is_what_the_sensor_takes_in_height():
    mount = np.array([0.5, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])
    lean = np.sin(0.05)
    for rise, tilt in ((0.0, 0.0), (0.3, 0.0), (0.0, lean)):
        views = np.empty((90, VIEW))
        poses = np.array([[0, 0, 0, tilt, 0, 0, np.cos(0.05)], [1.2, 0.5, rise, tilt, 0, 0, np.cos(0.05)]])
        poses[:, 6] = np.sqrt(1.0 - tilt * tilt)
        fill_views(poses, mount, views)
        last, x, y, z, level, height = part_of(views, 0.04, 0, 9.0)
        assert last == 90
        turn = np.linspace(0.0, 2.0 * np.pi, 90)
        for view in views:
            starts = view[:3, None] + 0.04 * (view[3::3, None] * np.cos(turn) + view[4::3, None] * np.sin(turn))
            assert (np.hypot(starts[0] - x, starts[1] - y) <= level + 1e-12).all()
            assert (np.abs(starts[2] - z) <= height + 1e-12).all()
        assert level < 0.7 + 0.05 and height == pytest.approx(0.5 * rise * 89 / 90 + 0.04 * np.sin(2 * np.arcsin(tilt)))
    assert part_of(views, 0.04, 0, 0.5)[0] < 90
