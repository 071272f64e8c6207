"""Soil water and weather: what is taken, what stays, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acres_ros.core.conditions import ConditionsError, changed
from acres_ros.models.farm import CONDITIONS


def test_what_is_not_given_stays() -> None:
    first = CONDITIONS.new(1)
    wet = changed(first, global_fraction=0.9, field_fractions={24: 0.2, 59: 1.0})
    filmed = changed(wet, surface_film=0.5)
    row = filmed[0]
    assert (row["global_fraction"], row["surface_film"]) == (0.9, 0.5)
    assert {n: f for n, f in enumerate(row["field_fraction"]) if f != -1.0} == {24: 0.2, 59: 1.0}
    back = changed(filmed, field_fractions={24: -1.0})
    assert {n: f for n, f in enumerate(back[0]["field_fraction"]) if f != -1.0} == {59: 1.0}
    # The defaults of the specification: 0.55 everywhere, no film.
    assert first[0]["global_fraction"] == 0.55 and first[0]["surface_film"] == 0.0
    assert np.all(first[0]["field_fraction"] == -1.0), "the record that was given stays as it was"


def test_weather_is_taken_and_leaves_the_soil() -> None:
    first = CONDITIONS.new(1)
    rainy = changed(first, rain_mm_per_h=12.0, dust_per_m=0.02)
    row = rainy[0]
    assert (row["rain_mm_per_h"], row["dust_per_m"]) == (12.0, 0.02)
    assert (row["global_fraction"], row["surface_film"]) == (0.55, 0.0)
    assert changed(rainy, dust_per_m=0.0)[0]["rain_mm_per_h"] == 12.0


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("rain_mm_per_h", 150.1, "0 to 150 mm/h"),
        ("rain_mm_per_h", float("nan"), "0 to 150 mm/h"),
        ("dust_per_m", -0.1, "0 to 1 1/m"),
        ("dust_per_m", float("inf"), "0 to 1 1/m"),
    ],
)
def test_weather_that_cannot_be_is_refused(key: str, value: float, words: str) -> None:
    with pytest.raises(ConditionsError, match=f"{key} = .* wanted {words}"):
        changed(CONDITIONS.new(1), **{key: value})


@pytest.mark.parametrize("value", [-0.01, 1.01, 2.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("key", ["global_fraction", "surface_film"])
def test_a_number_that_is_no_share_is_refused(key: str, value: float) -> None:
    with pytest.raises(ConditionsError, match=f"{key} = .* is refused: wanted 0 to 1"):
        changed(CONDITIONS.new(1), **{key: value})


@pytest.mark.parametrize(
    ("fractions", "words"),
    [
        ({61: 0.5}, "field = 61 .*0 to 59"),
        ({60: 0.5}, "field = 60"),
        ({-1: 0.5}, "field = -1"),
        ({3: 0.1, 24: 2.0}, "fraction of field 24 = 2.0 .*0 to 1, or -1"),
        ({24: -0.5}, "fraction of field 24 = -0.5"),
        ({24: math.nan}, "fraction of field 24 = nan"),
    ],
)
def test_a_field_or_a_fraction_that_cannot_be_is_refused(fractions: dict[int, float], words: str) -> None:
    first = CONDITIONS.new(1)
    with pytest.raises(ConditionsError, match=words):
        changed(first, field_fractions=fractions)
    assert first.tobytes() == CONDITIONS.new(1).tobytes()
