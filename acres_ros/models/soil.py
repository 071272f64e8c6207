"""Soil under a tyre: water, cone index, strength, sinkage, motion resistance, water film.

Plain functions of numbers. Pressures and cone indices are in kPa, the moduli of sinkage in kN/m^(n+1) and kN/m^(n+2),
forces in N, lengths in m. Every function is finite for every finite input in its range: divisors have a floor.
"""

from acres_ros._compile import kernel
from acres_ros.models.farm import FIELDS
from acres_ros.models.maths import DEGREE, clamp, exp, log, sin, sqrt

KPA_PER_PSI = 6.894757

SOFTEST_CONE_KPA = 30.0
HARDEST_CONE_KPA = 2000.0
WEAKEST_RATIO = 0.3
STRONGEST_RATIO = 1.3
MODULUS_EXPONENT = 0.3

DEFLECTION_FACTOR = 1.8  # 1 + 5 delta/h with a tyre deflection of 0.16 of the section height
RESISTANCE_AT_SPEED = 0.04
LEAST_RESISTANCE = 0.02
MOST_RESISTANCE = 0.6

PLASTIC_SHARE = 0.7
MOST_PASSES = 20.0
PASS_GAIN = 0.3
DEEPEST_SINKAGE = 0.2  # m
SHALLOW = 0.015  # m; down to it compaction and bulldozing are part of the motion resistance of the surface

FILM_DEPTH = 0.005  # m
WATER_DENSITY = 1000.0
WATER_DRAG_COEFFICIENT = 0.7


@kernel
def water_fraction(conditions, field, least):
    """Return how wet a land cell is, from 0 at the wilting point to 1 at saturation.

    Args:
        conditions: CONDITIONS record.
        field: field number, 255 outside every field.
        least: fraction below which the surface never dries.
    """
    fraction = conditions.global_fraction
    if field < FIELDS:
        own = conditions.field_fraction[field]
        if own >= 0.0:
            fraction = own
    return clamp(max(fraction, least), 0.0, 1.0)


@kernel
def water_content(soil, fraction):
    """Return the volumetric water content at a fraction between wilting point and saturation.

    Source of the two ends: K. E. Saxton and W. J. Rawls (2006), Soil water characteristic estimates by texture and
    organic matter, Soil Sci. Soc. Am. J. 70, 1569-1578.
    """
    return soil.theta_wp + fraction * (soil.theta_s - soil.theta_wp)


@kernel
def cone_index(clay_pct, moisture_pct):
    """Return the cone index of a fine-grained soil, kPa, kept between 30 and 2000.

    Source: J. G. Collins (1971), Forecasting trafficability of soils, Report 10, Relations of strength to other
    properties of fine-grained soils and sands with fines, US Army WES, Technical Memorandum 3-331.

    Args:
        clay_pct: clay of the dry mass, %.
        moisture_pct: water by the dry mass, %.
    """
    strength = 2.123 + 0.008 * clay_pct - 0.693 * log(max(moisture_pct, 1.0))
    exponent = 4.605 + strength / (0.149 + 0.002 * clay_pct)
    return clamp(KPA_PER_PSI * exp(exponent), SOFTEST_CONE_KPA, HARDEST_CONE_KPA)


@kernel
def soil_cone_index(soil, theta):
    """Return the cone index (kPa) of undisturbed soil of a unit at a volumetric water content."""
    return cone_index(soil.clay_pct, 100.0 * theta / max(soil.bulk_density, 0.1))


@kernel
def strength_ratio(cone, reference):
    """Return cone index over that of the reference state, kept between 0.3 and 1.3.

    Cohesion and friction go with its square root and the moduli of sinkage with itself. The range of lean clay from
    22 to 32 % of water (J. Y. Wong, Theory of Ground Vehicles, table of terrain values) lies between the bounds.
    """
    return clamp(cone / max(reference, 1.0), WEAKEST_RATIO, STRONGEST_RATIO)


@kernel
def shear_modulus(reference, ratio):
    """Return the modulus K (m) of Janosi and Hanamoto (1961): wet soil needs more shear for the same force."""
    return reference * exp(-MODULUS_EXPONENT * log(ratio))


@kernel
def mobility(cone, load, width, diameter):
    """Return 1 / Bn, the inverse of the mobility number of Brixius; 0 without a load.

    Source: W. W. Brixius (1987), Traction prediction equations for bias ply tires, ASAE paper 87-1622.

    Args:
        cone: cone index, kPa.
        load: normal load, N.
        width: tread width, m.
        diameter: tyre diameter, m.
    """
    tyre = (diameter + 3.0 * width) / max(width * diameter * diameter, 1.0e-6)
    return 1.0e-3 * load * tyre / (DEFLECTION_FACTOR * max(cone, 1.0))


@kernel
def brixius_resistance(inverse_mobility, slip):
    """Return motion resistance over load, 1/Bn + 0.04 + 0.5 |s| / sqrt(Bn).

    Source: W. W. Brixius (1987), ASAE paper 87-1622; ASABE D497.
    """
    return inverse_mobility + RESISTANCE_AT_SPEED + 0.5 * min(abs(slip), 1.0) * sqrt(inverse_mobility)


@kernel
def soil_resistance(reference, cone, reference_cone, load, width, diameter, slip):
    """Return motion resistance over load of a tyre on soil, between that of hard ground and 0.6.

    The number of the surface, changed by what Brixius' equation changes from the reference cone index to this one.
    """
    change = brixius_resistance(mobility(cone, load, width, diameter), slip)
    change -= brixius_resistance(mobility(reference_cone, load, width, diameter), slip)
    return clamp(reference + change, LEAST_RESISTANCE, MOST_RESISTANCE)


