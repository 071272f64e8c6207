"""The errors of the first samples against a computation of its own: order of the draws, seeds, due times."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from navigation_rig import run, settings

from acres_ros.core.navigation import Navigation
from acres_ros.core.schedule import Schedule

WORD = (1 << 64) - 1
H = 1 / 120
DEG, G = math.pi / 180.0, 9.80665


def normals(seed: int, sequence: int) -> Iterator[float]:
    """Yield the deviates of PCG32 and Box-Muller on Python's integers and the C library."""
    increment = (sequence << 1 | 1) & WORD
    state = ((increment + seed) * 6364136223846793005 + increment) & WORD

    def word() -> int:
        nonlocal state
        old, state = state, (state * 6364136223846793005 + increment) & WORD
        shifted, turn = ((old >> 18 ^ old) >> 27) & 0xFFFFFFFF, old >> 59
        return (shifted >> turn | shifted << (-turn & 31)) & 0xFFFFFFFF

    while True:
        radius = math.sqrt(-2.0 * math.log((word() + 1) / 2**32))
        yield radius * math.cos(2.0 * math.pi * word() / 2**32)


def markov(x: float, dt: float, tau: float, xi: float) -> float:
    return x * math.exp(-dt / tau) + math.sqrt(1.0 - math.exp(-2.0 * dt / tau)) * xi


def three(draws: Iterator[float], sigma: float = 1.0) -> list[float]:
    return [sigma * next(draws) for _ in range(3)]


def test_the_due_steps_are_those_of_the_schedule() -> None:
    for hz in (1, 7, 30, 50, 100, 119, 120):
        navigation, schedule = Navigation(settings(ins__hz=hz), 42), Schedule(hz)
        (position,) = run(navigation, 1200, "ins.position")
        schedule.restart(0)
        due = [schedule.due(k) for k in range(1, 1201)]
        changed = np.any(np.diff(position, axis=0, prepend=np.zeros((1, 3))) != 0.0, axis=1)
        assert changed.tolist() == due


@pytest.mark.parametrize(("seed", "agent"), [(42, 0), (7, 0), (42, 3)])
def test_the_first_samples_of_the_ins(seed: int, agent: int) -> None:
    draws = normals(seed + 5045 + 7919 * agent, 6)
    rate_bias, force_bias = three(draws, 0.0194 * DEG), three(draws, 0.14e-3 * G)
    rate_scale, force_scale = three(draws, 0.0005), three(draws, 0.0005)
    rate_wander, force_wander, shake = three(draws), three(draws), three(draws)
    mounting, lever = next(draws) * 0.1 * DEG, three(draws, 0.005)
    position, velocity, attitude = three(draws), three(draws), three(draws)
    rows = run(
        Navigation(settings(), seed, agent), 6, "ins.position", "ins.velocity", "ins.attitude", "ins.rate", "ins.force",
        "ins.raw.rate", "ins.raw.force", "ins.lever_arm", "ins.raw.rate_scale", "ins.raw.force_scale",
    )  # fmt: skip
    for step, steps in ((2, 2), (3, 1), (4, 1), (5, 1), (6, 1)):
        dt, wanted = steps * H, [[0.0] * 3 for _ in range(7)]
        for axis in range(3):
            position[axis] = markov(position[axis], dt, 60.0, next(draws))
            sigma, white = ((0.008, 0.002), (0.008, 0.002), (0.015, 0.003))[axis]
            wanted[0][axis] = sigma * position[axis] + white * next(draws)
        for axis in range(3):
            velocity[axis] = markov(velocity[axis], dt, 3.0, next(draws))
            wanted[1][axis] = (0.008, 0.008, 0.006)[axis] * velocity[axis] + 0.003 * next(draws)
        for axis in range(3):
            attitude[axis] = markov(attitude[axis], dt, (60.0, 60.0, 120.0)[axis], next(draws))
            sigma, white = ((0.015, 0.003), (0.015, 0.003), (0.07, 0.01))[axis]
            wanted[2][axis] = DEG * (sigma * attitude[axis] + white * next(draws)) + mounting * (axis == 2)
        for axis in range(3):
            rate_wander[axis] = markov(rate_wander[axis], dt, 3600.0, next(draws))
            bias, white = rate_bias[axis] + 7.0 / 3600.0 * DEG * rate_wander[axis], 3.1e-4 * next(draws)
            wanted[3][axis], wanted[5][axis] = 0.1 * bias + white, bias + white
        for axis in range(3):
            force_wander[axis] = markov(force_wander[axis], dt, 3600.0, next(draws))
            bias, white = force_bias[axis] + 0.014e-3 * G * force_wander[axis], 0.004 * next(draws)
            wanted[4][axis], wanted[6][axis] = 0.1 * bias + white, bias + white
        for axis in range(3):
            shake[axis] = math.sqrt(0.75) * next(draws) - 0.5 * shake[axis]
            wanted[6][axis] += 0.15 * shake[axis]  # at a standstill
        for part, given in zip(wanted, rows, strict=False):
            assert given[step - 1] == pytest.approx(part, rel=1e-9, abs=1e-14)
    for part, given in zip((lever, rate_scale, force_scale), rows[7:], strict=True):
        assert given[5] == pytest.approx(part, rel=1e-12)


