"""The odometry of row L1: its points at the end of a sweep, against the exact motion; the row itself is not a test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm, logm

from acres_ros.tools.bench.odometry import Sweep, at_the_end


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.06), (0.02, -0.03, -0.06)])
def test_points_go_to_the_end_of_their_sweep(turn: tuple[float, float, float]) -> None:
    """A world of fixed points, each seen from where a screw motion has the sensor at its time."""
    x, y, z = turn
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    twist[:3, 3] = [0.42, -0.03, 0.02]
    motion = expm(twist)
    rng = np.random.default_rng(3)
    world = np.c_[rng.uniform(-40.0, 40.0, (200, 3)), np.ones(200)]
    times = np.linspace(0.0, 0.1, 200)
    seen = np.array([np.linalg.solve(expm(10.0 * t * twist), p)[:3] for t, p in zip(times, world, strict=True)])
    assert np.allclose(logm(motion).real, twist)
    moved = at_the_end(Sweep(seen, times, np.eye(4)), motion)
    assert moved == pytest.approx((np.linalg.inv(motion) @ world.T).T[:, :3], abs=1e-3)
