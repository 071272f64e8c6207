"""Errors of the elementary functions against 50-digit arithmetic, their special values, and the small helpers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal, getcontext

import numpy as np
import pytest

from acres_ros.models import maths

getcontext().prec = 50
RANDOM = np.random.default_rng(20260731)
INF, NAN = math.inf, math.nan


def decimal_atan(x: Decimal) -> Decimal:
    """Return the arc tangent: halve the angle until the series is short."""
    doublings = 0
    while abs(x) > Decimal("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        doublings += 1
    total, term, k = Decimal(0), x, 1
    while abs(term) > Decimal("1e-55") * abs(x):
        total += term / k
        term *= -x * x
        k += 2
        if term == 0:
            break
    return total * 2**doublings


DECIMAL_PI = 4 * decimal_atan(Decimal(1))


def decimal_sin(x: Decimal) -> Decimal:
    """Return the sine: reduce to a quarter turn, then the series."""
    quarter = (x / (DECIMAL_PI / 2)).to_integral_value()
    r = x - quarter * DECIMAL_PI / 2
    odd = int(quarter) % 2 == 0
    term = r if odd else Decimal(1)
    total, k = Decimal(0), 1 if odd else 0
    while abs(term) > Decimal("1e-55"):
        total += term
        term *= -r * r / ((k + 1) * (k + 2))
        k += 2
    return -total if int(quarter) % 4 >= 2 else total


def decimal_tanh(x: Decimal) -> Decimal:
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


def decimal_asin(x: Decimal) -> Decimal:
    return decimal_atan(x / (1 - x * x).sqrt())


def decimal_acos(x: Decimal) -> Decimal:
    return 2 * decimal_atan(((1 - x) / (1 + x)).sqrt())


def decimal_cos(x: Decimal) -> Decimal:
    return decimal_sin(x + DECIMAL_PI / 2)


def decimal_atan2(y: Decimal, x: Decimal) -> Decimal:
    angle = decimal_atan(y / x)
    if x < 0:
        angle += DECIMAL_PI if y >= 0 else -DECIMAL_PI
    return angle


def largest_error(function: Callable, exact: Callable, arguments: Iterable[tuple[float, ...]]) -> float:
    """Return the largest error in units in the last place of the true value."""
    worst = Decimal(0)
    for values in arguments:
        true = exact(*(Decimal(value) for value in values))
        error = abs(Decimal(float(function(*values))) - true) / Decimal(math.ulp(float(true)))
        worst = max(worst, error)
    return float(worst)


def uniform(low: float, high: float, count: int = 400) -> list[tuple[float]]:
    return [(float(value),) for value in RANDOM.uniform(low, high, count)]


def spread(low: float, high: float, count: int = 400) -> list[tuple[float]]:
    """Return numbers with uniform logarithms."""
    return [(math.exp(value),) for value in RANDOM.uniform(math.log(low), math.log(high), count)]


NEAR_ZEROS_OF_SINE = [(k * math.pi / 2,) for k in (*range(1, 60), 999, 10**6)]

CASES = [
    ("exp", lambda x: x.exp(), uniform(-700, 700) + uniform(-1, 1) + spread(1e-12, 1e-2), 1.0),
    ("exp", lambda x: x.exp(), uniform(-745, -707) + uniform(708, 709.78), 1.0),
    ("log", lambda x: x.ln(), spread(1e-320, 1e308) + uniform(0.4, 2.5), 1.0),
    ("tanh", decimal_tanh, uniform(-6, 6) + uniform(-0.7, 0.7) + spread(1e-9, 1e-2), 2.0),
    ("sin", decimal_sin, uniform(-7, 7) + uniform(-1.6e6, 1.6e6) + NEAR_ZEROS_OF_SINE, 1.0),
    ("cos", decimal_cos, uniform(-7, 7) + uniform(-1.6e6, 1.6e6) + NEAR_ZEROS_OF_SINE, 1.0),
    (
        "tan",
        lambda x: decimal_sin(x) / decimal_cos(x),
        uniform(-7, 7) + uniform(-1.6e6, 1.6e6) + NEAR_ZEROS_OF_SINE,
        2.0,
    ),
    ("atan", decimal_atan, uniform(-5, 5) + spread(1e-8, 1e8), 1.0),
    ("asin", decimal_asin, uniform(-1, 1) + uniform(0.99, 1), 1.0),
    ("acos", decimal_acos, uniform(-1, 1) + uniform(0.99, 1), 1.0),
]


@pytest.mark.parametrize(("name", "exact", "arguments", "bound"), CASES)
def test_the_error_is_below_the_bound(name: str, exact: Callable, arguments: list, bound: float) -> None:
    assert largest_error(getattr(maths, name), exact, arguments) < bound


def test_the_error_of_pow_is_below_1_ulp() -> None:
    wide = [(math.exp(a), b) for a, b in zip(RANDOM.uniform(-50, 50, 400), RANDOM.uniform(-14, 14, 400), strict=True)]
    steep = [
        (float(a), float(b)) for a, b in zip(RANDOM.uniform(0.5, 2, 400), RANDOM.uniform(-900, 900, 400), strict=True)
    ]
    release = [(10.0 / bar, 0.695) for bar in np.linspace(0.1, 80, 200).tolist()]
    arguments = wide + steep + release
    assert largest_error(maths.pow, lambda x, y: (y * x.ln()).exp(), arguments) < 1.0


def test_the_error_of_atan2_is_below_2_ulp() -> None:
    points = [(float(y), float(x)) for y, x in RANDOM.uniform(-5, 5, (400, 2))]
    assert largest_error(maths.atan2, decimal_atan2, points) < 2.0


SPECIAL = [
    ("exp", 0.0, 1.0),
    ("exp", -0.0, 1.0),
    ("exp", 710.0, INF),
    ("exp", INF, INF),
    ("exp", -746.0, 0.0),
    ("exp", -INF, 0.0),
    ("exp", -745.0, 5e-324),
    ("exp", NAN, NAN),
    ("log", 1.0, 0.0),
    ("log", 0.0, -INF),
    ("log", -0.0, -INF),
    ("log", -1.0, NAN),
    ("log", INF, INF),
    ("log", NAN, NAN),
    ("tanh", 0.0, 0.0),
    ("tanh", -0.0, -0.0),
    ("tanh", 400.0, 1.0),
    ("tanh", INF, 1.0),
    ("tanh", -INF, -1.0),
    ("tanh", NAN, NAN),
    ("sin", -0.0, -0.0),
    ("sin", math.pi, 1.2246467991473532e-16),
    ("sin", 1.7e6, NAN),
    ("sin", INF, NAN),
    ("sin", NAN, NAN),
    ("cos", 0.0, 1.0),
    ("cos", -1.7e6, NAN),
    ("cos", NAN, NAN),
    ("tan", -0.0, -0.0),
    ("tan", INF, NAN),
    ("atan", -0.0, -0.0),
    ("atan", INF, math.pi / 2),
    ("atan", -INF, -math.pi / 2),
    ("atan", 1e308, math.pi / 2),
    ("atan", NAN, NAN),
    ("asin", 1.0, math.pi / 2),
    ("asin", -1.0, -math.pi / 2),
    ("asin", -0.0, -0.0),
    ("asin", 1.0000001, NAN),
    ("asin", NAN, NAN),
    ("acos", 1.0, 0.0),
    ("acos", -1.0, math.pi),
    ("acos", 0.0, math.pi / 2),
    ("acos", -1.0000001, NAN),
    ("acos", NAN, NAN),
]


@pytest.mark.parametrize(("name", "x", "wanted"), SPECIAL)
def test_special_values(name: str, x: float, wanted: float) -> None:
    result = getattr(maths, name)(x)
    if math.isnan(wanted):
        assert math.isnan(result)
    else:
        assert result == wanted
        assert math.copysign(1.0, result) == math.copysign(1.0, wanted)


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0, 1e-310, 1e300])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, 1e-310, -1e300])
def test_atan2_on_the_axes_and_at_the_extremes(y: float, x: float) -> None:
    result = maths.atan2(y, x)
    assert result == pytest.approx(math.atan2(y, x), rel=3e-16, abs=0.0)
    assert math.copysign(1.0, result) == math.copysign(1.0, math.atan2(y, x))


@pytest.mark.parametrize(("y", "x"), [(INF, 1.0), (1.0, -INF), (NAN, 1.0), (1.0, NAN)])
def test_atan2_of_a_point_that_is_nowhere(y: float, x: float) -> None:
    assert math.isnan(maths.atan2(y, x))


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        (2.0, 10.0, 1024.0),
        (10.0, -3.0, 1e-3),
        (3.0, 0.0, 1.0),
        (0.0, 0.0, 1.0),
        (0.0, 2.0, 0.0),
        (0.0, -2.0, INF),
        (1.0, 1e300, 1.0),
        (1.0, INF, 1.0),
        (INF, 0.5, INF),
        (INF, -0.5, 0.0),
        (2.0, 1024.0, INF),
        (2.0, 1023.0, 2.0**1023),
        (2.0, -1074.0, 5e-324),
        (2.0, -1100.0, 0.0),
        (5e-324, 0.5, 2.0**-537),
        (1.5, 1e300, INF),
        (0.5, 1e300, 0.0),
        (0.5, -INF, INF),
        (2.0, -INF, 0.0),
        (4.0, 0.5, 2.0),
        (-2.0, 2.0, NAN),
        (NAN, 1.0, NAN),
        (2.0, NAN, NAN),
    ],
)
def test_pow_at_its_edges(x: float, y: float, wanted: float) -> None:
    result = maths.pow(x, y)
    assert math.isnan(result) if math.isnan(wanted) else result == wanted


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("exp", -708.0 - 2e-11),  # where the subnormal branch takes over
        ("exp", 709.0 - 2e-11),
        ("exp", 0.34657359027),  # where the reduction takes another power of two
        ("log", 1.4142135623),
        ("log", 1.0 - 2e-14),
        ("tanh", 0.625 - 2e-14),
        ("tanh", 22.0 - 1e-12),
        ("atan", 0.4375 - 2e-14),
        ("atan", 0.6875 - 2e-14),
        ("atan", 1.1875 - 5e-14),
        ("atan", 2.4375 - 1e-13),
        ("asin", 0.5 - 2e-14),
    ],
)
def test_the_pieces_meet_without_a_step_back(name: str, start: float) -> None:
    function = getattr(maths, name)
    x, last = start, function(start)
    for _ in range(400):
        x = math.nextafter(x, INF)
        value = function(x)
        assert value >= last - math.ulp(last)
        last = value
    assert last >= function(start)


def test_clamp() -> None:
    assert [maths.clamp(x, -2.0, 3.0) for x in (-5.0, -2.0, 1.0, 3.0, 4.0)] == [-2.0, -2.0, 1.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("x", "target", "change", "wanted"),
    [(1.0, 5.0, 0.5, 1.5), (1.0, -5.0, 0.5, 0.5), (1.0, 1.2, 0.5, 1.2), (1.0, 9.0, INF, 9.0), (1.0, 9.0, 0.0, 1.0)],
)
def test_move(x: float, target: float, change: float, wanted: float) -> None:
    assert maths.move(x, target, change) == wanted


@pytest.mark.parametrize(
    ("target", "up", "down", "wanted"),
    [
        (5.0, 0.5, 0.25, 1.5),
        (-5.0, 0.5, 0.25, 0.75),
        (-5.0, 0.5, INF, -5.0),
        (5.0, INF, 0.25, 5.0),
        (1.0, 0.0, 0.0, 1.0),
    ],
)
def test_move2(target: float, up: float, down: float, wanted: float) -> None:
    assert maths.move2(1.0, target, up, down) == wanted


def test_lag_is_the_exact_solution() -> None:
    assert maths.lag(3.0, 1.0, 0.1323, 1 / 120) == pytest.approx(1.0 + 2.0 * math.exp(-(1 / 120) / 0.1323), rel=1e-15)


def test_two_short_lags_are_one_long_lag() -> None:
    short = maths.lag(maths.lag(3.0, 1.0, 0.2, 0.05), 1.0, 0.2, 0.05)
    assert short == pytest.approx(maths.lag(3.0, 1.0, 0.2, 0.1), rel=1e-15)


@pytest.mark.parametrize("time_constant", [0.0, -1.0])
def test_a_lag_without_time_constant_follows_at_once(time_constant: float) -> None:
    assert maths.lag(3.0, 1.0, time_constant, 1 / 120) == 1.0


def test_a_lag_ends_before_subnormal_numbers() -> None:
    x, steps = 1.0, 0
    while x != 0.0 and steps < 10000:
        last = x
        x = maths.lag(x, 0.0, 0.1, 1 / 120)
        steps += 1
    assert x == 0.0
    assert 1e-201 < last < 1e-199


@pytest.mark.parametrize("turns", [0, 1, -1, 7, -1000])
@pytest.mark.parametrize("angle", [-math.pi, -3.0, -1e-9, 0.0, 1.5, 3.14])
def test_wrap_pi_takes_away_whole_turns(angle: float, turns: int) -> None:
    given = angle + turns * 2 * math.pi
    wrapped = maths.wrap_pi(given)
    assert -math.pi <= wrapped < math.pi
    assert math.sin((wrapped - angle) / 2) == pytest.approx(0.0, abs=1e-12)


def test_wrap_pi_is_half_open() -> None:
    assert maths.wrap_pi(math.pi) == -math.pi
    assert maths.wrap_pi(-math.pi) == -math.pi
    assert maths.wrap_pi(math.nextafter(math.pi, 0.0)) == math.nextafter(math.pi, 0.0)
    beyond = maths.wrap_pi(math.nextafter(-math.pi, -4.0))  # the nearest double of pi - 2e-16 is pi itself
    assert beyond == -math.pi


def test_wrap_pi_keeps_an_angle_that_is_within() -> None:
    assert [maths.wrap_pi(x) for x in (-3.1, -0.5, 0.0, 2.9)] == [-3.1, -0.5, 0.0, 2.9]
