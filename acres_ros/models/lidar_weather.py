"""Rain and dust in the air: what they take from an echo, and the echoes that they give themselves.

Light on a way R comes back weaker by exp(-2 alpha R) (Beer and Lambert, there and back). The extinction of rain is
alpha = a P^b, with P the rate in mm/h. Defaults follow from the drops of Marshall and Palmer (1948), J. Meteorology 5,
165-166: N0 exp(-L D) drops per m^3 and mm of diameter D, N0 = 8000, L = 4.1 P^-0.21 per mm. Drops are far larger than
the wavelength and take twice their cross section, so that alpha = pi N0 / L^3. (Goodin et al. (2019), Electronics 8,
89, fit a = 0.01 per m and b = 0.6, which dims far more.)

A drop in the beam is a mirror for a part of it: its strength is that of a target of the reflectivity of water that
fills (D / w)^2 of the beam's width w (Kilic et al. (2021), Lidar light scattering augmentation, arXiv 2107.07004). At
each distance all drops above a size beat the threshold of the sensor, so visible drops are a Poisson process along the
beam, whose rate is the beam's cross section times the number of drops above that size.

Dust is too fine for single grains. Puffs are met at a rate of alpha, as leaves are. The light that comes back from one
is that of a cloud as long as the pulse, rho (1 - exp(-2 alpha l)), where rho = pi / (2 S) is the reflectivity of a deep
cloud of lidar ratio S (Rasshofer et al. (2011), Adv. Radio Sci. 9, 49-60; Hahner et al. (2021), ICCV, use the same
equation for fog). Its strength is spread exponentially, as speckle and eddies are.
"""

from typing import NamedTuple

import numpy as np

from acres_ros._compile import entry, kernel
from acres_ros._record import Field, Record
from acres_ros.models.lidar_signal import echo
from acres_ros.models.maths import INFINITY, PI, exp, log, sqrt
from acres_ros.models.streams import (
    DROP_DRAW,
    DROP_SIZE_DRAW,
    PUFF_DRAW,
    PUFF_STRENGTH_DRAW,
    hash_above_0,
    numbered_hash,
)

AIR = Record(
    "AIR",
    (
        Field("rain_extinction_per_m", "1/m", 0.0, "extinction of rain of 1 mm/h"),
        Field("rain_exponent", "-", 0.0, "exponent of the rain rate in the extinction"),
        Field("drops_per_m3_mm", "1/(m^3 mm)", 0.0, "number of drops of no size, by volume and diameter"),
        Field("slope_per_mm", "1/mm", 1.0, "decay of their number with the diameter, in rain of 1 mm/h"),
        Field("slope_exponent", "-", 0.0, "exponent of the rain rate in that"),
        Field("pulse_m", "m", 0.0, "length of air that a pulse lights at once: half its own"),
        Field("nearest_m", "m", 0.0, "where drops and dust begin to be seen: receiver and beam do not overlap before"),
        Field("beam_m", "m", 0.01, "width of the beam where it starts"),
        Field("divergence_rad", "rad", 0.0, "growth of the width with the distance"),
        Field("error_m", "m", 0.0, "standard deviation of the distance of an echo at half the threshold"),
    ),
)

KNOTS = 512
"""Distances of the tables below; they are close together where it is near."""
DARK = 100.0
"""Depth of air, there and back, beyond which nothing is seen."""


class Air(NamedTuple):
    """The air of a scan.

    Attributes:
        use: 1: there is rain or dust, 0: neither.
        extinction: 1/m.
        slope: of the drops' sizes, 1/mm.
        puff: mean strength of a puff of dust.
        drops, puffs: visible drops and puffs to be expected from the nearest distance to each knot (KNOTS,).
        drop_reflectivity: of water.
        rain, dust: their materials.
    """

    use: int
    extinction: float
    slope: float
    puff: float
    drops: np.ndarray
    puffs: np.ndarray
    drop_reflectivity: float
    rain: int
    dust: int


@kernel
def _knot(optics, by, place):
    """Return the distance of a knot, m."""
    share = place / (KNOTS - 1.0)
    return by.nearest_m + (optics.farthest_m - by.nearest_m) * share * share


@kernel
def _needed(optics, extinction, distance):
    """Return the strength that is just seen from a distance (m) through the air."""
    share = distance / optics.limit_m
    return optics.limit_reflectivity * share * share * exp(2.0 * extinction * distance)


@kernel
def _least_drop(by, needed, reflectivity, distance):
    """Return the diameter of the smallest drop of a needed strength at a distance (m), and the beam's width, mm."""
    width = 1000.0 * (by.beam_m + by.divergence_rad * distance)
    return width * sqrt(needed / reflectivity), width


