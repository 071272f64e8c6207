"""Metres of the world against points of the Earth, computed apart from the projection in use."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from acres_ros.world import WorldError
from acres_ros.world.georeference import Georeference, Origin

ACRE = Origin(40.47, -86.99, 181.0, 16)


def kruger(latitude_deg: float, longitude_deg: float, zone: int) -> tuple[float, float]:
    """Return UTM easting and northing, m, by the series of Krueger (1912) to the third power of n: to a millimetre.

    C. F. F. Karney (2011), Transverse Mercator with an accuracy of a few nanometers, equations 7 to 12 and 35.
    """
    flattening, radius, scale = 1.0 / 298.257223563, 6378137.0, 0.9996
    n = flattening / (2.0 - flattening)
    e = math.sqrt(flattening * (2.0 - flattening))
    mean = radius / (1.0 + n) * (1.0 + n**2 / 4.0 + n**4 / 64.0)
    alpha = (
        n / 2.0 - 2.0 / 3.0 * n**2 + 5.0 / 16.0 * n**3,
        13.0 / 48.0 * n**2 - 3.0 / 5.0 * n**3,
        61.0 / 240.0 * n**3,
    )
    sine = math.sin(math.radians(latitude_deg))
    t = math.sinh(math.atanh(sine) - e * math.atanh(e * sine))
    turn = math.radians(longitude_deg - (6.0 * zone - 183.0))
    xi, eta = math.atan2(t, math.cos(turn)), math.asinh(math.sin(turn) / math.hypot(t, math.cos(turn)))
    north = xi + sum(a * math.sin(2 * j * xi) * math.cosh(2 * j * eta) for j, a in enumerate(alpha, 1))
    east = eta + sum(a * math.cos(2 * j * xi) * math.sinh(2 * j * eta) for j, a in enumerate(alpha, 1))
    return 500_000.0 + scale * mean * east, scale * mean * north


@pytest.mark.parametrize(
    ("latitude", "longitude", "zone"),
    [(40.47, -86.99, 16), (40.4784, -86.9943, 16), (43.642566, -79.387139, 17), (1.0, 5.5, 31), (60.0, 8.2, 32)],
)
def test_utm_is_that_of_the_series(latitude: float, longitude: float, zone: int):
    place = Georeference(Origin(latitude, longitude, 0.0, zone))
    assert (place.easting, place.northing) == pytest.approx(kruger(latitude, longitude, zone), abs=1e-3)


def test_a_published_point():
    # Wikipedia, Universal Transverse Mercator coordinate system: CN Tower, zone 17, 630084 m east, 4833438 m north
    tower = Georeference(Origin(43 + 38 / 60 + 33.24 / 3600, -(79 + 23 / 60 + 13.7 / 3600), 0.0, 17))
    assert (tower.easting, tower.northing) == pytest.approx((630084.0, 4833438.0), abs=1.0)


def test_the_origin_is_where_it_says():
    place = Georeference(ACRE)
    assert place.geodetic(0.0, 0.0) == pytest.approx((40.47, -86.99, 181.0), abs=1e-9)
    # computed independently: easting 500 847.72 m, northing 4 479 924.79 m
    assert place.utm(0.0, 0.0, 1.5) == pytest.approx((500847.72, 4479924.79, 182.5), abs=0.01)
    # one degree is 111 043.7 m of latitude and 84 805.5 m of longitude there; the grid is 0.9996 of the ground
    latitude, longitude, altitude = place.geodetic(500.0, 1000.0, 2.5)
    assert latitude - 40.47 == pytest.approx(1000.0 / 0.9996 / 111043.7, rel=2e-4)
    assert longitude + 86.99 == pytest.approx(500.0 / 0.9996 / 84805.5, rel=5e-4)
    assert altitude == 183.5


def test_there_and_back():
    place = Georeference(ACRE)
    x, y = np.meshgrid(np.linspace(-762.0, 762.0, 7), np.linspace(-762.0, 762.0, 7))
    z = 0.01 * x
    for there, back in ((place.geodetic, place.from_geodetic), (place.utm, place.from_utm)):
        for found, wanted in zip(back(*there(x, y, z)), (x, y, z), strict=True):
            assert np.abs(found - wanted).max() < 1e-6
    assert place.from_geodetic(*place.geodetic(-38.71, -140.513, 0.639)) == pytest.approx(
        (-38.71, -140.513, 0.639), abs=1e-6
    )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"utm_zone": 61}, "utm_zone is 61: wanted 1 to 60"),
        ({"utm_zone": 46}, "utm_zone is 46: wanted a zone near -86.99"),
        ({"latitude_deg": -1.0}, "latitude_deg is -1.0: wanted 0 to 84"),
        ({"longitude_deg": math.nan}, "longitude_deg is nan"),
        ({"altitude_m": 1e5}, "altitude_m"),
    ],
)
def test_an_origin_that_cannot_be_is_refused(change: dict[str, float], word: str):
    with pytest.raises(WorldError, match=word):
        Georeference(replace(ACRE, **change))


def test_a_point_at_the_other_side_of_the_earth_is_refused():
    with pytest.raises(WorldError, match="near zone 16"):
        Georeference(ACRE).from_geodetic(0.0, 3.0, 0.0)
