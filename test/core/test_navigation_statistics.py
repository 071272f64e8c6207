"""Variance, autocorrelation and stated variance of every error, over hours of simulated time, with fixed seeds.

The estimated autocovariance of a Gauss-Markov process over a time T has a standard deviation of at most
sigma^2 sqrt(2 tau / T) (Bartlett's formula); bounds are 4.5 of them and as much for the white part.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from navigation_rig import run, settings, standing

from acres_ros.core.navigation import Navigation
from acres_ros.core.navigation_settings import FIXES

DEG, G = math.pi / 180.0, 9.80665
HOURS = 1.0
EVERY = 12  # steps: a sample of each stream of 100 Hz
QUICK = {
    "ins__position__fixed__tau_s": 0.5, "ins__velocity__tau_s": 0.8, "ins__attitude__tilt_tau_s": 1.1,
    "ins__attitude__heading_tau_s": 1.4, "ins__gyro__tau_s": 1.7, "ins__accelerometer__tau_s": 2.0,
    "ins__attitude__mounting_yaw_deg": 0.0, "ins__gyro__bias_deg_s": 0.0, "ins__accelerometer__bias_mg": 0.0,
    "ins__gyro__instability_deg_h": 360.0, "ins__accelerometer__instability_mg": 1.0, "ins__vibration__idle_m_s2": 0.0,
}  # fmt: skip


def autocovariance(x: np.ndarray, lag: int) -> float:
    """Return the mean of x(t) x(t + lag); the mean of x is known to be zero."""
    return float(np.mean(x[: len(x) - lag] * x[lag:]))


@pytest.fixture(scope="module")
def hours() -> dict[str, np.ndarray]:
    keys = ("position", "velocity", "attitude", "raw.rate", "raw.force")
    rows = run(Navigation(settings(**QUICK), 5), round(HOURS * 432000), *(f"ins.{key}" for key in keys), every=EVERY)
    return dict(zip(keys, rows, strict=True))


@pytest.mark.parametrize(
    ("key", "axis", "sigma", "tau", "white"),
    [
        ("position", 0, 0.008, 0.5, 0.002),
        ("position", 1, 0.008, 0.5, 0.002),
        ("position", 2, 0.015, 0.5, 0.003),
        ("velocity", 0, 0.008, 0.8, 0.003),
        ("velocity", 1, 0.008, 0.8, 0.003),
        ("velocity", 2, 0.006, 0.8, 0.003),
        ("attitude", 0, 0.015 * DEG, 1.1, 0.003 * DEG),
        ("attitude", 1, 0.015 * DEG, 1.1, 0.003 * DEG),
        ("attitude", 2, 0.07 * DEG, 1.4, 0.01 * DEG),
        ("raw.rate", 0, 0.1 * DEG, 1.7, 3.1e-4),
        ("raw.rate", 2, 0.1 * DEG, 1.7, 3.1e-4),
        ("raw.force", 1, 1.0e-3 * G, 2.0, 0.004),
        ("raw.force", 2, 1.0e-3 * G, 2.0, 0.004),
    ],
)
def test_variance_and_autocorrelation(hours, key: str, axis: int, sigma: float, tau: float, white: float) -> None:
    x, seconds = hours[key][:, axis], HOURS * 3600.0
    bound = 4.5 * (sigma**2 * math.sqrt(2.0 * tau / seconds) + white**2 * math.sqrt(2.0 / len(x)))
    bound += 4.5 * sigma * white * math.sqrt(2.0 / len(x))
    assert autocovariance(x, 0) == pytest.approx(sigma**2 + white**2, abs=bound)
    for lag in (1, 3, 8, 20):
        assert autocovariance(x, lag) == pytest.approx(sigma**2 * math.exp(-0.1 * lag / tau), abs=bound)


def test_axes_and_streams_are_independent(hours) -> None:
    columns = np.concatenate([rows for rows in hours.values()], axis=1).T
    correlation = np.corrcoef(columns) - np.eye(len(columns))
    # two processes of tau <= 2 s: deviation sqrt(tau / T) at most; 105 pairs
    assert np.abs(correlation).max() < 5.0 * math.sqrt(2.0 / (HOURS * 3600.0))


def test_what_is_constant_in_a_run_has_its_deviation_over_the_runs() -> None:
    wide = settings(ins__attitude__heading_deg=0.0, ins__attitude__heading_white_deg=0.0)
    parts = {"mounting": [], "lever": [], "scale": [], "rate": []}
    for seed in range(800):
        navigation = Navigation(wide, seed)
        run(navigation, 2, "ins.attitude")
        errors = navigation.errors["ins"]
        parts["mounting"].append([errors["attitude"][0, 2]])
        parts["lever"].append(errors["lever_arm"][0].copy())
        parts["scale"].append(errors["raw"]["rate_scale"][0].copy())
        parts["rate"].append(errors["raw"]["rate"][0].copy())
    rate = math.sqrt((0.0194 * DEG) ** 2 + (7.0 / 3600.0 * DEG) ** 2 + 3.1e-4**2)
    for name, sigma in (("mounting", 0.1 * DEG), ("lever", 0.005), ("scale", 0.0005), ("rate", rate)):
        values = np.array(parts[name])
        assert np.mean(values**2) == pytest.approx(sigma**2, rel=4.5 * math.sqrt(2.0 / values.size))


@pytest.mark.parametrize(("speed", "surface", "rms"), [(0.0, 3, 0.15), (0.5, 5, 0.30), (4.0, 5, 0.9), (4.0, 1, 0.3375)])
def test_vibration_is_as_strong_as_the_drive_is_rough_and_high_in_the_band(speed, surface, rms) -> None:
    vehicle = standing()
    vehicle["body"]["vx"], vehicle["wheel"]["surface"] = speed, surface
    quiet = settings(
        ins__accelerometer__bias_mg=0.0, ins__accelerometer__instability_mg=0.0, ins__accelerometer__white_m_s2=0.0,
        ins__hz=120,
    )  # fmt: skip
    navigation = Navigation(quiet, 3)
    (force,) = run(navigation, 60000, "ins.raw.force", vehicle=vehicle)
    assert math.sqrt(np.mean(force**2)) == pytest.approx(rms, rel=0.02)
    power = np.abs(np.fft.rfft(force[:, 0])) ** 2
    assert power[2 * len(power) // 5 :].sum() / power.sum() == pytest.approx(0.849, abs=0.01)  # 2/pi atan(tan(pi/5)/3)


@pytest.mark.parametrize("state", list(FIXES))
def test_the_stated_variance_is_true_in_every_state(state: str) -> None:
    seeds, numbers = 150, settings()
    keys = [f"ins.{name}" for name in ("position", "position_variance", "velocity", "velocity_variance")]
    found = []
    for seed in range(seeds):
        navigation = Navigation(numbers, seed)
        run(navigation, 36, "ins.position")
        navigation.receiver.request(36, state, None, (0.0, 0.0, 0.0))
        position, position_variance, velocity, velocity_variance = run(navigation, 1440, *keys, every=240)
        found.append((position**2 / position_variance, velocity**2 / velocity_variance))
    for means in np.mean(found, axis=(0, 3)):  # over 3 axes of independent runs; 2, 4 ... 12 s after the change
        assert means == pytest.approx(np.ones(6), abs=4.5 * math.sqrt(2.0 / (3 * seeds)))


def test_an_outage_grows_as_the_integral_of_a_random_walk() -> None:
    navigation = Navigation(settings(), 1)
    navigation.receiver.request(0, "none", None, (0.0, 0.0, 0.0))
    (variance,) = run(navigation, 7200, "ins.position_variance")
    t = (np.arange(1, 7201) / 120.0)[1199::1200]
    for axis, (position, velocity) in enumerate(((0.008, 0.008), (0.008, 0.008), (0.015, 0.006))):
        wanted = position**2 + (velocity * t) ** 2 + 0.008**2 * t**3 / 3.0
        assert variance[1199::1200, axis] == pytest.approx(wanted, rel=1e-9)


def test_position_in_an_outage_is_the_integral_of_velocity() -> None:
    still = settings(ins__velocity__white_m_s=0.0, ins__outage__velocity_walk_m_s_per_root_s=0.0, ins__hz=120)
    navigation = Navigation(still, 4)
    run(navigation, 120, "ins.position")
    navigation.receiver.request(120, "none", None, (0.0, 0.0, 0.0))
    position, velocity = run(navigation, 1200, "ins.position", "ins.velocity")
    assert np.diff(position, axis=0) * 120.0 == pytest.approx(velocity[1:], rel=1e-9)
    assert velocity == pytest.approx(np.broadcast_to(velocity[0], velocity.shape), rel=1e-12)


def test_a_change_of_state_scales_the_error_and_leaves_the_process() -> None:
    bare = {
        f"ins__position__{name}__{part}_white_m": 0.0 for name in ("fixed", "sbas") for part in ("horizontal", "up")
    }
    bare |= {f"ins__position__{name}__tau_s": 1.0e6 for name in ("fixed", "sbas")}
    navigation = Navigation(settings(**bare), 8)
    (fixed,) = run(navigation, 2, "ins.position")
    navigation.receiver.request(2, "sbas", None, (0.0, 0.0, 0.0))
    (coarse,) = run(navigation, 1, "ins.position")
    assert coarse[0] / fixed[1] == pytest.approx([75.0, 75.0, 1.0 / 0.015], rel=0.05)