@entry
def fill_clutter(optics, air, rain, dust, drop_reflectivity, dust_reflectivity, drops, puffs):
    """Fill the tables of `Air`, and return its extinction, slope and puff.

    Args:
        optics: one OPTICS record in an array.
        air: one AIR record in an array.
        rain: mm/h.
        dust: extinction, 1/m.
        drop_reflectivity, dust_reflectivity: of the two materials.
        drops, puffs: results (KNOTS,).
    """
    with_, by = optics[0], air[0]
    extinction, slope = dust, by.slope_per_mm
    if rain > 0.0:
        extinction += by.rain_extinction_per_m * exp(by.rain_exponent * log(rain))
        slope *= exp(by.slope_exponent * log(rain))
    puff = dust_reflectivity * (1.0 - exp(-2.0 * dust * by.pulse_m))
    before, drop_rate, puff_rate = by.nearest_m, 0.0, 0.0
    drops[0], puffs[0] = 0.0, 0.0
    for place in range(KNOTS):
        distance = _knot(with_, by, place)
        drop_now, puff_now = 0.0, 0.0
        if 2.0 * extinction * distance < DARK:
            needed = _needed(with_, extinction, distance)
            if rain > 0.0 and needed < drop_reflectivity:
                least, width = _least_drop(by, needed, drop_reflectivity, distance)
                number = by.drops_per_m3_mm / slope * exp(-slope * least)
                drop_now = 0.25e-6 * PI * width * width * number
            if puff > 0.0:
                puff_now = dust * exp(-needed / puff)
        if place > 0:
            step = 0.5 * (distance - before)
            drops[place] = drops[place - 1] + step * (drop_rate + drop_now)
            puffs[place] = puffs[place - 1] + step * (puff_rate + puff_now)
        before, drop_rate, puff_rate = distance, drop_now, puff_now
    return extinction, slope, puff


@kernel
def _first(optics, by, table, word):
    """Return where a beam meets the first of what a table counts, infinity for nowhere. `word`: its hash."""
    wanted = -log(hash_above_0(word))
    if wanted >= table[KNOTS - 1]:
        return INFINITY
    low, high = 0, KNOTS - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[middle] <= wanted:
            low = middle
        else:
            high = middle
    near = _knot(optics, by, low)
    share = (wanted - table[low]) / (table[high] - table[low])
    return near + share * (_knot(optics, by, high) - near)


@kernel
def echo_in_air(optics, by, air, noisy, word, one, other, distance, end, material, brightness):
    """Return distance (m; 0 for no echo), intensity and material of what is reported through rain and dust.

    Of a hit and of the first drop or puff before it the stronger echo counts.

    Args:
        optics, noisy, word, distance, brightness: as `acres_ros.models.lidar_signal.echo`; distance is infinity for no
            hit.
        one, other: `near` and `far` there.
        by: AIR record.
        air: Air.
        end: where the beam ends, m.
        material: of the hit.
    """
    drop = _first(optics, by, air.drops, numbered_hash(word, DROP_DRAW))
    puff = _first(optics, by, air.puffs, numbered_hash(word, PUFF_DRAW))
    strength, blur = 0.0, 0.0
    if distance <= optics.farthest_m:
        through = exp(-2.0 * air.extinction * distance)
        strength = brightness * through
        # A pulse of s times the least power is off by error / sqrt(2 s) (Kilic 2021): so much more than in clear air.
        weak = optics.limit_reflectivity * distance * distance
        strong = strength * optics.limit_m * optics.limit_m
        blur = by.error_m * sqrt(0.5 * (1.0 - through) * (weak / strong if weak < strong else 1.0))
    near = min(drop, puff)
    if near < end:
        needed = _needed(optics, air.extinction, near)
        if drop <= puff:
            least, width = _least_drop(by, needed, air.drop_reflectivity, near)
            size = least - log(hash_above_0(numbered_hash(word, DROP_SIZE_DRAW))) / air.slope
            share = min(size / width, 1.0)
            own, code = air.drop_reflectivity * share * share, air.rain
        else:
            own = needed - air.puff * log(hash_above_0(numbered_hash(word, PUFF_STRENGTH_DRAW)))
            code = air.dust
        own *= exp(-2.0 * air.extinction * near)
        if distance > optics.farthest_m or own * distance * distance > strength * near * near:
            found, intensity = echo(optics, noisy, word, one, other, near, own, 0.0)
            return found, intensity, code
    found, intensity = echo(optics, noisy, word, one, other, distance, strength, blur)
    return found, intensity, material