def test_the_first_samples_of_the_vehicles_own_unit_and_receiver() -> None:
    draws = normals(42 + 1009, 2)
    rate_bias, force_bias = three(draws, 0.1 * DEG), three(draws, 10e-3 * G)  # the bias is the first draw
    for _ in range(2):
        three(draws)
    rate_wander, force_wander, shake = three(draws), three(draws), three(draws)
    rates, forces, fixes = run(
        Navigation(settings(), 42), 240, "vehicle_imu.rate", "vehicle_imu.force", "vehicle_gnss.position"
    )
    for step, steps in ((2, 2), (3, 1), (4, 1)):
        rate, force = [0.0] * 3, [0.0] * 3
        for axis in range(3):
            rate_wander[axis] = markov(rate_wander[axis], steps * H, 1000.0, next(draws))
            rate[axis] = rate_bias[axis] + 20.0 / 3600.0 * DEG * rate_wander[axis] + 9.0e-4 * next(draws)
        for axis in range(3):
            force_wander[axis] = markov(force_wander[axis], steps * H, 1000.0, next(draws))
            force[axis] = force_bias[axis] + 0.2e-3 * G * force_wander[axis] + 0.02 * next(draws)
        for axis in range(3):
            shake[axis] = math.sqrt(0.75) * next(draws) - 0.5 * shake[axis]
            force[axis] += 0.15 * shake[axis]
        assert rates[step - 1] == pytest.approx(rate, rel=1e-9)
        assert forces[step - 1] == pytest.approx(force, rel=1e-9)
    draws = normals(42, 1)
    position = three(draws)
    for second in (1, 2):
        wanted = [0.0] * 3
        for axis in range(3):
            position[axis] = markov(position[axis], 1.0, 300.0, next(draws))
            wanted[axis] = (1.5, 1.5, 2.5)[axis] * position[axis] + (0.05, 0.05, 0.1)[axis] * next(draws)
        assert fixes[120 * second - 1] == pytest.approx(wanted, rel=1e-9)
        assert (fixes[120 * second - 2] != fixes[120 * second - 1]).all()


def test_a_reset_repeats_the_bits_and_a_seed_changes_every_stream() -> None:
    keys = ("ins.position", "ins.raw.force", "vehicle_imu.rate", "vehicle_gnss.position")
    navigation = Navigation(settings(), 42)
    first = run(navigation, 1200, *keys)
    navigation.reset(42)
    for a, b in zip(first, run(navigation, 1200, *keys), strict=True):
        assert a.tobytes() == b.tobytes()
    for other in (Navigation(settings(), 43), Navigation(settings(), 42, 1)):
        for a, b in zip(first, run(other, 1200, *keys), strict=True):
            assert (a[-1] != b[-1]).all()


def test_without_errors_everything_is_zero_and_nothing_else_changes() -> None:
    quiet = settings(ins__errors=False)
    keys = ("ins.position", "ins.velocity", "ins.attitude", "ins.rate", "ins.force", "ins.raw.rate", "ins.raw.force")
    for rows in run(Navigation(quiet, 42), 240, *keys, "ins.lever_arm", "ins.position_variance"):
        assert not rows.any()
    own = ("vehicle_imu.rate", "vehicle_gnss.position")
    for a, b in zip(run(Navigation(quiet, 42), 240, *own), run(Navigation(settings(), 42), 240, *own), strict=True):
        assert a.tobytes() == b.tobytes()