@kernel
def sinkage_stiffness(surface, ratio, width):
    """Return b (k_c / b + k_phi) of Bekker's equation p = (k_c / b + k_phi) z^n for a width b, kN/m^(n+1)."""
    return max(ratio * (surface.k_c + surface.k_phi * width), 1.0e-3)


@kernel
def slip_sinkage(slip):
    """Return by how much slip deepens the sinkage, (1 + |s|) / (1 - |s| / 2).

    Source: M. Lyasko (2010), Slip sinkage effect in soil-vehicle mechanics, J. Terramechanics 47, 21-31.
    """
    size = min(abs(slip), 1.0)
    return (1.0 + size) / (1.0 - 0.5 * size)


@kernel
def first_sinkage(load, length, stiffness, exponent, slip):
    """Return the sinkage (m) of a tyre's first pass over soil, at most 0.2 m.

    Source: M. G. Bekker's pressure-sinkage equation (J. Y. Wong, Theory of Ground Vehicles, ch. 2) for the pressure
    load / (b l), with slip sinkage.

    Args:
        load: normal load, N.
        length: contact length l, m.
        stiffness: b (k_c / b + k_phi), kN/m^(n+1).
        exponent: n.
        slip: slip of the wheel.
    """
    share = 1.0e-3 * load / max(length * stiffness, 1.0e-6)
    if share < 1.0e-12:
        return 0.0
    power = clamp(log(share) / max(exponent, 0.05), -60.0, 0.0)
    return min(exp(power) * slip_sinkage(slip), DEEPEST_SINKAGE)


@kernel
def passes(first, rut):
    """Return how many passes of this wheel would have left a rut, at most 20: n = (d / (0.7 z1))^3."""
    deep = rut / PLASTIC_SHARE
    cube = first * first * first
    deep = deep * deep * deep
    if deep >= MOST_PASSES * cube:
        return MOST_PASSES if deep > 0.0 else 0.0
    return deep / cube


@kernel
def pass_strength(count):
    """Return by how much earlier passes raised the cone index, 1 + 0.3 ln(1 + n)."""
    return 1.0 + PASS_GAIN * log(1.0 + count)


@kernel
def next_sinkage(first, rut):
    """Return the sinkage (m, below the undisturbed ground) of a wheel that meets a rut.

    Passes of one wheel go z1 n^(1/3); 30 % of each sinkage springs back. A light wheel in a deep rut goes no deeper
    than its own sinkage below the rut. Source: A. T. Abebe, T. Tanaka and M. Yamazaki (1989), Soil compaction by
    multiple passes of a rigid wheel relevant for optimization of traffic, J. Terramechanics 26, 139-148.
    """
    if rut <= 0.0:
        return first
    deep = rut / PLASTIC_SHARE
    both = exp(log(first * first * first + deep * deep * deep) / 3.0)
    return min(both, rut + first, DEEPEST_SINKAGE)


@kernel
def compaction(depth, stiffness, exponent):
    """Return the resistance (N) of compacting the soil deeper than 15 mm, b k (z^(n+1) - 0.015^(n+1)) / (n+1).

    Source: M. G. Bekker (J. Y. Wong, Theory of Ground Vehicles, ch. 2). What lies above is in the surface's resistance.

    Args:
        depth: sinkage that this wheel adds, m.
        stiffness: b k = b (k_c / b + k_phi), kN/m^(n+1).
        exponent: n.
    """
    if depth <= SHALLOW:
        return 0.0
    power = exponent + 1.0
    work = exp(power * log(depth)) - exp(power * log(SHALLOW))
    return 1.0e3 * stiffness * work / power


@kernel
def bulldozing(depth, width, bulk_weight, cohesion_kpa, friction_deg):
    """Return the passive earth pressure (N) on a face of the wheel that is deeper than 15 mm.

    b (gamma z^2 N / 2 + 2 c z sqrt(N)) with the flow value N = tan^2(45 deg + phi/2), less its value at 15 mm. Source:
    K. Terzaghi's passive earth pressure as used for bulldozing by E. Hegedus (J. Y. Wong, Theory of Ground Vehicles,
    ch. 2).

    Args:
        depth: sinkage that this wheel adds, m.
        width: width of the face, m.
        bulk_weight: gamma, kN/m^3.
        cohesion_kpa: c, kPa.
        friction_deg: phi, deg.
    """
    if depth <= SHALLOW:
        return 0.0
    sine = sin(friction_deg * DEGREE)
    flow = (1.0 + sine) / max(1.0 - sine, 0.05)
    weight = 0.5 * bulk_weight * (depth * depth - SHALLOW * SHALLOW) * flow
    return 1.0e3 * width * (weight + 2.0 * cohesion_kpa * (depth - SHALLOW) * sqrt(flow))


@kernel
def film_on_soil(film, fraction):
    """Return the share of the film that stays on soil: none below 90 % of saturation, all at saturation."""
    return film * clamp(10.0 * fraction - 9.0, 0.0, 1.0)


@kernel
def water_drag(film, width, speed_squared):
    """Return the force (N) of a tyre that pushes a water film aside, rho C b depth v^2 / 2.

    Source: W. B. Horne and R. C. Dreher (1963), Phenomena of pneumatic tire hydroplaning, NASA TN D-2056 (C = 0.7).

    Args:
        film: 1 is 5 mm of water.
        width: tread width, m.
        speed_squared: speed of the contact over the ground, squared, m^2/s^2.
    """
    return 0.5 * WATER_DENSITY * WATER_DRAG_COEFFICIENT * width * FILM_DEPTH * film * speed_squared
